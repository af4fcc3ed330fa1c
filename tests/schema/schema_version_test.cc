// The rules of docs/format.md, "Versions": what a version may change, what a reader does with what
// it does not know.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "schema/file/description.h"
#include "tests/schema/schema_testing.h"

namespace lightmetal::schema {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::FrameList;
using ::testing::HasSubstr;
using testing::index_of;
using ::testing::IsEmpty;
using testing::IsError;

namespace fs = std::filesystem;

constexpr char kGolden[] = LIGHTMETAL_GOLDEN_DIR "/";

using Version = std::pair<uint32_t, uint32_t>;

std::string text_of(const Version& version) {
  return absl::StrCat(version.first, ".", version.second);
}

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.is_open()) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::optional<Version> version_in(absl::string_view text) {
  const std::vector<std::string> parts = absl::StrSplit(text, '.');
  Version version;
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &version.first) ||
      !absl::SimpleAtoi(parts[1], &version.second)) {
    return std::nullopt;
  }
  return version;
}

// The table of versions in docs/format.md: whether each is released.
std::map<Version, bool> listed_versions() {
  std::map<Version, bool> versions;
  for (absl::string_view line : absl::StrSplit(content_of(LIGHTMETAL_FORMAT_DOCUMENT), '\n')) {
    const std::vector<absl::string_view> cells = absl::StrSplit(line, '|');
    if (cells.size() != 5) continue;
    const auto version = version_in(absl::StripAsciiWhitespace(cells[1]));
    if (version.has_value()) {
      versions[*version] = absl::StripAsciiWhitespace(cells[2]) == "released";
    }
  }
  return versions;
}

std::set<Version> released_versions() {
  std::set<Version> released;
  for (const auto& [version, is_released] : listed_versions()) {
    if (is_released) released.insert(version);
  }
  return released;
}

// ---- The text of a schema ----

// By the first line of each table, structure and enumeration: the lines below it.
using Description = std::map<std::string, std::set<std::string>>;

Description parse(const std::string& text) {
  Description description;
  std::set<std::string>* members = nullptr;
  for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    if (!absl::StartsWith(line, "  ")) {
      members = &description[std::string(line)];
    } else if (members != nullptr) {
      members->insert(std::string(line));
    }
  }
  return description;
}

// What `older` says and `newer` does not. The version itself does not count.
std::vector<std::string> missing_from(const std::string& newer, const std::string& older) {
  const Description present = parse(newer);
  std::vector<std::string> missing;
  for (const auto& [name, members] : parse(older)) {
    if (absl::StartsWith(name, "format ")) continue;
    const auto found = present.find(name);
    if (found == present.end()) missing.push_back(name);
    for (const std::string& member : members) {
      if (found != present.end() && !found->second.contains(member)) {
        missing.push_back(absl::StrCat(name, ":", member));
      }
    }
  }
  return missing;
}

std::string frozen_schema(const Version& version) {
  return content_of(absl::StrCat(kGolden, text_of(version), "/schema.txt"));
}

// Structures have no room for more, and are part of other frames.
bool grows_a_structure(const std::string& newer, const std::string& older) {
  const Description before = parse(older);
  for (const auto& [name, members] : parse(newer)) {
    const auto found = before.find(name);
    if (absl::StartsWith(name, "struct ") && found != before.end() && found->second != members) {
      return true;
    }
  }
  return false;
}

TEST(VersionTest, EveryReleasedVersionHasItsFolder) {
  const std::map<Version, bool> listed = listed_versions();
  ASSERT_FALSE(listed.empty());
  EXPECT_TRUE(listed.contains({1, 0}));
  EXPECT_TRUE(listed.contains({kVersionMajor, kVersionMinor}))
      << "docs/format.md does not list the version of schema/file/frame.h";
  EXPECT_EQ(listed.rbegin()->first, Version(kVersionMajor, kVersionMinor));
  std::set<Version> folders;
  for (const auto& entry : fs::directory_iterator(kGolden)) {
    const auto version = version_in(entry.path().filename().string());
    if (version.has_value()) folders.insert(*version);
  }
  EXPECT_EQ(folders, released_versions());
  for (const Version& version : released_versions()) {
    EXPECT_TRUE(absl::StartsWith(frozen_schema(version), "format " + text_of(version) + "\n"));
    EXPECT_FALSE(content_of(absl::StrCat(kGolden, text_of(version), "/README.md")).empty());
  }
}

TEST(VersionTest, NothingPublishedIsTakenAwayOrChanged) {
  for (const Version& version : released_versions()) {
    EXPECT_THAT(missing_from(schema_description(), frozen_schema(version)), IsEmpty())
        << "since " << text_of(version);
    EXPECT_FALSE(grows_a_structure(schema_description(), frozen_schema(version)));
  }
}

TEST(VersionTest, WhatIsAddedComesWithAGreaterVersion) {
  const std::set<Version> released = released_versions();
  ASSERT_FALSE(released.empty());
  const Version newest = *released.rbegin();
  if (missing_from(frozen_schema(newest), schema_description()).empty()) return;
  EXPECT_GT(Version(kVersionMajor, kVersionMinor), newest)
      << "the format has grown since " << text_of(newest)
      << ": raise kVersionMinor in schema/file/frame.h and list the version in docs/format.md";
}

TEST(VersionTest, TheRulesNoticeEveryKindOfChange) {
  const std::string older = "format 1.0\ntable A\n  0 x: UInt\nstruct S of 4 bytes\n  0 y: UInt\n";
  const auto lost = [&](const std::string& newer) { return missing_from(newer, older); };
  EXPECT_THAT(lost("format 1.1\ntable A\n  0 x: UInt\n  1 z: UInt\nstruct S of 4 bytes\n"
                   "  0 y: UInt\ntable B\n"),
              IsEmpty());
  EXPECT_THAT(lost("format 1.1\ntable A\n  0 x: Int\nstruct S of 4 bytes\n  0 y: UInt\n"),
              ElementsAre("table A:  0 x: UInt"));
  EXPECT_THAT(lost("format 1.1\ntable A\n  0 x: UInt\nstruct S of 8 bytes\n  0 y: UInt\n"),
              ElementsAre("struct S of 4 bytes"));
  EXPECT_THAT(lost("format 1.1\nstruct S of 4 bytes\n  0 y: UInt\n"), ElementsAre("table A"));
  EXPECT_TRUE(grows_a_structure("struct S of 4 bytes\n  0 y: UInt\n  2 z: UShort\n", older));
  EXPECT_FALSE(grows_a_structure(older, older));
  EXPECT_THAT(missing_from(older, "table A\n  0 x: UInt\n  1 new: UInt\n"),
              ElementsAre("table A:  1 new: UInt"));
}

// ---- A reader and files of a version that it does not know ----

constexpr uint32_t kLaterMinor = 99;
constexpr auto kUnknownFrame = static_cast<FrameType>(200);

CommandT event_create() { return samples::command_of(samples::Of<EventCreate>()); }

// A command whose call has a number that nobody gave out.
testing::Content unknown_command() {
  flatbuffers::FlatBufferBuilder builder;
  const auto event = CreateEventCreate(builder, 1);
  FinishSizePrefixedCommandBuffer(builder,
                                  CreateCommand(builder, static_cast<Call>(250), event.Union()));
  return testing::copy_of(bytes_of(builder.GetBufferPointer(), builder.GetSize()));
}

std::string versions_text() {
  return absl::StrCat(
      "which this reader of format ", kVersionMajor, ".", kVersionMinor,
      " does not know; the file has format 1.99: a reader of that format is needed");
}

TEST(LaterVersionTest, AFileThatUsesNothingNewIsReadAsAnyOther) {
  FrameList frames(kVersionMajor, kLaterMinor);
  const uint64_t command = frames.add_command(event_create());
  frames.close(index_of(1, 0), {command});
  EXPECT_EQ(testing::open_and_verify(frames.content()), absl::OkStatus());
}

TEST(LaterVersionTest, AnUnknownMandatoryFrameStopsTheReaderWithTheNeededVersion) {
  for (const bool closed : {true, false}) {
    FrameList frames(kVersionMajor, kLaterMinor);
    const uint64_t command = frames.add_command(event_create());
    frames.add(kUnknownFrame, testing::bytes_of_text("new"));
    if (closed) frames.close(index_of(1, 0), {command});
    const absl::Status status =
        testing::open_and_verify(frames.content(), {.allow_incomplete = true});
    EXPECT_THAT(status, IsError(absl::StatusCode::kUnimplemented, "has type 200 and flags 0, "));
    EXPECT_THAT(std::string(status.message()), HasSubstr(versions_text()));
  }
}

TEST(LaterVersionTest, AnUnknownOptionalFrameIsSkipped) {
  FrameList frames(kVersionMajor, kLaterMinor);
  frames.add(kUnknownFrame, testing::bytes_of_text("new"), kFrameOptional);
  const uint64_t command = frames.add_command(event_create());
  frames.close(index_of(1, 0), {command});
  EXPECT_EQ(testing::open_and_verify(frames.content()), absl::OkStatus());
}

TEST(LaterVersionTest, AnUnknownCallStopsTheReaderWithTheNeededVersion) {
  FrameList frames(kVersionMajor, kLaterMinor);
  const uint64_t known = frames.add_command(event_create());
  const uint64_t unknown = frames.add(FrameType::Command, unknown_command());
  frames.close(index_of(2, 0), {known});
  const absl::Status status = testing::open_and_verify(frames.content());
  EXPECT_THAT(status, IsError(absl::StatusCode::kUnimplemented, "the call has number 250, "));
  EXPECT_THAT(
      std::string(status.message()),
      AllOf(HasSubstr(absl::StrCat("the frame at offset ", unknown)), HasSubstr(versions_text())));
  const auto file = testing::opened(frames.content());
  EXPECT_TRUE(file->command(0).ok());
  EXPECT_THAT(file->command(1).status(),
              IsError(absl::StatusCode::kUnimplemented, "a reader of that format is needed"));
}

// Nothing newer would know it either.
TEST(LaterVersionTest, AnUnknownCallInAFileOfThisVersionNeedsNoNewerReader) {
  FrameList frames(kVersionMajor, kVersionMinor);
  const uint64_t unknown = frames.add(FrameType::Command, unknown_command());
  frames.close(index_of(1, 0), {unknown});
  EXPECT_THAT(std::string(testing::open_and_verify(frames.content()).message()),
              AllOf(HasSubstr("the call has number 250"), ::testing::Not(HasSubstr("needed"))));
}

}  // namespace
}  // namespace lightmetal::schema
