#include "tests/replayed_unverified.h"

#include <lightmetal/replay.hpp>
#include <utility>

#include "base/status.h"
#include "replay/executor.h"
#include "replay/trace_use.h"
#include "tests/captured_file.h"

namespace lightmetal::semantics_testing {
namespace {

absl::StatusOr<replay::TraceUse> trace_use_of(const schema::File& file) {
  replay::TraceUse traces(file);
  uint64_t number = 0;
  LM_RETURN_IF_ERROR(file.for_each_command([&](const schema::CommandView& view) {
    traces.add(number++, *view.command);
    return absl::OkStatus();
  }));
  return traces;
}

}  // namespace

absl::Status replayed_unverified(const std::vector<uint8_t>& bytes) {
  const ::lightmetal::testing::FilePointer file = ::lightmetal::testing::open_file(bytes);
  const ReplayOptions options;
  LM_ASSIGN_OR_RETURN(traces, trace_use_of(*file));
  replay::Executor executor(*file, options, std::move(traces));
  executor.begin_run();
  uint64_t number = 0;
  const absl::Status status = file->for_each_command(
      [&](const schema::CommandView& view) { return executor.execute(number++, *view.command); });
  if (status.ok()) return executor.end_run();
  executor.abandon_run();
  return status;
}

}  // namespace lightmetal::semantics_testing
