#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace tt::stl {

// A value that is never destroyed, for objects of static storage duration that are used while the
// process ends.
template <typename T>
class Indestructible {
 public:
  template <typename... Args>
  explicit Indestructible(Args&&... args) {
    new (storage_) T(std::forward<Args>(args)...);
  }
  Indestructible(const Indestructible&) = delete;
  Indestructible& operator=(const Indestructible&) = delete;
  ~Indestructible() = default;

  T& get() { return *std::launder(reinterpret_cast<T*>(storage_)); }
  const T& get() const { return *std::launder(reinterpret_cast<const T*>(storage_)); }

 private:
  alignas(T) std::byte storage_[sizeof(T)];
};

}  // namespace tt::stl

namespace ttsl {
using namespace ::tt::stl;
}  // namespace ttsl
