#include "schema/show/timeline_trace.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "schema/show/json.h"

namespace lightmetal::schema {
namespace {

using timeline::Kind;
using timeline::Span;

// The scopes' process; devices have the numbers of their chips.
constexpr uint64_t kScopes = 1'000'000;
// The tracks of cores lie behind those of threads.
constexpr uint64_t kFirstCore = 1'000'000, kCoresInRow = 1000;

struct Track {
  uint64_t process, thread;
  friend auto operator<=>(const Track&, const Track&) = default;
};

Track track_of(const Span& span) {
  const auto chip = static_cast<uint64_t>(span.chip);
  if (span.kind == Kind::kScope) return {kScopes, 0};
  if (span.kind != Kind::kCore) return {chip, span.thread};
  return {chip, kFirstCore + span.core.y * kCoresInRow + span.core.x};
}

std::string name_of(const Track& track) {
  if (track.process == kScopes) return "scopes";
  if (track.thread < kFirstCore) return absl::StrCat("queue thread ", track.thread);
  const uint64_t core = track.thread - kFirstCore;
  return absl::StrCat("core (", core % kCoresInRow, ",", core / kCoresInRow, ")");
}

std::string name_of(const Span& span) {
  switch (span.kind) {
    case Kind::kWrite:
      return "write";
    case Kind::kRead:
      return "read";
    case Kind::kLaunch:
    case Kind::kScope:
      return span.name;
    case Kind::kCore:
      return absl::StrCat("program ", span.plan);
  }
  return "?";
}

void append_arguments(JsonWriter& json, const Span& span) {
  json.key("args").begin_object();
  if (span.bytes != 0) json.member("bytes", span.bytes);
  if (span.plan != 0) json.member("program", span.plan);
  if (span.cores != 0) json.member("cores", span.cores);
  if (span.lane != 0) json.member("sub_device", span.lane - 1);
  json.end_object();
}

void append_event(JsonWriter& json, const Span& span, int64_t origin) {
  const Track track = track_of(span);
  json.begin_object().member("name", name_of(span)).member("ph", "X");
  json.member("ts", static_cast<double>(span.begin - origin) / 1000);
  json.member("dur", static_cast<double>(span.end - span.begin) / 1000);
  json.member("pid", track.process).member("tid", track.thread);
  append_arguments(json, span);
  json.end_object();
}

void append_name(JsonWriter& json, const char* what, const Track& track, const std::string& name) {
  json.begin_object().member("name", what).member("ph", "M");
  json.member("pid", track.process).member("tid", track.thread);
  json.key("args").begin_object().member("name", name).end_object().end_object();
}

void append_names(JsonWriter& json, const std::set<Track>& tracks) {
  std::set<uint64_t> processes;
  for (const Track& track : tracks) {
    if (processes.insert(track.process).second) {
      append_name(json, "process_name", track,
                  track.process == kScopes ? "program" : absl::StrCat("device ", track.process));
    }
    append_name(json, "thread_name", track, name_of(track));
  }
}

}  // namespace

std::string timeline_trace(const timeline::Spans& timeline) {
  std::set<Track> tracks;
  int64_t origin = std::numeric_limits<int64_t>::max();
  for (const Span& span : timeline.spans) {
    tracks.insert(track_of(span));
    origin = std::min(origin, span.begin);
  }
  JsonWriter json;
  json.begin_object().member("displayTimeUnit", "ms").key("traceEvents").begin_array();
  append_names(json, tracks);
  for (const Span& span : timeline.spans) append_event(json, span, origin);
  json.end_array().key("otherData").begin_object();
  json.member("dropped_spans", timeline.dropped).end_object().end_object();
  return json.take() + "\n";
}

}  // namespace lightmetal::schema
