// libFuzzer's entry points, for the target LIGHTMETAL_FUZZ_TARGET of tests/fuzz/targets.h.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "tests/fuzz/frames.h"
#include "tests/fuzz/targets.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t capacity);

namespace {

using lightmetal::fuzz::Reached;

// Says at the end of the process how far the inputs got.
class Tally {
 public:
  ~Tally() {
    print("opened", Reached::Opened);
    print("sound", Reached::Sound);
    print("replayed", Reached::Replayed);
  }

  void count(Reached reached) { ++counts_[static_cast<size_t>(reached)]; }

 private:
  void print(const char* name, Reached least) const {
    uint64_t sum = 0;
    for (size_t i = static_cast<size_t>(least); i < counts_.size(); ++i) sum += counts_[i];
    std::fprintf(stderr, "stat::%s: %llu\n", name, static_cast<unsigned long long>(sum));
  }

  std::array<uint64_t, 4> counts_{};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Tally tally;
  tally.count(lightmetal::fuzz::LIGHTMETAL_FUZZ_TARGET(lightmetal::bytes_of(data, size)));
  return 0;
}

// Seven of eight inputs have the right checksums, half of those an index, one in eight of them one
// that is changed, too.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t capacity,
                                          unsigned int seed) {
  if (seed % 8 == 0) return LLVMFuzzerMutate(data, size, capacity);
  auto frames = lightmetal::fuzz::parse(lightmetal::bytes_of(data, size));
  lightmetal::fuzz::mutate(frames, seed, LLVMFuzzerMutate);
  const auto file = lightmetal::fuzz::assemble(frames, seed % 2 == 0,
                                               seed / 8 % 8 == 0 ? LLVMFuzzerMutate : nullptr);
  if (file.size() > capacity) return LLVMFuzzerMutate(data, size, capacity);
  std::memcpy(data, file.data(), file.size());
  return file.size();
}
