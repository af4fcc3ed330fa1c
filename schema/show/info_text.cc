// What `info` says, for people.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "base/text.h"
#include "schema/command_generated.h"
#include "schema/show/info.h"
#include "schema/show/info_parts.h"
#include "schema/show/intents.h"
#include "schema/show/print.h"

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
  absl::StrAppendFormat(&text, "file       %s, %s\n", escaped(file.name()),
                        size_in_words(file.size()));
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

// What a program has put where it chose, outside of what the allocator gave.
void append_given(std::string& text, uint64_t given) {
  if (given != 0) absl::StrAppend(&text, ", and ", size_in_words(given), " at given addresses");
}

// What the banks of a device hold at most, under its profile.
void append_memory(std::string& text, const DeviceMemory& memory, const DeviceProfile& profile) {
  absl::StrAppend(&text, "           DRAM: at most ", size_in_words(memory.dram), " in each of ",
                  profile.dram_banks(), " banks");
  if (memory.trace != 0) {
    absl::StrAppend(&text, ", and ", size_in_words(memory.trace), " in the trace region");
  }
  append_given(text, memory.dram_given);
  absl::StrAppend(&text, "\n           L1: at most ", size_in_words(memory.l1), " on each of ",
                  uint64_t{profile.grid()->x()} * profile.grid()->y(), " cores (buffers ",
                  size_in_words(memory.l1_buffers), ", circular buffers ",
                  size_in_words(memory.l1_circular_buffers), ")");
  if (memory.l1_small != 0) {
    absl::StrAppend(&text, ", and ", size_in_words(memory.l1_small), " in L1_SMALL");
  }
  append_given(text, memory.l1_given);
  text += '\n';
}

void append_devices(std::string& text, const InfoParts& parts) {
  const std::vector<DeviceMemory>& memory = parts.followed.device_memory;
  for (size_t i = 0; i < parts.statistics.devices.size(); ++i) {
    const DeviceStatistics& device = parts.statistics.devices[i];
    absl::StrAppendFormat(&text, "device     %d: chip %d, %d command queues, recorded on %s\n",
                          device.id, device.chip_id, device.num_hw_cqs, escaped(device.backend));
    absl::StrAppend(&text, "           ");
    append_text(text, *device.profile, kItemsInSummary);
    text += '\n';
    if (i < memory.size()) append_memory(text, memory[i], *device.profile);
  }
  absl::StrAppend(&text, "memory     a replay holds at most ",
                  size_in_words(parts.followed.peak_memory), "\n");
  if (!parts.stopped.empty()) {
    absl::StrAppend(&text, "           followed up to command ", parts.followed.commands, ": ",
                    escaped(parts.stopped), "\n");
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

void append_goldens(std::string& text, const GoldenStatistics& goldens) {
  absl::StrAppend(&text, "goldens    ", goldens.count, ", ", size_in_words(goldens.bytes), "\n");
  for (const GoldenTypeStatistics& type : goldens.types) {
    absl::StrAppendFormat(&text, "  %6d   of %s, %s\n", type.count, type.element_type,
                          size_in_words(type.bytes));
  }
  for (size_t i = 0; i < std::min(goldens.places.size(), kItemsInSummary); ++i) {
    const GoldenPlace& place = goldens.places[i];
    absl::StrAppendFormat(&text, "           command %d: %s", place.command, place.call);
    if (place.buffer != 0) absl::StrAppend(&text, " of buffer ", place.buffer);
    absl::StrAppendFormat(&text, ", %s, %s\n", place.element_type, size_in_words(place.bytes));
  }
  if (goldens.count > kItemsInSummary) {
    absl::StrAppend(&text, "           and ", goldens.count - kItemsInSummary, " more\n");
  }
}

void append_traces(std::string& text, const std::vector<TraceStatistics>& traces) {
  absl::StrAppend(&text, "traces     ", traces.size(), "\n");
  for (const TraceStatistics& trace : traces) {
    absl::StrAppendFormat(&text, "  %6d   on device %d, loaded by command %d: %d launches, %s\n",
                          trace.id, trace.device, trace.command, trace.launches,
                          trace.replays == 0 ? "replayed by no command"
                                             : absl::StrCat("replayed ", trace.replays, " times"));
  }
}

void append_bytes(std::string& text, const ByteStatistics& bytes) {
  const std::pair<const char*, uint64_t> kinds[] = {{"commands", bytes.commands},
                                                    {"payloads that are written", bytes.uploads},
                                                    {"goldens", bytes.goldens},
                                                    {"kernels", bytes.kernels},
                                                    {"payloads of more than one use", bytes.shared},
                                                    {"payloads of no use", bytes.unused},
                                                    {"announced calls", bytes.intents},
                                                    {"index", bytes.index},
                                                    {"signatures", bytes.signatures},
                                                    {"padding", bytes.padding},
                                                    {"rest", bytes.rest}};
  absl::StrAppend(&text, "bytes\n");
  for (const auto& [kind, count] : kinds) {
    if (count != 0) absl::StrAppendFormat(&text, "%15s  %s\n", size_in_words(count), kind);
  }
}

void append_needs(std::string& text, const Statistics& statistics) {
  std::vector<std::string> files;
  for (const ReferencedFileStatistics& file : statistics.referenced_files) {
    files.push_back(file.path);
  }
  append_line(text, "needs",
              statistics.backends.empty()
                  ? "no backend"
                  : absl::StrCat("backend ", absl::StrJoin(statistics.backends, " and ")));
  append_line(
      text, "",
      statistics.kernel_targets.empty()
          ? ""
          : absl::StrCat("kernel objects for ", absl::StrJoin(statistics.kernel_targets, " or ")));
  append_line(text, "", files.empty() ? "" : absl::StrCat("files ", absl::StrJoin(files, ", ")));
}

std::string entry_in_words(const NamedEntry& entry) {
  return absl::StrCat(
      entry.name, ": commands ", entry.begin, " to ",
      entry.end.has_value() ? absl::StrCat(*entry.end) : "the end of the file",
      entry.count == 1 ? "" : absl::StrCat(", and ", entry.count - 1, " more of this name"));
}

std::string tensor_in_words(const NamedTensor& tensor) {
  return absl::StrCat(tensor.name, ": ", tensor.tensor.text(), ", buffer ", tensor.buffer,
                      tensor.has_default ? ", with a default value" : "",
                      tensor.has_golden ? ", with a golden" : "");
}

void append_executable(std::string& text, const ExecutableParts& executable) {
  for (const NamedEntry& entry : executable.entries)
    append_line(text, "entry", entry_in_words(entry));
  for (const NamedTensor& tensor : executable.tensors)
    append_line(text, name_of(tensor.role), tensor_in_words(tensor));
}

}  // namespace

absl::StatusOr<std::string> info_text(const File& file) {
  LM_ASSIGN_OR_RETURN(parts, info_parts_of(file));
  const Statistics& statistics = parts.statistics;
  std::string text;
  append_session(text, file);
  append_open_intents(text, file, parts.intents);
  append_signatures(text, parts.signatures);
  append_needs(text, statistics);
  append_executable(text, statistics.executable);
  append_devices(text, parts);
  append_payloads(text, statistics);
  append_goldens(text, statistics.goldens);
  append_kernels(text, statistics);
  append_traces(text, statistics.traces);
  append_bytes(text, statistics.bytes);
  absl::StrAppendFormat(&text, "commands   %d\n", statistics.num_commands);
  for (const CommandCount& command : statistics.commands) {
    absl::StrAppendFormat(&text, "  %6d   %s\n", command.count, command.name);
  }
  return text;
}

}  // namespace lightmetal::schema
