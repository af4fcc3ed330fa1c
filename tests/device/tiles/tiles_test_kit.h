#pragma once

#include <bit>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "base/data_format.h"
#include "device/cpu/sfpu/services.h"
#include "device/cpu/tiles/services.h"
#include "device/kernel_abi/lightmetal_kernel_abi_diagnosis.h"

// What the tests of tile maths share: a core that calls the services as a kernel would.
namespace lightmetal::device::cpu {

using kernel_abi::BinaryOp;
using kernel_abi::Context;
using kernel_abi::DestReuse;
using kernel_abi::Services;
using kernel_abi::UnaryOp;

inline constexpr uint32_t kElements = kernel_abi::kTileElements;
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

using Tile = std::vector<float>;

struct LaunchFailed {
  std::string message;
};

// One core with L1, DST and circular buffers of eight tiles, called as a kernel would.
class Core {
 public:
  Core() : l1_(kL1Words), dst_(kernel_abi::kDstTiles * kElements, 123.0f) {
    fill_tile_services(services_);
    fill_sfpu_services(services_);
    services_.fail = [](Context*, const char*, uint32_t, const char* message) {
      throw LaunchFailed{message};
    };
    services_.diagnosis = &diagnosis_;
    diagnosis_.tolerate = [](Context*, kernel_abi::Misuse, uint32_t, const char*) {};
    context_.services = &services_;
    context_.l1_base = reinterpret_cast<uint64_t>(l1_.data());
    context_.dst = dst_.data();
  }

  void add_buffer(uint32_t index, DataFormat format) {
    auto& cb = context_.cb[index];
    cb.page_size = cb.tile_bytes = tile_bytes(format);
    cb.num_pages = 8;
    cb.base = cb.read_ptr = cb.write_ptr = end_;
    cb.limit = end_ += 8 * cb.page_size;
    cb.format = static_cast<uint32_t>(format);
  }

  template <typename T>
  void write(uint32_t index, uint32_t tile, const std::vector<T>& values) {
    std::memcpy(place(index, tile), values.data(), values.size() * sizeof(T));
  }

  template <typename T>
  std::vector<T> read(uint32_t index, uint32_t tile) {
    std::vector<T> values(tile_bytes(static_cast<DataFormat>(context_.cb[index].format)) /
                          sizeof(T));
    std::memcpy(values.data(), place(index, tile), values.size() * sizeof(T));
    return values;
  }

  Tile dst(uint32_t tile) {
    return {dst_.begin() + tile * kElements, dst_.begin() + (tile + 1) * kElements};
  }

  Context* context() { return &context_; }
  const Services* operator->() const { return &services_; }

 private:
  static constexpr uint32_t kL1Words = 1 << 17;

  std::byte* place(uint32_t index, uint32_t tile) {
    const auto& cb = context_.cb[index];
    return reinterpret_cast<std::byte*>(l1_.data()) + cb.base + tile * cb.page_size;
  }

  std::vector<uint64_t> l1_;
  std::vector<float> dst_;
  uint32_t end_ = 0;
  kernel_abi::DiagnosisServices diagnosis_{};
  Services services_{};
  Context context_{};
};

inline std::string failure_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const LaunchFailed& failed) {
    return failed.message;
  }
  return "no failure";
}

inline Tile random_tile(uint32_t seed, float low = -4, float high = 4) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> distribution(low, high);
  Tile tile(kElements);
  for (float& value : tile) value = distribution(random);
  return tile;
}

inline uint16_t truncated(float value) {
  return static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16);
}
inline float widened(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

inline std::vector<uint16_t> bfloat16s(const Tile& tile) {
  std::vector<uint16_t> result;
  for (float value : tile) result.push_back(truncated(value));
  return result;
}

inline Tile widened(const std::vector<uint16_t>& bits) {
  Tile result;
  for (uint16_t value : bits) result.push_back(widened(value));
  return result;
}

inline uint32_t in_faces(uint32_t row, uint32_t column) {
  return (row / 16 * 2 + column / 16) * 256 + row % 16 * 16 + column % 16;
}

}  // namespace lightmetal::device::cpu
