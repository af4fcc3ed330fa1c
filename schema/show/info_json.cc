// What `info` says, as docs/info.schema.json describes it.
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "schema/commands/decode.h"
#include "schema/show/info.h"
#include "schema/show/info_parts.h"
#include "schema/show/json.h"
#include "schema/show/print.h"

namespace lightmetal::schema {
namespace {

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

void append_memory(JsonWriter& json, const DeviceMemory& memory) {
  json.key("peak_memory").begin_object();
  json.member("dram_bank", memory.dram).member("trace_bank", memory.trace);
  json.member("l1_core", memory.l1).member("l1_buffers", memory.l1_buffers);
  json.member("l1_circular_buffers", memory.l1_circular_buffers);
  json.member("l1_small", memory.l1_small);
  json.member("dram_given", memory.dram_given).member("l1_given", memory.l1_given).end_object();
}

void append_devices(JsonWriter& json, const InfoParts& parts) {
  json.key("devices").begin_array();
  for (size_t i = 0; i < parts.statistics.devices.size(); ++i) {
    const DeviceStatistics& device = parts.statistics.devices[i];
    json.begin_object().member("id", device.id).member("chip_id", device.chip_id);
    json.member("num_hw_cqs", device.num_hw_cqs).member("backend", device.backend);
    json.key("profile");
    append_json(json, *device.profile);
    const std::vector<DeviceMemory>& memory = parts.followed.device_memory;
    append_memory(json, i < memory.size() ? memory[i] : DeviceMemory());
    json.end_object();
  }
  json.end_array().key("replay_memory").begin_object();
  json.member("bytes", parts.followed.peak_memory);
  json.member("commands", parts.followed.commands);
  json.member("stopped", parts.stopped).end_object();
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

void append_goldens(JsonWriter& json, const GoldenStatistics& goldens) {
  json.key("goldens").begin_object();
  json.member("count", goldens.count).member("bytes", goldens.bytes).key("types").begin_array();
  for (const GoldenTypeStatistics& type : goldens.types) {
    json.begin_object().member("element_type", type.element_type);
    json.member("count", type.count).member("bytes", type.bytes).end_object();
  }
  json.end_array().key("places").begin_array();
  for (const GoldenPlace& place : goldens.places) {
    json.begin_object().member("command", place.command).member("call", place.call);
    if (place.buffer != 0) json.member("buffer", place.buffer);
    json.member("element_type", place.element_type).member("bytes", place.bytes).end_object();
  }
  json.end_array().end_object();
}

void append_traces(JsonWriter& json, const std::vector<TraceStatistics>& traces) {
  json.key("traces").begin_array();
  for (const TraceStatistics& trace : traces) {
    json.begin_object().member("id", trace.id).member("device", trace.device);
    json.member("command", trace.command).member("launches", trace.launches);
    json.member("replays", trace.replays).end_object();
  }
  json.end_array();
}

void append_bytes(JsonWriter& json, const ByteStatistics& bytes) {
  json.key("bytes").begin_object();
  json.member("commands", bytes.commands).member("uploads", bytes.uploads);
  json.member("goldens", bytes.goldens).member("kernels", bytes.kernels);
  json.member("shared", bytes.shared).member("unused", bytes.unused);
  json.member("intents", bytes.intents).member("index", bytes.index);
  json.member("signatures", bytes.signatures).member("padding", bytes.padding);
  json.member("rest", bytes.rest).end_object();
}

void append_needs(JsonWriter& json, const Statistics& statistics) {
  std::vector<std::string> files;
  for (const ReferencedFileStatistics& file : statistics.referenced_files) {
    files.push_back(file.path);
  }
  json.key("needs").begin_object();
  append_texts(json, "backends", statistics.backends);
  append_texts(json, "kernel_targets", statistics.kernel_targets);
  append_texts(json, "files", files);
  json.end_object();
}

void append_entries(JsonWriter& json, const std::vector<NamedEntry>& entries) {
  json.key("entries").begin_array();
  for (const NamedEntry& entry : entries) {
    json.begin_object().member("name", entry.name).member("begin", entry.begin);
    if (entry.end.has_value()) json.member("end", *entry.end);
    json.member("count", entry.count).end_object();
  }
  json.end_array();
}

void append_tensors(JsonWriter& json, const std::vector<NamedTensor>& tensors) {
  json.key("tensors").begin_array();
  for (const NamedTensor& tensor : tensors) {
    json.begin_object().member("name", tensor.name);
    json.member("role", name_of(tensor.role));
    json.member("dtype", name_of(tensor.tensor.type)).key("shape").begin_array();
    for (const uint32_t size : tensor.tensor.shape) json.value(uint64_t{size});
    json.end_array().member("order", name_of(tensor.tensor.order));
    json.member("buffer", tensor.buffer).member("has_default", tensor.has_default);
    json.member("has_golden", tensor.has_golden).end_object();
  }
  json.end_array();
}

}  // namespace

absl::StatusOr<std::string> info_json(const File& file) {
  LM_ASSIGN_OR_RETURN(parts, info_parts_of(file));
  const Statistics& statistics = parts.statistics;
  JsonWriter json;
  json.begin_object().member("version", 1);
  append_session(json, file);
  append_open_intents(json, parts.intents);
  append_signatures(json, parts.signatures);
  append_needs(json, statistics);
  append_entries(json, statistics.executable.entries);
  append_tensors(json, statistics.executable.tensors);
  json.member("num_commands", statistics.num_commands).key("commands").begin_object();
  for (const CommandCount& command : statistics.commands) json.member(command.name, command.count);
  json.end_object();
  append_bytes(json, statistics.bytes);
  append_payloads(json, statistics);
  append_goldens(json, statistics.goldens);
  append_devices(json, parts);
  append_kernels(json, statistics);
  append_traces(json, statistics.traces);
  json.end_object();
  return json.take();
}

}  // namespace lightmetal::schema
