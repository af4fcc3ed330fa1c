#pragma once

#include <any>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace tt::stl {

// A value of any type, which need not be copied. Upstream keeps it in place, in at most
// `max_storage_size` bytes; here it is allocated, and the size is checked alike.
template <auto max_storage_size, auto alignment>
class unique_any final {
 public:
  template <typename T>
  requires(!std::is_same_v<std::decay_t<T>, unique_any>) unique_any(T&& value)
      : value_(new std::decay_t<T>(std::forward<T>(value)),
               [](void* held) { delete static_cast<std::decay_t<T>*>(held); }) {
    static_assert(sizeof(std::decay_t<T>) <= max_storage_size, "the value is too large");
    static_assert(alignment % alignof(std::decay_t<T>) == 0, "the value needs more alignment");
  }

  // REQUIRES: T is the type of the value.
  template <typename T>
  const T& get() const {
    return *static_cast<const T*>(value_.get());
  }
  template <typename T>
  T& get() {
    return *static_cast<T*>(value_.get());
  }

 private:
  std::unique_ptr<void, void (*)(void*)> value_;
};

}  // namespace tt::stl

namespace ttsl {
using namespace ::tt::stl;
}  // namespace ttsl
