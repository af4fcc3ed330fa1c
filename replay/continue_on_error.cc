#include "replay/continue_on_error.h"

#include <utility>

namespace lightmetal::replay {
namespace {

// The number of errors that a result holds, as replay.hpp says.
constexpr size_t kKeptErrors = 100;

}  // namespace

void ContinueOnError::execute(uint64_t number, const schema::Command& command) {
  const std::optional<std::string> hindrance = failures_.hindrance_of(command);
  if (hindrance.has_value()) {
    note(number, true, error_at(file_, number, absl::FailedPreconditionError(*hindrance)));
  } else {
    const absl::Status status = executor_.execute(number, command);
    if (status.ok()) return failures_.note_success(number, command);
    // Nothing writes to its memory any more: the call was refused, or its work has ended.
    executor_.forget_read(number);
    note(number, false, status);
  }
  for (const uint64_t event : failures_.note_failure(number, command))
    executor_.give_up_event(event);
}

void ContinueOnError::note_end(const absl::Status& error) { note(std::nullopt, false, error); }

void ContinueOnError::note(std::optional<uint64_t> number, bool skipped,
                           const absl::Status& error) {
  ++(skipped ? errors_.skipped_count : errors_.failed_count);
  if (errors_.errors.size() < kKeptErrors)
    errors_.errors.push_back({number, skipped, std::string(error.message())});
}

void ContinueOnError::move_to(ReplayResult& result) {
  result.failed_count = errors_.failed_count;
  result.skipped_count = errors_.skipped_count;
  result.errors = std::move(errors_.errors);
}

}  // namespace lightmetal::replay
