#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <tt-metalium/assert.hpp>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace tt::tt_metal {

class IDevice;

namespace distributed {

// A part of a mesh that another process has. There is one process here, so nothing is remote unless
// a program says it is.
struct RemoteDevice {
  friend constexpr bool operator==(const RemoteDevice&, const RemoteDevice&) = default;
};

template <typename T>
concept MaybeRemoteLike = requires(T value) {
  typename T::value_type;
  { value.is_local() } -> std::convertible_to<bool>;
  { value.value() } -> std::same_as<typename T::value_type&>;
};

// A value of this process, or the mark that another process has it.
template <typename T>
class MaybeRemote {
 public:
  using value_type = T;

  [[nodiscard]] static MaybeRemote local(T value) { return MaybeRemote(std::move(value)); }
  [[nodiscard]] static MaybeRemote remote() { return MaybeRemote(RemoteDevice{}); }

  [[nodiscard]] bool is_local() const noexcept { return std::holds_alternative<T>(value_); }
  [[nodiscard]] bool is_remote() const noexcept { return !is_local(); }

  // Throw std::runtime_error if the value is remote.
  [[nodiscard]] T& value() & { return checked(*this); }
  [[nodiscard]] const T& value() const& { return checked(*this); }
  [[nodiscard]] T& operator*() & { return value(); }
  [[nodiscard]] const T& operator*() const& { return value(); }
  [[nodiscard]] T* operator->() { return &value(); }
  [[nodiscard]] const T* operator->() const { return &value(); }

  // Call one of the functions. The two below return what it returned, or nullopt if it was not
  // called.
  template <typename Local, typename Remote>
  [[nodiscard]] decltype(auto) when(Local&& on_local, Remote&& on_remote) const {
    if (is_local()) return std::invoke(std::forward<Local>(on_local), value());
    return std::invoke(std::forward<Remote>(on_remote));
  }
  template <typename Local>
  auto if_local(Local&& on_local) const {
    return call_if(is_local(), [&] { return std::invoke(on_local, value()); });
  }
  template <typename Remote>
  auto if_remote(Remote&& on_remote) const {
    return call_if(is_remote(), std::forward<Remote>(on_remote));
  }

  [[nodiscard]] friend bool operator==(const MaybeRemote&, const MaybeRemote&) = default;

  // "MaybeRemote{remote}", or the value as a stream prints it: "MaybeRemote{42}". A value that
  // cannot be printed is "local".
  [[nodiscard]] std::string to_string() const {
    std::ostringstream text;
    text << "MaybeRemote{";
    if (is_remote()) {
      text << "remote";
    } else if constexpr (requires { text << value(); }) {
      text << value();
    } else {
      text << "local";
    }
    text << "}";
    return std::move(text).str();
  }

 private:
  explicit MaybeRemote(std::variant<RemoteDevice, T> value) : value_(std::move(value)) {}

  template <typename Self>
  static auto& checked(Self& self) {
    TT_FATAL(self.is_local(), "Another process has this part of the mesh");
    return *std::get_if<T>(&self.value_);
  }
  template <typename Function>
  static auto call_if(bool called, Function&& function) {
    using Result = std::invoke_result_t<Function>;
    if constexpr (std::is_void_v<Result>) {
      if (called) std::invoke(function);
    } else {
      return called ? std::optional<Result>(std::invoke(function)) : std::nullopt;
    }
  }

  std::variant<RemoteDevice, T> value_;
};

using MaybeRemoteDeviceId = MaybeRemote<int>;
using MaybeRemoteDevice = MaybeRemote<IDevice*>;

// The values that this process has, in their order.
template <MaybeRemoteLike Remote>
[[nodiscard]] std::vector<typename Remote::value_type> extract_locals(
    const std::vector<Remote>& values) {
  std::vector<typename Remote::value_type> locals;
  for (const Remote& value : values) {
    if (value.is_local()) locals.push_back(*value);
  }
  return locals;
}

template <typename T>
[[nodiscard]] std::vector<MaybeRemote<T>> wrap_to_maybe_remote(const std::vector<T>& values) {
  std::vector<MaybeRemote<T>> wrapped;
  for (const T& value : values) wrapped.push_back(MaybeRemote<T>::local(value));
  return wrapped;
}

}  // namespace distributed
}  // namespace tt::tt_metal
