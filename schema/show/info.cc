#include "schema/show/info.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "base/text.h"
#include "schema/commands/decode.h"
#include "schema/file/signature.h"
#include "schema/show/intents.h"
#include "schema/show/json.h"
#include "schema/show/print.h"
#include "schema/show/statistics.h"

namespace lightmetal::schema {
namespace {

// A size for people, such as "1.5 MiB".
std::string size_in_words(uint64_t bytes) {
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return absl::StrCat(bytes, " bytes");
  double size = static_cast<double>(bytes);
  int unit = -1;
  for (; size >= 1024 && unit < 5; ++unit) size /= 1024;
  return absl::StrFormat("%.1f %s", size, kUnits[unit]);
}

std::string name_in_words(const KernelStatistics& kernel) {
  if (!kernel.name.empty()) return escaped(kernel.name);
  return kernel.from_string ? "(from a string)" : "(from a file without a name here)";
}

void append_line(std::string& text, absl::string_view name, absl::string_view value) {
  if (value.empty()) return;
  absl::StrAppendFormat(&text, "%-10s %s\n", name, escaped(value));
}

void append_origin(std::string& text, const OriginInfo& origin) {
  append_line(text, "build", origin.build);
  append_line(text, "program", origin.program);
  absl::StrAppend(&text, "arguments  ", command_line_in_words(origin), "\n");
  for (const auto& [name, value] : origin.environment) {
    append_line(text, "variable", absl::StrCat(name, "=", value));
  }
  append_line(text, "begun", absl::StrCat(time_in_words(origin), ", process ", origin.process_id));
  append_line(text, "host", origin.machine.host);
  append_line(text, "system", origin.machine.operating_system);
  append_line(text, "processor", origin.machine.processor);
  append_line(text, "features", absl::StrJoin(origin.machine.processor_features, ", "));
}

void append_session(std::string& text, const File& file) {
  const SessionInfo& session = file.session();
  absl::StrAppendFormat(&text, "file       %s, %s\n", file.name(), size_in_words(file.size()));
  absl::StrAppendFormat(&text, "format     %d.%d, written by %s\n", session.version_major,
                        session.version_minor, escaped(session.producer));
  for (const auto& [name, value] : session.options) {
    absl::StrAppendFormat(&text, "option     %s=%s\n", escaped(name), escaped(value));
  }
  if (session.origin.has_value()) append_origin(text, *session.origin);
  append_line(text, "state",
              file.complete() ? "complete" : "INCOMPLETE: " + file.incomplete_reason());
}

void append_signatures(std::string& text, absl::Span<const Signature> signatures) {
  for (const Signature& signature : signatures) {
    absl::StrAppend(&text, "signature  claims to be of key ", signature.key.id(), "\n");
  }
}

// Says inside which calls the program died or the capture ended.
void append_open_intents(std::string& text, const File& file,
                         const std::vector<CommandView>& intents) {
  for (const CommandView& intent : intents) {
    absl::StrAppend(&text, file.closed() ? "ended in   " : "died in    ", intent_in_words(intent),
                    "\n");
  }
}

void append_devices(std::string& text, const Statistics& statistics) {
  for (const DeviceStatistics& device : statistics.devices) {
    absl::StrAppendFormat(&text, "device     %d: chip %d, %d command queues, recorded on %s\n",
                          device.id, device.chip_id, device.num_hw_cqs, escaped(device.backend));
    absl::StrAppend(&text, "           ");
    append_text(text, *device.profile, kItemsInSummary);
    text += '\n';
  }
}

void append_payloads(std::string& text, const Statistics& statistics) {
  absl::StrAppendFormat(&text, "payloads   %d, %s stored, %s used\n", statistics.num_payloads,
                        size_in_words(statistics.stored_payload_bytes),
                        size_in_words(statistics.payload_bytes));
  if (statistics.num_compressed != 0) {
    absl::StrAppendFormat(&text, "  %6d   compressed, %s to %s (%.1f : 1)\n",
                          statistics.num_compressed,
                          size_in_words(statistics.compressed_content_bytes),
                          size_in_words(statistics.compressed_stored_bytes),
                          static_cast<double>(statistics.compressed_content_bytes) /
                              static_cast<double>(statistics.compressed_stored_bytes));
  }
  for (const ReferencedFileStatistics& file : statistics.referenced_files) {
    absl::StrAppendFormat(&text, "  %6d   in %s, %s\n", file.num_payloads, escaped(file.path),
                          size_in_words(file.bytes));
  }
}

void append_kernels(std::string& text, const Statistics& statistics) {
  absl::StrAppendFormat(&text, "kernels    %d\n", statistics.kernels.size());
  for (const KernelStatistics& kernel : statistics.kernels) {
    absl::StrAppendFormat(&text, "  %6d   %s on %s", kernel.id, name_in_words(kernel),
                          kernel.processor);
    for (const KernelObject& object : kernel.objects) {
      absl::StrAppendFormat(&text, ", %s for %s", size_in_words(object.size),
                            escaped(object.target));
    }
    text += '\n';
  }
}

void append_texts(JsonWriter& json, absl::string_view name, const std::vector<std::string>& texts) {
  json.key(name).begin_array();
  for (const std::string& text : texts) json.value(text);
  json.end_array();
}

void append_origin(JsonWriter& json, const std::optional<OriginInfo>& origin) {
  json.key("origin");
  if (!origin.has_value()) {
    json.null();
    return;
  }
  json.begin_object().member("build", origin->build).member("program", origin->program);
  append_texts(json, "arguments", origin->arguments);
  json.key("environment").begin_object();
  for (const auto& [name, value] : origin->environment) json.member(name, value);
  json.end_object().member("time", origin->time).member("process_id", origin->process_id);
  const Machine& machine = origin->machine;
  json.member("host", machine.host).member("operating_system", machine.operating_system);
  json.member("processor", machine.processor);
  append_texts(json, "processor_features", machine.processor_features);
  json.end_object();
}

void append_session(JsonWriter& json, const File& file) {
  const SessionInfo& session = file.session();
  json.member("file", file.name()).member("size", file.size());
  json.key("format").begin_object();
  json.member("major", session.version_major).member("minor", session.version_minor).end_object();
  json.member("producer", session.producer).key("options").begin_object();
  for (const auto& [name, value] : session.options) json.member(name, value);
  json.end_object();
  append_origin(json, session.origin);
  json.member("complete", file.complete()).member("incomplete_reason", file.incomplete_reason());
}

void append_signatures(JsonWriter& json, absl::Span<const Signature> signatures) {
  json.key("signatures").begin_array();
  for (const Signature& signature : signatures) {
    json.value(signature.key.id());
  }
  json.end_array();
}

void append_open_intents(JsonWriter& json, const std::vector<CommandView>& intents) {
  json.key("open_intents").begin_array();
  for (const CommandView& intent : intents) {
    json.begin_object().member("before_command", intent.number).member("offset", intent.offset);
    json.member("name", name_of(*intent.command)).key("fields");
    append_json(json, *intent.command, nullptr);
    json.end_object();
  }
  json.end_array();
}

void append_devices(JsonWriter& json, const Statistics& statistics) {
  json.key("devices").begin_array();
  for (const DeviceStatistics& device : statistics.devices) {
    json.begin_object().member("id", device.id).member("chip_id", device.chip_id);
    json.member("num_hw_cqs", device.num_hw_cqs).member("backend", device.backend);
    json.key("profile");
    append_json(json, *device.profile);
    json.end_object();
  }
  json.end_array();
}

void append_payloads(JsonWriter& json, const Statistics& statistics) {
  json.key("payloads").begin_object().member("count", statistics.num_payloads);
  json.member("unique_bytes", statistics.unique_payload_bytes);
  json.member("used_bytes", statistics.payload_bytes);
  json.member("stored_bytes", statistics.stored_payload_bytes);
  json.key("compressed").begin_object().member("count", statistics.num_compressed);
  json.member("bytes", statistics.compressed_content_bytes);
  json.member("stored_bytes", statistics.compressed_stored_bytes).end_object();
  json.key("referenced_files").begin_array();
  for (const ReferencedFileStatistics& file : statistics.referenced_files) {
    json.begin_object().member("path", file.path).member("count", file.num_payloads);
    json.member("bytes", file.bytes).end_object();
  }
  json.end_array().end_object();
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
  LM_ASSIGN_OR_RETURN(signatures, signatures_of(file));
  LM_ASSIGN_OR_RETURN(intents, open_intents(file));
  std::string text;
  append_session(text, file);
  append_open_intents(text, file, intents);
  append_signatures(text, signatures);
  append_devices(text, statistics);
  append_payloads(text, statistics);
  append_kernels(text, statistics);
  absl::StrAppendFormat(&text, "commands   %d\n", statistics.num_commands);
  for (const CommandCount& command : statistics.commands) {
    absl::StrAppendFormat(&text, "  %6d   %s\n", command.count, command.name);
  }
  return text;
}

absl::StatusOr<std::string> info_json(const File& file) {
  LM_ASSIGN_OR_RETURN(statistics, statistics_of(file));
  LM_ASSIGN_OR_RETURN(signatures, signatures_of(file));
  LM_ASSIGN_OR_RETURN(intents, open_intents(file));
  JsonWriter json;
  json.begin_object();
  append_session(json, file);
  append_open_intents(json, intents);
  append_signatures(json, signatures);
  json.member("num_commands", statistics.num_commands).key("commands").begin_object();
  for (const CommandCount& command : statistics.commands) json.member(command.name, command.count);
  json.end_object();
  append_payloads(json, statistics);
  append_devices(json, statistics);
  append_kernels(json, statistics);
  json.end_object();
  return json.take();
}

}  // namespace lightmetal::schema
