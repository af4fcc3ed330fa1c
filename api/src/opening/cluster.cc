// The chips of this process by the names of upstream's driver: what can be asked without a device,
// and memory by the coordinates of cores.
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/device_pool.hpp>
#include <tt-metalium/env_lib.hpp>
#include <tt-metalium/hal.hpp>
#include <tt-metalium/llrt.hpp>
#include <tt-metalium/tt_metal.hpp>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tt {
namespace {

constexpr char kHome[] = "TT_METAL_HOME";
constexpr char kKernelPath[] = "TT_METAL_KERNEL_PATH";

// The folder that an environment variable names, with a slash at its end; empty when it names none.
std::string folder_in(const char* variable) {
  const std::string folder = parse_env<std::string>(variable, "");
  return folder.empty() || folder.back() == '/' ? folder : folder + "/";
}

// A core by its logical coordinate, as the calls of tt_metal.hpp take it.
struct CoreWithL1 {
  CoreCoord logical;
  CoreType type;
};

CoreWithL1 core_at(const tt_metal::IDevice& device, const CoreCoord& core) {
  if (device.get_programmable_core_type(core) != tt_metal::HalProgrammableCoreType::TENSIX) {
    return {device.logical_core_from_ethernet_core(core), CoreType::ETH};
  }
  const CoreCoord first = device.worker_core_from_logical_core({0, 0});
  return {{core.x - first.x, core.y - first.y}, CoreType::WORKER};
}

bool is_dram(const tt_metal::IDevice& device, const CoreCoord& core) {
  return device.get_mem_type_of_core(core) == tt_metal::HalMemType::DRAM;
}

uint32_t address_in_bank(uint64_t address) {
  TT_FATAL(address <= UINT32_MAX, "Address {} is behind the first 4 GiB", address);
  return static_cast<uint32_t>(address);
}

}  // namespace

// ---- Chips ----

const Cluster& Cluster::instance() {
  static const Cluster cluster;
  return cluster;
}

tt::ARCH Cluster::arch() const { return tt_metal::hal::get_arch(); }
std::size_t Cluster::number_of_devices() const { return tt_metal::GetNumAvailableDevices(); }

std::set<chip_id_t> Cluster::all_chip_ids() const {
  std::set<chip_id_t> ids;
  while (ids.size() < number_of_devices()) ids.insert(static_cast<chip_id_t>(ids.size()));
  return ids;
}

// ---- Memory ----

namespace llrt {

std::vector<uint32_t> read_hex_vec_from_core(chip_id_t chip, const CoreCoord& core,
                                             uint64_t address, uint32_t size) {
  tt_metal::IDevice* device = DevicePool::instance().get_active_device(chip);
  const uint32_t place = address_in_bank(address);
  std::vector<uint32_t> words;
  if (is_dram(*device, core)) {
    const int channel = static_cast<int>(device->dram_channel_from_virtual_core(core));
    tt_metal::detail::ReadFromDeviceDRAMChannel(device, channel, place, size, words);
  } else {
    const CoreWithL1 found = core_at(*device, core);
    tt_metal::detail::ReadFromDeviceL1(device, found.logical, place, size, words, found.type);
  }
  return words;
}

void write_hex_vec_to_core(chip_id_t chip, const CoreCoord& core,
                           const std::vector<uint32_t>& hex_vec, uint64_t address, bool) {
  tt_metal::IDevice* device = DevicePool::instance().get_active_device(chip);
  const uint32_t place = address_in_bank(address);
  std::vector<uint32_t> words = hex_vec;
  if (is_dram(*device, core)) {
    const int channel = static_cast<int>(device->dram_channel_from_virtual_core(core));
    tt_metal::detail::WriteToDeviceDRAMChannel(device, channel, place, words);
  } else {
    const CoreWithL1 found = core_at(*device, core);
    tt_metal::detail::WriteToDeviceL1(device, found.logical, place, words, found.type);
  }
}

}  // namespace llrt

std::vector<uint32_t> Cluster::read_core(chip_id_t chip_id, const CoreCoord& core, uint64_t address,
                                         uint32_t size) const {
  return llrt::read_hex_vec_from_core(chip_id, core, address, size);
}

void Cluster::read_core(std::vector<uint32_t>& words, uint32_t size, const tt_cxy_pair& core,
                        uint64_t address) const {
  words = read_core(static_cast<chip_id_t>(core.chip), core, address, size);
}

void Cluster::write_core(chip_id_t chip_id, const CoreCoord& core,
                         const std::vector<uint32_t>& words, uint64_t address) const {
  llrt::write_hex_vec_to_core(chip_id, core, words, address);
}

void Cluster::write_core(const void* data, uint32_t size, const tt_cxy_pair& core,
                         uint64_t address) const {
  TT_FATAL(size % sizeof(uint32_t) == 0, "{} bytes are no number of words", size);
  std::vector<uint32_t> words(size / sizeof(uint32_t));
  std::memcpy(words.data(), data, size);
  write_core(static_cast<chip_id_t>(core.chip), core, words, address);
}

namespace llrt {

// ---- Options ----

RunTimeOptions& RunTimeOptions::get_instance() {
  static RunTimeOptions options;
  return options;
}

bool RunTimeOptions::is_root_dir_specified() const { return !folder_in(kHome).empty(); }
bool RunTimeOptions::is_kernel_dir_specified() const { return !folder_in(kKernelPath).empty(); }

std::string RunTimeOptions::get_root_dir() const {
  TT_FATAL(is_root_dir_specified(), "{} is not set", kHome);
  return folder_in(kHome);
}

std::string RunTimeOptions::get_kernel_dir() const {
  TT_FATAL(is_kernel_dir_specified(), "{} is not set", kKernelPath);
  return folder_in(kKernelPath);
}

unsigned RunTimeOptions::get_num_hw_cqs() const {
  constexpr const char* kVariable = "TT_METAL_GTEST_NUM_HW_CQS";
  if (num_hw_cqs_.has_value()) return *num_hw_cqs_;
  const std::string text = parse_env<std::string>(kVariable, "1");
  unsigned number = 0;
  if (absl::SimpleAtoi(text, &number)) return number;
  throw std::invalid_argument(absl::StrCat(kVariable, " is \"", text, "\": a number is expected"));
}

tt_metal::DispatchCoreConfig RunTimeOptions::get_dispatch_core_config() const {
  const bool ethernet = std::getenv("TT_METAL_GTEST_ETH_DISPATCH") != nullptr;
  return ethernet ? tt_metal::DispatchCoreType::ETH : tt_metal::DispatchCoreType::WORKER;
}

}  // namespace llrt

}  // namespace tt

// ---- The driver's names ----

tt::ARCH tt_SimulationDeviceInit::get_arch_name() const {
  TT_THROW("There is no simulator {}: devices are those of this process", simulator_.string());
}
