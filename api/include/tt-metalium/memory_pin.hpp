#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

namespace tt::tt_metal {

// A share in memory that somebody else owns: as long as there is a copy of a pin, the memory stays.
// Equal to nullptr when it holds nothing, as a pin does that was made by default or moved from.
class MemoryPin {
 public:
  MemoryPin() = default;
  // Calls `increment_ref_count` now, and `decrement_ref_count` when the last copy of the pin ends.
  MemoryPin(const std::function<void()>& increment_ref_count,
            std::function<void()> decrement_ref_count);
  MemoryPin(std::shared_ptr<void> resource);

  // Calls `callback` once, when the last copy of the pin ends and before the memory goes.
  // REQUIRES: the pin holds something, and no other thread adds a callback meanwhile.
  void add_final_release_callback(std::function<void()> callback);

  friend bool operator==(const MemoryPin& pin, std::nullptr_t) noexcept {
    return pin.share_ == nullptr;
  }

 private:
  struct Share;

  std::shared_ptr<Share> share_;
};

}  // namespace tt::tt_metal
