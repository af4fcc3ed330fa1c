// Buffers as host_api.hpp makes them: other forms of Buffer::create(), which records them.
#include <tt-metalium/host_api.hpp>

namespace tt::tt_metal {

std::shared_ptr<Buffer> CreateBuffer(const InterleavedBufferConfig& config) {
  return Buffer::create(config.device, config.size, config.page_size, config.buffer_type,
                        config.buffer_layout);
}

std::shared_ptr<Buffer> CreateBuffer(const InterleavedBufferConfig& config, DeviceAddr address) {
  return Buffer::create(config.device, address, config.size, config.page_size, config.buffer_type,
                        config.buffer_layout);
}

std::shared_ptr<Buffer> CreateBuffer(const InterleavedBufferConfig& config,
                                     SubDeviceId sub_device_id) {
  return Buffer::create(config.device, config.size, config.page_size, config.buffer_type,
                        config.buffer_layout, std::nullopt, std::nullopt, sub_device_id);
}

std::shared_ptr<Buffer> CreateBuffer(const ShardedBufferConfig& config) {
  return Buffer::create(config.device, config.size, config.page_size, config.buffer_type,
                        config.buffer_layout, config.shard_parameters);
}

std::shared_ptr<Buffer> CreateBuffer(const ShardedBufferConfig& config, DeviceAddr address) {
  return Buffer::create(config.device, address, config.size, config.page_size, config.buffer_type,
                        config.buffer_layout, config.shard_parameters);
}

std::shared_ptr<Buffer> CreateBuffer(const ShardedBufferConfig& config, SubDeviceId sub_device_id) {
  return Buffer::create(config.device, config.size, config.page_size, config.buffer_type,
                        config.buffer_layout, config.shard_parameters, std::nullopt, sub_device_id);
}

void DeallocateBuffer(Buffer& buffer) { buffer.deallocate(); }

}  // namespace tt::tt_metal
