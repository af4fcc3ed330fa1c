#include "device/cpu/kernels/fiber.h"

#include <utility>

#include "base/status.h"
#include "device/cpu/kernels/processor_flags.h"

namespace lightmetal::device::cpu {
namespace {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

uint64_t context_size() { return (sizeof(kernel_abi::Context) + page_size() - 1) & -page_size(); }

}  // namespace

absl::StatusOr<std::unique_ptr<Fiber>> Fiber::create() {
  LM_ASSIGN_OR_RETURN(memory, Mapping::reserve(kernel_abi::kStackSize, kernel_abi::kStackSize));
  const uint64_t stack_offset = context_size() + page_size();
  LM_RETURN_IF_ERROR(memory.allow(0, context_size()));
  LM_RETURN_IF_ERROR(memory.allow(stack_offset, memory.size() - stack_offset));
  return std::unique_ptr<Fiber>(new Fiber(std::move(memory)));
}

// The context's pages, a closed page, the stack: a stack that overflows does not reach the context.
Fiber::Fiber(Mapping memory) : memory_(std::move(memory)) {
  const uint64_t stack_offset = context_size() + page_size();
  side_.stack_bottom = memory_.data() + stack_offset;
  side_.stack_size = memory_.size() - stack_offset;
}

Fiber::~Fiber() { discard(); }

void Fiber::resume() {
  if (position_ == nullptr) {
    create_side(side_);
    position_ = make_fcontext(memory_.data() + memory_.size(), side_.stack_size, &Fiber::main);
  }
  enter_thread(caller_side_);
  before_switch(caller_side_, side_);
  position_ = jump_fcontext(position_, this).fctx;
  after_switch(caller_side_, side_);
}

void Fiber::suspend() {
  before_switch(side_, caller_side_);
  const transfer_t from = jump_fcontext(caller_, nullptr);
  caller_ = from.fctx;
  after_switch(side_, caller_side_);
}

void Fiber::main(transfer_t from) {
  Fiber& self = *static_cast<Fiber*>(from.data);
  self.caller_ = from.fctx;
  after_switch(self.side_, self.caller_side_);
  while (true) {
    reset_floating_point();  // not the mode of the thread that made the fiber
    self.function_();
    reset_processor_flags();
    reset_floating_point();  // else the switch would trap at an exception that is left pending
    self.function_ = nullptr;
    self.suspend();
  }
}

uint64_t Fiber::rewind() {
  forget_frames(side_);
  return stack_end();
}

void Fiber::discard() {
  destroy_side(side_);
  position_ = nullptr;
  function_ = nullptr;
}

}  // namespace lightmetal::device::cpu
