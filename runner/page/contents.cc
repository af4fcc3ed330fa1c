#include "runner/page/contents.h"

#include <algorithm>
#include <concepts>
#include <iterator>
#include <type_traits>

#include "base/status.h"
#include "schema/commands/calls.h"
#include "schema/commands/decode.h"
#include "schema/commands/effect.h"
#include "schema/file/session_info.h"
#include "schema/semantics/golden_policy.h"
#include "schema/show/json.h"
#include "schema/show/print.h"
#include "schema/text.h"

namespace lightmetal::runner::page {
namespace {

// The most bytes that are shown of a command's fields: `dump` shows all.
constexpr size_t kMostText = 400;

// Queues with higher numbers than any device has share a track: a file may say any number.
constexpr uint32_t kHighestQueue = 255;
constexpr size_t kMostQueues = 4096;

// The fields in one line, cut where a character begins.
std::string fields_of(const schema::Command& command) {
  std::string text;
  schema::append_text(text, command, schema::kItemsInSummary);
  if (text.size() <= kMostText) return text;
  size_t end = kMostText;
  while (end > 0 && (static_cast<uint8_t>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + " ...";
}

template <class Call>
uint64_t buffer_of(const Call& call) {
  if constexpr (requires { call.buffer(); }) return call.buffer();
  return 0;
}

template <class Call>
absl::string_view policy_of(const Call& call) {
  if constexpr (requires { call.policy(); }) {
    if (call.policy() != nullptr) return {call.policy()->c_str(), call.policy()->size()};
  }
  return {};
}

template <class Call>
absl::string_view element_type_of(const Call& call) {
  if constexpr (requires { call.element_type(); }) {
    return schema::EnumNameElementType(call.element_type());
  }
  return schema::EnumNameElementType(schema::ElementType::Bytes);
}

}  // namespace

absl::StatusOr<Contents> Contents::of(const schema::File& file) {
  Contents contents;
  contents.total_ = file.num_commands();
  const auto policy = schema::golden_policy_of(file.session());
  if (policy.ok()) contents.default_policy_ = policy->text();
  const uint64_t shown = std::min(contents.total_, kMostCommands);
  LM_RETURN_IF_ERROR(file.for_each_command(0, shown, [&](const schema::CommandView& view) {
    contents.take(view);
    return absl::OkStatus();
  }));
  return contents;
}

template <class Call>
uint32_t Contents::track_of(const Call& call) {
  if constexpr (requires {
                  call.device();
                  call.cq();
                }) {
    if constexpr (requires { call.cq().has_value(); }) {
      return call.cq().has_value() ? track_of_queue(call.device(), *call.cq()) : 0;
    } else {
      return track_of_queue(call.device(), call.cq());
    }
  }
  return 0;
}

uint32_t Contents::track_of_queue(uint64_t device, uint32_t number) {
  const uint64_t key = device * (kHighestQueue + 1) + std::min(number, kHighestQueue);
  const auto found = tracks_.find(key);
  if (found != tracks_.end()) return found->second;
  if (queues_.size() == kMostQueues) return 0;
  queues_.push_back({device, number});
  return tracks_[key] = static_cast<uint32_t>(queues_.size());
}

template <class Call>
void Contents::take_golden(uint64_t number, const Call& call, int32_t buffer) {
  if (call.golden() == nullptr) return;
  const absl::string_view policy = policy_of(call);
  goldens_.push_back(
      {.command = number,
       .bytes = call.golden()->size(),
       .buffer = buffer,
       .element_type = texts_.number_of(element_type_of(call)),
       .policy = texts_.number_of(policy.empty() ? absl::string_view(default_policy_) : policy)});
}

std::string Contents::commands_json() const {
  schema::JsonWriter json;
  json.begin_object().member("total", total_);
  json.key("calls");
  calls_.write(json);
  json.key("kinds").begin_array();
  for (const char* kind : kind_of_call_) json.value(kind);
  json.end_array().key("tracks").begin_array();
  for (const Queue& queue : queues_) {
    json.begin_array().value(queue.device).value(queue.number).end_array();
  }
  json.end_array().key("texts");
  texts_.write(json);
  write_column(json, "call", call_);
  write_column(json, "text", text_);
  write_column(json, "track", track_);
  write_column(json, "object", object_);
  write_column(json, "bytes", bytes_);
  json.end_object();
  return json.take();
}

std::string Contents::goldens_json() const {
  schema::JsonWriter json;
  json.begin_object().key("recorded").begin_array();
  for (const Golden& golden : goldens_) {
    json.begin_array().value(golden.command).value(golden.buffer).value(golden.element_type);
    json.value(golden.bytes).value(golden.policy).end_array();
  }
  json.end_array().end_object();
  return json.take();
}

// Below all that it instantiates, which clang asks of a table of functions.
template <class Call>
Contents::Row Contents::row_of(uint64_t number, const Call& call) {
  Row row{.track = track_of(call)};
  using schema::Effect;
  if constexpr (schema::kEffect<Call> == Effect::kLaunch) {
    row.kind = "launch";
    row.object = dataflow_.launched_by(call);
  } else if constexpr (schema::kEffect<Call> == Effect::kRead) {
    row.kind = "read";
    row.object = dataflow_.buffer_of(buffer_of(call));
    row.bytes = dataflow_.bytes_read(call);
    take_golden(number, call, row.object);
  } else if constexpr (schema::kEffect<Call> == Effect::kWrite && requires { call.data(); }) {
    row.kind = "write";
    row.object = dataflow_.buffer_of(buffer_of(call));
    row.bytes = call.data()->size();
  } else if constexpr (schema::kEffect<Call> == Effect::kWait) {
    row.kind = "wait";
  } else if constexpr (std::same_as<Call, schema::ScopeBegin>) {
    row.kind = "begin";
  } else if constexpr (std::same_as<Call, schema::ScopeEnd>) {
    row.kind = "end";
  }
  return row;
}

void Contents::take(const schema::CommandView& view) {
  const schema::Command& command = *view.command;
  dataflow_.take(view.number, command);
  const Row row = schema::visit_call(
      command, [&](const auto& call) -> Row { return row_of(view.number, call); });
  const uint32_t call = calls_.number_of(schema::name_of(command));
  if (call == kind_of_call_.size()) kind_of_call_.push_back(row.kind);
  call_.push_back(call);
  text_.push_back(texts_.number_of(fields_of(command)));
  track_.push_back(row.track);
  object_.push_back(row.object);
  bytes_.push_back(row.bytes);
}

}  // namespace lightmetal::runner::page
