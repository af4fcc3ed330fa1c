#include "schema/verify/kernel_edit.h"

#include "schema/commands/encode.h"
#include "schema/file/blob.h"
#include "schema/text.h"

namespace lightmetal::schema {

const NamedObject* KernelEditor::find(const std::string& target, const BlobRef& object) const {
  const auto found = replaced_.find({target, to_digest(object.digest())});
  return found == replaced_.end() ? nullptr : &found->second;
}

std::optional<std::vector<std::byte>> KernelEditor::edited(uint64_t number,
                                                           const Command& command) {
  if (objects_.empty()) return std::nullopt;
  if (const auto* binary = command.call_as_KernelBinary()) return edited_binary(number, *binary);
  if (const auto* trace = command.call_as_LoadTrace()) return edited_trace(number, *trace);
  return std::nullopt;
}

std::optional<std::vector<std::byte>> KernelEditor::edited_binary(uint64_t number,
                                                                  const KernelBinary& call) {
  const NamedObject was{text_of(call.target()), *call.object()};
  const auto own = objects_.find(number);
  if (own != objects_.end())
    replaced_.insert_or_assign({was.target, to_digest(was.blob.digest())}, own->second);
  const NamedObject* const is = find(was.target, was.blob);
  if (is == nullptr) return std::nullopt;
  changes_.push_back({number, "KernelBinary", call.kernel(), was, *is});
  KernelBinaryT binary;
  call.UnPackTo(&binary);
  binary.target = is->target;
  *binary.object = is->blob;
  return encoded_call(std::move(binary));
}

std::optional<std::vector<std::byte>> KernelEditor::edited_trace(uint64_t number,
                                                                 const LoadTrace& call) {
  LoadTraceT trace;
  call.UnPackTo(&trace);
  absl::flat_hash_map<std::pair<std::string, ::lightmetal::Digest>, const NamedObject*> changed;
  for (const auto& launch : trace.content->launches) {
    for (const auto& kernel : launch->kernels) {
      const NamedObject was{kernel->target, *kernel->object};
      const NamedObject* const is = find(was.target, was.blob);
      if (is == nullptr) continue;
      const bool is_new =
          changed.try_emplace({was.target, to_digest(was.blob.digest())}, is).second;
      if (is_new) changes_.push_back({number, "LoadTrace", 0, was, *is});
      kernel->target = is->target;
      *kernel->object = is->blob;
    }
  }
  if (changed.empty()) return std::nullopt;
  return encoded_call(std::move(trace));
}

}  // namespace lightmetal::schema
