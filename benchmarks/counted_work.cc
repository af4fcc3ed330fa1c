#include "benchmarks/counted_work.h"

#include <algorithm>
#include <map>
#include <span>

#include "absl/functional/function_ref.h"
#include "benchmarks/values.h"

namespace lightmetal::bench {
namespace {

void for_each_command(const schema::File& file,
                      absl::FunctionRef<void(const schema::Command&)> visit) {
  require_ok(file.for_each_command([&](const schema::CommandView& view) {
    visit(*view.command);
    return absl::OkStatus();
  }));
}

}  // namespace

FilePointer opened(const tt::tt_metal::LightMetalBinary& binary) {
  const auto bytes = std::as_bytes(std::span(binary.get_data()));
  return value_of(schema::File::from_bytes({bytes.begin(), bytes.end()}));
}

uint64_t commands_of(const schema::File& file, std::initializer_list<schema::Call> kinds) {
  uint64_t count = 0;
  for_each_command(file, [&](const schema::Command& command) {
    count += std::ranges::count(kinds, command.call_type()) != 0 ? 1 : 0;
  });
  return count;
}

uint64_t launches_of(const schema::File& file) {
  uint64_t launches = 0;
  std::map<uint64_t, uint64_t> of_traces;
  for_each_command(file, [&](const schema::Command& command) {
    if (const auto* load = command.call_as_LoadTrace()) {
      const auto* of_trace = load->content()->launches();
      of_traces[load->id()] = of_trace == nullptr ? 0 : of_trace->size();
    }
    if (const auto* replay = command.call_as_ReplayTrace()) launches += of_traces[replay->trace()];
    if (const auto* replay = command.call_as_EnqueueTrace()) launches += of_traces[replay->trace()];
    if (command.call_as_EnqueueProgram() != nullptr) ++launches;
    if (command.call_as_LaunchProgram() != nullptr) ++launches;
  });
  return launches;
}

uint64_t written_bytes_of(const schema::File& file) {
  uint64_t bytes = 0;
  for_each_command(file, [&](const schema::Command& command) {
    if (const auto* write = command.call_as_EnqueueWriteBuffer()) bytes += write->data()->size();
  });
  return bytes;
}

uint64_t launches_in(const std::function<size_t()>& round) {
  tt::tt_metal::LightMetalBeginCapture();
  round();
  return launches_of(*opened(tt::tt_metal::LightMetalEndCapture()));
}

}  // namespace lightmetal::bench
