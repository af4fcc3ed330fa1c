#include "tests/random_programs/model.h"

#include <algorithm>

namespace random_programs {

// ---- Steps ----

bool Model::take(Step& step) {
  if (step.thread >= kMaxThreads || step.section < section_) return false;
  if (step.section % 2 == 0 && step.thread != 0) return false;
  if (step.section != section_) {  // all threads have met: each knows what the others know
    for (const Past& past : threads_) threads_[0] |= past;
    threads_.fill(threads_[0]);
    section_ = step.section;
  }
  thread_ = step.thread;
  return std::visit([&](auto& call) { return take(call); }, step.call);
}

std::set<Id> Model::awaited_events() const {
  std::set<Id> all;
  for (const ModelDevice& device : devices) {
    if (!device.open) continue;
    for (const ModelQueue& queue : device.queues) {
      all.insert(queue.awaited.begin(), queue.awaited.end());
    }
  }
  return all;
}

std::map<Id, Queue> Model::open_traces() const {
  std::map<Id, Queue> open;
  for (const auto& [id, trace] : traces) {
    const ModelDevice& device = devices[trace.queue.device];
    if (!trace.ended && device.open && device.life == trace.life) open[id] = trace.queue;
  }
  return open;
}

// ---- Devices and queues ----

ModelQueue* Model::any_queue(const Queue& queue) {
  if (!is_open(queue.device)) return nullptr;
  std::vector<ModelQueue>& queues = devices[queue.device].queues;
  if (queue.index >= queues.size() || !can_own(queues[queue.index])) return nullptr;
  return &queues[queue.index];
}

ModelQueue* Model::usable_queue(const Queue& queue) {
  ModelQueue* const found = any_queue(queue);
  return found != nullptr && found->trace == kNone ? found : nullptr;
}

std::vector<Rect> Model::sub_devices_of(Id device) const {
  return managers.at(devices[device].manager).description.sub_devices;
}

std::optional<uint32_t> Model::lane_of(Id device, const Rect& cores) const {
  if (!is_divided(device)) return 0;
  const std::vector<Rect> parts = sub_devices_of(device);
  for (uint32_t i = 0; i < parts.size(); ++i) {
    if (contains(parts[i], cores)) return i + 1;
  }
  return std::nullopt;
}

bool Model::has_sub_device(Id device, uint32_t sub_device) const {
  if (sub_device == 0) return true;
  return is_open(device) && is_divided(device) && sub_device <= sub_devices_of(device).size();
}

Past Model::past_after_stall(Id device, const ModelQueue& queue, uint32_t sub_device) const {
  Past past = queue.past;
  if (!is_divided(device)) return past;
  const uint32_t group = sub_device != 0 ? sub_device : devices[device].stall_group;
  for (uint32_t lane = 1; lane <= sub_devices_of(device).size(); ++lane) {
    if (group == 0 || group == lane) past |= queue.lanes[lane - 1];
  }
  return past;
}

Past Model::past_of_operation(Id device, const ModelQueue& queue, uint32_t sub_device) {
  return past_after_stall(device, queue, sub_device) | host();
}

void Model::wait_on_host(Id device, ModelQueue& queue, uint32_t sub_device) {
  host() |= past_after_stall(device, queue, sub_device);
}

bool Model::can_come_to_rest(Id device) const {
  return std::ranges::all_of(devices[device].queues, [&](const ModelQueue& queue) {
    return can_own(queue) && queue.awaited.empty() && queue.trace == kNone;
  });
}

void Model::come_to_rest(Id device) {
  for (ModelQueue& queue : devices[device].queues) {
    own(queue);
    host() |= queue.past;
    for (const Past& lane : queue.lanes) host() |= lane;
  }
  for (ModelQueue& queue : devices[device].queues) queue.past = host();
}

bool Model::take(const OpenDevice& step) {
  if (!alone() || step.device >= kMaxDevices || is_open(step.device)) return false;
  if (step.queues < 1 || step.queues > 2) return false;
  ModelDevice& device = devices[step.device];
  const uint32_t life = device.life + 1;
  device = ModelDevice{};
  device.open = true;
  device.life = life;
  device.queues.resize(step.queues);
  for (ModelQueue& queue : device.queues) queue.past = host();
  return true;
}

bool Model::take(const CloseDevice& step) {
  if (!alone() || !is_open(step.device) || !can_come_to_rest(step.device)) return false;
  come_to_rest(step.device);
  devices[step.device].open = false;
  return true;
}

bool Model::take(const Finish& step) {
  const Id device = step.queue.device;
  if (!has_sub_device(device, step.sub_device)) return false;
  if (step.whole_device) {
    if (!is_open(device) || !can_come_to_rest(device)) return false;
    for (ModelQueue& queue : devices[device].queues) {
      own(queue);
      wait_on_host(device, queue, step.sub_device);
    }
    return true;
  }
  ModelQueue* const queue = usable_queue(step.queue);
  if (queue == nullptr || !queue->awaited.empty()) return false;
  own(*queue);
  wait_on_host(device, *queue, step.sub_device);
  return true;
}

// ---- Events ----

bool Model::take(const RecordEvent& step) {
  ModelQueue* const queue = usable_queue(step.queue);
  if (queue == nullptr || !queue->awaited.empty()) return false;
  if (step.event == kNone || step.event >= kMaxObjects) return false;
  if (!has_sub_device(step.queue.device, step.sub_device)) return false;
  const auto found = events.find(step.event);
  if (found != events.end()) {
    const bool can = found->second.recorded ? can_own(found->second) : can_use(found->second);
    if (!can) return false;
  }
  ModelEvent& event = events[step.event];
  event.recorded ? own(event) : use(event);
  own(*queue);
  event.recorded = true;
  event.queue = step.queue;
  event.life = devices[step.queue.device].life;
  event.recorders.add(section_, thread_);
  event.past = queue->past = past_of_operation(step.queue.device, *queue, step.sub_device);
  for (ModelDevice& device : devices) {
    for (ModelQueue& waiting : device.queues) {
      if (waiting.awaited.erase(step.event) != 0) waiting.past |= event.past;
    }
  }
  return true;
}

bool Model::take(const WaitForEvent& step) {
  ModelQueue* const queue = usable_queue(step.queue);
  if (queue == nullptr || step.event == kNone || step.event >= kMaxObjects) return false;
  const auto found = events.find(step.event);
  if (found != events.end() && !can_use(found->second)) return false;
  ModelEvent& event = events[step.event];
  use(event);
  own(*queue);
  if (event.recorded) {
    queue->past |= event.past;
  } else {
    queue->awaited.insert(step.event);
  }
  return true;
}

bool Model::take(const SynchronizeEvent& step) {
  const auto found = events.find(step.event);
  if (found == events.end() || !can_use(found->second) || !found->second.recorded) return false;
  if (!found->second.recorders.only(section_, thread_)) return false;
  // The call asks the queue that recorded the event, which must not capture a trace meanwhile.
  ModelQueue* const queue = usable_queue(found->second.queue);
  if (queue == nullptr || devices[found->second.queue.device].life != found->second.life) {
    return false;
  }
  own(*queue);
  use(found->second);
  host() |= found->second.past;
  return true;
}

bool Model::take(const DropEvent& step) {
  const auto found = events.find(step.event);
  if (found == events.end() || !can_own(found->second) || !found->second.recorded) return false;
  events.erase(found);
  return true;
}

// ---- Sub-devices ----

bool Model::take(const CreateManager& step) {
  if (!alone() || !is_open(step.device) || managers.contains(step.manager)) return false;
  if (step.manager == kNone || step.manager >= kMaxObjects) return false;
  const std::vector<Rect>& parts = step.sub_devices;
  if (parts.empty() || parts.size() > 8) return false;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!is_rect(parts[i])) return false;
    for (size_t j = 0; j < i; ++j) {
      if (overlap(parts[i], parts[j])) return false;
    }
  }
  if (step.local_size != 0 && step.local_size != 65536) return false;
  managers[step.manager] = {step.device, devices[step.device].life, step};
  return true;
}

bool Model::take(const LoadManager& step) {
  if (!alone() || !is_open(step.device) || !can_come_to_rest(step.device)) return false;
  if (step.manager != kNone) {
    const auto found = managers.find(step.manager);
    if (found == managers.end() || found->second.device != step.device) return false;
    if (found->second.life != devices[step.device].life) return false;
  }
  const auto is_local = [&](const Storage& storage) {
    return storage.device == step.device && storage.sub_device != 0 && !storage.freed;
  };
  for (const auto& [id, buffer] : buffers) {
    if (is_alive(buffer) && is_local(*buffer.storage)) return false;
  }
  for (const auto& [id, program] : programs) {
    for (const StoragePointer& storage : program.kept) {
      if (is_local(*storage)) return false;
    }
  }
  come_to_rest(step.device);
  devices[step.device].manager = step.manager;
  devices[step.device].stall_group = 0;
  return true;
}

bool Model::take(const RemoveManager& step) {
  const auto found = managers.find(step.manager);
  if (!alone() || found == managers.end() || !is_open(step.device)) return false;
  if (found->second.device != step.device) return false;
  if (found->second.life != devices[step.device].life) return false;
  if (devices[step.device].manager == step.manager) return false;
  managers.erase(found);
  return true;
}

bool Model::take(const SetStallGroup& step) {
  if (!alone() || !is_open(step.device) || !is_divided(step.device)) return false;
  if (!has_sub_device(step.device, step.sub_device)) return false;
  devices[step.device].stall_group = step.sub_device;
  return true;
}

// ---- Captures ----

bool Model::take(const BeginCapture&) {
  if (!alone() || capturing_ || !awaited_events().empty() || !open_traces().empty()) return false;
  capturing_ = true;
  return true;
}

bool Model::take(const EndCapture&) {
  // The check refuses a file that ends while a queue waits for an event: its replay would wait for
  // ever.
  if (!alone() || !capturing_ || !awaited_events().empty()) return false;
  capturing_ = false;
  return true;
}

// ---- Lists ----

namespace {

// Traces that no step replays. The replay of a file runs such a trace once, which the program did
// not do.
std::set<Id> unreplayed_traces(const Steps& steps) {
  std::set<Id> pending, found;
  for (const Step& step : steps) {
    if (const auto* begin = std::get_if<BeginTrace>(&step.call)) pending.insert(begin->trace);
    if (const auto* replay = std::get_if<ReplayTrace>(&step.call)) pending.erase(replay->trace);
    if (std::holds_alternative<EndCapture>(step.call)) found.merge(pending);
  }
  found.merge(pending);
  return found;
}

}  // namespace

Steps valid_steps(Steps steps) {
  while (true) {
    Model model;
    Steps valid;
    for (Step& step : steps) {
      if (model.take(step)) valid.push_back(step);
    }
    const std::set<Id> awaited = model.awaited_events();
    if (!awaited.empty()) {
      std::erase_if(valid, [&](const Step& step) {
        const auto* wait = std::get_if<WaitForEvent>(&step.call);
        return wait != nullptr && awaited.contains(wait->event);
      });
      steps = std::move(valid);
      continue;
    }
    if (const std::set<Id> unreplayed = unreplayed_traces(valid); !unreplayed.empty()) {
      std::erase_if(valid, [&](const Step& step) {
        const auto* begin = std::get_if<BeginTrace>(&step.call);
        return begin != nullptr && unreplayed.contains(begin->trace);
      });
      steps = std::move(valid);
      continue;
    }
    uint32_t section = valid.empty() ? 0 : valid.back().section;
    section += section % 2;
    if (model.is_capturing()) valid.push_back({section, 0, EndCapture{}});
    return valid;
  }
}

}  // namespace random_programs
