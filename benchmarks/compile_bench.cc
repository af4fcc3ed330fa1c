// What compiling a kernel costs.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "benchmarks/benchmarks.h"
#include "device/cpu/compiler/compiler.h"
#include "device/cpu/compiler/config.h"
#include "device/cpu/compiler/files.h"
#include "device/cpu/compiler/process.h"

namespace lightmetal::bench {
namespace {

namespace fs = std::filesystem;

// An empty folder that is the kernel cache as long as the object lives.
class EmptyCache {
 public:
  explicit EmptyCache(const std::string& folder) : path_(fs::path(folder) / "compile") {
    fs::remove_all(path_);
    fs::create_directories(path_);
    if (const char* before = std::getenv(kVariable)) before_ = before;
    setenv(kVariable, path_.c_str(), 1);
  }
  ~EmptyCache() {
    if (before_.empty()) unsetenv(kVariable);
    if (!before_.empty()) setenv(kVariable, before_.c_str(), 1);
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  EmptyCache(const EmptyCache&) = delete;
  EmptyCache& operator=(const EmptyCache&) = delete;

  std::string file(const std::string& name) const { return path_ / name; }

 private:
  static constexpr char kVariable[] = "LIGHTMETAL_CACHE_DIR";
  fs::path path_;
  std::string before_;
};

device::KernelSource small_reader() {
  const std::string path = absl::StrCat(LIGHTMETAL_BENCHMARK_KERNELS, "/sum_reader.cpp");
  auto text = device::cpu::read_file(path);
  if (!text.ok()) throw std::runtime_error(std::string(text.status().message()));
  device::KernelSource source;
  source.name = path;
  source.text = *std::move(text);
  source.processor = device::Processor::kRiscv1;
  source.circular_buffers = {{.index = 0, .format = DataFormat::Float16_b},
                             {.index = 1, .format = DataFormat::Float16_b}};
  return source;
}

}  // namespace

// Compiling a small data-movement kernel that is in no cache, the link and all, over running clang
// on an empty file.
Ratio kernel_compile(const std::string& folder) {
  const EmptyCache cache(folder);
  const std::string empty = cache.file("empty.cc");
  std::ofstream(empty).close();
  const std::vector<std::string> clang = {absl::StrCat(device::cpu::kLlvmTools, "/clang"),
                                          "-O2",
                                          "-c",
                                          empty,
                                          "-o",
                                          cache.file("empty.o")};
  device::KernelSource source = small_reader();
  uint64_t compiled = 0;
  const auto compile = [&] {
    // Another compile-time argument makes another kernel.
    source.compile_args = {source.compile_args.empty() ? 1 : source.compile_args[0] + 1};
    const auto object = device::cpu::compile_kernel(source);
    if (!object.ok()) throw std::runtime_error(std::string(object.status().message()));
    ++compiled;
    return size_t{1};
  };
  const auto compile_nothing = [&] {
    const auto status = device::cpu::run_program(clang, cache.file("messages"));
    if (!status.ok() || *status != 0) throw std::runtime_error("clang fails on an empty file");
    return size_t{1};
  };
  constexpr int kRounds = 21;
  Ratio ratio = measure_ratio({.subject = compile, .baseline = compile_nothing}, kRounds);
  ratio.work = checked_work(kRounds + 1, compiled, "kernels");
  return ratio;
}

}  // namespace lightmetal::bench
