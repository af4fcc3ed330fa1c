#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "device/cpu/compiler/compiler.h"
#include "device/cpu/compiler/config.h"
#include "device/cpu/kernels/fiber.h"
#include "device/kernel_abi/lightmetal_kernel_abi.h"
#include "device/kernel_abi/lightmetal_kernel_abi_sfpu.h"
#include "device/kernel_abi/lightmetal_kernel_abi_tiles.h"

// What the tests of the kernel compiler share: compiling with a cache of their own, and running one
// kernel on a core whose device only takes notes.
namespace lightmetal::device::cpu {

namespace fs = std::filesystem;
using kernel_abi::Context;

inline constexpr uint32_t kOutput = 0x30000;  // where kernels here leave their results

inline void write_text(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

inline std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The memory of one core at a multiple of 4 GiB, with nothing of ours between it and the next one.
class L1 {
 public:
  L1() {
    constexpr uint64_t kUnit = uint64_t{1} << 32;
    reserved_ =
        mmap(nullptr, 2 * kUnit, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    base_ = (reinterpret_cast<uint64_t>(reserved_) + kUnit - 1) & ~(kUnit - 1);
    mprotect(reinterpret_cast<void*>(base_), kSize, PROT_READ | PROT_WRITE);
  }
  ~L1() { munmap(reserved_, uint64_t{2} << 32); }
  L1(const L1&) = delete;
  L1& operator=(const L1&) = delete;

  uint64_t base() const { return base_; }
  uint32_t* words(uint32_t address) const { return reinterpret_cast<uint32_t*>(base_ + address); }

 private:
  static constexpr uint64_t kSize = 1'499'136;

  void* reserved_;
  uint64_t base_;
};

class LoneKernel {
 public:
  explicit LoneKernel(std::vector<uint32_t> args = {})
      : args_(std::move(args)),
        fiber_(*Fiber::create()),
        context_(new (&fiber_->context()) Context{}) {
    set_services();
    context_->services = &services_;
    context_->l1_base = l1_.base();
    context_->fiber = this;
    context_->args = args_.data();
    context_->dram_alignment = 32;
    context_->l1_alignment = 16;
    context_->num_dram_banks = 3;
    context_->dram_banks = banks_;
  }

  void add_buffer(uint32_t index, uint32_t page_size, uint32_t pages) {
    auto& cb = context_->cb[index];
    cb.base = cb.read_ptr = cb.write_ptr = 0x10000;
    cb.limit = cb.base + page_size * pages;
    cb.page_size = cb.tile_bytes = page_size;
    cb.num_pages = pages;
    cb.format = static_cast<uint32_t>(DataFormat::Float16_b);
    cb.counters = &counters_;
  }

  // From now on each yield adds one to the first word of the output, as another kernel would.
  void count_on_yield() { counts_on_yield_ = true; }

  LoneKernel& run(const KernelObject& object) {
    load(object);
    if (entry_ == nullptr) return *this;
    fiber_->start(entry_);
    fiber_->resume();
    if (!fiber_->idle()) fiber_->discard();
    dlclose(library_);
    return *this;
  }

  uint32_t output(uint32_t index) const { return l1_.words(kOutput)[index]; }
  std::vector<uint32_t> outputs(uint32_t count) const {
    return {l1_.words(kOutput), l1_.words(kOutput) + count};
  }
  Context* context() { return context_; }
  const L1& l1() const { return l1_; }
  const std::string& printed() const { return printed_; }
  const std::string& failure() const { return failure_; }  // "file:line: message"
  const std::string& calls() const { return calls_; }      // of services, with their numbers
  uint32_t yields() const { return yields_; }

 private:
  static LoneKernel& of(Context* context) { return *static_cast<LoneKernel*>(context->fiber); }

  template <typename... Numbers>
  static void note(Context* context, const char* name, Numbers... numbers) {
    std::string& calls = of(context).calls_;
    calls += name;
    ((calls += " " + std::to_string(numbers)), ...);
    calls += "; ";
  }

  static void fail(Context* context, const char* file, uint32_t line, const char* message) {
    of(context).failure_ = std::string(file) + ":" + std::to_string(line) + ": " + message;
    of(context).fiber_->suspend();
  }

  static void yield(Context* context) {
    LoneKernel& run = of(context);
    ++run.yields_;
    if (run.counts_on_yield_) ++run.l1_.words(kOutput)[0];
  }

  static void wait_front(Context* context, uint32_t cb, uint32_t pages) {
    note(context, "wait", cb, pages);
    context->cb[cb].counters->pushed += pages;
  }

  void set_services() {
    services_.fail = fail;
    services_.yield = yield;
    services_.cb_wait_front = wait_front;
    services_.print = [](Context* context, const char* text, uint32_t length) {
      of(context).printed_.append(text, length);
    };
    services_.noc_read = [](Context* context, uint64_t source, uint32_t target, uint32_t size) {
      note(context, "read", source, target, size);
    };
    tiles_.dst_sync = [](Context* context, kernel_abi::DstCall call) {
      constexpr const char* kNames[] = {"acquire", "commit", "release"};
      note(context, kNames[static_cast<uint32_t>(call)]);
    };
    services_.tiles = &tiles_;
    services_.matmul_tiles = [](Context* context, uint32_t a, uint32_t b, uint32_t tile_a,
                                uint32_t tile_b, uint32_t dst, uint32_t transpose) {
      note(context, "matmul", a, b, tile_a, tile_b, dst, transpose);
    };
    services_.pack_tile = [](Context* context, uint32_t dst, uint32_t cb, uint32_t tile) {
      note(context, "pack", dst, cb, tile);
    };
    sfpu_.unary = [](Context* context, kernel_abi::UnaryOp op, uint32_t dst, uint32_t, uint32_t,
                     uint32_t,
                     uint32_t) { note(context, "unary", static_cast<uint32_t>(op), dst); };
    services_.sfpu = &sfpu_;
  }

  void load(const KernelObject& object) {
    std::string path = testing::TempDir() + "/kernel-XXXXXX";
    close(mkstemp(path.data()));
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(object.bytes.data()),
               static_cast<std::streamsize>(object.bytes.size()));
    library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    fs::remove(path);
    ASSERT_NE(library_, nullptr) << dlerror();
    entry_ = reinterpret_cast<void (*)()>(dlsym(library_, kernel_abi::kEntrySymbol));
    ASSERT_NE(entry_, nullptr);
  }

  L1 l1_;
  std::vector<uint32_t> args_;
  uint64_t banks_[3] = {uint64_t{1} << 36, uint64_t{2} << 36, uint64_t{3} << 36};
  kernel_abi::PageCounters counters_{};
  kernel_abi::SfpuServices sfpu_{};
  kernel_abi::TileServices tiles_{};
  kernel_abi::Services services_{};
  std::unique_ptr<Fiber> fiber_;
  Context* context_;
  void* library_ = nullptr;
  void (*entry_)() = nullptr;
  std::string printed_;
  std::string failure_;
  std::string calls_;
  uint32_t yields_ = 0;
  bool counts_on_yield_ = false;
};

// Each test has an empty cache.
class Compiler : public testing::Test {
 protected:
  Compiler() {
    std::string pattern = testing::TempDir() + "/lightmetal-compiler-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    setenv("LIGHTMETAL_CACHE_DIR", (folder_ / "cache").c_str(), 1);
    unsetenv("LIGHTMETAL_CLANG");
  }
  ~Compiler() override { fs::remove_all(folder_); }

  static KernelSource source(const std::string& text, Processor processor = Processor::kRiscv0) {
    KernelSource source;
    source.name = "kernels/example.cpp";
    source.text = text;
    source.processor = processor;
    return source;
  }

  static KernelObject compile(const KernelSource& source) {
    auto object = compile_kernel(source);
    EXPECT_TRUE(object.ok()) << object.status();
    return object.ok() ? *std::move(object) : KernelObject{};
  }

  static KernelObject compile_body(const std::string& body) {
    return compile(source("void kernel_main() {" + body + "}"));
  }

  static bool holds(const KernelObject& object, const std::string& text) {
    const auto* bytes = reinterpret_cast<const char*>(object.bytes.data());
    return std::string(bytes, object.bytes.size()).find(text) != std::string::npos;
  }

  static std::string error_of(const KernelSource& source) {
    const auto object = compile_kernel(source);
    if (object.ok()) return "no error";
    EXPECT_EQ(object.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(object.status().message());
  }

  static std::string error_of(const std::string& text) { return error_of(source(text)); }

  std::vector<fs::path> cached() const {
    const fs::path kernels = folder_ / "cache" / "kernels";
    if (!fs::exists(kernels)) return {};
    return {fs::directory_iterator(kernels), {}};
  }

  // What the compiler has made for many kernels, by the ending of the files' names.
  std::vector<fs::path> compiled_once(const std::string& ending) const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / "cache")) {
      if (entry.path().extension() == ending) found.push_back(entry.path());
    }
    return found;
  }

  // Makes a shell script the clang that compiles.
  void use_clang(const std::string& script) {
    write_text(folder_ / "clang", "#!/bin/sh\n" + script);
    fs::permissions(folder_ / "clang", fs::perms::owner_all);
    setenv("LIGHTMETAL_CLANG", (folder_ / "clang").c_str(), 1);
  }
  // A clang that leaves a mark each time it compiles.
  void use_counting_clang() {
    use_clang("test \"$1\" = --version || echo run >> " + (folder_ / "runs").string() + "\nexec " +
              kLlvmTools + "/clang \"$@\"\n");
  }
  size_t clang_runs() const { return read_text(folder_ / "runs").size() / 4; }

  fs::path folder_;
};

}  // namespace lightmetal::device::cpu
