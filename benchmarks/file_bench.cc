// What files cost: checking them, opening them, keeping equal payloads once, holding many commands,
// and the memory that capturing large payloads takes.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <lightmetal/capture.hpp>
#include <lightmetal/replay.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <tt-metalium/device.hpp>
#include <tt-metalium/host_api.hpp>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "benchmarks/benchmarks.h"
#include "benchmarks/counted_work.h"
#include "benchmarks/values.h"
#include "examples/matmul_multi_core/matmul_program.h"
#include "schema/file/reader.h"
#include "schema/show/info.h"
#include "schema/storage/mapped_file.h"
#include "schema/verify/verify.h"

namespace lightmetal::bench {
namespace {

using schema::Call;

constexpr size_t kMiB = size_t{1} << 20;

// A captured file, which is removed at the end of the object's life.
class CapturedFile {
 public:
  CapturedFile(std::string path, const std::function<void()>& program) : path_(std::move(path)) {
    LightMetalBeginCapture({.path = path_, .read_goldens = true});
    program();
    LightMetalEndCapture();
  }
  ~CapturedFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  CapturedFile(const CapturedFile&) = delete;
  CapturedFile& operator=(const CapturedFile&) = delete;

  const std::string& path() const { return path_; }
  uint64_t size() const { return std::filesystem::file_size(path_); }

 private:
  const std::string path_;
};

FilePointer open(const CapturedFile& file) { return value_of(schema::File::open(file.path())); }

// Random words, which are another payload after each change.
class Payload {
 public:
  explicit Payload(size_t bytes) : words_(bytes / sizeof(uint64_t)) {
    for (uint64_t& word : words_) word = next();
  }

  void change() {
    for (size_t i = 0; i < words_.size(); i += 512) words_[i] ^= next();
  }
  const void* data() const { return words_.data(); }
  size_t size() const { return words_.size() * sizeof(uint64_t); }

 private:
  uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    return state_ ^= state_ << 17;
  }

  uint64_t state_ = 88172645463325252;
  std::vector<uint64_t> words_;
};

std::shared_ptr<Buffer> make_buffer(IDevice* device, size_t bytes) {
  return Buffer::create(device, bytes, std::min(bytes, kMiB), BufferType::DRAM);
}

// Writes `count` payloads, all different.
void write_payloads(IDevice* device, size_t bytes, size_t count) {
  auto buffer = make_buffer(device, bytes);
  Payload payload(bytes);
  for (size_t i = 0; i < count; ++i) {
    payload.change();
    EnqueueWriteBuffer(device->command_queue(), *buffer, payload.data(), /*blocking=*/true);
  }
}

// Makes `count` small commands and waits, as a program does that launches often: arguments,
// launches, and a buffer now and then.
void make_commands(IDevice* device, uint32_t count) {
  constexpr uint32_t kForEachLaunch = 10, kForEachBuffer = 100, kForEachFinish = 10'000;
  const CoreCoord core{0, 0};
  CommandQueue& queue = device->command_queue();
  Program program = CreateProgram();
  const KernelHandle kernel =
      CreateKernelFromString(program, "void kernel_main() {}", core, DataMovementConfig{});
  for (uint32_t i = 0; i < count; ++i) {
    if (i % kForEachBuffer == 0) {
      make_buffer(device, 4096);  // two commands: BufferCreate and BufferDestroy
      ++i;
    } else if (i % kForEachFinish == kForEachFinish - 1) {
      Finish(queue);  // as often in a long run as in a short one
    } else if (i % kForEachLaunch == 0) {
      EnqueueProgram(queue, program, /*blocking=*/false);
    } else {
      SetRuntimeArgs(program, kernel, core, std::array<uint32_t, 4>{i, 1, 2, 3});
    }
  }
  Finish(queue);
}

// Returns how many commands of `file` are those that make_commands() makes in its loop.
uint64_t small_commands_of(const schema::File& file) {
  const uint64_t commands =
      commands_of(file, {Call::SetRuntimeArgs, Call::EnqueueProgram, Call::FinishQueue,
                         Call::BufferCreate, Call::BufferDestroy});
  constexpr uint64_t kLastFinish = 1;
  return commands - std::min(commands, kLastFinish);
}

// Makes events that all live until the last one is made. Compiled together with other benchmarks,
// the name Event alone would be runtime::Event, of which a capture records nothing.
void make_live_objects(IDevice* /*device*/, uint32_t count) {
  using HostEvent = tt::tt_metal::Event;
  std::vector<std::unique_ptr<HostEvent>> alive(count);
  for (std::unique_ptr<HostEvent>& event : alive) event = std::make_unique<HostEvent>();
}

// Returns how many events of `file` are made and destroyed.
uint64_t live_objects_of(const schema::File& file) {
  return std::min(commands_of(file, {Call::EventCreate}), commands_of(file, {Call::EventDestroy}));
}

Ratio measure_verify(const CapturedFile& file, int times, int rounds) {
  const auto repeat = [times](const std::function<void()>& work) {
    for (int i = 0; i < times; ++i) work();
    return static_cast<size_t>(times);
  };
  return measure_ratio(
      {.subject = [&] { return repeat([&] { require_ok(schema::verify(*open(file))); }); },
       .baseline =
           [&] {
             return repeat([&] {
               const auto mapping = value_of(schema::MappedFile::open(file.path()));
               if (digest_of(mapping->bytes()) == Digest()) throw std::runtime_error("no digest");
             });
           }},
      rounds);
}

// The cost of each command in a long file, over its cost in a short one.
class CommandScaling {
 public:
  // Makes `count` commands or objects, which `count_of` finds in the file of its capture.
  struct Program {
    void (*run)(IDevice* device, uint32_t count);
    uint64_t (*count_of)(const schema::File& file);
    std::string unit;
  };

  CommandScaling(const std::string& folder, Program program)
      : program_(std::move(program)),
        long_(folder + "/long.lmb", [this] { program_.run(device_, kLong); }),
        short_(folder + "/short.lmb", [this] { program_.run(device_, kShort); }),
        work_(checked(long_, kLong) + " of a file of " +
              std::to_string(open(long_)->num_commands()) + " commands") {
    checked(short_, kShort);
  }
  ~CommandScaling() { CloseDevice(device_); }

  // The worst ratio among those of capture, check, load and replay.
  Ratio worst() {
    const Ratio capture = this->capture(), verify = this->verify(), load = this->load(),
                replay = this->replay();
    Ratio worst = std::max({capture, verify, load, replay},
                           [](const Ratio& a, const Ratio& b) { return a.ratio < b.ratio; });
    worst.work = work_;
    worst.note = absl::StrFormat(
        "capture %.2f (%.0f ns), verify %.2f (%.0f ns), load %.2f (%.0f ns), replay %.2f (%.0f ns)",
        capture.ratio, capture.subject, verify.ratio, verify.subject, load.ratio, load.subject,
        replay.ratio, replay.subject);
    return worst;
  }

 private:
  static constexpr uint32_t kLong = 1'000'000, kShort = 10'000;
  static constexpr uint32_t kShortRuns = 20;

  std::string checked(const CapturedFile& file, uint32_t count) const {
    return checked_work(count, program_.count_of(*open(file)), program_.unit);
  }

  // The files of the last round are counted once the clock has stopped.
  Ratio capture() {
    std::unique_ptr<CapturedFile> last_long, last_short;
    const Ratio ratio = measure([&](const CapturedFile& file, uint32_t count) {
      std::unique_ptr<CapturedFile>& last = count == kLong ? last_long : last_short;
      last.reset();
      last = std::make_unique<CapturedFile>(file.path() + ".again",
                                            [&] { program_.run(device_, count); });
    });
    checked(*last_long, kLong);
    checked(*last_short, kShort);
    return ratio;
  }
  Ratio verify() {
    return measure(
        [](const CapturedFile& file, uint32_t) { require_ok(schema::verify(*open(file))); });
  }
  Ratio load() {
    return measure([this](const CapturedFile& file, uint32_t) { load(file); });
  }
  Ratio replay() {
    const std::unique_ptr<Replay> replay_long = load(long_), replay_short = load(short_);
    return measure([&](const CapturedFile& file, uint32_t) {
      Replay& replay = &file == &long_ ? *replay_long : *replay_short;
      checked_work(replay.num_commands(), value_of(replay.run()).commands, "commands");
    });
  }

  std::unique_ptr<Replay> load(const CapturedFile& file) {
    return value_of(Replay::load(open(file), {.device = device_}));
  }

  Ratio measure(const std::function<void(const CapturedFile&, uint32_t)>& work) {
    return measure_ratio({.subject =
                              [&] {
                                work(long_, kLong);
                                return size_t{kLong};
                              },
                          .baseline =
                              [&] {
                                for (uint32_t i = 0; i < kShortRuns; ++i) work(short_, kShort);
                                return size_t{kShortRuns} * kShort;
                              }},
                         5);
  }

  const Program program_;
  IDevice* const device_ = CreateDevice(0);
  const CapturedFile long_;
  const CapturedFile short_;
  const std::string work_;
};

// Runs a program that writes 1 GiB of payloads, and returns the most memory that it had resident,
// in MiB.
double resident_mebibytes(const std::string& program) {
  FILE* pipe = popen((program + " 1024").c_str(), "r");
  double bytes = 0;
  if (!pipe || std::fscanf(pipe, "%lf", &bytes) != 1)
    throw std::runtime_error("cannot run " + program);
  pclose(pipe);
  return bytes / static_cast<double>(kMiB);
}

}  // namespace

// Checking a captured matrix product over the digest of its file's bytes, both from opening the
// file on.
Ratio verify_vs_read(const std::string& folder) {
  const auto mesh = distributed::MeshDevice::create_unit_mesh(0);
  const example::MatmulInputs tiles = example::tilized(example::make_matmul_inputs());
  const CapturedFile product(folder + "/product.lmb", [&] { example::run_matmul(*mesh, tiles); });
  constexpr uint32_t kSmall = 20'000;
  const CapturedFile commands(folder + "/commands.lmb", [&] { make_commands(mesh.get(), kSmall); });
  Ratio ratio = measure_verify(product, 20, 21);
  const Ratio small = measure_verify(commands, 4, 11);
  checked_work(1, commands_of(*open(product), {Call::EnqueueReadBuffer}), "reads");
  ratio.work =
      absl::StrFormat("%s of %d commands", checked_work(1, launches_of(*open(product)), "launch"),
                      open(product)->num_commands());
  checked_work(kSmall, small_commands_of(*open(commands)), "small commands");
  ratio.note = absl::StrFormat("%.1f MiB; %.2f for %d small commands (%.0f ns each)",
                               static_cast<double>(product.size()) / kMiB, small.ratio, kSmall,
                               small.subject / kSmall);
  return ratio;
}

// The size of the capture of a loop that writes the same four weights 100 times, over the size of
// the weights.
Ratio dedup_size(const std::string& folder) {
  constexpr size_t kWeights = 4, kWeightBytes = 4 * kMiB;
  IDevice* device = CreateDevice(0);
  std::vector<Payload> weights(kWeights, Payload(kWeightBytes));
  for (size_t i = 0; i < kWeights; ++i) {
    for (size_t times = 0; times <= i; ++times) weights[i].change();
  }
  const CapturedFile file(folder + "/weights.lmb", [&] {
    auto buffer = make_buffer(device, kWeightBytes);
    for (int i = 0; i < 100; ++i) {
      for (const Payload& weight : weights)
        EnqueueWriteBuffer(device->command_queue(), *buffer, weight.data(), /*blocking=*/true);
    }
  });
  CloseDevice(device);
  const auto size = static_cast<double>(file.size()), unique = double{kWeights * kWeightBytes};
  return {.ratio = size / unique,
          .subject = size,
          .baseline = unique,
          .unit = "bytes",
          .work = checked_work(100 * kWeights * kWeightBytes, written_bytes_of(*open(file)),
                               "bytes written")};
}

// Opening a file of 4 GiB up to its first command, over the same for one of 4 MiB, both in the page
// cache. Closing them is not counted.
Ratio open_scaling(const std::string& folder) {
  constexpr int kRounds = 2'001;
  IDevice* device = CreateDevice(0);
  const CapturedFile large(folder + "/large.lmb", [&] { write_payloads(device, 64 * kMiB, 64); });
  const CapturedFile small(folder + "/small.lmb", [&] { write_payloads(device, 4 * kMiB, 1); });
  CloseDevice(device);
  FilePointer opened;
  const auto open_once = [&](const CapturedFile& file) {
    opened = open(file);
    value_of(opened->command(0));
    return size_t{1};
  };
  const auto close = [&] { opened.reset(); };
  Ratio ratio = measure_ratio({.subject = [&] { return open_once(large); },
                               .baseline = [&] { return open_once(small); },
                               .prepare_subject = close,
                               .prepare_baseline = close},
                              kRounds);
  ratio.work = checked_work(64 * 64 * kMiB, written_bytes_of(*open(large)), "bytes written");
  checked_work(4 * kMiB, written_bytes_of(*open(small)), "bytes written");
  return ratio;
}

// `info` of a file of a million commands, over going to each of them once, which is as much as an
// index saves: it says where commands lie, and not what they are.
Ratio info_speed(const std::string& folder) {
  constexpr uint32_t kCommands = 1'000'000;
  IDevice* device = CreateDevice(0);
  const CapturedFile file(folder + "/commands.lmb", [&] { make_commands(device, kCommands); });
  CloseDevice(device);
  const uint64_t all = open(file)->num_commands();
  std::string json;
  uint64_t visited = 0;
  const auto visit_all = [&] {
    visited = 0;
    require_ok(open(file)->for_each_command([&](const schema::CommandView&) {
      ++visited;
      return absl::OkStatus();
    }));
    return visited;
  };
  const auto write_info = [&] {
    json = value_of(schema::info_json(*open(file)));
    return all;
  };
  Ratio ratio = measure_ratio({.subject = write_info, .baseline = visit_all}, 5);
  ratio.work = checked_work(kCommands, small_commands_of(*open(file)), "small commands");
  checked_work(all, visited, "visited commands");
  checked_work(1, absl::StrContains(json, absl::StrCat("\"commands\":", all)), "info of all");
  return ratio;
}

// The time for each command in a file of a million, over the time in a file of ten thousand, where
// as many objects live at once in both: the worst of capture, check, load and replay.
Ratio command_scaling(const std::string& folder) {
  return CommandScaling(folder, {make_commands, small_commands_of, "small commands"}).worst();
}

// The time for each object where a million live at once, over the time where ten thousand do: again
// the worst of capture, check, load and replay.
Ratio live_object_scaling(const std::string& folder) {
  return CommandScaling(folder, {make_live_objects, live_objects_of, "live objects"}).worst();
}

// No ratio: how many MiB more are resident at once in a program that writes 1 GiB of payloads when
// it is captured.
Ratio capture_rss_mb(const std::string& bin_folder, const std::string& folder) {
  const std::string program = bin_folder + "/large_child", file = folder + "/resident.lmb";
  const double plain = resident_mebibytes(program);
  const double captured = resident_mebibytes("LIGHTMETAL_CAPTURE='" + file + "' " + program);
  const uint64_t written = written_bytes_of(*value_of(schema::File::open(file)));
  std::filesystem::remove(file);
  return {captured - plain,
          captured,
          plain,
          "MiB",
          "a difference",
          checked_work(1024 * kMiB, written, "bytes written")};
}

}  // namespace lightmetal::bench
