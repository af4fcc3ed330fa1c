#pragma once

#include <optional>
#include <utility>

namespace tt::stl {

// Calls a function when it is destroyed, unless it was cancelled or moved from.
template <typename Callable>
class [[nodiscard]] Cleanup final {
 public:
  constexpr explicit Cleanup(Callable callable) : callable_(std::move(callable)) {}
  constexpr Cleanup(Cleanup&& other) noexcept
      : callable_(std::exchange(other.callable_, std::nullopt)) {}
  Cleanup(const Cleanup&) = delete;
  Cleanup& operator=(const Cleanup&) = delete;
  Cleanup& operator=(Cleanup&&) = delete;
  ~Cleanup() {
    if (callable_) (*callable_)();
  }

  void cancel() && { callable_.reset(); }

 private:
  std::optional<Callable> callable_;
};

template <typename Callable>
[[nodiscard]] constexpr Cleanup<Callable> make_cleanup(Callable callable) {
  return Cleanup<Callable>(std::move(callable));
}

}  // namespace tt::stl

namespace ttsl {
using namespace ::tt::stl;
}  // namespace ttsl
