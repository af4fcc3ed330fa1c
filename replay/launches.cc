#include "replay/launches.h"

#include <algorithm>
#include <set>

#include "base/data_format.h"
#include "schema/commands/calls.h"

namespace lightmetal::replay {
namespace {

using schema::ElementType;

// What a command launches.
class FindLaunch {
 public:
  FindLaunch(const LoadedFile& loaded, uint64_t last) : loaded_(loaded), last_(last) {}

  std::optional<LaunchCommand> in(uint64_t number) {
    number_ = number;
    return schema::visit_call(*loaded_.commands[number], *this);
  }

  using Found = std::optional<LaunchCommand>;

  template <class Call>
  Found operator()(const Call&) const {
    return std::nullopt;
  }
  Found operator()(const schema::EnqueueProgram& call) const { return program(call.program()); }
  Found operator()(const schema::LaunchProgram& call) const { return program(call.program()); }
  Found operator()(const schema::ReplayTrace&) const { return trace(); }
  Found operator()(const schema::EnqueueTrace&) const { return trace(); }
  Found operator()(const schema::LoadTrace& call) const {
    const bool runs = loaded_.traces.load(number_, call.id(), last_) == TraceUse::Load::kRun;
    return runs ? trace() : std::nullopt;
  }

 private:
  Found program(uint64_t id) const { return LaunchCommand{number_, id}; }
  Found trace() const { return LaunchCommand{number_, std::nullopt}; }

  const LoadedFile& loaded_;
  const uint64_t last_;
  uint64_t number_ = 0;
};

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
  FindLaunch find(loaded, last);
  for (uint64_t number = 0; number < loaded.commands.size() && number <= last; ++number) {
    if (const auto launch = find.in(number)) launches.push_back(*launch);
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
