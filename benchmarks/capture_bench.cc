// The cost of capture: while none runs, for a small call, and for payloads.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <lightmetal/capture.hpp>
#include <stdexcept>
#include <string>
#include <tt-metalium/device.hpp>
#include <tt-metalium/host_api.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "benchmarks/benchmarks.h"
#include "benchmarks/counted_work.h"
#include "benchmarks/values.h"
#include "schema/commands/encode.h"
#include "schema/file/reader.h"

namespace lightmetal::bench {
namespace {

constexpr uint64_t kIdleCalls = 20'000;  // in each round of idle_call

// Returns the nanoseconds of a call that idle_call prints, once the number of calls is checked.
double nanoseconds_printed_by(const std::string& program) {
  FILE* pipe = popen(program.c_str(), "r");
  double nanoseconds = 0;
  uint64_t calls = 0;
  if (!pipe || std::fscanf(pipe, "%lf %" SCNu64, &nanoseconds, &calls) != 2)
    throw std::runtime_error("cannot run " + program);
  pclose(pipe);
  checked_work(kIdleCalls, calls, "calls");
  return nanoseconds;
}

// Builds the tables of a captured SetRuntimeArgs, as small as they can be.
size_t build_tables(size_t count) {
  flatbuffers::FlatBufferBuilder builder(1024);
  size_t bytes = 0;
  for (uint32_t i = 0; i < count; ++i) {
    builder.Clear();
    const std::array<uint32_t, 4> words{i, 1, 2, 3};
    const schema::CoreRange range{schema::CoreCoord(0, 0), schema::CoreCoord(0, 0)};
    const auto cores = builder.CreateVectorOfStructs(&range, 1);
    const auto args = builder.CreateVector(words.data(), words.size());
    bytes += schema::finish_command(builder, schema::CreateSetRuntimeArgs(builder, 1, cores, args))
                 .size();
  }
  return bytes > 0 ? count : 0;
}

void write_plainly(const std::string& path, const std::vector<uint32_t>& words) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const char* data = reinterpret_cast<const char*>(words.data());
  for (size_t left = words.size() * sizeof(uint32_t); left > 0;) {
    const ssize_t written = write(file, data, left);
    if (written <= 0) throw std::runtime_error("cannot write " + path);
    data += written;
    left -= static_cast<size_t>(written);
  }
  close(file);
}

}  // namespace

// One program with capture compiled in, over the same program with capture compiled out.
Ratio capture_idle_call(const std::string& bin_folder, const std::string& call) {
  double with = 1e30, without = 1e30;
  for (int round = 0; round < 7; ++round) {
    without =
        std::min(without, nanoseconds_printed_by(bin_folder + "/idle_call_compiled_out " + call));
    with = std::min(with, nanoseconds_printed_by(bin_folder + "/idle_call " + call));
  }
  return {.ratio = with / without,
          .subject = with,
          .baseline = without,
          .work = absl::StrFormat("%d calls in each round", kIdleCalls)};
}

namespace {

constexpr uint32_t kSmallCalls = 50'000;

// Calls of SetRuntimeArgs with four words, of a kernel that is made while a capture runs.
class SmallCalls {
 public:
  static constexpr schema::Call kCall = schema::Call::SetRuntimeArgs;

  // Preparation, which is not to be measured. REQUIRES: no capture runs.
  void begin_capture(const CaptureOptions& options = {}) {
    LightMetalBeginCapture(options);
    capturing_ = true;
    program_ = CreateProgram();
    kernel_ =
        CreateKernelFromString(program_, "void kernel_main() {}", kCore, DataMovementConfig{});
  }
  void end_capture() {
    if (!std::exchange(capturing_, false)) return;
    const LightMetalBinary binary = LightMetalEndCapture();
    if (!binary.is_empty()) captured_ = commands_of(*opened(binary), {kCall});
  }
  // Returns how many of the calls the last capture in memory has.
  uint64_t captured() const { return captured_; }
  size_t call() {
    for (uint32_t i = 0; i < kSmallCalls; ++i)
      SetRuntimeArgs(program_, kernel_, kCore, std::array<uint32_t, 4>{i, 1, 2, 3});
    return kSmallCalls;
  }

 private:
  static constexpr CoreCoord kCore{0, 0};
  Program program_;
  KernelHandle kernel_ = 0;
  bool capturing_ = false;
  uint64_t captured_ = 0;
};

}  // namespace

// SetRuntimeArgs of four words into a capture in memory, over its FlatBuffers tables alone.
Ratio capture_small_call() {
  IDevice* device = CreateDevice(0);
  SmallCalls calls;
  const Pair pair{.subject = [&] { return calls.call(); },
                  .baseline = [] { return build_tables(kSmallCalls); },
                  .prepare_subject = [&] { calls.begin_capture(); },
                  .prepare_baseline = [&] { calls.end_capture(); }};
  Ratio ratio = measure_ratio(pair, 21);
  calls.end_capture();
  CloseDevice(device);
  ratio.work = checked_work(kSmallCalls, calls.captured(), "calls");
  return ratio;
}

// A call of SetRuntimeArgs into a capture in a file, over the same call into one in memory.
Ratio capture_file_call(const std::string& folder) {
  const std::string file = folder + "/calls.lmb";
  IDevice* device = CreateDevice(0);
  SmallCalls calls;
  const auto begin = [&](const std::string& path) {
    calls.end_capture();
    calls.begin_capture({.path = path});
  };
  const Pair pair{.subject = [&] { return calls.call(); },
                  .baseline = [&] { return calls.call(); },
                  .prepare_subject = [&] { begin(file); },
                  .prepare_baseline = [&] { begin(""); }};
  Ratio ratio = measure_ratio(pair, 21);
  calls.end_capture();
  CloseDevice(device);
  const FilePointer in_file = value_of(schema::File::open(file));
  ratio.work = checked_work(kSmallCalls, commands_of(*in_file, {SmallCalls::kCall}), "calls");
  checked_work(kSmallCalls, calls.captured(), "calls in memory");
  std::filesystem::remove(file);
  return ratio;
}

// A 64 MiB write to a null device, captured to a file, over writing the same bytes to a file.
Ratio capture_payload(const std::string& folder) {
  constexpr size_t kBytes = size_t{64} << 20, kPage = size_t{1} << 20;
  const std::string captured = folder + "/payload.lmb", plain = folder + "/payload.bin";
  std::vector<uint32_t> words(kBytes / sizeof(uint32_t));
  uint32_t state = 1;
  for (uint32_t& word : words) word = state = state * 1664525 + 1013904223;

  IDevice* device = CreateDevice(0);
  const Pair pair{.subject =
                      [&] {
                        LightMetalBeginCapture(CaptureOptions{.path = captured});
                        auto buffer = Buffer::create(device, kBytes, kPage, BufferType::DRAM);
                        EnqueueWriteBuffer(device->command_queue(), *buffer, words.data(),
                                           /*blocking=*/true);
                        buffer.reset();
                        LightMetalEndCapture();
                        return size_t{1};
                      },
                  .baseline =
                      [&] {
                        write_plainly(plain, words);
                        return size_t{1};
                      }};
  Ratio ratio = measure_ratio(pair, 15);
  CloseDevice(device);
  ratio.work = checked_work(kBytes, written_bytes_of(*value_of(schema::File::open(captured))),
                            "bytes captured");
  checked_work(kBytes, std::filesystem::file_size(plain), "bytes written");
  std::filesystem::remove(captured);
  std::filesystem::remove(plain);
  return ratio;
}

}  // namespace lightmetal::bench
