#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <tt-metalium/sub_device_types.hpp>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace tt::tt_metal {

class Buffer;
struct TraceContent;

// How many launches of a trace run on a sub-device, under upstream's names: the devices here count
// each launch as one multicast.
struct TraceWorkerDescriptor {
  uint32_t num_completion_worker_cores = 0;
  uint32_t num_traced_programs_needing_go_signal_multicast = 0;
  uint32_t num_traced_programs_needing_go_signal_unicast = 0;
};

// A device trace. Copies share the content, which never changes.
struct TraceDescriptor {
  std::unordered_map<SubDeviceId, TraceWorkerDescriptor> descriptors;
  std::vector<SubDeviceId> sub_device_ids;
  std::vector<uint32_t> data;  // no device here needs encoded commands: always empty
  std::shared_ptr<const TraceContent> content;
  // The id of the sub-device manager that was loaded when the trace was captured or loaded.
  uint64_t sub_device_manager = 0;
};

// A trace as a device holds it. `buffer` is null: the launches of a trace stay with the host.
struct TraceBuffer {
  std::shared_ptr<TraceDescriptor> desc;
  std::shared_ptr<Buffer> buffer;
};

}  // namespace tt::tt_metal
