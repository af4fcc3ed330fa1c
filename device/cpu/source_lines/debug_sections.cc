#include "device/cpu/source_lines/debug_sections.h"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/strings/string_view.h"

namespace lightmetal::device::cpu {
namespace {

template <class Value>
std::optional<Value> record_at(Bytes bytes, uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Value)) return std::nullopt;
  Value value;
  std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}

// Empty for a section that is not all there.
Bytes section_content(Bytes object, const Elf64_Shdr& section) {
  const bool inside = section.sh_type != SHT_NOBITS && section.sh_offset <= object.size() &&
                      section.sh_size <= object.size() - section.sh_offset;
  return inside ? object.subspan(section.sh_offset, section.sh_size) : Bytes();
}

std::optional<std::vector<Elf64_Shdr>> section_headers(Bytes object) {
  const auto header = record_at<Elf64_Ehdr>(object, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
      header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff > object.size() ||
      header->e_shstrndx >= header->e_shnum) {
    return std::nullopt;
  }
  std::vector<Elf64_Shdr> sections;
  for (uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto section = record_at<Elf64_Shdr>(object, header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section || (section->sh_flags & SHF_COMPRESSED) != 0) return std::nullopt;
    sections.push_back(*section);
  }
  // The section with the names of sections comes first, where the caller finds it.
  std::swap(sections.front(), sections[header->e_shstrndx]);
  return sections;
}

absl::string_view name_of(const Elf64_Shdr& section, Bytes names) {
  if (section.sh_name >= names.size()) return "";
  const auto* begin = reinterpret_cast<const char*>(names.data()) + section.sh_name;
  return {begin, strnlen(begin, names.size() - section.sh_name)};
}

}  // namespace

std::optional<DebugSections> debug_sections_of(Bytes object) {
  const auto headers = section_headers(object);
  if (!headers) return std::nullopt;
  const Bytes names = section_content(object, headers->front());
  DebugSections sections;
  const struct {
    absl::string_view name;
    Bytes* content;
  } wanted[] = {{".debug_info", &sections.info},
                {".debug_abbrev", &sections.abbrev},
                {".debug_addr", &sections.addr},
                {".debug_line", &sections.line},
                {".debug_line_str", &sections.line_str},
                {".debug_rnglists", &sections.rnglists},
                {".debug_str", &sections.str}};
  for (const Elf64_Shdr& header : *headers) {
    for (const auto& each : wanted) {
      if (name_of(header, names) == each.name) *each.content = section_content(object, header);
    }
  }
  return sections;
}

}  // namespace lightmetal::device::cpu
