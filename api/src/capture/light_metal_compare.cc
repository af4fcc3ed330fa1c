#include <cstddef>
#include <optional>
#include <span>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <vector>

#include "api/src/devices/command_queue_impl.h"
#include "api/src/support/errors.h"
#include "api/src/transfers/payload_transfer.h"
#include "api/src/work/queue_record.h"
#include "base/compare_policy.h"
#include "capture/capture.h"
#include "schema/semantics/golden_policy.h"

namespace tt::tt_metal {

void LightMetalCompareToCapture(
    CommandQueue& cq,
    const std::variant<std::reference_wrapper<Buffer>, std::shared_ptr<Buffer>>& buffer, void* dst,
    const std::optional<lightmetal::ComparePolicy>& policy) {
  detail::compare_to_capture(cq, detail::buffer_of(buffer), dst, detail::PayloadType::Bytes,
                             policy);
}

void LightMetalCompareToGolden(
    CommandQueue& cq,
    const std::variant<std::reference_wrapper<Buffer>, std::shared_ptr<Buffer>>& buffer,
    void* golden_data, const std::optional<lightmetal::ComparePolicy>& policy) {
  Buffer& source = detail::buffer_of(buffer);
  detail::compare_to_golden(cq, source, golden_data, source.size(), detail::PayloadType::Bytes,
                            policy);
}

namespace detail {
namespace {

void check_policy(PayloadType type, const std::optional<lightmetal::ComparePolicy>& policy) {
  if (policy) throw_if_error(schema::type_compared(element_type(type), *policy).status());
}

}  // namespace

void compare_to_capture(CommandQueue& cq, Buffer& buffer, void* dst, PayloadType type,
                        const std::optional<lightmetal::ComparePolicy>& policy) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("LightMetalCompareToCapture");
  check_policy(type, policy);
  if (dst == nullptr && !light_metal_call_scope.records()) return;
  std::vector<uint8_t> own(dst == nullptr ? buffer.size() : 0);
  if (dst == nullptr) dst = own.data();
  const std::span<std::byte> data(static_cast<std::byte*>(dst), buffer.size());
  read_to_compare(
      light_metal_call_scope, cq, buffer, data,
      // The bytes that are recorded are those that the read puts there: the record is
      // made afterwards.
      {.bytes = data, .type = element_type(type), .is_user_data = false, .policy = policy});
}

void compare_to_golden(CommandQueue& cq, Buffer& buffer, const void* golden, size_t size,
                       PayloadType type, const std::optional<lightmetal::ComparePolicy>& policy) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("LightMetalCompareToGolden");
  check_policy(type, policy);
  TT_FATAL(golden != nullptr || size == 0, "the golden of a buffer of {} bytes is a null pointer",
           buffer.size());
  TT_FATAL(size == buffer.size(), "the golden has {} bytes and the buffer {}", size, buffer.size());
  QueueCall call(light_metal_call_scope, QueueCall::Kind::kEffect, QueueWait::kNone);
  run_as<schema::LightMetalCompare>(impl_of(cq).order(), call, nullptr, cq, buffer,
                                    Embedded{lightmetal::bytes_of(golden, size)},
                                    element_type(type), true, policy);
}

}  // namespace detail
}  // namespace tt::tt_metal
