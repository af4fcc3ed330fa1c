// Reads and writes of memory by its address.
#include "base/round.h"
#include "base/status.h"
#include "host/buffer.h"
#include "host/memory_place.h"
#include "schema/semantics/checker.h"
#include "schema/semantics/payload_size.h"

namespace lightmetal::schema::semantics {
namespace {

using Kind = host::MemoryPlace::Kind;

host::MemoryPlace channel(uint32_t number) { return {.kind = Kind::kDram, .x = number}; }
host::MemoryPlace core(Kind kind, const CoreCoord& core) { return {kind, core.x(), core.y()}; }

// The parameters of the host API have 32 bits; the fields of the file have 64.
absl::Status check_32_bits(const Object& object, absl::string_view field, uint64_t value) {
  if (value <= host::kMaxAddress) return absl::OkStatus();
  return wrong(object, field, value, "at most ", host::kMaxAddress);
}

// Bytes [address, address + size) lie in the memory of the place.
absl::Status check_range(const DeviceState& device, const host::MemoryPlace& place,
                         uint64_t address, uint64_t size) {
  LM_RETURN_IF_ERROR(check_32_bits(device.object(), "address", address));
  LM_RETURN_IF_ERROR(about(device.object(), host::check_place(place, device.profile, device.id)));
  return about(device.object(), host::check_range(place, device.profile, address, size));
}

constexpr uint64_t kDramPiece = uint64_t{2} << 20;  // the system may give a device large pages

// What tells workers from Ethernet cores among the numbers of DeviceState::touched_cores.
constexpr uint64_t kWorkers = 0;
constexpr uint64_t kEthernetCores = uint64_t{1} << 63;

uint64_t number_of(const Core& core) { return uint64_t{core.y} << 32 | core.x; }

}  // namespace

absl::Status Checker::touch_core(DeviceState& device, uint64_t core, uint64_t bytes) {
  if (!device.touched_cores.insert(core).second) return absl::OkStatus();
  return device.charge->add(budget_, bytes);
}

// The same addresses of all banks lie side by side in a device's memory.
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

absl::Status Checker::touch_place(DeviceState& device, const host::MemoryPlace& place,
                                  uint64_t address, uint64_t size) {
  const Core core{place.x, place.y};
  switch (place.kind) {
    case Kind::kDram:
      return touch_dram(device, address, size);
    case Kind::kL1:
      return touch_l1(device, core);
    case Kind::kEthernetL1:
      break;
  }
  return touch_core(device, kEthernetCores | number_of(core), device.profile.ethernet_l1_size);
}

// A buffer at an address that was given counts once, with all of its memory: a program may write
// many small parts of it. One that owns its memory was counted when it was made.
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

// Reads and writes by address count their words twice, because the host has them twice for a
// moment: as they are read or written, and as they are kept.
absl::Status Checker::write_direct(uint64_t device_id, const host::MemoryPlace& place,
                                   uint64_t address, const BlobRef& data) {
  LM_ASSIGN_OR_RETURN(device, open_device(device_id));
  if (data.size() % host::kWord != 0) {
    return wrong(device->object(), "data", data.size(), "a multiple of ", host::kWord);
  }
  LM_RETURN_IF_ERROR(check_32_bits(device->object(), "data", data.size()));
  LM_RETURN_IF_ERROR(check_range(*device, place, address, data.size()));
  LM_RETURN_IF_ERROR(budget_.pass(data.size()));
  return touch_place(*device, place, address, data.size());
}

absl::Status Checker::read_direct(uint64_t device_id, const host::MemoryPlace& place,
                                  uint64_t address, uint64_t size, const BlobRef* golden) {
  LM_ASSIGN_OR_RETURN(device, open_device(device_id));
  LM_RETURN_IF_ERROR(about(device->object(), host::check_words(size)));
  LM_RETURN_IF_ERROR(check_32_bits(device->object(), "size", size));
  LM_RETURN_IF_ERROR(check_range(*device, place, address, size));
  LM_RETURN_IF_ERROR(check_golden(device->object(), golden, size));
  return budget_.pass(2 * size + size_in_memory(golden));
}

absl::Status Checker::check(const WriteToDeviceDRAMChannel& call) {
  return write_direct(call.device(), channel(call.channel()), call.address(), *call.data());
}

absl::Status Checker::check(const ReadFromDeviceDRAMChannel& call) {
  return read_direct(call.device(), channel(call.channel()), call.address(), call.size(),
                     call.golden());
}

absl::Status Checker::check(const WriteToDeviceL1& call) {
  return write_direct(call.device(), core(Kind::kL1, *call.core()), call.address(), *call.data());
}

absl::Status Checker::check(const ReadFromDeviceL1& call) {
  return read_direct(call.device(), core(Kind::kL1, *call.core()), call.address(), call.size(),
                     call.golden());
}

absl::Status Checker::check(const WriteToEthernetL1& call) {
  return write_direct(call.device(), core(Kind::kEthernetL1, *call.core()), call.address(),
                      *call.data());
}

absl::Status Checker::check(const ReadFromEthernetL1& call) {
  return read_direct(call.device(), core(Kind::kEthernetL1, *call.core()), call.address(),
                     call.size(), call.golden());
}

}  // namespace lightmetal::schema::semantics
