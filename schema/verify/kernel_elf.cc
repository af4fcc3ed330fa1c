#include "schema/verify/kernel_elf.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace lightmetal::schema {
namespace {

bool is_supported(const Elf64_Ehdr& header) {
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB &&
         header.e_phentsize == sizeof(Elf64_Phdr);
}

// Copies what lies at `offset` of `from` to the same place of `to`. Returns false, for a hostile
// header, when `from` does not have all of it.
bool copy(Bytes from, uint64_t offset, uint64_t size, std::vector<std::byte>& to) {
  if (offset > from.size() || size > from.size() - offset) return false;
  if (size == 0) return true;
  to.resize(std::max<size_t>(to.size(), offset + size));
  std::memcpy(to.data() + offset, from.data() + offset, size);
  return true;
}

// Returns false, too, when the segments are larger together than the object: each of a hostile
// object's 65535 headers could name all of it. REQUIRES: the program headers lie in the object.
bool copy_segments(Bytes object, const Elf64_Ehdr& header, std::vector<std::byte>& to) {
  uint64_t left = object.size();
  for (uint16_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, object.data() + header.e_phoff + i * sizeof(segment), sizeof(segment));
    if (segment.p_type != PT_LOAD) continue;
    if (segment.p_filesz > left || !copy(object, segment.p_offset, segment.p_filesz, to)) {
      return false;
    }
    left -= segment.p_filesz;
  }
  return true;
}

// A character of a text that may hold a path: folders have spaces and letters of all languages in
// their names.
bool is_of_text(char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; }

bool is_of_word(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || absl::StrContains("_-/", c);
}

bool begins_with_extension(absl::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_of_word);
  constexpr absl::string_view kExtensions[] = {"c", "cc", "cpp", "cxx", "h", "hpp", "inl"};
  return std::find(std::begin(kExtensions), std::end(kExtensions),
                   text.substr(0, static_cast<size_t>(end - text.begin()))) !=
         std::end(kExtensions);
}

// Whether a path begins with the slash: not in "and/or", but in "-I/home".
bool begins_path(absl::string_view text, size_t slash) {
  return slash == 0 || !is_of_word(text[slash - 1]) || (slash > 1 && text[slash - 2] == '-');
}

// Whether the text has an absolute path, below some folder, of a source. Two slashes in a row
// belong to an address or a comment, not to a path.
bool has_source_path(absl::string_view text) {
  size_t start = text.npos, folder = text.npos;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '/') {
      if (i > 0 && text[i - 1] == '/') {
        start = text.npos;
      } else if (start == text.npos && begins_path(text, i)) {
        start = i;
      }
      folder = i;
    } else if (text[i] == '.' && start != folder && start != text.npos) {
      if (begins_with_extension(text.substr(i + 1))) return true;
    }
  }
  return false;
}

// Whether `count` records of `size` bytes from `offset` on lie in the object. They are few and
// small, so that nothing overflows.
bool has_records(Bytes object, uint64_t offset, uint16_t count, uint16_t size) {
  return offset <= object.size() && uint64_t{count} * size <= object.size() - offset;
}

}  // namespace

absl::Status check_kernel_object(Bytes object) {
  Elf64_Ehdr header;
  if (object.size() < sizeof(header))
    return absl::InvalidArgumentError("it ends within the header of a kernel object");
  std::memcpy(&header, object.data(), sizeof(header));
  if (!is_supported(header))
    return absl::InvalidArgumentError("it is an ELF file, but no 64-bit kernel object");
  std::vector<std::byte> ignored;
  if (!has_records(object, header.e_shoff, header.e_shnum, header.e_shentsize) ||
      !has_records(object, header.e_phoff, header.e_phnum, sizeof(Elf64_Phdr)) ||
      !copy_segments(object, header, ignored)) {
    return absl::InvalidArgumentError(
        "it is a kernel object that is cut or damaged: it lacks parts that its headers name");
  }
  return absl::OkStatus();
}

bool names_a_source_path(Bytes object) {
  absl::string_view rest(reinterpret_cast<const char*>(object.data()), object.size());
  while (!rest.empty()) {
    const auto end = std::find_if_not(rest.begin(), rest.end(), is_of_text);
    const auto length = static_cast<size_t>(end - rest.begin());
    if (has_source_path(rest.substr(0, length))) return true;
    rest.remove_prefix(std::min(rest.size(), length + 1));
  }
  return false;
}

std::optional<std::vector<std::byte>> without_debug_information(Bytes object) {
  Elf64_Ehdr header;
  if (object.size() < sizeof(header)) return std::nullopt;
  std::memcpy(&header, object.data(), sizeof(header));
  std::vector<std::byte> stripped;
  if (!is_supported(header) ||
      !copy(object, header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr), stripped) ||
      !copy_segments(object, header, stripped)) {
    return std::nullopt;
  }
  // The section table is gone, so the header must not lead a reader to where it was.
  header.e_shoff = 0;
  header.e_shnum = header.e_shstrndx = 0;
  stripped.resize(std::max(stripped.size(), sizeof(header)));
  std::memcpy(stripped.data(), &header, sizeof(header));
  return stripped;
}

}  // namespace lightmetal::schema
