#include "schema/semantics/semantics.h"

#include "schema/commands/calls.h"
#include "schema/semantics/checker.h"
#include "schema/semantics/lifetime.h"
#include "schema/semantics/refusal.h"

namespace lightmetal::schema {
namespace {

absl::Status said_of(const CommandView& view, const absl::Status& refusal) {
  return refusal.ok() ? refusal : semantics::behind(describe(view), refusal);
}

}  // namespace

// There is nothing to check: a replay passes over the command.
absl::Status semantics::Checker::check(const CallFailed&) { return absl::OkStatus(); }

class Semantics::Impl {
 public:
  explicit Impl(uint64_t memory_limit) : checker(memory_limit) {}

  template <class Call>
  absl::Status operator()(const Call& call) {
    return checker.check(call);
  }

  semantics::Checker checker;
};

Semantics::Semantics(uint64_t memory_limit) : impl_(std::make_unique<Impl>(memory_limit)) {}
Semantics::~Semantics() = default;

void Semantics::add_compressed(const ::lightmetal::Digest& blob) {
  impl_->checker.add_compressed(blob);
}

absl::Status Semantics::keep(const CommandView& view, uint64_t bytes) {
  return said_of(view, impl_->checker.keep(bytes));
}

absl::Status Semantics::apply(const CommandView& view) {
  return said_of(view, visit_call(*view.command, *impl_));
}

absl::Status Semantics::finish(bool complete) {
  return semantics::behind("after the last command", impl_->checker.finish(complete));
}

uint64_t Semantics::peak_memory() const { return impl_->checker.peak_memory(); }

absl::Span<const DeviceMemory> Semantics::device_memory() const {
  return impl_->checker.device_memory();
}

}  // namespace lightmetal::schema
