// Calls that are good one by one, in an order that is not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/schema/semantics_calls.h"
#include "tests/support/agreement.h"

namespace lightmetal::schema {
namespace {

using testing::Calls;
using ::testing::HasSubstr;

// ---- Scopes ----

TEST(SemanticsOfScopes, OnlyAnOpenScopeEnds) {
  const auto begin = [] {
    ScopeBeginT begin;
    begin.name = "prefill";
    return begin;
  };
  EXPECT_EQ(Calls().add(begin()).add(begin()).add(ScopeEndT()).add(ScopeEndT()).verified(),
            absl::OkStatus());
  EXPECT_THAT(Calls().add(begin()).add(ScopeEndT()).add(ScopeEndT()).error(),
              HasSubstr("Cannot end a scope: none is open"));
  Calls calls;
  for (int i = 0; i < 256; ++i) calls.add(begin());
  EXPECT_EQ(calls.verified(), absl::OkStatus());
  EXPECT_THAT(calls.add(begin()).error(), HasSubstr("inside 256 others"));
}

// ---- Entries ----

TEST(SemanticsOfEntries, OneIsOpenAtATime) {
  const auto begin = [](const char* name) {
    EntryBeginT begin;
    begin.name = name;
    return begin;
  };
  EXPECT_EQ(Calls().add(begin("a")).add(EntryEndT()).add(begin("a")).verified(), absl::OkStatus());
  EXPECT_THAT(Calls().add(begin("a")).add(begin("b")).error(),
              HasSubstr("Cannot begin entry b inside of entry a"));
  EXPECT_THAT(Calls().add(begin("a")).add(EntryEndT()).add(EntryEndT()).error(),
              HasSubstr("Cannot end an entry: none has begun"));
}

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

// Queue 0 waits for an event that queue 1 records only after the call.
std::string error_behind_a_wait(auto call) {
  Calls calls;
  LoadTraceT trace;
  trace.id = trace.device = 1;
  trace.content = std::make_unique<TraceContentT>();
  calls.buffer(1, 32, 16, 16).program(1).add(std::move(trace)).event(1).wait(1, 0);
  return calls.add(std::move(call)).record(1, 1).error();
}

// The object that the call is about has the id 1.
template <class Call>
void expect_waits_if_it_blocks(Call call, uint64_t Call::*object) {
  call.device = call.*object = 1;
  EXPECT_EQ(error_behind_a_wait(call), "");
  call.blocking = true;
  EXPECT_THAT(error_behind_a_wait(std::move(call)), HasSubstr("its queue 0 waits for event 1"));
}

TEST(SemanticsOfEvents, ATransferOrLaunchWaitsForItsQueueIfItBlocks) {
  EnqueueWriteBufferT write;
  write.data = samples::blob();
  expect_waits_if_it_blocks(std::move(write), &EnqueueWriteBufferT::buffer);
  EnqueueWriteSubBufferT write_part;
  write_part.data = samples::blob();
  write_part.size = 16;
  expect_waits_if_it_blocks(std::move(write_part), &EnqueueWriteSubBufferT::buffer);
  expect_waits_if_it_blocks(EnqueueReadBufferT(), &EnqueueReadBufferT::buffer);
  expect_waits_if_it_blocks(EnqueueReadSubBufferT(), &EnqueueReadSubBufferT::buffer);
  expect_waits_if_it_blocks(EnqueueProgramT(), &EnqueueProgramT::program);
  expect_waits_if_it_blocks(ReplayTraceT(), &ReplayTraceT::trace);
  expect_waits_if_it_blocks(EnqueueTraceT(), &EnqueueTraceT::trace);
}

TEST(SemanticsOfEvents, AComparisonWaitsForItsQueueAndASynchronizationForThatItNames) {
  LightMetalCompareT compare;
  compare.device = compare.buffer = 1;
  compare.golden = samples::blob();
  EXPECT_THAT(error_behind_a_wait(compare), HasSubstr("its queue 0 waits for event 1"));
  compare.cq = 1;
  EXPECT_EQ(error_behind_a_wait(std::move(compare)), "");
  SynchronizeT synchronize;
  synchronize.device = 1;
  synchronize.cq = uint8_t{0};
  EXPECT_THAT(error_behind_a_wait(synchronize), HasSubstr("its queue 0 waits for event 1"));
  synchronize.cq = uint8_t{1};
  EXPECT_EQ(error_behind_a_wait(synchronize), "");
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

// Two queues, of which the first waits for event 1 and then records event 2.
absl::Status verdict_on_incomplete(bool records_what_the_first_waits_for) {
  Calls calls;
  calls.event(1).event(2).wait(1, 0).record(2, 0).wait(2, 1);
  if (records_what_the_first_waits_for) calls.record(1, 1);
  return verify(*testing::opened(testing::written(calls.commands(), absl::AbortedError("cut"))),
                nullptr, {.allow_incomplete = true});
}

TEST(SemanticsOfEvents, AnIncompleteFileDoesNotEndInQueuesThatWaitForEachOther) {
  EXPECT_EQ(verdict_on_incomplete(false), absl::OkStatus());
  EXPECT_THAT(std::string(verdict_on_incomplete(true).message()),
              HasSubstr("after the last command: device 1: its queue 0 waits for event 1, which is "
                        "recorded only behind a wait for it"));
}

TEST(SemanticsOfEvents, OnlyWhatWasRecordedCanBeWaitedForByTheHost) {
  EXPECT_THAT(Calls().event(1).synchronize(1).error(),
              HasSubstr("event 1: Cannot synchronize with an event that was never recorded"));
}

TEST(SemanticsOfEvents, ALaterRecordingCountsOnlyForLaterWaits) {
  EXPECT_EQ(Calls().event(1).record(1, 0).wait(1, 1).record(1, 0).wait(1, 1).finish(1).verified(),
            absl::OkStatus());
}

TEST(SemanticsOfEvents, ALaterRecordingInAnotherQueueEndsNoEarlierWait) {
  // Queue 0 waits for event 1 and then records event 2, for which queue 0 of device 2 waits.
  Calls calls;
  calls.device(2, 1).event(1).event(2).wait(1, 0).record(2, 0);
  EnqueueWaitForEventT wait;
  wait.device = 2;
  wait.event = 2;
  FinishQueueT finish;
  finish.device = 2;
  calls.add(wait).record(2, 1).synchronize(2);
  EXPECT_THAT(Calls(calls).add(finish).record(1, 1).error(),
              HasSubstr("device 2: its queue 0 waits for event 2"));
  EXPECT_EQ(Calls(calls).record(1, 1).add(finish).verified(), absl::OkStatus());
}

// ---- Objects ----

TEST(SemanticsOfOrder, AChipIsOpenOnce) {
  EXPECT_THAT(Calls().device(2, 0).error(),
              HasSubstr("device 2: Device 0 is open already, with other parameters or in a replay: "
                        "close it before it is created again"));
  EXPECT_EQ(Calls().close(1).device(2, 0).verified(), absl::OkStatus());
}

TEST(SemanticsOfOrder, MemoryIsGivenOnceAtATime) {
  EXPECT_THAT(Calls().buffer(1, 32, 1 << 20).buffer(2, 64, 1 << 20).error(),
              HasSubstr("1048576 B at address 64 are not free in DRAM: address 32 is taken, with "
                        "1048576 B"));
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
              HasSubstr("buffer 1: Buffer 1 at address 32 has been deallocated"));
  ReadFromBufferT read;
  read.buffer = 1;
  EXPECT_THAT(Calls().buffer(1, 32, 1 << 20).close(1).add(std::move(read)).error(),
              HasSubstr("buffer 1: Device 1 has been closed"));
}

TEST(SemanticsOfOrder, WhatIsLeftOfAClosedDeviceIsNotUsed) {
  EXPECT_THAT(Calls().event(1).record(1, 0).close(1).synchronize(1).error(),
              HasSubstr("event 1: the device of its queue has been closed"));
  GlobalSemaphoreCreateT semaphore;
  semaphore.id = semaphore.device = 1;
  semaphore.buffer_type = BufferType::L1;
  semaphore.cores = {CoreRange(CoreCoord(0, 0), CoreCoord(0, 0))};
  semaphore.allocated_address = 0x20000;
  GlobalSemaphoreResetValueT reset;
  reset.global_semaphore = 1;
  Calls calls;
  EXPECT_EQ(calls.add(std::move(semaphore)).add(reset).verified(), absl::OkStatus());
  EXPECT_THAT(calls.close(1).add(reset).error(),
              HasSubstr("global semaphore 1: its device has been closed"));
}

TEST(SemanticsOfOrder, AQueueTransfersBuffersOfItsOwnDevice) {
  EnqueueWriteBufferT write;
  write.device = 2;
  write.buffer = 1;
  write.data = samples::blob();
  EnqueueReadBufferT read;
  read.device = 2;
  read.buffer = 1;
  Calls calls;
  calls.device(2, 1).buffer(1, 32, 16, 16);
  for (const Calls& elsewhere : {Calls(calls).add(std::move(write)), Calls(calls).add(read)}) {
    EXPECT_THAT(elsewhere.error(),
                HasSubstr("buffer 1: Buffer 1 belongs to device 1: it cannot be used in a queue of "
                          "device 2"));
  }
}

TEST(SemanticsOfOrder, AnEmptyBufferHasNoAddress) {
  EXPECT_EQ(Calls().buffer(1, 0, 0).verified(), absl::OkStatus());
  EXPECT_THAT(Calls().buffer(1, 64, 0).error(),
              HasSubstr("its field allocated_address is 64, expected 0: nothing is allocated"));
}

// ---- Names of buffers ----

BindTensorT bind_to(uint64_t buffer) {
  BindTensorT bind;
  bind.buffer = buffer;
  bind.name = "x";
  bind.tensor = std::make_unique<TensorDescT>();
  bind.tensor->type = ElementType::UInt32;
  bind.tensor->shape = {4};
  return bind;
}

TEST(SemanticsOfBindings, ANameIsOfOneBufferUntilThatIsDestroyed) {
  BufferDestroyT destroy;
  destroy.buffer = 1;
  Calls calls;
  calls.buffer(1, 32, 64, 64).buffer(2, 128, 64, 64).add(bind_to(1));
  EXPECT_THAT(Calls(calls).add(bind_to(2)).error(), HasSubstr("buffer 1 has this name"));
  EXPECT_EQ(calls.add(destroy).add(bind_to(2)).verified(), absl::OkStatus());
}

TEST(SemanticsOfBindings, ABufferWithoutMemoryGetsNoNameAndDoesNotMove) {
  BufferMovableT movable;
  movable.buffer = 1;
  Calls calls;
  EXPECT_EQ(calls.buffer(1, 32, 64, 64).add(bind_to(1)).add(movable).verified(), absl::OkStatus());
  Calls freed;
  freed.buffer(1, 32, 64, 64).free(1);
  EXPECT_THAT(Calls(freed).add(bind_to(1)).error(), HasSubstr("has been deallocated"));
  EXPECT_THAT(Calls(freed).add(movable).error(), HasSubstr("has been deallocated"));
}

// ---- Arguments ----

// A kernel whose arguments, on one core or those of all, are set several times: so many each time.
template <class Call>
Calls with_arguments(const std::vector<size_t>& counts) {
  Calls calls;
  calls.program(1).compute_kernel(1, 1);
  for (const size_t count : counts) {
    Call set;
    set.kernel = 1;
    if constexpr (requires { set.cores; })
      set.cores = {CoreRange(CoreCoord(2, 1), CoreCoord(2, 1))};
    set.args.resize(count);
    calls.add(std::move(set));
  }
  return calls;
}

TEST(SemanticsOfArguments, AsManyAsTheFirstTimeMayBeSetAgainAfterFewer) {
  for (const auto with :
       {&with_arguments<SetRuntimeArgsT>, &with_arguments<SetCommonRuntimeArgsT>}) {
    EXPECT_EQ(with({3, 2, 3}).verified(), absl::OkStatus());
    EXPECT_THAT(with({3, 2, 4}).error(), HasSubstr("their number cannot grow from 3 to 4"));
  }
  WriteRuntimeArgsT write;
  write.kernel = 1;
  write.core = std::make_unique<CoreCoord>(2, 1);
  write.args.resize(3);
  EXPECT_EQ(with_arguments<SetRuntimeArgsT>({3, 2}).add(std::move(write)).verified(),
            absl::OkStatus());
}

// ---- Transfers ----

constexpr uint64_t kL1Size = 1499136;
constexpr uint64_t kDramBankSize = uint64_t{1} << 30;
constexpr uint32_t kDramBanks = 12;

TEST(SemanticsOfTransfers, AViewMayLieAnywhereButIsReadOnlyWhereMemoryIs) {
  const auto verdict = [](BufferType type, uint64_t address, bool read) {
    Calls calls;
    calls.view(1, type, address, 4, 4);
    if (read) calls.read(1, true);
    return calls.error();
  };
  EXPECT_EQ(verdict(BufferType::L1, kL1Size - 4, true), "");
  EXPECT_EQ(verdict(BufferType::L1, kL1Size, false), "");
  EXPECT_THAT(verdict(BufferType::L1, kL1Size, true),
              HasSubstr("buffer 1: The pages of 4 B of buffer 1 from address 1499136 on reach "
                        "beyond the end of its banks of 1499136 B"));
  EXPECT_EQ(verdict(BufferType::Dram, kDramBankSize - 4, true), "");
  EXPECT_EQ(verdict(BufferType::Dram, kDramBankSize, false), "");
  EXPECT_THAT(verdict(BufferType::Dram, kDramBankSize - 3, true),
              HasSubstr("reach beyond the end"));
}

TEST(SemanticsOfTransfers, OfAViewThatReachesTooFarTheFirstPagesCanBeRead) {
  const auto verdict = [](uint64_t pages) {
    EnqueueReadSubBufferT read;
    read.device = read.buffer = 1;
    read.size = pages * 32;
    Calls calls;
    calls.view(1, BufferType::Dram, kDramBankSize - 32, 2 * kDramBanks * 32, 32);
    return calls.add(std::move(read)).verified().ok();
  };
  EXPECT_TRUE(verdict(kDramBanks));
  EXPECT_FALSE(verdict(kDramBanks + 1));
}

TEST(SemanticsOfTransfers, LargerPagesReachNoFurtherThanTheBank) {
  const auto verdict = [](uint64_t page_size) {
    BufferSetPageSizeT set;
    set.buffer = 1;
    set.page_size = page_size;
    Calls calls;
    calls.view(1, BufferType::L1, kL1Size - 32, 64, 32).add(set);
    return calls.read(1, true).verified().ok();
  };
  EXPECT_TRUE(verdict(16));
  EXPECT_TRUE(verdict(32));
  EXPECT_FALSE(verdict(64));
}

TEST(SemanticsOfTransfers, TheConfigurationOfAGlobalCircularBufferIsWrittenWhereMemoryIs) {
  const auto verdict = [](uint64_t address) {
    BufferCreateT config = testing::on_two_cores(2, address, 80);
    config.address = address;
    Calls calls;
    calls.add(testing::on_two_cores(1, 0x20000, 1024)).add(std::move(config));
    return calls.add(testing::global_circular_buffer(1, 1, 2)).verified().ok();
  };
  EXPECT_TRUE(verdict(kL1Size - 80));
  EXPECT_FALSE(verdict(kL1Size - 64));
}

TEST(SemanticsOfTransfers, AViewLiesWhereAddressesReach) {
  CreateDeviceT device;
  device.id = 2;
  device.chip_id = device.num_hw_cqs = 1;
  device.profile = std::make_unique<DeviceProfileT>(testing::profile());
  device.profile->dram_bank_size = uint64_t{1} << 33;
  BufferCreateT view;
  view.id = 1;
  view.device = 2;
  view.address = view.allocated_address = uint64_t{1} << 32;
  view.size = view.page_size = 32;
  EXPECT_THAT(Calls().add(std::move(device)).add(std::move(view)).error(),
              HasSubstr("buffer 1: Address 4294967296 of a DRAM buffer lies outside its banks"));
}

// ---- Launches and sub-devices ----

TEST(SemanticsOfLaunches, AProgramFitsAgainAfterEachChangeOfACircularBuffer) {
  const auto verdict = [](uint32_t first, uint32_t second) {
    KernelBinaryT binary;
    binary.kernel = 1;
    binary.target = "t";
    binary.object = samples::blob();
    Calls calls;
    calls.program(1).compute_kernel(1, 1).add(std::move(binary));
    calls.circular_buffer(1, 1, 0, 64).circular_buffer(2, 1, 1, 64).launch(1);
    for (const uint32_t size : {first, second}) {
      UpdateCircularBufferTotalSizeT update;
      update.circular_buffer = 1;
      update.total_size = size;
      calls.add(update).launch(1);
    }
    return calls.error();
  };
  constexpr uint32_t kFree = kL1Size - 0x19000;
  EXPECT_EQ(verdict(kFree - 64, 64), "");
  EXPECT_THAT(verdict(64, kFree - 48),
              HasSubstr("grow to 1499152 B which is beyond max L1 size of 1499136 B"));
  EXPECT_THAT(
      verdict(72, 64),
      HasSubstr("Circular buffer 1: its total size 72 B must be divisible by page size 16 B"));
}

KernelBinaryT binary_of(uint64_t kernel) {
  KernelBinaryT binary;
  binary.kernel = kernel;
  binary.target = "t";
  binary.object = samples::blob();
  return binary;
}

TEST(SemanticsOfSubDevices, AProgramThatHasRunFitsAgainOnlyWhereItsCoresAreOneSubDevices) {
  SubDeviceManagerCreateT manager;
  manager.id = manager.device = 1;
  manager.sub_devices.push_back(std::make_unique<SubDeviceT>());
  manager.sub_devices[0]->cores = {CoreRange(CoreCoord(0, 0), CoreCoord(3, 7))};
  SubDeviceManagerLoadT load;
  load.device = load.manager = 1;
  SubDeviceManagerClearT clear;
  clear.device = 1;
  Calls calls;
  calls.program(1).compute_kernel(1, 1).add(binary_of(1)).launch(1).add(std::move(manager));
  EXPECT_THAT(Calls(calls).add(load).launch(1).error(),
              HasSubstr("which are not in one sub-device of manager 1"));
  EXPECT_EQ(calls.add(load).add(clear).launch(1).verified(), absl::OkStatus());
}

// A manager with one sub-device, which has 4096 bytes of L1 of its own on each of two cores.
Calls divided() {
  SubDeviceManagerCreateT manager;
  manager.id = manager.device = 1;
  manager.local_l1_size = 4096;
  manager.sub_devices.push_back(std::make_unique<SubDeviceT>());
  manager.sub_devices[0]->cores = {CoreRange(CoreCoord(0, 0), CoreCoord(1, 0))};
  SubDeviceManagerLoadT load;
  load.device = load.manager = 1;
  return Calls().add(std::move(manager)).add(load);
}

TEST(SemanticsOfSubDevices, AManagerStaysWhileABufferIsInItsMemoryAndIsNotRemovedWhileLoaded) {
  constexpr uint64_t kBase = 0x19000;
  SubDeviceManagerClearT clear;
  clear.device = 1;
  SubDeviceManagerRemoveT remove;
  remove.device = remove.manager = 1;
  BufferCreateT local = testing::on_two_cores(1, kBase + 4096 - 1024, 1024);
  EXPECT_THAT(divided().add(local).error(), HasSubstr("lie outside the memory of L1 buffers"));
  local.sub_device = uint8_t{0};
  Calls calls = divided().add(local);
  EXPECT_THAT(Calls(calls).add(clear).error(),
              HasSubstr("Sub-device manager 1 cannot be exchanged: a buffer lies at address"));
  EXPECT_THAT(divided().add(remove).error(), HasSubstr("is loaded"));
  EXPECT_EQ(calls.free(1).add(clear).add(remove).verified(), absl::OkStatus());
}

TEST(SemanticsOfSubDevices, AListOfSubDevicesIsNotLongerThanThereCanBe) {
  const auto verdict = [](size_t count) {
    SubDeviceStallGroupSetT set;
    set.device = 1;
    set.sub_devices.assign(count, 0);
    FinishQueueT finish;
    finish.device = 1;
    finish.sub_devices.assign(count, 0);
    const bool can_be_set = Calls().add(std::move(set)).verified().ok();
    EXPECT_EQ(Calls().add(std::move(finish)).verified().ok(), can_be_set);
    return can_be_set;
  };
  EXPECT_TRUE(verdict(2));  // programs may name one twice
  EXPECT_TRUE(verdict(256));
  EXPECT_FALSE(verdict(257));
}

TEST(SemanticsOfTraces, ATraceIsReleasedAndReplayedOnItsDeviceAlone) {
  LoadTraceT load;
  load.id = load.device = 1;
  load.content = std::make_unique<TraceContentT>();
  ReleaseTraceT release;
  release.trace = 1;
  release.device = 2;
  EnqueueTraceT replay;
  replay.trace = 1;
  replay.device = 2;
  Calls calls;
  calls.device(2, 1).add(std::move(load));
  for (const Calls& elsewhere : {Calls(calls).add(release), Calls(calls).add(replay)}) {
    EXPECT_THAT(elsewhere.error(), HasSubstr("trace 1: Trace instance 1 must exist on device 2"));
    EXPECT_EQ(lightmetal::testing::disagreement_about(*elsewhere.file()), "");
  }
  release.device = replay.device = 1;
  EXPECT_EQ(lightmetal::testing::disagreement_about(*calls.add(replay).add(release).file()), "");
}

// The grid of a buffer's shards is a set of cores, whether its layout needs shards or not.
TEST(SemanticsOfBuffers, AGridOfShardsWithoutUseIsASetOfCores) {
  const auto calls_with = [](const CoreRange& grid) {
    BufferCreateT buffer = testing::on_two_cores(1, 0x20000, 1024);
    buffer.layout = BufferLayout::Interleaved;
    buffer.shard->grid = {grid};
    return Calls().add(std::move(buffer));
  };
  EXPECT_EQ(calls_with(CoreRange(CoreCoord(0, 0), CoreCoord(1, 0))).verified(), absl::OkStatus());
  EXPECT_THAT(calls_with(CoreRange(CoreCoord(1, 0), CoreCoord(0, 0))).error(),
              HasSubstr("buffer 1: its field shard.grid: Invalid core range"));
}

// ---- Circular buffers ----

TEST(SemanticsOfCircularBuffers, OnlyWhatWasMadeInAGlobalOneIsPutIntoOneAndNothingElse) {
  CircularBufferCreateOnGlobalT on_global;
  on_global.id = 2;
  on_global.program = on_global.global_circular_buffer = 1;
  on_global.cores = {CoreRange(CoreCoord(0, 0), CoreCoord(1, 0))};
  on_global.config = std::make_unique<CircularBufferConfigT>();
  on_global.config->total_size = 1024;
  CircularBufferIndexT& index =
      *on_global.config->indices.emplace_back(std::make_unique<CircularBufferIndexT>());
  index.index = 1;
  index.data_format = 255;
  index.page_size = 16;
  UpdateDynamicCircularBufferGlobalT into_global;
  into_global.global_circular_buffer = 1;
  UpdateDynamicCircularBufferAddressT into_buffer;
  into_buffer.buffer = 1;
  Calls calls;
  calls.add(testing::on_two_cores(1, 0x20000, 1024)).add(testing::on_two_cores(2, 0x40000, 80));
  calls.add(testing::global_circular_buffer(1, 1, 2)).program(1).circular_buffer(1, 1, 0, 64);
  calls.add(std::move(on_global));
  into_global.circular_buffer = into_buffer.circular_buffer = 1;
  EXPECT_THAT(Calls(calls).add(into_global).error(),
              HasSubstr("expected none: it was created in no global circular buffer"));
  EXPECT_EQ(Calls(calls).add(into_buffer).verified(), absl::OkStatus());
  into_global.circular_buffer = into_buffer.circular_buffer = 2;
  EXPECT_THAT(Calls(calls).add(into_buffer).error(),
              HasSubstr("expected none: it is in a global circular buffer"));
  EXPECT_EQ(calls.add(into_global).verified(), absl::OkStatus());
}

}  // namespace
}  // namespace lightmetal::schema
