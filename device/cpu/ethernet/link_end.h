#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "base/mutex.h"
#include "device/ethernet.h"

namespace lightmetal::device::cpu {

struct CoreState;

// A launch with kernels at an end of a wire, as that end sees it.
class LinkUser {
 public:
  // The chip at the other end was closed. Any thread; the end's lock is held.
  virtual void link_was_cut() = 0;

 protected:
  ~LinkUser() = default;
};

// One end of a wire between two chips (device/ethernet.h): the place where data arrives that the
// other end sends. The ends of all chips exist as long as the process; an open device is attached
// to those of its chip. Thread-safe.
//
// Locks are taken in this order: the end's, that of the core's waiters, that of the launch. No
// function holds the locks of both ends of a wire.
class LinkEnd {
 public:
  // The end at an Ethernet core; null when the core has no wire.
  static LinkEnd* find(const EthernetEnd& place);

  const EthernetEnd& place() const { return place_; }
  LinkEnd& other() const { return *find(*other_ethernet_end(place_)); }

  // Data arrives in the L1 of `core` from now on, until detach(). False, and nothing changes, when
  // another device of the same chip is attached.
  bool attach(CoreState& core);
  // When it returns, no data arrives any more, and `core` may be destroyed. A launch at the other
  // end is told.
  void detach();
  bool attached() const { return attached_.load(std::memory_order_acquire); }

  // A launch has kernels on the attached core from begin_launch() to kernels_ended(), and is told
  // of a cut wire until end_launch(). in_use(): kernels run there.
  void begin_launch(LinkUser& launch);
  void kernels_ended() { in_use_.store(false, std::memory_order_release); }
  void end_launch();
  bool in_use() const { return in_use_.load(std::memory_order_acquire); }

  // Copies bytes to the attached core's L1, and wakes kernels that wait for them. OutOfRange when
  // they end outside it, Unavailable when no core is attached.
  absl::Status deliver(uint32_t address, const std::byte* source, uint32_t size);
  // How often deliver() has succeeded, for the watchdog: what arrives is a sign of life.
  uint64_t deliveries() const { return deliveries_.load(std::memory_order_relaxed); }

  // Forgets an exchange that was broken off: sets the channels of the attached core to zeros.
  void clear_channels();

 private:
  struct All;

  LinkEnd() = default;
  void tell_launch();

  EthernetEnd place_;
  std::atomic<bool> attached_{false};
  std::atomic<bool> in_use_{false};
  std::atomic<uint64_t> deliveries_{0};
  Mutex mutex_;
  CoreState* core_ ABSL_GUARDED_BY(mutex_) = nullptr;
  LinkUser* launch_ ABSL_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace lightmetal::device::cpu
