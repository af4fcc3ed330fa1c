#include "schema/index/object_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "schema/commands/calls.h"
#include "schema/index/words.h"
#include "tests/schema/semantics_calls.h"

namespace lightmetal::schema::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

constexpr uint32_t kNone = ObjectIndex::kNone;

ObjectIndex index_of(const Calls& calls) {
  ObjectIndex index;
  for (uint64_t number = 0; number < calls.commands().size(); ++number) {
    const Content bytes = encoded(calls.commands()[number]);
    index.add(number, *GetSizePrefixedCommand(bytes.data()));
  }
  return index;
}

uint32_t program_of(const ObjectIndex& index, const CommandT& command) {
  const Content bytes = encoded(command);
  return index.program_of(*GetSizePrefixedCommand(bytes.data()));
}

TEST(ObjectIndex, NumbersObjectsInTheOrderOfTheirCreation) {
  const ObjectIndex index = index_of(Calls().program(7).compute_kernel(9, 7).buffer(7, 4096, 64));
  ASSERT_EQ(index.size(), 4u);
  EXPECT_EQ(index[0].name, (ObjectName{ObjectKind::Device, 1}));
  EXPECT_EQ(index.find({ObjectKind::Program, 7}), 1u);
  EXPECT_EQ(index.find({ObjectKind::Kernel, 9}), 2u);
  EXPECT_EQ(index.find({ObjectKind::Buffer, 7}), 3u);
  EXPECT_EQ(index.find({ObjectKind::Buffer, 9}), kNone);
  EXPECT_EQ(index[2].creator, 2u);
  EXPECT_EQ(index[2].owner, 1u);
  EXPECT_EQ(index[1].owner, kNone);
  EXPECT_EQ(index.first_made_by(2), 2u);
  EXPECT_EQ(index.first_made_by(4), index.size());
}

TEST(ObjectIndex, FreedMemoryEndsABufferBeforeItIsDestroyed) {
  BufferDestroyT destroy;
  destroy.buffer = 5;
  const ObjectIndex index =
      index_of(Calls().buffer(5, 4096, 64).buffer(6, 8192, 32).free(5).add(destroy));
  const ObjectIndex::Object& freed = index[index.find({ObjectKind::Buffer, 5})];
  EXPECT_EQ(freed.end, 3u);
  EXPECT_EQ(freed.memory->address, 4096u);
  EXPECT_EQ(freed.memory->size, 64u);
  EXPECT_EQ(freed.memory->device, 0u);
  EXPECT_EQ(index[index.find({ObjectKind::Buffer, 6})].end, ObjectIndex::kNever);
  EXPECT_THAT(index.living(), ElementsAre(2u));
}

TEST(ObjectIndex, MemoryOverlapsWhereItHasBytesInCommon) {
  const ObjectIndex index = index_of(Calls()
                                         .buffer(1, 4096, 64)
                                         .view(2, BufferType::Dram, 4159, 8, 8)
                                         .view(3, BufferType::Dram, 4160, 8, 8)
                                         .view(4, BufferType::L1, 4096, 64, 64));
  const auto& whole = *index[1].memory;
  EXPECT_FALSE(whole.is_view);
  EXPECT_TRUE(index[2].memory->is_view);
  EXPECT_TRUE(whole.may_overlap(*index[2].memory));
  EXPECT_TRUE(index[2].memory->may_overlap(whole));
  EXPECT_FALSE(whole.may_overlap(*index[3].memory)) << "it touches its end";
  EXPECT_FALSE(index[3].memory->may_overlap(whole)) << "it begins at its end";
  EXPECT_FALSE(whole.may_overlap(*index[4].memory)) << "in another memory";
}

TEST(ObjectIndex, MemoryOfTwoDevicesDoesNotOverlap) {
  BufferCreateT elsewhere;
  elsewhere.id = 2;
  elsewhere.device = 2;
  elsewhere.allocated_address = 4096;
  elsewhere.size = 64;
  const ObjectIndex index =
      index_of(Calls().device(2, 1).buffer(1, 4096, 64).add(std::move(elsewhere)));
  EXPECT_EQ(index[2].memory->device, 0u);
  EXPECT_EQ(index[3].memory->device, 1u);
  EXPECT_FALSE(index[2].memory->may_overlap(*index[3].memory));
}

TEST(ObjectIndex, AGlobalSemaphoreIsAWordOfMemoryUntilItIsDestroyed) {
  GlobalSemaphoreCreateT create;
  create.id = 5;
  create.device = 1;
  create.buffer_type = BufferType::L1Small;
  create.allocated_address = 4096;
  GlobalSemaphoreDestroyT destroy;
  destroy.global_semaphore = 5;
  Calls calls;
  calls.view(1, BufferType::L1Small, 4099, 8, 8).view(2, BufferType::L1Small, 4100, 8, 8);
  const ObjectIndex living = index_of(calls.add(create));
  const ObjectIndex::Memory& word = *living[3].memory;
  EXPECT_TRUE(word.may_overlap(*living[1].memory));
  EXPECT_FALSE(word.may_overlap(*living[2].memory));
  EXPECT_FALSE(word.is_view);
  EXPECT_THAT(living.living(), ElementsAre(1u, 2u, 3u));
  const ObjectIndex index = index_of(calls.add(destroy));
  EXPECT_EQ(index[3].end, 4u);
  EXPECT_THAT(index.living(), ElementsAre(1u, 2u));
}

TEST(ObjectIndex, APartOfAProgramStandsForIt) {
  const Calls calls =
      Calls().program(3).compute_kernel(8, 3).circular_buffer(8, 3, 0, 64).launch(3);
  const ObjectIndex index = index_of(calls);
  SetRuntimeArgsT set;
  set.kernel = 8;
  UpdateCircularBufferTotalSizeT resize;
  resize.circular_buffer = 8;
  const uint32_t program = index.find({ObjectKind::Program, 3});
  Calls more = calls;
  const std::vector<CommandT>& commands = more.add(set).add(resize).commands();
  EXPECT_EQ(program_of(index, commands[0]), kNone) << "makes a device";
  EXPECT_EQ(program_of(index, commands[1]), kNone) << "makes the program";
  for (size_t number = 2; number < commands.size(); ++number)
    EXPECT_EQ(program_of(index, commands[number]), program) << number;
  set.kernel = 9;
  EXPECT_EQ(program_of(index, Calls().add(set).commands().back()), kNone) << "of no kernel";
}

TEST(ObjectIndex, ACommandThatCannotBeChangesNothing) {
  const ObjectIndex index =
      index_of(Calls().buffer(5, 4096, 64).buffer(5, 8192, 32).free(6).compute_kernel(2, 1));
  ASSERT_EQ(index.size(), 3u);
  EXPECT_EQ(index[1].memory->address, 4096u);
  EXPECT_EQ(index[2].owner, kNone) << "of no program";
}

std::multiset<uint32_t> words_of(const CommandT& command) {
  std::multiset<uint32_t> words;
  const Content bytes = encoded(command);
  visit_call(*GetSizePrefixedCommand(bytes.data()), [&](const auto& call) {
    visit_words(call, [&](uint32_t word) { words.insert(word); });
  });
  return words;
}

template <class Call>
std::multiset<uint32_t> words_in(Call call) {
  return words_of(Calls().add(std::move(call)).commands().back());
}

TEST(Words, AreAllThatMayBeAddresses) {
  SetRuntimeArgsT args;
  args.args = {1, 2};
  EXPECT_THAT(words_in(args), UnorderedElementsAre(1, 2));

  SetRuntimeArgsPerCoreT per_core;
  for (const uint32_t word : {3u, 4u})
    per_core.args.emplace_back(std::make_unique<WordsT>())->words = {word};
  EXPECT_THAT(words_in(std::move(per_core)), UnorderedElementsAre(3, 4));

  SetCommonRuntimeArgsSymbolicT symbolic;
  symbolic.args = std::make_unique<RuntimeArgsT>();
  symbolic.args->args.emplace_back(std::make_unique<RuntimeArgT>())->value = 5;
  EXPECT_THAT(words_in(std::move(symbolic)), UnorderedElementsAre(5));

  KernelCreateT kernel;
  kernel.config.Set(ComputeConfigT());
  kernel.compile_args = {6};
  kernel.named_compile_args.emplace_back(std::make_unique<NamedArgT>())->value = 7;
  EXPECT_THAT(words_in(std::move(kernel)), UnorderedElementsAre(6, 7));

  CircularBufferCreateT circular;
  circular.config = std::make_unique<CircularBufferConfigT>();
  circular.config->globally_allocated_address = 8;
  circular.config->total_size = 64;
  EXPECT_THAT(words_in(std::move(circular)), UnorderedElementsAre(8));

  LoadTraceT trace;
  trace.content = std::make_unique<TraceContentT>();
  auto& launch = trace.content->launches.emplace_back(std::make_unique<TraceLaunchT>());
  launch->args = {9};
  auto& core = launch->cores.emplace_back(std::make_unique<TraceCoreT>());
  core->core = std::make_unique<CoreCoord>(0, 0);
  core->circular_buffers.emplace_back(10, 64, 64, 0, 0);
  EXPECT_THAT(words_in(std::move(trace)), UnorderedElementsAre(9, 10));

  EXPECT_TRUE(words_in(FinishQueueT()).empty());
}

}  // namespace
}  // namespace lightmetal::schema::testing
