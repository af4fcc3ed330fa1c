#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"

namespace tt::tt_metal {

// Work for the thread of a queue: a function that is called once, or none. A small one lies within
// the object, as those of launches and of transfers do, so that giving a queue work allocates
// nothing; a larger one lies on the heap. It is moved and not copied. Not thread-safe.
class Operation {
 public:
  Operation() = default;
  Operation(std::nullptr_t) {}  // NOLINT: as a pointer to a function would be
  template <class Function>
  requires(!std::same_as<std::remove_cvref_t<Function>, Operation> &&
           std::is_invocable_r_v<absl::Status, std::decay_t<Function>&>)
      Operation(Function&& function) {  // NOLINT: any function is an operation
    using Kept = std::decay_t<Function>;
    if constexpr (kIsSmall<Kept>) {
      keep<Kept>(std::forward<Function>(function));
    } else {
      auto on_heap = [kept = std::make_unique<Kept>(std::forward<Function>(function))] {
        return (*kept)();
      };
      keep<decltype(on_heap)>(std::move(on_heap));
    }
  }
  Operation(Operation&& other) noexcept { take(other); }
  Operation& operator=(Operation&& other) noexcept {
    if (this == &other) return *this;
    drop();
    take(other);
    return *this;
  }
  ~Operation() { drop(); }

  explicit operator bool() const { return kind_ != nullptr; }
  // REQUIRES: there is a function.
  absl::Status operator()() { return kind_->call(memory_); }

 private:
  // A write to a buffer, the largest that lies within.
  static constexpr size_t kSize = 120;

  template <class Kept>
  static constexpr bool kIsSmall =
      sizeof(Kept) <= kSize &&
      alignof(Kept) <= alignof(void*) && std::is_nothrow_move_constructible_v<Kept>;

  // What can be done with a function of one type.
  struct Kind {
    absl::Status (*call)(void* function);
    void (*move)(void* from, void* to) noexcept;  // to memory without a function; `from` ends
    void (*end)(void* function) noexcept;
  };

  template <class Kept>
  static Kept& at(void* memory) {
    return *std::launder(static_cast<Kept*>(memory));
  }
  template <class Kept>
  static constexpr Kind kKindOf = {
      .call = [](void* function) -> absl::Status { return at<Kept>(function)(); },
      .move =
          [](void* from, void* to) noexcept {
            ::new (to) Kept(std::move(at<Kept>(from)));
            at<Kept>(from).~Kept();
          },
      .end = [](void* function) noexcept { at<Kept>(function).~Kept(); }};

  template <class Kept, class Function>
  void keep(Function&& function) {
    ::new (static_cast<void*>(memory_)) Kept(std::forward<Function>(function));
    kind_ = &kKindOf<Kept>;
  }
  void take(Operation& other) noexcept {
    if (other.kind_ == nullptr) return;
    other.kind_->move(other.memory_, memory_);
    kind_ = std::exchange(other.kind_, nullptr);
  }
  void drop() noexcept {
    if (kind_ != nullptr) std::exchange(kind_, nullptr)->end(memory_);
  }

  const Kind* kind_ = nullptr;
  alignas(void*) std::byte memory_[kSize];
};

}  // namespace tt::tt_metal
