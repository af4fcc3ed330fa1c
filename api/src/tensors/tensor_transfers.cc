// How tensors get to a mesh and back: the members of MeshCommandQueue that know of them. A device's
// part of a tensor is written and read as any buffer is, and so recorded.
#include <set>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/detail/payload.hpp>
#include <tt-metalium/mesh_command_queue.hpp>
#include <tt-metalium/tensor/host_tensor.hpp>
#include <tt-metalium/tensor/mesh_tensor.hpp>
#include <tt-metalium/tensor/tensor_apis.hpp>
#include <type_traits>
#include <utility>
#include <vector>

#include "api/src/mesh/reads.h"
#include "api/src/mesh/writes.h"
#include "api/src/tensors/payload_types.h"
#include "api/src/tensors/tensor_codec.h"

namespace tt::tt_metal::distributed {
namespace {

using tt_metal::detail::PayloadType;

// The part of `buffer` at that place, which must be as large as what is there on the host.
Buffer& part_at(const MeshBuffer& buffer, const MeshCoordinate& coord, const HostBuffer& host) {
  Buffer& part = *buffer.get_device_buffer(coord);
  TT_FATAL(host.view_bytes().size() == part.size(),
           "The host buffer for {} has {} B, but that part of the mesh buffer {} B", coord,
           host.view_bytes().size(), part.size());
  return part;
}

// One device's part of a mesh buffer, and the memory of the host for it.
struct PartOnHost {
  Buffer& part;
  CommandQueue& queue;
  HostBuffer host;
};

// Checks all parts, so that nothing has been transferred when one of them is refused. Parts of no
// bytes are left out. `Places` are coordinates; `host_at` gives the host's memory for one of them.
template <typename Places, typename HostAt>
std::vector<PartOnHost> parts_on_host(const MeshCommandQueue& queue, const MeshBuffer& buffer,
                                      const Places& places, const HostAt& host_at) {
  std::vector<PartOnHost> parts;
  for (const MeshCoordinate& coord : places) {
    HostBuffer host = host_at(coord);
    Buffer& part = part_at(buffer, coord, host);
    CommandQueue& of_part = queue.device_queue(part);
    if (!host.view_bytes().empty()) parts.push_back({part, of_part, std::move(host)});
  }
  return parts;
}

void write_parts(const std::vector<PartOnHost>& parts, PayloadType type, bool blocking) {
  std::vector<PartWrite> writes;
  for (const PartOnHost& written : parts) {
    writes.push_back({&written.queue, [&written, type](CommandQueue& queue, bool waits) {
                        const auto bytes = written.host.view_bytes();
                        tt_metal::detail::enqueue_write_buffer(queue, written.part, bytes.data(),
                                                               bytes.size(), type, waits);
                      }});
  }
  enqueue_writes(writes, blocking);
}

void read_parts(std::vector<PartOnHost> parts, PayloadType type, bool blocking) {
  std::vector<PartRead> reads;
  for (PartOnHost& read : parts) {
    reads.push_back({&read.queue, [&read, type, blocking](CommandQueue& queue) {
                       tt_metal::detail::enqueue_read_buffer(
                           queue, read.part, read.host.view_bytes().data(), type, blocking);
                     }});
  }
  enqueue_reads(reads);
}

// A mesh may have another shape by now: buffers keep the coordinates that they were made with.
void check_shape(const MeshBuffer& buffer, const MeshShape& shape) {
  TT_FATAL(shape == buffer.mesh_shape(), "Shards for a mesh of {} do not fit a mesh of {}", shape,
           buffer.mesh_shape());
}

void write_shards(MeshCommandQueue& queue, const MeshBuffer& buffer,
                  const DistributedHostBuffer& host, PayloadType type, bool blocking) {
  check_shape(buffer, host.shape());
  write_parts(parts_on_host(queue, buffer, host.shard_coords(),
                            [&](const MeshCoordinate& coord) { return *host.get_shard(coord); }),
              type, blocking);
}

void read_shards(MeshCommandQueue& queue, const MeshBuffer& buffer,
                 const DistributedHostBuffer& host, const std::set<MeshCoordinate>& coords,
                 PayloadType type, bool blocking) {
  check_shape(buffer, host.shape());
  read_parts(parts_on_host(queue, buffer, coords,
                           [&](const MeshCoordinate& coord) { return *host.get_shard(coord); }),
             type, blocking);
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
  std::set<MeshCoordinate> read = host_buffer.shard_coords();
  std::erase_if(read, [&](const MeshCoordinate& coord) {
    return shards.has_value() && !shards->contains(coord);
  });
  read_shards(*this, internal::not_null(mesh_buffer), host_buffer, read, PayloadType::Bytes,
              blocking);
}

void MeshCommandQueue::enqueue_write_tensor(const HostTensor& host_tensor,
                                            MeshTensor& device_tensor) {
  const HostTensor written = padded_for(host_tensor, device_tensor.tensor_spec());
  const PayloadType type = tensors::payload_type_of(written.dtype());
  const MeshBuffer& buffer = device_tensor.mesh_buffer();
  if (written.buffer().shape().mesh_size() != 1) {
    write_shards(*this, buffer, written.buffer(), type, /*blocking=*/false);
    return;
  }
  const HostBuffer only = host_buffer::get_host_buffer(written);
  write_parts(parts_on_host(*this, buffer, MeshCoordinateRange(buffer.mesh_shape()),
                            [&](const MeshCoordinate&) { return only; }),
              type, /*blocking=*/false);
}

MeshTensor MeshCommandQueue::enqueue_write_tensor(const HostTensor& host_tensor,
                                                  const MemoryConfig& memory_config) {
  const TensorSpec& spec = host_tensor.tensor_spec();
  const TensorLayout layout = spec.tensor_layout().with_memory_config(memory_config);
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
  read_shards(*this, device_tensor.mesh_buffer(), host, host.shard_coords(),
              tensors::payload_type_of(spec.data_type()), blocking);
}

HostTensor MeshCommandQueue::enqueue_read_tensor(const MeshTensor& device_tensor, bool blocking) {
  const TensorSpec& spec = device_tensor.tensor_spec();
  const MeshShape& shape = device_tensor.mesh_buffer().mesh_shape();
  auto buffer = DistributedHostBuffer::create(shape);
  for (const MeshCoordinate& coord : MeshCoordinateRange(shape)) {
    buffer.emplace_shard(coord, [&] {
      return host_buffer::get_host_buffer(HostTensor::allocate_for_overwrite(spec));
    });
  }
  HostTensor result = HostTensor::from_buffer(std::move(buffer), spec);
  enqueue_read_tensor(device_tensor, result, blocking);
  return result;
}

}  // namespace tt::tt_metal::distributed
