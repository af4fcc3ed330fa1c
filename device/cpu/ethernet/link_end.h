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

// A launch with kernels at an end of a wire.
class LinkUser {
 public:
  // The chip at the other end closed. Any thread.
  virtual void link_was_cut() = 0;

 protected:
  ~LinkUser() = default;
};

// One end of a wire between two chips (device/ethernet.h): where the data arrives that the other
// end sends. All ends of all chips are there for the whole process; an open device is attached to
// those of its chip. Thread-safe.
//
// Locks are taken in this order: the end's, the core's waiters', the launch's.
class LinkEnd {
 public:
  // Null when the core has no wire.
  static LinkEnd* find(const EthernetEnd& place);

  const EthernetEnd& place() const { return place_; }
  LinkEnd& other() const { return *find(*other_ethernet_end(place_)); }

  // False when another device of the same chip is attached.
  bool attach(CoreState& core);
  // Afterwards nothing arrives any more. A launch at the other end is told.
  void detach();
  bool attached() const { return attached_.load(std::memory_order_acquire); }

  // A launch has kernels on the attached core, until they have ended; and the launch is over.
  void begin_launch(LinkUser& launch);
  void kernels_ended() { in_use_.store(false, std::memory_order_release); }
  void end_launch();
  bool in_use() const { return in_use_.load(std::memory_order_acquire); }

  // Copies bytes to the attached core's L1, and wakes kernels that wait for them. OutOfRange when
  // they end outside it, Unavailable when no core is attached.
  absl::Status deliver(uint32_t address, const std::byte* source, uint32_t size);
  // How often something was delivered.
  uint64_t deliveries() const { return deliveries_.load(std::memory_order_relaxed); }

  // Forgets an exchange that was broken off: the channels of the attached core are as at first.
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
