#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/device.h"
#include "device/noc.h"
#include "device/registry/registry.h"

// What tests of a device share: opening one under settings of its own, and building launches.
namespace lightmetal::device::testing {

// Sets environment variables for its lifetime.
class Environment {
 public:
  void set(const std::string& name, const std::string& value) {
    const char* before = std::getenv(name.c_str());
    saved_.emplace_back(name, before == nullptr ? "" : before);
    setenv(name.c_str(), value.c_str(), 1);
  }
  ~Environment() {
    for (auto entry = saved_.rbegin(); entry != saved_.rend(); ++entry) {
      setenv(entry->first.c_str(), entry->second.c_str(), 1);  // empty counts as not set
    }
  }

 private:
  std::vector<std::pair<std::string, std::string>> saved_;
};

inline constexpr uint32_t kL1 = 0x20000;  // anywhere above l1_unreserved_base

inline std::unique_ptr<Device> open_cpu(const DeviceOptions& options = {}) {
  auto device = open_device("cpu", options);
  EXPECT_TRUE(device.ok()) << device.status();
  return device.ok() ? *std::move(device) : nullptr;
}

inline std::unique_ptr<Device> open_cpu_with_workers(int workers) {
  Environment environment;
  environment.set("LIGHTMETAL_CPU_DEVICE_WORKERS", std::to_string(workers));
  return open_cpu();
}

// The object of a data-movement or compute kernel.
inline KernelObject compile(Device& device, const std::string& name, const std::string& text,
                            Processor processor = Processor::kRiscv0) {
  KernelSource source;
  source.name = name;
  source.text = text;
  source.processor = processor;
  auto object = device.compile(source);
  EXPECT_TRUE(object.ok()) << object.status();
  return object.ok() ? *std::move(object) : KernelObject{};
}

inline std::shared_ptr<LoadedKernel> load(Device& device, const std::string& name,
                                          const std::string& text,
                                          Processor processor = Processor::kRiscv0) {
  auto kernel = device.load(compile(device, name, text, processor), name);
  EXPECT_TRUE(kernel.ok()) << kernel.status();
  return kernel.ok() ? *kernel : nullptr;
}

class LaunchBuilder {
 public:
  explicit LaunchBuilder(Device& device) : device_(device) {}

  // Returns the kernel's index.
  uint32_t kernel(const std::string& name, const std::string& text,
                  Processor processor = Processor::kRiscv0) {
    plan_.kernels.push_back({load(device_, name, text, processor), processor, 0, name});
    return static_cast<uint32_t>(plan_.kernels.size() - 1);
  }

  CorePlan& core(Core core) {
    for (CorePlan& known : plan_.cores) {
      if (known.core == core) return known;
    }
    CorePlan& added = plan_.cores.emplace_back();
    added.core = core;
    return added;
  }

  void run_on(Core where, uint32_t kernel, const std::vector<uint32_t>& args,
              const std::vector<uint32_t>& common_args = {}) {
    core(where).kernels.push_back({.kernel = kernel,
                                   .args_begin = append(args),
                                   .args_count = static_cast<uint32_t>(args.size()),
                                   .common_begin = append(common_args),
                                   .common_count = static_cast<uint32_t>(common_args.size())});
  }

  void circular_buffer(Core where, uint8_t index, uint32_t address, uint32_t pages,
                       uint32_t page_size) {
    core(where).circular_buffers.push_back({.index = index,
                                            .format = DataFormat::Float16_b,
                                            .address = address,
                                            .size = pages * page_size,
                                            .page_size = page_size});
  }

  void semaphore(Core where, uint32_t id, uint32_t value) {
    core(where).semaphores.push_back({id, value});
  }

  Launch build() {
    static std::atomic<uint64_t> next_id{1};
    auto plan = std::make_shared<LaunchPlan>(plan_);
    plan->id = next_id++;
    return {.plan = std::move(plan), .args = args_};
  }

  absl::Status launch() { return device_.launch(build()); }

 private:
  uint32_t append(const std::vector<uint32_t>& words) {
    args_.insert(args_.end(), words.begin(), words.end());
    return static_cast<uint32_t>(args_.size() - words.size());
  }

  Device& device_;
  LaunchPlan plan_;
  std::vector<uint32_t> args_;
};

inline Bytes bytes_of_words(const std::vector<uint32_t>& words) {
  return bytes_of(words.data(), words.size() * sizeof(uint32_t));
}

inline void write_words(Device& device, Core core, uint64_t address,
                        const std::vector<uint32_t>& words) {
  const absl::Status status = device.write_l1(core, address, bytes_of_words(words));
  EXPECT_TRUE(status.ok()) << status;
}

inline std::vector<uint32_t> read_words(Device& device, Core core, uint64_t address, size_t count) {
  std::vector<uint32_t> words(count);
  const absl::Status status = device.read_l1(
      core, address, {reinterpret_cast<std::byte*>(words.data()), count * sizeof(uint32_t)});
  EXPECT_TRUE(status.ok()) << status;
  return words;
}

inline uint32_t noc_x(const Device& device, Core core) {
  return noc_coordinate_of_worker(device.profile(), core).x;
}
inline uint32_t noc_y(const Device& device, Core core) {
  return noc_coordinate_of_worker(device.profile(), core).y;
}

// Whatever went wrong before, the device runs on.
inline void expect_usable(Device& device) {
  constexpr uint32_t kScratch = 0x30000;
  LaunchBuilder launch(device);
  const uint32_t kernel = launch.kernel("alive.cpp", R"(
    #include <cstdint>
    void kernel_main() { *reinterpret_cast<volatile uint32_t*>(0x30000) += 1; })");
  for (const Core& core : {Core{0, 0}, Core{5, 3}}) {
    write_words(device, core, kScratch, {41});
    launch.run_on(core, kernel, {});
  }
  const absl::Status status = launch.launch();
  EXPECT_TRUE(status.ok()) << status;
  for (const Core& core : {Core{0, 0}, Core{5, 3}}) {
    EXPECT_EQ(read_words(device, core, kScratch, 1), std::vector<uint32_t>{42});
  }
}

}  // namespace lightmetal::device::testing
