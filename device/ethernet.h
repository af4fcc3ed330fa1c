#pragma once

#include <cstdint>
#include <optional>

// How the Ethernet cores of the chips are wired. The wiring is the same on every machine, so a
// program whose capture holds the answers finds the same wires where it is replayed. A wire carries
// data while both its chips are open in one process.
//
// Eight chips form a torus of two rows: 0 1 2 3 above 4 5 6 7. Each chip has two wires to each
// neighbour: cores 0 and 1 lead to the next chip of the row (the last one's to the first), where
// they end at cores 2 and 3; cores 4 and 5 lead to cores 4 and 5 of the chip in the other row.
// Further cores have no wire.
namespace lightmetal::device {

inline constexpr int kWiredChips = 8;
inline constexpr uint32_t kWiredCores = 6;  // of each chip, from its first Ethernet core on

struct EthernetEnd {
  int chip = 0;
  uint32_t core = 0;  // the Ethernet core with logical coordinate (0, core)

  friend bool operator==(const EthernetEnd&, const EthernetEnd&) = default;
};

// The other end of the wire that begins at `end`; none when that core has no wire.
constexpr std::optional<EthernetEnd> other_ethernet_end(const EthernetEnd& end) {
  constexpr int kColumns = kWiredChips / 2;
  if (end.chip < 0 || end.chip >= kWiredChips || end.core >= kWiredCores) return std::nullopt;
  const int row = end.chip / kColumns * kColumns;
  const int column = end.chip % kColumns;
  if (end.core < 2) return EthernetEnd{row + (column + 1) % kColumns, end.core + 2};
  if (end.core < 4) return EthernetEnd{row + (column + kColumns - 1) % kColumns, end.core - 2};
  return EthernetEnd{(end.chip + kColumns) % kWiredChips, end.core};
}

}  // namespace lightmetal::device
