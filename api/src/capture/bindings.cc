#include "api/src/capture/bindings.h"

#include <string>
#include <string_view>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>

#include "api/src/memory/buffer_bindings.h"
#include "api/src/record/record.h"
#include "api/src/support/errors.h"
#include "base/mutex.h"
#include "capture/capture.h"

namespace tt::tt_metal {
namespace {

using lightmetal::TensorDesc;
using lightmetal::host::BindingRole;
using lightmetal::host::Entries;

constinit lightmetal::Mutex g_entry_mutex;
Entries& entries() ABSL_EXCLUSIVE_LOCKS_REQUIRED(g_entry_mutex) {
  static auto& entries = *new Entries;
  return entries;
}

[[maybe_unused]] absl::string_view text(std::string_view name) {
  return {name.data(), name.size()};
}

void bind(BindingRole role, std::string_view name, const BufferToBind& buffer,
          const TensorDesc& tensor) {
  bind_tensor({.name = std::string(name), .role = role, .tensor = tensor},
              detail::buffer_of(buffer));
}

}  // namespace

void bind_tensor(const Binding& binding, Buffer& buffer) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("LightMetalBind");
  bind_buffer(binding, buffer, [&] {
    LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::BindTensor>, buffer, text(binding.name),
                                    binding.role, binding.tensor);
  });
}

void allow_move_recorded(Buffer& buffer) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("LightMetalAllowMove");
  allow_move(buffer,
             [&] { LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::BufferMovable>, buffer); });
}

void LightMetalAllowMove(const BufferToBind& buffer) {
  allow_move_recorded(detail::buffer_of(buffer));
}

void LightMetalBindInput(std::string_view name, const BufferToBind& buffer,
                         const TensorDesc& tensor) {
  bind(BindingRole::kInput, name, buffer, tensor);
}
void LightMetalBindOutput(std::string_view name, const BufferToBind& buffer,
                          const TensorDesc& tensor) {
  bind(BindingRole::kOutput, name, buffer, tensor);
}
void LightMetalBindInOut(std::string_view name, const BufferToBind& buffer,
                         const TensorDesc& tensor) {
  bind(BindingRole::kInOut, name, buffer, tensor);
}
void LightMetalBindConstant(std::string_view name, const BufferToBind& buffer,
                            const TensorDesc& tensor) {
  bind(BindingRole::kConstant, name, buffer, tensor);
}

// The lock is held while a call is recorded, so that the file has the entries in the order in which
// the rule saw them.
void LightMetalEntryBegin(std::string_view name) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  lightmetal::MutexLock lock(&g_entry_mutex);
  throw_if_error(entries().begin(name));
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::EntryBegin>, text(name));
}

void LightMetalEntryEnd() {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  lightmetal::MutexLock lock(&g_entry_mutex);
  throw_if_error(entries().end());
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::EntryEnd>);
}

std::string open_entry() {
  lightmetal::MutexLock lock(&g_entry_mutex);
  return entries().open();
}

}  // namespace tt::tt_metal
