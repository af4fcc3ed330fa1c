// How tensors get to a mesh and back: the members of MeshCommandQueue that know of them. A device's
// part of a tensor is written and read as any buffer is, and so recorded.
#include <tt-metalium/assert.hpp>
#include <tt-metalium/detail/payload.hpp>
#include <tt-metalium/mesh_command_queue.hpp>
#include <tt-metalium/tensor/host_tensor.hpp>
#include <tt-metalium/tensor/mesh_tensor.hpp>
#include <tt-metalium/tensor/tensor_apis.hpp>
#include <type_traits>
#include <utility>
#include <vector>

#include "api/src/tensors/tensor_codec.h"

namespace tt::tt_metal::distributed {
namespace {

using tt_metal::detail::PayloadType;

// Packed block floats are bytes to the file.
PayloadType payload_type_of_tensor(DataType dtype) {
  if (is_block_float(dtype)) return PayloadType::Bytes;
  return tensors::with_element_type(dtype, []<typename T>(std::type_identity<T>) {
    return tt_metal::detail::payload_type_of<T>;
  });
}

// The part of `buffer` at that place, which must be as large as what is there on the host.
Buffer& part_at(const MeshBuffer& buffer, const MeshCoordinate& coord, const HostBuffer& host) {
  Buffer& part = *buffer.get_device_buffer(coord);
  TT_FATAL(host.view_bytes().size() == part.size(),
           "The host buffer for {} has {} B, but that part of the mesh buffer {} B", coord,
           host.view_bytes().size(), part.size());
  return part;
}

void write_part(MeshCommandQueue& queue, const MeshBuffer& buffer, const MeshCoordinate& coord,
                const HostBuffer& host, PayloadType type, bool blocking) {
  Buffer& part = part_at(buffer, coord, host);
  const auto bytes = host.view_bytes();
  if (bytes.empty()) return;
  tt_metal::detail::enqueue_write_buffer(queue.device_queue(part), part, bytes.data(), bytes.size(),
                                         type, blocking);
}

void read_part(MeshCommandQueue& queue, const MeshBuffer& buffer, const MeshCoordinate& coord,
               HostBuffer host, PayloadType type, bool blocking) {
  Buffer& part = part_at(buffer, coord, host);
  const auto bytes = host.view_bytes();
  if (bytes.empty()) return;
  tt_metal::detail::enqueue_read_buffer(queue.device_queue(part), part, bytes.data(), type,
                                        blocking);
}

void check_mesh(const MeshCommandQueue& queue, const MeshShape& shape) {
  TT_FATAL(shape == queue.device()->shape(), "Shards for a mesh of {} do not fit a mesh of {}",
           shape, queue.device()->shape());
}

void write_shards(MeshCommandQueue& queue, const MeshBuffer& buffer,
                  const DistributedHostBuffer& host, PayloadType type, bool blocking) {
  check_mesh(queue, host.shape());
  for (const MeshCoordinate& coord : host.shard_coords()) {
    write_part(queue, buffer, coord, *host.get_shard(coord), type, blocking);
  }
}

// Throws unless both are the same tensor, wherever it lies.
void check_same_tensor(const TensorSpec& host, const TensorSpec& device) {
  TT_FATAL(host.logical_shape() == device.logical_shape() &&
               host.data_type() == device.data_type() && host.page_config() == device.page_config(),
           "A tensor of {} and {} in {} layout on the host is not one of {} and {} in {} layout on "
           "the device",
           host.logical_shape(), host.data_type(), host.layout(), device.logical_shape(),
           device.data_type(), device.layout());
}

bool is_padded_alike(const TensorSpec& a, const TensorSpec& b) {
  return a.padded_shape() == b.padded_shape();
}

// The tensor with the padding that the device's has.
HostTensor padded_for(const HostTensor& host, const TensorSpec& device) {
  check_same_tensor(host.tensor_spec(), device);
  if (is_padded_alike(host.tensor_spec(), device)) return host;
  return tensors::with_element_type(host.dtype(), [&]<typename T>(std::type_identity<T>) {
    return to_tensor_spec<T>(host, device);
  });
}

}  // namespace

void MeshCommandQueue::enqueue_write(const std::shared_ptr<MeshBuffer>& mesh_buffer,
                                     const DistributedHostBuffer& host_buffer, bool blocking) {
  write_shards(*this, internal::not_null(mesh_buffer), host_buffer, PayloadType::Bytes, blocking);
}

void MeshCommandQueue::enqueue_read(const std::shared_ptr<MeshBuffer>& mesh_buffer,
                                    DistributedHostBuffer& host_buffer,
                                    const std::optional<std::unordered_set<MeshCoordinate>>& shards,
                                    bool blocking) {
  const MeshBuffer& read = internal::not_null(mesh_buffer);
  check_mesh(*this, host_buffer.shape());
  for (const MeshCoordinate& coord : host_buffer.shard_coords()) {
    if (shards.has_value() && !shards->contains(coord)) continue;
    read_part(*this, read, coord, *host_buffer.get_shard(coord), PayloadType::Bytes, blocking);
  }
}

void MeshCommandQueue::enqueue_write_tensor(const HostTensor& host_tensor,
                                            MeshTensor& device_tensor) {
  const HostTensor written = padded_for(host_tensor, device_tensor.tensor_spec());
  const PayloadType type = payload_type_of_tensor(written.dtype());
  const MeshBuffer& buffer = device_tensor.mesh_buffer();
  if (written.buffer().shape().mesh_size() != 1) {
    write_shards(*this, buffer, written.buffer(), type, /*blocking=*/false);
    return;
  }
  const HostBuffer only = host_buffer::get_host_buffer(written);
  for (const MeshCoordinate& coord : MeshCoordinateRange(device()->shape())) {
    write_part(*this, buffer, coord, only, type, /*blocking=*/false);
  }
}

MeshTensor MeshCommandQueue::enqueue_write_tensor(const HostTensor& host_tensor,
                                                  const MemoryConfig& memory_config) {
  const TensorSpec& spec = host_tensor.tensor_spec();
  const TensorLayout layout(spec.data_type(), spec.page_config(), memory_config);
  MeshTensor result =
      MeshTensor::allocate_on_device(*device(), TensorSpec(spec.logical_shape(), layout));
  enqueue_write_tensor(host_tensor, result);
  return result;
}

MeshTensor MeshCommandQueue::enqueue_write_tensor(const HostTensor& host_tensor) {
  MeshTensor result = MeshTensor::allocate_on_device(*device(), host_tensor.tensor_spec());
  enqueue_write_tensor(host_tensor, result);
  return result;
}

void MeshCommandQueue::enqueue_read_tensor(const MeshTensor& device_tensor, HostTensor& host_tensor,
                                           bool blocking) {
  const TensorSpec& spec = device_tensor.tensor_spec();
  check_same_tensor(host_tensor.tensor_spec(), spec);
  TT_FATAL(is_padded_alike(host_tensor.tensor_spec(), spec),
           "A tensor that is padded to {} is not read into one that is padded to {}",
           spec.padded_shape(), host_tensor.padded_shape());
  const DistributedHostBuffer& host = host_tensor.buffer();
  check_mesh(*this, host.shape());
  const PayloadType type = payload_type_of_tensor(spec.data_type());
  for (const MeshCoordinate& coord : host.shard_coords()) {
    read_part(*this, device_tensor.mesh_buffer(), coord, *host.get_shard(coord), type, blocking);
  }
}

HostTensor MeshCommandQueue::enqueue_read_tensor(const MeshTensor& device_tensor, bool blocking) {
  const TensorSpec& spec = device_tensor.tensor_spec();
  auto buffer = DistributedHostBuffer::create(device()->shape());
  for (const MeshCoordinate& coord : MeshCoordinateRange(device()->shape())) {
    buffer.emplace_shard(coord, [&] {
      return host_buffer::get_host_buffer(HostTensor::allocate_for_overwrite(spec));
    });
  }
  HostTensor result = HostTensor::from_buffer(std::move(buffer), spec);
  enqueue_read_tensor(device_tensor, result, blocking);
  return result;
}

}  // namespace tt::tt_metal::distributed
