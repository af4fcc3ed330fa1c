// Cores by the names of upstream's driver, as text.
#include <magic_enum/magic_enum.hpp>
#include <tt-metalium/core_coordinates.hpp>

namespace tt {
namespace {

template <typename Enum>
std::string name_or_unknown(Enum value) {
  const std::string_view name = magic_enum::enum_name(value);
  return name.empty() ? "UNKNOWN" : std::string(name);
}

}  // namespace

std::string to_str(CoreType core_type) { return name_or_unknown(core_type); }
std::string to_str(CoordSystem coord_system) { return name_or_unknown(coord_system); }

char type_shorthand(CoreType type) {
  switch (type) {
    case CoreType::ARC:
      return 'a';
    case CoreType::DRAM:
      return 'd';
    case CoreType::ACTIVE_ETH:
    case CoreType::IDLE_ETH:
    case CoreType::ETH:
      return 'e';
    case CoreType::PCIE:
      return 'p';
    case CoreType::TENSIX:
    case CoreType::WORKER:
      return 't';
    case CoreType::ROUTER_ONLY:
      return 'r';
    case CoreType::SECURITY:
      return 's';
    case CoreType::L2CPU:
      return 'l';
    case CoreType::UNSPECIFIED:
      return '\0';
    default:
      return '?';
  }
}

namespace umd {

std::string CoreCoord::str() const {
  if (coord_system == CoordSystem::LITERAL) return tt_xy_pair::str();
  std::string letter(1, type_shorthand(core_type));
  if (letter == std::string(1, '\0')) letter.clear();
  return fmt::format("{}{}-{} ({})", letter, x, y, to_str(coord_system));
}

}  // namespace umd
}  // namespace tt
