#include "schema/show/statistics.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "schema/command_generated.h"
#include "schema/commands/decode.h"
#include "schema/commands/effect.h"
#include "schema/commands/named_field.h"
#include "schema/commands/references.h"
#include "schema/text.h"

namespace lightmetal::schema {
namespace {

std::string processor_of(const KernelCreate& kernel) {
  if (const auto* data_movement = kernel.config_as_DataMovementConfig()) {
    return EnumNameProcessor(data_movement->processor());
  }
  if (kernel.config_as_ComputeConfig() != nullptr) return EnumNameProcessor(Processor::Compute);
  return EnumNameProcessor(Processor::Ethernet);
}

// Of how many uses a payload is, as bits.
constexpr uint8_t bit_of(PayloadRole role) { return uint8_t{1} << static_cast<int>(role); }

const NamedField& element_types() {
  static const NamedField* const field = new NamedField("element_type");  // never destroyed
  return *field;
}

const NamedField& buffers() {
  static const NamedField* const field = new NamedField("buffer");  // never destroyed
  return *field;
}

ElementType element_type_of(const Command& command) {
  const uint64_t type = element_types().value_in(command).value_or(0);
  // A file that does not verify may say any number.
  return type <= static_cast<uint64_t>(ElementType::MAX) ? static_cast<ElementType>(type)
                                                         : ElementType::Bytes;
}

uint64_t launches_of(const TraceContent& content) {
  return content.launches() == nullptr ? 0 : content.launches()->size();
}

class Collector {
 public:
  explicit Collector(const File& file) : file_(file), roles_(file.blobs().size()) {}

  absl::Status take(const FrameView& frame);
  absl::Status take_payloads();
  Statistics finish();

 private:
  void take(const CommandView& view);
  void take_blob(const CommandView& view, const BlobReference& blob);
  void take_golden(const CommandView& view, const BlobReference& blob);
  void take_device(const CreateDevice& device);
  void take_kernel(const KernelCreate& kernel);
  void take_object(const KernelBinary& binary);
  void take_trace(uint64_t command, const LoadTrace& trace);
  void take_replay(uint64_t trace);
  uint64_t& bytes_of(FrameType type);
  uint64_t& bytes_of_payload(uint8_t roles);

  const File& file_;
  Statistics result_;
  std::array<uint64_t, 256> counts_{};
  std::array<GoldenTypeStatistics, static_cast<size_t>(ElementType::MAX) + 1> golden_types_{};
  std::vector<uint8_t> roles_;  // of the payloads, in the order of the index
  uint64_t payloads_ = 0;       // bytes of all their frames
  absl::btree_set<std::string> backends_;
  absl::btree_set<std::string> targets_;
  absl::flat_hash_map<uint64_t, size_t> kernels_;  // by id
  absl::flat_hash_map<uint64_t, size_t> traces_;   // by id
  ExecutablePartsFinder executable_;
};

absl::Status Collector::take(const FrameView& frame) {
  bytes_of(frame.type()) += frame.end - frame.offset;
  result_.has_intents |= frame.type() == FrameType::Intent;
  if (frame.type() != FrameType::Command) return absl::OkStatus();
  LM_ASSIGN_OR_RETURN(command, file_.command_in(frame));
  take({result_.num_commands, frame.offset, command});
  ++result_.num_commands;
  return absl::OkStatus();
}

uint64_t& Collector::bytes_of(FrameType type) {
  switch (type) {
    case FrameType::Command:
      return result_.bytes.commands;
    case FrameType::Intent:
      return result_.bytes.intents;
    case FrameType::Blob:
    case FrameType::CompressedBlob:
    case FrameType::ExternalBlob:
      return payloads_;
    case FrameType::Index:
      return result_.bytes.index;
    case FrameType::Signature:
      return result_.bytes.signatures;
    case FrameType::Padding:
      return result_.bytes.padding;
    case FrameType::Session:
    case FrameType::Footer:
      break;
  }
  return result_.bytes.rest;
}

void Collector::take(const CommandView& view) {
  const Command& command = *view.command;
  ++counts_[static_cast<size_t>(command.call_type())];
  executable_.take(view);
  visit_blobs(command, [&](const BlobReference& blob) { take_blob(view, blob); });
  if (const auto* device = command.call_as_CreateDevice()) take_device(*device);
  if (const auto* kernel = command.call_as_KernelCreate()) take_kernel(*kernel);
  if (const auto* binary = command.call_as_KernelBinary()) take_object(*binary);
  if (const auto* trace = command.call_as_LoadTrace()) take_trace(view.number, *trace);
  if (const auto replayed = launched_trace(command)) take_replay(*replayed);
}

void Collector::take_blob(const CommandView& view, const BlobReference& blob) {
  result_.payload_bytes += blob.name.size();
  if (const BlobEntry* entry = file_.find_blob(blob.name)) {
    roles_[entry - file_.blobs().data()] |= bit_of(blob.role);
  }
  executable_.take_blob(view, blob);
  if (blob.role == PayloadRole::Golden) take_golden(view, blob);
}

void Collector::take_golden(const CommandView& view, const BlobReference& blob) {
  const ElementType type = element_type_of(*view.command);
  GoldenTypeStatistics& of_type = golden_types_[static_cast<size_t>(type)];
  of_type.element_type = EnumNameElementType(type);
  ++of_type.count;
  of_type.bytes += blob.name.size();
  ++result_.goldens.count;
  result_.goldens.bytes += blob.name.size();
  if (result_.goldens.places.size() == kMaxGoldenPlaces) return;
  result_.goldens.places.push_back({.command = view.number,
                                    .call = name_of(*view.command),
                                    .buffer = buffers().value_in(*view.command).value_or(0),
                                    .element_type = of_type.element_type,
                                    .bytes = blob.name.size()});
}

void Collector::take_device(const CreateDevice& device) {
  result_.devices.push_back({device.id(), device.chip_id(), device.num_hw_cqs(),
                             text_of(device.backend()), device.profile()});
  backends_.insert(result_.devices.back().backend);
}

void Collector::take_kernel(const KernelCreate& kernel) {
  kernels_.emplace(kernel.id(), result_.kernels.size());
  result_.kernels.push_back({.id = kernel.id(),
                             .name = text_of(kernel.source_name()),
                             .from_string = kernel.source_kind() == KernelSourceKind::String,
                             .processor = processor_of(kernel),
                             .objects = {}});
}

void Collector::take_object(const KernelBinary& binary) {
  targets_.insert(text_of(binary.target()));
  const auto found = kernels_.find(binary.kernel());
  if (found == kernels_.end()) return;  // possible only in a file that does not verify
  result_.kernels[found->second].objects.push_back(
      {text_of(binary.target()), binary.object()->size()});
}

void Collector::take_trace(uint64_t command, const LoadTrace& trace) {
  traces_.emplace(trace.id(), result_.traces.size());
  result_.traces.push_back({.id = trace.id(),
                            .device = trace.device(),
                            .command = command,
                            .launches = launches_of(*trace.content())});
  if (trace.content()->launches() == nullptr) return;
  for (const TraceLaunch* launch : *trace.content()->launches()) {
    if (launch->kernels() == nullptr) continue;
    for (const TraceKernel* kernel : *launch->kernels()) targets_.insert(text_of(kernel->target()));
  }
}

void Collector::take_replay(uint64_t trace) {
  const auto found = traces_.find(trace);
  if (found != traces_.end()) ++result_.traces[found->second].replays;
}

uint64_t& Collector::bytes_of_payload(uint8_t roles) {
  switch (roles) {
    case bit_of(PayloadRole::Upload):
      return result_.bytes.uploads;
    case bit_of(PayloadRole::Golden):
      return result_.bytes.goldens;
    case bit_of(PayloadRole::Kernel):
      return result_.bytes.kernels;
    case 0:
      return result_.bytes.unused;
    default:
      return result_.bytes.shared;
  }
}

absl::Status Collector::take_payloads() {
  absl::btree_map<std::string, ReferencedFileStatistics> files;
  for (size_t i = 0; i < file_.blobs().size(); ++i) {
    const BlobEntry& blob = file_.blobs()[i];
    ++result_.num_payloads;
    result_.unique_payload_bytes += blob.size;
    LM_ASSIGN_OR_RETURN(frame, file_.frame_at(blob.offset));
    // An index that does not verify may name a payload twice.
    const uint64_t size = std::min(frame.end - frame.offset, payloads_);
    bytes_of_payload(roles_[i]) += size;
    payloads_ -= size;
    if (frame.type() == FrameType::ExternalBlob) continue;
    result_.stored_payload_bytes += frame.payload.size();
    if (frame.type() != FrameType::CompressedBlob) continue;
    ++result_.num_compressed;
    result_.compressed_content_bytes += blob.size;
    result_.compressed_stored_bytes += frame.payload.size();
  }
  result_.bytes.unused += payloads_;
  LM_ASSIGN_OR_RETURN(external, file_.external_blobs());
  for (const ExternalBlobInfo& blob : external) {
    ReferencedFileStatistics& of_file = files[blob.path];
    of_file.path = blob.path;
    ++of_file.num_payloads;
    of_file.bytes += blob.size;
  }
  for (auto& entry : files) result_.referenced_files.push_back(std::move(entry.second));
  return absl::OkStatus();
}

Statistics Collector::finish() {
  for (const Call call : EnumValuesCall()) {
    const uint64_t count = counts_[static_cast<size_t>(call)];
    if (count != 0) result_.commands.push_back({EnumNameCall(call), count});
  }
  for (const GoldenTypeStatistics& type : golden_types_) {
    if (type.count != 0) result_.goldens.types.push_back(type);
  }
  result_.bytes.rest += file_.size() - (file_.frames_end() - File::frames_begin());
  result_.executable = executable_.finish();
  result_.backends.assign(backends_.begin(), backends_.end());
  result_.kernel_targets.assign(targets_.begin(), targets_.end());
  return std::move(result_);
}

}  // namespace

absl::StatusOr<Statistics> statistics_of(const File& file) {
  Collector collector(file);
  ForwardPass pass(file);
  for (uint64_t offset = File::frames_begin(); offset < file.frames_end();) {
    pass.reach(offset);
    LM_ASSIGN_OR_RETURN(frame, file.frame_at(offset));
    LM_RETURN_IF_ERROR(collector.take(frame));
    offset = frame.end;
  }
  LM_RETURN_IF_ERROR(collector.take_payloads());
  return collector.finish();
}

}  // namespace lightmetal::schema
