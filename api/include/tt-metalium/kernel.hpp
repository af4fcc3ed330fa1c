#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/dispatch_core_common.hpp>
#include <tt-metalium/kernel_types.hpp>
#include <tt-metalium/runtime_args_data.hpp>
#include <tt-metalium/span.hpp>
#include <variant>
#include <vector>

namespace tt::tt_metal {

class KernelState;

// How many words of arguments a kernel may have on each core, unique and common together.
// Upstream's limit was 256 until the summer of 2025.
constexpr uint32_t max_runtime_args = 341;

// The processor of a core that a kernel runs on; COMPUTE stands for the three compute processors
// together.
enum class KernelProcessor : uint8_t { RISCV_0 = 0, RISCV_1 = 1, COMPUTE = 2, ETHERNET = 3 };

// A kernel of a program: source, configuration and runtime arguments. Programs make kernels
// (CreateKernel) and share them with whoever asks (detail::GetKernel). A kernel may outlive its
// program. Not thread-safe. Setters throw std::runtime_error, which names the values.
class Kernel {
 public:
  using Config = std::variant<DataMovementConfig, ComputeConfig, EthernetConfig>;

  explicit Kernel(std::unique_ptr<KernelState> state);
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  // Unique among the kernels of the process.
  uint64_t unique_id() const;
  // The kernel's number in the program.
  KernelHandle handle() const;
  // The kernel's name in messages: the file's name without folder and ending, or "kernel_<handle>"
  // for a source from a string.
  const std::string& name() const;
  // The path as it was given to CreateKernel; empty for a source from a string.
  const std::string& source_path() const;
  bool is_from_string() const;

  const CoreRangeSet& core_range_set() const;
  const std::set<CoreCoord>& logical_cores() const;
  bool is_on_logical_core(const CoreCoord& core) const;

  const Config& config() const;
  KernelProcessor processor() const;
  const std::vector<uint32_t>& compile_time_args() const;
  const std::map<std::string, std::string>& defines() const;

  // The first call for a core fixes how many arguments the core has; later calls may not give more.
  // Unique and common arguments together may not exceed max_runtime_args. Throws when the kernel is
  // not on the core, and for common arguments of a kernel that has some: those are set once.
  void set_runtime_args(const CoreCoord& core, tt::stl::Span<const uint32_t> args);
  void set_common_runtime_args(tt::stl::Span<const uint32_t> args);

  // A copy of a core's arguments.
  std::vector<uint32_t> runtime_args(const CoreCoord& core) const;
  std::vector<uint32_t> common_runtime_args() const;

  // References that stay valid as long as the kernel. What is written through them takes effect at
  // the next launch, and a capture finds it by comparison.
  RuntimeArgsData& runtime_args_data(const CoreCoord& core);
  std::vector<std::vector<RuntimeArgsData>>& runtime_args_data();  // [x][y]
  RuntimeArgsData& common_runtime_args_data();

  // For the implementation.
  KernelState& state() { return *state_; }
  const KernelState& state() const { return *state_; }

 private:
  std::unique_ptr<KernelState> state_;
};

}  // namespace tt::tt_metal
