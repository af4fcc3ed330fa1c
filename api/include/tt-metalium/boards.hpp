#pragma once

#include <fmt/format.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <tt-metalium/core_types.hpp>  // IWYU pragma: export
#include <unordered_map>

// Boards and chips, by the names of upstream's driver.

namespace tt {

enum BoardType : uint32_t {
  E75 = 0,
  E150 = 1,
  E300 = 2,
  N150 = 3,
  N300 = 4,
  P100 = 5,
  P150 = 6,
  P300 = 7,
  GALAXY = 8,
  UBB = 9,
  UBB_WORMHOLE = UBB,
  UBB_BLACKHOLE = 10,
  QUASAR_BOARD = 11,
  UNKNOWN = 12,
};

// Where a chip is in a cluster of boards.
struct EthCoord {
  int cluster_id = 0;
  int x = 0;
  int y = 0;
  int rack = 0;
  int shelf = 0;

  friend constexpr auto operator<=>(const EthCoord&, const EthCoord&) = default;
};
using eth_coord_t = EthCoord;

// A bit for each part of a chip that is switched off. No chip here has such parts.
struct HarvestingMasks {
  std::size_t tensix_harvesting_mask = 0;
  std::size_t dram_harvesting_mask = 0;
  std::size_t eth_harvesting_mask = 0;
  std::size_t pcie_harvesting_mask = 0;
  std::size_t l2cpu_harvesting_mask = 0;

  friend constexpr bool operator==(const HarvestingMasks&, const HarvestingMasks&) = default;
  friend constexpr HarvestingMasks operator|(const HarvestingMasks& a, const HarvestingMasks& b) {
    return {a.tensix_harvesting_mask | b.tensix_harvesting_mask,
            a.dram_harvesting_mask | b.dram_harvesting_mask,
            a.eth_harvesting_mask | b.eth_harvesting_mask,
            a.pcie_harvesting_mask | b.pcie_harvesting_mask,
            a.l2cpu_harvesting_mask | b.l2cpu_harvesting_mask};
  }
};

struct ChipUID {
  uint64_t board_id = 0;
  uint8_t asic_location = 0;

  friend constexpr auto operator<=>(const ChipUID&, const ChipUID&) = default;
};

struct ChipInfo {
  bool noc_translation_enabled = false;
  HarvestingMasks harvesting_masks;
  BoardType board_type = BoardType::UNKNOWN;
  uint64_t board_id = 0;
  uint8_t asic_location = 0;
  ChipUID chip_uid;
};

enum BlackholeChipType : uint32_t { Type1, Type2 };

enum class DramTrainingStatus : uint8_t { IN_PROGRESS = 0, FAIL = 1, SUCCESS = 2 };

std::string dram_training_status_to_str(DramTrainingStatus status);

// Boards by their names in lower case, and the reverse with one name for each board.
extern const std::unordered_map<std::string_view, BoardType> board_type_name_map;
extern const std::unordered_map<BoardType, std::string_view> board_type_canonical_name_map;
// Boards by bits 36 to 55 of their ids.
extern const std::unordered_map<uint64_t, BoardType> board_upi_map;

// Throws std::runtime_error if `board_type` is no board.
std::string board_type_to_string(BoardType board_type);
// Compares letters, whatever their case. UNKNOWN for other names.
BoardType board_type_from_string(std::string_view board_type_str);
// Throws std::runtime_error if no board has such an id.
BoardType get_board_type_from_board_id(uint64_t board_id);
// Throws std::runtime_error for boards whose number of chips is not fixed.
uint32_t get_number_of_chips_from_board_type(BoardType board_type);
// Throws std::runtime_error if the board has no Blackhole chip at `asic_location`.
BlackholeChipType get_blackhole_chip_type(BoardType board_type, uint8_t asic_location);

namespace umd {

using tt::BlackholeChipType;
using tt::board_type_canonical_name_map;
using tt::board_type_from_string;
using tt::board_type_name_map;
using tt::board_type_to_string;
using tt::board_upi_map;
using tt::BoardType;
using tt::ChipInfo;
using tt::ChipUID;
using tt::DramTrainingStatus;
using tt::eth_coord_t;
using tt::get_blackhole_chip_type;
using tt::get_board_type_from_board_id;
using tt::get_number_of_chips_from_board_type;
using tt::HarvestingMasks;

}  // namespace umd
}  // namespace tt

using tt::BlackholeChipType;
using tt::board_type_to_string;
using tt::BoardType;
using tt::ChipInfo;
using tt::ChipUID;
using tt::DramTrainingStatus;
using tt::eth_coord_t;
using tt::get_blackhole_chip_type;
using tt::get_board_type_from_board_id;
using tt::get_number_of_chips_from_board_type;

template <>
struct std::hash<tt::EthCoord> {
  std::size_t operator()(const tt::EthCoord& coord) const noexcept {
    std::size_t hash = 0;
    for (const int part : {coord.cluster_id, coord.x, coord.y, coord.rack, coord.shelf})
      hash = hash * 0x9E3779B97F4A7C15ull + static_cast<std::size_t>(part);
    return hash;
  }
};

template <>
struct fmt::formatter<tt::EthCoord> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(const tt::EthCoord& coord, Context& context) const {
    return fmt::format_to(context.out(), "({}, {}, {}, {}, {})", coord.cluster_id, coord.x, coord.y,
                          coord.rack, coord.shelf);
  }
};
