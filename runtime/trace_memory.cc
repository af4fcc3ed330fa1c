#include "runtime/trace_memory.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "schema/command_generated.h"
#include "schema/index/words.h"

namespace lightmetal::runtime {

TraceWords::TraceWords(const replay::LoadedFile& file) {
  for (const schema::Command* command : file.commands) {
    const auto* load = command->call_as_LoadTrace();
    if (load == nullptr) continue;
    schema::visit_words(*load, [this](uint32_t word) { words_.push_back(word); });
  }
  std::ranges::sort(words_);
}

bool TraceWords::any_in(const schema::ObjectIndex::Memory& memory) const {
  const auto first = std::ranges::lower_bound(words_, memory.address);
  return first != words_.end() && *first - memory.address < memory.size;
}

std::vector<uint64_t> freed_memory_of_traces(const replay::LoadedFile& file, const Plan& plan) {
  const TraceWords words(file);
  if (words.empty()) return {};
  absl::flat_hash_set<uint64_t> load;
  for (const LoadStep& step : plan.load) load.insert(step.command);
  std::vector<std::pair<uint64_t, uint64_t>> freed;  // by whom, and made by whom
  for (uint32_t number = 0; number < plan.objects.size(); ++number) {
    const schema::ObjectIndex::Object& object = plan.objects[number];
    if (object.name.kind != schema::ObjectKind::Buffer || object.memory->is_view) continue;
    if (load.contains(object.creator) && load.contains(object.end) && words.any_in(*object.memory))
      freed.emplace_back(object.end, object.creator);
  }
  std::ranges::sort(freed, std::greater());
  std::vector<uint64_t> creators;
  for (const auto& [end, creator] : freed) creators.push_back(creator);
  return creators;
}

}  // namespace lightmetal::runtime
