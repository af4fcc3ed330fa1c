#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "device/cpu/kernels/switch_annotations.h"
#include "device/cpu/memory/mapping.h"
#include "device/kernel_abi/lightmetal_kernel_abi.h"

namespace lightmetal::device::cpu {

// A stack as kernels expect it (lightmetal_kernel_abi.h) and what runs on it: kStackSize bytes with
// the Context at its lowest address and an inaccessible page between the two. Used again and again,
// by one thread at a time; from start() to its end a function stays on the thread that first
// resumed it.
class Fiber {
 public:
  static absl::StatusOr<std::unique_ptr<Fiber>> create();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  kernel_abi::Context& context() { return *reinterpret_cast<kernel_abi::Context*>(memory_.data()); }

  // The next resume() calls `function`. REQUIRES: idle().
  void start(void (*function)()) { function_ = function; }

  // Runs the function until it suspends or ends. REQUIRES: not called on this fiber; !idle().
  void resume();

  // Back to the caller of resume(). REQUIRES: called on this fiber.
  void suspend();

  // Whether nothing runs here: no function was started, or it has ended.
  bool idle() const { return function_ == nullptr; }

  // Gives up a suspended function for ever; the objects on its stack are not destroyed.
  void discard();

  // Where a new first frame can go, over those that are there: for leaving code that cannot return.
  // discard() must follow.
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
