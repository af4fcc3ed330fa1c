#pragma once

#include <algorithm>
#include <random>

namespace tt::tt_metal {

// Random numbers, uniform in [0, range): those of std::uniform_real_distribution<float>(0, range)
// with std::mt19937 in libstdc++. Written out here, because clang does not fold the two logarithms
// that libstdc++ computes for each of its numbers: a program spent half its time there.
class RandomFloats {
 public:
  RandomFloats(float range, int seed)
      : engine_(static_cast<std::mt19937::result_type>(seed)), range_(range) {}

  float operator()() {
    // A number that rounds to 1 is the largest one below.
    const float unit = static_cast<float>(engine_()) / 0x1p32f;
    return std::min(unit, 0x1.fffffep-1f) * range_;
  }

 private:
  std::mt19937 engine_;
  float range_;
};

}  // namespace tt::tt_metal
