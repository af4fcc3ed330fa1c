// Reads and writes of memory by its address.
#include "base/round.h"
#include "base/status.h"
#include "schema/semantics/checker.h"
#include "schema/semantics/payload_size.h"
#include "schema/semantics/profile_limits.h"

namespace lightmetal::schema::semantics {
namespace {

// `size` bytes at `address` lie in a memory of `end` bytes.
absl::Status check_range(const Object& object, absl::string_view size_field, uint64_t address,
                         uint64_t size, uint64_t end) {
  if (size % host::kWord != 0)
    return wrong(object, size_field, size, "a multiple of ", host::kWord);
  if (size > host::kMaxAddress)
    return wrong(object, size_field, size, "at most ", host::kMaxAddress);
  if (address <= end && size <= end - address && address <= host::kMaxAddress)
    return absl::OkStatus();
  return wrong(object, "address", address, size, " bytes from there on in a memory of ", end,
               " bytes");
}

absl::Status check_core(const Object& object, const CoreCoord& core, const Core& grid) {
  if (core.x() < grid.x && core.y() < grid.y) return absl::OkStatus();
  return wrong(object, "core", text_of(Core{core.x(), core.y()}), "a core of the grid of ",
               text_of(grid));
}

absl::Status check_channel(const DeviceState& device, uint32_t channel) {
  if (channel < device.profile.dram_banks) return absl::OkStatus();
  return wrong(device.object(), "channel", channel, "less than ", device.profile.dram_banks,
               ", the number of its DRAM channels");
}

constexpr uint64_t kDramPiece = uint64_t{2} << 20;  // a large page

// The two kinds of a DeviceState's `touched_cores`.
constexpr uint64_t kWorkers = 0;
constexpr uint64_t kEthernetCores = uint64_t{1} << 63;

uint64_t number_of(const Core& core) { return uint64_t{core.y} << 32 | core.x; }

}  // namespace

absl::Status Checker::touch_core(DeviceState& device, uint64_t core, uint64_t bytes) {
  if (!device.touched_cores.insert(core).second) return absl::OkStatus();
  return device.charge->add(budget_, bytes);
}

// A device has the same addresses of all banks side by side.
absl::Status Checker::touch_dram(DeviceState& device, uint64_t address, uint64_t size) {
  if (size == 0) return absl::OkStatus();
  const uint64_t banks = device.profile.dram_banks;
  const uint64_t begin = round_down(address * banks, kDramPiece);
  const uint64_t end = round_up((address + size) * banks, kDramPiece);
  return device.charge->add(budget_, device.touched_dram.add(begin, end - 1));
}

absl::Status Checker::touch_l1(DeviceState& device, const Core& core) {
  return touch_core(device, kWorkers | number_of(core), device.profile.l1_size);
}

absl::Status Checker::touch_ethernet_l1(DeviceState& device, const Core& core) {
  return touch_core(device, kEthernetCores | number_of(core), device.profile.ethernet_l1_size);
}

// Once for each buffer, with all of it: there are many writes of small parts.
absl::Status Checker::touch(const Transfer& transfer) {
  BufferState& buffer = *transfer.buffer;
  if (buffer.memory != nullptr || buffer.written || transfer.size == 0) return absl::OkStatus();
  buffer.written = true;
  DeviceState& device = *buffer.device;
  if (!host::is_l1(buffer.type)) return touch_dram(device, buffer.address, buffer.size_per_bank());
  absl::Status status;
  CoreSet::of_grid(device.profile.grid).for_each([&](const Core& core) {
    status.Update(touch_l1(device, core));
  });
  return status;
}

// The host has the words twice for a moment: as they are read or written, and as they are kept.
absl::Status Checker::write_direct(const Object& object, uint64_t address, const BlobRef& data,
                                   uint64_t end) {
  LM_RETURN_IF_ERROR(check_range(object, "data", address, data.size(), end));
  return budget_.pass(data.size());
}

absl::Status Checker::read_direct(const Object& object, uint64_t address, uint64_t size,
                                  const BlobRef* golden, uint64_t end) {
  LM_RETURN_IF_ERROR(check_range(object, "size", address, size, end));
  LM_RETURN_IF_ERROR(check_golden(object, golden, size));
  return budget_.pass(2 * size + size_in_memory(golden));
}

absl::Status Checker::check(const WriteToDeviceDRAMChannel& call) {
  LM_ASSIGN_OR_RETURN(device, open_device(call.device()));
  LM_RETURN_IF_ERROR(check_channel(*device, call.channel()));
  LM_RETURN_IF_ERROR(
      write_direct(device->object(), call.address(), *call.data(), device->profile.dram_bank_size));
  return touch_dram(*device, call.address(), call.data()->size());
}

absl::Status Checker::check(const ReadFromDeviceDRAMChannel& call) {
  LM_ASSIGN_OR_RETURN(device, open_device(call.device()));
  LM_RETURN_IF_ERROR(check_channel(*device, call.channel()));
  return read_direct(device->object(), call.address(), call.size(), call.golden(),
                     device->profile.dram_bank_size);
}

absl::Status Checker::check(const WriteToDeviceL1& call) {
  LM_ASSIGN_OR_RETURN(device, open_device(call.device()));
  LM_RETURN_IF_ERROR(check_core(device->object(), *call.core(), device->profile.grid));
  LM_RETURN_IF_ERROR(
      write_direct(device->object(), call.address(), *call.data(), device->profile.l1_size));
  return touch_l1(*device, {call.core()->x(), call.core()->y()});
}

absl::Status Checker::check(const ReadFromDeviceL1& call) {
  LM_ASSIGN_OR_RETURN(device, open_device(call.device()));
  LM_RETURN_IF_ERROR(check_core(device->object(), *call.core(), device->profile.grid));
  return read_direct(device->object(), call.address(), call.size(), call.golden(),
                     device->profile.l1_size);
}

absl::Status Checker::check(const WriteToEthernetL1& call) {
  LM_ASSIGN_OR_RETURN(device, open_device(call.device()));
  LM_RETURN_IF_ERROR(check_core(device->object(), *call.core(), device->ethernet_grid()));
  LM_RETURN_IF_ERROR(write_direct(device->object(), call.address(), *call.data(),
                                  device->profile.ethernet_l1_size));
  return touch_ethernet_l1(*device, {call.core()->x(), call.core()->y()});
}

absl::Status Checker::check(const ReadFromEthernetL1& call) {
  LM_ASSIGN_OR_RETURN(device, open_device(call.device()));
  LM_RETURN_IF_ERROR(check_core(device->object(), *call.core(), device->ethernet_grid()));
  return read_direct(device->object(), call.address(), call.size(), call.golden(),
                     device->profile.ethernet_l1_size);
}

}  // namespace lightmetal::schema::semantics
