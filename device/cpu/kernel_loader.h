#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "base/digest.h"
#include "base/mutex.h"
#include "device/device.h"

namespace lightmetal::device::cpu {

// A kernel's code in this process. Unloads it at its end.
class CpuKernel final : public LoadedKernel {
 public:
  using Entry = void (*)();

  // Takes over a handle of dlopen. `owner` names the loader.
  CpuKernel(void* library, Entry entry, const void* owner);
  ~CpuKernel() override;
  CpuKernel(const CpuKernel&) = delete;
  CpuKernel& operator=(const CpuKernel&) = delete;

  Entry entry() const { return entry_; }
  const void* owner() const { return owner_; }

  // Whether a program counter lies in this kernel's code. Safe in a signal handler.
  bool contains(uint64_t address) const { return code_begin_ <= address && address < code_end_; }

 private:
  void* const library_;
  const Entry entry_;
  const void* const owner_;
  uint64_t code_begin_ = 0;
  uint64_t code_end_ = 0;
};

// Loads kernels from memory: no compiler, linker or file is involved. Equal objects are loaded
// once. Thread-safe.
class KernelLoader {
 public:
  absl::StatusOr<std::shared_ptr<CpuKernel>> load(const KernelObject& object,
                                                  const std::string& name);

  bool owns(const CpuKernel& kernel) const { return kernel.owner() == this; }

 private:
  Mutex mutex_;
  absl::flat_hash_map<Digest, std::weak_ptr<CpuKernel>> loaded_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace lightmetal::device::cpu
