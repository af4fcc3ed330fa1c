// Captures whose file has no room or no place: the program does not notice.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>

#include "tests/capture/crash_kit.h"
#include "tests/support/small_disk.h"

namespace lightmetal {
namespace {

using testing::expect_replays;
using ::testing::HasSubstr;
using testing::opened;
using testing::ProcessResult;
using testing::run_child;
using testing::run_process;
using testing::TemporaryFolder;
using testing::write_file;

void expect_unharmed(const ProcessResult& captured) {
  static const ProcessResult& plain = *new ProcessResult(run_child("nothing", ""));
  EXPECT_EQ(captured.exit_code, 0);
  EXPECT_EQ(captured.output, plain.output);
}

void expect_one_line(const ProcessResult& captured, const std::string& reason) {
  EXPECT_THAT(captured.errors, HasSubstr(reason));
  EXPECT_EQ(std::count(captured.errors.begin(), captured.errors.end(), '\n'), 1);
}

// In a child process, which ends with the test.
void unlink_when_there(const std::string& file) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int i = 0; i < 60'000 && unlink(file.c_str()) != 0; ++i) usleep(1000);
}

// In a child process: reads a little and goes away.
void read_a_byte(const std::string& pipe) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  char byte = 0;
  const int file = open(pipe.c_str(), O_RDONLY | O_CLOEXEC);
  _exit(read(file, &byte, 1) == 1 ? 0 : 1);
}

class DiskTest : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
};

constexpr int kNoMount = 77;
constexpr char kRoundsOnDisk[] = "100";  // so that the file has more pages than disks are tried

// In a child process: captures a run to a file system in memory of `pages` pages and leaves the
// file and the run's output and exit code in `folder`.
[[noreturn]] void run_on_small_disk(const std::string& folder, uint64_t pages) {
  const std::string disk = folder + "/disk";
  if (!testing::mount_small_disk(disk, pages * 4096)) _exit(kNoMount);
  const ProcessResult result = run_child("nothing", disk + "/full.lmb", {}, kRoundsOnDisk);
  write_file(folder + "/output", result.output);
  write_file(folder + "/errors", result.errors);
  std::error_code error;
  std::filesystem::copy_file(disk + "/full.lmb", folder + "/full.lmb",
                             std::filesystem::copy_options::overwrite_existing, error);
  _exit(error ? 78 : result.exit_code);
}

// Its exit code.
int on_small_disk(const std::string& folder, uint64_t pages) {
  const pid_t child = fork();
  if (child == 0) run_on_small_disk(folder, pages);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(DiskTest, ADiskThatIsFullAtAnyPlaceHarmsNoProgramAndTheFileIsAPrefix) {
  std::filesystem::create_directory(folder_.path("disk"));
  const ProcessResult plain = run_child("nothing", "", {}, kRoundsOnDisk);
  run_child("nothing", folder_.path("whole.lmb"), {}, kRoundsOnDisk);
  const uint64_t pages = std::filesystem::file_size(folder_.path("whole.lmb")) / 4096;
  ASSERT_GT(pages, uint64_t{LIGHTMETAL_FULL_DISKS});
  for (uint64_t i = 0; i < LIGHTMETAL_FULL_DISKS; ++i) {
    const uint64_t room = 1 + (pages - 1) * i / LIGHTMETAL_FULL_DISKS;
    SCOPED_TRACE(::testing::Message() << "full after " << room << " of " << pages << " pages");
    const int exit_code = on_small_disk(folder_.path(), room);
    if (exit_code == kNoMount) GTEST_SKIP() << testing::kNoSmallDisk;
    EXPECT_EQ(exit_code, 0);
    EXPECT_EQ(testing::read_file(folder_.path("output")), plain.output);
    EXPECT_THAT(testing::read_file(folder_.path("errors")), HasSubstr("No space left on device"));
    const auto file = opened(folder_.path("full.lmb"));
    ASSERT_NE(file, nullptr);
    EXPECT_FALSE(file->complete());
    const std::string repaired = folder_.path("repaired.lmb");
    EXPECT_EQ(run_process({testing::kRunner, "repair", file->name(), "-o", repaired}).exit_code, 0);
    const ProcessResult replay = run_process({testing::kRunner, repaired});
    EXPECT_EQ(replay.exit_code, 0) << replay.errors;
  }
}

TEST_F(DiskTest, AFileThatIsRemovedWhileItIsWrittenHarmsNoProgram) {
  const std::string file = folder_.path("removed.lmb");
  const pid_t remover = fork();
  if (remover == 0) {
    unlink_when_there(file);
    _exit(0);
  }
  const ProcessResult captured = run_child("nothing", file, {}, "400");
  waitpid(remover, nullptr, 0);
  EXPECT_EQ(captured.exit_code, 0);
  EXPECT_EQ(captured.errors, "");
  EXPECT_EQ(captured.output, run_child("nothing", "", {}, "400").output);
}

TEST_F(DiskTest, AFolderThatIsRemovedWhileTheFileIsWrittenHarmsNoProgram) {
  const std::string folder = folder_.path("gone");
  std::filesystem::create_directory(folder);
  const pid_t remover = fork();
  if (remover == 0) {
    unlink_when_there(folder + "/a.lmb");
    _exit(rmdir(folder.c_str()));
  }
  const ProcessResult captured = run_child("nothing", folder + "/a.lmb", {}, "400");
  int status = 0;
  waitpid(remover, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(captured.exit_code, 0);
  EXPECT_EQ(captured.output, run_child("nothing", "", {}, "400").output);
}

// More is written than a pipe holds, so that some of it comes after the reader's end.
TEST_F(DiskTest, APipeWhoseReaderGoesAwayHarmsNoProgram) {
  const std::string pipe = folder_.path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const pid_t reader = fork();
  if (reader == 0) read_a_byte(pipe);
  const ProcessResult captured = run_child("nothing", pipe);
  int status = 0;
  waitpid(reader, &status, 0);
  EXPECT_EQ(status, 0);
  expect_unharmed(captured);
  expect_one_line(captured, "Broken pipe");
}

TEST_F(DiskTest, APipeThatNobodyReadsHarmsNoProgramAndIsOneLine) {
  const std::string pipe = folder_.path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const ProcessResult captured = run_child("nothing", pipe);
  expect_unharmed(captured);
  expect_one_line(captured, "nobody reads it");
}

TEST_F(DiskTest, APipeWhoseReaderTakesNothingHarmsNoProgramAndIsOneLine) {
  const std::string pipe = folder_.path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  const ProcessResult captured = run_child("nothing", pipe);
  close(reader);
  expect_unharmed(captured);
  expect_one_line(captured, "Connection timed out");
}

TEST_F(DiskTest, AFileSizeLimitThatComesLateHarmsNoProgram) {
  const ProcessResult captured = run_child("file size limit", folder_.path("limited.lmb"));
  EXPECT_EQ(captured.exit_code, 0);
  EXPECT_EQ(captured.output, run_child("file size limit", "").output);
  expect_one_line(captured, "File too large");
}

TEST_F(DiskTest, AFolderThatIsNotThereIsOneLine) {
  const ProcessResult captured = run_child("nothing", folder_.path("no/file.lmb"));
  expect_unharmed(captured);
  expect_one_line(captured, "did not begin: cannot create " + folder_.path("no/file.lmb") +
                                ": No such file or directory");
}

TEST_F(DiskTest, APathThatIsAFolderIsOneLine) {
  const ProcessResult captured = run_child("nothing", folder_.path());
  expect_unharmed(captured);
  expect_one_line(captured, "Is a directory");
}

TEST_F(DiskTest, ADeviceThatTakesNothingIsOneLine) {
  const ProcessResult captured = run_child("nothing", "/dev/full");
  expect_unharmed(captured);
  expect_one_line(captured, "No space left on device");
}

TEST_F(DiskTest, AFolderThatMayNotBeWrittenIsOneLine) {
  if (geteuid() == 0) {
    // Root may write everywhere but to what the kernel keeps for itself.
    const ProcessResult captured = run_child("nothing", "/proc/self/captured.lmb");
    expect_unharmed(captured);
    return expect_one_line(captured, "cannot create");
  }
  std::filesystem::permissions(
      folder_.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  const ProcessResult captured = run_child("nothing", folder_.path("file.lmb"));
  std::filesystem::permissions(folder_.path(), std::filesystem::perms::owner_all);
  expect_unharmed(captured);
  expect_one_line(captured, "Permission denied");
}

}  // namespace
}  // namespace lightmetal
