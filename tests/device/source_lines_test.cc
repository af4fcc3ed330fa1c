// The lines of a kernel object, whose debug information comes from a file and so may say anything.
#include "device/cpu/source_lines/source_lines.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstring>
#include <functional>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "device/cpu/compiler/compiler.h"
#include "device/cpu/source_lines/debug_reader.h"
#include "device/cpu/source_lines/dwarf_names.h"

namespace lightmetal::device::cpu {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Not;

using Object = std::vector<std::byte>;

Elf64_Ehdr& header_of(Object& object) { return *reinterpret_cast<Elf64_Ehdr*>(object.data()); }

char* name_of(Object& object, const Elf64_Shdr& section) {
  const auto* sections =
      reinterpret_cast<const Elf64_Shdr*>(object.data() + header_of(object).e_shoff);
  return reinterpret_cast<char*>(object.data()) + sections[header_of(object).e_shstrndx].sh_offset +
         section.sh_name;
}

Elf64_Shdr& section_of(Object& object, const std::string& name) {
  auto* section = reinterpret_cast<Elf64_Shdr*>(object.data() + header_of(object).e_shoff);
  while (name_of(object, *section) != name) ++section;
  return *section;
}

std::byte* content_of(Object& object, const std::string& name) {
  return object.data() + section_of(object, name).sh_offset;
}

// Zeros as zlib stores them: one literal, then copies of 258 bytes from one byte before.
class DeflatedZeros {
 public:
  explicit DeflatedZeros(uint64_t copies) : size_(1 + 258 * copies) {
    put(0x78, 8), put(0x01, 8);
    put(0b011, 3);  // the last block, with the fixed codes
    put(0b00001100, 8);
    for (uint64_t i = 0; i < copies; ++i) put(0b10100011, 8), put(0, 5);
    put(0, 7), put(0, 7);  // the end, then to a whole byte
    const auto sum = static_cast<uint32_t>(size_ % 65521) << 16 | 1;
    for (const int shift : {24, 16, 8, 0}) bytes_.push_back(std::byte(sum >> shift & 0xff));
  }
  uint64_t size() const { return size_; }
  const Object& bytes() const { return bytes_; }

 private:
  void put(unsigned bits, int count) {
    for (int i = 0; i < count; ++i) {
      pending_ |= (bits >> i & 1) << filled_++;
      if (filled_ < 8) continue;
      bytes_.push_back(std::byte(pending_));
      pending_ = 0, filled_ = 0;
    }
  }

  const uint64_t size_;
  Object bytes_;
  unsigned pending_ = 0;
  int filled_ = 0;
};

void append(Object& object, const void* bytes, size_t size) {
  const auto* begin = static_cast<const std::byte*>(bytes);
  object.insert(object.end(), begin, begin + size);
}

// `name`, a section of zeros, many more than the object has bytes.
Object with_compressed_zeros(Object object, const std::string& name) {
  static const DeflatedZeros zeros(600'000);  // 147 MiB
  const Elf64_Chdr claim{ELFCOMPRESS_ZLIB, 0, zeros.size(), 1};
  object.resize((object.size() + 7) / 8 * 8);
  Elf64_Shdr& section = section_of(object, name);
  section.sh_offset = object.size();
  section.sh_size = sizeof(claim) + zeros.bytes().size();
  section.sh_flags |= SHF_COMPRESSED;
  append(object, &claim, sizeof(claim));
  append(object, zeros.bytes().data(), zeros.bytes().size());
  return object;
}

void replace(Object& object, const std::string& name, const void* content, size_t size) {
  const uint64_t offset = object.size();
  append(object, content, size);
  section_of(object, name).sh_offset = offset;
  section_of(object, name).sh_size = size;
}

uint64_t peak_memory() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<uint64_t>(used.ru_maxrss) << 10;
}

class SourceLinesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    KernelSource source;
    source.name = "<string>";
    source.text = "void kernel_main() {\n  *(volatile int*)get_arg_val<uint32_t>(0) = 1;\n}\n";
    const auto result = compile_kernel(source, {});
    ASSERT_TRUE(result.ok()) << result.status();
    object_ = result->bytes;
    ASSERT_TRUE(has_line(object_));
  }

  // The entry stands somewhere at the beginning of the code.
  bool has_line(const Object& object) {
    const uint64_t code = section_of(object_, ".text").sh_addr;
    for (uint64_t at = code; at < code + 64; ++at) {
      if (find_source_line(object, {at}).has_value()) return true;
    }
    return false;
  }

  // The files that are told of the code.
  std::set<std::string> files_of(const Object& object) {
    std::set<std::string> files;
    const Elf64_Shdr& code = section_of(object_, ".text");
    for (uint64_t at = code.sh_addr; at < code.sh_addr + code.sh_size; ++at) {
      if (const auto line = find_source_line(object, {at})) files.insert(line->file);
    }
    return files;
  }

  void expect_no_line(const std::function<void(Object&)>& change) {
    Object object = object_;
    change(object);
    EXPECT_FALSE(has_line(object));
  }

  Object object_;
};

TEST_F(SourceLinesTest, CompressedDebugInformationIsNotExpanded) {
  const uint64_t before = peak_memory();
  for (const char* name : {".debug_line", ".debug_info"}) {
    EXPECT_FALSE(has_line(with_compressed_zeros(object_, name))) << name;
  }
  EXPECT_LT(peak_memory() - before, 64 << 20);
}

// Whose lines lie in another file, which is not looked for.
TEST_F(SourceLinesTest, TheSkeletonOfAUnitIsNotRead) {
  expect_no_line([](Object& object) { content_of(object, ".debug_info")[6] = std::byte{4}; });
}

TEST_F(SourceLinesTest, WhatIsNotAllThereIsNotRead) {
  expect_no_line([](Object& object) {
    *reinterpret_cast<uint32_t*>(content_of(object, ".debug_info")) += 1 << 20;
  });
  expect_no_line([](Object& object) { section_of(object, ".debug_line").sh_offset = ~0ull; });
  expect_no_line([](Object& object) { section_of(object, ".debug_info").sh_size = 30; });
  expect_no_line([](Object& object) { header_of(object).e_shstrndx = 0xfff0; });
}

// A reader that follows them by calls of its own has no stack for that.
TEST_F(SourceLinesTest, MillionsOfEntriesWithinOneAnotherDoNoHarm) {
  constexpr char kKinds[] =
      "\x01\x11\x01\x11\x01\x12\x07\0\0"  // a unit from one address to another
      "\x02\x1d\x01\0\0";                 // in it inlined calls, which hold others
  Object unit(24 + 400'000, std::byte{2});
  const auto put = [&](size_t at, uint64_t value, size_t size) {
    std::memcpy(unit.data() + at, &value, size);
  };
  put(0, unit.size() - 4, 4), put(4, 5, 2), put(6, 1, 1), put(7, 8, 1), put(8, 0, 4);
  put(12, 1, 1), put(13, 0, 8), put(21, 0x7fffffff, 3);
  expect_no_line([&](Object& object) {
    replace(object, ".debug_info", unit.data(), unit.size());
    replace(object, ".debug_abbrev", kKinds, sizeof(kKinds));
    section_of(object, ".debug_line").sh_size = 0;
  });
}

TEST_F(SourceLinesTest, AKernelOfAnyNameIsTold) {
  for (const std::string name : {"kernel.cc", "lightmetal/mine.cpp", "lightmetal_mine.h"}) {
    KernelSource source;
    source.name = name;
    source.text = "void kernel_main() { *(volatile int*)get_arg_val<uint32_t>(0) = 1; }\n";
    const auto result = compile_kernel(source, {});
    ASSERT_TRUE(result.ok()) << result.status();
    object_ = result->bytes;
    // And not the header that the line calls.
    EXPECT_THAT(files_of(object_), AllOf(Contains(name), Not(Contains("lightmetal/args.h"))));
  }
}

// Otherwise entries of such values could be read for hours.
TEST(DebugCursorTest, AValueOfNoSizeIsAStepToo) {
  for (const uint64_t form : {DW_FORM_flag_present, DW_FORM_implicit_const}) {
    uint64_t steps = 3;
    DebugCursor from({}, 0, steps);
    for (int i = 0; i < 3; ++i) read_debug_value(from, form, 7);
    EXPECT_TRUE(from.ok());
    read_debug_value(from, form, 7);
    EXPECT_FALSE(from.ok());
  }
}

TEST(DebugCursorTest, ATextWithoutEndTakesTheStepsOfOneThatHasIt) {
  const Object endless(6400, std::byte{'x'});
  uint64_t steps = 1000;
  EXPECT_EQ(DebugCursor(endless, 0, steps).text(), "");
  EXPECT_LE(steps, 900u);
}

TEST(DebugCursorTest, WhatNeedsMoreStepsThanAreLeftTakesThemAll) {
  const Object bytes(6400);
  uint64_t steps = 10;
  DebugCursor(bytes, 0, steps).skip(bytes.size());
  EXPECT_EQ(steps, 0u);
}

TEST(DebugLinesTest, ATableOfMoreFilesThanAnyKernelHasIsNotKept) {
  Object table(40'000'000);
  const auto put = [&](size_t at, uint64_t value, size_t size) {
    std::memcpy(table.data() + at, &value, size);
  };
  put(0, table.size() - 4, 4), put(4, 5, 2),
      put(6, 8, 1);  // its size, version 5, addresses of 64 bits
  put(8, table.size() - 12, 4), put(12, 1, 1), put(16, 1, 1), put(17, 1, 1);
  put(18, 1, 1), put(19, DW_LNCT_directory_index, 1), put(20, DW_FORM_data1, 1);
  put(21, 0x08808080, 4);  // 16,777,216 folders
  DebugSections sections;
  sections.line = table;
  uint64_t steps = 20'000'000;
  const uint64_t before = peak_memory();
  const DebugLines lines(sections, 0, 0, steps);
  EXPECT_LT(peak_memory() - before, 16 << 20);
}

TEST_F(SourceLinesTest, AnyAmountOfItTakesLimitedTimeAndMemory) {
  Object object = object_;
  const Elf64_Shdr information = section_of(object, ".debug_info");
  const Object unit(
      object.begin() + static_cast<int64_t>(information.sh_offset),
      object.begin() + static_cast<int64_t>(information.sh_offset + information.sh_size));
  Object many;
  while (many.size() < 64 << 20) append(many, unit.data(), unit.size());
  replace(object, ".debug_info", many.data(), many.size());
  const uint64_t before = peak_memory();
  // All of it would be looked through for each address: for an hour, without a limit.
  std::vector<uint64_t> nowhere(1000);
  std::iota(nowhere.begin(), nowhere.end(), 0xffff'ffff'0000);
  EXPECT_FALSE(find_source_line(object, nowhere).has_value());
  // AddressSanitizer keeps 256 MiB of what was given back.
  EXPECT_LT(peak_memory() - before, uint64_t{LIGHTMETAL_SANITIZED ? 320 : 16} << 20);
}

}  // namespace
}  // namespace lightmetal::device::cpu
