#include "replay/placement.h"

#include "absl/strings/str_format.h"
#include "base/status.h"
#include "replay/values.h"

namespace lightmetal::replay {
namespace {

namespace tm = tt::tt_metal;
namespace hooks = tt::tt_metal::replay_hooks;

template <class Value>
std::optional<Value> optional_of(const flatbuffers::Optional<Value>& value) {
  return value.has_value() ? std::optional<Value>(*value) : std::nullopt;
}

}  // namespace

absl::Status check_address(uint64_t recorded, uint64_t present) {
  if (recorded == present) return absl::OkStatus();
  return absl::InternalError(
      absl::StrFormat("the replay has diverged: the recorded address is 0x%x, and it lies at 0x%x",
                      recorded, present));
}

hooks::RecordedBuffer recorded_buffer(const schema::BufferCreate& call, tm::IDevice* device) {
  hooks::RecordedBuffer recorded;
  recorded.device = device;
  recorded.address = optional_of(call.address());
  recorded.allocated_address = call.allocated_address();
  recorded.size = call.size();
  recorded.page_size = call.page_size();
  recorded.buffer_type = static_cast<tm::BufferType>(call.buffer_type());
  recorded.sharding = sharding_of(call);
  recorded.bottom_up = optional_of(call.bottom_up());
  if (call.sub_device().has_value()) recorded.sub_device = tm::SubDeviceId(*call.sub_device());
  return recorded;
}

absl::StatusOr<std::shared_ptr<tm::Buffer>> RecordedPlacement::create(
    const schema::BufferCreate& call, tm::IDevice* device) {
  std::shared_ptr<tm::Buffer> buffer = hooks::create_buffer(recorded_buffer(call, device));
  LM_RETURN_IF_ERROR(
      check_address(call.allocated_address(), call.address().value_or(buffer->address())));
  return buffer;
}

}  // namespace lightmetal::replay
