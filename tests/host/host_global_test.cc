// The rules for global semaphores, global circular buffers, events and device traces. Each is met
// through the host API and through files as well (device_api_test, global_circular_buffer_test,
// queue_api_test, trace_api_test, semantics_program_test, semantics_order_test).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/event.h"
#include "host/global_memory.h"
#include "host/trace.h"

namespace lightmetal::host {
namespace {

DeviceProfile global_profile() {
  DeviceProfile profile;
  profile.grid = {8, 8};
  profile.l1_alignment = 16;
  return profile;
}

const DeviceProfile kGlobalProfile = global_profile();
const Target kGlobalTarget{.device_id = 3, .profile = kGlobalProfile};

CoreSet rectangle(const Core& first, const Core& last) {
  CoreSet set;
  EXPECT_TRUE(set.add_range(first, last).ok());
  return set;
}

std::string text(const absl::Status& status) { return std::string(status.message()); }

// ---- Global semaphores ----

TEST(HostGlobalSemaphore, LiesInL1OfCoresThatAreThere) {
  EXPECT_TRUE(
      check_global_semaphore(BufferType::kL1, rectangle({0, 0}, {7, 7}), kGlobalTarget).ok());
  EXPECT_EQ(
      text(check_global_semaphore(BufferType::kDram, rectangle({0, 0}, {0, 0}), kGlobalTarget)),
      "Global semaphore can only be created for L1 buffer types, not DRAM");
  EXPECT_EQ(text(check_global_semaphore(BufferType::kL1, {}, kGlobalTarget)),
            "A global semaphore needs at least one core");
  EXPECT_EQ(
      text(check_global_semaphore(BufferType::kL1, rectangle({7, 0}, {8, 0}), kGlobalTarget)),
      "A global semaphore on cores {[(x=7,y=0) - (x=8,y=0)]} leaves the 8x8 grid of device 3");
}

// ---- Global circular buffers ----

Senders one_to_one() {
  Senders senders;
  EXPECT_TRUE(senders.add(rectangle({0, 0}, {0, 0}), rectangle({1, 0}, {1, 0})).ok());
  return senders;
}

TEST(HostGlobalCircularBuffer, HasASizeInUnitsOfL1) {
  EXPECT_TRUE(check_global_circular_buffer(BufferType::kL1, one_to_one(), 96, kGlobalTarget).ok());
  EXPECT_EQ(text(check_global_circular_buffer(BufferType::kTrace, one_to_one(), 96, kGlobalTarget)),
            "A global circular buffer can only be in L1, not in TRACE");
  EXPECT_EQ(text(check_global_circular_buffer(BufferType::kL1, {}, 96, kGlobalTarget)),
            "A global circular buffer needs at least one sender");
  for (const uint32_t size : {0u, 100u}) {
    EXPECT_NE(text(check_global_circular_buffer(BufferType::kL1, one_to_one(), size, kGlobalTarget))
                  .find("must be a positive multiple of 16 B, the alignment of L1"),
              std::string::npos);
  }
}

TEST(HostGlobalCircularBuffer, NeedsAnL1ThatIsAlignedAsKernelsCount) {
  DeviceProfile coarse = kGlobalProfile;
  coarse.l1_alignment = 32;
  const Target target{.device_id = 3, .profile = coarse};
  EXPECT_FALSE(check_global_circular_buffer(BufferType::kL1, one_to_one(), 96, target).ok());
}

TEST(HostGlobalCircularBuffer, HasEachCoreOnce) {
  Senders senders;
  const CoreSet first = rectangle({0, 0}, {0, 0}), row = rectangle({0, 1}, {3, 1});
  EXPECT_EQ(text(senders.add(first, {})),
            "Sender (x=0,y=0) of a global circular buffer has no receivers");
  EXPECT_TRUE(senders.add(first, row).ok());
  EXPECT_EQ(senders.cores().count(), 5);
  EXPECT_EQ(text(Senders(senders).add(rectangle({2, 1}, {2, 1}), rectangle({5, 5}, {5, 5}))),
            "A core is one sender's receiver or a sender, and only once: cores {[(x=2,y=1) - "
            "(x=2,y=1)]} cannot be senders too");
  EXPECT_NE(text(Senders(senders).add(rectangle({6, 6}, {6, 6}), rectangle({0, 0}, {0, 0})))
                .find("cannot be receivers too"),
            std::string::npos);
  EXPECT_TRUE(check_global_circular_buffer(BufferType::kL1, senders, 96, kGlobalTarget).ok());
  EXPECT_TRUE(senders.add(rectangle({8, 0}, {8, 0}), rectangle({7, 7}, {7, 7})).ok());
  EXPECT_NE(text(check_global_circular_buffer(BufferType::kL1, senders, 96, kGlobalTarget))
                .find("leaves the 8x8 grid of device 3"),
            std::string::npos);
}

// Seven words in whole units, two words of coordinates and two units of counters for each receiver.
TEST(HostGlobalCircularBuffer, HasAConfigurationAsLongAsItsLongestListOfReceivers) {
  EXPECT_EQ(RemoteConfigLayout(1).size, 32u + 16 + 32);
  EXPECT_EQ(RemoteConfigLayout(3).coordinates, 32u);
  EXPECT_EQ(RemoteConfigLayout(3).counters, 32u + 32);
  Senders senders;
  EXPECT_TRUE(senders.add(rectangle({0, 0}, {0, 0}), rectangle({0, 1}, {2, 1})).ok());
  EXPECT_TRUE(senders.add(rectangle({1, 0}, {1, 0}), rectangle({3, 1}, {3, 1})).ok());
  EXPECT_EQ(senders.config_layout().size, 32u + 32 + 96);
}

TEST(HostGlobalCircularBuffer, HasAPageOfL1OnEachOfItsCores) {
  const Senders senders = one_to_one();
  const Buffer good{.id = 7,
                    .size = 192,
                    .page_size = 96,
                    .address = 0x20000,
                    .type = BufferType::kL1,
                    .layout = BufferLayout::kHeightSharded,
                    .banks = banks_of(kGlobalTarget.profile, BufferType::kL1),
                    .shards = Shards{2, 1, 1, 2, 1}};
  EXPECT_TRUE(check_memory(good, true, 96, senders, kGlobalTarget).ok());
  EXPECT_FALSE(check_memory(good, false, 96, senders, kGlobalTarget).ok());
  EXPECT_EQ(text(check_memory(good, true, 80, senders, kGlobalTarget)),
            "Buffer 7 is not 80 B of L1 on each of 2 cores of device 3, as a global circular "
            "buffer needs");
  const auto spoilt = [&](auto spoil) {
    Buffer bad = good;
    spoil(bad);
    return check_memory(bad, true, 96, senders, kGlobalTarget).ok();
  };
  EXPECT_FALSE(spoilt([](Buffer& buffer) { buffer.type = BufferType::kDram; }));
  EXPECT_FALSE(spoilt([](Buffer& buffer) { buffer.shards->num_shards = 3; }));
  EXPECT_FALSE(spoilt([](Buffer& buffer) { buffer.shards.reset(); }));
  EXPECT_FALSE(spoilt([](Buffer& buffer) { buffer.address = buffer.banks.size - 48; }));
  EXPECT_FALSE(spoilt([](Buffer& buffer) { buffer.address = buffer.banks.size + 1; }));
  EXPECT_FALSE(spoilt([](Buffer& buffer) { buffer.size = 0; }));
}

// ---- Events ----

TEST(HostEvent, RecordingsAreReachedInAnyOrder) {
  EventProgress event;
  EXPECT_FALSE(event.has_reached(1));
  EXPECT_EQ(event.record(), 1u);
  EXPECT_EQ(event.record(), 2u);
  event.reach(2);
  EXPECT_TRUE(event.has_reached(2));
  EXPECT_FALSE(event.has_reached(1));
  EXPECT_FALSE(event.has_reached(3));
  event.end_waits();
  EXPECT_TRUE(event.has_reached(3));
}

TEST(HostEvent, AQueueMayWaitBeforeTheFirstRecordingAndTheHostNot) {
  EXPECT_EQ(awaited_by_queue(0), 1u);
  EXPECT_EQ(awaited_by_queue(4), 4u);
  EXPECT_TRUE(check_awaited_by_host(1).ok());
  EXPECT_EQ(text(check_awaited_by_host(0)),
            "Cannot synchronize with an event that was never recorded");
}

// ---- Traces ----

TEST(HostTrace, FitsWhereTheDeviceIsDividedAsItWas) {
  const std::vector<CoreSet> halves = {rectangle({0, 0}, {3, 7}), rectangle({4, 0}, {7, 7})};
  Target divided = kGlobalTarget;
  divided.sub_devices = halves;
  EXPECT_TRUE(check_lane(0, kGlobalTarget).ok());
  EXPECT_TRUE(check_lane(2, divided).ok());
  EXPECT_NE(text(check_lane(1, kGlobalTarget)).find("device 3 is not divided"), std::string::npos);
  EXPECT_NE(text(check_lane(0, divided)).find("device 3 is divided"), std::string::npos);
  EXPECT_EQ(text(check_lane(3, divided)),
            "The trace has a launch on sub-device 2, but 2 are loaded");
  EXPECT_TRUE(check_core_of_lane({7, 7}, 0, kGlobalTarget).ok());
  EXPECT_TRUE(check_core_of_lane({7, 7}, 2, divided).ok());
  EXPECT_EQ(text(check_core_of_lane({7, 7}, 1, divided)),
            "The trace has a launch on core (x=7,y=7), which is not of sub-device 0");
}

TEST(HostTrace, IsReplayedOnItsDeviceWhileItsManagerIsLoaded) {
  EXPECT_TRUE(check_on_device(5, true, kGlobalTarget).ok());
  EXPECT_EQ(text(check_on_device(5, false, kGlobalTarget)),
            "Trace instance 5 must exist on device 3");
  EXPECT_TRUE(check_manager(5, 2, 2).ok());
  EXPECT_EQ(text(check_manager(5, 2, 0)),
            "Trace instance 5 was captured or loaded for sub-device manager 2, but 0 is loaded");
}

}  // namespace
}  // namespace lightmetal::host
