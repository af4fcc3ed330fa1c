#include "capture/mapped_memory.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace lightmetal::capture {
namespace {

// One line of /proc/self/maps that names a file.
struct Mapping {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t offset = 0;
  bool code = false;
  bool shared_and_writable = false;
  absl::string_view path;
};

// "7f0000000000-7f0000010000 r--p 00000000 08:01 1234    /data/weights.bin"
std::optional<Mapping> parse_line(absl::string_view line) {
  Mapping mapping;
  const std::vector<absl::string_view> fields = absl::StrSplit(line, absl::MaxSplits(' ', 5));
  if (fields.size() < 6 || fields[1].size() < 4) return std::nullopt;
  const std::pair<absl::string_view, absl::string_view> range = absl::StrSplit(fields[0], '-');
  if (!absl::SimpleHexAtoi(range.first, &mapping.begin) ||
      !absl::SimpleHexAtoi(range.second, &mapping.end) ||
      !absl::SimpleHexAtoi(fields[2], &mapping.offset)) {
    return std::nullopt;
  }
  mapping.code = fields[1][2] == 'x';
  mapping.shared_and_writable = fields[1][3] == 's' && fields[1][1] == 'w';
  mapping.path = fields[5].substr(std::min(fields[5].find('/'), fields[5].size()));
  // A newline in a path is written as \012. Such a path is not decoded; the program can declare the
  // file.
  if (mapping.path.empty() || absl::EndsWith(mapping.path, " (deleted)") ||
      absl::StrContains(mapping.path, '\\')) {
    return std::nullopt;
  }
  return mapping;
}

std::vector<Mapping> parse(absl::string_view maps) {
  std::vector<Mapping> mappings;
  for (const absl::string_view line : absl::StrSplit(maps, '\n')) {
    if (const auto mapping = parse_line(line); mapping.has_value()) mappings.push_back(*mapping);
  }
  return mappings;
}

bool is_code(const std::vector<Mapping>& mappings, absl::string_view path) {
  for (const Mapping& mapping : mappings) {
    if (mapping.code && mapping.path == path) return true;
  }
  return false;
}

}  // namespace

std::optional<FilePlace> find_mapping(absl::string_view maps, Bytes data) {
  const std::vector<Mapping> mappings = parse(maps);
  const auto begin = reinterpret_cast<uintptr_t>(data.data());
  const uint64_t end = begin + data.size();
  std::optional<FilePlace> place;
  // How far mappings of one file reach that follow one another in memory as in the file.
  uint64_t reached = begin;
  for (const Mapping& mapping : mappings) {
    if (mapping.end <= reached) continue;
    if (mapping.begin > reached || mapping.shared_and_writable) return std::nullopt;
    const uint64_t offset = mapping.offset + (reached - mapping.begin);
    if (!place.has_value()) place = FilePlace{std::string(mapping.path), offset};
    if (mapping.path != place->path || offset != place->offset + (reached - begin)) {
      return std::nullopt;
    }
    reached = mapping.end;
    if (reached >= end) break;
  }
  if (reached < end || !place.has_value() || is_code(mappings, place->path)) return std::nullopt;
  return place;
}

}  // namespace lightmetal::capture
