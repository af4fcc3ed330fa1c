#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/core.h"
#include "base/data_format.h"
#include "base/device_profile.h"
#include "base/digest.h"

// The interface between the host API and a device. A backend implements Device and has a name in
// the registry (device/registry/registry.h), or lies in a library of its own
// (device/backend_library.h). The host API owns allocation, queues, programs and traces; a backend
// moves bytes, loads kernels and runs launches. tests/backend_conformance holds every backend to
// what is said here, and docs/adding-a-backend.md reads it aloud.
namespace lightmetal::device {

using lightmetal::CoreKind;
using lightmetal::Processor;

// The circular buffer properties that are compile-time constants in a kernel.
struct CircularBufferFormat {
  uint8_t index = 0;
  DataFormat format = DataFormat::Invalid;
  uint32_t tile_height = 32;
  uint32_t tile_width = 32;

  friend bool operator==(const CircularBufferFormat&, const CircularBufferFormat&) = default;
};

// What a kernel is compiled from. Equal requests give equal objects.
struct KernelSource {
  std::string name;       // for messages: the path, or "<string>"
  std::string text;       // the source text itself
  std::string directory;  // where #include "..." of the source looks first; empty for a source from
                          // a string
  Processor processor = Processor::kRiscv0;
  uint8_t noc = 0;
  std::vector<uint32_t> compile_args;
  std::map<std::string, std::string> defines;
  std::vector<CircularBufferFormat> circular_buffers;  // sorted by index
  // Compute kernels only; numbers as in TT-Metalium (MathFidelity 0, 2, 3, 4).
  uint8_t math_fidelity = 4;
  bool fp32_dest_acc_en = false;
  bool dst_full_sync_en = false;
  bool math_approx_mode = false;

  friend bool operator==(const KernelSource&, const KernelSource&) = default;
};

// A compiled kernel: self-contained, loadable without compiler, linker or libc.
struct KernelObject {
  std::string target;  // e.g. "cpu-x86_64-1": backend, architecture, kernel ABI version
  std::vector<std::byte> bytes;
};

// A kernel loaded onto one device. Shared by every program that uses it; destroyed before its
// device.
class LoadedKernel {
 public:
  virtual ~LoadedKernel() = default;
};

// A circular buffer as one core sees it. Several indices of one host-side circular buffer share an
// address, each with its own page size and counters.
struct CircularBufferPlan {
  uint8_t index = 0;
  DataFormat format = DataFormat::Invalid;
  uint32_t address = 0;    // in L1
  uint32_t size = 0;       // bytes; divisible by page_size
  uint32_t page_size = 0;  // bytes
  // In a buffer, whose data is there before any kernel pushes a page.
  bool globally_allocated = false;
};

struct SemaphorePlan {
  uint32_t id = 0;
  uint32_t initial_value = 0;
};

// One kernel on one core. Arguments are words of Launch::args: [args_begin, args_begin +
// args_count).
struct KernelOnCore {
  uint32_t kernel = 0;  // index into LaunchPlan::kernels
  uint32_t args_begin = 0;
  uint32_t args_count = 0;
  uint32_t common_begin = 0;
  uint32_t common_count = 0;
};

// An index by which kernels reach circular buffers of other cores. Which, and how far they have
// come, is in this core's L1 from `config_address` on (kernel_abi::RemoteConfig).
struct RemoteCircularBufferPlan {
  uint8_t index = 0;
  uint32_t config_address = 0;
  uint32_t page_size = 0;  // bytes
};

struct CorePlan {
  Core core;
  std::vector<KernelOnCore> kernels;  // at most one per processor
  std::vector<CircularBufferPlan> circular_buffers;
  std::vector<SemaphorePlan> semaphores;
  std::vector<RemoteCircularBufferPlan> remote_circular_buffers;
  Core origin;  // what kernels count relative logical coordinates from
  CoreKind kind = CoreKind::kWorker;
};

struct KernelPlan {
  std::shared_ptr<LoadedKernel> kernel;
  Processor processor = Processor::kRiscv0;
  uint8_t noc = 0;
  std::string name;  // for messages
};

// What does not change between launches of a program. `id` is unique in the process: a backend may
// cache what it derives.
//
// A device may be divided into groups of cores, the lanes 1, 2, ... A launch on a lane has cores of
// that group only, and runs at the same time as launches on other lanes. A launch on lane 0 has
// the device for itself; the caller sees to it that none on another lane runs meanwhile.
struct LaunchPlan {
  uint64_t id = 0;
  uint32_t lane = 0;
  std::vector<KernelPlan> kernels;
  std::vector<CorePlan> cores;
};

// One launch: the plan and this launch's arguments. A device trace is a list of these.
struct Launch {
  std::shared_ptr<const LaunchPlan> plan;
  std::vector<uint32_t> args;
};

struct DeviceOptions {
  int chip_id = 0;
  DeviceProfile profile;
};

// Thread-safe: the queues of a device call from their own threads. Every call is synchronous, and
// none ends the process or throws. A device is destroyed when no call is in it any more.
//
// Addresses are offsets into one bank or one core's memory, which begins as zeros; they need no
// alignment. Ranges outside it, and banks and cores that do not exist, are OutOfRange errors, and
// then nothing is moved. Memory is not locked: calls that use the same bytes at the same time are
// the program's race.
class Device {
 public:
  virtual ~Device() = default;

  // What the device was opened with: a profile that a backend cannot have is InvalidArgument when
  // a device is opened.
  virtual const DeviceProfile& profile() const = 0;

  virtual absl::Status write_dram(uint32_t bank, uint64_t address, Bytes data) = 0;
  virtual absl::Status read_dram(uint32_t bank, uint64_t address, absl::Span<std::byte> data) = 0;
  virtual absl::Status write_l1(Core core, uint64_t address, Bytes data) = 0;
  virtual absl::Status read_l1(Core core, uint64_t address, absl::Span<std::byte> data) = 0;
  // Of an Ethernet core. Unimplemented on a backend without any.
  virtual absl::Status write_ethernet_l1(Core core, uint64_t address, Bytes data);
  virtual absl::Status read_ethernet_l1(Core core, uint64_t address, absl::Span<std::byte> data);

  // Compiles, or finds in the kernel cache. The error holds the compiler's messages.
  virtual absl::StatusOr<KernelObject> compile(const KernelSource& source) = 0;

  // Loads an object made by compile(), here or in another process, or finds an equal one: what is
  // loaded stays so while the device is open. FailedPrecondition when the target does not fit,
  // InvalidArgument when the bytes are no object; both name the kernel.
  virtual absl::StatusOr<std::shared_ptr<LoadedKernel>> load(const KernelObject& object,
                                                             const std::string& name) = 0;

  // Writes semaphores, runs all kernels of the plan to their end. Launches of one lane run one
  // after the other. A plan that cannot be is refused before anything runs: OutOfRange or
  // InvalidArgument, and FailedPrecondition for a kernel that this device has not loaded. An error
  // of a kernel (a wait that can never end, a failed ASSERT, ...) names core, processor, kernel and
  // what was waited for; the device stays usable.
  virtual absl::Status launch(const Launch& launch) = 0;

  // Runs launches that are known in advance, those of a device trace, one after the other as
  // launch() does, up to the first error. A backend may save what it does between launches.
  virtual absl::Status launch_all(absl::Span<const Launch* const> launches);
};

}  // namespace lightmetal::device
