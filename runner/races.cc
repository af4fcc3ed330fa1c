#include "runner/races.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runner/output_text.h"
#include "schema/show/json.h"

namespace lightmetal::runner {
namespace {

std::string output_text(const Race& race) {
  return absl::StrCat("command ", race.output->command, ": with the schedule ",
                      race.schedule.text(), " instead of fixed, ", race.output->text());
}

std::string memory_text(const RacedMemory& memory) {
  const GoldenResult& content = memory.content;
  std::string text = absl::StrCat("it begins with command ", memory.command, ", ", memory.launch,
                                  ", which leaves ", content.source, " different: ");
  const Difference& first = content.first.front();
  absl::StrAppend(&text, "word ", first.index, " is ", first.expected, " with fixed, ", first.found,
                  " with this one");
  if (content.different > 1) absl::StrAppend(&text, ", and ", content.different - 1, " more words");
  return text;
}

// Each a sentence without the name of the file.
std::vector<std::string> lines_of(const Race& race) {
  std::vector<std::string> lines;
  if (race.output.has_value()) lines.push_back(output_text(race));
  if (race.memory.has_value()) lines.push_back(memory_text(*race.memory));
  if (!race.failure.empty()) {
    lines.push_back(absl::StrCat("with the schedule ", race.schedule.text(),
                                 ", and not with fixed, the run fails: ", race.failure));
  }
  return lines;
}

std::string sum_of(const RaceResult& result) {
  const std::string searched = absl::StrCat(counted(result.outputs, "output"), ", ",
                                            counted(result.schedules, "random schedule"), ", ");
  if (!result.race.has_value()) return searched + "no race found";
  return absl::StrCat(searched, "a RACE: --schedule ", result.race->schedule.text(), " shows it");
}

// ---- JSON ----

void append_differences(schema::JsonWriter& json, const GoldenResult& result) {
  json.member("source", result.source);
  if (result.buffer.has_value()) json.member("buffer", *result.buffer);
  json.member("element_type", result.element_type);
  json.member("elements", result.elements).member("different", result.different);
  json.key("first").begin_array();
  for (const Difference& each : result.first) {
    json.begin_object().member("index", each.index);
    json.member("expected", each.expected).member("found", each.found).end_object();
  }
  json.end_array();
}

void append_race(schema::JsonWriter& json, const Race& race) {
  json.key("race").begin_object().member("schedule", race.schedule.text());
  if (!race.failure.empty()) json.member("failure", race.failure);
  if (race.output.has_value()) {
    json.key("output").begin_object().member("command", race.output->command);
    json.member("call", race.output->call);
    append_differences(json, *race.output);
    json.end_object();
  }
  if (race.memory.has_value()) {
    json.key("memory").begin_object().member("command", race.memory->command);
    json.member("launch", race.memory->launch);
    append_differences(json, race.memory->content);
    json.end_object();
  }
  json.end_object();
}

}  // namespace

void add_schedule_options(cxxopts::Options& options) {
  options.add_options()(
      "schedule",
      "Run kernels in this order: free (as they come, the default), fixed (the same each time) or "
      "random:SEED (another one that the hardware may take); with \",split\" after it, unpack, "
      "math "
      "and pack of compute kernels run as three processors (split: free,split)",
      cxxopts::value<std::string>(), "ORDER")("schedules",
                                              "Replay with the N schedules random:1 to random:N, "
                                              "up to the first with which a golden differs",
                                              cxxopts::value<std::string>(), "N")(
      "races",
      "Replay with the fixed schedule and with N random ones, and find the first output that "
      "depends on the order of kernels and transfers",
      cxxopts::value<std::string>(), "N");
}

std::optional<Schedule> schedule_option(const cxxopts::ParseResult& arguments) {
  if (arguments.count("schedule") == 0) return std::nullopt;
  const auto schedule = Schedule::parse(arguments["schedule"].as<std::string>());
  if (schedule.ok()) return *schedule;
  throw cxxopts::exceptions::parsing(absl::StrCat("--schedule: ", schedule.status().message()));
}

uint64_t races_option(const cxxopts::ParseResult& arguments) {
  if (arguments.count("races") == 0) return 0;
  for (const char* other : {"schedule", "loop", "warmup", "golden", "save-actual", "no-check",
                            "continue-on-error", "trace-out"}) {
    if (arguments.count(other) == 0) continue;
    throw cxxopts::exceptions::parsing(absl::StrCat(
        "--races chooses schedules and compares runs by itself: it takes no --", other));
  }
  return count_option(arguments, "races", 1);
}

uint64_t schedules_option(const cxxopts::ParseResult& arguments) {
  if (arguments.count("schedules") == 0) return 0;
  for (const char* other : {"schedule", "races", "loop", "warmup", "no-check", "continue-on-error",
                            "compare-with", "trace-out"}) {
    if (arguments.count(other) == 0) continue;
    throw cxxopts::exceptions::parsing(absl::StrCat(
        "--schedules replays with one schedule after the other and compares the goldens of each: "
        "it takes no --",
        other));
  }
  return count_option(arguments, "schedules", 1);
}

void print_races(const std::string& path, const RaceResult& result) {
  if (result.race.has_value()) {
    for (const std::string& line : lines_of(*result.race)) fail(absl::StrCat(path, ": ", line));
  }
  say(absl::StrCat(path, ": ", sum_of(result)));
}

std::string races_json(const std::string& path, const RaceResult& result) {
  schema::JsonWriter json;
  json.begin_object().member("version", 1).member("file", path);
  json.member("outputs", result.outputs).member("schedules", result.schedules);
  if (result.race.has_value()) append_race(json, *result.race);
  json.end_object();
  return json.take() + "\n";
}

std::string races_junit(const std::string& path, const RaceResult& result) {
  const std::string name = xml_text(path);
  std::string xml =
      absl::StrCat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"", name,
                   "\" tests=\"1\" failures=\"", result.race.has_value() ? 1 : 0,
                   "\" errors=\"0\">\n  <testcase classname=\"", name, "\" name=\"races\"");
  if (!result.race.has_value()) return xml + "/>\n</testsuite>\n";
  absl::StrAppend(&xml, "><failure message=\"",
                  xml_text(absl::StrJoin(lines_of(*result.race), "; ")), "\"/></testcase>\n");
  return xml + "</testsuite>\n";
}

}  // namespace lightmetal::runner
