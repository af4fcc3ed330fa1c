// Captures in memory that outgrow it, and files whose pages are given back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <lightmetal/capture.hpp>
#include <memory>
#include <string>
#include <thread>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_replay.hpp>
#include <vector>

#include "schema/storage/mapped_file.h"
#include "schema/storage/memory_sink.h"
#include "tests/support/process.h"

namespace lightmetal {
namespace {

using namespace tt::tt_metal;
using schema::MappedFile;
using schema::MemorySink;
using ::testing::HasSubstr;
using testing::read_file;
using testing::TemporaryFolder;

std::string text_of(Bytes bytes) {
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Bytes bytes_of_text(const std::string& text) { return bytes_of(text.data(), text.size()); }

absl::Status append(MemorySink& sink, const std::string& first, const std::string& second = "") {
  return sink.append({bytes_of_text(first), bytes_of_text(second)});
}

std::string content_of(const schema::TemporaryFile& file) {
  const auto mapping = MappedFile::map(file.descriptor(), file.name());
  EXPECT_TRUE(mapping.ok()) << mapping.status();
  return mapping.ok() ? text_of((*mapping)->bytes()) : "";
}

// An environment variable for the lifetime of this object.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    const char* before = std::getenv(name);
    if (before != nullptr) before_ = before;
    had_ = before != nullptr;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { had_ ? setenv(name_, before_.c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string before_;
  bool had_;
};

TEST(MemorySinkTest, BytesUpToTheLimitStayInMemory) {
  MemorySink sink(10);
  ASSERT_TRUE(append(sink, "01234", "56789").ok());
  EXPECT_EQ(sink.file(), nullptr);
  EXPECT_EQ(sink.take_as<char>(),
            std::vector<char>({'0', '1', '2', '3', '4', '5', '6', '7', '8', '9'}));
}

TEST(MemorySinkTest, BeyondTheLimitAllBytesAreInAFileInTheirOrder) {
  MemorySink sink(10);
  ASSERT_TRUE(append(sink, "0123", "456").ok());
  ASSERT_TRUE(append(sink, "789a", "b").ok());
  ASSERT_TRUE(append(sink, "cd").ok());
  ASSERT_TRUE(sink.close().ok());
  EXPECT_EQ(sink.size(), 14u);
  ASSERT_NE(sink.file(), nullptr);
  EXPECT_EQ(content_of(*sink.file()), "0123456789abcd");
}

TEST(MemorySinkTest, TheFileOutlivesTheSinkAndHasNoName) {
  TemporaryFolder folder;
  const Variable variable("TMPDIR", folder.path());
  std::shared_ptr<const schema::TemporaryFile> file;
  {
    MemorySink sink(0);
    ASSERT_TRUE(append(sink, "kept").ok());
    file = sink.file();
  }
  EXPECT_EQ(content_of(*file), "kept");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_THAT(file->name(), HasSubstr(folder.path()));
}

TEST(MemorySinkTest, WithoutATemporaryFolderAppendingFailsAndNamesTheReason) {
  const Variable variable("TMPDIR", "/no/such/folder");
  MemorySink sink(0);
  EXPECT_THAT(append(sink, "lost").ToString(), HasSubstr("cannot create a temporary file"));
}

// A program of a few hundred KiB of payload; returns what it read at the end.
std::vector<uint32_t> run_program(IDevice* device) {
  constexpr size_t kBytes = 256 << 10;
  auto buffer = Buffer::create(device, kBytes, 4096, BufferType::DRAM);
  std::vector<uint32_t> words(kBytes / sizeof(uint32_t)), read(words.size());
  for (uint32_t round = 0; round < 4; ++round) {
    for (uint32_t i = 0; i < words.size(); ++i) words[i] = i * 2654435761u + round;
    EnqueueWriteBuffer(device->command_queue(), *buffer, words.data(), /*blocking=*/false);
    EnqueueReadBuffer(device->command_queue(), *buffer, read.data(), /*blocking=*/true);
  }
  EXPECT_EQ(read, words);
  return read;
}

class SpilledCaptureTest : public ::testing::Test {
 protected:
  void TearDown() override { CloseDevice(device_); }

  // On a device that nobody has written to: a capture holds what memory has when it begins.
  LightMetalBinary capture(uint64_t memory_limit) {
    CloseDevice(device_);
    device_ = CreateDevice(0);
    LightMetalBeginCapture(
        {.read_goldens = true, .memory_limit = memory_limit, .record_origin = false});
    run_program(device_);
    return LightMetalEndCapture();
  }

  IDevice* device_ = CreateDevice(0);
  TemporaryFolder folder_;
};

TEST_F(SpilledCaptureTest, HasTheBytesOfOneInMemory) {
  const LightMetalBinary in_memory = capture(uint64_t{1} << 30);
  const LightMetalBinary spilled = capture(100'000);
  EXPECT_EQ(spilled.size(), in_memory.size());
  EXPECT_FALSE(spilled.is_empty());
  const std::string path = folder_.path("saved.lmb");
  spilled.save_to_file(path);
  const std::vector<uint8_t>& data = in_memory.get_data();
  EXPECT_TRUE(read_file(path) == std::string(data.begin(), data.end()));
  EXPECT_TRUE(spilled.get_data() == data);
}

TEST_F(SpilledCaptureTest, ReplaysAndItsCopiesStayGood) {
  LightMetalBinary spilled = capture(0);
  const LightMetalBinary copy = spilled;
  spilled.set_data({1, 2, 3});
  EXPECT_EQ(spilled.size(), 3u);
  EXPECT_TRUE(LightMetalReplay(LightMetalBinary(copy), device_).run());
  EXPECT_TRUE(LightMetalReplay(LightMetalBinary(copy.get_data()), device_).run());
}

TEST_F(SpilledCaptureTest, SavesOverWhatAFileHeldAndNamesAPathThatCannotBeWritten) {
  const LightMetalBinary spilled = capture(0);
  const std::string path = folder_.path("saved.lmb");
  testing::write_file(path, std::string(spilled.size() + 1000, 'x'));
  spilled.save_to_file(path);
  EXPECT_EQ(std::filesystem::file_size(path), spilled.size());
  EXPECT_EQ(LightMetalBinary::load_from_file(path).size(), spilled.size());
  try {
    spilled.save_to_file(folder_.path("missing/saved.lmb"));
    FAIL() << "it was saved";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("missing/saved.lmb: No such file"));
  }
}

// Its disk is full, or the program's limit of file sizes is reached.
TEST_F(SpilledCaptureTest, AFileThatCannotBeSavedWholeLeavesTheOneBeforeIt) {
  rlimit before = {};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit most = {100'000, before.rlim_max};
  const std::string path = folder_.path("saved.lmb");
  for (const uint64_t memory_limit : {uint64_t{1} << 30, uint64_t{0}}) {
    const LightMetalBinary binary = capture(memory_limit);
    testing::write_file(path, "precious");
    setrlimit(RLIMIT_FSIZE, &most);
    EXPECT_THROW(binary.save_to_file(path), std::runtime_error) << memory_limit;
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_TRUE(read_file(path) == "precious") << memory_limit;
    std::filesystem::remove(path);
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path())) << memory_limit;
  }
}

TEST_F(SpilledCaptureTest, IsNotSavedOverAFileThatACaptureIsWritingTo) {
  const std::string path = folder_.path("captured.lmb");
  for (const uint64_t memory_limit : {uint64_t{1} << 30, uint64_t{0}}) {
    const LightMetalBinary binary = capture(memory_limit);
    LightMetalBeginCapture({.path = path});
    EXPECT_THROW(binary.save_to_file(path), std::runtime_error) << memory_limit;
    LightMetalEndCapture();
    EXPECT_NE(std::filesystem::file_size(path), 0u) << memory_limit;
    EXPECT_NE(std::filesystem::file_size(path), binary.size()) << memory_limit;
  }
}

TEST_F(SpilledCaptureTest, SavesIntoAPipe) {
  const std::string path = folder_.path("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  for (const uint64_t memory_limit : {uint64_t{1} << 30, uint64_t{0}}) {
    const LightMetalBinary binary = capture(memory_limit);
    std::string read;
    std::thread reader([&] { read = read_file(path); });
    binary.save_to_file(path);
    reader.join();
    const std::vector<uint8_t>& data = binary.get_data();
    EXPECT_TRUE(read == std::string(data.begin(), data.end())) << memory_limit;
    EXPECT_TRUE(std::filesystem::is_fifo(path));
  }
}

TEST_F(SpilledCaptureTest, AFullDiskMakesTheCaptureIncompleteAndHarmsNoProgram) {
  rlimit before = {};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit most = {300'000, before.rlim_max};
  LightMetalBeginCapture({.memory_limit = 100'000});
  setrlimit(RLIMIT_FSIZE, &most);
  run_program(device_);  // expects what it reads
  setrlimit(RLIMIT_FSIZE, &before);
  try {
    LightMetalEndCapture();
    FAIL() << "the capture is complete";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the capture is incomplete"));
    EXPECT_THAT(error.what(), HasSubstr("File too large"));
  }
  EXPECT_FALSE(capture(0).is_empty());
}

TEST_F(SpilledCaptureTest, ALargeFileIsLoadedWithoutItsBytesInMemory) {
  const std::string path = folder_.path("large.lmb"), saved = folder_.path("saved.lmb");
  testing::write_file(path, "first");
  const uint64_t size = CaptureOptions().memory_limit + 4096;
  std::filesystem::resize_file(path, size);
  const LightMetalBinary binary = LightMetalBinary::load_from_file(path);
  std::filesystem::remove(path);
  EXPECT_EQ(binary.size(), size);
  binary.save_to_file(saved);
  EXPECT_EQ(std::filesystem::file_size(saved), size);
  std::string begin(5, ' ');
  std::ifstream(saved).read(begin.data(), 5);
  EXPECT_EQ(begin, "first");
}

// Bytes of files that this process holds resident.
uint64_t resident_file_bytes() {
  std::ifstream statm("/proc/self/statm");
  uint64_t size = 0, resident = 0, of_files = 0;
  statm >> size >> resident >> of_files;
  return of_files * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

class MappedFileTest : public ::testing::Test {
 protected:
  static constexpr uint64_t kSize = 3 * MappedFile::kReleaseWindow;

  MappedFileTest() {
    std::ofstream out(folder_.path("mapped"), std::ios::binary);
    std::string block(1 << 20, ' ');
    for (uint64_t at = 0; at < kSize; at += block.size()) {
      block[0] = static_cast<char>(at >> 20);
      out << block;
    }
    out.close();
    mapping_ = *MappedFile::open(folder_.path("mapped"));
  }

  char at(uint64_t mebibyte) const { return static_cast<char>(mapping_->bytes()[mebibyte << 20]); }
  void read_all() const { (void)digest_of(mapping_->bytes()); }

  TemporaryFolder folder_;
  std::shared_ptr<const MappedFile> mapping_;
};

TEST_F(MappedFileTest, ReleasedBytesAreNotResidentAndReadTheSameAgain) {
  const Digest before = digest_of(mapping_->bytes());
  const uint64_t resident = resident_file_bytes();
  mapping_->release(0, kSize);
  EXPECT_LT(resident_file_bytes() + kSize / 2, resident);
  EXPECT_EQ(digest_of(mapping_->bytes()), before);
  EXPECT_EQ(at(70), 70);
}

TEST_F(MappedFileTest, SmallPiecesAreReleasedTogether) {
  read_all();
  const uint64_t resident = resident_file_bytes();
  for (uint64_t at = 0; at < kSize; at += 100'000) {
    mapping_->release(at, std::min<uint64_t>(100'000, kSize - at));
  }
  EXPECT_LT(resident_file_bytes() + kSize / 2, resident);
}

TEST_F(MappedFileTest, APayloadIsReleasedWithItsLastCopy) {
  read_all();
  const uint64_t resident = resident_file_bytes();
  auto payload = std::make_unique<schema::Payload>(mapping_->payload(0, kSize));
  auto copy = std::make_unique<schema::Payload>(*payload);
  payload.reset();
  EXPECT_GT(resident_file_bytes() + kSize / 2, resident);
  copy.reset();
  EXPECT_LT(resident_file_bytes() + kSize / 2, resident);
}

}  // namespace
}  // namespace lightmetal
