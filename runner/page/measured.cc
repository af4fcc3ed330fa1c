#include "runner/page/measured.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/status.h"
#include "runner/page/columns.h"
#include "runner/page/json_reader.h"
#include "schema/show/json.h"

namespace lightmetal::runner::page {
namespace {

// JavaScript's numbers are exact up to here: 104 days in nanoseconds.
constexpr double kMostNanoseconds = 9e15;
// More tracks than devices, threads and cores are: spans of others are left out.
constexpr size_t kMostTracks = 10'000;

int64_t nanoseconds(double microseconds) {
  if (std::isnan(microseconds)) return 0;
  return std::llround(std::clamp(microseconds * 1000, -kMostNanoseconds, kMostNanoseconds));
}

// One event of the text. What is absent is 0 or empty.
struct Event {
  std::string name, phase, named;  // `named`: what a metadata event says is the name
  double begin = 0, duration = 0;  // microseconds
  double process = 0, thread = 0;
  double bytes = 0;
};

absl::Status read_arguments(JsonReader& reader, Event& event) {
  return reader.object([&](const std::string& name) -> absl::Status {
    if (name == "name" && reader.next() == '"') {
      LM_ASSIGN_OR_RETURN(text, reader.text());
      event.named = std::move(text);
      return absl::OkStatus();
    }
    if (name != "bytes") return reader.skip();
    LM_ASSIGN_OR_RETURN(bytes, reader.number());
    event.bytes = bytes;
    return absl::OkStatus();
  });
}

absl::Status read_member(JsonReader& reader, const std::string& name, Event& event) {
  const std::map<absl::string_view, std::string*> texts = {{"name", &event.name},
                                                           {"ph", &event.phase}};
  const std::map<absl::string_view, double*> numbers = {{"ts", &event.begin},
                                                        {"dur", &event.duration},
                                                        {"pid", &event.process},
                                                        {"tid", &event.thread}};
  if (const auto text = texts.find(name); text != texts.end()) {
    LM_ASSIGN_OR_RETURN(value, reader.text());
    *text->second = std::move(value);
    return absl::OkStatus();
  }
  if (const auto number = numbers.find(name); number != numbers.end()) {
    LM_ASSIGN_OR_RETURN(value, reader.number());
    *number->second = value;
    return absl::OkStatus();
  }
  return name == "args" ? read_arguments(reader, event) : reader.skip();
}

class Timeline {
 public:
  absl::Status read(absl::string_view text);
  std::string json() const;

 private:
  using Track = std::pair<double, double>;  // process and thread

  absl::Status read_event(JsonReader& reader);
  void take(const Event& event);
  void take_span(const Event& event);
  void write_tracks(schema::JsonWriter& json) const;

  std::map<double, std::string> processes_;
  std::map<Track, std::string> threads_;
  std::map<Track, uint32_t> tracks_;
  TextTable names_;
  std::vector<int64_t> begin_, duration_;
  std::vector<uint32_t> name_, track_;
  std::vector<uint64_t> bytes_;
  uint64_t left_out_ = 0;
};

absl::Status Timeline::read(absl::string_view text) {
  JsonReader reader(text);
  bool has_events = false;
  LM_RETURN_IF_ERROR(reader.object([&](const std::string& name) {
    if (name != "traceEvents") return reader.skip();
    has_events = true;
    return reader.array([&] { return read_event(reader); });
  }));
  LM_RETURN_IF_ERROR(reader.end());
  return has_events ? absl::OkStatus() : absl::InvalidArgumentError("it has no traceEvents");
}

absl::Status Timeline::read_event(JsonReader& reader) {
  Event event;
  LM_RETURN_IF_ERROR(
      reader.object([&](const std::string& name) { return read_member(reader, name, event); }));
  take(event);
  return absl::OkStatus();
}

void Timeline::take(const Event& event) {
  if (event.phase == "X") return take_span(event);
  if (event.phase != "M" || threads_.size() + processes_.size() > kMostTracks) return;
  if (event.name == "process_name") processes_[event.process] = event.named;
  if (event.name == "thread_name") threads_[{event.process, event.thread}] = event.named;
}

void Timeline::take_span(const Event& event) {
  const Track track{event.process, event.thread};
  const bool is_known = tracks_.contains(track);
  if (begin_.size() == kMostSpans || (!is_known && tracks_.size() == kMostTracks)) {
    ++left_out_;
    return;
  }
  const auto number = tracks_.emplace(track, static_cast<uint32_t>(tracks_.size())).first->second;
  track_.push_back(number);
  name_.push_back(names_.number_of(event.name));
  begin_.push_back(nanoseconds(event.begin));
  duration_.push_back(std::max<int64_t>(0, nanoseconds(event.duration)));
  bytes_.push_back(static_cast<uint64_t>(std::clamp(event.bytes, 0.0, kMostNanoseconds)));
}

void Timeline::write_tracks(schema::JsonWriter& json) const {
  std::vector<std::pair<std::string, std::string>> names(tracks_.size());
  std::vector<uint32_t> order;  // of the tracks, by process and thread
  for (const auto& [track, number] : tracks_) {
    const auto process = processes_.find(track.first);
    const auto thread = threads_.find(track);
    names[number] = {process == processes_.end() ? "" : process->second,
                     thread == threads_.end() ? "" : thread->second};
    order.push_back(number);
  }
  json.key("tracks").begin_array();
  for (const auto& [process, thread] : names)
    json.begin_array().value(process).value(thread).end_array();
  json.end_array().key("order").begin_array();
  for (const uint32_t number : order) json.value(number);
  json.end_array();
}

std::string Timeline::json() const {
  schema::JsonWriter json;
  json.begin_object().member("left_out", left_out_);
  write_tracks(json);
  json.key("names");
  names_.write(json);
  write_column(json, "track", track_);
  write_column(json, "name", name_);
  write_column(json, "begin", begin_);
  write_column(json, "duration", duration_);
  write_column(json, "bytes", bytes_);
  json.end_object();
  return json.take();
}

}  // namespace

absl::StatusOr<std::string> timeline_json(absl::string_view text) {
  Timeline timeline;
  LM_RETURN_IF_ERROR(timeline.read(text));
  return timeline.json();
}

namespace {

// The number; no command and no buffer has one that it is not exact for.
absl::StatusOr<uint64_t> count_of(JsonReader& reader) {
  LM_ASSIGN_OR_RETURN(number, reader.number());
  if (number >= 0 && number <= kMostNanoseconds) return static_cast<uint64_t>(number);
  return absl::InvalidArgumentError("a golden of it has a number that is none");
}

absl::StatusOr<ReportedGolden> golden_of(JsonReader& reader) {
  ReportedGolden golden;
  LM_RETURN_IF_ERROR(reader.object([&](const std::string& name) -> absl::Status {
    if (name == "command") {
      LM_ASSIGN_OR_RETURN(number, count_of(reader));
      golden.command = number;
    } else if (name == "buffer") {
      LM_ASSIGN_OR_RETURN(id, count_of(reader));
      golden.buffer = id;
    } else if (name == "call") {
      LM_ASSIGN_OR_RETURN(call, reader.text());
      golden.call = std::move(call);
    } else {
      return reader.skip();
    }
    return absl::OkStatus();
  }));
  return golden;
}

}  // namespace

absl::Status for_each_golden(absl::string_view text,
                             absl::FunctionRef<absl::Status(const ReportedGolden&)> take) {
  JsonReader reader(text);
  return reader.object([&](const std::string& name) {
    if (name != "goldens") return reader.skip();
    return reader.array([&]() -> absl::Status {
      LM_ASSIGN_OR_RETURN(golden, golden_of(reader));
      return take(golden);
    });
  });
}

absl::StatusOr<std::string> goldens_json(absl::string_view text) {
  JsonReader reader(text);
  schema::JsonWriter json;
  std::optional<double> version;
  bool has_goldens = false;
  json.begin_object();
  LM_RETURN_IF_ERROR(reader.object([&](const std::string& name) -> absl::Status {
    json.key(name);
    if (name == "goldens") {
      has_goldens = true;
      json.begin_array();
      LM_RETURN_IF_ERROR(reader.array([&]() -> absl::Status {
        if (reader.next() != '{') return absl::InvalidArgumentError("a golden of it is no object");
        return reader.copy(&json);
      }));
      json.end_array();
      return absl::OkStatus();
    }
    if (name != "version") return reader.copy(&json);
    LM_ASSIGN_OR_RETURN(value, reader.number());
    version = value;
    json.value(value);
    return absl::OkStatus();
  }));
  LM_RETURN_IF_ERROR(reader.end());
  if (version != 1 || !has_goldens)
    return absl::InvalidArgumentError("it is no report of version 1 with goldens");
  json.end_object();
  return json.take();
}

}  // namespace lightmetal::runner::page
