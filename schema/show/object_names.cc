#include "schema/show/object_names.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "base/text.h"
#include "schema/command_generated.h"
#include "schema/text.h"

namespace lightmetal::schema {
namespace {

constexpr size_t kNamedKernels = 4;  // of a program
constexpr size_t kLongestName = 64;

std::string name_of_kernel(const KernelCreate& kernel) {
  const std::string path = text_of(kernel.source_name());
  // All of it where there is no slash; a long one is cut.
  const std::string name = path.substr(path.rfind('/') + 1).substr(0, kLongestName);
  if (!name.empty()) return escaped(name);
  return kernel.source_kind() == KernelSourceKind::String ? "from a string" : "";
}

std::string name_of_buffer(const BufferCreate& buffer) {
  return absl::StrCat(EnumNameBufferType(buffer.buffer_type()), " ", buffer.size(), "B");
}

}  // namespace

void ObjectNames::learn(const Command& command) {
  if (const auto* kernel = command.call_as_KernelCreate()) {
    kernels_[kernel->id()] = name_of_kernel(*kernel);
    programs_[kernel->program()].push_back(kernel->id());
  } else if (const auto* buffer = command.call_as_BufferCreate()) {
    buffers_[buffer->id()] = name_of_buffer(*buffer);
  }
}

void ObjectNames::forget(const Command& command) {
  if (const auto* buffer = command.call_as_BufferDestroy()) {
    buffers_.erase(buffer->buffer());
  } else if (const auto* program = command.call_as_ProgramDestroy()) {
    for (const uint64_t kernel : programs_[program->program()]) kernels_.erase(kernel);
    programs_.erase(program->program());
  }
}

std::string ObjectNames::name_of(ObjectKind kind, uint64_t id) const {
  if (kind == ObjectKind::Program) return name_of_program(id);
  if (kind != ObjectKind::Kernel && kind != ObjectKind::Buffer) return "";
  const auto& names = kind == ObjectKind::Kernel ? kernels_ : buffers_;
  const auto found = names.find(id);
  return found == names.end() ? "" : found->second;
}

std::string ObjectNames::name_of_program(uint64_t id) const {
  const auto found = programs_.find(id);
  if (found == programs_.end()) return "";
  std::string name;
  const std::vector<uint64_t>& kernels = found->second;
  for (size_t i = 0; i < std::min(kernels.size(), kNamedKernels); ++i) {
    const std::string kernel = name_of(ObjectKind::Kernel, kernels[i]);
    if (!kernel.empty()) absl::StrAppend(&name, name.empty() ? "" : "+", kernel);
  }
  if (kernels.size() > kNamedKernels) absl::StrAppend(&name, "+...");
  return name;
}

}  // namespace lightmetal::schema
