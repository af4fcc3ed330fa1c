// What a run leaves in the buffers.
#include <algorithm>
#include <cstdint>
#include <exception>
#include <lightmetal/replay.hpp>
#include <string>
#include <tt-metalium/tt_metal.hpp>
#include <vector>

#include "api/src/support/sentence_of.h"
#include "base/status.h"
#include "replay/executor.h"

namespace lightmetal::replay {
namespace {

namespace tm = tt::tt_metal;

bool can_be_read(const tm::Buffer& buffer) {
  return buffer.is_allocated() && buffer.device()->is_initialized();
}

LivingBuffer description_of(uint64_t id, const tm::Buffer& buffer) {
  return {.id = id,
          .chip_id = static_cast<uint32_t>(buffer.device()->id()),
          .address = buffer.address(),
          .size = buffer.size(),
          .page_size = buffer.page_size(),
          .buffer_type = std::string(tm::internal::name_of(buffer.buffer_type())),
          .layout = std::string(tm::internal::name_of(buffer.buffer_layout()))};
}

}  // namespace

std::vector<LivingBuffer> Executor::living_buffers() {
  std::vector<LivingBuffer> living;
  for (const auto& [id, buffer] : objects_.buffers) {
    if (can_be_read(*buffer)) living.push_back(description_of(id, *buffer));
  }
  std::ranges::sort(living, {}, &LivingBuffer::id);
  return living;
}

absl::StatusOr<std::vector<uint8_t>> Executor::read_buffer(uint64_t id) {
  LM_ASSIGN_OR_RETURN(read, buffer(id));
  std::vector<uint8_t> data;
  try {
    tm::detail::ReadFromBuffer(*read, data);
  } catch (const std::exception& error) {
    return absl::FailedPreconditionError(std::string(tm::sentence_of(error.what())));
  }
  return data;
}

}  // namespace lightmetal::replay
