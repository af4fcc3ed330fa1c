#pragma once

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
#include "device/cpu/kernels/kernel_image.h"
#include "device/cpu/source_lines/source_lines.h"
#include "device/device.h"

namespace lightmetal::device::cpu {

// A kernel's code in this process. Unloads it at its end.
class CpuKernel final : public LoadedKernel {
 public:
  using Entry = void (*)();

  // Takes over a handle of dlopen. `owner` names the loader.
  CpuKernel(void* library, Entry entry, uint32_t version, Bytes object, const void* owner);
  // The same for a process that confines kernels (confined_code.h).
  CpuKernel(std::unique_ptr<const KernelImage> image, Entry entry, uint32_t version, Bytes object,
            const void* owner);
  ~CpuKernel() override;
  CpuKernel(const CpuKernel&) = delete;
  CpuKernel& operator=(const CpuKernel&) = delete;

  Entry entry() const { return entry_; }
  uint32_t version() const { return version_; }  // of the kernel ABI
  const void* owner() const { return owner_; }

  // Whether a program counter lies in this kernel's code. Safe in a signal handler.
  bool contains(uint64_t address) const { return code_begin_ <= address && address < code_end_; }

  // As find_source_line, for addresses in this process.
  std::optional<SourceLine> source_line(absl::Span<const uint64_t> addresses) const;

 private:
  void* const library_;                             // null for a confined kernel
  const std::unique_ptr<const KernelImage> image_;  // of a confined kernel
  const Entry entry_;
  const uint32_t version_;
  const std::vector<std::byte> object_;  // its debug information is not loaded
  const void* const owner_;
  uint64_t base_ = 0;
  uint64_t code_begin_ = 0;
  uint64_t code_end_ = 0;
};

// Loads kernels from memory: no compiler, linker or file is involved. Equal objects are loaded
// once, and stay loaded as long as it lives. Thread-safe. For a debugger, which must find what it
// is to read, they are loaded from files in the cache folder instead. A process that confines
// kernels does not use the system's loader.
class KernelLoader {
 public:
  explicit KernelLoader(bool for_debugger = false) : for_debugger_(for_debugger) {}

  absl::StatusOr<std::shared_ptr<CpuKernel>> load(const KernelObject& object,
                                                  const std::string& name);

  bool owns(const CpuKernel& kernel) const { return kernel.owner() == this; }

 private:
  absl::StatusOr<std::shared_ptr<CpuKernel>> load_bytes(Bytes bytes, const Digest& digest) const;

  const bool for_debugger_;
  Mutex mutex_;
  absl::flat_hash_map<Digest, std::shared_ptr<CpuKernel>> loaded_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace lightmetal::device::cpu
