#include "runner/page/dataflow.h"

#include <algorithm>
#include <concepts>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status.h"
#include "host/buffer.h"
#include "host/core_set.h"
#include "schema/commands/calls.h"
#include "schema/commands/effect.h"
#include "schema/commands/profile.h"
#include "schema/semantics/buffer_shards.h"
#include "schema/semantics/cores.h"
#include "schema/show/json.h"
#include "schema/text.h"

namespace lightmetal::runner::page {
namespace {

// What an edge says of the program and the buffer; the page has the same numbers.
constexpr uint8_t kReads = 1, kWrites = 2;
// What a use of a buffer says: which kernels take it, or that a circular buffer lies in it.
constexpr uint8_t kByReader = 4, kByOther = 8, kByCircularBuffer = 16;

// A hostile file may have any number of buffers at one address, and of kernels and ranges of cores
// in one program: so many of each are kept.
constexpr size_t kMostAtAddress = 4, kMostKernels = 64, kMostCoresText = 16384;

absl::string_view file_name(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == absl::string_view::npos ? path : path.substr(slash + 1);
}

bool is_reader(const schema::KernelCreate& kernel) {
  const auto* config = kernel.config_as_DataMovementConfig();
  return config != nullptr && config->processor() == schema::Processor::Riscv1;
}

// The shards of a buffer with a sharded layout.
absl::StatusOr<host::Shards> shards_of(const schema::BufferCreate& call,
                                       const host::Buffer& buffer) {
  if (call.layout() == schema::BufferLayout::NdSharded)
    return host::shards_of(buffer, schema::semantics::distribution_of(*call.distribution()));
  LM_ASSIGN_OR_RETURN(
      grid, schema::semantics::core_set_of(call.shard()->grid(), {"buffer", call.id()}, "grid"));
  return host::shards_of(buffer, schema::semantics::spec_of(*call.shard(), std::move(grid)));
}

// The memory that a buffer takes of a device with this profile, with padding. Its size where the
// numbers make no sense to the device.
uint64_t memory_taken(const schema::BufferCreate& call,
                      const ::lightmetal::DeviceProfile& profile) {
  host::Buffer buffer{.id = call.id(), .size = call.size(), .page_size = call.page_size()};
  buffer.type = static_cast<host::BufferType>(call.buffer_type());
  buffer.layout = static_cast<host::BufferLayout>(call.layout());
  if (!host::check_is_memory(buffer.type).ok()) return call.size();
  buffer.banks = host::banks_of(profile, buffer.type);
  if (buffer.banks.count() == 0 || buffer.banks.alignment == 0 || call.size() == 0 ||
      !schema::semantics::has_shards(call) || !host::check_size(buffer).ok()) {
    return call.size();
  }
  if (host::is_sharded(buffer.layout)) {
    const auto shards = shards_of(call, buffer);
    if (!shards.ok()) return call.size();
    buffer.shards = *shards;
  }
  return buffer.aligned_size();
}

// Calls visit(argument) for each item of a list that may be absent.
template <class List, class Visit>
void for_each(const List* list, Visit visit) {
  if (list == nullptr) return;
  for (const auto item : *list) visit(item);
}

}  // namespace

int32_t Dataflow::number_of(schema::ObjectKind kind, uint64_t id) const {
  const uint32_t object = objects_.find({kind, id});
  return object == schema::ObjectIndex::kNone ? -1 : numbers_[object];
}

// A part of a program has the number of the program.
void Dataflow::add_objects(const schema::Command& command) {
  const uint32_t first = objects_.size();
  objects_.add(now_, command);
  for (uint32_t object = first; object < objects_.size(); ++object) {
    const uint32_t owner = objects_[object].owner;
    numbers_.push_back(owner == schema::ObjectIndex::kNone ? -1 : numbers_[owner]);
  }
  creates_ = first != objects_.size();
}

// ---- Buffers ----

void Dataflow::on(const schema::CreateDevice& call) {
  profiles_.insert_or_assign(call.id(), schema::to_profile(*call.profile()));
}

void Dataflow::on(const schema::BufferCreate& call) {
  if (!creates_) return;
  const auto number = static_cast<uint32_t>(buffers_.size());
  numbers_.back() = static_cast<int32_t>(number);
  buffers_.push_back(
      {.id = call.id(),
       .device = call.device(),
       .size = call.size(),
       .page_size = call.page_size(),
       .taken = call.address().has_value() ? 0 : memory_taken_by(call),
       .address = call.allocated_address(),
       .type = texts_.number_of(host::name_of(static_cast<host::BufferType>(call.buffer_type()))),
       .layout = texts_.number_of(schema::EnumNameBufferLayout(call.layout())),
       .created = static_cast<int64_t>(now_)});
  auto& there = at_address_[call.allocated_address()];
  if (there.size() < kMostAtAddress) there.push_back(number);
}

uint64_t Dataflow::memory_taken_by(const schema::BufferCreate& call) const {
  const auto profile = profiles_.find(call.device());
  return profile == profiles_.end() ? call.size() : memory_taken(call, profile->second);
}

void Dataflow::free(uint64_t id) {
  const int32_t number = buffer_of(id);
  if (number < 0) return;
  Buffer& buffer = buffers_[static_cast<size_t>(number)];
  if (buffer.freed >= 0) return;
  buffer.freed = static_cast<int64_t>(now_);
  forget_address(static_cast<uint32_t>(number));
}

void Dataflow::forget_address(uint32_t buffer) {
  const auto found = at_address_.find(buffers_[buffer].address);
  if (found == at_address_.end()) return;
  auto& there = found->second;
  there.erase(std::remove(there.begin(), there.end(), buffer), there.end());
  if (there.empty()) at_address_.erase(found);
}

// ---- Programs ----

void Dataflow::add_program(Program program) {
  if (!creates_) return;
  numbers_.back() = static_cast<int32_t>(programs_.size());
  programs_.push_back(std::move(program));
}

void Dataflow::on(const schema::KernelCreate& call) {
  const int32_t number = number_of(schema::ObjectKind::Kernel, call.id());
  if (number < 0) return;
  Program& program = programs_[static_cast<size_t>(number)];
  program.has_reader |= is_reader(call);
  const std::string path = schema::text_of(call.source_name());
  const uint32_t name =
      texts_.number_of(path.empty() ? absl::string_view("(from a string)") : file_name(path));
  if (program.kernels.size() < kMostKernels) program.kernels.push_back(name);
  add_cores(program, call.cores());
  if (is_reader(call)) readers_.insert(call.id());
}

void Dataflow::add_cores(Program& program,
                         const flatbuffers::Vector<const schema::CoreRange*>* cores) {
  std::string ranges;
  for_each(cores, [&](const schema::CoreRange* range) {
    if (ranges.size() > kMostCoresText) return;
    absl::StrAppend(&ranges, range->start().x(), ",", range->start().y(), ",", range->end().x(),
                    ",", range->end().y(), ";");
  });
  if (program.cores.size() > kMostCoresText) return;
  const uint32_t set = texts_.number_of(ranges);
  const auto& sets = program.core_sets;
  if (std::find(sets.begin(), sets.end(), set) != sets.end()) return;
  program.core_sets.push_back(set);
  program.cores += ranges;
}

void Dataflow::on(const schema::LoadTrace& call) {
  if (!creates_) return;
  const auto number = static_cast<uint32_t>(programs_.size());
  add_program({.id = call.id(), .is_trace = true, .device = call.device()});
  for_each(call.content()->launches(),
           [&](const schema::TraceLaunch* launch) { add_launch_of_trace(*launch, number); });
}

void Dataflow::add_launch_of_trace(const schema::TraceLaunch& launch, uint32_t number) {
  Program& program = programs_[number];
  std::vector<uint8_t> flags;  // of each kernel
  for_each(launch.kernels(), [&](const schema::TraceKernel* kernel) {
    const bool is_reader = kernel->processor() == schema::Processor::Riscv1;
    flags.push_back(is_reader ? kByReader : kByOther);
    program.has_reader |= is_reader;
    const std::string path = schema::text_of(kernel->name());
    const uint32_t name = texts_.number_of(file_name(path));
    const auto& names = program.kernels;
    if (names.size() < kMostKernels && std::find(names.begin(), names.end(), name) == names.end())
      program.kernels.push_back(name);
  });
  // Arguments of a hostile file may be those of any number of kernels.
  uint64_t left = launch.args() == nullptr ? 0 : uint64_t{launch.args()->size()} * 2;
  for_each(launch.cores(), [&](const schema::TraceCore* core) {
    add_core(program, *core->core());
    for_each(core->kernels(), [&](const schema::TraceKernelOnCore* kernel) {
      if (kernel->kernel() >= flags.size() || launch.args() == nullptr) return;
      const uint64_t end = uint64_t{kernel->args_begin()} + kernel->args_count();
      const uint64_t last = std::min<uint64_t>(end, launch.args()->size());
      for (uint64_t i = kernel->args_begin(); i < last && left > 0; ++i, --left) {
        use_word(number, flags[kernel->kernel()], launch.args()->Get(static_cast<uint32_t>(i)));
      }
    });
  });
}

void Dataflow::add_core(Program& program, const schema::CoreCoord& core) {
  const std::string range =
      absl::StrCat(core.x(), ",", core.y(), ",", core.x(), ",", core.y(), ";");
  const uint32_t set = texts_.number_of(range);
  const auto& sets = program.core_sets;
  if (program.cores.size() > kMostCoresText ||
      std::find(sets.begin(), sets.end(), set) != sets.end()) {
    return;
  }
  program.core_sets.push_back(set);
  program.cores += range;
}

// ---- What programs use ----

void Dataflow::use_circular_buffer(uint64_t id, uint64_t buffer) {
  const int32_t program = number_of(schema::ObjectKind::CircularBuffer, id);
  const int32_t number = buffer_of(buffer);
  if (program < 0 || number < 0) return;
  uses_[static_cast<uint32_t>(program)][static_cast<uint32_t>(number)] |= kByCircularBuffer;
}

void Dataflow::use_word(uint32_t program, uint8_t flags, uint32_t word) {
  const auto found = at_address_.find(word);
  if (found == at_address_.end()) return;
  for (const uint32_t buffer : found->second) uses_[program][buffer] |= flags;
}

void Dataflow::use_words(uint32_t program, uint8_t flags,
                         const flatbuffers::Vector<uint32_t>* words) {
  for_each(words, [&](uint32_t word) { use_word(program, flags, word); });
}

void Dataflow::use_arguments(uint32_t program, uint8_t flags,
                             const schema::RuntimeArgs* arguments) {
  if (arguments == nullptr) return;
  for_each(arguments->args(), [&](const schema::RuntimeArg* argument) {
    const int32_t buffer = argument->buffer() == 0 ? -1 : buffer_of(argument->buffer());
    if (buffer >= 0) uses_[program][static_cast<uint32_t>(buffer)] |= flags;
  });
}

// The words or symbols of runtime arguments, or a list of those of several cores.
template <class Arguments>
void Dataflow::use(uint32_t program, uint8_t flags, const Arguments* arguments) {
  if constexpr (std::same_as<Arguments, flatbuffers::Vector<uint32_t>>) {
    use_words(program, flags, arguments);
  } else if constexpr (std::same_as<Arguments, schema::RuntimeArgs>) {
    use_arguments(program, flags, arguments);
  } else if constexpr (std::same_as<Arguments, schema::Words>) {
    use_words(program, flags, arguments->words());
  } else {
    for_each(arguments, [&](const auto* each) { use(program, flags, each); });
  }
}

// Calls that set runtime arguments or circular buffers, launches and transfers of buffers; does
// nothing for others.
template <class Call>
void Dataflow::on(const Call& call) {
  if constexpr (schema::kEffect<Call> == schema::Effect::kLaunch) {
    launch(launched_by(call), call.device());
  } else if constexpr (requires { call.kernel(), call.args(); }) {
    const int32_t program = number_of(schema::ObjectKind::Kernel, call.kernel());
    const uint8_t flags = readers_.contains(call.kernel()) ? kByReader : kByOther;
    if (program >= 0) use(static_cast<uint32_t>(program), flags, call.args());
  } else if constexpr (requires { call.circular_buffer(), call.buffer(); }) {
    use_circular_buffer(call.circular_buffer(), call.buffer());
  } else if constexpr (requires { call.buffer(); }) {
    const int32_t number = buffer_of(call.buffer());
    if (number < 0) return;
    Buffer& buffer = buffers_[static_cast<size_t>(number)];
    if constexpr (schema::kEffect<Call> == schema::Effect::kRead) {
      ++buffer.reads;
      buffer.bytes_read += bytes_read(call);
    } else if constexpr (requires { call.data(); }) {
      ++buffer.writes;
      buffer.bytes_written += call.data()->size();
      buffer.has_content = true;
    }
  }
}

void Dataflow::launch(int32_t number, uint64_t device) {
  if (number < 0) return;
  Program& program = programs_[static_cast<size_t>(number)];
  program.device = device;
  ++program.launches;
  if (program.first < 0) program.first = static_cast<int64_t>(now_);
  const auto found = uses_.find(static_cast<uint32_t>(number));
  if (found == uses_.end()) return;
  add_edges(static_cast<uint32_t>(number), found->second);
  uses_.erase(found);
}

void Dataflow::add_edges(uint32_t number, const Uses& uses) {
  const Program& program = programs_[number];
  for (const auto& [used, flags] : uses) {
    Buffer& buffer = buffers_[used];
    if (buffer.device != program.device) continue;
    const uint8_t by_content = buffer.has_content ? kReads : kWrites;
    uint8_t edge = 0;
    if ((flags & kByReader) != 0) edge |= kReads;
    if ((flags & kByOther) != 0) edge |= program.has_reader ? kWrites : by_content;
    if ((flags & kByCircularBuffer) != 0) edge |= by_content;
    edges_[{number, used}] |= edge;
    buffer.has_content |= (edge & kWrites) != 0;
  }
}

// ---- JSON ----

void Dataflow::take(uint64_t number, const schema::Command& command) {
  now_ = number;
  add_objects(command);
  schema::visit_call(command, [this](const auto& call) { on(call); });
}

std::string Dataflow::json() const {
  schema::JsonWriter json;
  json.begin_object().key("texts");
  texts_.write(json);
  write_buffers(json);
  write_programs(json);
  write_edges(json);
  json.end_object();
  return json.take();
}

void Dataflow::write_buffers(schema::JsonWriter& json) const {
  json.key("buffers").begin_array();
  for (const Buffer& buffer : buffers_) {
    json.begin_array().value(buffer.id).value(buffer.device).value(buffer.size);
    json.value(buffer.page_size).value(buffer.taken).value(buffer.address).value(buffer.type);
    json.value(buffer.layout).value(buffer.created).value(buffer.freed).value(buffer.writes);
    json.value(buffer.bytes_written).value(buffer.reads).value(buffer.bytes_read).end_array();
  }
  json.end_array();
}

void Dataflow::write_programs(schema::JsonWriter& json) const {
  json.key("programs").begin_array();
  for (const Program& program : programs_) {
    json.begin_array().value(program.id).value(program.is_trace ? 1 : 0).value(program.device);
    json.value(program.first).value(program.launches).begin_array();
    for (const uint32_t name : program.kernels) json.value(name);
    json.end_array().value(program.cores).end_array();
  }
  json.end_array();
}

void Dataflow::write_edges(schema::JsonWriter& json) const {
  std::vector<std::pair<std::pair<uint32_t, uint32_t>, uint8_t>> edges(edges_.begin(),
                                                                       edges_.end());
  std::sort(edges.begin(), edges.end());  // the page is the same for the same file
  json.key("edges").begin_array();
  for (const auto& [ends, flags] : edges)
    json.value(ends.first).value(ends.second).value(static_cast<int>(flags));
  json.end_array();
}

}  // namespace lightmetal::runner::page
