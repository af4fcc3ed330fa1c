// Files that are written through memory: schema/storage/mapped_sink.h.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <system_error>

#include "schema/storage/mapped_sink.h"
#include "schema/storage/memory_sink.h"
#include "schema/storage/room.h"
#include "tests/schema/schema_testing.h"
#include "tests/support/descriptors.h"

namespace lightmetal::schema {
namespace {

using lightmetal::testing::close_descriptors_of;
using testing::Content;
using ::testing::HasSubstr;
using testing::IsError;
using testing::path_for;

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class MappedSinkTest : public ::testing::Test {
 protected:
  MappedSinkTest() { open(); }
  ~MappedSinkTest() override { std::filesystem::remove(path_); }

  void open() {
    auto sink = MappedSink::create(path_);
    ASSERT_TRUE(sink.ok()) << sink.status();
    sink_ = *std::move(sink);
  }

  absl::Status append(const std::string& record) {
    const size_t half = record.size() / 2;
    written_ += record;
    return sink_->append(
        {bytes_of(record.data(), half), bytes_of(record.data() + half, record.size() - half)});
  }

  const std::string path_ = path_for(
      ::testing::UnitTest::GetInstance()->current_test_info()->name() + std::string(".lmb"));
  std::unique_ptr<MappedSink> sink_;
  std::string written_;
};

TEST_F(MappedSinkTest, RecordsOfAllSizesLieOneBehindTheOther) {
  std::mt19937 random(1);
  std::uniform_int_distribution<size_t> small(0, 3000), large(0, 300'000);
  std::uniform_int_distribution<int> kind(0, 9), byte(0, 255);
  for (int i = 0; i < 500; ++i) {
    std::string record(kind(random) == 0 ? large(random) : small(random), '\0');
    for (char& value : record) value = static_cast<char>(byte(random));
    ASSERT_TRUE(append(record).ok());
    ASSERT_EQ(sink_->size(), written_.size());
  }
  ASSERT_TRUE(sink_->close().ok());
  EXPECT_TRUE(text_of(path_) == written_);
}

TEST_F(MappedSinkTest, WhatIsAppendedIsInTheFileAtOnceAndRoomBehindIt) {
  ASSERT_TRUE(append("a record").ok());
  const std::string text = text_of(path_);
  EXPECT_TRUE(text.starts_with(written_));
  EXPECT_EQ(room_at_end(bytes_of(text.data(), text.size()), written_.size()),
            text.size() - written_.size());
}

TEST_F(MappedSinkTest, RoomIsNeverMoreThanReadersTakeForIt) {
  const std::string small(80, 'x'), large(MappedSink::kWritten - 8, 'x');
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_TRUE(append(i % 1000 == 0 ? large : small).ok());
    if (i % 50 == 0) {
      ASSERT_LE(std::filesystem::file_size(path_) - sink_->size(), kMostRoom);
    }
  }
}

bool is_mapped(const std::string& path) {
  return text_of("/proc/self/maps").find(path) != std::string::npos;
}

TEST_F(MappedSinkTest, SmallRecordsAreStoredWithoutASystemCall) {
  ASSERT_TRUE(append("a record").ok());
  EXPECT_TRUE(is_mapped(std::filesystem::canonical(path_)));
  // Only a store gets into a file whose descriptors are gone.
  const int file = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  close_descriptors_of(path_);
  ASSERT_TRUE(append("another").ok());
  EXPECT_TRUE(text_of(path_).starts_with(written_));
  ::close(file);
}

TEST_F(MappedSinkTest, WhatTheProgramWritesIntoAFileThatItHasCutShortStays) {
  ASSERT_TRUE(append("a record").ok());
  ASSERT_EQ(truncate(path_.c_str(), 0), 0);
  EXPECT_FALSE(append("another").ok());
  const std::string own(1 << 20, 'o');
  std::ofstream(path_, std::ios::binary) << own;
  EXPECT_FALSE(sink_->close().ok());
  EXPECT_TRUE(text_of(path_) == own);
}

// The first word of a frame is there when all of it is.
TEST(FileWindowTest, StoresTheFirstWordLast) {
  const std::string path = path_for("window.lmb");
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  std::ofstream(path, std::ios::binary) << std::string(2 * page, '\0');
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  FileWindow window;
  ASSERT_TRUE(window.map(file, 0, 2 * page));
  ASSERT_EQ(ftruncate(file, static_cast<off_t>(page)), 0);
  const std::string record(2 * page, 'x');
  EXPECT_FALSE(window.store(0, {bytes_of(record.data(), record.size())}));
  const std::string text = text_of(path);
  EXPECT_EQ(text.substr(0, 8), std::string(8, '\0'));
  EXPECT_EQ(text.substr(page / 4, page / 2), std::string(page / 2, 'x'));
  ::close(file);
  std::filesystem::remove(path);
}

// Descriptors and mappings of this process that lead to files without a name.
size_t uses_of_unnamed_files() {
  size_t uses = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    uses += std::filesystem::read_symlink(entry.path(), error).string().ends_with("(deleted)");
  }
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) uses += line.ends_with("(deleted)");
  return uses;
}

TEST(MemorySinkTest, AForkedChildLeavesTheFileOfALargeCaptureToItsParent) {
  const size_t before = uses_of_unnamed_files();
  MemorySink sink(/*limit=*/100);
  const std::string record(1000, 'x');
  ASSERT_TRUE(sink.append({bytes_of(record.data(), record.size())}).ok());
  ASSERT_GT(uses_of_unnamed_files(), before);
  sink.leave_to_parent();
  EXPECT_EQ(uses_of_unnamed_files(), before);
}

TEST_F(MappedSinkTest, AFileThatIsCutShortIsAnErrorThatStays) {
  ASSERT_TRUE(append("a record").ok());
  ASSERT_EQ(truncate(path_.c_str(), 0), 0);
  const auto cut_short = IsError(absl::StatusCode::kDataLoss, "it was cut short");
  EXPECT_THAT(append("another"), cut_short);
  EXPECT_THAT(append("another"), cut_short);
  EXPECT_THAT(sink_->close(), cut_short);
}

TEST_F(MappedSinkTest, AFileThatIsCutShortAndStoredToNoMoreIsAnErrorAtTheEnd) {
  ASSERT_TRUE(append("a record").ok());
  ASSERT_EQ(truncate(path_.c_str(), 0), 0);
  EXPECT_THAT(sink_->close(), IsError(absl::StatusCode::kDataLoss, "it was cut short"));
}

// As a thread does that leaves signals to others.
TEST_F(MappedSinkTest, AThreadThatBlocksTheSignalWritesInsteadOfStoring) {
  ASSERT_TRUE(append("a record").ok());
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  usleep(20'000);  // for the next look at the mask
  EXPECT_FALSE(FileWindow::may_store());
  EXPECT_TRUE(append("another").ok());
  ASSERT_EQ(truncate(path_.c_str(), 0), 0);
  EXPECT_FALSE(append("lost").ok());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST_F(MappedSinkTest, AHandlerOfTheProgramsComesFirstAndNothingIsStoredUntilItIsGone) {
  ASSERT_TRUE(append("a record").ok());
  struct sigaction own = {}, before = {};
  own.sa_handler = [](int) {};
  sigaction(SIGBUS, &own, &before);
  usleep(20'000);
  EXPECT_FALSE(FileWindow::may_store());
  EXPECT_TRUE(append("another").ok());
  sigaction(SIGBUS, &before, nullptr);
  usleep(20'000);
  EXPECT_TRUE(FileWindow::may_store());
  EXPECT_TRUE(append("a third").ok());
  ASSERT_TRUE(sink_->close().ok());
  EXPECT_EQ(text_of(path_), written_);
}

TEST_F(MappedSinkTest, TheHandlerIsGoneWithTheSink) {
  struct sigaction with = {}, without = {};
  sigaction(SIGBUS, nullptr, &with);
  sink_.reset();
  sigaction(SIGBUS, nullptr, &without);
  EXPECT_NE(with.sa_handler, without.sa_handler);
}

TEST_F(MappedSinkTest, AClosedDescriptorIsOpenedAgainAndStaysLocked) {
  ASSERT_TRUE(append("a record").ok());
  close_descriptors_of(path_);
  ASSERT_TRUE(append(std::string(1 << 20, 'x')).ok());
  EXPECT_TRUE(absl::IsAlreadyExists(MappedSink::create(path_).status()));
  ASSERT_TRUE(append("a third").ok());
  ASSERT_TRUE(sink_->close().ok());
  EXPECT_TRUE(text_of(path_) == written_);
}

TEST_F(MappedSinkTest, AForkedChildLeavesTheLockToItsParent) {
  ASSERT_TRUE(append("a record").ok());
  const pid_t child = fork();
  if (child == 0) {
    sink_->leave_to_parent();
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(absl::IsAlreadyExists(MappedSink::create(path_).status()));
  ASSERT_TRUE(append("another").ok());
  ASSERT_TRUE(sink_->close().ok());
  EXPECT_EQ(text_of(path_), written_);
}

TEST_F(MappedSinkTest, AFileThatIsMovedAwayAndClosedIsAnError) {
  ASSERT_TRUE(append("a record").ok());
  std::filesystem::rename(path_, path_ + ".moved");
  std::ofstream(path_) << "a file of somebody else's";
  close_descriptors_of(path_ + ".moved");
  EXPECT_THAT(append(std::string(1 << 20, 'x')).message(), HasSubstr("cannot write to " + path_));
  EXPECT_FALSE(sink_->close().ok());
  EXPECT_EQ(text_of(path_), "a file of somebody else's");
  std::filesystem::remove(path_ + ".moved");
}

TEST(CaptureFileTest, AFileThatMayOnlyBeWrittenIsWritten) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const std::string path = path_for("write_only");
  std::ofstream(path) << "";
  std::filesystem::permissions(path, std::filesystem::perms::owner_write);
  const auto sink = create_capture_file(path);
  ASSERT_TRUE(sink.ok()) << sink.status();
  EXPECT_TRUE((*sink)->append({testing::bytes_of_text("text")}).ok());
  EXPECT_TRUE((*sink)->close().ok());
  EXPECT_EQ(std::filesystem::file_size(path), 4u);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace lightmetal::schema
