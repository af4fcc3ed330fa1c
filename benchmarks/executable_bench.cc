// What it costs to run a file as an executable.
#include <chrono>
#include <filesystem>
#include <lightmetal/runtime.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "benchmarks/benchmarks.h"
#include "benchmarks/printed_by.h"
#include "benchmarks/resident_matmul.h"
#include "benchmarks/values.h"
#include "schema/file/reader.h"
#include "tests/runtime/stage_capture.h"
#include "tests/support/linked_device.h"

namespace lightmetal::bench {

namespace tm = tt::tt_metal;

namespace {

using runtime::Device;
using runtime::Tensor;
using testing::Link;

constexpr char kLinked[] = "linked";  // the CPU device behind a link

Device open_linked(const schema::File& file, Link& link) {
  testing::register_linked_device(kLinked, link);
  return value_of(Device::open(file, kLinked));
}

// A host tensor of zeros with the shape of an executable's input.
Tensor host_input(const Executable& executable) {
  const TensorDesc& desc = executable.tensors().at(0).tensor;
  const std::vector<std::byte> zeros(desc.size());
  return value_of(runtime::createOwnedHostTensor(zeros, desc.shape, desc.type));
}

std::shared_ptr<const schema::File> captured_stage(const std::string& folder) {
  const std::string path = folder + "/overlap.lmb";
  testing::capture_stages(path, 0, {{.factor = 3, .weight = 7}},
                          lightmetal::testing::StageForm::kLaunched);
  auto file = value_of(schema::File::open(path));
  std::filesystem::remove(path);
  return file;
}

// A small program behind a link, with two inputs and two outputs that take turns. The link takes as
// long for an input as the device for a run, so half of the time can be hidden. Both sleep: the
// processors, which other work may want, are not what is measured.
class DoubleBuffered {
 public:
  static constexpr int kIterations = 100;

  explicit DoubleBuffered(const std::string& folder)
      : file_(captured_stage(folder)),
        device_(open_linked(*file_, link_)),
        executable_(value_of(device_.load(file_))),
        source_(host_input(*executable_)) {
    for (int i = 0; i < 2; ++i) {
      inputs_.push_back(value_of(runtime::allocateInputTensor(device_, *executable_, 0)));
      outputs_.push_back(value_of(runtime::allocateOutputTensor(device_, *executable_, 0)));
    }
    constexpr std::chrono::milliseconds kTime(10);
    const auto bytes = static_cast<double>(executable_->tensors().at(0).tensor.size());
    link_.set_speed(bytes / std::chrono::duration<double>(kTime).count());
    link_.set_launch_time(kTime);
  }

  size_t run_serially() {
    for (int i = 0; i < kIterations; ++i) {
      require_ok(wait(upload(i)));
      require_ok(wait(run(i)));
    }
    return kIterations;
  }
  uint64_t launches() const { return link_.counts().launches; }
  size_t run_overlapped() {
    std::vector<runtime::Event> runs;
    for (int i = 0; i < kIterations; ++i) {
      upload(i);
      runs.push_back(run(i));
    }
    require_ok(wait(runs));
    return kIterations;
  }

 private:
  runtime::Event upload(int iteration) { return toLayout(inputs_[iteration % 2], source_); }
  runtime::Event run(int iteration) {
    return submit(device_, executable_, "run", {inputs_[iteration % 2]}, {outputs_[iteration % 2]});
  }

  Link link_;
  const std::shared_ptr<const schema::File> file_;
  const Device device_;
  const std::shared_ptr<Executable> executable_;
  const Tensor source_;
  std::vector<Tensor> inputs_, outputs_;
};

}  // namespace

// A request: A goes to the device, C comes back; with the conversion to and from tiles, which the
// calls have done beforehand.
Ratio resident_run() {
  tm::IDevice* const device = tm::CreateDevice(0);
  Ratio ratio;
  {
    const auto executable = load_matmul(device);
    ResidentMatmul matmul(device);
    matmul.write_b();
    MatmulRequest request(matmul.a());
    ratio = measure_ratio({.subject =
                               [&] {
                                 request.run(*executable);
                                 return size_t{1};
                               },
                           .baseline =
                               [&] {
                                 matmul.write_a_and_launch();
                                 matmul.read_c();
                                 return size_t{1};
                               }},
                          51);
    ratio.work =
        checked_work(kProductElements, request.equal_elements(matmul.product()), "equal elements");
  }
  tm::CloseDevice(device);
  return ratio;
}

Ratio run_allocations(const std::string& bin_folder) {
  double allocations = 0;
  uint64_t equal = 0;
  const std::string printed = printed_by(bin_folder + "/run_allocations");
  const std::pair<std::string, std::string> numbers = absl::StrSplit(printed, ' ');
  if (!absl::SimpleAtod(numbers.first, &allocations) || !absl::SimpleAtoi(numbers.second, &equal)) {
    throw std::runtime_error("run_allocations has printed " + printed);
  }
  return {.ratio = allocations,
          .subject = allocations,
          .baseline = 1,
          .unit = "allocations",
          .work = checked_work(kProductElements, equal, "equal elements")};
}

// A hundred iterations, given at once, over the same with a wait behind each call.
Ratio overlap(const std::string& folder) {
  DoubleBuffered program(folder);
  constexpr int kRounds = 3;
  Ratio ratio = measure_ratio({.subject = [&] { return program.run_overlapped(); },
                               .baseline = [&] { return program.run_serially(); }},
                              kRounds);
  // Both sides launch in each round and in the one to warm up.
  ratio.work =
      checked_work(2 * (kRounds + 1) * DoubleBuffered::kIterations, program.launches(), "launches");
  return ratio;
}

// The product of one captured matmul is A of another one. The first run is not counted: it reads
// the inputs and constants of the entry, to find those that kernels write to.
Ratio stitch_bytes() {
  Link link;
  const auto first_file = captured_matmul("0"), second_file = captured_matmul("64M");
  const Device device = open_linked(*first_file, link);
  const auto first = value_of(device.load(first_file)), second = value_of(device.load(second_file));
  const Tensor between = value_of(runtime::allocateOutputTensor(device, *first, 0));
  const Tensor result = value_of(runtime::allocateOutputTensor(device, *second, 0));
  require_ok(wait(submit(device, first, kMultiply, {host_input(*first)}, {between})));
  const auto bytes = [&link] {
    const testing::LinkCounts counts = link.counts();
    return static_cast<double>(counts.bytes_to_device + counts.bytes_to_host);
  };
  require_ok(wait(submit(device, second, kMultiply, {between}, {result})));
  const double before = bytes();
  const uint64_t launches_before = link.counts().launches;
  require_ok(wait(submit(device, second, kMultiply, {between}, {result})));
  const double moved = bytes() - before;
  return {.ratio = moved,
          .subject = moved,
          .baseline = 1,
          .unit = "bytes",
          .work = checked_work(1, link.counts().launches - launches_before, "launches")};
}

// A process that replays the captured matmul, up to its end, over one of the program itself that
// has no kernel compiled yet.
Ratio cold_start_vs_compile(const std::string& bin_folder, const std::string& folder) {
  const std::string file = folder + "/cold_start.lmb", cache = folder + "/cold_start_cache";
  const std::string program = bin_folder + "/matmul_multi_core";
  printed_by(absl::StrCat(program, " --capture ", file));
  std::filesystem::remove_all(cache);
  uint64_t replays = 0, compiled = 0;
  const auto replay = [&] {
    const std::string line = printed_by(absl::StrCat(bin_folder, "/lightmetal_runner run ", file));
    replays += absl::StrContains(line, "1 golden matched") ? 1 : 0;
    return size_t{1};
  };
  const auto run = [&] {
    printed_by(absl::StrCat("LIGHTMETAL_CACHE_DIR=", cache, " ", program));
    return size_t{1};
  };
  const auto empty_cache = [&] { compiled += std::filesystem::remove_all(cache) > 0 ? 1 : 0; };
  constexpr int kRounds = 5;
  Ratio ratio =
      measure_ratio({.subject = replay, .baseline = run, .prepare_baseline = empty_cache}, kRounds);
  empty_cache();
  ratio.work = checked_work(kRounds + 1, replays, "replays with a golden that matched");
  checked_work(kRounds + 1, compiled, "runs that filled the cache of kernels");
  std::filesystem::remove(file);
  return ratio;
}

}  // namespace lightmetal::bench
