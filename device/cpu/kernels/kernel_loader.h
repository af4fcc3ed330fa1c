#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "base/digest.h"
#include "base/mutex.h"
#include "device/cpu/compiler/target.h"
#include "device/cpu/kernels/kernel_image.h"
#include "device/cpu/source_lines/source_lines.h"
#include "device/device.h"
#include "device/kernel_abi/lightmetal_kernel_abi_parts.h"

namespace lightmetal::device::cpu {

// A kernel's code in this process. The destructor unloads the code. Immutable and thread-safe.
class CpuKernel final : public LoadedKernel {
 public:
  using Entry = void (*)();

  // Takes over `library`, a handle of dlopen(), and copies `object`. `owner` is the loader, and is
  // only ever compared.
  CpuKernel(void* library, Entry entry, uint32_t version, Bytes object, const void* owner);
  // The same for a process that confines kernels (memory/confined_code.h).
  CpuKernel(std::unique_ptr<const KernelImage> image, Entry entry, uint32_t version, Bytes object,
            const void* owner);
  ~CpuKernel() override;
  CpuKernel(const CpuKernel&) = delete;
  CpuKernel& operator=(const CpuKernel&) = delete;

  Entry entry() const { return entry_; }
  uint32_t version() const { return version_; }  // of the kernel ABI
  const void* owner() const { return owner_; }

  // The kernel's part that runs on one of the three processors; null if the object holds no parts.
  const CpuKernel* part(kernel_abi::Part part) const {
    return parts_[static_cast<uint32_t>(part)].get();
  }

  // Whether a program counter lies in this kernel's code. Safe in a signal handler.
  bool contains(uint64_t address) const { return code_begin_ <= address && address < code_end_; }

  // As find_source_line(), for addresses in this process, the innermost first. Addresses outside
  // the kernel's code are passed over.
  std::optional<SourceLine> source_line(absl::Span<const uint64_t> addresses) const;

 private:
  friend class KernelLoader;

  void* const library_;                             // null for a confined kernel
  const std::unique_ptr<const KernelImage> image_;  // of a confined kernel
  const Entry entry_;
  const uint32_t version_;
  const std::vector<std::byte> object_;  // for its debug information, which is not loaded
  const void* const owner_;
  std::array<std::shared_ptr<CpuKernel>, kernel_abi::kComputeParts> parts_;  // set by the loader
  uint64_t base_ = 0;
  uint64_t code_begin_ = 0;
  uint64_t code_end_ = 0;
};

// Loads kernel objects from memory, without a compiler, a linker or a file. Equal objects are
// loaded once, and stay loaded as long as the loader lives. For a debugger, which must find the
// file that it is to read, objects are loaded from files in the cache folder instead. In a process
// that confines kernels, KernelImage takes the place of the system's loader. Thread-safe.
class KernelLoader {
 public:
  // `architecture` is the device's.
  explicit KernelLoader(Architecture architecture, bool for_debugger = false)
      : architecture_(architecture), for_debugger_(for_debugger) {}

  // Errors as device::Device::load. `name` is for messages.
  absl::StatusOr<std::shared_ptr<CpuKernel>> load(const KernelObject& object,
                                                  const std::string& name);

  // Whether this loader has loaded `kernel`.
  bool owns(const CpuKernel& kernel) const { return kernel.owner() == this; }

 private:
  absl::StatusOr<std::shared_ptr<CpuKernel>> load_bytes(Bytes bytes, const Digest& digest) const;
  absl::StatusOr<std::shared_ptr<CpuKernel>> load_with_parts(Bytes bytes,
                                                             const Digest& digest) const;

  const Architecture architecture_;
  const bool for_debugger_;
  Mutex mutex_;
  absl::flat_hash_map<Digest, std::shared_ptr<CpuKernel>> loaded_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace lightmetal::device::cpu
