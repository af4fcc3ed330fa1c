#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "device/device.h"
#include "device/registry/registry.h"

// What tests of the host API share: a backend called "watched" that keeps what reaches it, so that
// a test sees what a real device would have been told.
namespace tt::tt_metal::testing {

namespace device = lightmetal::device;

// Expects that `statement` throws a std::runtime_error whose text holds each of the given parts.
template <typename Statement, typename... Parts>
void expect_throws(Statement statement, const Parts&... parts) {
  try {
    statement();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), ::testing::AllOf(::testing::HasSubstr(parts)...));
  }
}

// What has reached the backend of one chip. Thread-safe.
class Watched {
 public:
  struct Seen {
    device::Launch launch;
    int chip;
  };
  using OnLaunch = std::function<absl::Status(const device::Launch&)>;

  void add(Seen seen) {
    lightmetal::MutexLock lock(&mutex_);
    launches_.push_back(std::move(seen));
  }
  // Forgets the launches, which keep their kernels alive.
  void forget_launches() {
    lightmetal::MutexLock lock(&mutex_);
    launches_.clear();
  }
  std::vector<Seen> launches() {
    lightmetal::MutexLock lock(&mutex_);
    return launches_;
  }
  // The arguments of a launch's first kernel on its first core.
  std::vector<uint32_t> args(size_t launch = 0) {
    const device::Launch seen = launches().at(launch).launch;
    const device::KernelOnCore& kernel = seen.plan->cores.at(0).kernels.at(0);
    const auto begin = seen.args.begin() + kernel.args_begin;
    return {begin, begin + kernel.args_count};
  }
  std::vector<uint32_t> common_args(size_t launch = 0) {
    const device::Launch seen = launches().at(launch).launch;
    const device::KernelOnCore& kernel = seen.plan->cores.at(0).kernels.at(0);
    const auto begin = seen.args.begin() + kernel.common_begin;
    return {begin, begin + kernel.common_count};
  }
  void add(const device::KernelSource& source) {
    lightmetal::MutexLock lock(&mutex_);
    last_source_ = source;
  }
  // What was compiled last.
  device::KernelSource last_source() {
    lightmetal::MutexLock lock(&mutex_);
    return last_source_;
  }
  void on_launch(OnLaunch callback) {
    lightmetal::MutexLock lock(&mutex_);
    on_launch_ = std::move(callback);
  }
  OnLaunch callback() {
    lightmetal::MutexLock lock(&mutex_);
    return on_launch_;
  }

  std::atomic<int> living_kernels = 0;
  std::atomic<int> living_devices = 0;
  std::atomic<int> compiled = 0;
  std::atomic<bool> kernel_outlived_device = false;

 private:
  lightmetal::Mutex mutex_;
  std::vector<Seen> launches_;
  device::KernelSource last_source_;
  OnLaunch on_launch_;
};

// Each test has its own Watched, made by WatchedTest.
inline std::unique_ptr<Watched>& watched_of_test() {
  static std::unique_ptr<Watched>& instance = *new std::unique_ptr<Watched>;
  return instance;
}
inline Watched& watched() { return *watched_of_test(); }

class WatchedKernel final : public device::LoadedKernel {
 public:
  WatchedKernel() { ++watched().living_kernels; }
  ~WatchedKernel() override {
    if (watched().living_devices == 0) watched().kernel_outlived_device = true;
    --watched().living_kernels;
  }
};

// A device that keeps what is written to its memory and runs nothing. A kernel whose source holds
// "#error" does not compile.
class WatchedDevice final : public device::Device {
 public:
  explicit WatchedDevice(device::DeviceOptions options) : options_(std::move(options)) {
    ++watched().living_devices;
  }
  ~WatchedDevice() override { --watched().living_devices; }

  const lightmetal::DeviceProfile& profile() const override { return options_.profile; }
  absl::Status write_dram(uint32_t bank, uint64_t address, lightmetal::Bytes data) override {
    return write({0, bank, 0}, address, data);
  }
  absl::Status read_dram(uint32_t bank, uint64_t address, absl::Span<std::byte> data) override {
    return read({0, bank, 0}, address, data);
  }
  absl::Status write_l1(lightmetal::Core core, uint64_t address, lightmetal::Bytes data) override {
    return write({1, core.x, core.y}, address, data);
  }
  absl::Status read_l1(lightmetal::Core core, uint64_t address,
                       absl::Span<std::byte> data) override {
    return read({1, core.x, core.y}, address, data);
  }
  absl::StatusOr<device::KernelObject> compile(const device::KernelSource& source) override {
    ++watched().compiled;
    watched().add(source);
    if (source.text.find("#error") != std::string::npos) {
      return absl::InvalidArgumentError(source.name + ": error: as the source asked");
    }
    const auto bytes = lightmetal::bytes_of(source.text.data(), source.text.size());
    return device::KernelObject{"watched", {bytes.begin(), bytes.end()}};
  }
  absl::StatusOr<std::shared_ptr<device::LoadedKernel>> load(const device::KernelObject& object,
                                                             const std::string&) override {
    lightmetal::MutexLock lock(&mutex_);
    std::weak_ptr<WatchedKernel>& known = loaded_[object.bytes];
    std::shared_ptr<WatchedKernel> kernel = known.lock();
    if (kernel == nullptr) known = kernel = std::make_shared<WatchedKernel>();
    return kernel;
  }
  absl::Status launch(const device::Launch& launch) override {
    watched().add({launch, options_.chip_id});
    const Watched::OnLaunch callback = watched().callback();
    return callback ? callback(launch) : absl::OkStatus();
  }

 private:
  using Place = std::tuple<int, uint32_t, uint32_t>;

  absl::Status write(Place place, uint64_t address, lightmetal::Bytes data) {
    lightmetal::MutexLock lock(&mutex_);
    for (const std::byte byte : data) memory_[{place, address++}] = byte;
    return absl::OkStatus();
  }
  absl::Status read(Place place, uint64_t address, absl::Span<std::byte> data) {
    lightmetal::MutexLock lock(&mutex_);
    for (std::byte& byte : data) byte = memory_[{place, address++}];
    return absl::OkStatus();
  }

  const device::DeviceOptions options_;
  lightmetal::Mutex mutex_;
  std::map<std::pair<Place, uint64_t>, std::byte> memory_;
  std::map<std::vector<std::byte>, std::weak_ptr<WatchedKernel>> loaded_;  // by their objects
};

// A test with devices of the watched backend, which it closes at its end.
class WatchedTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    device::register_device("watched",
                            [](const device::DeviceOptions& options)
                                -> absl::StatusOr<std::unique_ptr<device::Device>> {
                              return std::make_unique<WatchedDevice>(options);
                            });
  }
  WatchedTest() {
    setenv("LIGHTMETAL_DEVICE", "watched", 1);
    watched_of_test() = std::make_unique<Watched>();
  }
  ~WatchedTest() override {
    for (IDevice* device : devices_) {
      if (device->is_initialized()) CloseDevice(device);
    }
  }

  IDevice* open(chip_id_t id = 0, uint8_t queues = 1, size_t l1_small_size = 0) {
    devices_.push_back(CreateDevice(id, queues, l1_small_size));
    return devices_.back();
  }
  // The device that most tests need.
  IDevice* device() { return devices_.empty() ? open() : devices_.front(); }
  CommandQueue& queue() { return device()->command_queue(); }

  std::shared_ptr<Buffer> dram(size_t size, size_t page_size) {
    return CreateBuffer(InterleavedBufferConfig{
        .device = device(), .size = size, .page_size = page_size, .buffer_type = BufferType::DRAM});
  }
  std::shared_ptr<Buffer> l1(size_t size, size_t page_size) {
    return CreateBuffer(InterleavedBufferConfig{
        .device = device(), .size = size, .page_size = page_size, .buffer_type = BufferType::L1});
  }

  static KernelHandle add_kernel(Program& program,
                                 const std::variant<CoreCoord, CoreRange, CoreRangeSet>& cores,
                                 DataMovementConfig config = {}) {
    return CreateKernelFromString(program, "void kernel_main() {}", cores, config);
  }

 private:
  std::vector<IDevice*> devices_;
};

inline std::vector<uint32_t> counting(size_t count, uint32_t first = 0) {
  std::vector<uint32_t> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = first + static_cast<uint32_t>(i);
  return values;
}

}  // namespace tt::tt_metal::testing
