#include "replay/launches.h"

#include <algorithm>
#include <set>

#include "base/data_format.h"
#include "schema/commands/calls.h"
#include "schema/commands/effect.h"

namespace lightmetal::replay {
namespace {

using schema::ElementType;

std::optional<LaunchCommand> launch_of(const LoadedFile& loaded, uint64_t number, uint64_t last) {
  const schema::Command& command = *loaded.commands[number];
  if (const auto launched = schema::launched_by(command)) {
    if (launched->kind == schema::ObjectKind::Program) return LaunchCommand{number, launched->id};
    return LaunchCommand{number, std::nullopt};
  }
  const auto* load = command.call_as_LoadTrace();
  if (load == nullptr || loaded.traces.load(number, load->id(), last) != TraceUse::Load::kRun)
    return std::nullopt;
  return LaunchCommand{number, std::nullopt};
}

// Collects the types that commands give to buffers, and those of circular buffers.
struct CollectTypes {
  absl::flat_hash_map<uint64_t, ElementType> by_buffer = {};
  std::set<ElementType> of_circular_buffers = {};

  template <class Call>
  void operator()(const Call& call) {
    if constexpr (requires { call.buffer(), call.element_type(); }) {
      add(call.buffer(), call.element_type());
    } else if constexpr (requires { call.config()->indices(); }) {
      add(*call.config());
    }
  }

  // Bytes say nothing; two types are as good as none.
  void add(uint64_t buffer, ElementType type) {
    if (type == ElementType::Bytes) return;
    const auto [found, is_new] = by_buffer.try_emplace(buffer, type);
    if (!is_new && found->second != type) found->second = ElementType::Bytes;
  }

  void add(const schema::CircularBufferConfig& config) {
    if (config.indices() == nullptr) return;
    for (const schema::CircularBufferIndex* index : *config.indices())
      of_circular_buffers.insert(type_of(static_cast<DataFormat>(index->data_format())));
  }

  static ElementType type_of(DataFormat format) {
    switch (format) {
      case DataFormat::Float32:
        return ElementType::Float32;
      case DataFormat::Float16_b:
        return ElementType::BFloat16;
      default:
        return ElementType::Bytes;
    }
  }
};

}  // namespace

std::vector<LaunchCommand> launches_of(const LoadedFile& loaded, uint64_t last) {
  std::vector<LaunchCommand> launches;
  for (uint64_t number = 0; number < loaded.commands.size() && number <= last; ++number) {
    if (const auto launch = launch_of(loaded, number, last)) launches.push_back(*launch);
  }
  return launches;
}

BufferTypes::BufferTypes(const LoadedFile& loaded) {
  CollectTypes types;
  for (const schema::Command* command : loaded.commands) schema::visit_call(*command, types);
  types_ = std::move(types.by_buffer);
  if (types.of_circular_buffers.size() == 1) other_ = *types.of_circular_buffers.begin();
}

ElementType BufferTypes::of(uint64_t buffer) const {
  const auto found = types_.find(buffer);
  return found == types_.end() ? other_ : found->second;
}

}  // namespace lightmetal::replay
