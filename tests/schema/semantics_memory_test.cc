// What files make a replay hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "schema/storage/memory_sink.h"
#include "tests/schema/semantics_calls.h"

namespace lightmetal::schema {
namespace {

using testing::Calls;
using testing::global_circular_buffer;
using ::testing::HasSubstr;
using testing::on_two_cores;

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kGiB = uint64_t{1} << 30;

TEST(SemanticsOfMemory, BuffersCount) {
  EXPECT_EQ(Calls().buffer(1, 32, 6 * kGiB).verified(7 * kGiB), absl::OkStatus());
  const absl::Status status = Calls().buffer(1, 32, 6 * kGiB).verified(6 * kGiB);
  EXPECT_THAT(status, testing::IsError(absl::StatusCode::kResourceExhausted,
                                       "command 1 (BufferCreate, at offset"));
  // In pieces of 2 MiB, since the buffer begins within one.
  EXPECT_THAT(std::string(status.message()), HasSubstr("6444548096 more bytes of memory, expected "
                                                       "at most 6442450944, the memory limit"));
  VerifyReport report;
  EXPECT_TRUE(verify(*Calls().buffer(1, 32, 6 * kGiB).free(1).file(), &report).ok());
  EXPECT_GE(report.peak_memory, 6 * kGiB);
  EXPECT_LT(report.peak_memory, 7 * kGiB);
}

TEST(SemanticsOfMemory, AFileMayNeedAllOfTheLimit) {
  Calls calls;
  calls.buffer(1, 32, kGiB).free(1).buffer(2, 32, 2 * kGiB);
  VerifyReport report;
  EXPECT_EQ(verify(*calls.file(), &report), absl::OkStatus());
  EXPECT_EQ(calls.verified(report.peak_memory), absl::OkStatus());
  EXPECT_THAT(calls.verified(report.peak_memory - 1),
              testing::IsError(absl::StatusCode::kResourceExhausted, "the memory limit"));
}

// A device keeps the memory that a buffer has used, and hands it to the next one at its address.
TEST(SemanticsOfMemory, BuffersThatWereFreedCountOnceForEachAddress) {
  const auto calls = [](uint64_t second_address) {
    Calls calls;
    calls.buffer(1, 32, 4 * kGiB).free(1);
    return calls.buffer(2, second_address, 4 * kGiB).verified(6 * kGiB);
  };
  EXPECT_EQ(calls(32), absl::OkStatus());
  EXPECT_THAT(calls(32 + kGiB / 2),
              testing::IsError(absl::StatusCode::kResourceExhausted, "(BufferCreate, at"));
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

const testing::Content& zeros() {
  static const testing::Content zeros(kMiB);
  return zeros;
}

std::unique_ptr<BlobRef> zeros_ref() { return std::make_unique<BlobRef>(blob_ref_of(zeros())); }

// What a file of the calls holds of zeros is stored as it is, or compressed. It has a payload of
// nothing, too.
absl::Status verified_with_zeros(const Calls& calls, bool compressed, uint64_t memory_limit) {
  auto sink = std::make_shared<MemorySink>();
  Writer writer(sink, {.compression_level = compressed ? 1 : 0});
  EXPECT_EQ(writer.begin(testing::session_for_tests()), absl::OkStatus());
  EXPECT_TRUE(writer.append_blob(zeros()).ok());
  EXPECT_TRUE(writer.append_blob({}).ok());
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
    for (int i = 0; i < 40; ++i) write_zeros(calls, 1, blocking);
    return verified_with_zeros(calls, compressed, 32 * kMiB);
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
    return verified_with_zeros(calls, compressed, 24 * kMiB);
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

TEST(SemanticsOfMemory, L1ThatIsWrittenByAddressCountsOnceForEachCore) {
  Calls calls;
  for (uint32_t i = 0; i < 256; ++i) {
    WriteToDeviceL1T write;
    write.device = 1;
    write.core = std::make_unique<CoreCoord>(i % 8, i / 8 % 8);
    write.data = samples::blob();
    calls.add(std::move(write));
  }
  EXPECT_EQ(calls.verified(100 * kMiB), absl::OkStatus());
  EXPECT_THAT(calls.verified(64 * kMiB),
              testing::IsError(absl::StatusCode::kResourceExhausted, "(WriteToDeviceL1, at"));
}

// The most memory that a replay of the calls holds.
uint64_t peak_of(const Calls& calls) {
  VerifyReport report;
  EXPECT_EQ(verify(*calls.file(), &report), absl::OkStatus());
  return report.peak_memory;
}

// A worker and an Ethernet core may have the same coordinates.
TEST(SemanticsOfMemory, TheL1OfAnEthernetCoreCountsBesideThatOfAWorker) {
  WriteToDeviceL1T to_worker;
  WriteToEthernetL1T to_ethernet;
  to_worker.device = to_ethernet.device = 1;
  to_worker.core = std::make_unique<CoreCoord>(0, 0);
  to_ethernet.core = std::make_unique<CoreCoord>(0, 0);
  to_worker.data = samples::blob();
  to_ethernet.data = samples::blob();
  Calls worker, both;
  worker.add(to_worker);
  both.add(to_worker).add(to_ethernet).add(to_ethernet);
  const uint64_t of_worker = peak_of(worker), of_both = peak_of(both);
  EXPECT_GE(of_both - of_worker, testing::profile().ethernet_l1_size);
  EXPECT_LT(of_both - of_worker, 2 * testing::profile().ethernet_l1_size);
}

TEST(SemanticsOfMemory, TheTablesOfAShardedBufferCountOnceHoweverOftenItIsRead) {
  const auto peak = [](int reads) {
    Calls calls;
    calls.add(on_two_cores(1, 0x20000, 1024));
    for (int i = 0; i < reads; ++i) calls.read(1, /*blocking=*/true);
    return peak_of(calls);
  };
  EXPECT_EQ(peak(1000), peak(1));
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

BufferCreateT on_all_cores(uint64_t id, uint64_t address, uint64_t page_size) {
  BufferCreateT buffer = on_two_cores(id, address, page_size);
  buffer.size = 64 * page_size;
  buffer.shard->grid = {CoreRange(CoreCoord(0, 0), CoreCoord(7, 7))};
  buffer.shard->tensor_height_in_pages = 64;
  return buffer;
}

// With 2,560 bytes of configuration on each core.
GlobalCircularBufferCreateT to_all_cores(uint64_t id, uint64_t buffer, uint64_t config_buffer) {
  GlobalCircularBufferCreateT global = global_circular_buffer(id, buffer, config_buffer);
  global.mapping[0]->receivers = {CoreRange(CoreCoord(1, 0), CoreCoord(7, 0)),
                                  CoreRange(CoreCoord(0, 1), CoreCoord(7, 7))};
  return global;
}

TEST(SemanticsOfMemory, ConfigurationsCountUntilTheQueueIsWaitedFor) {
  const auto verdict = [](bool waits) {
    Calls calls;
    calls.add(on_all_cores(1, 0x20000, 1024)).add(on_all_cores(2, 0x40000, 2560));
    for (uint64_t id = 1; id <= 100; ++id) {
      calls.add(to_all_cores(id, 1, 2));
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

TEST(SemanticsOfMemory, KernelObjectsCountOnceForEachTarget) {
  const auto verdict = [](bool one_target) {
    Calls calls;
    calls.program(1).compute_kernel(1, 1);
    for (int i = 0; i < 20; ++i) {
      KernelBinaryT binary;
      binary.kernel = 1;
      binary.target = one_target ? "t" : absl::StrCat("t", i);
      binary.object = zeros_ref();
      calls.add(std::move(binary));
    }
    return verified_with_zeros(calls, /*compressed=*/true, 16 * kMiB);
  };
  EXPECT_EQ(verdict(true), absl::OkStatus());
  EXPECT_THAT(verdict(false),
              testing::IsError(absl::StatusCode::kResourceExhausted, "(KernelBinary, at"));
}

TEST(SemanticsOfMemory, KernelObjectsOfTracesCountOnceForEachTarget) {
  const auto verdict = [](bool one_target) {
    LoadTraceT trace;
    trace.id = trace.device = 1;
    trace.content = std::make_unique<TraceContentT>();
    trace.content->launches.push_back(std::make_unique<TraceLaunchT>());
    for (int i = 0; i < 20; ++i) {
      TraceKernelT kernel;
      kernel.target = one_target ? "t" : absl::StrCat("t", i);
      kernel.object = zeros_ref();
      auto& kernels = trace.content->launches[0]->kernels;
      kernels.push_back(std::make_unique<TraceKernelT>(std::move(kernel)));
    }
    return verified_with_zeros(Calls().add(std::move(trace)), /*compressed=*/true, 16 * kMiB);
  };
  EXPECT_EQ(verdict(true), absl::OkStatus());
  EXPECT_THAT(verdict(false),
              testing::IsError(absl::StatusCode::kResourceExhausted, "(LoadTrace, at"));
}

TEST(SemanticsOfMemory, AWriteOfNothingTakesNothing) {
  const auto verdict = [](uint64_t size) {
    Calls calls;
    calls.view(1, BufferType::Dram, 0, 64 * kMiB, kMiB);
    EnqueueWriteSubBufferT write;
    write.device = write.buffer = 1;
    write.size = size;
    write.data = size == 0 ? std::make_unique<BlobRef>(blob_ref_of({})) : zeros_ref();
    return verified_with_zeros(calls.add(std::move(write)), false, 32 * kMiB);
  };
  EXPECT_EQ(verdict(0), absl::OkStatus());
  EXPECT_EQ(verdict(kMiB).code(), absl::StatusCode::kResourceExhausted);
}

TEST(SemanticsOfMemory, ArgumentsOfLaunchesCountWhileTheirQueueWaits) {
  const auto verdict = [](bool waits) {
    SetRuntimeArgsT args;
    args.kernel = 1;
    args.cores = {CoreRange(CoreCoord(0, 0), CoreCoord(7, 7))};
    args.args.resize(256);
    KernelBinaryT binary;
    binary.kernel = 1;
    binary.target = "t";
    binary.object = samples::blob();
    Calls calls;
    calls.program(1).compute_kernel(1, 1).add(std::move(args)).add(std::move(binary)).event(1);
    if (waits) calls.wait(1, 0);
    for (int i = 0; i < 100; ++i) calls.launch(1);
    return calls.record(1, 1).verified(4 * kMiB);
  };
  EXPECT_EQ(verdict(false), absl::OkStatus());
  EXPECT_THAT(verdict(true),
              testing::IsError(absl::StatusCode::kResourceExhausted, "(EnqueueProgram, at"));
}

TEST(SemanticsOfMemory, EachIndexOfACircularBufferCounts) {
  const auto verdict = [](uint8_t num_indices) {
    Calls calls;
    for (uint64_t id = 1; id <= 500; ++id) calls.program(id);
    for (uint64_t id = 1; id <= 500; ++id) calls.circular_buffer(id, id, 0, 64, num_indices);
    return calls.verified(8 * kMiB);
  };
  EXPECT_EQ(verdict(1), absl::OkStatus());
  EXPECT_THAT(verdict(32),
              testing::IsError(absl::StatusCode::kResourceExhausted, "(CircularBufferCreate, at"));
}

// TT-Metalium's numbers of core types.
constexpr uint8_t kEthernetCores = 8;
constexpr uint8_t kWorkerCores = 9;

// The most memory that 500 programs hold, each with as many semaphores as it can have.
uint64_t peak_with_semaphores(uint8_t core_type, bool launched) {
  Calls calls;
  for (uint64_t id = 1; id <= 500; ++id) {
    calls.program(id);
    for (uint32_t semaphore = 0; semaphore < 16; ++semaphore) {
      CreateSemaphoreT create;
      create.program = id;
      create.cores = {CoreRange(CoreCoord(0, 0), CoreCoord(0, 7))};
      create.core_type = core_type;
      create.semaphore_id = semaphore;
      calls.add(std::move(create));
    }
    if (launched) calls.launch(id);
  }
  VerifyReport report;
  EXPECT_EQ(verify(*calls.file(), &report), absl::OkStatus());
  return report.peak_memory;
}

TEST(SemanticsOfMemory, SemaphoresOfALaunchCountOnCoresOfBothKinds) {
  const uint64_t on_workers = peak_with_semaphores(kWorkerCores, true);
  EXPECT_GT(on_workers, peak_with_semaphores(kWorkerCores, false));
  EXPECT_EQ(on_workers, peak_with_semaphores(kEthernetCores, true));
}

// ---- Objects ----

template <class Call>
Calls& end(Calls& calls, uint64_t Call::*object, uint64_t id) {
  Call call;
  call.*object = id;
  return calls.add(call);
}

// An object that a few bytes make, and its end.
struct Kind {
  const char* name;
  void (*make)(Calls& calls, uint64_t id);
  void (*end)(Calls& calls, uint64_t id);
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

void make_program(Calls& calls, uint64_t id) { calls.program(id); }
void end_program(Calls& calls, uint64_t id) { end(calls, &ProgramDestroyT::program, id); }

void make_trace(Calls& calls, uint64_t id) {
  LoadTraceT trace;
  trace.id = id;
  trace.device = 1;
  trace.content = std::make_unique<TraceContentT>();
  calls.add(std::move(trace));
}

void end_trace(Calls& calls, uint64_t id) {
  ReleaseTraceT release;
  release.device = 1;
  release.trace = id;
  calls.add(release);
}

void make_manager(Calls& calls, uint64_t id) {
  SubDeviceManagerCreateT manager;
  manager.id = id;
  manager.device = 1;
  manager.sub_devices.push_back(std::make_unique<SubDeviceT>());
  manager.sub_devices[0]->cores = {CoreRange(CoreCoord(0, 0), CoreCoord(0, 0))};
  calls.add(std::move(manager));
}

void end_manager(Calls& calls, uint64_t id) {
  SubDeviceManagerRemoveT remove;
  remove.device = 1;
  remove.manager = id;
  calls.add(remove);
}

void make_global_semaphore(Calls& calls, uint64_t id) {
  GlobalSemaphoreCreateT semaphore;
  semaphore.id = id;
  semaphore.device = 1;
  semaphore.buffer_type = BufferType::L1;
  semaphore.cores = {CoreRange(CoreCoord(0, 0), CoreCoord(0, 0))};
  semaphore.allocated_address = 0x20000 + 16 * id;
  calls.add(std::move(semaphore));
}

class SemanticsOfObjects : public ::testing::TestWithParam<Kind> {};

TEST_P(SemanticsOfObjects, CountAsLongAsTheyLive) {
  Calls living, ended;
  for (uint64_t id = 1; id <= 4000; ++id) {
    GetParam().make(living, id);
    GetParam().make(ended, id);
    GetParam().end(ended, id);
  }
  EXPECT_EQ(living.verified(4 * kMiB).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(ended.verified(4 * kMiB), absl::OkStatus());
}

INSTANTIATE_TEST_SUITE_P(
    Kind, SemanticsOfObjects,
    ::testing::Values(
        Kind{"event", [](Calls& calls, uint64_t id) { calls.event(id); },
             [](Calls& calls, uint64_t id) { end(calls, &EventDestroyT::event, id); }},
        Kind{"buffer", [](Calls& calls, uint64_t id) { calls.buffer(id, 0, 0); },
             [](Calls& calls, uint64_t id) { end(calls, &BufferDestroyT::buffer, id); }},
        Kind{"program", make_program, end_program},
        Kind{"kernel", [](Calls& calls, uint64_t id) { calls.program(id).compute_kernel(id, id); },
             end_program},
        Kind{"circular_buffer",
             [](Calls& calls, uint64_t id) { calls.program(id).circular_buffer(id, id, 0, 64); },
             end_program},
        Kind{"trace", make_trace, end_trace}, Kind{"sub_device_manager", make_manager, end_manager},
        Kind{"global_semaphore", make_global_semaphore,
             [](Calls& calls, uint64_t id) {
               end(calls, &GlobalSemaphoreDestroyT::global_semaphore, id);
             }}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace lightmetal::schema
