#include "schema/show/statistics.h"

#include <array>
#include <string>
#include <utility>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "schema/command_generated.h"
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

class Collector {
 public:
  void take(const Command& command);
  absl::Status take_payloads(const File& file);
  Statistics finish();

 private:
  void take_device(const CreateDevice& device);
  void take_kernel(const KernelCreate& kernel);
  void take_object(const KernelBinary& binary);

  Statistics result_;
  std::array<uint64_t, 256> counts_{};
  absl::flat_hash_map<uint64_t, size_t> kernels_;  // by id
};

void Collector::take(const Command& command) {
  ++result_.num_commands;
  ++counts_[static_cast<size_t>(command.call_type())];
  visit_blobs(command,
              [&](const BlobReference& blob) { result_.payload_bytes += blob.name.size(); });
  if (const auto* device = command.call_as_CreateDevice()) take_device(*device);
  if (const auto* kernel = command.call_as_KernelCreate()) take_kernel(*kernel);
  if (const auto* binary = command.call_as_KernelBinary()) take_object(*binary);
}

void Collector::take_device(const CreateDevice& device) {
  result_.devices.push_back({device.id(), device.chip_id(), device.num_hw_cqs(),
                             text_of(device.backend()), device.profile()});
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
  const auto found = kernels_.find(binary.kernel());
  if (found == kernels_.end()) return;  // possible only in a file that does not verify
  result_.kernels[found->second].objects.push_back(
      {text_of(binary.target()), binary.object()->size()});
}

absl::Status Collector::take_payloads(const File& file) {
  absl::btree_map<std::string, ReferencedFileStatistics> files;
  for (const BlobEntry& blob : file.blobs()) {
    ++result_.num_payloads;
    result_.unique_payload_bytes += blob.size;
    LM_ASSIGN_OR_RETURN(frame, file.frame_at(blob.offset));
    if (frame.type() == FrameType::ExternalBlob) continue;
    result_.stored_payload_bytes += frame.payload.size();
    if (frame.type() != FrameType::CompressedBlob) continue;
    ++result_.num_compressed;
    result_.compressed_content_bytes += blob.size;
    result_.compressed_stored_bytes += frame.payload.size();
  }
  LM_ASSIGN_OR_RETURN(external, file.external_blobs());
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
  return std::move(result_);
}

}  // namespace

absl::StatusOr<Statistics> statistics_of(const File& file) {
  Collector collector;
  LM_RETURN_IF_ERROR(file.for_each_command([&](const CommandView& view) {
    collector.take(*view.command);
    return absl::OkStatus();
  }));
  LM_RETURN_IF_ERROR(collector.take_payloads(file));
  return collector.finish();
}

}  // namespace lightmetal::schema
