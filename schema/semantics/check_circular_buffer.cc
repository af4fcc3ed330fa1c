// Circular buffers.
#include <algorithm>

#include "base/data_format.h"
#include "base/status.h"
#include "schema/semantics/checker.h"
#include "schema/semantics/profile_limits.h"

namespace lightmetal::schema::semantics {
namespace {

bool has_index(const CircularBufferState& buffer, uint32_t index) {
  return buffer.page_sizes[index] != 0;
}

bool is_remote(const CircularBufferState& buffer, uint32_t index) {
  return (buffer.remote >> index & 1) != 0;
}

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

absl::Status check_format(const Object& object, uint8_t data_format) {
  const auto format = static_cast<DataFormat>(data_format);
  if (format == DataFormat::Invalid || tile_bytes(format) != 0) return absl::OkStatus();
  return wrong(object, "config.indices.data_format", static_cast<int>(data_format),
               "a known data format");
}

absl::Status check_page_size(const CircularBufferState& buffer, absl::string_view field,
                             uint32_t page_size) {
  if (page_size != 0 && buffer.total_size % page_size == 0) return absl::OkStatus();
  return wrong(buffer.object(), field, page_size,
               "a positive number that divides the total size of ", buffer.total_size);
}

absl::Status check_total_size(const CircularBufferState& buffer, absl::string_view field,
                              uint32_t total_size) {
  if (total_size == 0) return wrong(buffer.object(), field, 0, "more");
  if (!buffer.given_address || total_size <= buffer.given_size) return absl::OkStatus();
  return wrong(buffer.object(), field, total_size, "at most ", buffer.given_size,
               ", the size of the buffer that it shares");
}

// Local indices go around the whole pages of remote ones in the same memory.
absl::Status check_local_pages(const CircularBufferState& buffer, uint32_t size) {
  for (uint32_t remote = 0; remote < kNumCircularBuffers; ++remote) {
    if (!has_index(buffer, remote) || !is_remote(buffer, remote)) continue;
    const uint32_t whole = size / buffer.page_sizes[remote] * buffer.page_sizes[remote];
    for (uint32_t local = 0; local < kNumCircularBuffers; ++local) {
      if (!has_index(buffer, local) || is_remote(buffer, local)) continue;
      if (whole % buffer.page_sizes[local] == 0) continue;
      return not_now(buffer.object(), "the pages of ", buffer.page_sizes[local],
                     " bytes of its local index ", local, " do not divide the ", whole,
                     " bytes of whole pages of its remote index ", remote);
    }
  }
  return absl::OkStatus();
}

bool pages_divide(const CircularBufferState& buffer) {
  return std::all_of(buffer.page_sizes.begin(), buffer.page_sizes.end(), [&](uint32_t page_size) {
    return page_size == 0 || buffer.total_size % page_size == 0;
  });
}

// After every change of the circular buffer.
void lay_out(const CircularBufferState& buffer) {
  CircularBufferLayout& layout = buffer.program->layout;
  CircularBufferLayout::Entry& entry = layout.entries[buffer.number];
  entry.given_address = buffer.given_address;
  entry.total_size = buffer.total_size;
  entry.pages_divide_it = pages_divide(buffer);
  ++layout.version;
}

void add_to_layout(const CircularBufferState& buffer) {
  CircularBufferLayout& layout = buffer.program->layout;
  buffer.cores.for_each(
      [&](const Core& core) { layout.cores.push_back(number_in_largest_grid(core)); });
  layout.entries.emplace_back().cores_end = layout.cores.size();
  lay_out(buffer);
}

// Returns how many sets of cores the program has for it that it had not before.
uint64_t take_indices(const CircularBufferState& buffer, ProgramState& program) {
  uint64_t num_new = 0;
  for (uint8_t index = 0; index < kNumCircularBuffers; ++index) {
    if (!has_index(buffer, index)) continue;
    auto& taken = is_remote(buffer, index) ? program.remote_indices : program.local_indices;
    CoreSet& cores = taken[index];
    num_new += cores.empty();
    cores.add(buffer.cores);
  }
  return num_new;
}

}  // namespace

absl::Status Checker::check_index(const CircularBufferIndex& index, bool on_global,
                                  CircularBufferState& buffer) const {
  const Object object = buffer.object();
  if (index.index() >= kNumCircularBuffers) {
    return wrong(object, "config.indices.index", static_cast<int>(index.index()), "less than ",
                 kNumCircularBuffers);
  }
  if (has_index(buffer, index.index())) {
    return wrong(object, "config.indices.index", static_cast<int>(index.index()),
                 "each index once");
  }
  if (index.remote() && !on_global) {
    return wrong(object, "config.indices.remote", "true", "false outside a global circular buffer");
  }
  LM_RETURN_IF_ERROR(check_format(object, index.data_format()));
  LM_RETURN_IF_ERROR(check_tile(object, index));
  LM_RETURN_IF_ERROR(check_page_size(buffer, "config.indices.page_size", index.page_size()));
  buffer.page_sizes[index.index()] = index.page_size();
  if (index.remote()) buffer.remote |= uint32_t{1} << index.index();
  return absl::OkStatus();
}

absl::Status Checker::check_circular_buffer(const CircularBufferConfig& config,
                                            CircularBufferState& buffer, bool on_global) const {
  buffer.total_size = config.total_size();
  LM_RETURN_IF_ERROR(check_total_size(buffer, "config.total_size", config.total_size()));
  if (config.indices() == nullptr || config.indices()->size() == 0) {
    return wrong(buffer.object(), "config.indices", "empty", "at least one index");
  }
  for (const CircularBufferIndex* index : *config.indices()) {
    LM_RETURN_IF_ERROR(check_index(*index, on_global, buffer));
  }
  return absl::OkStatus();
}

// An index is there once on each core, and remote ones are above local ones.
absl::Status Checker::check_indices(const CircularBufferState& buffer) const {
  const ProgramState& program = *buffer.program;
  const auto clashes = [&](const std::map<uint8_t, CoreSet>& taken, uint8_t from, uint8_t to) {
    return std::any_of(taken.lower_bound(from), taken.upper_bound(to),
                       [&](const auto& entry) { return entry.second.intersects(buffer.cores); });
  };
  bool remote_below = false;
  for (uint8_t index = 0; index < kNumCircularBuffers; ++index) {
    if (!has_index(buffer, index)) continue;
    const bool remote = is_remote(buffer, index);
    const uint8_t last = remote ? kNumCircularBuffers - 1 : index;
    if (clashes(program.local_indices, index, last) ||
        clashes(program.remote_indices, remote ? index : 0, index) || (!remote && remote_below)) {
      return wrong(buffer.object(), "config.indices.index", static_cast<int>(index),
                   "one that is free on its cores, where remote indices are above local ones");
    }
    remote_below = remote_below || remote;
  }
  return absl::OkStatus();
}

absl::Status Checker::put_into(CircularBufferState& buffer, uint64_t id, uint32_t total_size) {
  LM_ASSIGN_OR_RETURN(memory, buffers_.find(id));
  if (!is_l1(memory->type)) {
    return wrong(buffer.object(), "buffer",
                 absl::StrCat(id, " in ", EnumNameBufferType(memory->type)), "a buffer in L1");
  }
  if (buffer.on_global) {
    return wrong(buffer.object(), "buffer", id, "none: it is in a global circular buffer");
  }
  buffer.given_address = memory->address;
  buffer.given_size = memory->aligned_size();
  LM_RETURN_IF_ERROR(check_total_size(buffer, "total_size", total_size));
  buffer.total_size = total_size;
  return absl::OkStatus();
}

absl::Status Checker::put_into_global(CircularBufferState& buffer, uint64_t id) {
  LM_ASSIGN_OR_RETURN(global, global_circular_buffers_.find(id));
  if (!global->cores.contains(buffer.cores)) {
    return wrong(buffer.object(), "global_circular_buffer", id, "one on all of its cores");
  }
  buffer.on_global = true;
  buffer.given_address = global->buffer->address;
  buffer.given_size = global->size;
  LM_RETURN_IF_ERROR(check_total_size(buffer, "total_size", buffer.total_size));
  return check_local_pages(buffer, global->size);
}

absl::Status Checker::add_circular_buffer(uint64_t program_id, uint64_t id, const CoreRanges* cores,
                                          const CircularBufferConfig& config,
                                          std::optional<uint64_t> global) {
  LM_ASSIGN_OR_RETURN(program, programs_.find(program_id));
  auto buffer = std::make_shared<CircularBufferState>();
  buffer->id = id;
  buffer->program = program.get();
  if (program->compiled) {
    return not_now(program->object(), "a circular buffer is added after it was compiled");
  }
  LM_ASSIGN_OR_RETURN(its_cores, CoreSet::of(cores, buffer->object(), "cores"));
  LM_RETURN_IF_ERROR(check_cores(buffer->object(), its_cores));
  buffer->cores = its_cores;
  LM_RETURN_IF_ERROR(check_circular_buffer(config, *buffer, global.has_value()));
  if (global) {
    LM_RETURN_IF_ERROR(put_into_global(*buffer, *global));
  } else if (config.buffer() != 0) {
    LM_RETURN_IF_ERROR(put_into(*buffer, config.buffer(), config.total_size()));
  }
  LM_RETURN_IF_ERROR(check_indices(*buffer));
  LM_RETURN_IF_ERROR(program->charge.add(budget_, take_indices(*buffer, *program) * kBytesOfCores));
  buffer->number = program->circular_buffers.size();
  add_to_layout(*buffer);
  program->circular_buffers.push_back(buffer);
  return add(circular_buffers_, std::move(buffer));
}

absl::Status Checker::check(const CircularBufferCreate& call) {
  return add_circular_buffer(call.program(), call.id(), call.cores(), *call.config(), std::nullopt);
}

absl::Status Checker::check(const CircularBufferCreateOnGlobal& call) {
  return add_circular_buffer(call.program(), call.id(), call.cores(), *call.config(),
                             call.global_circular_buffer());
}

// Whether pages still divide it is looked at when the program is launched.
absl::Status Checker::check(const UpdateCircularBufferTotalSize& call) {
  LM_ASSIGN_OR_RETURN(buffer, circular_buffers_.find(call.circular_buffer()));
  LM_RETURN_IF_ERROR(check_total_size(*buffer, "total_size", call.total_size()));
  buffer->total_size = call.total_size();
  lay_out(*buffer);
  return absl::OkStatus();
}

absl::Status Checker::check(const UpdateCircularBufferPageSize& call) {
  LM_ASSIGN_OR_RETURN(buffer, circular_buffers_.find(call.circular_buffer()));
  if (call.index() >= kNumCircularBuffers || !has_index(*buffer, call.index())) {
    return wrong(buffer->object(), "index", static_cast<int>(call.index()), "one that it has");
  }
  LM_RETURN_IF_ERROR(check_page_size(*buffer, "page_size", call.page_size()));
  buffer->page_sizes[call.index()] = call.page_size();
  lay_out(*buffer);
  return absl::OkStatus();
}

absl::Status Checker::check(const UpdateDynamicCircularBufferAddress& call) {
  LM_ASSIGN_OR_RETURN(buffer, circular_buffers_.find(call.circular_buffer()));
  LM_RETURN_IF_ERROR(put_into(*buffer, call.buffer(), buffer->total_size));
  lay_out(*buffer);
  return absl::OkStatus();
}

absl::Status Checker::check(const UpdateDynamicCircularBufferAddressAndTotalSize& call) {
  LM_ASSIGN_OR_RETURN(buffer, circular_buffers_.find(call.circular_buffer()));
  LM_RETURN_IF_ERROR(put_into(*buffer, call.buffer(), call.total_size()));
  lay_out(*buffer);
  return absl::OkStatus();
}

absl::Status Checker::check(const UpdateDynamicCircularBufferGlobal& call) {
  LM_ASSIGN_OR_RETURN(buffer, circular_buffers_.find(call.circular_buffer()));
  if (!buffer->on_global) {
    return wrong(buffer->object(), "global_circular_buffer", call.global_circular_buffer(),
                 "none: it was created in no global circular buffer");
  }
  LM_RETURN_IF_ERROR(put_into_global(*buffer, call.global_circular_buffer()));
  lay_out(*buffer);
  return absl::OkStatus();
}

}  // namespace lightmetal::schema::semantics
