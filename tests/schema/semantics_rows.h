#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <lightmetal/capture.hpp>
#include <lightmetal/replay.hpp>
#include <ostream>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "schema/verify/verify.h"
#include "tests/support/agreement.h"
#include "tests/support/captured_file.h"
#include "tests/support/every_call.h"

// One legal file with every call, and rows that change one field of it.
namespace lightmetal::semantics_testing {

// Captured on the null device.
inline const testing::FilePointer& legal_file() {
  static const testing::FilePointer file = [] {
    setenv("LIGHTMETAL_DEVICE", "null", 1);
    tt::tt_metal::LightMetalBeginCapture({.read_goldens = true});
    make_every_call();
    unsetenv("LIGHTMETAL_DEVICE");
    return testing::open_file(tt::tt_metal::LightMetalEndCapture());
  }();
  return file;
}

// A change of the call at one place in the file.
struct Row {
  std::string name;
  std::function<void(schema::CommandT&)> change;
  std::string message;
};

inline void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

// Changes the `nth` call, from 0, of the type that `change` takes.
template <class Call, class Change>
Row row(std::string name, Change change, std::string message, int nth = 0) {
  const auto apply = [change, nth, seen = 0](schema::CommandT& command) mutable {
    if (command.call.type != schema::CallTraits<typename Call::TableType>::enum_value) return;
    if (seen++ == nth) change(*static_cast<Call*>(command.call.value));
  };
  return {std::move(name), apply, std::move(message)};
}

inline std::vector<uint8_t> changed(const Row& row) {
  const auto change = row.change;
  return testing::rewritten(*legal_file(),
                            [&](schema::CommandT& command, schema::Writer&) { change(command); });
}

// The core is in the first launch of a trace.
inline schema::TraceCoreT& first_core(schema::LoadTraceT& call) {
  return *call.content->launches.at(0)->cores.at(0);
}

inline std::vector<schema::CoreRange> range(uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1) {
  return {schema::CoreRange(schema::CoreCoord(x0, y0), schema::CoreCoord(x1, y1))};
}

// What verify and load say of the changed file, and that its form is good.
inline void expect_refused(const Row& row) {
  using ::testing::HasSubstr;
  const std::vector<uint8_t> bytes = changed(row);
  const absl::Status verified = schema::verify(*testing::open_file(bytes));
  EXPECT_THAT(std::string(verified.message()),
              ::testing::AllOf(HasSubstr(row.message), HasSubstr("the file in memory: command ")));
  EXPECT_EQ(Replay::load_bytes(bytes).status(), verified);
  EXPECT_EQ(schema::verify(*testing::open_file(bytes), nullptr, {.check_meaning = false}),
            absl::OkStatus());
}

// A file and a process have ids of their own for the same objects; sub-devices have numbers.
inline std::string without_ids(absl::string_view text) {
  static const std::regex id("(^|[^-])([Bb]uffer|[Dd]evice|manager) [0-9]+");
  return std::regex_replace(std::string(text), id, "$1$2 #");
}

// The changed file breaks a rule of the host API: `message` is the sentence, without ids, that
// verify and a replay that nobody has verified say of the same command.
inline void expect_one_sentence(const Row& row) {
  const std::vector<uint8_t> bytes = changed(row);
  const testing::FilePointer file = testing::open_file(bytes);
  const std::string verified = without_ids(schema::verify(*file).message());
  const std::string replayed =
      without_ids(testing::replayed(*file, file->num_commands()).message());
  EXPECT_THAT(verified, ::testing::EndsWith(": " + row.message));
  EXPECT_THAT(replayed, ::testing::EndsWith("): " + row.message));
  const size_t command_ends = replayed.size() - row.message.size();
  EXPECT_EQ(verified.substr(0, command_ends), replayed.substr(0, command_ends));
}

inline std::string name_of(const ::testing::TestParamInfo<Row>& info) { return info.param.name; }

}  // namespace lightmetal::semantics_testing
