// What a program leaves behind that dies, or whose disk fills up, while it is captured.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include "process.h"
#include "schema/repair.h"
#include "schema/verify.h"

namespace lightmetal {
namespace {

using std::chrono::microseconds;
using std::chrono::steady_clock;
using ::testing::HasSubstr;
using testing::ProcessResult;
using testing::run_process;
using testing::TemporaryFolder;

constexpr char kProgram[] = LIGHTMETAL_BIN_FOLDER "/matmul_multi_core";
constexpr char kRunner[] = LIGHTMETAL_BIN_FOLDER "/lightmetal_runner";

// Starts the program with its capture in `file` and its output thrown away. `limit` bounds the size
// of what it writes; 0: nothing does.
pid_t start_captured(const std::string& file, uint64_t limit = 0) {
  const pid_t child = fork();
  if (child != 0) return child;
  setenv("LIGHTMETAL_CAPTURE", file.c_str(), 1);
  if (limit != 0) {
    const rlimit most = {limit, limit};
    setrlimit(RLIMIT_FSIZE, &most);
  }
  const std::string errors = file + ".errors";
  if (std::freopen("/dev/null", "w", stdout) == nullptr ||
      std::freopen(errors.c_str(), "w", stderr) == nullptr) {
    _exit(126);
  }
  execl(kProgram, kProgram, nullptr);
  _exit(127);
}

int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

// Until the file has `size` bytes or the program has ended.
void wait_for_size(pid_t child, const std::string& path, uint64_t size) {
  while (true) {
    std::error_code missing;
    const uint64_t now = std::filesystem::file_size(path, missing);
    if (!missing && now >= size) return;
    siginfo_t ended = {};
    if (waitid(P_PID, child, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid == child) {
      return;
    }
    std::this_thread::sleep_for(microseconds(20));
  }
}

// A whole file, or the whole part of it in `repaired`; null when not even a session is there.
std::shared_ptr<const schema::File> whole_or_repaired(const std::string& path,
                                                      const std::string& repaired) {
  const auto file = schema::File::open(path);
  if (!file.ok()) return nullptr;
  if (schema::verify(**file).ok()) return *file;
  auto sink = schema::FileSink::create(repaired);
  EXPECT_TRUE(sink.ok()) << sink.status();
  const auto report = schema::repair(**file, *std::move(sink));
  EXPECT_TRUE(report.ok()) << report.status();
  EXPECT_NE(report->reason, "");
  auto opened = schema::File::open(repaired);
  EXPECT_TRUE(opened.ok()) << opened.status();
  return opened.ok() ? *opened : nullptr;
}

class CrashTest : public ::testing::Test {
 protected:
  // The file of a run that ends well; its kernels are in the cache from then on.
  void SetUp() override {
    ASSERT_EQ(wait_for(start_captured(whole_)), 0);
    const auto before = steady_clock::now();
    ASSERT_EQ(wait_for(start_captured(whole_)), 0);
    duration_ = std::chrono::duration_cast<microseconds>(steady_clock::now() - before);
  }

  void expect_replays(const schema::File& file) {
    const absl::Status status = schema::verify(file);
    EXPECT_TRUE(status.ok()) << status;
    const ProcessResult result = run_process({kRunner, file.name()});
    EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  }

  TemporaryFolder folder_;
  const std::string whole_ = folder_.path("whole.lmb");
  microseconds duration_{0};
};

TEST_F(CrashTest, AKilledCaptureIsWholeOrRepairsToAPrefixThatReplays) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  // In the file and, for the time between two records, behind that.
  std::uniform_int_distribution<uint64_t> size(0, std::filesystem::file_size(whole_));
  std::uniform_int_distribution<int64_t> pause(0, duration_.count() / 20);
  uint32_t prefixes = 0;
  for (int i = 0; i < LIGHTMETAL_CRASHES; ++i) {
    const std::string path = folder_.path("killed.lmb");
    std::filesystem::remove(path);
    const pid_t child = start_captured(path);
    wait_for_size(child, path, size(random));
    std::this_thread::sleep_for(microseconds(pause(random)));
    kill(child, SIGKILL);
    wait_for(child);
    const auto file = whole_or_repaired(path, folder_.path("repaired.lmb"));
    if (file == nullptr) {  // It died before the file had its session, its first 0x58 bytes or so.
      EXPECT_LT(std::filesystem::exists(path) ? std::filesystem::file_size(path) : 0, 0x100u);
      continue;
    }
    prefixes += file->name() != path ? 1 : 0;
    expect_replays(*file);
  }
  EXPECT_GT(prefixes, 0u) << "no capture was cut short, so nothing was shown";
}

TEST_F(CrashTest, AFullDiskHarmsNoProgramAndTheFileSaysIncomplete) {
  constexpr uint64_t kLeast = 256 << 10;  // so that the program can still load its kernels
  const uint64_t size = std::filesystem::file_size(whole_);
  for (uint64_t i = 0; i < LIGHTMETAL_FULL_DISKS; ++i) {
    const uint64_t limit = kLeast + (size - kLeast - 1) * i / LIGHTMETAL_FULL_DISKS;
    SCOPED_TRACE(::testing::Message() << "full after " << limit << " of " << size << " bytes");
    const std::string path = folder_.path("full.lmb");
    EXPECT_EQ(wait_for(start_captured(path, limit)), 0);
    EXPECT_THAT(testing::read_file(path + ".errors"), HasSubstr("File too large"));
    const auto file = schema::File::open(path);
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_FALSE((*file)->complete());
    EXPECT_EQ(run_process({kRunner, path}).exit_code, 2);
    const auto repaired = whole_or_repaired(path, folder_.path("repaired.lmb"));
    ASSERT_NE(repaired, nullptr);
    expect_replays(*repaired);
  }
}

TEST_F(CrashTest, RepairIsAVerbThatSaysWhatItDropped) {
  const std::string cut = folder_.path("cut.lmb");
  std::string bytes = testing::read_file(whole_);
  testing::write_file(cut, bytes.substr(0, bytes.size() / 2));
  const ProcessResult result =
      run_process({kRunner, "repair", cut, "-o", folder_.path("repaired.lmb")});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr(" bytes dropped: it was not closed; whole frames up to"));
  const auto file = schema::File::open(folder_.path("repaired.lmb"));
  ASSERT_TRUE(file.ok()) << file.status();
  expect_replays(**file);
  const ProcessResult info = run_process({kRunner, "info", folder_.path("repaired.lmb")});
  EXPECT_THAT(info.output, HasSubstr("repaired"));
}

TEST_F(CrashTest, RepairKeepsWhatLiesBeforeADamagedByte) {
  const auto good = schema::File::open(whole_);
  ASSERT_TRUE(good.ok()) << good.status();
  std::string bytes = testing::read_file(whole_);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  testing::write_file(folder_.path("damaged.lmb"), bytes);
  const auto file = whole_or_repaired(folder_.path("damaged.lmb"), folder_.path("repaired.lmb"));
  ASSERT_NE(file, nullptr);
  EXPECT_LT(file->num_commands(), (*good)->num_commands());
  EXPECT_GT(file->num_commands(), 0u);
  expect_replays(*file);
}

TEST_F(CrashTest, RepairOfAWholeFileChangesNothing) {
  const ProcessResult result =
      run_process({kRunner, "repair", whole_, "-o", folder_.path("repaired.lmb")});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("the file was whole"));
  EXPECT_EQ(testing::read_file(folder_.path("repaired.lmb")), testing::read_file(whole_));
}

TEST_F(CrashTest, RepairDoesNotWriteOverItsInput) {
  const std::string before = testing::read_file(whole_);
  const ProcessResult result = run_process({kRunner, "repair", whole_, "-o", whole_});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("is FILE itself"));
  EXPECT_EQ(testing::read_file(whole_), before);
}

TEST_F(CrashTest, AProgramThatIsStartedByACapturedOneDoesNotTouchItsFile) {
  const std::string path = folder_.path("shared.lmb");
  auto parent = schema::FileSink::create(path);  // stands for the capture of the parent
  ASSERT_TRUE(parent.ok()) << parent.status();
  const std::string text = "what the parent wrote";
  ASSERT_TRUE((*parent)->append({bytes_of(text.data(), text.size())}).ok());
  EXPECT_EQ(wait_for(start_captured(path)), 0);
  EXPECT_THAT(testing::read_file(path + ".errors"), HasSubstr("another capture is writing to it"));
  EXPECT_EQ(testing::read_file(path), text);
}

}  // namespace
}  // namespace lightmetal
