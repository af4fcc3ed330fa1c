#pragma once

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <tt-metalium/sub_device.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <variant>
#include <vector>

#include "tests/random_programs/program_host.h"
#include "tests/random_programs/steps.h"

// Takes the steps of a program by calling the host API. Uses nothing else of the project, because
// printed programs contain this header.
namespace random_programs {

// The objects that the steps work on. Threads may take steps at the same time, of different
// objects.
class Host : public ProgramHost {
 public:
  using ProgramHost::ProgramHost;
  using ProgramHost::take;

  void take(const OpenDevice& step) {
    devices_[step.device] = tm::CreateDevice(static_cast<int>(step.device),
                                             static_cast<uint8_t>(step.queues), 16384, 1 << 20);
  }
  void take(const CloseDevice& step) {
    tm::CloseDevice(device(step.device));
    devices_[step.device] = nullptr;
  }

  void take(const CreateBuffer& step) {
    tm::IDevice* const on = device(step.device);
    const Shape& shape = step.shape;
    std::optional<bool> bottom_up;
    if (step.bottom_up) bottom_up = false;
    std::optional<tm::SubDeviceId> sub_device;
    if (step.sub_device != 0) sub_device.emplace(static_cast<uint8_t>(step.sub_device - 1));
    if (step.view_of != kNone) {
      buffer_[step.buffer] = tm::Buffer::create(on, buffer(step.view_of).address(), size_of(shape),
                                                shape.page_size, type_of(shape), layout_of(shape),
                                                shards_of(shape), bottom_up, sub_device);
    } else {
      buffer_[step.buffer] =
          tm::Buffer::create(on, size_of(shape), shape.page_size, type_of(shape), layout_of(shape),
                             shards_of(shape), bottom_up, sub_device);
    }
  }
  void take(const DeallocateBuffer& step) { tm::DeallocateBuffer(buffer(step.buffer)); }
  void take(const DropBuffer& step) { buffer_[step.buffer].reset(); }
  void take(const SetPageSize& step) { buffer(step.buffer).set_page_size(step.page_size); }

  void take(const WriteBuffer& step) {
    tm::Buffer& to = buffer(step.buffer);
    const tm::DeviceAddr page = to.page_size();
    const bool region = step.way == Way::kRegion;
    std::vector<uint32_t> words =
        words_of(step.value, (region ? step.pages * page : to.size()) / 4);
    const ChangingWords changing(step.changes ? &words : nullptr);
    if (region) {
      tm::EnqueueWriteSubBuffer(queue(step.queue), to, words,
                                tm::BufferRegion(step.first_page * page, step.pages * page),
                                step.blocking);
    } else if (step.way == Way::kDirect) {
      tm::detail::WriteToBuffer(to, words);
    } else {
      tm::EnqueueWriteBuffer(queue(step.queue), to, words, step.blocking);
    }
  }

  void take(const ReadBuffer& step) {
    tm::Buffer& from = buffer(step.buffer);
    Read& read = new_read(step.expected);
    std::vector<uint32_t>& words = read.words;
    const tm::DeviceAddr page = from.page_size();
    switch (step.way) {
      case Way::kQueue:
        tm::EnqueueReadBuffer(queue(step.queue), from, words, step.blocking);
        break;
      case Way::kRegion:
        tm::EnqueueReadSubBuffer(queue(step.queue), from, words,
                                 tm::BufferRegion(step.first_page * page, step.pages * page),
                                 step.blocking);
        break;
      case Way::kDirect:
        tm::detail::ReadFromBuffer(from, words);
        break;
      case Way::kCompare:
        words.resize(from.size() / 4);
        tm::LightMetalCompareToCapture(queue(step.queue), from, words.data());
        break;
      case Way::kShard:
        tm::detail::ReadShard(from, words, step.first_page);
        break;
    }
    if (step.blocking) check(read);
  }

  void take(const CreateProgram& step) {
    HostProgram& made = program_[step.program] = HostProgram{.description = step};
    made.owned = std::make_unique<tm::Program>(make(made));
    made.program = made.owned.get();
  }
  void take(const DropProgram& step) { program_[step.program].owned.reset(); }
  void take(const CompileProgram& step) {
    HostProgram& compiled = program_[step.program];
    tm::detail::CompileProgram(device(compiled.description.device), *compiled.program);
  }

  void take(const SetArguments& step) { set_arguments(program_[step.program], step); }
  void take(const ResizeCircularBuffer& step) { resize(program_[step.program], step.pages); }
  void take(const MoveScratch& step) { move_scratch(program_[step.program], step.scratch); }
  void take(const AssignBuffer& step) {
    tm::AssignGlobalBufferToProgram(buffer_[step.buffer], *program_[step.program].program);
  }
  void take(const Launch& step) {
    HostProgram& launched = program_[step.program];
    if (step.direct) {
      tm::detail::LaunchProgram(device(launched.description.device), *launched.program);
    } else {
      tm::EnqueueProgram(queue(step.queue), *launched.program, step.blocking);
    }
  }

  void take(const Finish& step) {
    if (step.whole_device) {
      tm::Synchronize(device(step.queue.device), std::nullopt, sub_devices(step.sub_device));
    } else {
      tm::Finish(queue(step.queue), sub_devices(step.sub_device));
    }
  }
  void take(const RecordEvent& step) {
    tm::EnqueueRecordEvent(queue(step.queue), event(step.event), sub_devices(step.sub_device));
  }
  void take(const WaitForEvent& step) {
    tm::EnqueueWaitForEvent(queue(step.queue), event(step.event));
  }
  void take(const SynchronizeEvent& step) {
    if (step.polls) {
      while (!tm::EventQuery(event(step.event))) std::this_thread::yield();
    } else {
      tm::EventSynchronize(event(step.event));
    }
    if (!tm::EventQuery(event(step.event))) fail("an event that has come is not there");
  }
  void take(const DropEvent& step) { event_[step.event].reset(); }

  void take(const BeginTrace& step) {
    trace_[step.trace] =
        tm::BeginTraceCapture(device(step.queue.device), static_cast<uint8_t>(step.queue.index));
  }
  void take(const EndTrace& step) {
    tm::EndTraceCapture(device(step.queue.device), static_cast<uint8_t>(step.queue.index),
                        trace_[step.trace]);
  }
  void take(const ReplayTrace& step) {
    if (step.enqueue) {
      tm::EnqueueTrace(queue(step.queue), trace_[step.trace], step.blocking);
    } else {
      tm::ReplayTrace(device(step.queue.device), static_cast<uint8_t>(step.queue.index),
                      trace_[step.trace], step.blocking);
    }
  }
  void take(const ReleaseTrace& step) { tm::ReleaseTrace(device(step.device), trace_[step.trace]); }

  void take(const CreateManager& step) {
    std::vector<tm::SubDevice> parts;
    for (const Rect& rect : step.sub_devices) {
      parts.emplace_back(std::array{tm::CoreRangeSet(range_of(rect))});
    }
    manager_[step.manager] =
        device(step.device)
            ->create_sub_device_manager(
                tt::stl::Span<const tm::SubDevice>(parts.data(), parts.size()), step.local_size);
  }
  void take(const LoadManager& step) {
    if (step.manager == kNone) {
      device(step.device)->clear_loaded_sub_device_manager();
    } else {
      device(step.device)->load_sub_device_manager(manager_[step.manager]);
    }
  }
  void take(const RemoveManager& step) {
    device(step.device)->remove_sub_device_manager(manager_[step.manager]);
  }
  void take(const SetStallGroup& step) {
    if (step.sub_device == 0) return device(step.device)->reset_sub_device_stall_group();
    device(step.device)->set_sub_device_stall_group(sub_devices(step.sub_device));
  }

  void take(const ReadSemaphore& step) {
    read_semaphore(semaphore_[step.semaphore]->device(), step);
  }

  // Ends the program: waits for all work that is under way, compares what was read, and closes the
  // devices.
  void end() {
    for (tm::IDevice* open : devices_) {
      if (open != nullptr) open->synchronize();
    }
    check_reads();
    for (tm::IDevice*& open : devices_) {
      if (open != nullptr) tm::CloseDevice(open);
      open = nullptr;
    }
  }

 private:
  tm::IDevice* device(Id id) override { return devices_.at(id); }
  tm::CommandQueue& queue(const Queue& queue) {
    return device(queue.device)->command_queue(queue.index);
  }
  tm::Buffer& buffer(Id id) override { return *buffer_.at(id); }
  tm::GlobalSemaphore make_semaphore(const CreateSemaphore& step) override {
    return tm::CreateGlobalSemaphore(device(step.device), tm::CoreRangeSet(range_of(step.cores)),
                                     step.value);
  }
  // The step that names an event first makes it. Two threads never do so at once.
  std::shared_ptr<tm::Event> event(Id id) {
    const std::lock_guard lock(mutex_);
    if (event_[id] == nullptr) event_[id] = std::make_shared<tm::Event>();
    return event_[id];
  }
  std::array<tm::IDevice*, kMaxDevices> devices_ = {};
  std::vector<std::shared_ptr<tm::Buffer>> buffer_{kMaxObjects};
  std::vector<HostProgram> program_{kMaxObjects};
  std::vector<std::shared_ptr<tm::Event>> event_{kMaxObjects};
  std::vector<uint32_t> trace_ = std::vector<uint32_t>(kMaxObjects);
  std::vector<tm::SubDeviceManagerId> manager_{kMaxObjects};
};

}  // namespace random_programs
