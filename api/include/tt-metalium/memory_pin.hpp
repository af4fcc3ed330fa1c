#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

namespace tt::tt_metal {

// A share in memory that somebody else owns: the memory stays while a pin or a copy of it exists.
// Equal to nullptr when it holds nothing: a default pin, or one that was moved from.
class MemoryPin {
 public:
  MemoryPin() = default;
  // Calls `increment_ref_count` now and for each copy, and `decrement_ref_count` at the end of this
  // pin and of each copy.
  MemoryPin(std::function<void()> increment_ref_count, std::function<void()> decrement_ref_count);
  // Each copy has a share in `resource`.
  MemoryPin(std::shared_ptr<void> resource);
  MemoryPin(const MemoryPin& other);
  MemoryPin(MemoryPin&& other) noexcept { swap(other); }
  MemoryPin& operator=(MemoryPin other) noexcept {
    swap(other);
    return *this;
  }
  ~MemoryPin();

  // Calls `callback` once, at the end of the last copy and before the memory goes.
  // REQUIRES: the pin holds something, and no other thread adds a callback meanwhile.
  void add_final_release_callback(std::function<void()> callback);

  friend bool operator==(const MemoryPin& pin, std::nullptr_t) noexcept {
    return pin.callbacks_ == nullptr;
  }

 private:
  class FinalCallbacks;

  void swap(MemoryPin& other) noexcept {
    increment_.swap(other.increment_);
    decrement_.swap(other.decrement_);
    resource_.swap(other.resource_);
    callbacks_.swap(other.callbacks_);
  }

  std::function<void()> increment_, decrement_;
  std::shared_ptr<void> resource_;
  std::shared_ptr<FinalCallbacks> callbacks_;  // of all copies; null in a pin that holds nothing
};

}  // namespace tt::tt_metal
