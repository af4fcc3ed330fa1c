// Kernel objects as a process loads them that confines kernels. They come from files, so they may
// say anything.
#include "device/cpu/kernels/kernel_image.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/round.h"
#include "device/cpu/compiler/compiler.h"
#include "device/cpu/memory/confined_code.h"
#include "device/cpu/memory/mapping.h"
#include "device/cpu/memory/memory_guard.h"
#include "device/kernel_abi/lightmetal_kernel_abi.h"

namespace lightmetal::device::cpu {
namespace {

using ::testing::HasSubstr;
using Object = std::vector<std::byte>;

const Object& compiled() {
  static const Object object = [] {
    KernelSource source;
    source.name = "<string>";
    source.text =
        "int table[3] = {1, 2, 3};\n"
        "int* pointers[2] = {&table[1], &table[2]};\n"
        "extern const char* const texts[2] = {\"one\", \"two\"};\n"
        "void kernel_main() {\n"
        "  *(volatile int*)get_arg_val<uint32_t>(0) = *pointers[1];\n"
        "  *(volatile char*)get_arg_val<uint32_t>(1) = *texts[get_arg_val<uint32_t>(2)];\n"
        "}\n";
    const auto result = compile_kernel(source, {});
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? result->bytes : Object();
  }();
  return object;
}

Elf64_Ehdr& header_of(Object& object) { return *reinterpret_cast<Elf64_Ehdr*>(object.data()); }

Elf64_Phdr& segment_of(Object& object, uint32_t type, uint32_t rights = 0) {
  auto* segment = reinterpret_cast<Elf64_Phdr*>(object.data() + header_of(object).e_phoff);
  while (segment->p_type != type || (segment->p_flags & rights) != rights) ++segment;
  return *segment;
}

// The last entry when it has none with this tag.
Elf64_Dyn& dynamic_entry(Object& object, int64_t tag) {
  auto* entry =
      reinterpret_cast<Elf64_Dyn*>(object.data() + segment_of(object, PT_DYNAMIC).p_offset);
  while (entry->d_tag != tag && entry->d_tag != DT_NULL) ++entry;
  return *entry;
}

// The linker keeps relocations in the first segment, where offsets and addresses are equal.
Elf64_Rela& first_relocation(Object& object) {
  return *reinterpret_cast<Elf64_Rela*>(object.data() + dynamic_entry(object, DT_RELA).d_un.d_ptr);
}

// Whether the system could read there.
bool is_open(const std::byte* memory) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const bool open = write(ends[1], memory, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return open;
}

// Whether the system could write there.
bool can_be_written(std::byte* memory) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  EXPECT_EQ(write(ends[1], "x", 1), 1);
  const bool written = read(ends[0], memory, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return written;
}

// Where the last segment ends.
uint64_t end_of(const Object& object) {
  const auto& header = *reinterpret_cast<const Elf64_Ehdr*>(object.data());
  const auto* segments = reinterpret_cast<const Elf64_Phdr*>(object.data() + header.e_phoff);
  uint64_t end = 0;
  for (int i = 0; i < header.e_phnum; ++i) {
    if (segments[i].p_type == PT_LOAD)
      end = std::max(end, segments[i].p_vaddr + segments[i].p_memsz);
  }
  return end;
}

class KernelImageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(confine_kernels().ok());
    ASSERT_FALSE(compiled().empty());
  }

  static void expect_refused(const Object& object, const std::string& why) {
    const auto image = KernelImage::load(object);
    ASSERT_FALSE(image.ok());
    EXPECT_EQ(image.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(image.status().message()), HasSubstr(why));
  }
};

TEST_F(KernelImageTest, AKernelObjectIsLoadedWhereKernelsAreConfined) {
  const auto image = KernelImage::load(compiled());
  ASSERT_TRUE(image.ok()) << image.status();
  const auto range = confine_kernels();
  const auto entry = reinterpret_cast<uint64_t>((*image)->find(kernel_abi::kEntrySymbol, 1));
  EXPECT_EQ(entry >> 32, *range >> 32);
  EXPECT_GE(entry, (*image)->code_begin());
  EXPECT_LT(entry, (*image)->code_end());
  const void* version = (*image)->find(kernel_abi::kVersionSymbol, sizeof(uint32_t));
  ASSERT_NE(version, nullptr);
  EXPECT_EQ(*static_cast<const uint32_t*>(version), kernel_abi::kVersion);
  EXPECT_EQ((*image)->find("no_such_symbol", 1), nullptr);
}

TEST_F(KernelImageTest, MemoryIsUsedAgain) {
  const uint64_t first = (*KernelImage::load(compiled()))->base();
  for (int i = 0; i < 100; ++i) EXPECT_EQ((*KernelImage::load(compiled()))->base(), first);
}

TEST_F(KernelImageTest, WhatIsNoElfFileIsRefused) {
  expect_refused({}, "no ELF file");
  expect_refused(Object(4096), "no ELF file");
}

TEST_F(KernelImageTest, AnotherMachinesObjectIsRefused) {
  Object object = compiled();
  header_of(object).e_machine = EM_RISCV;
  expect_refused(object, "of this machine");
}

TEST_F(KernelImageTest, CodeThatCanBeWrittenIsRefused) {
  Object object = compiled();
  segment_of(object, PT_LOAD, PF_X).p_flags |= PF_W;
  expect_refused(object, "both written and executed");
}

TEST_F(KernelImageTest, ASegmentLargerThanItsFileIsRefused) {
  Object object = compiled();
  segment_of(object, PT_LOAD).p_filesz = object.size() + 1;
  segment_of(object, PT_LOAD).p_memsz = object.size() + 1;
  expect_refused(object, "larger than it can be");
}

// Code of it would run before the kernel is started, and outside of what catches its faults.
TEST_F(KernelImageTest, AConstructorIsRefused) {
  Object object = compiled();
  ASSERT_EQ(dynamic_entry(object, DT_SYMENT).d_tag, DT_SYMENT);
  dynamic_entry(object, DT_SYMENT).d_tag = DT_INIT;
  expect_refused(object, "which no kernel object needs");
}

TEST_F(KernelImageTest, AnEntryThatNoKernelNeedsIsRefused) {
  for (const int64_t tag : {DT_NEEDED, DT_INIT, DT_FINI, DT_INIT_ARRAY, DT_FINI_ARRAY,
                            DT_PREINIT_ARRAY, DT_TEXTREL, DT_REL, DT_RELR}) {
    Object object = compiled();
    dynamic_entry(object, DT_SYMENT).d_tag = tag;
    expect_refused(object, absl::StrCat("its dynamic section has an entry of type ", tag, ","));
  }
}

#if defined(__aarch64__)
constexpr uint64_t kOfASymbol = R_AARCH64_ABS64;
#else
constexpr uint64_t kOfASymbol = R_X86_64_64;
#endif

struct WrongObject {
  const char* why;
  void (*change)(Object& object);
};

const WrongObject kWrongObjects[] = {
    {"of this machine", [](Object& object) { header_of(object).e_type = ET_EXEC; }},
    {"of this machine", [](Object& object) { header_of(object).e_ident[EI_CLASS] = ELFCLASS32; }},
    {"of this machine", [](Object& object) { header_of(object).e_ident[EI_DATA] = ELFDATA2MSB; }},
    {"its segments are not in it",
     [](Object& object) { header_of(object).e_phoff = object.size() - 8; }},
    {"its segments are not in it",
     [](Object& object) { header_of(object).e_phoff = object.size() + 1; }},
    {"it has variables for each thread",
     [](Object& object) { segment_of(object, PT_GNU_STACK).p_type = PT_TLS; }},
    {"it has no segments to load",
     [](Object& object) { segment_of(object, PT_DYNAMIC).p_type = PT_NULL; }},
    {"two of its segments share a page",
     [](Object& object) { segment_of(object, PT_LOAD, PF_X).p_vaddr = 0; }},
    {"its dynamic section has no end",
     [](Object& object) { segment_of(object, PT_DYNAMIC).p_vaddr = end_of(object) - 8; }},
    {"its relocations are not in it",
     [](Object& object) { dynamic_entry(object, DT_RELA).d_un.d_ptr = end_of(object) - 8; }},
    {"a relocation leaves it",
     [](Object& object) { first_relocation(object).r_offset = end_of(object) - 4; }},
    {"it has a relocation of type 255",
     [](Object& object) { first_relocation(object).r_info = ELF64_R_INFO(0, 255); }},
    // Symbol 0 is that of no section.
    {"it refers to what is not in it",
     [](Object& object) { first_relocation(object).r_info = ELF64_R_INFO(0, kOfASymbol); }},
};

TEST_F(KernelImageTest, AnObjectThatIsWrongInOnePlaceIsRefusedForIt) {
  for (const WrongObject& wrong : kWrongObjects) {
    Object object = compiled();
    wrong.change(object);
    expect_refused(object, wrong.why);
  }
}

// Whole pages become executable, and relocations can write behind the segment.
TEST_F(KernelImageTest, AnInstructionThatGivesRightsIsFoundBehindTheCodeToo) {
  if (!guard_host_memory().ok()) GTEST_SKIP() << "no protection keys that would do";
  const uint64_t base = (*KernelImage::load(compiled()))->base();
  Object object = compiled();
  const Elf64_Phdr& code = segment_of(object, PT_LOAD, PF_X);
  const uint64_t end = round_up(code.p_vaddr + code.p_memsz, page_size());
  ASSERT_LT(code.p_vaddr + code.p_memsz, end - sizeof(uint64_t));
  ASSERT_EQ(dynamic_entry(object, DT_RELA).d_tag, DT_RELA);
  constexpr uint64_t kWrpkru = 0xef010f;
  Elf64_Rela& relocation = first_relocation(object);
  relocation.r_offset = end - sizeof(uint64_t);
  relocation.r_addend = static_cast<int64_t>((kWrpkru << 40) - base);
  expect_refused(object, "wrpkru");
}

TEST_F(KernelImageTest, NoPageOfAnImageCanBeWritten) {
  Object object = compiled();
  const uint64_t gap = round_up(end_of(object), page_size());
  Elf64_Phdr& added = segment_of(object, PT_GNU_STACK);  // it stands behind all to be loaded
  added = {};
  added.p_type = PT_LOAD;
  added.p_flags = PF_R | PF_W;
  added.p_vaddr = gap + page_size();
  added.p_memsz = page_size();
  const auto image = KernelImage::load(object);
  ASSERT_TRUE(image.ok()) << image.status();
  for (uint64_t page = 0; page <= gap + page_size(); page += page_size()) {
    auto* memory = reinterpret_cast<std::byte*>((*image)->base() + page);
    EXPECT_TRUE(is_open(memory)) << page;
    EXPECT_FALSE(can_be_written(memory)) << page;
  }
}

TEST_F(KernelImageTest, APageThatNobodyCanTouchLiesBehindEachImage) {
  for (int i = 0; i < 2; ++i) {  // the second time in memory that was given back
    std::vector<std::byte*> all;
    for (int k = 0; k < 3; ++k) all.push_back(*take_code_memory(3 * page_size()));
    for (std::byte* memory : all) {
      EXPECT_TRUE(is_open(memory + 3 * page_size() - 1));
      EXPECT_FALSE(is_open(memory + 3 * page_size()));
    }
    for (std::byte* memory : all) return_code_memory(memory, 3 * page_size());
  }
}

TEST_F(KernelImageTest, MemoryThatWasGivenBackHoldsZerosTheNextTime) {
  const uint64_t size = 2 * page_size();
  std::byte* const first = *take_code_memory(size);
  std::memset(first, 0xab, size);
  return_code_memory(first, size);
  std::byte* const second = *take_code_memory(size);
  EXPECT_EQ(second, first);  // or this test shows nothing
  EXPECT_TRUE(std::all_of(second, second + size, [](std::byte b) { return b == std::byte{0}; }));
  return_code_memory(second, size);
}

// The system would take a system call there for one from behind the range.
TEST_F(KernelImageTest, NoCodeLiesInTheLastPageOfTheRange) {
  constexpr uint64_t kSize = kConfinedCodeSize / 4;
  std::vector<std::byte*> all;
  absl::StatusOr<std::byte*> memory = take_code_memory(kSize);
  for (; memory.ok(); memory = take_code_memory(kSize)) all.push_back(*memory);
  EXPECT_EQ(memory.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(all.size(), 3u);
  for (std::byte* taken : all) return_code_memory(taken, kSize);
}

TEST_F(KernelImageTest, AnObjectCutAnywhereIsRefusedOrLoads) {
  for (size_t size = 0; size < compiled().size(); size += 7) {
    (void)KernelImage::load(Bytes(compiled()).first(size));
  }
}

TEST_F(KernelImageTest, AnyChangedBytesAreRefusedOrLoad) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 5000; ++i) {
    Object object = compiled();
    // The headers and the dynamic section decide: most changes go there.
    const auto& dynamic = segment_of(object, PT_DYNAMIC);
    const size_t headers = sizeof(Elf64_Ehdr) + 16 * sizeof(Elf64_Phdr);
    const size_t at = i % 3 == 0   ? random() % headers
                      : i % 3 == 1 ? dynamic.p_offset + random() % dynamic.p_filesz
                                   : random() % object.size();
    object[at % object.size()] = static_cast<std::byte>(random());
    const auto image = KernelImage::load(object);
    if (image.ok()) (void)(*image)->find(kernel_abi::kEntrySymbol, 1);
  }
}

}  // namespace
}  // namespace lightmetal::device::cpu
