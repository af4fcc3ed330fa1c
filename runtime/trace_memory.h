#pragma once

#include <cstdint>
#include <vector>

#include "replay/loaded_file.h"
#include "runtime/plan.h"
#include "schema/command_generated.h"

namespace lightmetal::runtime {

// The words of all device traces of a file that may be addresses. Immutable.
class TraceWords {
 public:
  explicit TraceWords(const replay::LoadedFile& file);

  bool empty() const { return words_.empty(); }
  // Whether one lies in the memory of the buffer, as if that lay in one bank.
  bool any_in(const schema::BufferCreate& buffer) const;

 private:
  std::vector<uint32_t> words_;  // in ascending order
};

// The commands that make buffers which load frees and a device trace of the file may use all the
// same: a word of it lies in their memory. The last comes first.
std::vector<uint64_t> freed_memory_of_traces(const replay::LoadedFile& file, const Plan& plan);

}  // namespace lightmetal::runtime
