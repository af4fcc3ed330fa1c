#include "runtime/trace_memory.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "schema/command_generated.h"

namespace lightmetal::runtime {

TraceWords::TraceWords(const replay::LoadedFile& file) {
  for (const schema::Command* command : file.commands) {
    const auto* load = command->call_as_LoadTrace();
    if (load == nullptr || load->content()->launches() == nullptr) continue;
    for (const schema::TraceLaunch* launch : *load->content()->launches()) {
      if (launch->args() != nullptr)
        words_.insert(words_.end(), launch->args()->begin(), launch->args()->end());
      if (launch->cores() == nullptr) continue;
      for (const schema::TraceCore* core : *launch->cores()) {
        if (core->circular_buffers() == nullptr) continue;
        for (const schema::TraceCircularBuffer* buffer : *core->circular_buffers())
          words_.push_back(buffer->address());
      }
    }
  }
  std::ranges::sort(words_);
}

bool TraceWords::any_in(const schema::BufferCreate& buffer) const {
  const auto first = std::ranges::lower_bound(words_, buffer.allocated_address());
  return first != words_.end() && *first - buffer.allocated_address() < buffer.size();
}

std::vector<uint64_t> freed_memory_of_traces(const replay::LoadedFile& file, const Plan& plan) {
  const TraceWords words(file);
  std::vector<uint64_t> freed;
  if (words.empty()) return freed;
  absl::flat_hash_map<uint64_t, uint64_t> creates;  // by buffer
  for (const LoadStep& step : plan.load) {
    const schema::Command& command = *file.commands[step.command];
    if (const auto* create = command.call_as_BufferCreate()) {
      if (!create->address().has_value() && words.any_in(*create))
        creates[create->id()] = step.command;
      continue;
    }
    const auto* deallocate = command.call_as_BufferDeallocate();
    const auto* destroy = command.call_as_BufferDestroy();
    if (deallocate == nullptr && destroy == nullptr) continue;
    const auto found =
        creates.find(deallocate != nullptr ? deallocate->buffer() : destroy->buffer());
    if (found == creates.end()) continue;
    freed.push_back(found->second);
    creates.erase(found);
  }
  std::ranges::reverse(freed);
  return freed;
}

}  // namespace lightmetal::runtime
