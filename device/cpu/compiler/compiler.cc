#include "device/cpu/compiler/compiler.h"

#include <array>
#include <map>
#include <memory>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "base/mutex.h"
#include "base/status.h"
#include "device/cpu/compiler/clang.h"
#include "device/cpu/compiler/files.h"
#include "device/cpu/compiler/kernel_cache.h"
#include "device/cpu/compiler/object_parts.h"
#include "device/cpu/compiler/wrapper.h"

namespace lightmetal::device::cpu {
namespace {

using Object = std::vector<std::byte>;

// Lets one thread at a time compile a key. Other threads that ask for the same key meanwhile wait,
// and get the result of the first one, errors included. The lock is not held during compilation.
class CompileOnce {
 public:
  template <typename Compile>
  absl::StatusOr<Object> run(const Digest& key, Compile compile) {
    if (const auto running = join(key)) return result_of(*running);
    return finish(key, compile());
  }

 private:
  struct Running {
    std::optional<absl::StatusOr<Object>> result;
  };

  // The compilation of the key that runs already. Null when none runs: then the caller must
  // compile, and call finish().
  std::shared_ptr<Running> join(const Digest& key) {
    MutexLock lock(&mutex_);
    const auto [place, is_new] = running_.try_emplace(key);
    if (!is_new) return place->second;
    place->second = std::make_shared<Running>();
    return nullptr;
  }

  absl::StatusOr<Object> result_of(const Running& running) {
    MutexLock lock(&mutex_);
    while (!running.result.has_value()) finished_.wait(&mutex_);
    return *running.result;
  }

  absl::StatusOr<Object> finish(const Digest& key, absl::StatusOr<Object> result) {
    MutexLock lock(&mutex_);
    running_[key]->result = result;
    running_.erase(key);
    finished_.notify_all();
    return result;
  }

  Mutex mutex_;
  Condition finished_;
  std::map<Digest, std::shared_ptr<Running>> running_ ABSL_GUARDED_BY(mutex_);
};

// A kernel's key in the cache: everything that decides its object, but for the files that it
// includes, whose digests the cache keeps beside the object.
Digest key_of(const KernelSource& source, const CompileSettings& settings,
              const WrappedKernel& wrapped) {
  const std::string all =
      absl::StrCat(kernel_target(settings.architecture), "\n", toolbox_digest().hex(), "\n",
                   clang_settings(source, settings), "\n", wrapped.prelude, wrapped.body);
  return digest_of(bytes_of(all.data(), all.size()));
}

absl::StatusOr<Object> find_or_compile(const KernelSource& source, const CompileSettings& settings,
                                       const WrappedKernel& wrapped, const Digest& key) {
  const KernelCache cache(cache_folder());
  Object found = cache.find(key);
  if (!found.empty()) return found;
  LM_ASSIGN_OR_RETURN(output, run_clang(source, settings, wrapped));
  cache.store(key, output.included, output.object);
  return std::move(output.object);
}

absl::StatusOr<Object> compile_object(const KernelSource& source, const CompileSettings& settings,
                                      std::optional<kernel_abi::Part> part) {
  static auto* const once = new CompileOnce;  // never destroyed: threads may compile during exit
  LM_ASSIGN_OR_RETURN(wrapped, wrap_kernel(source, settings, part));
  const Digest key = key_of(source, settings, wrapped);
  return once->run(key, [&] { return find_or_compile(source, settings, wrapped, key); });
}

// Compiles the object that does what all parts do, and then each part.
absl::StatusOr<Object> compile_with_parts(const KernelSource& source,
                                          const CompileSettings& settings) {
  LM_ASSIGN_OR_RETURN(whole, compile_object(source, settings, std::nullopt));
  PartsOfObject all{.whole = whole, .parts = {}};
  std::array<Object, kernel_abi::kComputeParts> parts;
  for (uint32_t i = 0; i < parts.size(); ++i) {
    LM_ASSIGN_OR_RETURN(part, compile_object(source, settings, static_cast<kernel_abi::Part>(i)));
    parts[i] = std::move(part);
    all.parts[i] = parts[i];
  }
  return join_parts(all);
}

}  // namespace

absl::StatusOr<KernelObject> compile_kernel(const KernelSource& source,
                                            const CompileSettings& settings) {
  const bool split = settings.split && source.processor == Processor::kCompute;
  LM_ASSIGN_OR_RETURN(object, split ? compile_with_parts(source, settings)
                                    : compile_object(source, settings, std::nullopt));
  return KernelObject{kernel_target(settings.architecture), std::move(object)};
}

}  // namespace lightmetal::device::cpu
