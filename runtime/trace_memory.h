#pragma once

#include <cstdint>
#include <vector>

#include "replay/loaded_file.h"
#include "runtime/plan.h"
#include "schema/index/object_index.h"

namespace lightmetal::runtime {

// The words of all device traces of a file that may be addresses. Immutable.
class TraceWords {
 public:
  explicit TraceWords(const replay::LoadedFile& file);

  bool empty() const { return words_.empty(); }
  // Returns true if one is in this memory, which is taken to be in one bank.
  bool any_in(const schema::ObjectIndex::Memory& memory) const;

 private:
  std::vector<uint32_t> words_;  // in ascending order
};

// Returns the commands that make buffers which load frees, and which a device trace of the file may
// use even so: a word of the trace is in their memory. The buffer that is freed last comes first.
std::vector<uint64_t> freed_memory_of_traces(const replay::LoadedFile& file, const Plan& plan);

}  // namespace lightmetal::runtime
