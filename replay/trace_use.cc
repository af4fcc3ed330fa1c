#include "replay/trace_use.h"

#include <algorithm>

#include "schema/command_generated.h"
#include "schema/commands/effect.h"
#include "schema/file/session_info.h"

namespace lightmetal::replay {
namespace {

using schema::Call;

// True when the file goes on to the end of what was captured. The file of a flight recorder goes on
// to some moment, and a repaired file has lost its end.
bool has_its_end(const schema::File& file) {
  return file.complete() && std::ranges::none_of(file.session().options, [](const auto& option) {
           return option.first == "ring" || option.first == "repaired";
         });
}

// True for the commands that a snapshot has up to its traces. No program has loaded a trace when
// only these precede: the kernels of a trace come first.
bool precedes_programs(Call call) {
  switch (call) {
    case Call::CreateDevice:
    case Call::SubDeviceManagerCreate:
    case Call::SubDeviceManagerLoad:
    case Call::SubDeviceManagerClear:
    case Call::SubDeviceStallGroupSet:
    case Call::LoadTrace:
      return true;
    default:
      return false;
  }
}

}  // namespace

TraceUse::TraceUse(const schema::File& file) : has_its_end_(has_its_end(file)) {}

void TraceUse::add(uint64_t number, const schema::Command& command) {
  const Call call = command.call_type();
  if (!precedes_programs(call)) snapshot_end_ = std::min(snapshot_end_, number);
  if (const auto trace = schema::launched_trace(command)) first_replay_.try_emplace(*trace, number);
}

TraceUse::Load TraceUse::load(uint64_t number, uint64_t trace, uint64_t last) const {
  const auto replayed = first_replay_.find(trace);
  const bool is_replayed = replayed != first_replay_.end();
  if (number < snapshot_end_ || (is_replayed && replayed->second <= last)) return Load::kKeep;
  return is_replayed || !has_its_end_ ? Load::kUnused : Load::kRun;
}

}  // namespace lightmetal::replay
