#include "replay/run_memory.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <map>
#include <optional>
#include <tt-metalium/tt_metal.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "api/src/replay_hooks.h"
#include "api/src/support/sentence_of.h"
#include "base/mesh_place.h"
#include "base/status.h"
#include "replay/without_exceptions.h"
#include "schema/types_generated.h"

namespace lightmetal::replay {
namespace {

namespace tm = tt::tt_metal;
namespace hooks = tt::tt_metal::replay_hooks;

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

std::string name_of_device(const ObjectTable& objects, const tm::IDevice& device) {
  if (objects.devices.size() < 2) return "";
  const std::optional<MeshPlace>& place = hooks::mesh_place_of(device);
  return absl::StrCat(", device ", device.id(), place ? ", " + text_of(*place) : "");
}

std::string name_of_buffer(const ObjectTable& objects, uint64_t id, const tm::Buffer& buffer) {
  return absl::StrFormat("buffer %d (%d bytes at 0x%x, %s%s)", id, buffer.size(), buffer.address(),
                         std::string(tm::internal::name_of(buffer.buffer_type())),
                         name_of_device(objects, *buffer.device()));
}

absl::Status for_each_buffer(const ObjectTable& objects, BufferVisitor visit) {
  std::map<uint64_t, tm::Buffer*> buffers;
  for (const auto& [id, buffer] : objects.buffers) {
    if ((buffer->is_l1() || buffer->is_dram()) && can_be_read(*buffer)) buffers[id] = buffer.get();
  }
  std::vector<std::byte> content;
  for (const auto& [id, buffer] : buffers) {
    content.resize(buffer->size());
    LM_RETURN_IF_ERROR(without_exceptions([&, of = buffer] {
      hooks::read_from_buffer(*of, content, schema::ElementType::Bytes);
      return absl::OkStatus();
    }));
    LM_RETURN_IF_ERROR(visit(id, name_of_buffer(objects, id, *buffer), content));
  }
  return absl::OkStatus();
}

std::vector<LivingBuffer> living_buffers(const ObjectTable& objects) {
  std::vector<LivingBuffer> living;
  for (const auto& [id, buffer] : objects.buffers) {
    if (can_be_read(*buffer)) living.push_back(description_of(id, *buffer));
  }
  std::ranges::sort(living, {}, &LivingBuffer::id);
  return living;
}

absl::StatusOr<std::vector<uint8_t>> read_buffer(ObjectTable& objects, uint64_t id) {
  LM_ASSIGN_OR_RETURN(read, objects.buffers.find(id));
  std::vector<uint8_t> data;
  try {
    tm::detail::ReadFromBuffer(**read, data);
  } catch (const std::exception& error) {
    return absl::FailedPreconditionError(std::string(tm::sentence_of(error.what())));
  }
  return data;
}

}  // namespace lightmetal::replay
