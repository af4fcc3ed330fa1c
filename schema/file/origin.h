#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/machine.h"
#include "schema/session_generated.h"

namespace lightmetal::schema {

// Where, when and by what a file was made (table Origin of session.fbs). All of it is for people: a
// replay does the same with and without it. A file may claim anything here.
struct OriginInfo {
  std::string build;                                             // "GNU 12.2.0, Release"
  std::string program;                                           // path of the executable
  std::vector<std::string> arguments;                            // the program's name first
  std::vector<std::pair<std::string, std::string>> environment;  // in ascending order of name
  int64_t time = 0;  // of the beginning: seconds since 1970, UTC
  uint32_t process_id = 0;
  Machine machine;

  friend bool operator==(const OriginInfo&, const OriginInfo&) = default;
};

flatbuffers::Offset<Origin> encode_origin(flatbuffers::FlatBufferBuilder& builder,
                                          const OriginInfo& origin);

// Absent texts become empty. REQUIRES: the table is verified.
OriginInfo decode_origin(const Origin& origin);

// Returns the reasons, one line each, for which a replay on `here` may read other results than were
// recorded (docs/format.md, "A file on another machine"). None of them keeps the file from being
// replayed.
std::vector<std::string> warnings_on(const Machine& here, const OriginInfo& origin);

// The time of the beginning, as "2026-11-21 20:31:22 UTC".
std::string time_in_words(const OriginInfo& origin);

// The command line as a shell would take it, without characters that a terminal obeys.
std::string command_line_in_words(const OriginInfo& origin);

}  // namespace lightmetal::schema
