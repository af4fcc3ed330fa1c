// Captures that begin in the middle of a program's life: what lives then goes on in the replay.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <tt-metalium/global_circular_buffer.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/capture/snapshot_test_kit.h"
#include "tests/support/accumulating_program.h"

namespace tt::tt_metal {
namespace {

using ::lightmetal::testing::AccumulatingProgram;
using ::lightmetal::testing::counting_buffer;
using ::lightmetal::testing::named_buffers_of;
using ::lightmetal::testing::NamedBuffers;
using ::lightmetal::testing::names_of;
using ::lightmetal::testing::open_file;
using ::lightmetal::testing::words_in;
using testing::all_of_type;
using testing::constant;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::SnapshotTest;

namespace schema = ::lightmetal::schema;

TEST_F(SnapshotTest, BuffersProgramsAndArgumentsGoOn) {
  IDevice* device = open();
  LightMetalBinary binary;
  {
    auto buffer = counting_buffer(device, 3);
    AccumulatingProgram accumulate(buffer);
    auto& reference = GetRuntimeArgs(accumulate.program, accumulate.kernel, accumulate.core(1));
    EnqueueProgram(device->command_queue(), accumulate.program, false);
    reference[1] = 1000;  // no launch has seen it when the capture begins
    begin();
    EnqueueProgram(device->command_queue(), accumulate.program, false);
    EXPECT_EQ(words_in(buffer)[16], 16u + 11 + 1000);
    reference[1] = 2000;
    GetCommonRuntimeArgs(accumulate.program, accumulate.kernel)[0] = 2;
    EnqueueProgram(device->command_queue(), accumulate.program, false);
    EXPECT_EQ(words_in(buffer)[16], 16u + 11 + 1000 + 4000);
    SetRuntimeArgs(accumulate.program, accumulate.kernel, accumulate.core(0),
                   {buffer->address(), 7, 0});
    EnqueueProgram(device->command_queue(), accumulate.program, true);
    EXPECT_EQ(words_in(buffer)[1], 1u + 10 + 10 + 20 + 14);
    binary = end();
  }
  expect_replays(binary, 3);
}

// Gives the program's kernel its buffer in place of the address, on each of its cores.
void name_buffer(AccumulatingProgram& accumulate, const std::shared_ptr<Buffer>& buffer) {
  std::vector<CoreCoord> cores;
  std::vector<std::shared_ptr<RuntimeArgs>> args;
  for (uint32_t page = 0; page < buffer->num_pages(); ++page) {
    cores.push_back(accumulate.core(page));
    args.push_back(std::make_shared<RuntimeArgs>(RuntimeArgs{buffer.get(), 10 + page, page}));
  }
  SetRuntimeArgs(buffer->device(), detail::GetKernel(accumulate.program, accumulate.kernel), cores,
                 args);
}

TEST_F(SnapshotTest, ArgumentsNameTheBuffersThatTheyNamedBefore) {
  IDevice* device = open();
  LightMetalBinary binary;
  {
    auto buffer = counting_buffer(device, 3);
    AccumulatingProgram accumulate(buffer);
    name_buffer(accumulate, buffer);
    begin();
    EnqueueProgram(device->command_queue(), accumulate.program, false);
    EXPECT_EQ(words_in(buffer)[16], 16u + 11);
    binary = end();
  }
  const std::vector<uint64_t> named = {1, 0, 0};
  EXPECT_EQ(named_buffers_of(*open_file(binary)),
            (NamedBuffers{{{1, "0,0"}, named}, {{1, "1,0"}, named}, {{1, "2,0"}, named}}));
  expect_replays(binary, 1);
}

// Nor a buffer that is gone, and whose address may be another's.
TEST_F(SnapshotTest, ArgumentsThatWereOverwrittenNameNoBuffer) {
  IDevice* device = open();
  LightMetalBinary binary;
  {
    auto buffer = counting_buffer(device, 3), gone = counting_buffer(device, 3);
    AccumulatingProgram accumulate(buffer), of_gone(gone, {0, 1});
    name_buffer(accumulate, buffer);
    name_buffer(of_gone, gone);
    SetRuntimeArgs(accumulate.program, accumulate.kernel, accumulate.core(0), {buffer->address()});
    GetRuntimeArgs(accumulate.program, accumulate.kernel, accumulate.core(1))[0] += 64;
    gone.reset();
    begin();
    words_in(buffer);
    binary = end();
  }
  EXPECT_EQ(
      named_buffers_of(*open_file(binary)),
      (NamedBuffers{{{1, "0,0"}, {0, 0, 0}}, {{1, "1,0"}, {0, 0, 0}}, {{1, "2,0"}, {1, 0, 0}}}));
  expect_replays(binary, 1);
}

TEST_F(SnapshotTest, WordsThatALaterCallLeavesAloneNameTheirBuffers) {
  IDevice* device = open();
  const auto buffer = counting_buffer(device, 1);
  Program program = CreateProgram();
  const CoreCoord core(0, 0);
  const KernelHandle kernel =
      CreateKernelFromString(program, "void kernel_main() {}\n", core, DataMovementConfig{});
  SetRuntimeArgs(device, detail::GetKernel(program, kernel), core,
                 std::make_shared<RuntimeArgs>(RuntimeArgs{1u, buffer.get()}));
  SetRuntimeArgs(program, kernel, core, {2});
  begin();
  EXPECT_EQ(named_buffers_of(*open_file(end())), (NamedBuffers{{{1, "0,0"}, {0, 1}}}));
}

// The kernel works on page 12: the second page of the first bank.
TEST_F(SnapshotTest, ArgumentsKeepTheirOffsetsInBuffersThatMayMove) {
  IDevice* device = open();
  LightMetalBinary binary;
  {
    auto buffer = counting_buffer(device, 24);
    auto page = CreateBuffer(InterleavedBufferConfig{.device = device, .size = 64, .page_size = 64},
                             buffer->address());
    AccumulatingProgram accumulate(page);
    page.reset();
    LightMetalAllowMove(buffer);
    LightMetalSetRuntimeArgs(accumulate.program, accumulate.kernel, accumulate.core(0),
                             {LightMetalAddress{buffer.get(), 64}, uint32_t{10}, uint32_t{0}});
    begin();
    EnqueueProgram(device->command_queue(), accumulate.program, false);
    EXPECT_EQ(words_in(buffer)[12 * 16], 12u * 16 + 10);
    binary = end();
  }
  EXPECT_EQ(all_of_type<schema::BufferMovableT>(*open_file(binary)).size(), 1u);
  EXPECT_EQ(named_buffers_of(*open_file(binary)), (NamedBuffers{{{1, "0,0"}, {1, 0, 0}}}));
  expect_replays(binary, 1);
}

TEST_F(SnapshotTest, ANonBlockingLaunchBeforeTheCaptureIsPartOfWhatItFinds) {
  IDevice* device = open();
  LightMetalBinary binary;
  {
    auto buffer = counting_buffer(device, 1);
    AccumulatingProgram accumulate(buffer);
    for (int i = 0; i < 50; ++i) {
      EnqueueProgram(device->command_queue(), accumulate.program, false);
    }
    begin();
    EXPECT_EQ(words_in(buffer)[0], 500u);
    binary = end();
  }
  expect_replays(binary, 1);
}

TEST_F(SnapshotTest, MovedProgramsAreFoundWhereTheyAre) {
  IDevice* device = open();
  LightMetalBinary binary;
  {
    auto buffer = counting_buffer(device, 1);
    auto accumulate = std::make_unique<AccumulatingProgram>(buffer);
    std::vector<Program> programs;
    programs.push_back(std::move(accumulate->program));
    accumulate.reset();
    Program other = CreateProgram();
    other = std::move(programs[0]);
    programs.clear();
    begin();
    EnqueueProgram(device->command_queue(), other, false);
    EXPECT_EQ(words_in(buffer)[0], 10u);
    binary = end();
  }
  EXPECT_EQ(all_of_type<schema::ProgramCreateT>(*open_file(binary)).size(), 1u);
  expect_replays(binary, 1);
}

// Sharded, in L1 and in DRAM, with other pages than at first, larger than a piece.
TEST_F(SnapshotTest, ContentsOfEveryKindOfBufferAreThere) {
  IDevice* device = open();
  CommandQueue& cq = device->command_queue();
  LightMetalBinary binary;
  {
    const ShardSpecBuffer shards(CoreRange({0, 0}, {0, 2}), {32, 32}, ShardOrientation::ROW_MAJOR,
                                 {32, 32}, {3, 1});
    auto sharded = CreateBuffer(ShardedBufferConfig{
        .device = device, .size = 3 * 2048, .page_size = 2048, .shard_parameters = shards});
    auto l1 = CreateBuffer(InterleavedBufferConfig{
        .device = device, .size = 4096, .page_size = 64, .buffer_type = BufferType::L1});
    auto repaged =
        CreateBuffer(InterleavedBufferConfig{.device = device, .size = 8192, .page_size = 1024});
    auto large = CreateBuffer(
        InterleavedBufferConfig{.device = device, .size = 9 << 20, .page_size = 3 << 10});
    auto one_page = CreateBuffer(
        InterleavedBufferConfig{.device = device, .size = 6 << 20, .page_size = 6 << 20});
    repaged->set_page_size(4096);  // takes more of a bank than was allocated
    auto after =
        CreateBuffer(InterleavedBufferConfig{.device = device, .size = 64, .page_size = 64});
    const std::vector<std::shared_ptr<Buffer>> all = {sharded, l1, repaged, large, one_page, after};
    uint32_t seed = 0;
    for (const auto& buffer : all) {
      std::vector<uint32_t> words(buffer->size() / 4);
      for (uint32_t& word : words) word = seed = seed * 1664525 + 1013904223;
      EnqueueWriteBuffer(cq, buffer, words, false);
    }
    begin();
    for (const auto& buffer : all) words_in(buffer);
    binary = end();
  }
  expect_replays(binary, 6);
}

// By addresses: views in pages as at first read what the buffer's pages of now do not reach.
TEST_F(SnapshotTest, ABufferOfOtherPagesHasWhatWasWrittenInThoseOfItsCreation) {
  IDevice* device = open();
  LightMetalBinary binary;
  {
    std::vector<std::shared_ptr<Buffer>> buffers, views;
    for (const BufferType type : {BufferType::L1, BufferType::DRAM}) {
      const InterleavedBufferConfig config{
          .device = device, .size = 4096, .page_size = 512, .buffer_type = type};
      buffers.push_back(CreateBuffer(config));
      std::vector<uint32_t> words(config.size / sizeof(uint32_t));
      for (uint32_t i = 0; i < words.size(); ++i) words[i] = 0x10000 + i;
      EnqueueWriteBuffer(device->command_queue(), buffers.back(), words, false);
      buffers.back()->set_page_size(64);
    }
    begin();
    for (const auto& buffer : buffers) {
      const InterleavedBufferConfig config{.device = device,
                                           .size = buffer->size(),
                                           .page_size = 512,
                                           .buffer_type = buffer->buffer_type()};
      views.push_back(CreateBuffer(config, buffer->address()));
      EXPECT_EQ(words_in(views.back())[1023], 0x10000u + 1023);
    }
    binary = end();
  }
  expect_replays(binary, 2);
}

TEST_F(SnapshotTest, PayloadsOfABufferAreCutIntoPiecesOfFourMebibytes) {
  IDevice* device = open();
  auto buffer = CreateBuffer(
      InterleavedBufferConfig{.device = device, .size = 20 << 20, .page_size = 1 << 20});
  EnqueueWriteBuffer(device->command_queue(), buffer, constant(7, 5 << 20), true);
  begin();
  const auto file = open_file(end());
  const auto writes = all_of_type<schema::EnqueueWriteSubBufferT>(*file);
  EXPECT_EQ(writes.size(), 5u);
  EXPECT_EQ(file->blobs().size(), 1u);  // all are equal
  EXPECT_EQ(all_of_type<schema::ClearBufferT>(*file).size(), 0u);
}

TEST_F(SnapshotTest, ABufferThatNobodyHasWrittenIsClearedAndNotWritten) {
  IDevice* device = open();
  auto buffer = CreateBuffer(
      InterleavedBufferConfig{.device = device, .size = 20 << 20, .page_size = 1 << 20});
  begin();
  const auto file = open_file(end());
  EXPECT_EQ(all_of_type<schema::ClearBufferT>(*file).size(), 1u);
  EXPECT_EQ(all_of_type<schema::EnqueueWriteSubBufferT>(*file).size(), 0u);
  EXPECT_EQ(file->blobs().size(), 0u);
}

TEST_F(SnapshotTest, ABufferIsClearedUnlessAllOfItsPagesAreWritten) {
  constexpr uint64_t kPage = 4096, kPages = 4;
  IDevice* device = open();
  std::vector<std::shared_ptr<Buffer>> buffers;
  for (uint64_t pages = 0; pages < 1 << kPages; ++pages) {
    buffers.push_back(CreateBuffer(
        InterleavedBufferConfig{.device = device, .size = kPages * kPage, .page_size = kPage}));
    for (uint64_t page = 0; page < kPages; ++page) {
      if ((pages >> page & 1) == 0) continue;
      EnqueueWriteSubBuffer(device->command_queue(), buffers.back(), constant(7, kPage / 4),
                            BufferRegion(page * kPage, kPage), true);
    }
  }
  begin();
  const auto cleared = all_of_type<schema::ClearBufferT>(*open_file(end()));
  EXPECT_EQ(cleared.size(), (1u << kPages) - 1);
}

TEST_F(SnapshotTest, ABufferAtTheEndOfItsBankIsCleared) {
  IDevice* device = open();
  const auto at_the_end = [&](BufferType type) {
    return Buffer::create(device, 4096, 4096, type, TensorMemoryLayout::INTERLEAVED, std::nullopt,
                          /*bottom_up=*/false);
  };
  const auto l1 = at_the_end(BufferType::L1), dram = at_the_end(BufferType::TRACE);
  ASSERT_EQ(l1->address() + 4096, device->l1_size_per_core());
  ASSERT_EQ(dram->address() + 4096, device->dram_size_per_channel());
  begin();
  EXPECT_EQ(all_of_type<schema::ClearBufferT>(*open_file(end())).size(), 2u);
}

TEST_F(SnapshotTest, LaterAllocationsLandWhereTheyDid) {
  IDevice* device = open();
  LightMetalBinary binary;
  {
    std::vector<std::shared_ptr<Buffer>> buffers;
    for (int i = 0; i < 8; ++i) buffers.push_back(counting_buffer(device, 1 + i % 3));
    buffers[2].reset();  // a hole
    DeallocateBuffer(*buffers[5]);
    const auto in_the_hole = counting_buffer(device, 2);
    const auto reused = counting_buffer(device, 2);  // in the memory of a buffer that lives on
    ASSERT_EQ(reused->address(), buffers[5]->address());
    begin();
    buffers[3].reset();
    DeallocateBuffer(*buffers[6]);
    for (int i = 0; i < 4; ++i) buffers.push_back(counting_buffer(device, 1));
    words_in(buffers[7]);
    words_in(reused);
    words_in(buffers.back());
    buffers.clear();
    binary = end();
  }
  const auto destroyed = all_of_type<schema::BufferDestroyT>(*open_file(binary));
  EXPECT_EQ(destroyed.size(), 11u);
  expect_replays(binary, 3);
}

TEST_F(SnapshotTest, ViewsAndDeallocatedBuffersLiveOn) {
  IDevice* device = open();
  LightMetalBinary binary;
  {
    auto buffer = counting_buffer(device, 2);
    auto view = CreateBuffer(InterleavedBufferConfig{.device = device, .size = 64, .page_size = 64},
                             buffer->address());
    auto gone = counting_buffer(device, 1);
    DeallocateBuffer(*gone);
    auto in_its_place = counting_buffer(device, 1);
    ASSERT_EQ(gone->address(), in_its_place->address());
    begin();
    words_in(view);
    words_in(in_its_place);
    Program program = CreateProgram();
    const auto kernel = CreateKernelFromString(program, ::lightmetal::testing::kAccumulate,
                                               CoreCoord(0, 0), DataMovementConfig{});
    SetRuntimeArgs(device, detail::GetKernel(program, kernel), CoreCoord(0, 0),
                   std::make_shared<RuntimeArgs>(RuntimeArgs{gone.get(), 1u, 0u}));
    gone.reset();
    view.reset();
    binary = end();
  }
  expect_replays(binary, 2);
}

TEST_F(SnapshotTest, CircularBuffersHaveTheirLastConfiguration) {
  IDevice* device = open();
  LightMetalBinary binary;
  {
    auto buffer = counting_buffer(device, 1);
    AccumulatingProgram accumulate(buffer);
    UpdateCircularBufferTotalSize(accumulate.program, accumulate.circular_buffer(), 128);
    auto memory = CreateBuffer(InterleavedBufferConfig{
        .device = device, .size = 4096, .page_size = 4096, .buffer_type = BufferType::L1});
    auto other = CreateBuffer(InterleavedBufferConfig{
        .device = device, .size = 4096, .page_size = 4096, .buffer_type = BufferType::L1});
    Program in_memory = CreateProgram();
    const CBHandle moving = CreateCircularBuffer(
        in_memory, CoreCoord(0, 0),
        CircularBufferConfig(2048, {{3, tt::DataFormat::Float16_b}}, *memory).set_page_size(3, 64));
    UpdateDynamicCircularBufferAddress(in_memory, moving, *other);
    const uint32_t address = other->address();
    other.reset();  // the circular buffer stays where the buffer was
    begin();
    EnqueueProgram(device->command_queue(), accumulate.program, true);
    words_in(buffer);
    UpdateCircularBufferPageSize(in_memory, moving, 3, 128);
    UpdateCircularBufferTotalSize(in_memory, moving, 4096);
    EXPECT_EQ(in_memory.circular_buffers()[0]->address(), address);
    binary = end();
  }
  const auto file = open_file(binary);
  const auto created = all_of_type<schema::CircularBufferCreateT>(*file);
  ASSERT_EQ(created.size(), 2u);
  EXPECT_EQ(created[0].config->total_size, 128u);
  EXPECT_EQ(created[1].config->total_size, 2048u);
  EXPECT_NE(created[1].config->buffer, 0u);
  expect_replays(binary, 1);
}

TEST_F(SnapshotTest, ACircularBufferBetweenTwoUpdatesIsAsItIs) {
  IDevice* device = open();
  LightMetalBinary binary;
  {
    auto buffer = counting_buffer(device, 1);
    AccumulatingProgram accumulate(buffer);
    UpdateCircularBufferTotalSize(accumulate.program, accumulate.circular_buffer(), 96);
    begin();
    UpdateCircularBufferPageSize(accumulate.program, accumulate.circular_buffer(), 0, 96);
    EnqueueProgram(device->command_queue(), accumulate.program, true);
    words_in(buffer);
    binary = end();
  }
  expect_replays(binary, 1);
}

TEST_F(SnapshotTest, SemaphoresKeepTheirValuesAndNumbers) {
  IDevice* device = open();
  LightMetalBinary binary;
  {
    const CoreRangeSet cores(CoreRange({0, 0}, {2, 0}));
    GlobalSemaphore semaphore = CreateGlobalSemaphore(device, cores, 5);
    semaphore.reset_semaphore_value(9);
    Finish(device->command_queue());
    std::vector<uint32_t> word, words = constant(9, 12);
    words[4] = 77;  // on core (1, 0)
    EnqueueWriteBuffer(
        device->command_queue(),
        CreateBuffer(
            InterleavedBufferConfig{
                .device = device, .size = 48, .page_size = 16, .buffer_type = BufferType::L1},
            semaphore.address()),
        words, true);
    Program program = CreateProgram();
    CreateSemaphore(program, CoreRange({0, 0}), 3);
    begin();
    EXPECT_EQ(CreateSemaphore(program, CoreRange({0, 0}, {1, 0}), 4), 1u);
    for (uint32_t x = 0; x < 3; ++x) {
      detail::ReadFromDeviceL1(device, CoreCoord(x, 0), semaphore.address(), 4, word);
      EXPECT_EQ(word[0], x == 1 ? 77u : 9u);
    }
    semaphore.reset_semaphore_value(2);
    Finish(device->command_queue());
    detail::ReadFromDeviceL1(device, CoreCoord(1, 0), semaphore.address(), 4, word);
    binary = end();
  }
  const std::vector<std::string> names = names_of(*open_file(binary));
  EXPECT_LT(std::find(names.begin(), names.end(), "Synchronize"),
            std::find(names.begin(), names.end(), "WriteToDeviceL1"))
      << "core (1, 0) has its value once the queue has written those of all cores";
  expect_replays(binary, 4);
}

TEST_F(SnapshotTest, MemoryThatWasReachedByAddressIsThere) {
  IDevice* device = open();
  std::vector<uint32_t> words = constant(0xabc);
  detail::WriteToDeviceL1(device, CoreCoord(2, 1), 0x80000, words);
  detail::WriteToDeviceL1(device, CoreCoord(0, 0), 0x10000, words, CoreType::ETH);
  detail::WriteToDeviceDRAMChannel(device, 3, 0x100000, words);
  words = constant(0xdef, 4);
  detail::WriteToDeviceDRAMChannel(device, 3, 0x100010, words);
  begin();
  detail::ReadFromDeviceL1(device, CoreCoord(2, 1), 0x80000, 64, words);
  detail::ReadFromDeviceL1(device, CoreCoord(0, 0), 0x10000, 64, words, CoreType::ETH);
  detail::ReadFromDeviceDRAMChannel(device, 3, 0x100000, 64, words);
  EXPECT_EQ(words[3], 0xabcu);
  EXPECT_EQ(words[4], 0xdefu);
  expect_replays(end(), 3);
}

TEST_F(SnapshotTest, EventsThatHappenedCanBeWaitedFor) {
  IDevice* device = open(0, 2);
  LightMetalBinary binary;
  {
    auto buffer = counting_buffer(device, 1);
    auto happened = std::make_shared<Event>();
    auto open_event = std::make_shared<Event>();
    EnqueueRecordEvent(device->command_queue(1), happened);
    begin();
    EnqueueWaitForEvent(device->command_queue(0), happened);
    EventSynchronize(happened);
    EnqueueRecordEvent(device->command_queue(1), open_event);
    EnqueueWaitForEvent(device->command_queue(0), open_event);
    words_in(buffer);
    happened.reset();
    binary = end();
  }
  const auto recorded = all_of_type<schema::EnqueueRecordEventT>(*open_file(binary));
  ASSERT_EQ(recorded.size(), 2u);
  EXPECT_EQ(recorded[0].cq, 1u) << "the queue in which it happened";
  expect_replays(binary, 1);
}

TEST_F(SnapshotTest, DeviceTracesGoOn) {
  IDevice* device = open();
  LightMetalBinary binary;
  {
    auto buffer = counting_buffer(device, 2);
    uint32_t trace = 0;
    {
      AccumulatingProgram accumulate(buffer);
      EnqueueProgram(device->command_queue(), accumulate.program, true);
      trace = BeginTraceCapture(device, 0);
      EnqueueProgram(device->command_queue(), accumulate.program, false);
      EnqueueProgram(device->command_queue(), accumulate.program, false);
      EndTraceCapture(device, 0, trace);
    }
    EnqueueTrace(device->command_queue(), trace, false);
    begin();
    EnqueueTrace(device->command_queue(), trace, false);
    EXPECT_EQ(words_in(buffer)[0], 50u);
    ReleaseTrace(device, trace);
    binary = end();
  }
  EXPECT_THAT(names_of(*open_file(binary)), Contains("ReleaseTrace"));
  expect_replays(binary, 1);
}

// Two managers, a trace for each; the second is loaded, with buffers in its own memory.
TEST_F(SnapshotTest, SubDevicesAreAsTheyWere) {
  IDevice* device = open();
  CommandQueue& cq = device->command_queue();
  LightMetalBinary binary;
  {
    auto buffer = counting_buffer(device, 1);
    auto other = counting_buffer(device, 1);
    const std::array first = {CoreRangeSet(CoreRange({0, 0}, {1, 0}))};
    const std::array second = {CoreRangeSet(CoreRange({2, 0}, {3, 0}))};
    const auto traced = [&](AccumulatingProgram& accumulate) {
      EnqueueProgram(cq, accumulate.program, true);
      const uint32_t trace = BeginTraceCapture(device, 0);
      EnqueueProgram(cq, accumulate.program, false);
      EndTraceCapture(device, 0, trace);
      return trace;
    };
    AccumulatingProgram left(buffer), right(other, {2, 0});
    const uint32_t undivided = traced(left);
    const auto small = device->create_sub_device_manager({SubDevice(first)}, 1024);
    const auto large =
        device->create_sub_device_manager({SubDevice(first), SubDevice(second)}, 4096);
    device->load_sub_device_manager(small);
    const uint32_t in_small = traced(left);
    device->load_sub_device_manager(large);
    device->set_sub_device_stall_group({SubDeviceId{1}});
    const uint32_t in_large = traced(right);
    const ShardSpecBuffer shards(first[0], {1, 1}, ShardOrientation::ROW_MAJOR, {1, 1}, {2, 1});
    const auto local = CreateBuffer(
        ShardedBufferConfig{
            .device = device, .size = 128, .page_size = 64, .shard_parameters = shards},
        SubDeviceId{0});
    EnqueueWriteBuffer(cq, local, constant(6, 32), true);
    device->reset_sub_device_stall_group();
    device->set_sub_device_stall_group({SubDeviceId{1}});
    begin();
    EXPECT_EQ(words_in(local), constant(6, 32));
    ReplayTrace(device, 0, in_large, true);
    EnqueueProgram(cq, left.program, false);
    Finish(cq, {SubDeviceId{0}, SubDeviceId{1}});
    words_in(other);
    DeallocateBuffer(*local);
    device->load_sub_device_manager(small);
    ReplayTrace(device, 0, in_small, true);
    device->clear_loaded_sub_device_manager();
    ReplayTrace(device, 0, undivided, true);
    words_in(buffer);
    device->remove_sub_device_manager(large);
    binary = end();
    device->remove_sub_device_manager(small);
  }
  const auto file = open_file(binary);
  EXPECT_EQ(all_of_type<schema::LoadTraceT>(*file).size(), 3u);
  EXPECT_EQ(all_of_type<schema::SubDeviceStallGroupSetT>(*file).size(), 1u);
  expect_replays(binary, 3);
}

// A buffer at the lowest address of L1 is where the memory of sub-devices would be.
TEST_F(SnapshotTest, TheDeviceIsUndividedAfterTheTracesOfItsManagers) {
  IDevice* device = open();
  CommandQueue& cq = device->command_queue();
  LightMetalBinary binary;
  {
    auto buffer = counting_buffer(device, 1);
    AccumulatingProgram accumulate(buffer);
    const std::array cores = {CoreRangeSet(CoreRange({0, 0}, {1, 0}))};
    const auto manager = device->create_sub_device_manager({SubDevice(cores)}, 4096);
    device->load_sub_device_manager(manager);
    const uint32_t trace = BeginTraceCapture(device, 0);
    EnqueueProgram(cq, accumulate.program, false);
    EndTraceCapture(device, 0, trace);
    device->clear_loaded_sub_device_manager();
    begin();
    Buffer::create(device, 64, 64, BufferType::L1, TensorMemoryLayout::INTERLEAVED, std::nullopt,
                   /*bottom_up=*/true);
    device->load_sub_device_manager(manager);
    ReplayTrace(device, 0, trace, true);
    EXPECT_EQ(words_in(buffer)[0], 10u);
    binary = end();
    device->clear_loaded_sub_device_manager();
    device->remove_sub_device_manager(manager);
  }
  expect_replays(binary, 1);
}

TEST_F(SnapshotTest, CircularBuffersInGlobalOnesKeepTheirConfiguration) {
  IDevice* device = open();
  const auto global = experimental::CreateGlobalCircularBuffer(
      device, {{CoreCoord(0, 0), CoreRangeSet(CoreRange(CoreCoord(1, 1)))}}, 4096);
  Program program = CreateProgram();
  CircularBufferConfig config(2048);
  config.remote_index(31).set_page_size(2048).set_data_format(tt::DataFormat::Float16_b);
  config.index(2).set_page_size(1024).set_data_format(tt::DataFormat::Float32);
  config.set_tile_dims(2, Tile({16, 16}));
  experimental::CreateCircularBuffer(program, global.all_cores(), config, global);
  begin();
  const auto made = all_of_type<schema::CircularBufferCreateOnGlobalT>(*open_file(end()));
  ASSERT_EQ(made.size(), 1u);
  ASSERT_EQ(made[0].config->indices.size(), 2u);
  const schema::CircularBufferIndexT& local = *made[0].config->indices[0];
  const schema::CircularBufferIndexT& remote = *made[0].config->indices[1];
  EXPECT_EQ(std::tuple(local.index, local.remote, local.page_size), std::tuple(2, false, 1024u));
  EXPECT_EQ(local.data_format, static_cast<uint8_t>(tt::DataFormat::Float32));
  EXPECT_EQ(std::pair(local.tile_height, local.tile_width), std::pair(16u, 16u));
  EXPECT_EQ(std::tuple(remote.index, remote.remote, remote.page_size), std::tuple(31, true, 2048u));
}

// How far sender and receiver have come is in memory.
TEST_F(SnapshotTest, GlobalCircularBuffersGoOnWhereTheyWere) {
  IDevice* device = open();
  CommandQueue& cq = device->command_queue();
  LightMetalBinary binary;
  {
    const CoreCoord sender(0, 0), receiver(1, 1);
    const auto global = experimental::CreateGlobalCircularBuffer(
        device, {{sender, CoreRangeSet(CoreRange(receiver))}}, 160);
    Program program = CreateProgram();
    CircularBufferConfig config(48);
    config.remote_index(31).set_page_size(48).set_data_format(tt::DataFormat::Float16_b);
    experimental::CreateCircularBuffer(program, global.all_cores(), config, global);
    const std::string head =
        "#include \"dataflow_api.h\"\n#include \"remote_circular_buffer_api.h\"\n"
        "void kernel_main() {\n";
    const std::string tail = "experimental::update_remote_cb_config_in_l1(31);\n}\n";
    CreateKernelFromString(program,
                           head +
                               "for (uint32_t page = 0; page < 2; ++page) {\n"
                               "  experimental::remote_cb_reserve_back(31, 1);\n"
                               "  experimental::remote_cb_push_back_and_write_pages(\n"
                               "      31, 0x60000 + page * 48, 1, 1, 1, 48, noc_index);\n}\n"
                               "experimental::remote_cb_sender_barrier(31);\n" +
                               tail,
                           sender, DataMovementConfig{});
    CreateKernelFromString(
        program,
        head +
            "auto* out = reinterpret_cast<volatile tt_l1_ptr uint32_t*>("
            "0x80000);\n"
            "for (uint32_t page = 0; page < 2; ++page) {\n"
            "  experimental::remote_cb_wait_front(31, 1);\n"
            "  const uint32_t from = "
            "get_remote_receiver_cb_interface(31).fifo_rd_ptr;\n"
            "  out[24] = from;\n"
            "  auto* in = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(from);\n"
            "  for (uint32_t i = 0; i < 12; ++i) *out++ = in[i];\n"
            "  experimental::remote_cb_pop_front(31, 1);\n}\n" +
            tail,
        receiver, DataMovementConfig{});
    std::vector<uint32_t> source(24), target;
    for (uint32_t i = 0; i < 24; ++i) source[i] = 100 + i;
    detail::WriteToDeviceL1(device, sender, 0x60000, source);
    EnqueueProgram(cq, program, true);
    begin();
    for (int i = 0; i < 3; ++i) {
      EnqueueProgram(cq, program, true);
      detail::ReadFromDeviceL1(device, receiver, 0x80000, 48 * 4, target);
      EXPECT_EQ(std::vector<uint32_t>(target.begin(), target.begin() + 24), source);
    }
    binary = end();
  }
  expect_replays(binary, 3);
}

TEST_F(SnapshotTest, TwoDevicesAndWhatIsOnThem) {
  IDevice* second = open(3);
  IDevice* first = open(1);
  LightMetalBinary binary;
  {
    auto a = counting_buffer(first, 2);
    auto b = counting_buffer(second, 1);
    AccumulatingProgram on_first(a), on_second(b);
    EnqueueProgram(first->command_queue(), on_first.program, false);
    begin();
    EnqueueProgram(second->command_queue(), on_second.program, false);
    words_in(a);
    words_in(b);
    binary = end();
  }
  expect_replays(binary, 2);
}

TEST_F(SnapshotTest, BuffersOfAClosedDeviceAreLeftOutAndItsEventsHaveCome) {
  IDevice* closed = CreateDevice(0);
  auto lost = counting_buffer(closed, 1);
  auto event = std::make_shared<Event>();
  EnqueueRecordEvent(closed->command_queue(), event);
  CloseDevice(closed);
  IDevice* device = open(1);
  auto buffer = counting_buffer(device, 1);
  begin();
  words_in(buffer);
  lost.reset();
  event.reset();
  buffer.reset();
  const LightMetalBinary binary = end();
  EXPECT_THAT(names_of(*open_file(binary)),
              ElementsAre("CreateDevice", "BufferCreate", "EnqueueWriteBuffer", "EventCreate",
                          "EnqueueRecordEvent", "Synchronize", "EnqueueReadBuffer", "EventDestroy",
                          "BufferDestroy"));
  expect_replays(binary, 1);
}

}  // namespace
}  // namespace tt::tt_metal
