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

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "benchmarks/benchmarks.h"
#include "benchmarks/printed_by.h"
#include "benchmarks/resident_matmul.h"
#include "benchmarks/values.h"
#include "tests/support/linked_device.h"

namespace lightmetal::bench {

namespace tm = tt::tt_metal;

namespace {

using runtime::Device;
using runtime::Event;
using runtime::Tensor;
using testing::Link;
using Clock = std::chrono::steady_clock;

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

// The resident matmul behind a link, with two A and two C that take turns.
class DoubleBuffered {
 public:
  DoubleBuffered()
      : device_(open_linked(*file_, link_)),
        executable_(value_of(device_.load(file_))),
        source_(host_input(*executable_)) {
    for (int i = 0; i < 2; ++i) {
      a_.push_back(value_of(runtime::allocateInputTensor(device_, *executable_, 0)));
      c_.push_back(value_of(runtime::allocateOutputTensor(device_, *executable_, 0)));
    }
    for (int i = 0; i < 2; ++i) require_ok(wait(upload(i)));
    make_upload_as_long_as_a_run();
  }

  size_t run_serially() {
    for (int i = 0; i < kIterations; ++i) {
      require_ok(wait(upload(i)));
      require_ok(wait(run(i)));
    }
    return kIterations;
  }
  size_t run_overlapped() {
    std::vector<Event> runs;
    for (int i = 0; i < kIterations; ++i) {
      upload(i);
      runs.push_back(run(i));
    }
    require_ok(wait(runs));
    return kIterations;
  }

 private:
  static constexpr int kIterations = 100;

  Event upload(int iteration) { return toLayout(a_[iteration % 2], source_); }
  Event run(int iteration) {
    return submit(device_, executable_, kMultiply, {a_[iteration % 2]}, {c_[iteration % 2]});
  }

  // Then half of the time can be hidden, and no more.
  void make_upload_as_long_as_a_run() {
    constexpr int kRuns = 20;
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < kRuns; ++i) require_ok(wait(run(i)));
    const std::chrono::duration<double> time = Clock::now() - start;
    const auto bytes = static_cast<double>(executable_->tensors().at(0).tensor.size());
    link_.set_speed(bytes * kRuns / time.count());
  }

  Link link_;
  const std::shared_ptr<const schema::File> file_ = captured_matmul("0");
  const Device device_;
  const std::shared_ptr<Executable> executable_;
  const Tensor source_;
  std::vector<Tensor> a_, c_;
};

}  // namespace

// A request: A goes to the device, C comes back; with the conversion to and from tiles, which the
// calls have done beforehand.
Ratio resident_run() {
  tm::IDevice* const device = tm::CreateDevice(0);
  Ratio ratio;
  {
    const auto executable = load_matmul(device);
    MatmulRequest request;
    ResidentMatmul matmul(device);
    matmul.write_b();
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
  }
  tm::CloseDevice(device);
  return ratio;
}

Ratio run_allocations(const std::string& bin_folder) {
  double allocations = 0;
  const std::string printed = printed_by(bin_folder + "/run_allocations");
  if (!absl::SimpleAtod(printed, &allocations))
    throw std::runtime_error("run_allocations has printed " + printed);
  return {.ratio = allocations, .subject = allocations, .baseline = 1, .unit = "allocations"};
}

// A link takes as long to bring A to the device as the device takes to multiply. A hundred
// iterations with two of each tensor, given at once, over the same with a wait behind each call.
Ratio overlap() {
  DoubleBuffered matmul;
  return measure_ratio({.subject = [&] { return matmul.run_overlapped(); },
                        .baseline = [&] { return matmul.run_serially(); }},
                       3);
}

// The product of one captured matmul is A of another one.
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
  const double before = bytes();
  require_ok(wait(submit(device, second, kMultiply, {between}, {result})));
  const double moved = bytes() - before;
  return {.ratio = moved, .subject = moved, .baseline = 1, .unit = "bytes"};
}

// A process that replays the captured matmul, up to its end, over one of the program itself that
// has no kernel compiled yet.
Ratio cold_start_vs_compile(const std::string& bin_folder, const std::string& folder) {
  const std::string file = folder + "/cold_start.lmb", cache = folder + "/cold_start_cache";
  const std::string program = bin_folder + "/matmul_multi_core";
  printed_by(absl::StrCat(program, " --capture ", file));
  const auto process = [](const std::string& command) {
    return [command] {
      printed_by(command);
      return size_t{1};
    };
  };
  const Ratio ratio = measure_ratio(
      {.subject = process(absl::StrCat(bin_folder, "/lightmetal_runner run ", file)),
       .baseline = process(absl::StrCat("LIGHTMETAL_CACHE_DIR=", cache, " ", program)),
       .prepare_baseline = [&] { std::filesystem::remove_all(cache); }},
      5);
  std::filesystem::remove_all(cache);
  std::filesystem::remove(file);
  return ratio;
}

}  // namespace lightmetal::bench
