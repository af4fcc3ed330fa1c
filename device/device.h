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
#include "base/schedule.h"

// The interface between the host API and a device. A backend implements Device and has a name in
// the registry (device/registry/registry.h), or lies in a library of its own
// (device/backend_library.h). The host API owns allocation, queues, programs and traces; a backend
// moves bytes, loads kernels and runs launches. tests/backend_conformance holds every backend to
// this contract, and docs/adding-a-backend.md explains it.
//
// All addresses and sizes are in bytes. All coordinates of cores are logical: (0,0) is the first
// core of the grid, wherever it lies on the network-on-chip.
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

// What a kernel is compiled from. Equal sources give equal objects, so a backend may keep compiled
// objects by the content of this struct.
struct KernelSource {
  std::string name;  // for messages: the path, or "<string>"
  std::string text;  // the source text itself
  // The folder that #include "..." of the source searches first; empty for a source from a string.
  std::string directory;
  // C++ that comes before the text: declarations that the host made for this kernel alone.
  std::string declarations;
  Processor processor = Processor::kRiscv0;
  uint8_t noc = 0;
  std::vector<uint32_t> compile_args;
  std::map<std::string, std::string> defines;
  std::map<std::string, uint32_t> named_compile_args;
  // Absolute paths of folders. #include looks there, in this order, for what is no header of the
  // kernel API.
  std::vector<std::string> include_paths;
  std::vector<CircularBufferFormat> circular_buffers;  // sorted by index
  // Compute kernels only; numbers as in TT-Metalium (MathFidelity 0, 2, 3, 4).
  uint8_t math_fidelity = 4;
  bool fp32_dest_acc_en = false;
  bool dst_full_sync_en = false;
  bool math_approx_mode = false;

  friend bool operator==(const KernelSource&, const KernelSource&) = default;
};

// A compiled kernel. It is self-contained: a process loads it without a compiler, a linker or a C
// library, on this machine or on another one that runs its target.
struct KernelObject {
  std::string target;  // e.g. "cpu-x86_64-1": backend, architecture, kernel ABI version
  std::vector<std::byte> bytes;
};

// A kernel that is loaded on one device. Every program that uses the kernel shares it, and the last
// of them destroys it, before the device is destroyed.
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
  // The circular buffer lies in a buffer, whose data is there before any kernel pushes a page.
  bool globally_allocated = false;
};

struct SemaphorePlan {
  uint32_t id = 0;
  uint32_t initial_value = 0;
};

// One kernel on one core. Its own arguments are the words [args_begin, args_begin + args_count) of
// Launch::args; the arguments that it shares with the kernel's other cores are the words
// [common_begin, common_begin + common_count).
struct KernelOnCore {
  uint32_t kernel = 0;  // index into LaunchPlan::kernels
  uint32_t args_begin = 0;
  uint32_t args_count = 0;
  uint32_t common_begin = 0;
  uint32_t common_count = 0;
};

// A circular buffer index by which kernels reach the circular buffers of other cores. Which cores
// these are, and how far sender and receivers have come, is in this core's L1 from `config_address`
// on (kernel_abi::RemoteConfig).
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
  Core origin;  // the core from which kernels count relative logical coordinates
  CoreKind kind = CoreKind::kWorker;
};

struct KernelPlan {
  std::shared_ptr<LoadedKernel> kernel;
  Processor processor = Processor::kRiscv0;
  uint8_t noc = 0;
  std::string name;  // for messages
};

// What does not change between the launches of a program. `id` is unique in the process, so a
// backend may keep what it derives from a plan under the plan's id.
//
// A device may be divided into groups of cores, the lanes 1, 2, ... A launch on a lane uses cores
// of that group only, and runs at the same time as launches on other lanes. A launch on lane 0 has
// the device for itself; the caller makes sure that no launch on another lane runs meanwhile.
struct LaunchPlan {
  uint64_t id = 0;
  uint32_t lane = 0;
  std::vector<KernelPlan> kernels;
  std::vector<CorePlan> cores;
};

// One launch: the plan, and the arguments of this launch. A device trace is a list of launches.
struct Launch {
  std::shared_ptr<const LaunchPlan> plan;
  std::vector<uint32_t> args;
};

struct DeviceOptions {
  int chip_id = 0;
  DeviceProfile profile;
  // In which order kernels run; none: as the backend has it. A backend that has no such schedule
  // refuses it with an InvalidArgument error, also in its library (device/backend_library.h).
  std::optional<Schedule> schedule = {};
};

// A place in the memory of a device: in a DRAM bank, or in the L1 of a core.
struct MemoryAddress {
  bool is_dram = true;
  uint32_t bank = 0;  // in DRAM
  Core core = {};     // in L1
  uint64_t address = 0;
};

// Some bytes of one memory of a device.
struct MemoryPart {
  enum class Kind : uint8_t { kDram, kL1, kEthernetL1 };

  Kind kind = Kind::kDram;
  uint32_t bank = 0;  // in DRAM
  Core core = {};     // in L1
  uint64_t address = 0;
  uint64_t size = 0;
};

// An open device. Thread-safe: the queues of a device call it from their own threads. Every call is
// synchronous: when it returns, its work is done. No call throws or ends the process. The owner
// destroys a device when no call to it runs any more.
//
// An address is an offset into one DRAM bank or into the L1 of one core, and needs no alignment.
// All memory holds zeros when the device is opened. A range that leaves its memory, and a bank or a
// core that does not exist, is an OutOfRange error, and no byte is moved then. Memory is not
// locked: two calls that use the same bytes at the same time are a race of the program.
//
// `data` belongs to the caller and need not live longer than the call.
class Device {
 public:
  virtual ~Device() = default;

  // The profile with which the device was opened. A profile that the backend cannot provide is an
  // InvalidArgument error when a device is opened, never a profile other than the one asked for.
  virtual const DeviceProfile& profile() const = 0;

  virtual absl::Status write_dram(uint32_t bank, uint64_t address, Bytes data) = 0;
  virtual absl::Status read_dram(uint32_t bank, uint64_t address, absl::Span<std::byte> data) = 0;
  virtual absl::Status write_l1(Core core, uint64_t address, Bytes data) = 0;
  virtual absl::Status read_l1(Core core, uint64_t address, absl::Span<std::byte> data) = 0;
  // The L1 of an Ethernet core, (0,0) and on. Unimplemented on a backend without Ethernet cores.
  virtual absl::Status write_ethernet_l1(Core core, uint64_t address, Bytes data);
  virtual absl::Status read_ethernet_l1(Core core, uint64_t address, absl::Span<std::byte> data);

  // Compiles a kernel, or finds the object in the backend's cache of compiled kernels. Of a source
  // that does not compile, the error holds the compiler's messages.
  virtual absl::StatusOr<KernelObject> compile(const KernelSource& source) = 0;

  // Loads an object that compile() has made, in this process or in another one, or finds an equal
  // object that is loaded already: an object stays loaded while the device is open. `name` is for
  // messages. FailedPrecondition when the device does not run the object's target, InvalidArgument
  // when the bytes are no kernel object; both errors name the kernel.
  virtual absl::StatusOr<std::shared_ptr<LoadedKernel>> load(const KernelObject& object,
                                                             const std::string& name) = 0;

  // Writes the initial values of the plan's semaphores, then runs all kernels of the plan to their
  // end. Launches of one lane run one after the other. A plan that this device cannot run is
  // refused before any kernel runs: OutOfRange or InvalidArgument, and FailedPrecondition for a
  // kernel that this device has not loaded. The error of a kernel (a wait that can never end, a
  // failed ASSERT, ...) names the core, the processor, the kernel and what it waited for; the
  // device stays usable.
  virtual absl::Status launch(const Launch& launch) = 0;

  // Runs launches that are known in advance, those of a device trace, one after the other as
  // launch() does, up to the first error. A backend may override this function to save the work
  // that it does between two launches.
  virtual absl::Status launch_all(absl::Span<const Launch* const> launches);

  // Copies bytes from one place of the device's memory to another without a way over the host. The
  // two do not overlap. Unimplemented on a backend that cannot: who asks then reads and writes.
  virtual absl::Status copy(const MemoryAddress& from, const MemoryAddress& to, uint64_t size);

  // Returns what of `parts` may hold other bytes than zeros: the rest of them holds zeros. The
  // result may overlap itself. Snapshots ask, so that they cost what was written and not what was
  // allocated. Unimplemented on a backend that does not know: the caller then reads all that it
  // needs. REQUIRES: no call that writes to these parts runs.
  virtual absl::StatusOr<std::vector<MemoryPart>> written(absl::Span<const MemoryPart> parts);
};

}  // namespace lightmetal::device
