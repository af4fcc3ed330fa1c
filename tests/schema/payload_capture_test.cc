// Captures whose payloads are compressed, or lie in files of their own.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <lightmetal/capture.hpp>
#include <lightmetal/replay.hpp>
#include <string>
#include <thread>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_replay.hpp>
#include <tuple>
#include <vector>

#include "base/digest.h"
#include "capture/file_data.h"
#include "capture/mapped_memory.h"
#include "schema/verify/verify.h"
#include "tests/support/captured_file.h"
#include "tests/support/process.h"

namespace lightmetal {
namespace {

namespace tm = tt::tt_metal;

using ::testing::HasSubstr;
using testing::ProcessResult;
using testing::run_process;
using testing::TemporaryFolder;
using testing::write_file;

constexpr size_t kSize = 256 * 1024;

// Does not become smaller.
std::vector<uint32_t> noise(size_t size) {
  std::vector<uint32_t> words(size / sizeof(uint32_t));
  uint32_t state = 1;
  for (uint32_t& word : words) word = state = state * 1664525 + 1013904223;
  return words;
}

// Becomes much smaller.
std::vector<uint32_t> pattern(size_t size, uint32_t first = 0) {
  std::vector<uint32_t> words(size / sizeof(uint32_t));
  for (size_t i = 0; i < words.size(); ++i) words[i] = first + i / 64;
  return words;
}

std::span<const std::byte> bytes_in(const std::vector<uint32_t>& words) {
  return std::as_bytes(std::span(words));
}

void write_words(const std::string& path, const std::vector<uint32_t>& words) {
  write_file(path, std::string(reinterpret_cast<const char*>(words.data()),
                               words.size() * sizeof(uint32_t)));
}

// Writes `data` to the device and reads it back, captured.
tm::LightMetalBinary captured(const CaptureOptions& options, const void* data, size_t size) {
  tm::LightMetalBeginCapture(options);
  tm::IDevice* device = tm::CreateDevice(0);
  std::vector<uint32_t> back;
  {
    auto buffer = tm::CreateBuffer(
        tm::InterleavedBufferConfig{.device = device, .size = size, .page_size = 4096});
    tm::EnqueueWriteBuffer(device->command_queue(), buffer, data, /*blocking=*/false);
    tm::EnqueueReadBuffer(device->command_queue(), buffer, back, /*blocking=*/true);
  }
  tm::CloseDevice(device);
  EXPECT_EQ(std::memcmp(back.data(), data, size), 0);
  return tm::LightMetalEndCapture();
}

tm::LightMetalBinary captured(const CaptureOptions& options, const std::vector<uint32_t>& data) {
  return captured(options, data.data(), data.size() * sizeof(uint32_t));
}

uint64_t num_external(const tm::LightMetalBinary& binary) {
  return testing::open_file(binary)->external_blobs()->size();
}

// How a replay of the binary ends.
absl::Status replayed(const tm::LightMetalBinary& binary, const ReferenceOptions& references = {}) {
  auto replay = Replay::load_bytes(binary.get_data(), {.references = references});
  if (!replay.ok()) return replay.status();
  const auto result = (*replay)->run();
  if (!result.ok()) return result.status();
  EXPECT_GT(result->goldens_checked, 0);
  EXPECT_TRUE(result->matches());
  return absl::OkStatus();
}

CaptureOptions by(PayloadPolicy policy) { return {.read_goldens = true, .payloads = policy}; }

class PayloadCaptureTest : public ::testing::Test {
 protected:
  PayloadCaptureTest() { write_words(path_, data_); }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.path("weights.bin");
  const std::vector<uint32_t> data_ = noise(kSize);
};

// ---- Compression ----

TEST_F(PayloadCaptureTest, CompressedPayloadsReplay) {
  const std::vector<uint32_t> data = pattern(kSize);
  const tm::LightMetalBinary plain = captured({.read_goldens = true}, data);
  const tm::LightMetalBinary compressed = captured({.read_goldens = true, .compress = 1}, data);
  EXPECT_GT(plain.size(), kSize);
  EXPECT_LT(compressed.size(), kSize / 4);
  EXPECT_TRUE(replayed(compressed).ok()) << replayed(compressed);
}

TEST_F(PayloadCaptureTest, TwoThreadsCaptureCompressedPayloadsAtOnce) {
  constexpr int kWrites = 20;
  tm::LightMetalBeginCapture({.read_goldens = true, .compress = 1});
  tm::IDevice* device = tm::CreateDevice(0, /*num_hw_cqs=*/2);
  const auto use_queue = [device](uint8_t cq) {
    auto buffer = tm::CreateBuffer(
        tm::InterleavedBufferConfig{.device = device, .size = kSize, .page_size = 4096});
    std::vector<uint32_t> back;
    for (uint32_t i = 0; i < kWrites; ++i) {
      // Every other payload is both threads' own.
      const std::vector<uint32_t> data = pattern(kSize, i % 2 == 0 ? i : 1000 * (cq + 1) + i);
      tm::EnqueueWriteBuffer(device->command_queue(cq), buffer, data, /*blocking=*/false);
      tm::EnqueueReadBuffer(device->command_queue(cq), buffer, back, /*blocking=*/true);
      EXPECT_EQ(back, data);
    }
  };
  std::thread second(use_queue, 1);
  use_queue(0);
  second.join();
  tm::CloseDevice(device);
  const tm::LightMetalBinary binary = tm::LightMetalEndCapture();
  EXPECT_EQ(testing::open_file(binary)->blobs().size(), 3 * kWrites / 2);
  EXPECT_TRUE(replayed(binary).ok()) << replayed(binary);
}

TEST_F(PayloadCaptureTest, ALevelThatThereIsNotIsRefused) {
  EXPECT_THROW(tm::LightMetalBeginCapture({.compress = 20}), std::runtime_error);
  EXPECT_THROW(tm::LightMetalBeginCapture({.compress = -1}), std::runtime_error);
  setenv("LIGHTMETAL_CAPTURE_COMPRESS", "much", 1);
  EXPECT_THROW(tm::LightMetalBeginCapture(), std::runtime_error);
  unsetenv("LIGHTMETAL_CAPTURE_COMPRESS");
  EXPECT_NO_THROW(captured({.read_goldens = true}, data_)) << "no capture was begun before";
}

TEST_F(PayloadCaptureTest, TheEnvironmentChoosesWhatTheProgramDoesNot) {
  setenv("LIGHTMETAL_CAPTURE_COMPRESS", "1", 1);
  const std::vector<uint32_t> data = pattern(kSize);
  EXPECT_LT(captured({}, data).size(), kSize / 4);
  EXPECT_GT(captured({.compress = 0}, data).size(), kSize);
  unsetenv("LIGHTMETAL_CAPTURE_COMPRESS");
}

// What a captured program does: run by the test below in a process of its own.
TEST(PayloadChild, DISABLED_WritesAPayload) {
  tm::IDevice* device = tm::CreateDevice(0);
  {
    auto buffer = tm::CreateBuffer(
        tm::InterleavedBufferConfig{.device = device, .size = kSize, .page_size = 4096});
    const std::vector<uint32_t> data = pattern(kSize);
    tm::EnqueueWriteBuffer(device->command_queue(), buffer, data, /*blocking=*/true);
  }
  tm::CloseDevice(device);
}

TEST_F(PayloadCaptureTest, AnUnmodifiedProgramIsCapturedAsTheEnvironmentSays) {
  const std::string path = folder_.path("child.lmb");
  const auto run_child = [&](const std::string& name, const std::string& value) {
    return run_process({"/proc/self/exe", "--gtest_filter=PayloadChild.*",
                        "--gtest_also_run_disabled_tests", "--gtest_brief=1"},
                       {.environment = {{"LIGHTMETAL_CAPTURE", path}, {name, value}}});
  };
  EXPECT_EQ(run_child("LIGHTMETAL_CAPTURE_COMPRESS", "1").errors, "");
  EXPECT_LT(std::filesystem::file_size(path), kSize / 4);
  std::filesystem::remove(path);
  for (const auto& [name, value, message] :
       {std::tuple("LIGHTMETAL_CAPTURE_COMPRESS", "much", "is a level from 0 to 19, not much"),
        std::tuple("LIGHTMETAL_CAPTURE_PAYLOADS", "some", "is embed, reference or fail, not some"),
        std::tuple("LIGHTMETAL_CAPTURE_PAYLOADS", "fail", "262144 bytes lies in no file")}) {
    const ProcessResult bad = run_child(name, value);
    EXPECT_EQ(bad.exit_code, 0) << "the program is not harmed";
    EXPECT_THAT(bad.errors, HasSubstr(message));
    EXPECT_EQ(std::count(bad.errors.begin(), bad.errors.end(), '\n'), 1) << bad.errors;
  }
}

// ---- References ----

TEST_F(PayloadCaptureTest, ADeclaredPayloadIsAReference) {
  ASSERT_TRUE(declare_file_data(bytes_in(data_), path_).ok());
  CaptureOptions options = by(PayloadPolicy::Reference);
  options.read_goldens = false;
  const tm::LightMetalBinary binary = captured(options, data_);
  undeclare_file_data(bytes_in(data_));
  EXPECT_LT(binary.size(), 8192);
  EXPECT_EQ(num_external(binary), 1);

  auto replay = Replay::load_bytes(binary.get_data(), {.references = {.allow = true}});
  ASSERT_TRUE(replay.ok()) << replay.status();
  EXPECT_TRUE((*replay)->run().ok());
}

// The golden of what was read back is the same content: it is the same reference.
TEST_F(PayloadCaptureTest, AReferenceReplaysWhereItMayBeFollowed) {
  ASSERT_TRUE(declare_file_data(bytes_in(data_), path_).ok());
  const tm::LightMetalBinary binary = captured(by(PayloadPolicy::Reference), data_);
  undeclare_file_data(bytes_in(data_));
  EXPECT_EQ(num_external(binary), 1);
  EXPECT_EQ(replayed(binary).code(), absl::StatusCode::kPermissionDenied);
  EXPECT_TRUE(replayed(binary, {.allow = true}).ok()) << replayed(binary, {.allow = true});

  const std::string other = folder_.path("elsewhere");
  std::filesystem::create_directory(other);
  std::filesystem::rename(path_, other + "/weights.bin");
  EXPECT_THAT(std::string(replayed(binary, {.allow = true}).message()), HasSubstr(path_));
  const ReferenceOptions remapped = {.remap = {{folder_.path(), other}}};
  EXPECT_TRUE(replayed(binary, remapped).ok()) << replayed(binary, remapped);
}

TEST_F(PayloadCaptureTest, AChangedFileStopsTheReplayBeforeItBegins) {
  ASSERT_TRUE(declare_file_data(bytes_in(data_), path_).ok());
  const tm::LightMetalBinary binary = captured(by(PayloadPolicy::Reference), data_);
  undeclare_file_data(bytes_in(data_));
  std::vector<uint32_t> changed = data_;
  changed[7] ^= 1;
  write_words(path_, changed);
  EXPECT_THAT(std::string(replayed(binary, {.allow = true}).message()),
              HasSubstr("has other content there"));
}

TEST_F(PayloadCaptureTest, PartsOfADeclaredRangeAreReferencesToParts) {
  const std::vector<uint32_t> all = noise(4 * kSize);
  write_words(path_, all);
  constexpr uint64_t kFirst = 8192;  // the declared memory holds the file from here on
  const std::vector<uint32_t> memory(all.begin() + kFirst / 4, all.end());
  ASSERT_TRUE(declare_file_data(bytes_in(memory), path_, kFirst).ok());
  const tm::LightMetalBinary binary =
      captured(by(PayloadPolicy::Reference), memory.data() + 1024, kSize);
  undeclare_file_data(bytes_in(memory));
  const auto external = *testing::open_file(binary)->external_blobs();
  ASSERT_EQ(external.size(), 1);
  EXPECT_EQ(external[0].path, std::filesystem::canonical(path_).string());
  EXPECT_EQ(external[0].offset, kFirst + 4096);
  EXPECT_EQ(external[0].size, kSize);
  EXPECT_EQ(external[0].file_size, 4 * kSize);
  EXPECT_TRUE(replayed(binary, {.allow = true}).ok());
}

TEST_F(PayloadCaptureTest, WhatDiffersFromItsFileIsEmbedded) {
  std::vector<uint32_t> changed = data_;
  changed.back() ^= 1;
  ASSERT_TRUE(declare_file_data(bytes_in(changed), path_).ok());
  const tm::LightMetalBinary binary = captured(by(PayloadPolicy::Reference), changed);
  undeclare_file_data(bytes_in(changed));
  EXPECT_EQ(num_external(binary), 0);
  EXPECT_TRUE(replayed(binary).ok());
}

TEST_F(PayloadCaptureTest, SmallUndeclaredAndUnaskedPayloadsAreEmbedded) {
  EXPECT_EQ(num_external(captured(by(PayloadPolicy::Reference), data_)), 0) << "not declared";
  ASSERT_TRUE(declare_file_data(bytes_in(data_), path_).ok());
  EXPECT_EQ(num_external(captured(by(PayloadPolicy::Embed), data_)), 0);
  EXPECT_EQ(num_external(captured(by(PayloadPolicy::Reference), data_.data(), 61'440)), 0)
      << "small";
  EXPECT_EQ(num_external(captured(by(PayloadPolicy::Reference), data_.data(), 65'536)), 1);
  CaptureOptions small_ones = by(PayloadPolicy::Reference);
  small_ones.min_reference_size = 4096;
  EXPECT_EQ(num_external(captured(small_ones, data_.data(), 4096)), 1) << "as it is asked for";
  undeclare_file_data(bytes_in(data_));
  EXPECT_EQ(num_external(captured(by(PayloadPolicy::Reference), data_)), 0) << "no more declared";
}

TEST_F(PayloadCaptureTest, ADeclarationHoldsInAForkedChild) {
  const Bytes data = bytes_of(data_.data(), data_.size() * sizeof(uint32_t));
  const auto is_found = [data] {
    return capture::find_file_data(data, digest_of(data)).has_value();
  };
  ASSERT_TRUE(declare_file_data(bytes_in(data_), path_).ok());
  const pid_t child = ::fork();
  if (child == 0) {
    const bool found = is_found();
    undeclare_file_data(bytes_in(data_));
    ::_exit(found && !is_found() ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(is_found());
  undeclare_file_data(bytes_in(data_));
  EXPECT_FALSE(is_found());
}

// Nothing needs to be declared for memory that is a file.
TEST_F(PayloadCaptureTest, AMappedFileIsRecognised) {
  const int file = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(file, 0);
  void* mapped = ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
  ::close(file);
  ASSERT_NE(mapped, MAP_FAILED);
  EXPECT_EQ(num_external(captured(by(PayloadPolicy::Reference), mapped, kSize)), 1);
  EXPECT_EQ(num_external(captured(by(PayloadPolicy::Fail), mapped, kSize)), 1);
  static_cast<char*>(mapped)[100] ^= 1;
  EXPECT_EQ(num_external(captured(by(PayloadPolicy::Reference), mapped, kSize)), 0)
      << "the memory was written to";
  ::munmap(mapped, kSize);
}

TEST_F(PayloadCaptureTest, FailEndsTheCaptureWhereItWouldEmbed) {
  try {
    captured(by(PayloadPolicy::Fail), data_);
    FAIL() << "the capture did not fail";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("EnqueueWriteBuffer cannot be captured: its payload of "
                                        "262144 bytes lies in no file"));
  }
  ASSERT_TRUE(declare_file_data(bytes_in(data_), path_).ok());
  const tm::LightMetalBinary binary = captured(by(PayloadPolicy::Fail), data_);
  undeclare_file_data(bytes_in(data_));
  EXPECT_TRUE(replayed(binary, {.allow = true}).ok());
}

// They were read from a device, and lie in no file.
TEST_F(PayloadCaptureTest, ContentsInASnapshotAreEmbeddedUnderEveryPolicy) {
  tm::IDevice* device = tm::CreateDevice(0);
  auto buffer = tm::CreateBuffer(
      tm::InterleavedBufferConfig{.device = device, .size = kSize, .page_size = 4096});
  tm::EnqueueWriteBuffer(device->command_queue(), buffer, data_, /*blocking=*/true);
  for (const PayloadPolicy policy : {PayloadPolicy::Reference, PayloadPolicy::Fail}) {
    tm::LightMetalBeginCapture(by(policy));
    const tm::LightMetalBinary binary = tm::LightMetalEndCapture();
    EXPECT_GT(binary.size(), kSize);
    EXPECT_EQ(schema::verify(*testing::open_file(binary)), absl::OkStatus());
  }
  buffer.reset();
  tm::CloseDevice(device);
}

TEST_F(PayloadCaptureTest, NoBytesAreNoReference) {
  ASSERT_TRUE(declare_file_data(bytes_in(data_), path_).ok());
  tm::LightMetalBeginCapture({.payloads = PayloadPolicy::Reference, .min_reference_size = 0});
  tm::IDevice* device = tm::CreateDevice(0);
  tm::EnqueueWriteBuffer(device->command_queue(),
                         tm::Buffer::create(device, 0, 0, tm::BufferType::DRAM),
                         static_cast<const void*>(data_.data()), /*blocking=*/true);
  tm::CloseDevice(device);
  const tm::LightMetalBinary binary = tm::LightMetalEndCapture();
  undeclare_file_data(bytes_in(data_));
  EXPECT_EQ(num_external(binary), 0);
  EXPECT_EQ(schema::verify(*testing::open_file(binary)), absl::OkStatus());
}

TEST_F(PayloadCaptureTest, DeclarationsAreChecked) {
  EXPECT_THAT(std::string(declare_file_data(bytes_in(data_), path_ + ".not").message()),
              HasSubstr("cannot open " + path_ + ".not"));
  EXPECT_THAT(std::string(declare_file_data(bytes_in(data_), path_, 1).message()),
              HasSubstr("has 262144 bytes, no 262144 at 1"));
  EXPECT_FALSE(declare_file_data(bytes_in(data_), folder_.path()).ok());
  EXPECT_TRUE(declare_file_data({}, path_).ok());
}

// A binary in memory was captured by this very process.
TEST_F(PayloadCaptureTest, UpstreamsReplayFollowsReferences) {
  ASSERT_TRUE(declare_file_data(bytes_in(data_), path_).ok());
  tm::LightMetalReplay replay(captured(by(PayloadPolicy::Reference), data_), nullptr);
  undeclare_file_data(bytes_in(data_));
  EXPECT_TRUE(replay.run());
}

// ---- The command line ----

TEST_F(PayloadCaptureTest, TheRunnerFindsAndChecksReferences) {
  ASSERT_TRUE(declare_file_data(bytes_in(data_), path_).ok());
  CaptureOptions options = by(PayloadPolicy::Reference);
  options.path = folder_.path("model.lmb");
  captured(options, data_);
  undeclare_file_data(bytes_in(data_));
  const auto runner = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), LIGHTMETAL_RUNNER);
    return run_process(arguments);
  };
  EXPECT_EQ(runner({"run", options.path}).exit_code, 0) << runner({"run", options.path}).errors;
  EXPECT_THAT(runner({"verify", options.path}).output, HasSubstr("NOT CHECKED"));
  EXPECT_THAT(runner({"info", options.path}).output, HasSubstr("1   in " + path_));

  const std::string moved = folder_.path("a,b=c");  // a comma ends no value
  std::filesystem::rename(path_, moved);
  const ProcessResult missing = runner({"run", options.path});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.errors, HasSubstr("cannot open " + path_));
  EXPECT_EQ(runner({"verify", options.path}).exit_code, 0);
  EXPECT_EQ(runner({"verify", options.path, "--allow-references"}).exit_code, 2);
  EXPECT_EQ(runner({"info", options.path, "--allow-references"}).exit_code, 2);
  const std::string remap = "--remap=" + path_ + "=" + moved;
  for (const std::string verb : {"run", "verify", "info"}) {
    const ProcessResult found = runner({verb, options.path, remap});
    EXPECT_EQ(found.exit_code, 0) << verb << ": " << found.errors;
    // The time of the file is what it was.
    EXPECT_EQ(runner({verb, options.path, remap, "--references=size-time"}).exit_code, 0) << verb;
  }
  EXPECT_THAT(runner({"verify", options.path, remap}).output, HasSubstr("which were checked"));
  EXPECT_EQ(runner({"run", options.path, "--remap=nothing"}).exit_code, 2);
  EXPECT_EQ(runner({"run", options.path, "--references=maybe"}).exit_code, 2);
}

// ---- /proc/self/maps ----

constexpr char kMaps[] =
    "10000-20000 r-xp 00000000 08:01 1      /bin/program\n"
    "20000-30000 r--p 00010000 08:01 1      /bin/program\n"
    "40000-50000 r--p 00000000 08:01 2      /data/a file - with spaces\n"
    "50000-60000 rw-p 00010000 08:01 2      /data/a file - with spaces\n"
    "60000-70000 rw-p 00030000 08:01 2      /data/a file - with spaces\n"
    "70000-80000 rw-s 00000000 08:01 3      /data/shared\n"
    "80000-90000 r--s 00000000 08:01 4      /data/read_only\n"
    "90000-a0000 r--p 00000000 08:01 5      /data/gone (deleted)\n"
    "a0000-b0000 rw-p 00000000 00:00 0      [heap]\n"
    "b0000-c0000 rw-p 00000000 00:00 0 \n"
    "c0000-d0000 r--p 00000000 08:01 6      /data/one\n"
    "d0000-e0000 r--p 00010000 08:01 7      /data/two\n"
    "nonsense\n";

Bytes memory(uint64_t begin, uint64_t end) {
  return {reinterpret_cast<const std::byte*>(begin), end - begin};
}

TEST(FindMappingTest, FindsWhatLiesInOneFile) {
  const auto whole = capture::find_mapping(kMaps, memory(0x40000, 0x60000));
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(whole->path, "/data/a file - with spaces");
  EXPECT_EQ(whole->offset, 0);
  EXPECT_EQ(capture::find_mapping(kMaps, memory(0x58000, 0x58010))->offset, 0x18000);
  EXPECT_EQ(capture::find_mapping(kMaps, memory(0x80000, 0x90000))->path, "/data/read_only");
}

TEST(FindMappingTest, FindsNothingElse) {
  for (const Bytes& data : {memory(0x20000, 0x20010),  // of a program
                            memory(0x5ff00, 0x60100),  // a gap in the file
                            memory(0x3ff00, 0x40100),  // begins before
                            memory(0x8ff00, 0x90100),  // goes on in another file
                            memory(0xcff00, 0xd0100),  // the same
                            memory(0x70000, 0x70010),  // shared and writable
                            memory(0x90000, 0x90010),  // deleted
                            memory(0xa0000, 0xa0010),  // the heap
                            memory(0xb0000, 0xb0010),  // of no file
                            memory(0xf0000, 0xf0010)}) {
    EXPECT_FALSE(capture::find_mapping(kMaps, data).has_value()) << data.data();
  }
}

}  // namespace
}  // namespace lightmetal
