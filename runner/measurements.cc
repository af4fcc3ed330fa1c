#include "runner/measurements.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <thread>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "runner/command_line.h"
#include "schema/show/json.h"

namespace lightmetal::runner {
namespace {

using timeline::Kind;
using timeline::Span;

double seconds_of(const Span& span) { return static_cast<double>(span.end - span.begin) * 1e-9; }

bool begins_before(const Span& a, const Span& b) {
  return std::tie(a.begin, a.depth) < std::tie(b.begin, b.depth);
}

// The measurement of this name, made where there is none.
Measurement& named(std::vector<Measurement>& measurements, const std::string& name) {
  const auto found = std::find_if(measurements.begin(), measurements.end(),
                                  [&](const Measurement& m) { return m.name == name; });
  return found != measurements.end() ? *found : measurements.emplace_back(Measurement{name});
}

// The bytes of the transfers that begin in the span. REQUIRES: `transfers` are in order.
uint64_t bytes_in(const Span& span, absl::Span<const Span> transfers) {
  const auto first = std::lower_bound(transfers.begin(), transfers.end(), span.begin,
                                      [](const Span& s, int64_t time) { return s.begin < time; });
  uint64_t bytes = 0;
  for (auto each = first; each != transfers.end() && each->begin <= span.end; ++each) {
    bytes += each->bytes;
  }
  return bytes;
}

std::string time_text(double seconds) {
  if (seconds >= 1) return absl::StrFormat("%.2f s", seconds);
  if (seconds >= 1e-3) return absl::StrFormat("%.2f ms", seconds * 1e3);
  if (seconds >= 1e-6) return absl::StrFormat("%.2f us", seconds * 1e6);
  return absl::StrFormat("%.0f ns", seconds * 1e9);
}

std::string bytes_text(uint64_t bytes) {
  if (bytes == 0) return "";
  if (bytes < 10240) return absl::StrCat(bytes, " B");
  const double kibibytes = static_cast<double>(bytes) / 1024;
  return kibibytes < 10240 ? absl::StrFormat("%.0f KiB", kibibytes)
                           : absl::StrFormat("%.0f MiB", kibibytes / 1024);
}

std::string line_of(const Measurement& measurement, size_t width) {
  const auto text = [&](double q) { return time_text(quantile(measurement, q)); };
  std::string line = absl::StrFormat("%-*s %6d %10s %10s %10s %10s %9s", static_cast<int>(width),
                                     measurement.name, measurement.times.size(), text(0), text(0.5),
                                     text(0.95), text(1), bytes_text(measurement.bytes));
  if (measurement.reference > 0) {
    absl::StrAppendFormat(&line, " %8.3f", quantile(measurement, 0.5) / measurement.reference);
  }
  return line;
}

void append_time(schema::JsonWriter& json, double seconds) {
  json.member("real_time", seconds * 1e9).member("cpu_time", seconds * 1e9);
  json.member("time_unit", "ns");
}

void append_head(schema::JsonWriter& json, const Measurement& measurement, const char* type,
                 const std::string& name) {
  json.begin_object().member("name", name).member("run_name", measurement.name);
  json.member("run_type", type).member("repetitions", measurement.times.size());
  json.member("threads", 1);
}

void append_iterations(schema::JsonWriter& json, const Measurement& measurement) {
  for (size_t i = 0; i < measurement.times.size(); ++i) {
    append_head(json, measurement, "iteration", measurement.name);
    json.member("repetition_index", i).member("iterations", 1);
    append_time(json, measurement.times[i]);
    if (measurement.bytes != 0) json.member("bytes", measurement.bytes);
    json.end_object();
  }
}

void append_aggregates(schema::JsonWriter& json, const Measurement& measurement) {
  for (const auto& [name, q] :
       {std::pair("min", 0.0), {"median", 0.5}, {"p95", 0.95}, {"max", 1.0}}) {
    append_head(json, measurement, "aggregate", absl::StrCat(measurement.name, "_", name));
    json.member("iterations", measurement.times.size()).member("aggregate_name", name);
    json.member("aggregate_unit", "time");
    append_time(json, quantile(measurement, q));
    if (measurement.reference > 0) json.member("reference", measurement.reference * 1e9);
    json.end_object();
  }
}

void append_context(schema::JsonWriter& json) {
  char host[256] = {};
  ::gethostname(host, sizeof(host) - 1);
  json.key("context").begin_object();
  json.member("date", absl::FormatTime(absl::RFC3339_sec, absl::Now(), absl::LocalTimeZone()));
  json.member("host_name", host).member("executable", "lightmetal_runner");
  json.member("num_cpus", std::thread::hardware_concurrency());
  json.member("library_build_type", "release").end_object();
}

}  // namespace

double quantile(const Measurement& measurement, double q) {
  std::vector<double> times = measurement.times;
  std::sort(times.begin(), times.end());
  const double place = q * static_cast<double>(times.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, times.size() - 1);
  return std::lerp(times[below], times[above], place - static_cast<double>(below));
}

void RunDetails::add(const timeline::Spans& timeline) {
  std::vector<Span> scopes, launches, transfers;
  for (const Span& span : timeline.spans) {
    if (span.kind == Kind::kScope) scopes.push_back(span);
    if (span.kind == Kind::kLaunch) launches.push_back(span);
    if (span.kind == Kind::kWrite || span.kind == Kind::kRead) transfers.push_back(span);
  }
  for (std::vector<Span>* spans : {&scopes, &launches, &transfers}) {
    std::sort(spans->begin(), spans->end(), begins_before);
  }
  bytes_moved_ = 0;
  for (const Span& transfer : transfers) bytes_moved_ += transfer.bytes;
  add_scopes(std::move(scopes), transfers);
  add_programs(launches);
}

void RunDetails::add_scopes(std::vector<Span> scopes, absl::Span<const Span> transfers) {
  std::vector<std::string> names;  // of the scopes around
  for (const Span& scope : scopes) {
    names.resize(std::min<size_t>(names.size(), scope.depth));
    names.push_back(names.empty() ? scope.name : absl::StrCat(names.back(), "/", scope.name));
    Measurement& measurement = named(scopes_, absl::StrCat("scope ", names.back()));
    measurement.times.push_back(seconds_of(scope));
    measurement.bytes = bytes_in(scope, transfers);
  }
}

void RunDetails::add_programs(absl::Span<const Span> launches) {
  std::map<uint64_t, std::string> names;  // by plan
  std::map<std::tuple<int, std::string, uint32_t>, int> alike;
  for (const Span& launch : launches) {
    std::string& name = names[launch.plan];
    if (name.empty()) {
      const int number = ++alike[{launch.chip, launch.name, launch.cores}];
      name = absl::StrCat("program ", launch.name, " on ", launch.cores,
                          launch.cores == 1 ? " core" : " cores");
      if (launch.chip != 0) absl::StrAppend(&name, " of device ", launch.chip);
      if (number > 1) absl::StrAppend(&name, ", #", number);
    }
    named(programs_, name).times.push_back(seconds_of(launch));
  }
}

void print_measurements(absl::Span<const Measurement> measurements) {
  size_t width = 0;
  bool has_references = false;
  for (const Measurement& measurement : measurements) {
    width = std::max(width, measurement.name.size());
    has_references |= measurement.reference > 0;
  }
  say(absl::StrFormat("%-*s %6s %10s %10s %10s %10s %9s%s", static_cast<int>(width), "", "times",
                      "min", "median", "p95", "max", "moved", has_references ? "    ratio" : ""));
  for (const Measurement& measurement : measurements) say(line_of(measurement, width));
}

std::string json_of(absl::Span<const Measurement> measurements) {
  schema::JsonWriter json;
  json.begin_object();
  append_context(json);
  json.key("benchmarks").begin_array();
  for (const Measurement& measurement : measurements) {
    append_iterations(json, measurement);
    append_aggregates(json, measurement);
  }
  json.end_array().end_object();
  return json.take() + "\n";
}

}  // namespace lightmetal::runner
