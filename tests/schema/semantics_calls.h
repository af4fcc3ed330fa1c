#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/schema/schema_testing.h"

namespace lightmetal::schema::testing {

inline DeviceProfileT profile() {
  DeviceProfileT profile;
  profile.arch = "wormhole_b0";
  profile.grid = std::make_unique<CoreCoord>(8, 8);
  profile.l1_size = 1499136;
  profile.l1_unreserved_base = 0x19000;
  profile.l1_alignment = 16;
  profile.dram_banks = 12;
  profile.dram_bank_size = uint64_t{1} << 30;
  profile.dram_unreserved_base = 32;
  profile.dram_alignment = 32;
  profile.num_circular_buffers = 32;
  profile.num_semaphores = 16;
  profile.max_runtime_args = 341;
  profile.first_worker = std::make_unique<CoreCoord>(18, 18);
  profile.max_command_queues = 2;
  profile.ethernet_cores = 8;
  profile.ethernet_l1_size = 0x40000;
  profile.ethernet_unreserved_base = 0x8000;
  profile.first_ethernet = std::make_unique<CoreCoord>(18, 16);
  for (uint32_t bank = 0; bank < 12; ++bank) profile.dram_cores.emplace_back(5, bank);
  return profile;
}

// The commands of a file, one after the other, on a device with two queues.
class Calls {
 public:
  Calls() { device(1, 0); }

  template <class Call>
  Calls& add(Call call) {
    commands_.emplace_back().call.Set(std::move(call));
    return *this;
  }

  Calls& device(uint64_t id, uint32_t chip) {
    CreateDeviceT call;
    call.id = id;
    call.chip_id = chip;
    call.num_hw_cqs = 2;
    call.profile = std::make_unique<DeviceProfileT>(profile());
    return add(std::move(call));
  }
  Calls& close(uint64_t id) {
    CloseDeviceT call;
    call.device = id;
    return add(call);
  }
  Calls& buffer(uint64_t id, uint64_t address, uint64_t size, uint64_t page_size = 1 << 20) {
    BufferCreateT call;
    call.id = id;
    call.device = 1;
    call.allocated_address = address;
    call.size = size;
    call.page_size = page_size;
    return add(std::move(call));
  }
  // In memory that is given, not allocated.
  Calls& view(uint64_t id, BufferType type, uint64_t address, uint64_t size, uint64_t page_size) {
    BufferCreateT call;
    call.id = id;
    call.device = 1;
    call.address = call.allocated_address = address;
    call.size = size;
    call.page_size = page_size;
    call.buffer_type = type;
    return add(std::move(call));
  }
  Calls& free(uint64_t id) {
    BufferDeallocateT call;
    call.buffer = id;
    return add(call);
  }
  Calls& read(uint64_t id, bool blocking) {
    EnqueueReadBufferT call;
    call.device = 1;
    call.buffer = id;
    call.blocking = blocking;
    return add(std::move(call));
  }
  Calls& program(uint64_t id) {
    ProgramCreateT call;
    call.id = id;
    return add(call);
  }
  // On all workers of the device.
  Calls& compute_kernel(uint64_t id, uint64_t program) {
    KernelCreateT call;
    call.id = id;
    call.program = program;
    call.cores = {CoreRange(CoreCoord(0, 0), CoreCoord(7, 7))};
    call.config.Set(ComputeConfigT());
    return add(std::move(call));
  }
  Calls& circular_buffer(uint64_t id, uint64_t program, uint8_t first_index, uint32_t size,
                         uint8_t num_indices = 1) {
    CircularBufferCreateT call;
    call.id = id;
    call.program = program;
    call.cores = {CoreRange(CoreCoord(0, 0), CoreCoord(7, 7))};
    call.config = std::make_unique<CircularBufferConfigT>();
    call.config->total_size = size;
    for (uint8_t i = 0; i < num_indices; ++i) {
      CircularBufferIndexT index;
      index.index = first_index + i;
      index.data_format = 255;
      index.page_size = 16;
      call.config->indices.push_back(std::make_unique<CircularBufferIndexT>(index));
    }
    return add(std::move(call));
  }
  Calls& launch(uint64_t program) {
    EnqueueProgramT call;
    call.device = 1;
    call.program = program;
    return add(call);
  }
  Calls& finish(uint8_t cq) {
    FinishQueueT call;
    call.device = 1;
    call.cq = cq;
    return add(call);
  }
  Calls& event(uint64_t id) {
    EventCreateT call;
    call.id = id;
    return add(call);
  }
  Calls& record(uint64_t id, uint8_t cq) {
    EnqueueRecordEventT call;
    call.device = 1;
    call.cq = cq;
    call.event = id;
    return add(call);
  }
  Calls& wait(uint64_t id, uint8_t cq) {
    EnqueueWaitForEventT call;
    call.device = 1;
    call.cq = cq;
    call.event = id;
    return add(call);
  }
  Calls& synchronize(uint64_t id) {
    EventSynchronizeT call;
    call.event = id;
    return add(call);
  }

  absl::Status verified(uint64_t memory_limit = kDefaultMemoryLimit) const {
    return verify(*file(), nullptr, {.memory_limit = memory_limit});
  }
  std::string error() const { return std::string(verified().message()); }
  FilePointer file() const { return opened(written(commands_)); }
  const std::vector<CommandT>& commands() const { return commands_; }

 private:
  std::vector<CommandT> commands_;
};

// One page on each of two cores.
inline BufferCreateT on_two_cores(uint64_t id, uint64_t address, uint64_t page_size) {
  BufferCreateT buffer;
  buffer.id = id;
  buffer.device = 1;
  buffer.allocated_address = address;
  buffer.size = 2 * page_size;
  buffer.page_size = page_size;
  buffer.buffer_type = BufferType::L1;
  buffer.layout = BufferLayout::HeightSharded;
  ShardSpecT shard;
  shard.grid = {CoreRange(CoreCoord(0, 0), CoreCoord(1, 0))};
  shard.shape_height = shard.shape_width = shard.page_height = shard.page_width = 1;
  shard.tensor_height_in_pages = 2;
  shard.tensor_width_in_pages = 1;
  buffer.shard = std::make_unique<ShardSpecT>(std::move(shard));
  return buffer;
}

inline GlobalCircularBufferCreateT global_circular_buffer(uint64_t id, uint64_t buffer,
                                                          uint64_t config_buffer) {
  GlobalCircularBufferCreateT global;
  global.id = id;
  global.device = 1;
  global.buffer = buffer;
  global.config_buffer = config_buffer;
  global.size = 1024;
  global.buffer_type = BufferType::L1;
  SenderToReceiversT entry;
  entry.sender = std::make_unique<CoreCoord>(0, 0);
  entry.receivers = {CoreRange(CoreCoord(1, 0), CoreCoord(1, 0))};
  global.mapping.push_back(std::make_unique<SenderToReceiversT>(std::move(entry)));
  return global;
}

}  // namespace lightmetal::schema::testing
