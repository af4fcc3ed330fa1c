// A device loads the kernel objects of some versions of the kernel ABI.
#include "device/cpu/kernels/kernel_loader.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "device/cpu/compiler/compiler.h"
#include "device/cpu/memory/confined_code.h"
#include "device/kernel_abi/lightmetal_kernel_abi.h"

namespace lightmetal::device::cpu {
namespace {

using ::testing::HasSubstr;

KernelObject an_object() {
  KernelSource source;
  source.name = "<string>";
  source.text = "void kernel_main() {}\n";
  auto object = compile_kernel(source, {});
  EXPECT_TRUE(object.ok()) << object.status();
  return *std::move(object);
}

template <class T>
const T* at(const KernelObject& object, uint64_t offset) {
  return reinterpret_cast<const T*>(object.bytes.data() + offset);
}

// The offset in the object of a byte of its memory.
uint64_t offset_of(const KernelObject& object, uint64_t address) {
  const auto* segment = at<Elf64_Phdr>(object, at<Elf64_Ehdr>(object, 0)->e_phoff);
  while (segment->p_type != PT_LOAD || address - segment->p_vaddr >= segment->p_filesz) ++segment;
  return segment->p_offset + address - segment->p_vaddr;
}

uint64_t value_of(const KernelObject& object, int64_t tag) {
  const auto* segment = at<Elf64_Phdr>(object, at<Elf64_Ehdr>(object, 0)->e_phoff);
  while (segment->p_type != PT_DYNAMIC) ++segment;
  const auto* entry = at<Elf64_Dyn>(object, segment->p_offset);
  while (entry->d_tag != tag) ++entry;
  return entry->d_un.d_ptr;
}

const Elf64_Sym& symbol_of(const KernelObject& object, const std::string& name) {
  const auto* symbol = at<Elf64_Sym>(object, offset_of(object, value_of(object, DT_SYMTAB)));
  const auto* names = at<char>(object, offset_of(object, value_of(object, DT_STRTAB)));
  while (names + symbol->st_name != name) ++symbol;
  return *symbol;
}

// The object as a toolchain of another version of the kernel ABI would have made it.
KernelObject with_version(KernelObject object, uint32_t version) {
  const uint64_t address = symbol_of(object, kernel_abi::kVersionSymbol).st_value;
  std::memcpy(object.bytes.data() + offset_of(object, address), &version, sizeof(version));
  return object;
}

// The object with another name of the symbol.
KernelObject without_symbol(KernelObject object, const char* name) {
  const uint64_t address = value_of(object, DT_STRTAB) + symbol_of(object, name).st_name;
  object.bytes[offset_of(object, address)] = std::byte{'X'};
  return object;
}

// Once by the system's loader, and once where kernels are confined.
class KernelLoaderTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (GetParam()) ASSERT_TRUE(confine_kernels().ok());
  }

  KernelLoader loader_{Architecture::kWormhole};
};

TEST_P(KernelLoaderTest, VersionsFromTheOldestToItsOwnAreLoaded) {
  const KernelObject object = an_object();
  for (uint32_t version = kernel_abi::kOldestVersion; version <= kernel_abi::kVersion; ++version) {
    const auto kernel = loader_.load(with_version(object, version), "one");
    ASSERT_TRUE(kernel.ok()) << kernel.status();
    EXPECT_EQ((*kernel)->version(), version);
  }
  for (const uint32_t version : {kernel_abi::kOldestVersion - 1, kernel_abi::kVersion + 1}) {
    const auto kernel = loader_.load(with_version(object, version), "one");
    EXPECT_EQ(kernel.status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(
        std::string(kernel.status().message()),
        HasSubstr(absl::StrCat("has kernel ABI version ", version, "; this device runs versions ",
                               kernel_abi::kOldestVersion, " to ", kernel_abi::kVersion)));
  }
}

TEST_P(KernelLoaderTest, AnObjectWithoutAnEntryOrAVersionIsRefused) {
  for (const char* symbol : {kernel_abi::kEntrySymbol, kernel_abi::kVersionSymbol}) {
    const auto kernel = loader_.load(without_symbol(an_object(), symbol), "one");
    EXPECT_EQ(kernel.status(), absl::InvalidArgumentError(
                                   "kernel one: not a kernel object: it has no kernel entry"));
  }
}

INSTANTIATE_TEST_SUITE_P(Loaders, KernelLoaderTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Confined" : "TheSystems"; });

}  // namespace
}  // namespace lightmetal::device::cpu
