#pragma once

#include <cstdint>
#include <lightmetal/races.hpp>
#include <optional>
#include <string>

#include "runner/command_line.h"

// `run --races N`, `run --schedules N`, and the schedule that `run` is given.
namespace lightmetal::runner {

// Adds `--schedule`, `--schedules` and `--races`.
void add_schedule_options(cxxopts::Options& options);

// The value of --schedule; none without it. Throws for a text that is none.
std::optional<Schedule> schedule_option(const cxxopts::ParseResult& arguments);

// The value of --races; 0 without it. Throws when it is no number from 1 on, and for options that
// would have no effect beside it.
uint64_t races_option(const cxxopts::ParseResult& arguments);

// The value of --schedules, the number of random schedules that a file is replayed with; 0 without
// it. Throws as races_option() does.
uint64_t schedules_option(const cxxopts::ParseResult& arguments);

// What came of the search, for a person: each line of the race on standard error, the sum on
// standard output.
void print_races(const std::string& path, const RaceResult& result);

// The same as JSON (docs/race-report.schema.json), and as JUnit's XML.
std::string races_json(const std::string& path, const RaceResult& result);
std::string races_junit(const std::string& path, const RaceResult& result);

}  // namespace lightmetal::runner
