#include "schema/semantics.h"

#include "absl/strings/str_cat.h"
#include "schema/calls.h"
#include "schema/lifetime.h"
#include "schema/semantics/checker.h"

namespace lightmetal::schema {

// Nothing to check: a replay passes over it.
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
  const absl::Status status = impl_->checker.keep(bytes);
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(describe(view), ": ", status.message()));
}

absl::Status Semantics::apply(const CommandView& view) {
  const absl::Status status = visit_call(*view.command, *impl_);
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(describe(view), ": ", status.message()));
}

absl::Status Semantics::finish(bool complete) {
  const absl::Status status = impl_->checker.finish(complete);
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat("after the last command: ", status.message()));
}

uint64_t Semantics::peak_memory() const { return impl_->checker.peak_memory(); }

}  // namespace lightmetal::schema
