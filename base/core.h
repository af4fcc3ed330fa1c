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

// Ethernet cores run kernels of Processor::kEthernet, workers all others; only workers have
// circular buffers. Each kind has logical coordinates of its own.
enum class CoreKind : uint8_t { kWorker = 0, kEthernet = 1 };
inline constexpr size_t kNumCoreKinds = 2;

// The processor of a core that runs a kernel: one kernel each. kCompute stands for the three
// compute processors together. The numbers are those of files and of the kernel ABI.
enum class Processor : uint8_t { kRiscv0 = 0, kRiscv1 = 1, kCompute = 2, kEthernet = 3 };
inline constexpr size_t kNumProcessors = 4;

}  // namespace lightmetal
