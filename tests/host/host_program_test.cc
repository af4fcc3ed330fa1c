// The rules between the parts of a program, and between a program and a device. Each is met through
// the host API and through files as well (program_api_test, circular_buffer_api_test,
// semantics_program_test).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "host/placement.h"
#include "host/program.h"

namespace lightmetal::host {
namespace {

using ::testing::HasSubstr;

CoreSet cores(Core first, Core last) {
  CoreSet set;
  EXPECT_TRUE(set.add_range(first, last).ok());
  return set;
}

Kernel kernel(const std::string& name, Processor processor, const CoreSet& on) {
  return {.name = name, .cores = on, .processor = processor};
}

CircularBuffer buffer(uint64_t id, const CoreSet& on, uint8_t index, uint32_t size) {
  CircularBuffer made{.id = id, .cores = on, .total_size = size};
  made.local.add(index);
  made.page_sizes[index] = size;
  return made;
}

CircularBuffer remote_buffer(uint64_t id, const CoreSet& on, uint8_t index, uint32_t size) {
  CircularBuffer made = buffer(id, on, index, size);
  std::swap(made.local, made.remote);
  return made;
}

template <class Result>
std::string refusal(const Result& result) {
  EXPECT_FALSE(result.ok());
  if constexpr (std::is_same_v<Result, absl::Status>) {
    return std::string(result.message());
  } else {
    return std::string(result.status().message());
  }
}

const CoreSet kAll = cores({0, 0}, {7, 7});
const CoreSet kLeft = cores({0, 0}, {3, 7});
const CoreSet kRight = cores({4, 0}, {7, 7});

TEST(HostProgram, HasOneKernelForEachProcessorOfACore) {
  Program program(7);
  EXPECT_EQ(*program.add_kernel(kernel("a", Processor::kCompute, kLeft)), 0u);
  EXPECT_EQ(*program.add_kernel(kernel("b", Processor::kCompute, kRight)), 1u);
  EXPECT_EQ(*program.add_kernel(kernel("c", Processor::kRiscv0, kAll)), 2u);
  EXPECT_EQ(refusal(program.add_kernel(kernel("d", Processor::kCompute, cores({3, 1}, {4, 1})))),
            "Cannot create kernel d on processor COMPUTE: kernel a of program 7 uses it on cores "
            "{[(x=3,y=1) - (x=3,y=1)]}");
  EXPECT_EQ(program.kernels().size(), 3u);
}

TEST(HostProgram, GivesTheFirstSemaphoreThatIsFreeOnAllCores) {
  Program program(1);
  EXPECT_EQ(*program.add_semaphore(kLeft, CoreKind::kWorker), 0u);
  EXPECT_EQ(*program.add_semaphore(kRight, CoreKind::kWorker), 0u);
  EXPECT_EQ(*program.add_semaphore(kAll, CoreKind::kWorker), 1u);
  EXPECT_EQ(*program.add_semaphore(kAll, CoreKind::kEthernet), 0u);
  for (uint32_t id = 2; id < kNumSemaphores; ++id) {
    EXPECT_EQ(*program.add_semaphore(kAll, CoreKind::kWorker), id);
  }
  EXPECT_THAT(refusal(program.add_semaphore(kLeft, CoreKind::kWorker)),
              HasSubstr("the maximum number of semaphores (16) is reached"));
}

TEST(HostProgram, TakesASemaphoreIdOnceOnACore) {
  Program program(5);
  EXPECT_TRUE(program.add_semaphore_with_id(kLeft, CoreKind::kWorker, 1).ok());
  EXPECT_TRUE(program.add_semaphore_with_id(kRight, CoreKind::kWorker, 1).ok());
  EXPECT_TRUE(program.add_semaphore_with_id(kAll, CoreKind::kEthernet, 1).ok());
  EXPECT_THAT(refusal(program.add_semaphore_with_id(kAll, CoreKind::kWorker, 1)),
              HasSubstr("Cannot add semaphore 1 on cores {[(x=0,y=0) - (x=7,y=7)]}: program 5 has "
                        "a semaphore of this id there"));
  EXPECT_THAT(refusal(program.add_semaphore_with_id(kAll, CoreKind::kWorker, kNumSemaphores)),
              HasSubstr("Semaphore id 16 exceeds the maximum number of semaphores (16)"));
  // Those that get an id go around it.
  EXPECT_EQ(*program.add_semaphore(kAll, CoreKind::kWorker), 0u);
  EXPECT_EQ(*program.add_semaphore(kAll, CoreKind::kWorker), 2u);
  program.set_compiled();
  EXPECT_THAT(refusal(program.add_semaphore_with_id(kLeft, CoreKind::kWorker, 9)),
              HasSubstr("a semaphore"));
}

TEST(HostProgram, HasAnIndexOnceOnACoreAndRemoteOnesAboveLocalOnes) {
  Program program(3);
  ASSERT_TRUE(program.add_circular_buffer(buffer(1, kLeft, 5, 64)).ok());
  EXPECT_THAT(refusal(program.add_circular_buffer(buffer(2, kAll, 5, 64))),
              HasSubstr("at index 5 on cores {[(x=0,y=0) - (x=3,y=7)]}, another circular buffer of "
                        "program 3"));
  EXPECT_THAT(refusal(program.add_circular_buffer(remote_buffer(2, kAll, 4, 64))),
              HasSubstr("Remote circular buffer index 4 must be above local index 5"));
  ASSERT_TRUE(program.add_circular_buffer(remote_buffer(2, kRight, 4, 64)).ok());
  EXPECT_THAT(refusal(program.add_circular_buffer(buffer(3, kRight, 9, 64))),
              HasSubstr("Remote circular buffer index 4 must be above local index 9"));
  EXPECT_EQ(program.circular_buffers().size(), 2u);
  EXPECT_EQ(program.num_core_sets(), 2u);
}

TEST(HostProgram, HasLocalIndicesAboveRemoteOnesOfOtherCores) {
  Program program(3);
  ASSERT_TRUE(program.add_circular_buffer(remote_buffer(1, kRight, 4, 64)).ok());
  EXPECT_TRUE(program.add_circular_buffer(buffer(2, kLeft, 9, 64)).ok());
  EXPECT_TRUE(program.add_circular_buffer(remote_buffer(3, kRight, 8, 64)).ok());
  EXPECT_FALSE(program.add_circular_buffer(buffer(4, kRight, 4, 64)).ok());
  EXPECT_TRUE(program.add_circular_buffer(buffer(4, kRight, 3, 64)).ok());
  CircularBuffer both = buffer(5, kLeft, 20, 64);
  both.remote.add(19);
  both.page_sizes[19] = 64;
  EXPECT_THAT(refusal(program.add_circular_buffer(both)),
              HasSubstr("Remote circular buffer index 19 must be above local index 20"));
}

TEST(HostProgram, TakesNothingMoreOnceItIsCompiled) {
  Program program(4);
  program.set_compiled();
  EXPECT_EQ(refusal(program.add_kernel(kernel("a", Processor::kCompute, kLeft))),
            "Cannot add a kernel to program 4: it has been compiled already");
  EXPECT_THAT(refusal(program.add_semaphore(kLeft, CoreKind::kWorker)), HasSubstr("a semaphore"));
  EXPECT_THAT(refusal(program.add_circular_buffer(buffer(1, kLeft, 0, 64))),
              HasSubstr("a circular buffer"));
}

using Places = std::vector<std::pair<size_t, uint32_t>>;  // number and address

absl::StatusOr<CircularBufferRegion> placed(const Program& program, const DeviceProfile& profile,
                                            Places& places) {
  return place_circular_buffers(program, profile, [&](size_t number, uint32_t address) {
    places.emplace_back(number, address);
  });
}

TEST(HostPlacement, PutsEachCircularBufferBehindThoseOnItsCores) {
  Program program(1);
  ASSERT_TRUE(program.add_circular_buffer(buffer(1, kLeft, 0, 40)).ok());
  ASSERT_TRUE(program.add_circular_buffer(buffer(2, kRight, 0, 100)).ok());
  ASSERT_TRUE(program.add_circular_buffer(buffer(3, kAll, 1, 16)).ok());
  CircularBuffer given = buffer(4, kAll, 2, 16);
  given.given = {.address = 0x20000, .size = 16};
  ASSERT_TRUE(program.add_circular_buffer(given).ok());
  const DeviceProfile profile;
  Places places;
  const auto region = placed(program, profile, places);
  const auto base = static_cast<uint32_t>(profile.l1_unreserved_base);
  EXPECT_THAT(places, ::testing::ElementsAre(std::pair{size_t{0}, base}, std::pair{size_t{1}, base},
                                             std::pair{size_t{2}, base + 112}));
  EXPECT_EQ(region->end, base + 128u);
  const Target target{.device_id = 0, .profile = profile};
  EXPECT_TRUE(check_region(1, *region, target, base + 128).ok());
  EXPECT_THAT(refusal(check_region(1, *region, target, base + 127)),
              HasSubstr("clash with L1 buffers on core range {[(x=0,y=0) - (x=7,y=7)]}"));
}

TEST(HostPlacement, PassesOverCircularBuffersInTheMemoryOfBuffers) {
  Program program(1);
  ASSERT_TRUE(program.add_circular_buffer(buffer(1, kLeft, 0, 64)).ok());
  CircularBuffer given = buffer(2, kLeft, 1, 16);
  given.given = {.address = 0x20000, .size = 16};
  ASSERT_TRUE(program.add_circular_buffer(given).ok());
  ASSERT_TRUE(program.add_circular_buffer(buffer(3, kRight, 0, 32)).ok());
  const DeviceProfile profile;
  Places places;
  const auto region = placed(program, profile, places);
  const auto base = static_cast<uint32_t>(profile.l1_unreserved_base);
  EXPECT_THAT(places,
              ::testing::ElementsAre(std::pair{size_t{0}, base}, std::pair{size_t{2}, base}));
  EXPECT_EQ(region->end, base + 64u);
}

TEST(HostPlacement, RefusesWhatADeviceDoesNotHave) {
  const DeviceProfile profile;
  const Target target{.device_id = 2, .profile = profile};
  Program program(1);
  ASSERT_TRUE(program.add_kernel(kernel("far", Processor::kCompute, cores({8, 0}, {8, 0}))).ok());
  EXPECT_EQ(refusal(check_grids(program, target)),
            "Illegal placement of kernel far of program 1 on cores {[(x=8,y=0) - (x=8,y=0)]}: the "
            "compute grid of device 2 is 8x8");
  Program full(2);
  CircularBuffer given = buffer(4, kAll, 2, 64);
  given.given = {.address = profile.l1_size - 32, .size = 64};
  ASSERT_TRUE(full.add_circular_buffer(given).ok());
  EXPECT_THAT(refusal(check_circular_buffers(full, target)), HasSubstr("beyond the end of L1"));
}

// Returns the refusal of a program with one part, on device 2.
template <class Add>
std::string grid_refusal(Add add) {
  const DeviceProfile profile;
  Program program(1);
  EXPECT_TRUE(add(program).ok());
  return std::string(check_grids(program, {.device_id = 2, .profile = profile}).message());
}

TEST(HostPlacement, RefusesEachPartThatLeavesTheGridOfItsKind) {
  const CoreSet last = cores({0, 7}, {0, 7}), below = cores({0, 8}, {0, 8}),
                beside = cores({1, 0}, {1, 0});
  const auto of_semaphore = [](const CoreSet& on, CoreKind kind) {
    return grid_refusal([&](Program& program) { return program.add_semaphore(on, kind); });
  };
  EXPECT_EQ(of_semaphore(last, CoreKind::kEthernet), "");
  EXPECT_EQ(of_semaphore(beside, CoreKind::kWorker), "");
  EXPECT_EQ(of_semaphore(beside, CoreKind::kEthernet),
            "Illegal placement of semaphore 0 of program 1 on cores {[(x=1,y=0) - (x=1,y=0)]}: the "
            "Ethernet grid of device 2 is 1x8");
  EXPECT_THAT(of_semaphore(below, CoreKind::kWorker), HasSubstr("the compute grid of device 2"));
  EXPECT_THAT(grid_refusal([&](Program& program) {
                return program.add_circular_buffer(buffer(9, below, 0, 64));
              }),
              HasSubstr("Illegal placement of circular buffer 9 of program 1"));
  EXPECT_THAT(grid_refusal([&](Program& program) {
                return program.add_kernel(kernel("far", Processor::kEthernet, below));
              }),
              HasSubstr("the Ethernet grid"));
}

TEST(HostPlacement, EndsBelowSmallL1AndHasAddressesOf32Bits) {
  const DeviceProfile profile;
  const Target target{.device_id = 2, .profile = profile, .l1_small_size = 4096};
  CircularBufferRegion region{kAll, profile.l1_size - 4096};
  EXPECT_TRUE(check_region(1, region, target, std::nullopt).ok());
  ++region.end;
  EXPECT_THAT(refusal(check_region(1, region, target, std::nullopt)),
              HasSubstr("grow to 1495041 B which is beyond max L1 size of 1495040 B"));
  Program program(1);
  Places places;
  ASSERT_TRUE(program.add_circular_buffer(buffer(1, kAll, 0, 0xFFFFFFF0)).ok());
  EXPECT_TRUE(placed(program, profile, places).ok());
  ASSERT_TRUE(program.add_circular_buffer(buffer(2, kAll, 1, 64)).ok());
  EXPECT_THAT(refusal(placed(program, profile, places)), HasSubstr("take more than 4 GiB"));
}

TEST(HostPlacement, AnEthernetKernelRunsOnlyOnADeviceThatIsNotDivided) {
  const DeviceProfile profile;
  const std::vector<CoreSet> sub_devices = {kLeft, kRight};
  Target target{.device_id = 0, .profile = profile};
  Program program(1);
  ASSERT_TRUE(program.add_kernel(kernel("e", Processor::kEthernet, cores({0, 0}, {0, 0}))).ok());
  EXPECT_EQ(*find_sub_device(program, target), std::nullopt);
  target.sub_devices = sub_devices;
  EXPECT_EQ(refusal(find_sub_device(program, target)),
            "Kernel e is for an Ethernet core, which is of no sub-device");
}

TEST(HostKernel, KnowsTheCoreTypesThatRunKernels) {
  const std::map<int, CoreKind> kinds = {{2, CoreKind::kEthernet},
                                         {3, CoreKind::kEthernet},
                                         {5, CoreKind::kWorker},
                                         {8, CoreKind::kEthernet},
                                         {9, CoreKind::kWorker}};
  for (int type = 0; type < 256; ++type) {
    const auto kind = kind_of_core_type(static_cast<uint8_t>(type), "semaphores");
    const auto expected = kinds.find(type);
    ASSERT_EQ(kind.ok(), expected != kinds.end()) << type;
    if (kind.ok()) {
      EXPECT_EQ(*kind, expected->second) << type;
    }
  }
}

TEST(HostPlacement, FindsTheOneSubDeviceThatHasAll) {
  const DeviceProfile profile;
  const std::vector<CoreSet> sub_devices = {kLeft, kRight};
  const Target target{.device_id = 0, .profile = profile, .sub_devices = sub_devices};
  Program program(1);
  ASSERT_TRUE(program.add_kernel(kernel("a", Processor::kCompute, kRight)).ok());
  EXPECT_EQ(**find_sub_device(program, target), 1u);
  ASSERT_TRUE(program.add_semaphore(kAll, CoreKind::kWorker).ok());
  EXPECT_THAT(refusal(find_sub_device(program, target)), HasSubstr("runs on sub-device 1"));
  ASSERT_TRUE(program.add_kernel(kernel("b", Processor::kCompute, kLeft)).ok());
  EXPECT_THAT(refusal(find_sub_device(program, target)), HasSubstr("not in one sub-device"));
}

}  // namespace
}  // namespace lightmetal::host
