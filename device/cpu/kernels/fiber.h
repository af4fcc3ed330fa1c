#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "device/cpu/kernels/switch_annotations.h"
#include "device/cpu/memory/mapping.h"
#include "device/kernel_abi/lightmetal_kernel_abi.h"

namespace lightmetal::device::cpu {

// A stack as kernels expect it (lightmetal_kernel_abi.h), and what runs on it. The memory has
// kStackSize bytes, with the Context at its lowest address, the stack at its end, and a page
// between the two that nobody can touch. A fiber is used for one function after the other, by one
// thread at a time. From its first resume() to its end, a function stays on one thread.
class Fiber {
 public:
  // An error of the system when there is no memory for a stack.
  static absl::StatusOr<std::unique_ptr<Fiber>> create();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  kernel_abi::Context& context() { return *reinterpret_cast<kernel_abi::Context*>(memory_.data()); }

  // The next resume() calls `function`. REQUIRES: idle().
  void start(void (*function)()) { function_ = function; }

  // Runs the function until it suspends or ends. REQUIRES: not called on this fiber; !idle().
  void resume();

  // Goes back to the caller of resume(), and returns when somebody calls resume() again, if ever.
  // REQUIRES: called on this fiber.
  void suspend();

  // Whether nothing runs here: no function was started, or it has ended.
  bool idle() const { return function_ == nullptr; }

  // Gives up a suspended function for ever, after which the fiber is idle(). The objects on the
  // function's stack are not destroyed. REQUIRES: not called on this fiber.
  void discard();

  // Returns the address where a new first frame can lie, over the frames that are there: for
  // leaving code that cannot return. discard() must follow.
  uint64_t rewind();

  // Addresses of the stack proper. A stack that grows too far faults in [guard, stack_begin).
  uint64_t guard() const { return stack_begin() - page_size(); }
  uint64_t stack_begin() const { return reinterpret_cast<uint64_t>(side_.stack_bottom); }
  uint64_t stack_end() const { return stack_begin() + side_.stack_size; }

 private:
  explicit Fiber(Mapping memory);
  [[noreturn]] static void main(boost::context::detail::transfer_t from);

  Mapping memory_;
  SwitchSide side_;
  SwitchSide caller_side_;
  boost::context::detail::fcontext_t position_ =
      nullptr;                                           // where the fiber goes on; null: at main()
  boost::context::detail::fcontext_t caller_ = nullptr;  // where resume() goes on
  void (*function_)() = nullptr;
};

}  // namespace lightmetal::device::cpu
