#include "device/cpu/kernels/kernel_loader.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <limits>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/write_all.h"
#include "device/cpu/compiler/files.h"
#include "device/cpu/compiler/object_parts.h"
#include "device/cpu/compiler/target.h"
#include "device/cpu/memory/confined_code.h"
#include "device/kernel_abi/lightmetal_kernel_abi.h"

namespace lightmetal::device::cpu {
namespace {

struct Entry {
  CpuKernel::Entry entry;
  uint32_t version;
};

struct Code {
  uint64_t base;  // where the library was loaded
  uint64_t begin = std::numeric_limits<uint64_t>::max();
  uint64_t end = 0;
};

// A callback of dl_iterate_phdr(), which stops when it returns 1: the library has been found.
int add_executable_segments(dl_phdr_info* info, size_t, void* data) {
  auto& code = *static_cast<Code*>(data);
  if (info->dlpi_addr != code.base) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    code.begin = std::min<uint64_t>(code.begin, code.base + segment.p_vaddr);
    code.end = std::max<uint64_t>(code.end, code.base + segment.p_vaddr + segment.p_memsz);
  }
  return 1;
}

// A path that no earlier load has used. dlopen() returns the library that it has already loaded
// from an equal path, and descriptors are used again; so each load spells the path in its own way,
// with the bits of a counter as "./" and ".//".
std::string unique_path(int descriptor) {
  static std::atomic<uint64_t> loads{0};
  std::string path = "/proc/self/fd/";
  for (uint64_t bits = loads.fetch_add(1, std::memory_order_relaxed); bits != 0; bits >>= 1) {
    path += (bits & 1) != 0 ? ".//" : "./";
  }
  return path + std::to_string(descriptor);
}

absl::StatusOr<void*> open_library(Bytes bytes) {
  const int descriptor = memfd_create("lightmetal_kernel", MFD_CLOEXEC);
  if (descriptor < 0)
    return absl::ErrnoToStatus(errno, "cannot make a file in memory for a kernel object");
  const auto close_descriptor = absl::MakeCleanup([descriptor] { close(descriptor); });
  if (!write_all(descriptor, bytes))
    return absl::ErrnoToStatus(errno, "cannot write a kernel object to memory");
  void* library = dlopen(unique_path(descriptor).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  return absl::InvalidArgumentError(absl::StrCat("not a loadable kernel object: ", dlerror()));
}

// A debugger reads the file when the library is loaded, or later, so the file stays.
absl::StatusOr<void*> open_library_file(Bytes bytes, const Digest& digest) {
  LM_ASSIGN_OR_RETURN(folder, debug_folder());
  const std::string path = absl::StrCat(folder, "/kernel-", digest.hex(), ".so");
  LM_RETURN_IF_ERROR(write_file(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  return absl::InvalidArgumentError(absl::StrCat("not a loadable kernel object: ", dlerror()));
}

absl::StatusOr<Entry> check_entry(const void* entry, const void* version) {
  if (version == nullptr || entry == nullptr) {
    return absl::InvalidArgumentError("not a kernel object: it has no kernel entry");
  }
  const uint32_t found = *static_cast<const uint32_t*>(version);
  if (found >= kernel_abi::kOldestVersion && found <= kernel_abi::kVersion)
    return Entry{reinterpret_cast<CpuKernel::Entry>(const_cast<void*>(entry)), found};
  return absl::FailedPreconditionError(absl::StrCat(
      "the kernel object has kernel ABI version ", found, "; this device runs versions ",
      kernel_abi::kOldestVersion, " to ", kernel_abi::kVersion));
}

absl::StatusOr<std::shared_ptr<CpuKernel>> load_kernel(Bytes bytes, void* library,
                                                       const void* owner) {
  auto entry = check_entry(dlsym(library, kernel_abi::kEntrySymbol),
                           dlsym(library, kernel_abi::kVersionSymbol));
  if (entry.ok())
    return std::make_shared<CpuKernel>(library, entry->entry, entry->version, bytes, owner);
  dlclose(library);
  return entry.status();
}

absl::StatusOr<std::shared_ptr<CpuKernel>> load_confined(Bytes bytes, const void* owner) {
  LM_ASSIGN_OR_RETURN(image, KernelImage::load(bytes));
  const void* entry_address = image->find(kernel_abi::kEntrySymbol, 1);
  const void* version = image->find(kernel_abi::kVersionSymbol, sizeof(uint32_t));
  LM_ASSIGN_OR_RETURN(entry, check_entry(entry_address, version));
  return std::make_shared<CpuKernel>(std::move(image), entry.entry, entry.version, bytes, owner);
}

absl::Status with_name(const absl::Status& status, const std::string& name) {
  return {status.code(), absl::StrCat("kernel ", name, ": ", status.message())};
}

}  // namespace

CpuKernel::CpuKernel(void* library, Entry entry, uint32_t version, Bytes object, const void* owner)
    : library_(library),
      entry_(entry),
      version_(version),
      object_(object.begin(), object.end()),
      owner_(owner) {
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return;
  Code code{.base = map->l_addr};
  dl_iterate_phdr(add_executable_segments, &code);
  base_ = code.base;
  code_begin_ = code.begin;
  code_end_ = code.end;
}

std::optional<SourceLine> CpuKernel::source_line(absl::Span<const uint64_t> addresses) const {
  std::vector<uint64_t> in_object;
  for (const uint64_t address : addresses) {
    if (contains(address)) in_object.push_back(address - base_);
  }
  return find_source_line(object_, in_object);
}

CpuKernel::CpuKernel(std::unique_ptr<const KernelImage> image, Entry entry, uint32_t version,
                     Bytes object, const void* owner)
    : library_(nullptr),
      image_(std::move(image)),
      entry_(entry),
      version_(version),
      object_(object.begin(), object.end()),
      owner_(owner),
      base_(image_->base()),
      code_begin_(image_->code_begin()),
      code_end_(image_->code_end()) {}

CpuKernel::~CpuKernel() {
  if (library_ != nullptr) dlclose(library_);
}

absl::StatusOr<std::shared_ptr<CpuKernel>> KernelLoader::load_bytes(Bytes bytes,
                                                                    const Digest& digest) const {
  if (kernels_are_confined()) return load_confined(bytes, this);
  auto library = for_debugger_ ? open_library_file(bytes, digest) : open_library(bytes);
  if (!library.ok()) return library.status();
  return load_kernel(bytes, *library, this);
}

absl::StatusOr<std::shared_ptr<CpuKernel>> KernelLoader::load_with_parts(
    Bytes bytes, const Digest& digest) const {
  LM_ASSIGN_OR_RETURN(found, find_parts(bytes));
  if (!found.has_value()) return load_bytes(bytes, digest);
  LM_ASSIGN_OR_RETURN(kernel, load_bytes(found->whole, digest));
  for (size_t i = 0; i < found->parts.size(); ++i) {
    LM_ASSIGN_OR_RETURN(part, load_bytes(found->parts[i], digest_of(found->parts[i])));
    kernel->parts_[i] = std::move(part);
  }
  return kernel;
}

absl::StatusOr<std::shared_ptr<CpuKernel>> KernelLoader::load(const KernelObject& object,
                                                              const std::string& name) {
  if (!runs_target(object.target, architecture_)) {
    return absl::FailedPreconditionError(
        absl::StrCat("kernel ", name, " was compiled for target \"", object.target,
                     "\"; this device runs \"", kernel_target(architecture_), "\""));
  }
  const Digest digest = digest_of(object.bytes);
  MutexLock lock(&mutex_);
  if (const auto found = loaded_.find(digest); found != loaded_.end()) return found->second;
  auto kernel = load_with_parts(object.bytes, digest);
  if (!kernel.ok()) return with_name(kernel.status(), name);
  loaded_.emplace(digest, *kernel);
  return kernel;
}

}  // namespace lightmetal::device::cpu
