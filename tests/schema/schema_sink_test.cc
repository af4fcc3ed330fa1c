// Files that are written through memory: schema/storage/mapped_sink.h.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <system_error>
#include <vector>

#include "schema/file/signature.h"
#include "schema/lines/read_lines.h"
#include "schema/lines/write_lines.h"
#include "schema/storage/mapped_sink.h"
#include "schema/storage/memory_sink.h"
#include "schema/storage/output_file.h"
#include "schema/storage/room.h"
#include "schema/verify/repair.h"
#include "tests/schema/payload_testing.h"
#include "tests/support/descriptors.h"
#include "tests/support/process.h"

namespace lightmetal::schema {
namespace {

using lightmetal::testing::close_descriptors_of;
using lightmetal::testing::TemporaryFolder;
using lightmetal::testing::write_file;
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

TEST_F(MappedSinkTest, TheTwentiethStoresAsTheFirstDoes) {
  for (int i = 0; i < 20; ++i) {
    sink_.reset();
    open();
    ASSERT_TRUE(append("a record").ok());
    EXPECT_TRUE(is_mapped(std::filesystem::canonical(path_))) << i;
  }
}

TEST_F(MappedSinkTest, TwentyAtOnceAreAllWritten) {
  const TemporaryFolder folder;
  std::vector<std::unique_ptr<MappedSink>> sinks;
  const auto path_of = [&](size_t i) { return folder.path(std::to_string(i)); };
  for (size_t i = 0; i < 20; ++i) {
    auto sink = MappedSink::create(path_of(i));
    ASSERT_TRUE(sink.ok()) << sink.status();
    sinks.push_back(*std::move(sink));
    const std::string record = std::to_string(i);
    EXPECT_TRUE(sinks.back()->append({bytes_of(record.data(), record.size())}).ok()) << i;
  }
  for (size_t i = 0; i < sinks.size(); ++i) {
    EXPECT_TRUE(sinks[i]->close().ok()) << i;
    EXPECT_EQ(text_of(path_of(i)), std::to_string(i));
  }
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

// Root may read everything, so the test is somebody else while it creates the sink.
TEST(CaptureFileTest, AFileThatMayOnlyBeWrittenIsWritten) {
  constexpr uid_t kNobody = 65534;
  const std::string path = path_for("write_only");
  std::ofstream(path) << "";
  std::filesystem::permissions(path, std::filesystem::perms::owner_write);
  const bool root = geteuid() == 0;
  if (root) {
    ASSERT_EQ(::chown(path.c_str(), kNobody, kNobody), 0);
    ASSERT_EQ(::seteuid(kNobody), 0);
  }
  const auto sink = create_capture_file(path);
  if (root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  ASSERT_TRUE(sink.ok()) << sink.status();
  EXPECT_TRUE((*sink)->append({testing::bytes_of_text("text")}).ok());
  EXPECT_TRUE((*sink)->close().ok());
  EXPECT_EQ(std::filesystem::file_size(path), 4u);
  std::filesystem::remove(path);
}

TEST(TemporaryFileTest, WhatHasTheNumberOfADescriptorThatTheProgramClosedStaysOpen) {
  auto file = TemporaryFile::create();
  ASSERT_TRUE(file.ok()) << file.status();
  const int number = (*file)->descriptor();
  const int own = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::dup2(own, number), number);
  EXPECT_THAT((*file)->size().status().message(), HasSubstr("cannot read a temporary file in "));
  EXPECT_THAT((*file)->map().status().message(), HasSubstr("cannot read a temporary file in "));
  file->reset();
  EXPECT_GE(::fcntl(number, F_GETFD), 0);
  ::close(number);
  ::close(own);
}

// A program that closes what it does not know gets low numbers for its own files.
TEST(FileSinkTest, HasADescriptorWithAHighNumberEvenWhereAFewAreAllowed) {
  const TemporaryFolder folder;
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  for (const rlim_t most : {before.rlim_cur, rlim_t{200}}) {
    const rlimit limit = {.rlim_cur = most, .rlim_max = before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    const auto sink = FileSink::create(folder.path("sink"));
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
    ASSERT_TRUE(sink.ok()) << sink.status();
    EXPECT_GE((*sink)->descriptor(), static_cast<int>(std::min<rlim_t>(most / 2, 512))) << most;
  }
}

TEST(RoomTest, IsAsManyZerosAsAWriterLeavesAtMost) {
  // The room of so many zeros, one of which may be used, where the frames end at byte 40.
  const auto room = [](size_t zeros, size_t used) {
    Content file(40, std::byte{1});
    file.resize(40 + zeros);
    if (used < zeros) file[40 + used] = std::byte{1};
    return room_at_end(file, 40);
  };
  constexpr size_t kNone = SIZE_MAX;
  EXPECT_EQ(room(0, kNone), 0u);
  EXPECT_EQ(room(4, kNone), 4u);
  EXPECT_EQ(room(100, kNone), 100u);
  EXPECT_EQ(room(100, 7), 0u) << "a frame that has its first word is damage";
  EXPECT_EQ(room(100, 8), 91u);
  EXPECT_EQ(room(kMostRoom, kNone), kMostRoom);
  EXPECT_EQ(room(kMostRoom + 1, kNone), 0u);
}

// ---- What every user of a file leaves, and every writer of one returns ----

// Uses files below `folder`, where "file" exists.
struct Use {
  const char* name;
  void (*make)(const TemporaryFolder& folder);
};

const Use kUses[] = {
    {"a mapped file",
     [](const auto& folder) { EXPECT_TRUE(File::open(folder.path("file")).ok()); }},
    {"a folder", [](const auto& folder) { EXPECT_FALSE(File::open(folder.path()).ok()); }},
    {"a stored sink",
     [](const auto& folder) { EXPECT_TRUE(MappedSink::create(folder.path("sink")).ok()); }},
    {"a file that a capture writes to",
     [](const auto& folder) {
       const auto capture = FileSink::create(folder.path("sink"));
       EXPECT_FALSE(FileSink::create(folder.path("sink")).ok());
       EXPECT_FALSE(OutputFile::create(folder.path("sink"), {}).ok());
     }},
    {"an output that is given up",
     [](const auto& folder) {
       EXPECT_TRUE(OutputFile::create(folder.path("file"), {})->sink().ok());
     }},
    {"a copy", [](const auto& f) { EXPECT_TRUE(TemporaryFile::copy_of(f.path("file")).ok()); }},
    {"a payload in another file",
     [](const auto& folder) {
       const Bytes payload = samples::payload_bytes();
       write_file(folder.path("weights"), samples::payload());
       const auto info = testing::external_info(folder.path("weights"), 0, payload, payload.size());
       const auto file = File::from_bytes(testing::file_of_reference(info), "model.lmb",
                                          {.references = {.allow = true}});
       EXPECT_TRUE((*file)->blob(blob_ref_of(payload)).ok());
     }},
};

TEST(EveryUseOfAFile, LeavesNoDescriptorOpen) {
  const TemporaryFolder folder;
  const Content content = testing::written({});
  write_file(folder.path("file"),
             std::string(reinterpret_cast<const char*>(content.data()), content.size()));
  const auto open_descriptors = [] {
    const std::filesystem::directory_iterator entries("/proc/self/fd");
    return std::distance(std::filesystem::begin(entries), std::filesystem::end(entries));
  };
  for (const Use& use : kUses) {
    use.make(folder);
    const auto before = open_descriptors();
    use.make(folder);
    EXPECT_EQ(open_descriptors(), before) << use.name;
  }
}

// Fails at its call number `failing`, counted from 0.
class FailingSink final : public Sink {
 public:
  explicit FailingSink(int failing) : failing_(failing) {}
  absl::Status append(absl::Span<const Bytes> parts) override {
    size_ += size_of(parts);
    return next();
  }
  absl::Status close() override { return next(); }
  uint64_t size() const override { return size_; }
  bool has_failed() const { return calls_ > failing_; }

 private:
  absl::Status next() {
    return calls_++ == failing_ ? absl::AbortedError("the sink fails") : absl::OkStatus();
  }

  const int failing_;
  int calls_ = 0;
  uint64_t size_ = 0;
};

struct Writing {
  const char* name;
  absl::Status (*write)(const File& file, const std::shared_ptr<Sink>& sink);
};

const Writing kWritings[] = {
    {"sign",
     [](const File& file, const auto& sink) { return sign(file, *SecretKey::generate(), *sink); }},
    {"repair", [](const File& file, const auto& sink) { return repair(file, sink).status(); }},
    {"write lines", [](const File& file, const auto& s) { return write_lines(file, *s).status(); }},
    {"read lines",
     [](const File& file, const auto& sink) {
       MemorySink lines;
       EXPECT_TRUE(write_lines(file, lines).ok());
       return read_lines(lines.take(), "lines", *sink).status();
     }},
};

TEST(EveryWriterOfAFile, ReturnsTheErrorOfItsSinkWhereverThatComes) {
  const auto file =
      testing::opened(testing::written({samples::command_of(samples::Of<EventCreate>()),
                                        samples::command_of(samples::Of<ProgramCreate>())}));
  for (const Writing& writing : kWritings) {
    int failing = 0;
    for (bool has_failed = true; has_failed; ++failing) {
      const auto sink = std::make_shared<FailingSink>(failing);
      const absl::Status status = writing.write(*file, sink);
      has_failed = sink->has_failed();
      EXPECT_EQ(status, has_failed ? absl::AbortedError("the sink fails") : absl::OkStatus())
          << writing.name << ", call " << failing;
    }
    EXPECT_GT(failing, 3) << writing.name;
  }
}

}  // namespace
}  // namespace lightmetal::schema
