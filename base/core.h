#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace lightmetal {

// A worker core by its logical coordinate: (0, 0) is the top left core of the compute grid.
struct Core {
  uint32_t x = 0;
  uint32_t y = 0;

  friend auto operator<=>(const Core&, const Core&) = default;
};

// The two kinds of cores, each with logical coordinates of its own. Ethernet cores run kernels of
// Processor::kEthernet, worker cores all others; only worker cores have circular buffers.
enum class CoreKind : uint8_t { kWorker = 0, kEthernet = 1 };
inline constexpr size_t kNumCoreKinds = 2;

// The processor of a core that runs a kernel; each runs one kernel of a program at most. kCompute
// stands for the three compute processors together. Files and the kernel ABI store the numbers.
enum class Processor : uint8_t { kRiscv0 = 0, kRiscv1 = 1, kCompute = 2, kEthernet = 3 };
inline constexpr size_t kNumProcessors = 4;

}  // namespace lightmetal
