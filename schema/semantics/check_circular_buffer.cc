// Circular buffers.
#include <algorithm>

#include "base/data_format.h"
#include "base/status.h"
#include "schema/semantics/checker.h"
#include "schema/semantics/profile_limits.h"

namespace lightmetal::schema::semantics {
namespace {

absl::Status check_tile(const Object& object, const CircularBufferIndex& index) {
  const uint32_t height = index.tile_height(), width = index.tile_width();
  if (height == 0) return absl::OkStatus();
  const bool known_height = height <= 32 && (height & (height - 1)) == 0;
  if (!known_height || (width != 16 && width != 32)) {
    return wrong(object, "config.indices.tile_height", absl::StrCat(height, " by ", width),
                 "a tile of 1, 2, 4, 8, 16 or 32 by 16 or 32");
  }
  if (!index.transpose_tile() || height >= 16) return absl::OkStatus();
  return wrong(object, "config.indices.transpose_tile", "true", "false for a tile of height ",
               height);
}

// The format comes from an enumeration of the host API, so no program has given another value.
absl::Status check_format(const Object& object, uint8_t data_format) {
  const auto format = static_cast<DataFormat>(data_format);
  if (format == DataFormat::Invalid || tile_bytes(format) != 0) return absl::OkStatus();
  return of_files_alone(wrong(object, "config.indices.data_format", static_cast<int>(data_format),
                              "a known data format"));
}

absl::Status take_index(const Object& object, const CircularBufferIndex& index, bool on_global,
                        host::CircularBuffer& buffer) {
  LM_RETURN_IF_ERROR(about(object, host::check_index(index.index())));
  // A program that names an index twice has it once, and a recorder writes it once.
  if (buffer.indices().has(index.index())) {
    return of_files_alone(
        wrong(object, "config.indices.index", static_cast<int>(index.index()), "each index once"));
  }
  if (index.remote() && !on_global) {
    return wrong(object, "config.indices.remote", "true", "false outside a global circular buffer");
  }
  LM_RETURN_IF_ERROR(check_format(object, index.data_format()));
  LM_RETURN_IF_ERROR(check_tile(object, index));
  if (index.page_size() != 0) {  // 0: no page size was set; check_complete() refuses that later
    LM_RETURN_IF_ERROR(
        about(object, host::check_page_size(index.index(), index.page_size(), buffer.total_size)));
  }
  (index.remote() ? buffer.remote : buffer.local).add(index.index());
  buffer.page_sizes[index.index()] = index.page_size();
  return absl::OkStatus();
}

// Takes over what the configuration says of the circular buffer, except for memory that it gives to
// the buffer.
absl::Status take_config(const Object& object, const CircularBufferConfig& config, bool on_global,
                         host::CircularBuffer& buffer) {
  LM_RETURN_IF_ERROR(about(object, host::check_total_size(config.total_size(), std::nullopt)));
  buffer.total_size = config.total_size();
  if (config.indices() == nullptr) return absl::OkStatus();
  for (const CircularBufferIndex* index : *config.indices()) {
    LM_RETURN_IF_ERROR(take_index(object, *index, on_global, buffer));
  }
  return absl::OkStatus();
}

absl::Status give(const Object& object, host::CircularBuffer& buffer,
                  const host::CircularBuffer::Memory& memory, uint32_t total_size) {
  LM_RETURN_IF_ERROR(about(object, host::check_total_size(total_size, memory.size)));
  buffer.given = memory;
  buffer.total_size = total_size;
  return absl::OkStatus();
}

void change(const CircularBufferState& buffer, host::CircularBuffer changed) {
  buffer.program->host.change_circular_buffer(buffer.number, std::move(changed));
}

}  // namespace

absl::Status Checker::put_into(const Object& object, host::CircularBuffer& buffer, bool on_global,
                               uint64_t id, uint32_t total_size, uint32_t offset) {
  // As in the host API, the buffer is checked before the question whether this circular buffer may
  // lie in one.
  LM_ASSIGN_OR_RETURN(memory, buffers_.find(id));
  LM_RETURN_IF_ERROR(about(object, host::check_lies_in_l1(*memory)));
  if (on_global) return wrong(object, "buffer", id, "none: it is in a global circular buffer");
  const uint64_t room = memory->room_for_circular_buffer();
  LM_RETURN_IF_ERROR(about(object, "offset", host::check_address_offset(offset, room)));
  return give(object, buffer, {memory->address + offset, room - offset}, total_size);
}

absl::Status Checker::put_into_global(const Object& object, host::CircularBuffer& buffer,
                                      uint64_t id) {
  LM_ASSIGN_OR_RETURN(global, global_circular_buffers_.find(id));
  if (!global->cores.contains(buffer.cores)) {
    return wrong(object, "global_circular_buffer", id, "one on all of its cores");
  }
  LM_RETURN_IF_ERROR(
      give(object, buffer, {global->buffer->address, global->size}, buffer.total_size));
  return about(object, host::check_local_pages(buffer, global->size));
}

absl::Status Checker::add_circular_buffer(uint64_t program_id, uint64_t id, const CoreRanges* cores,
                                          const CircularBufferConfig& config,
                                          std::optional<uint64_t> global) {
  LM_ASSIGN_OR_RETURN(program, programs_.find(program_id));
  auto state = std::make_shared<CircularBufferState>();
  state->id = id;
  state->program = program.get();
  state->on_global = global.has_value();
  const Object object = state->object();
  host::CircularBuffer buffer{.id = id};
  LM_ASSIGN_OR_RETURN(its_cores, core_set_of(cores, object, "cores"));
  buffer.cores = its_cores;
  LM_RETURN_IF_ERROR(take_config(object, config, state->on_global, buffer));
  if (global) {
    LM_RETURN_IF_ERROR(put_into_global(object, buffer, *global));
  } else if (config.buffer() != 0) {
    LM_RETURN_IF_ERROR(put_into(object, buffer, false, config.buffer(), config.total_size()));
  }
  const size_t sets_before = program->host.num_core_sets();
  const absl::StatusOr<size_t> number = program->host.add_circular_buffer(std::move(buffer));
  LM_RETURN_IF_ERROR(about(object, number.status()));
  LM_RETURN_IF_ERROR(charge_tables(*program, sets_before, 0));
  state->number = *number;
  program->circular_buffers.push_back(state);
  return add(circular_buffers_, std::move(state));
}

absl::Status Checker::check(const CircularBufferCreate& call) {
  return add_circular_buffer(call.program(), call.id(), call.cores(), *call.config(), std::nullopt);
}

absl::Status Checker::check(const CircularBufferCreateOnGlobal& call) {
  return add_circular_buffer(call.program(), call.id(), call.cores(), *call.config(),
                             call.global_circular_buffer());
}

// A program may change the total size and the page sizes one after the other: whether pages divide
// the size is only checked when the program is launched.
absl::Status Checker::check(const UpdateCircularBufferTotalSize& call) {
  LM_ASSIGN_OR_RETURN(state, circular_buffers_.find(call.circular_buffer()));
  host::CircularBuffer buffer = state->of_host();
  std::optional<uint64_t> room;
  if (buffer.given) room = buffer.given->size;
  LM_RETURN_IF_ERROR(about(state->object(), host::check_total_size(call.total_size(), room)));
  buffer.total_size = call.total_size();
  change(*state, std::move(buffer));
  return absl::OkStatus();
}

absl::Status Checker::check(const UpdateCircularBufferPageSize& call) {
  LM_ASSIGN_OR_RETURN(state, circular_buffers_.find(call.circular_buffer()));
  host::CircularBuffer buffer = state->of_host();
  LM_RETURN_IF_ERROR(about(state->object(), host::check_has_index(buffer.indices(), call.index())));
  LM_RETURN_IF_ERROR(about(
      state->object(), host::check_page_size(call.index(), call.page_size(), buffer.total_size)));
  buffer.page_sizes[call.index()] = call.page_size();
  change(*state, std::move(buffer));
  return absl::OkStatus();
}

absl::Status Checker::check(const UpdateDynamicCircularBufferAddress& call) {
  LM_ASSIGN_OR_RETURN(state, circular_buffers_.find(call.circular_buffer()));
  host::CircularBuffer buffer = state->of_host();
  LM_RETURN_IF_ERROR(
      put_into(state->object(), buffer, state->on_global, call.buffer(), buffer.total_size));
  change(*state, std::move(buffer));
  return absl::OkStatus();
}

absl::Status Checker::check(const UpdateDynamicCircularBufferAddressOffset& call) {
  LM_ASSIGN_OR_RETURN(state, circular_buffers_.find(call.circular_buffer()));
  host::CircularBuffer buffer = state->of_host();
  LM_RETURN_IF_ERROR(put_into(state->object(), buffer, state->on_global, call.buffer(),
                              buffer.total_size, call.offset()));
  change(*state, std::move(buffer));
  return absl::OkStatus();
}

absl::Status Checker::check(const UpdateDynamicCircularBufferAddressAndTotalSize& call) {
  LM_ASSIGN_OR_RETURN(state, circular_buffers_.find(call.circular_buffer()));
  host::CircularBuffer buffer = state->of_host();
  LM_RETURN_IF_ERROR(
      put_into(state->object(), buffer, state->on_global, call.buffer(), call.total_size()));
  change(*state, std::move(buffer));
  return absl::OkStatus();
}

absl::Status Checker::check(const UpdateDynamicCircularBufferGlobal& call) {
  LM_ASSIGN_OR_RETURN(state, circular_buffers_.find(call.circular_buffer()));
  if (!state->on_global) {
    return wrong(state->object(), "global_circular_buffer", call.global_circular_buffer(),
                 "none: it was created in no global circular buffer");
  }
  host::CircularBuffer buffer = state->of_host();
  LM_RETURN_IF_ERROR(put_into_global(state->object(), buffer, call.global_circular_buffer()));
  change(*state, std::move(buffer));
  return absl::OkStatus();
}

}  // namespace lightmetal::schema::semantics
