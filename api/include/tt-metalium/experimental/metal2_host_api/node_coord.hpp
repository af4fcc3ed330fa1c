#pragma once

#include <cstdint>
#include <optional>
#include <tt-metalium/core_coord.hpp>
#include <variant>
#include <vector>

// A node is what the classic API calls a core: a place in the grid, with several processors. Here
// are its names, and those of the functions for cores under which programs of this API call them.
namespace tt::tt_metal::experimental {

using NodeCoord = tt::tt_metal::CoreCoord;
using NodeRange = tt::tt_metal::CoreRange;
using NodeRangeSet = tt::tt_metal::CoreRangeSet;

// Nodes, in whichever of the three forms a program names them.
using Nodes = std::variant<NodeCoord, NodeRange, NodeRangeSet>;

// These work as the functions of <tt-metalium/core_coord.hpp> of the corresponding names.
inline std::vector<NodeCoord> grid_to_nodes(uint32_t num_nodes, uint32_t grid_size_x,
                                            uint32_t grid_size_y, bool row_wise = false) {
  return grid_to_cores(num_nodes, grid_size_x, grid_size_y, row_wise);
}
inline std::vector<NodeCoord> grid_to_nodes(NodeCoord start, NodeCoord end, bool row_wise = false) {
  return grid_to_cores(start, end, row_wise);
}
inline std::vector<NodeCoord> grid_to_nodes_with_noop(uint32_t bbox_x, uint32_t bbox_y,
                                                      uint32_t grid_size_x, uint32_t grid_size_y,
                                                      bool row_wise = false) {
  return grid_to_cores_with_noop(bbox_x, bbox_y, grid_size_x, grid_size_y, row_wise);
}
inline std::vector<NodeCoord> grid_to_nodes_with_noop(const NodeRangeSet& used_nodes,
                                                      const NodeRangeSet& all_nodes,
                                                      bool row_wise = false) {
  return grid_to_cores_with_noop(used_nodes, all_nodes, row_wise);
}
inline std::vector<NodeCoord> node_range_to_nodes(const NodeRangeSet& node_ranges,
                                                  std::optional<uint32_t> max_nodes = std::nullopt,
                                                  bool row_wise = false) {
  return corerange_to_cores(node_ranges, max_nodes, row_wise);
}
inline NodeRangeSet select_from_node_range_set(const NodeRangeSet& node_ranges,
                                               uint32_t start_index, uint32_t end_index,
                                               bool row_wise = false) {
  return select_from_corerangeset(node_ranges, start_index, end_index, row_wise);
}
inline std::optional<NodeRange> select_contiguous_range_from_node_range_set(
    const NodeRangeSet& node_ranges, uint32_t x, uint32_t y) {
  return select_contiguous_range_from_corerangeset(node_ranges, x, y);
}

}  // namespace tt::tt_metal::experimental
