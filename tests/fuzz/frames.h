#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/digest.h"

// A file as a fuzzer changes it: frame by frame, with lengths, checksums and the index made right
// again. Bytes that are merely random end at the first checksum and test nothing behind it.
namespace lightmetal::fuzz {

struct Frame {
  uint16_t type = 0;
  uint16_t flags = 0;
  std::vector<std::byte> payload;
};

// The frames that can be made out in any bytes, without index and footer.
std::vector<Frame> parse(Bytes file);

// Changes bytes in place and returns their new number, at most `capacity`. LLVMFuzzerMutate is one.
using MutateBytes = size_t (*)(uint8_t* data, size_t size, size_t capacity);

// The file that holds these frames. A closed one gets an index, which `mutate_index` changes if it
// is given, behind that the signatures, and a footer.
std::vector<std::byte> assemble(const std::vector<Frame>& frames, bool closed,
                                MutateBytes mutate_index = nullptr);

// Changes one frame, or the order or number of frames. `seed` decides what. A payload that was
// changed is named by what it holds now, and commands that named it name it still.
void mutate(std::vector<Frame>& frames, uint32_t seed, MutateBytes mutate_bytes);

}  // namespace lightmetal::fuzz
