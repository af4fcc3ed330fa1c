// Boards by their names and ids.
#include <algorithm>
#include <cctype>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/boards.hpp>

namespace tt {

const std::unordered_map<BoardType, std::string_view> board_type_canonical_name_map = {
    {BoardType::E75, "e75"},
    {BoardType::E150, "e150"},
    {BoardType::E300, "e300"},
    {BoardType::N150, "n150"},
    {BoardType::N300, "n300"},
    {BoardType::P100, "p100"},
    {BoardType::P150, "p150"},
    {BoardType::P300, "p300"},
    {BoardType::GALAXY, "galaxy"},
    {BoardType::UBB, "ubb"},
    {BoardType::UNKNOWN, "unknown"},
    {BoardType::UBB_BLACKHOLE, "ubb_blackhole"},
    {BoardType::QUASAR_BOARD, "quasar"}};

const std::unordered_map<std::string_view, BoardType> board_type_name_map = [] {
  std::unordered_map<std::string_view, BoardType> types = {
      {"ubb_wormhole", BoardType::UBB_WORMHOLE},
      {"p150a", BoardType::P150},
      {"p150c", BoardType::P150},
      {"p300a", BoardType::P300},
      {"p300c", BoardType::P300}};
  for (const auto& [type, name] : board_type_canonical_name_map) types[name] = type;
  return types;
}();

const std::unordered_map<uint64_t, BoardType> board_upi_map = {
    {0x14, BoardType::N300}, {0x18, BoardType::N150}, {0x35, BoardType::UBB},
    {0x36, BoardType::P100}, {0x40, BoardType::P150}, {0x41, BoardType::P150},
    {0x42, BoardType::P150}, {0x43, BoardType::P100}, {0x44, BoardType::P300},
    {0x45, BoardType::P300}, {0x46, BoardType::P300}, {0x47, BoardType::UBB_BLACKHOLE}};

std::string board_type_to_string(BoardType board_type) {
  const auto name = board_type_canonical_name_map.find(board_type);
  TT_FATAL(name != board_type_canonical_name_map.end(), "{} is no board",
           static_cast<uint32_t>(board_type));
  return std::string(name->second);
}

BoardType board_type_from_string(std::string_view board_type_str) {
  std::string name(board_type_str);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto type = board_type_name_map.find(name);
  return type == board_type_name_map.end() ? BoardType::UNKNOWN : type->second;
}

BoardType get_board_type_from_board_id(uint64_t board_id) {
  const auto type = board_upi_map.find(board_id >> 36 & 0xFFFFF);
  TT_FATAL(type != board_upi_map.end(), "No board has the id {:#x}", board_id);
  return type->second;
}

uint32_t get_number_of_chips_from_board_type(BoardType board_type) {
  switch (board_type) {
    case BoardType::N150:
    case BoardType::P100:
    case BoardType::P150:
    case BoardType::QUASAR_BOARD:
      return 1;
    case BoardType::N300:
    case BoardType::P300:
      return 2;
    case BoardType::UBB:
    case BoardType::UBB_BLACKHOLE:
      return 32;
    default:
      TT_THROW("How many chips a board {} has is not fixed", board_type_to_string(board_type));
  }
}

BlackholeChipType get_blackhole_chip_type(BoardType board_type, uint8_t asic_location) {
  const bool second = board_type == BoardType::P300 && asic_location == 1;
  TT_FATAL(second || asic_location == 0, "A board {} has no chip at {}",
           board_type_to_string(board_type), asic_location);
  switch (board_type) {
    case BoardType::P100:
      return BlackholeChipType::Type1;
    case BoardType::P150:
    case BoardType::P300:
      return second ? BlackholeChipType::Type1 : BlackholeChipType::Type2;
    default:
      TT_THROW("A board {} has no Blackhole chip", board_type_to_string(board_type));
  }
}

std::string dram_training_status_to_str(DramTrainingStatus status) {
  switch (status) {
    case DramTrainingStatus::IN_PROGRESS:
      return "IN_PROGRESS";
    case DramTrainingStatus::FAIL:
      return "FAIL";
    case DramTrainingStatus::SUCCESS:
      return "SUCCESS";
  }
  return "UNKNOWN";
}

}  // namespace tt
