#pragma once

#include <cstdint>
#include <optional>
#include <tt-metalium/experimental/metal2_host_api/advanced_options.hpp>
#include <tt-metalium/experimental/metal2_host_api/tensor_parameter.hpp>
#include <tt-metalium/face_geometry.hpp>
#include <tt-metalium/tile.hpp>
#include <tt-metalium/tt_backend_api_types.hpp>

namespace tt::tt_metal::experimental {

// A queue of entries between two kernels of a node: a circular buffer, whose index the program
// chooses. It is there on each node of a kernel that binds it (KernelSpec::dfb_bindings), where one
// kernel is its producer and one its consumer, or one kernel both. Several kernels may be producers
// of one specification on different nodes; they are of one kind then. Its memory lasts for a
// launch.
struct DataflowBufferSpec {
  DFBSpecName unique_id = {};
  uint32_t entry_size = 0;   // bytes; positive
  uint32_t num_entries = 0;  // positive

  // What the entries are. Kernels have it as a constant: the format has to be given where a compute
  // kernel binds the buffer; without a tile it is 32x32, and a tile needs a format.
  std::optional<tt::DataFormat> data_format_metadata = std::nullopt;
  std::optional<tt::tt_metal::Tile> tile_format_metadata = std::nullopt;

  // Faces that are no tile's: refused when it is set.
  std::optional<FaceGeometry> unpack_face_geometry_metadata = std::nullopt;

  // The buffer lies in the memory of a tensor, which is in L1 and on each node at least as large.
  std::optional<TensorParamName> borrowed_from = std::nullopt;

  DFBAdvancedOptions advanced_options = {};
};

// A queue between two nodes. There are none here: a ProgramSpec that has one is refused.
struct CrossNodeDataflowBufferSpec {
  using ProducerNode = NodeCoord;
  using ConsumerNode = NodeCoord;
  using ProducerConsumerMap = Table<ProducerNode, ConsumerNode>;

  DataflowBufferSpec dfb_spec = {};
  ProducerConsumerMap producer_consumer_map = {};
};
using RemoteDataflowBufferSpec = CrossNodeDataflowBufferSpec;

}  // namespace tt::tt_metal::experimental
