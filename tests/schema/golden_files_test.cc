// Files of released versions, tests/golden/VERSION/*.lmb: they open, verify and replay for ever.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <lightmetal/replay.hpp>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "schema/show/info.h"
#include "schema/storage/memory_sink.h"
#include "schema/verify/repair.h"
#include "schema/verify/verify.h"

namespace lightmetal {
namespace {

using ::testing::HasSubstr;

namespace fs = std::filesystem;

constexpr char kGolden[] = LIGHTMETAL_GOLDEN_DIR;
constexpr char kRecordedFolder[] = "/tmp/golden";

struct GoldenFile {
  fs::path path;

  std::string version() const { return path.parent_path().filename().string(); }
  // Of a capture that was killed, by its name.
  bool incomplete() const { return path.stem().string().starts_with("killed"); }
  // With the key beside the file, if there is one.
  LoadOptions load_options() const {
    LoadOptions options{.allow_incomplete = incomplete(), .references = references()};
    std::ifstream key(fs::path(path).replace_extension(".pub"));
    if (key)
      options.required_keys.emplace_back(std::istreambuf_iterator<char>(key),
                                         std::istreambuf_iterator<char>());
    return options;
  }
  // Payloads that lay in a file in kRecordedFolder lie beside this one.
  ReferenceOptions references() const {
    return {.remap = {{kRecordedFolder, path.parent_path().string()}}};
  }

  friend void PrintTo(const GoldenFile& file, std::ostream* out) { *out << file.path; }
};

std::vector<GoldenFile> golden_files() {
  std::vector<GoldenFile> files;
  for (const auto& entry : fs::recursive_directory_iterator(kGolden)) {
    if (entry.path().extension() == ".lmb") files.push_back({entry.path()});
  }
  std::sort(files.begin(), files.end(),
            [](const GoldenFile& a, const GoldenFile& b) { return a.path < b.path; });
  return files;
}

// Whether its kernels, which are for x86-64-v2, the oldest that kernels are compiled for, run here.
// There is nothing in them that newer processors do not have.
constexpr bool can_run() {
#if defined(__x86_64__)
  return true;
#else
  return false;
#endif
}

ReplayResult run(const absl::StatusOr<std::unique_ptr<Replay>>& replay) {
  EXPECT_TRUE(replay.ok()) << replay.status();
  if (!replay.ok()) return {};
  const auto result = (*replay)->run();
  EXPECT_TRUE(result.ok()) << result.status();
  if (!result.ok()) return {};
  for (const GoldenResult& mismatch : result->mismatches) ADD_FAILURE() << mismatch.text();
  return *result;
}

class GoldenFiles : public ::testing::TestWithParam<GoldenFile> {
 protected:
  std::shared_ptr<const schema::File> open() {
    auto file = schema::File::open(GetParam().path.string());
    EXPECT_TRUE(file.ok()) << file.status();
    return file.value_or(nullptr);
  }
};

TEST_P(GoldenFiles, SaysItsVersion) {
  const auto file = open();
  ASSERT_NE(file, nullptr);
  const schema::SessionInfo& session = file->session();
  EXPECT_EQ(std::to_string(session.version_major) + "." + std::to_string(session.version_minor),
            GetParam().version());
  EXPECT_TRUE(schema::info_text(*file).ok());
  EXPECT_TRUE(schema::info_json(*file).ok());
}

TEST_P(GoldenFiles, Verifies) {
  const auto file = open();
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(file->complete(), !GetParam().incomplete());
  EXPECT_EQ(schema::verify(*file).ok(), !GetParam().incomplete());
  EXPECT_EQ(schema::verify(*file, nullptr, {.allow_incomplete = true}), absl::OkStatus());
}

TEST_P(GoldenFiles, ReplaysAndReadsWhatWasRecorded) {
  if (!can_run()) GTEST_SKIP() << "the kernels in the file are for x86-64";
  const ReplayResult result =
      run(Replay::load_file(GetParam().path.string(), GetParam().load_options()));
  EXPECT_TRUE(result.goldens_checked > 0 || GetParam().path.stem() == "killed");  // before a read
  EXPECT_GT(result.commands, 0u);
}

TEST_P(GoldenFiles, IsRepairedToAFileThatReplays) {
  if (!can_run()) GTEST_SKIP() << "the kernels in the file are for x86-64";
  const auto file = open();
  ASSERT_NE(file, nullptr);
  auto sink = std::make_shared<schema::MemorySink>();
  const auto report = schema::repair(*file, sink);
  ASSERT_TRUE(report.ok()) << report.status();
  const auto repaired = schema::File::from_bytes(sink->take(), "the repaired file",
                                                 {.references = GetParam().references()});
  ASSERT_TRUE(repaired.ok()) << repaired.status();
  EXPECT_EQ(schema::verify(**repaired), absl::OkStatus());
  EXPECT_EQ((*repaired)->num_commands(), file->num_commands());
  const ReplayResult before =
      run(Replay::load_file(GetParam().path.string(), GetParam().load_options()));
  const ReplayResult after = run(Replay::load(*repaired));
  EXPECT_EQ(after.commands, before.commands);
  EXPECT_EQ(after.goldens_checked, before.goldens_checked);
}

INSTANTIATE_TEST_SUITE_P(All, GoldenFiles, ::testing::ValuesIn(golden_files()),
                         [](const auto& info) {
                           std::string name =
                               info.param.version() + "_" + info.param.path.stem().string();
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return !isalnum(c); }, '_');
                           return name;
                         });

// Each says what it holds: an incomplete one, and one line for every file.
TEST(GoldenFolders, HaveAnIncompleteFileAndALineForEveryFile) {
  size_t folders = 0;
  for (const auto& folder : fs::directory_iterator(kGolden)) {
    if (!folder.is_directory()) continue;
    ++folders;
    std::ifstream in(folder.path() / "README.md");
    const std::string readme((std::istreambuf_iterator<char>(in)),
                             std::istreambuf_iterator<char>());
    uint64_t size = 0, incomplete = 0;
    for (const GoldenFile& file : golden_files()) {
      if (file.path.parent_path() != folder.path()) continue;
      EXPECT_THAT(readme, HasSubstr("`" + file.path.filename().string() + "`"));
      size += fs::file_size(file.path);
      incomplete += file.incomplete();
    }
    EXPECT_GE(incomplete, 1u) << folder.path();
    EXPECT_LT(size, 1u << 20) << folder.path() << " has grown too large to be kept";
  }
  EXPECT_GE(folders, 2u);
}

}  // namespace
}  // namespace lightmetal
