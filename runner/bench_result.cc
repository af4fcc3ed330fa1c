#include "runner/bench_result.h"

#include <cmath>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status.h"
#include "runner/page/json_reader.h"
#include "schema/storage/mapped_file.h"

namespace lightmetal::runner {
namespace {

using page::JsonReader;

// What one entry of a result says.
struct Entry {
  std::string name, run_name, aggregate, unit;
  double time = -1;
};

absl::Status read_text(JsonReader& json, std::string& text) {
  LM_ASSIGN_OR_RETURN(value, json.text());
  text = std::move(value);
  return absl::OkStatus();
}

absl::StatusOr<Entry> read_entry(JsonReader& json) {
  Entry entry;
  LM_RETURN_IF_ERROR(json.object([&](const std::string& name) -> absl::Status {
    if (name == "name") return read_text(json, entry.name);
    if (name == "run_name") return read_text(json, entry.run_name);
    if (name == "aggregate_name") return read_text(json, entry.aggregate);
    if (name == "time_unit") return read_text(json, entry.unit);
    if (name != "real_time") return json.skip();
    LM_ASSIGN_OR_RETURN(time, json.number());
    entry.time = time;
    return absl::OkStatus();
  }));
  return entry;
}

// 0 for a unit that is none.
double seconds_per(absl::string_view unit) {
  if (unit == "ns") return 1e-9;
  if (unit == "us") return 1e-6;
  if (unit == "ms") return 1e-3;
  return unit == "s" ? 1 : 0;
}

// By name, the times that were taken, and the medians.
struct Times {
  std::map<std::string, std::vector<double>> taken, medians;
};

absl::Status take(const Entry& entry, Times& times) {
  const double seconds = entry.time * seconds_per(entry.unit);
  if (!(seconds > 0) || !std::isfinite(seconds)) {
    return absl::InvalidArgumentError(
        absl::StrCat("an entry for ", entry.name, " has no time that was measured"));
  }
  const std::string& name = entry.run_name.empty() ? entry.name : entry.run_name;
  if (entry.aggregate.empty()) times.taken[name].push_back(seconds);
  if (entry.aggregate == "median") times.medians[name].push_back(seconds);
  return absl::OkStatus();
}

absl::Status read_entries(JsonReader& json, Times& times) {
  return json.array([&]() -> absl::Status {
    LM_ASSIGN_OR_RETURN(entry, read_entry(json));
    return take(entry, times);
  });
}

absl::Status read_times(JsonReader& json, Times& times) {
  LM_RETURN_IF_ERROR(json.object([&](const std::string& name) {
    return name == "benchmarks" ? read_entries(json, times) : json.skip();
  }));
  LM_RETURN_IF_ERROR(json.end());
  if (!times.taken.empty() || !times.medians.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError("it has no times");
}

}  // namespace

absl::StatusOr<std::vector<Measurement>> read_bench_result(const std::string& path) {
  LM_ASSIGN_OR_RETURN(file, schema::MappedFile::open(path));
  const Bytes bytes = file->bytes();
  JsonReader json({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  Times times;
  const absl::Status status = read_times(json, times);
  if (!status.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, " is no result of bench --format json: ", status.message()));
  }
  times.taken.merge(times.medians);  // what was taken goes before
  std::vector<Measurement> measurements;
  for (auto& [name, taken] : times.taken) measurements.push_back({name, std::move(taken)});
  return measurements;
}

}  // namespace lightmetal::runner
