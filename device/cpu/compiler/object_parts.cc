#include "device/cpu/compiler/object_parts.h"

#include <bit>
#include <cstring>

#include "absl/status/status.h"

namespace lightmetal::device::cpu {
namespace {

using kernel_abi::ObjectParts;

static_assert(std::endian::native == std::endian::little, "ObjectParts is in little endian");

void append(std::vector<std::byte>& out, Bytes bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

}  // namespace

std::vector<std::byte> join_parts(const PartsOfObject& objects) {
  std::vector<std::byte> joined;
  append(joined, objects.whole);
  ObjectParts end;
  std::memcpy(end.magic, kernel_abi::kObjectPartsMagic, sizeof(end.magic));
  for (size_t i = 0; i < objects.parts.size(); ++i) {
    append(joined, objects.parts[i]);
    end.sizes[i] = objects.parts[i].size();
  }
  append(joined, bytes_of(&end, sizeof(end)));
  return joined;
}

absl::StatusOr<std::optional<PartsOfObject>> find_parts(Bytes object) {
  ObjectParts end;
  if (object.size() < sizeof(end)) return std::nullopt;
  std::memcpy(&end, object.data() + object.size() - sizeof(end), sizeof(end));
  if (std::memcmp(end.magic, kernel_abi::kObjectPartsMagic, sizeof(end.magic)) != 0)
    return std::nullopt;
  Bytes rest = object.first(object.size() - sizeof(end));
  PartsOfObject found;
  for (size_t i = found.parts.size(); i-- > 0;) {
    if (end.sizes[i] > rest.size())
      return absl::InvalidArgumentError("the parts of a kernel object are larger than the object");
    found.parts[i] = rest.last(end.sizes[i]);
    rest.remove_suffix(end.sizes[i]);
  }
  found.whole = rest;
  return found;
}

}  // namespace lightmetal::device::cpu
