// The queue that a thread's calls use when they name none.
#include <tt-metalium/assert.hpp>
#include <tt-metalium/host_api.hpp>
#include <vector>

namespace tt::tt_metal {
namespace {

thread_local std::vector<uint8_t> pushed_queues;

}  // namespace

void PushCurrentCommandQueueIdForThread(uint8_t cq_id) { pushed_queues.push_back(cq_id); }

uint8_t PopCurrentCommandQueueIdForThread() {
  TT_FATAL(!pushed_queues.empty(), "No command queue was pushed on this thread");
  const uint8_t popped = pushed_queues.back();
  pushed_queues.pop_back();
  return popped;
}

uint8_t GetCurrentCommandQueueIdForThread() {
  return pushed_queues.empty() ? 0 : pushed_queues.back();
}

}  // namespace tt::tt_metal
