#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lightmetal::device::cpu {

// A range of the host's address space.
struct HostRange {
  const std::byte* begin = nullptr;
  const std::byte* end = nullptr;
};

// Returns the parts of `ranges` that the system has given memory to, in whole pages and in
// ascending order. What it leaves out was never written and holds zeros. A page that was only read,
// or that came with a large page, may be among the parts. Where the system does not tell
// (/proc/self/pagemap, which a sandbox closes), looks for the pages that are not zeros. `ranges`
// must be memory without a file (mapping.h).
std::vector<HostRange> written_pages(std::vector<HostRange> ranges);

}  // namespace lightmetal::device::cpu
