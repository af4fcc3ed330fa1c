#include "schema/storage/room.h"

#include <algorithm>
#include <cstddef>

namespace lightmetal::schema {

uint64_t room_at_end(Bytes file, uint64_t end) {
  if (end > file.size() || file.size() - end > kMostRoom) return 0;
  const Bytes rest = file.subspan(end);
  const auto is_used = [](std::byte byte) { return byte != std::byte{0}; };
  const Bytes word = rest.first(std::min(rest.size(), sizeof(uint64_t)));
  if (std::any_of(word.begin(), word.end(), is_used)) return 0;
  return static_cast<uint64_t>(std::find_if(rest.rbegin(), rest.rend(), is_used) - rest.rbegin());
}

}  // namespace lightmetal::schema
