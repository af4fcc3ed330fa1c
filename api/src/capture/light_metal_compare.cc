#include <cstddef>
#include <span>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <vector>

#include "api/src/devices/command_queue_impl.h"
#include "api/src/transfers/payload_transfer.h"
#include "api/src/work/queue_record.h"
#include "capture/capture.h"

namespace tt::tt_metal {

void LightMetalCompareToCapture(
    CommandQueue& cq,
    const std::variant<std::reference_wrapper<Buffer>, std::shared_ptr<Buffer>>& buffer,
    void* dst) {
  detail::compare_to_capture(cq, detail::buffer_of(buffer), dst, detail::PayloadType::Bytes);
}

void LightMetalCompareToGolden(
    CommandQueue& cq,
    const std::variant<std::reference_wrapper<Buffer>, std::shared_ptr<Buffer>>& buffer,
    void* golden_data) {
  Buffer& source = detail::buffer_of(buffer);
  detail::compare_to_golden(cq, source, golden_data, source.size(), detail::PayloadType::Bytes);
}

namespace detail {

void compare_to_capture(CommandQueue& cq, Buffer& buffer, void* dst, PayloadType type) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("LightMetalCompareToCapture");
  if (dst == nullptr && !light_metal_call_scope.records()) return;
  std::vector<uint8_t> own(dst == nullptr ? buffer.size() : 0);
  if (dst == nullptr) dst = own.data();
  const std::span<std::byte> data(static_cast<std::byte*>(dst), buffer.size());
  read_to_compare(light_metal_call_scope, cq, buffer, data,
                  // The bytes that are recorded are those that the read puts there: the record is
                  // made afterwards.
                  {.bytes = data, .type = element_type(type), .is_user_data = false});
}

void compare_to_golden(CommandQueue& cq, Buffer& buffer, const void* golden, size_t size,
                       PayloadType type) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("LightMetalCompareToGolden");
  TT_FATAL(golden != nullptr || size == 0, "the golden of a buffer of {} bytes is a null pointer",
           buffer.size());
  TT_FATAL(size == buffer.size(), "the golden has {} bytes and the buffer {}", size, buffer.size());
  QueueCall call(light_metal_call_scope, QueueCall::Kind::kEffect, QueueWait::kNone);
  run_as<schema::LightMetalCompare>(impl_of(cq).order(), call, nullptr, cq, buffer,
                                    Embedded{lightmetal::bytes_of(golden, size)},
                                    element_type(type), true);
}

}  // namespace detail
}  // namespace tt::tt_metal
