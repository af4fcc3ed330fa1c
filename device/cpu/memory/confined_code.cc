#include "device/cpu/memory/confined_code.h"

#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <map>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "base/mutex.h"
#include "base/status.h"
#include "device/cpu/memory/mapping.h"

namespace lightmetal::device::cpu {
namespace {

uint64_t whole_pages(uint64_t size) { return (size + page_size() - 1) & -page_size(); }

// The range, which lives as long as the process: code may run when the process ends.
class Range {
 public:
  explicit Range(Mapping memory) : memory_(std::move(memory)) {}

  uint64_t begin() const { return reinterpret_cast<uint64_t>(memory_.data()); }

  absl::StatusOr<std::byte*> take(uint64_t size) {
    MutexLock lock(&mutex_);
    LM_ASSIGN_OR_RETURN(offset, find(size));  // find() counts a page behind it, which stays closed
    LM_RETURN_IF_ERROR(memory_.allow(offset, size));
    return memory_.data() + offset;
  }

  void give_back(std::byte* memory, uint64_t size) {
    MutexLock lock(&mutex_);
    mprotect(memory, size, PROT_NONE);
    madvise(memory, size, MADV_DONTNEED);  // the next object at this place begins with zeros
    returned_.emplace(size, static_cast<uint64_t>(memory - memory_.data()));
  }

 private:
  // Takes memory of exactly this size that was given back, else memory that was never used. A
  // captured file has few kernels, which come again and again with the same sizes, so this wastes
  // little.
  absl::StatusOr<uint64_t> find(uint64_t size) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (const auto found = returned_.find(size); found != returned_.end()) {
      return returned_.extract(found).mapped();
    }
    if (size + page_size() > memory_.size() - used_) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "no room for ", size, " bytes of kernel code: ", memory_.size(), " are there for it"));
    }
    used_ += size + page_size();
    return used_ - size - page_size();
  }

  Mapping memory_;
  Mutex mutex_;
  uint64_t used_ ABSL_GUARDED_BY(mutex_) = 0;
  std::multimap<uint64_t, uint64_t> returned_ ABSL_GUARDED_BY(mutex_);  // offsets by size
};

std::atomic<Range*> process_range{nullptr};

}  // namespace

absl::StatusOr<uint64_t> confine_kernels() {
  if (const Range* range = process_range.load()) return range->begin();
  LM_ASSIGN_OR_RETURN(memory, Mapping::reserve(kConfinedCodeSize, kConfinedCodeSize));
  auto* range = new Range(std::move(memory));
  process_range.store(range);
  return range->begin();
}

bool kernels_are_confined() { return process_range.load() != nullptr; }

absl::StatusOr<std::byte*> take_code_memory(uint64_t size) {
  return process_range.load()->take(whole_pages(size));
}

void return_code_memory(std::byte* memory, uint64_t size) {
  process_range.load()->give_back(memory, whole_pages(size));
}

}  // namespace lightmetal::device::cpu
