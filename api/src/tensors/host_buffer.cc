#include <algorithm>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/distributed_host_buffer.hpp>
#include <tt-metalium/host_buffer.hpp>
#include <tt-metalium/memory_pin.hpp>
#include <utility>
#include <vector>

namespace tt::tt_metal {

class MemoryPin::FinalCallbacks {
 public:
  FinalCallbacks() = default;
  FinalCallbacks(const FinalCallbacks&) = delete;
  FinalCallbacks& operator=(const FinalCallbacks&) = delete;
  ~FinalCallbacks() {
    for (const auto& callback : callbacks_) callback();
  }

  void add(std::function<void()> callback) { callbacks_.push_back(std::move(callback)); }

 private:
  std::vector<std::function<void()>> callbacks_;
};

MemoryPin::MemoryPin(std::function<void()> increment_ref_count,
                     std::function<void()> decrement_ref_count)
    : increment_(std::move(increment_ref_count)),
      decrement_(std::move(decrement_ref_count)),
      callbacks_(std::make_shared<FinalCallbacks>()) {
  increment_();
}

MemoryPin::MemoryPin(std::shared_ptr<void> resource) : resource_(std::move(resource)) {
  if (resource_ != nullptr) callbacks_ = std::make_shared<FinalCallbacks>();
}

MemoryPin::MemoryPin(const MemoryPin& other)
    : increment_(other.increment_),
      decrement_(other.decrement_),
      resource_(other.resource_),
      callbacks_(other.callbacks_) {
  if (increment_) increment_();
}

MemoryPin::~MemoryPin() {
  callbacks_.reset();
  if (decrement_) decrement_();
}

void MemoryPin::add_final_release_callback(std::function<void()> callback) {
  TT_FATAL(callbacks_ != nullptr, "A memory pin that holds nothing is never released");
  callbacks_->add(std::move(callback));
}

bool operator==(const HostBuffer& a, const HostBuffer& b) noexcept {
  return std::ranges::equal(a.bytes_, b.bytes_);
}

void HostBuffer::check_type(const std::type_info& asked) const {
  TT_FATAL(type_ != nullptr && *type_ == asked,
           "A host buffer with elements of type {} is none of type {}",
           type_ == nullptr ? "none" : type_->name(), asked.name());
}

DistributedHostBuffer DistributedHostBuffer::create(const distributed::MeshShape& shape) {
  return DistributedHostBuffer(shape);
}

DistributedHostBuffer DistributedHostBuffer::create(
    const distributed::MeshDeviceView& mesh_device_view) {
  return create(mesh_device_view.shape());
}

std::optional<HostBuffer> DistributedHostBuffer::get_shard(
    const distributed::MeshCoordinate& coord) const {
  return shards_[coord.to_linear_index(shape_)];
}

void DistributedHostBuffer::emplace_shard(const distributed::MeshCoordinate& coord,
                                          const std::function<HostBuffer()>& produce_buffer) {
  const size_t index = coord.to_linear_index(shape_);
  shards_[index] = produce_buffer();
  coords_.insert(coord);
}

bool DistributedHostBuffer::is_local(const distributed::MeshCoordinate& coord) const {
  coord.to_linear_index(shape_);  // throws outside of the shape
  return true;
}

DistributedHostBuffer DistributedHostBuffer::transform(const TransformFn& fn,
                                                       ProcessShardExecutionPolicy) const {
  DistributedHostBuffer result(shape_);
  for (const distributed::MeshCoordinate& coord : coords_) {
    result.emplace_shard(coord, [&] { return fn(get_shard(coord).value()); });
  }
  return result;
}

void DistributedHostBuffer::apply(const ApplyFn& fn, ProcessShardExecutionPolicy) const {
  for (const distributed::MeshCoordinate& coord : coords_) fn(get_shard(coord).value());
}

void DistributedHostBuffer::emplace_shards(const std::vector<distributed::MeshCoordinate>& coords,
                                           const ProduceBufferFn& produce_buffer,
                                           ProcessShardExecutionPolicy) {
  for (const distributed::MeshCoordinate& coord : coords) {
    emplace_shard(coord, [&] { return produce_buffer(coord); });
  }
}

}  // namespace tt::tt_metal
