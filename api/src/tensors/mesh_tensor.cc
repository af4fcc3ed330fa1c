#include <tt-metalium/assert.hpp>
#include <tt-metalium/tensor/mesh_tensor.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>
#include <utility>

#include "api/src/tensors/element_size.h"

namespace tt::tt_metal {
namespace {

// A buffer that was made without the distribution is in the same shards by its ShardSpecBuffer.
bool is_in_shards(const Buffer& buffer, const BufferShardingArgs& sharding) {
  if (buffer.given_sharding() == sharding) return true;
  return !buffer.buffer_distribution_spec().has_value() && sharding.shard_spec().has_value() &&
         buffer.buffer_layout() == sharding.buffer_layout() &&
         buffer.given_sharding().shard_spec() == sharding.shard_spec();
}

void check_holds(const Buffer& buffer, const TensorSpec& spec) {
  TT_FATAL(buffer.is_allocated(), "The buffer of a tensor must be allocated: {} is not",
           buffer.unique_id());
  TT_FATAL(buffer.size() == spec.compute_packed_buffer_size_bytes() &&
               buffer.page_size() == spec.compute_page_size_bytes(),
           "A tensor of {} takes {} B in pages of {} B, but its buffer has {} B in pages of {} B",
           spec.logical_shape(), spec.compute_packed_buffer_size_bytes(),
           spec.compute_page_size_bytes(), buffer.size(), buffer.page_size());
  TT_FATAL(buffer.buffer_type() == spec.memory_config().buffer_type() &&
               is_in_shards(buffer, spec.compute_buffer_sharding_args()),
           "A tensor with {} does not lie in a {} buffer in {}, or not in these shards",
           spec.memory_config(), buffer.buffer_layout(), buffer.buffer_type());
}

}  // namespace

MeshTensor::MeshTensor(std::unique_ptr<distributed::MeshBuffer> buffer, TensorSpec spec)
    : buffer_(std::move(buffer)), spec_(std::move(spec)) {}

MeshTensor MeshTensor::allocate_on_device(distributed::MeshDevice& mesh_device, TensorSpec spec) {
  const auto buffer = distributed::MeshBuffer::create(
      distributed::ReplicatedBufferConfig{.size = spec.compute_packed_buffer_size_bytes()},
      {.page_size = spec.compute_page_size_bytes(),
       .buffer_type = spec.memory_config().buffer_type(),
       .sharding_args = spec.compute_buffer_sharding_args()},
      &mesh_device);
  return from_buffer(std::move(*buffer), std::move(spec));
}

MeshTensor MeshTensor::from_buffer(distributed::MeshBuffer mesh_buffer, TensorSpec spec) {
  TT_FATAL(mesh_buffer.global_layout() == distributed::MeshBufferLayout::REPLICATED,
           "The buffer of a tensor must be replicated, not a matrix that devices share");
  check_holds(*mesh_buffer.get_reference_buffer(), spec);
  return MeshTensor(std::make_unique<distributed::MeshBuffer>(std::move(mesh_buffer)),
                    std::move(spec));
}

const distributed::MeshBuffer& MeshTensor::mesh_buffer() const {
  TT_FATAL(buffer_ != nullptr, "The mesh tensor was moved from");
  return *buffer_;
}

distributed::MeshDevice& MeshTensor::mutable_device() const { return *mesh_buffer().device(); }

const TensorSpec& MeshTensor::tensor_spec() const {
  mesh_buffer();  // throws for one that was moved from
  return spec_;
}

std::size_t MeshTensor::element_size() const { return tensors::element_size(dtype()); }

TensorAccessorArgs::TensorAccessorArgs(const MeshTensor& tensor,
                                       tensor_accessor::ArgConfig args_config)
    : TensorAccessorArgs(tensor.mesh_buffer(), args_config) {}

}  // namespace tt::tt_metal
