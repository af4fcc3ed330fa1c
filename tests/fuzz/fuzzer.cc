// libFuzzer's entry points, for the target LIGHTMETAL_FUZZ_TARGET of tests/fuzz/targets.h.
#include <algorithm>
#include <cstring>

#include "tests/fuzz/frames.h"
#include "tests/fuzz/targets.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t capacity);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lightmetal::fuzz::LIGHTMETAL_FUZZ_TARGET(lightmetal::bytes_of(data, size));
  return 0;
}

// Seven of eight inputs have the right checksums, half of those an index.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t capacity,
                                          unsigned int seed) {
  if (seed % 8 == 0) return LLVMFuzzerMutate(data, size, capacity);
  auto frames = lightmetal::fuzz::parse(lightmetal::bytes_of(data, size));
  lightmetal::fuzz::mutate(frames, seed, LLVMFuzzerMutate);
  const auto file = lightmetal::fuzz::assemble(std::move(frames), seed % 2 == 0);
  if (file.size() > capacity) return LLVMFuzzerMutate(data, size, capacity);
  std::memcpy(data, file.data(), file.size());
  return file.size();
}
