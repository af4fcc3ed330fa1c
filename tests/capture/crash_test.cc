// What a program leaves behind that dies, or whose disk fills up, while it is captured.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "schema/verify/repair.h"
#include "schema/verify/verify.h"
#include "tests/capture/crash_kit.h"

namespace lightmetal {
namespace {

using std::chrono::microseconds;
using ::testing::HasSubstr;
using testing::kRunner;
using testing::ProcessResult;
using testing::run_process;
using testing::TemporaryFolder;

constexpr char kProgram[] = "matmul_multi_core";

// Starts the program with its capture in `file` and its output thrown away. `limit`: of the size of
// what it writes; 0: there is none.
pid_t start_captured(const std::string& program, const std::string& file, uint64_t limit = 0) {
  const pid_t child = fork();
  if (child != 0) return child;
  setenv("LIGHTMETAL_CAPTURE", file.c_str(), 1);
  setenv("LIGHTMETAL_CAPTURE_ORIGIN", "0", 1);  // so that runs are alike
  if (limit != 0) {
    const rlimit most = {limit, limit};
    setrlimit(RLIMIT_FSIZE, &most);
  }
  const std::string errors = file + ".errors";
  if (std::freopen("/dev/null", "w", stdout) == nullptr ||
      std::freopen(errors.c_str(), "w", stderr) == nullptr) {
    _exit(126);
  }
  const std::string path = LIGHTMETAL_BIN_FOLDER "/" + program;
  execl(path.c_str(), path.c_str(), nullptr);
  _exit(127);
}

int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return status;
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

void expect_replays(const schema::File& file) {
  const absl::Status status = schema::verify(file);
  EXPECT_TRUE(status.ok()) << status;
  const ProcessResult result = run_process({kRunner, file.name()});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
}

// The commands as they lie in the file, as far as they lie before `end`.
std::vector<Bytes> commands_before(const schema::File& file, uint64_t end) {
  std::vector<Bytes> commands;
  const absl::Status status = file.for_each_command([&](const schema::CommandView& view) {
    const auto frame = file.frame_at(view.offset);
    if (frame.ok() && frame->end <= end) commands.push_back(frame->payload);
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  return commands;
}

class KilledCapture : public ::testing::TestWithParam<const char*> {
 protected:
  // The file of a run that ends well; its kernels are in the cache from then on.
  void SetUp() override {
    ASSERT_EQ(wait_for(start_captured(GetParam(), whole_)), 0);
    whole_bytes_ = testing::read_file(whole_);
    whole_file_ = *schema::File::open(whole_);
  }

  // Where the frames of the whole file begin.
  std::vector<uint64_t> frames() const {
    std::vector<uint64_t> offsets;
    for (uint64_t at = schema::File::frames_begin(); at < whole_file_->frames_end();) {
      offsets.push_back(at);
      at = whole_file_->frame_at(at)->end;
    }
    return offsets;
  }

  // True when the first word of the frame is there.
  bool has_begun(uint64_t frame) const {
    uint64_t word = 0;
    std::ifstream file(killed_, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(frame));
    return file.read(reinterpret_cast<char*>(&word), sizeof(word)) && word != 0;
  }

  // Kills the program as soon as the frame is seen in its file, or so much later. Records go to the
  // file by stores, so no system call says when one is made.
  void kill_captured(uint64_t frame, microseconds pause) {
    std::filesystem::remove(killed_);
    const pid_t started = start_captured(GetParam(), killed_);
    while (!has_begun(frame)) {
      if (waitpid(started, nullptr, WNOHANG) != 0) return;  // it has ended
      std::this_thread::sleep_for(microseconds(10));
    }
    std::this_thread::sleep_for(pause);
    kill(started, SIGKILL);
    wait_for(started);
  }

  // Every byte is the whole file's or was not written yet, and repair keeps each command that is
  // whole. Returns where the whole frames end; 0 without a session.
  uint64_t expect_beginning_that_replays() {
    const auto killed = schema::File::open(killed_);
    if (!killed.ok()) return 0;
    const uint64_t end = (*killed)->frames_end();
    const std::string bytes = testing::read_file(killed_);
    EXPECT_EQ(bytes.compare(0, end, whole_bytes_, 0, end), 0);
    EXPECT_TRUE(is_written_so_far(bytes));
    const auto file = whole_or_repaired(killed_, folder_.path("repaired.lmb"));
    if (file == nullptr) return 0;
    EXPECT_TRUE(commands_before(*file, UINT64_MAX) == commands_before(*whole_file_, end));
    expect_replays(*file);
    return end;
  }

  bool is_written_so_far(const std::string& bytes) const {
    for (size_t i = 0; i < bytes.size(); ++i) {
      const char whole = i < whole_bytes_.size() ? whole_bytes_[i] : '\0';
      if (bytes[i] != 0 && bytes[i] != whole) return false;
    }
    return true;
  }

  TemporaryFolder folder_;
  const std::string whole_ = folder_.path("whole.lmb");
  const std::string killed_ = folder_.path("killed.lmb");
  std::string whole_bytes_;
  std::shared_ptr<const schema::File> whole_file_;
};

TEST_P(KilledCapture, IsWholeOrRepairsToAPrefixThatReplays) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  const std::vector<uint64_t> frames = this->frames();
  std::uniform_int_distribution<size_t> frame(0, frames.size() - 1);
  std::uniform_int_distribution<int64_t> pause(1, 300);
  // Most frames are written in bursts, which end before the kill comes, the more so on a busy
  // machine.
  const size_t enough = std::min<size_t>(LIGHTMETAL_CRASHES / 8, frames.size() / 16);
  std::set<uint64_t> ends;
  int without_session = 0;
  int kills = 0;
  for (; kills < LIGHTMETAL_CRASHES || (ends.size() < enough && kills < 4 * LIGHTMETAL_CRASHES);
       ++kills) {
    const uint64_t offset = frames[frame(random)];
    // Some a few records later.
    const microseconds later(kills % 4 == 0 ? pause(random) : 0);
    SCOPED_TRACE(::testing::Message()
                 << "frame at " << offset << " and " << later.count() << " us");
    kill_captured(offset, later);
    const uint64_t end = expect_beginning_that_replays();
    ends.insert(end);
    without_session += end == 0;
  }
  std::cout << kills << " kills, " << ends.size() << " ends in " << frames.size() << " frames, "
            << without_session << " without a session\n";
  EXPECT_GE(ends.size(), enough) << "too few moments, so little was shown";
  EXPECT_LE(without_session, 1 + kills / 20);
}

INSTANTIATE_TEST_SUITE_P(, KilledCapture,
                         ::testing::Values("matmul_multi_core", "transformer_block"),
                         [](const auto& info) { return std::string(info.param); });

class CrashTest : public ::testing::Test {
 protected:
  // The file of a run that ends well; its kernels are in the cache from then on.
  void SetUp() override { ASSERT_EQ(wait_for(start_captured(kProgram, whole_)), 0); }

  TemporaryFolder folder_;
  const std::string whole_ = folder_.path("whole.lmb");
};

TEST_F(CrashTest, AFullDiskHarmsNoProgramAndTheFileSaysIncomplete) {
  constexpr uint64_t kLeast = 256 << 10;  // so that the program can still load its kernels
  const uint64_t size = std::filesystem::file_size(whole_);
  for (uint64_t i = 0; i < LIGHTMETAL_FULL_DISKS; ++i) {
    const uint64_t limit = kLeast + (size - kLeast - 1) * i / LIGHTMETAL_FULL_DISKS;
    SCOPED_TRACE(::testing::Message() << "full after " << limit << " of " << size << " bytes");
    const std::string path = folder_.path("full.lmb");
    EXPECT_EQ(wait_for(start_captured(kProgram, path, limit)), 0);
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
  EXPECT_THAT(result.errors, HasSubstr("is an input"));
  EXPECT_EQ(testing::read_file(whole_), before);
}

TEST_F(CrashTest, AProgramThatIsStartedByACapturedOneDoesNotTouchItsFile) {
  const std::string path = folder_.path("shared.lmb");
  auto parent = schema::FileSink::create(path);  // stands for the capture of the parent
  ASSERT_TRUE(parent.ok()) << parent.status();
  const std::string text = "what the parent wrote";
  ASSERT_TRUE((*parent)->append({bytes_of(text.data(), text.size())}).ok());
  EXPECT_EQ(wait_for(start_captured(kProgram, path)), 0);
  EXPECT_THAT(testing::read_file(path + ".errors"), HasSubstr("another capture is writing to it"));
  EXPECT_EQ(testing::read_file(path), text);
}

}  // namespace
}  // namespace lightmetal
