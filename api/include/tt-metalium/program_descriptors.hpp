#pragma once

#include <tt-metalium/circular_buffer_constants.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <tt-metalium/constants.hpp>
#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/core_types.hpp>
#include <tt-metalium/kernel_types.hpp>
#include <tt-metalium/mesh_coord.hpp>
#include <tt-metalium/small_vector.hpp>
#include <tt-metalium/tt_backend_api_types.hpp>
#include <utility>
#include <variant>
#include <vector>

// A program as a plain value, which Program{descriptor} makes a program of. Descriptors are copied,
// compared in parts and changed without a device; nothing is checked before a program is made. They
// name buffers and global circular buffers by pointers, which must be valid then. Every field has a
// default, so that designated initialisers may leave out any.
namespace tt::tt_metal {

class Buffer;
class MeshTensor;
class Program;
class Tile;
namespace experimental {
class GlobalCircularBuffer;
}

// The shape of a tile, in elements. Unlike a Tile it may be one that does not exist.
struct TileDescriptor {
  TileDescriptor() = default;
  TileDescriptor(const Tile& tile);
  TileDescriptor(uint32_t height, uint32_t width, bool transpose)
      : height(height), width(width), transpose(transpose) {}

  uint32_t height = constants::TILE_HEIGHT;
  uint32_t width = constants::TILE_WIDTH;
  bool transpose = false;

  friend bool operator==(const TileDescriptor&, const TileDescriptor&) = default;
};

// One index of a circular buffer.
struct CBFormatDescriptor {
  uint8_t buffer_index = 0;
  tt::DataFormat data_format = tt::DataFormat::Float32;
  uint32_t page_size = 0;  // bytes; has to be set
  std::optional<TileDescriptor> tile = {};
};

struct CBDescriptor {
  using FormatDescriptors = ttsl::SmallVector<CBFormatDescriptor, 1>;

  uint32_t total_size = 0;  // bytes
  CoreRangeSet core_ranges = {};
  FormatDescriptors format_descriptors = {};
  FormatDescriptors remote_format_descriptors = {};

  // At most one of the three: the memory of the circular buffer. In a buffer or a tensor it begins
  // `address_offset` bytes after the beginning. Without any, every launch finds memory for it.
  Buffer* buffer = nullptr;
  const MeshTensor* tensor = nullptr;
  uint32_t address_offset = 0;
  const experimental::GlobalCircularBuffer* global_circular_buffer = nullptr;
};

// A semaphore whose id the caller chooses: below NUM_SEMAPHORES, and once on each core.
struct SemaphoreDescriptor {
  uint32_t id{};
  CoreType core_type = CoreType::WORKER;
  CoreRangeSet core_ranges = {};
  uint32_t initial_value = 0;
};

// Data movement as ReaderDataMovementConfig, as WriterDataMovementConfig, or of the caller's
// choice; a compute kernel; a kernel of an Ethernet core. The fields are those of the
// configurations in kernel_types.hpp.
struct ReaderConfigDescriptor {};
struct WriterConfigDescriptor {};
struct DataMovementConfigDescriptor {
  DataMovementProcessor processor = DataMovementProcessor::RISCV_0;
  NOC noc = NOC::RISCV_0_default;
  NOC_MODE noc_mode = NOC_MODE::DM_DEDICATED_NOC;
};
struct ComputeConfigDescriptor {
  using UnpackToDestModes = std::vector<UnpackToDestMode>;

  MathFidelity math_fidelity = MathFidelity::HiFi4;
  bool fp32_dest_acc_en = false;
  bool dst_full_sync_en = false;
  UnpackToDestModes unpack_to_dest_mode = {};
  bool bfp8_pack_precise = false;
  bool math_approx_mode = false;
};
struct EthernetConfigDescriptor {
  Eth eth_mode = Eth::SENDER;
  NOC noc = NOC::NOC_0;
  DataMovementProcessor processor = DataMovementProcessor::RISCV_0;
};

// Says that a runtime argument is the address of a buffer: the program gets, and a capture holds,
// the buffer itself. Holds as long as the word at arg_idx is the buffer's address; where it is not,
// the word counts.
struct BufferBinding {
  CoreCoord core = {};
  uint32_t arg_idx = {};
  Buffer* buffer = nullptr;
};
// The same of a common runtime argument.
struct CommonBufferBinding {
  uint32_t arg_idx = {};
  Buffer* buffer = nullptr;
};

struct KernelDescriptor {
  using CompileTimeArgs = std::vector<uint32_t>;
  using NamedCompileTimeArgs = std::vector<std::pair<std::string, uint32_t>>;
  using Defines = std::vector<std::pair<std::string, std::string>>;
  using IncludePaths = std::vector<std::filesystem::path>;
  using CoreRuntimeArgs = std::vector<uint32_t>;
  using RuntimeArgs = std::vector<std::pair<CoreCoord, CoreRuntimeArgs>>;
  using CommonRuntimeArgs = CoreRuntimeArgs;
  using BufferBindings = ttsl::SmallVector<BufferBinding, 4>;
  using CommonBufferBindings = ttsl::SmallVector<CommonBufferBinding, 2>;
  using ConfigDescriptor =
      std::variant<ReaderConfigDescriptor, WriterConfigDescriptor, DataMovementConfigDescriptor,
                   ComputeConfigDescriptor, EthernetConfigDescriptor>;
  enum class SourceType { FILE_PATH, SOURCE_CODE };

  std::string kernel_source = {};  // a path, as CreateKernel takes it, or the text itself
  SourceType source_type = SourceType::FILE_PATH;

  CoreRangeSet core_ranges = {};
  CompileTimeArgs compile_time_args = {};
  NamedCompileTimeArgs named_compile_time_args = {};  // of equal names the first counts
  Defines defines = {};                               // likewise

  RuntimeArgs runtime_args = {};  // of each core that has any
  CommonRuntimeArgs common_runtime_args = {};

  std::optional<KernelBuildOptLevel> opt_level = {};  // else the default of the kind
  ConfigDescriptor config = {};
  IncludePaths compiler_include_paths = {};

  // What the functions below note. Entries of other cores or arguments that are not there bind
  // nothing.
  BufferBindings buffer_bindings = {};
  CommonBufferBindings common_buffer_bindings = {};

  // A word, or the address of a buffer (0 for none), or of a tensor.
  using BufferArg = std::variant<uint32_t, Buffer*>;
  using TensorArg = std::variant<uint32_t, std::reference_wrapper<const MeshTensor>>;

  // Arguments that are put together step by step.
  struct RTArgList {
    void push_back(uint32_t word) { args_.emplace_back(word); }
    void push_back(Buffer* buffer) { args_.emplace_back(buffer); }
    void push_back(const MeshTensor& tensor);
    void append(const std::vector<uint32_t>& words) {
      args_.insert(args_.end(), words.begin(), words.end());
    }
    void reserve(size_t count) { args_.reserve(count); }

   private:
    friend struct KernelDescriptor;
    std::vector<BufferArg> args_;
  };

  // Adds the arguments of a core, with bindings for the buffers among them.
  void emplace_runtime_args(const CoreCoord& core, std::initializer_list<uint32_t> args);
  void emplace_runtime_args(const CoreCoord& core, std::initializer_list<BufferArg> args);
  void emplace_runtime_args(const CoreCoord& core, const std::vector<BufferArg>& args);
  void emplace_runtime_args(const CoreCoord& core, std::initializer_list<TensorArg> args);
  void emplace_runtime_args(const CoreCoord& core, const std::vector<TensorArg>& args);
  void emplace_runtime_args(const CoreCoord& core, const RTArgList& args);
  // Adds common arguments behind those that there are.
  void emplace_common_runtime_args(std::initializer_list<uint32_t> args);
  void emplace_common_runtime_args(std::initializer_list<BufferArg> args);
  void emplace_common_runtime_args(std::initializer_list<TensorArg> args);
  void emplace_common_runtime_args(const RTArgList& args);
};

struct ProgramDescriptor {
  using KernelDescriptors = ttsl::SmallVector<KernelDescriptor, 3>;
  using SemaphoreDescriptors = ttsl::SmallVector<SemaphoreDescriptor, 3>;
  using CBDescriptors = ttsl::SmallVector<CBDescriptor, 5>;

  KernelDescriptors kernels = {};  // a kernel's place is its KernelHandle
  SemaphoreDescriptors semaphores = {};
  CBDescriptors cbs = {};
  std::optional<uint64_t> custom_program_hash = {};  // what std::hash gives instead of its own

  // Adds a semaphore with the lowest id that is free on all of the cores, and returns the id.
  // Throws std::runtime_error when there is none.
  uint32_t add_semaphore(CoreRangeSet core_ranges, uint32_t initial_value,
                         CoreType core_type = CoreType::WORKER);
  // The lowest id that no semaphore of this kind of core has on the core; nullopt when all are
  // taken.
  std::optional<uint32_t> find_available_semaphore_id(const CoreCoord& core,
                                                      CoreType core_type) const;
};

// One descriptor with all that the others have, in their order. Throws std::runtime_error when two
// of them use the same core.
ProgramDescriptor merge_program_descriptors(const std::vector<ProgramDescriptor>& descriptors);

// Sets the runtime arguments that the descriptor has, and puts circular buffers into the buffers
// that it names. REQUIRES: the program was made of a descriptor with the same kernels and circular
// buffers; throws std::runtime_error when it has less of them.
void apply_descriptor_runtime_args(Program& program, const ProgramDescriptor& descriptor);

}  // namespace tt::tt_metal

template <>
struct std::hash<tt::tt_metal::TileDescriptor> {
  std::size_t operator()(const tt::tt_metal::TileDescriptor& tile) const noexcept;
};

// Equal for descriptors that are made of the same kernels, circular buffers and semaphores. Of
// runtime arguments only their number counts, and no address of a buffer does.
template <>
struct std::hash<tt::tt_metal::ProgramDescriptor> {
  std::size_t operator()(const tt::tt_metal::ProgramDescriptor& descriptor) const noexcept;
};
