// Calls that are good one by one, in an order that is not, and what they make a replay hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/schema_testing.h"

namespace lightmetal::schema {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kGiB = uint64_t{1} << 30;

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
    call.profile = std::make_unique<DeviceProfileT>(samples::profile());
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
  testing::FilePointer file() const { return testing::opened(testing::written(commands_)); }
  const std::vector<CommandT>& commands() const { return commands_; }

 private:
  std::vector<CommandT> commands_;
};

// ---- Events ----

TEST(SemanticsOfEvents, AWaitMayComeBeforeItsRecording) {
  EXPECT_EQ(Calls().event(1).wait(1, 0).record(1, 1).finish(0).close(1).verified(),
            absl::OkStatus());
  EXPECT_EQ(Calls().event(1).record(1, 1).wait(1, 0).synchronize(1).finish(0).verified(),
            absl::OkStatus());
}

TEST(SemanticsOfEvents, TheHostCannotWaitForWhatItHasYetToRecord) {
  EXPECT_THAT(Calls().event(1).wait(1, 0).finish(0).record(1, 1).error(),
              HasSubstr("command 3 (FinishQueue, at offset"));
  EXPECT_THAT(Calls().event(1).wait(1, 0).finish(0).record(1, 1).error(),
              HasSubstr("device 1: its queue 0 waits for event 1, which no command before "
                        "records: a replay would wait for ever"));
  EXPECT_EQ(Calls().event(1).wait(1, 0).finish(1).record(1, 1).verified(), absl::OkStatus());
}

TEST(SemanticsOfEvents, EveryCallThatBlocksWaits) {
  const auto error_of = [](auto call) {
    return Calls().buffer(1, 32, 1 << 20).event(1).wait(1, 0).add(std::move(call)).error();
  };
  EnqueueReadBufferT read;
  read.device = 1;
  read.buffer = 1;
  read.blocking = true;
  EXPECT_THAT(error_of(std::move(read)), HasSubstr("(EnqueueReadBuffer, at offset"));
  SynchronizeT synchronize;
  synchronize.device = 1;
  EXPECT_THAT(error_of(synchronize), HasSubstr("(Synchronize, at offset"));
  CloseDeviceT close;
  close.device = 1;
  EXPECT_THAT(error_of(close), HasSubstr("(CloseDevice, at offset"));
  SubDeviceManagerClearT clear;
  clear.device = 1;
  EXPECT_THAT(error_of(clear), HasSubstr("(SubDeviceManagerClear, at offset"));
}

TEST(SemanticsOfEvents, AQueueThatWaitsHoldsBackItsOwnRecordings) {
  Calls calls;
  calls.event(1).event(2).wait(1, 0).record(2, 0).wait(2, 1);
  EXPECT_THAT(Calls(calls).finish(1).error(), HasSubstr("its queue 1 waits for event 2"));
  EXPECT_THAT(Calls(calls).synchronize(2).error(), HasSubstr("event 2: the host waits for it"));
  EXPECT_THAT(Calls(calls).record(1, 1).finish(0).error(),
              HasSubstr("its queue 0 waits for event 1"));  // each waits for the other
}

TEST(SemanticsOfEvents, AFileEndsWithNoQueueThatWaits) {
  Calls calls;
  calls.event(1).wait(1, 0);
  EXPECT_THAT(calls.error(), HasSubstr("after the last command: device 1: its queue 0 waits"));
  testing::Content cut = testing::written(calls.commands(), absl::AbortedError("stopped"));
  EXPECT_EQ(verify(*testing::opened(cut), nullptr, {.allow_incomplete = true}), absl::OkStatus());
}

TEST(SemanticsOfEvents, OnlyWhatWasRecordedCanBeWaitedForByTheHost) {
  EXPECT_THAT(Calls().event(1).synchronize(1).error(), HasSubstr("nothing records it"));
}

TEST(SemanticsOfEvents, ALaterRecordingCountsOnlyForLaterWaits) {
  EXPECT_EQ(Calls().event(1).record(1, 0).wait(1, 1).record(1, 0).wait(1, 1).finish(1).verified(),
            absl::OkStatus());
}

// ---- Objects ----

TEST(SemanticsOfOrder, AChipIsOpenOnce) {
  EXPECT_THAT(Calls().device(2, 0).error(),
              HasSubstr("its field chip_id is 0, expected a chip that is not open: device 1 is"));
  EXPECT_EQ(Calls().close(1).device(2, 0).verified(), absl::OkStatus());
}

TEST(SemanticsOfOrder, MemoryIsGivenOnceAtATime) {
  EXPECT_THAT(Calls().buffer(1, 32, 1 << 20).buffer(2, 64, 1 << 20).error(),
              HasSubstr("there are 1048576 taken at 32"));
  EXPECT_EQ(Calls().buffer(1, 32, 1 << 20).free(1).buffer(2, 64, 1 << 20).verified(),
            absl::OkStatus());
  BufferDestroyT destroy;
  destroy.buffer = 1;
  EXPECT_EQ(Calls().buffer(1, 32, 1 << 20).add(destroy).buffer(2, 64, 1 << 20).verified(),
            absl::OkStatus());
}

TEST(SemanticsOfOrder, AProgramKeepsTheBuffersThatAreAssignedToIt) {
  const auto calls = [](bool program_ends) {
    Calls calls;
    ProgramCreateT program;
    program.id = 1;
    AssignGlobalBufferToProgramT assign;
    assign.buffer = assign.program = 1;
    BufferDestroyT destroy;
    destroy.buffer = 1;
    ProgramDestroyT end;
    end.program = 1;
    calls.add(program).buffer(1, 32, 1 << 20).add(assign).add(destroy);
    if (program_ends) calls.add(end);
    return calls.buffer(2, 32, 1 << 20).verified().ok();
  };
  EXPECT_FALSE(calls(false));
  EXPECT_TRUE(calls(true));
}

TEST(SemanticsOfOrder, WhatIsFreeOrClosedIsNotRead) {
  EXPECT_THAT(Calls().buffer(1, 32, 1 << 20).free(1).read(1, true).error(),
              HasSubstr("buffer 1: it has been deallocated"));
  ReadFromBufferT read;
  read.buffer = 1;
  EXPECT_THAT(Calls().buffer(1, 32, 1 << 20).close(1).add(std::move(read)).error(),
              HasSubstr("buffer 1: its device has been closed"));
}

// ---- Memory ----

TEST(SemanticsOfMemory, BuffersCount) {
  EXPECT_EQ(Calls().buffer(1, 32, 6 * kGiB).verified(7 * kGiB), absl::OkStatus());
  const absl::Status status = Calls().buffer(1, 32, 6 * kGiB).verified(6 * kGiB);
  EXPECT_THAT(status, testing::IsError(absl::StatusCode::kResourceExhausted,
                                       "command 1 (BufferCreate, at offset"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("6442450944 more bytes of memory, expected "
                                                       "at most 6442450944, the memory limit"));
  VerifyReport report;
  EXPECT_TRUE(verify(*Calls().buffer(1, 32, 6 * kGiB).free(1).file(), &report).ok());
  EXPECT_GE(report.peak_memory, 6 * kGiB);
  EXPECT_LT(report.peak_memory, 7 * kGiB);
}

TEST(SemanticsOfMemory, AFewBytesCannotAskForManyReads) {
  Calls without_waits, with_waits;
  without_waits.buffer(1, 32, 6 * kGiB);
  with_waits.buffer(1, 32, 6 * kGiB);
  for (int i = 0; i < 20; ++i) {
    without_waits.read(1, false);
    with_waits.read(1, i % 2 == 0);
  }
  EXPECT_EQ(without_waits.verified().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(with_waits.verified(), absl::OkStatus());
}

constexpr uint64_t kMiB = uint64_t{1} << 20;

const testing::Content& zeros() {
  static const testing::Content zeros(kMiB);
  return zeros;
}

std::unique_ptr<BlobRef> zeros_ref() { return std::make_unique<BlobRef>(blob_ref_of(zeros())); }

// What a file of the calls holds of zeros is stored as it is, or compressed.
absl::Status verified_with_zeros(const Calls& calls, bool compressed, uint64_t memory_limit) {
  auto sink = std::make_shared<MemorySink>();
  Writer writer(sink, {.compression_level = compressed ? 1 : 0});
  EXPECT_EQ(writer.begin(testing::session_for_tests()), absl::OkStatus());
  EXPECT_TRUE(writer.append_blob(zeros()).ok());
  for (const CommandT& command : calls.commands()) {
    EXPECT_EQ(writer.append_command(testing::encoded(command)), absl::OkStatus());
  }
  EXPECT_EQ(writer.finish(absl::OkStatus()), absl::OkStatus());
  return verify(*testing::opened(sink->take()), nullptr, {.memory_limit = memory_limit});
}

Calls& write_zeros(Calls& calls, uint64_t buffer, bool blocking) {
  EnqueueWriteBufferT call;
  call.device = 1;
  call.buffer = buffer;
  call.data = zeros_ref();
  call.blocking = blocking;
  return calls.add(std::move(call));
}

// A queue that waits for an event has all that it is to write.
TEST(SemanticsOfMemory, CompressedPayloadsCountUntilTheQueueIsWaitedFor) {
  const auto verdict = [](bool compressed, bool blocking) {
    Calls calls;
    calls.buffer(1, 32, kMiB);
    for (int i = 0; i < 20; ++i) write_zeros(calls, 1, blocking);
    return verified_with_zeros(calls, compressed, 16 * kMiB);
  };
  EXPECT_EQ(verdict(false, false), absl::OkStatus());
  EXPECT_EQ(verdict(true, true), absl::OkStatus());
  EXPECT_THAT(verdict(true, false),
              testing::IsError(absl::StatusCode::kResourceExhausted, "(EnqueueWriteBuffer, at"));
}

TEST(SemanticsOfMemory, CompressedGoldensCount) {
  const auto verdict = [](bool compressed) {
    Calls calls;
    calls.buffer(1, 32, kMiB);
    for (int i = 0; i < 6; ++i) {
      EnqueueReadBufferT read;
      read.device = read.buffer = 1;
      read.golden = zeros_ref();
      calls.add(std::move(read));
    }
    return verified_with_zeros(calls, compressed, 10 * kMiB);
  };
  EXPECT_EQ(verdict(false), absl::OkStatus());
  EXPECT_THAT(verdict(true),
              testing::IsError(absl::StatusCode::kResourceExhausted, "(EnqueueReadBuffer, at"));
}

// A hundred writes of zeros, one place after the other or all in the same.
Calls& write_dram(Calls& calls, uint64_t device, bool one_place) {
  for (uint32_t i = 0; i < 100; ++i) {
    WriteToDeviceDRAMChannelT write;
    write.device = device;
    write.channel = one_place ? 0 : i % 12;
    write.address = one_place ? 0 : i / 12 * kMiB;
    write.data = zeros_ref();
    calls.add(std::move(write));
  }
  return calls;
}

TEST(SemanticsOfMemory, DramThatIsWrittenByAddressCounts) {
  const auto verdict = [](const Calls& calls, uint64_t memory_limit) {
    return verified_with_zeros(calls, /*compressed=*/false, memory_limit);
  };
  Calls one_place, many_places;
  EXPECT_EQ(verdict(write_dram(one_place, 1, true), 32 * kMiB), absl::OkStatus());
  EXPECT_EQ(verdict(write_dram(many_places, 1, false), 128 * kMiB), absl::OkStatus());
  EXPECT_THAT(
      verdict(many_places, 64 * kMiB),
      testing::IsError(absl::StatusCode::kResourceExhausted, "(WriteToDeviceDRAMChannel, at"));
  write_dram(many_places.close(1).device(2, 0), 2, false);
  EXPECT_EQ(verdict(many_places, 128 * kMiB), absl::OkStatus());
}

TEST(SemanticsOfMemory, L1ThatIsWrittenByAddressCounts) {
  Calls calls;
  for (uint32_t core = 0; core < 64; ++core) {
    WriteToDeviceL1T write;
    write.device = 1;
    write.core = std::make_unique<CoreCoord>(core % 8, core / 8);
    write.data = samples::blob();
    calls.add(std::move(write));
  }
  EXPECT_EQ(calls.verified(100 * kMiB), absl::OkStatus());
  EXPECT_THAT(calls.verified(64 * kMiB),
              testing::IsError(absl::StatusCode::kResourceExhausted, "(WriteToDeviceL1, at"));
}

TEST(SemanticsOfMemory, BuffersAtGivenAddressesCountOnceTheyAreWritten) {
  const auto verdict = [](bool written) {
    Calls calls;
    for (uint64_t id = 1; id <= 10; ++id) {
      BufferCreateT buffer;
      buffer.id = id;
      buffer.device = 1;
      buffer.address = buffer.allocated_address = id * kMiB;
      buffer.size = buffer.page_size = kMiB;
      calls.add(std::move(buffer));
      if (written) write_zeros(calls, id, true);
    }
    return verified_with_zeros(calls, false, 64 * kMiB);
  };
  EXPECT_EQ(verdict(false), absl::OkStatus());
  EXPECT_THAT(verdict(true),
              testing::IsError(absl::StatusCode::kResourceExhausted, "(EnqueueWriteBuffer, at"));
}

// One page on each of two cores.
BufferCreateT on_two_cores(uint64_t id, uint64_t address, uint64_t page_size) {
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

TEST(SemanticsOfMemory, ConfigurationsCountUntilTheQueueIsWaitedFor) {
  const auto verdict = [](bool waits) {
    Calls calls;
    calls.add(on_two_cores(1, 0x20000, 1024)).add(on_two_cores(2, 0x40000, kMiB / 16));
    for (uint64_t id = 1; id <= 100; ++id) {
      GlobalCircularBufferCreateT global;
      global.id = id;
      global.device = global.buffer = 1;
      global.config_buffer = 2;
      global.size = 1024;
      global.buffer_type = BufferType::L1;
      SenderToReceiversT entry;
      entry.sender = std::make_unique<CoreCoord>(0, 0);
      entry.receivers = {CoreRange(CoreCoord(1, 0), CoreCoord(1, 0))};
      global.mapping.push_back(std::make_unique<SenderToReceiversT>(std::move(entry)));
      calls.add(std::move(global));
      if (waits) calls.finish(0);
    }
    return calls.verified(8 * kMiB);
  };
  EXPECT_EQ(verdict(true), absl::OkStatus());
  EXPECT_THAT(verdict(false), testing::IsError(absl::StatusCode::kResourceExhausted,
                                               "(GlobalCircularBufferCreate, at"));
}

TEST(SemanticsOfMemory, DevicesThatWereClosedHoldNothing) {
  Calls calls;
  calls.close(1);
  for (uint64_t id = 2; id < 12; ++id) {
    BufferCreateT buffer;
    buffer.id = buffer.device = id;
    buffer.allocated_address = 32;
    buffer.size = 10 * kGiB;
    buffer.page_size = 1 << 20;
    calls.device(id, 0).add(std::move(buffer)).close(id);
  }
  EXPECT_EQ(calls.verified(), absl::OkStatus());
}

TEST(SemanticsOfMemory, KernelsOnManyCoresCount) {
  Calls calls;
  for (uint64_t id = 1; id <= 100; ++id) {
    ProgramCreateT program;
    program.id = id;
    KernelCreateT kernel;
    kernel.id = kernel.program = id;
    kernel.cores = {CoreRange(CoreCoord(0, 0), CoreCoord(63, 63))};
    kernel.config.Set(ComputeConfigT());
    calls.add(program).add(std::move(kernel));
  }
  EXPECT_EQ(calls.verified(uint64_t{100} << 20), absl::OkStatus());
  EXPECT_EQ(calls.verified(uint64_t{10} << 20).code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace lightmetal::schema
