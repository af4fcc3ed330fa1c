#include "api/src/memory/buffer_bindings.h"

#include <atomic>

#include "api/src/objects/host_objects.h"
#include "api/src/support/errors.h"
#include "base/mutex.h"

namespace tt::tt_metal {
namespace {

using lightmetal::host::Bindings;

constinit lightmetal::Mutex g_binding_mutex;
// Programs that bind nothing end their buffers without the lock.
constinit std::atomic<bool> g_any_bound{false};

Bindings& bindings() ABSL_EXCLUSIVE_LOCKS_REQUIRED(g_binding_mutex) {
  static auto& bindings = *new Bindings;
  return bindings;
}

}  // namespace

void bind_buffer(const Binding& binding, const Buffer& buffer,
                 const std::function<void()>& record) {
  lightmetal::MutexLock lock(&g_binding_mutex);
  throw_if_error(bindings().add(binding, rules_of_buffer(buffer), buffer.is_allocated()));
  g_any_bound.store(true, std::memory_order_relaxed);
  record();
}

void allow_move(const Buffer& buffer, const std::function<void()>& record) {
  lightmetal::MutexLock lock(&g_binding_mutex);
  throw_if_error(bindings().allow_move(rules_of_buffer(buffer), buffer.is_allocated()));
  g_any_bound.store(true, std::memory_order_relaxed);
  record();
}

void check_offset(const Buffer& buffer, uint32_t offset) {
  if (offset == 0) return;
  lightmetal::MutexLock lock(&g_binding_mutex);
  throw_if_error(bindings().check_offset(buffer.unique_id(), offset));
}

void unbind_buffer(const Buffer& buffer) {
  if (!g_any_bound.load(std::memory_order_relaxed)) return;
  lightmetal::MutexLock lock(&g_binding_mutex);
  bindings().remove_buffer(buffer.unique_id());
}

std::map<uint64_t, std::vector<Binding>> bound_buffers() {
  lightmetal::MutexLock lock(&g_binding_mutex);
  return bindings().by_buffer();
}

std::set<uint64_t> movable_buffers() {
  lightmetal::MutexLock lock(&g_binding_mutex);
  return bindings().movable();
}

}  // namespace tt::tt_metal
