#include "schema/kernel_elf.h"

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

// Copies what lies at `offset` of `from` to the same place, as long as `from` has it.
bool copy(Bytes from, uint64_t offset, uint64_t size, std::vector<std::byte>& to) {
  if (offset > from.size() || size > from.size() - offset) return false;
  if (size == 0) return true;
  to.resize(std::max<size_t>(to.size(), offset + size));
  std::memcpy(to.data() + offset, from.data() + offset, size);
  return true;
}

bool copy_segments(Bytes object, const Elf64_Ehdr& header, std::vector<std::byte>& to) {
  for (uint16_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, object.data() + header.e_phoff + i * sizeof(segment), sizeof(segment));
    if (segment.p_type == PT_LOAD && !copy(object, segment.p_offset, segment.p_filesz, to)) {
      return false;
    }
  }
  return true;
}

bool is_of_path(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || absl::StrContains("/._-+", c);
}

bool is_source_path(absl::string_view path) {
  if (path[0] != '/' || absl::StrContains(path, "//")) return false;
  const size_t dot = path.rfind('.'), folder = path.rfind('/');
  if (dot == path.npos || folder == 0 || dot < folder) return false;
  constexpr absl::string_view kExtensions[] = {"c", "cc", "cpp", "cxx", "h", "hpp", "inl"};
  return std::find(std::begin(kExtensions), std::end(kExtensions), path.substr(dot + 1)) !=
         std::end(kExtensions);
}

}  // namespace

bool names_a_source_path(Bytes object) {
  absl::string_view rest(reinterpret_cast<const char*>(object.data()), object.size());
  while (!rest.empty()) {
    const auto end = std::find_if_not(rest.begin(), rest.end(), is_of_path);
    const auto length = static_cast<size_t>(end - rest.begin());
    if (length != 0 && is_source_path(rest.substr(0, length))) return true;
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
  header.e_shoff = 0;
  header.e_shnum = header.e_shstrndx = 0;
  stripped.resize(std::max(stripped.size(), sizeof(header)));
  std::memcpy(stripped.data(), &header, sizeof(header));
  return stripped;
}

}  // namespace lightmetal::schema
