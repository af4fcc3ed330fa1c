#include "schema/info.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status.h"
#include "schema/json.h"
#include "schema/statistics.h"
#include "schema/value.h"

namespace lightmetal::schema {
namespace {

constexpr size_t kMaxItems = 12;

// "1.5 MiB"
std::string size_in_words(uint64_t bytes) {
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return absl::StrCat(bytes, " bytes");
  double size = static_cast<double>(bytes);
  int unit = -1;
  for (; size >= 1024 && unit < 5; ++unit) size /= 1024;
  return absl::StrFormat("%.1f %s", size, kUnits[unit]);
}

std::string name_in_words(const KernelStatistics& kernel) {
  return kernel.name.empty() ? "(from a string)" : absl::Utf8SafeCEscape(kernel.name);
}

void append_session(std::string& text, const File& file) {
  const SessionInfo& session = file.session();
  absl::StrAppendFormat(&text, "file       %s, %s\n", file.name(), size_in_words(file.size()));
  absl::StrAppendFormat(&text, "format     %d.%d, written by %s\n", session.version_major,
                        session.version_minor, absl::Utf8SafeCEscape(session.producer));
  for (const auto& [name, value] : session.options) {
    absl::StrAppendFormat(&text, "option     %s=%s\n", absl::Utf8SafeCEscape(name),
                          absl::Utf8SafeCEscape(value));
  }
  absl::StrAppend(&text, "state      ",
                  file.complete() ? "complete" : "INCOMPLETE: " + file.incomplete_reason(), "\n");
}

void append_devices(std::string& text, const Statistics& statistics) {
  for (const DeviceStatistics& device : statistics.devices) {
    absl::StrAppendFormat(&text, "device     %d: chip %d, %d command queues, recorded on %s\n",
                          device.id, device.chip_id, device.num_hw_cqs,
                          absl::Utf8SafeCEscape(device.backend));
    absl::StrAppend(&text, "           ");
    append_text(text, value_of(*device.profile), kMaxItems);
    text += '\n';
  }
}

void append_kernels(std::string& text, const Statistics& statistics) {
  absl::StrAppendFormat(&text, "kernels    %d\n", statistics.kernels.size());
  for (const KernelStatistics& kernel : statistics.kernels) {
    absl::StrAppendFormat(&text, "  %6d   %s on %s", kernel.id, name_in_words(kernel),
                          kernel.processor);
    for (const KernelObject& object : kernel.objects) {
      absl::StrAppendFormat(&text, ", %s for %s", size_in_words(object.size),
                            absl::Utf8SafeCEscape(object.target));
    }
    text += '\n';
  }
}

void append_session(JsonWriter& json, const File& file) {
  const SessionInfo& session = file.session();
  json.member("file", file.name()).member("size", file.size());
  json.key("format").begin_object();
  json.member("major", session.version_major).member("minor", session.version_minor).end_object();
  json.member("producer", session.producer).key("options").begin_object();
  for (const auto& [name, value] : session.options) json.member(name, value);
  json.end_object();
  json.member("complete", file.complete()).member("incomplete_reason", file.incomplete_reason());
}

void append_devices(JsonWriter& json, const Statistics& statistics) {
  json.key("devices").begin_array();
  for (const DeviceStatistics& device : statistics.devices) {
    json.begin_object().member("id", device.id).member("chip_id", device.chip_id);
    json.member("num_hw_cqs", device.num_hw_cqs).member("backend", device.backend);
    json.key("profile");
    append_json(json, value_of(*device.profile), nullptr);
    json.end_object();
  }
  json.end_array();
}

void append_kernels(JsonWriter& json, const Statistics& statistics) {
  json.key("kernels").begin_array();
  for (const KernelStatistics& kernel : statistics.kernels) {
    json.begin_object().member("id", kernel.id).member("name", kernel.name);
    json.member("processor", kernel.processor).key("objects").begin_array();
    for (const KernelObject& object : kernel.objects) {
      json.begin_object().member("target", object.target).member("size", object.size).end_object();
    }
    json.end_array().end_object();
  }
  json.end_array();
}

}  // namespace

absl::StatusOr<std::string> info_text(const File& file) {
  LM_ASSIGN_OR_RETURN(statistics, statistics_of(file));
  std::string text;
  append_session(text, file);
  append_devices(text, statistics);
  absl::StrAppendFormat(&text, "payloads   %d, %s stored, %s used\n", statistics.num_payloads,
                        size_in_words(statistics.unique_payload_bytes),
                        size_in_words(statistics.payload_bytes));
  append_kernels(text, statistics);
  absl::StrAppendFormat(&text, "commands   %d\n", statistics.num_commands);
  for (const CommandCount& command : statistics.commands) {
    absl::StrAppendFormat(&text, "  %6d   %s\n", command.count, command.name);
  }
  return text;
}

absl::StatusOr<std::string> info_json(const File& file) {
  LM_ASSIGN_OR_RETURN(statistics, statistics_of(file));
  JsonWriter json;
  json.begin_object();
  append_session(json, file);
  json.member("num_commands", statistics.num_commands).key("commands").begin_object();
  for (const CommandCount& command : statistics.commands) json.member(command.name, command.count);
  json.end_object();
  json.key("payloads").begin_object().member("count", statistics.num_payloads);
  json.member("unique_bytes", statistics.unique_payload_bytes);
  json.member("used_bytes", statistics.payload_bytes).end_object();
  append_devices(json, statistics);
  append_kernels(json, statistics);
  json.end_object();
  return json.take();
}

}  // namespace lightmetal::schema
