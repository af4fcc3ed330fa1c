#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <utility>
#include <vector>

#include "tests/random_programs/program_host.h"
#include "tests/random_programs/spec_programs.h"
#include "tests/random_programs/steps.h"

// Takes the steps of a program by calling the mesh API: each device of the steps is a mesh of one
// device or more. Uses nothing else of the project, because printed programs contain this header.
namespace random_programs {

namespace mesh = tm::distributed;

// The objects that the steps work on. Each device of a mesh is written other words, and computes
// the same. Threads may take steps at the same time, of different objects.
class MeshHost : public ProgramHost {
 public:
  MeshHost(Form form, uint32_t devices) : ProgramHost(form), devices_(devices) {}
  using ProgramHost::take;

  void take(const OpenDevice& step) {
    std::vector<int> ids;
    for (uint32_t i = 0; i < devices_; ++i) {
      ids.push_back(static_cast<int>(step.device * devices_ + i));
    }
    mesh_[step.device] = mesh::MeshDevice::create(
        mesh::MeshDeviceConfig(mesh::MeshShape(1, devices_), std::nullopt, ids), 16384, 1 << 20,
        step.queues);
  }
  void take(const CloseDevice& step) {
    mesh_[step.device]->close();
    mesh_[step.device].reset();
  }

  void take(const CreateBuffer& step) {
    const Shape& shape = step.shape;
    mesh::DeviceLocalBufferConfig local{.page_size = shape.page_size,
                                        .buffer_type = type_of(shape),
                                        .buffer_layout = layout_of(shape),
                                        .shard_parameters = shards_of(shape)};
    if (step.bottom_up) local.bottom_up = false;
    if (step.sub_device != 0) local.sub_device_id = sub_devices(step.sub_device).front();
    std::optional<tm::DeviceAddr> address;
    if (step.view_of != kNone) address = buffer(step.view_of).address();
    buffer_[step.buffer] =
        mesh::MeshBuffer::create(mesh::ReplicatedBufferConfig{.size = size_of(shape)}, local,
                                 mesh_[step.device].get(), address);
  }
  void take(const DeallocateBuffer& step) { buffer_[step.buffer]->deallocate(); }
  void take(const DropBuffer& step) { buffer_[step.buffer].reset(); }

  void take(const WriteBuffer& step) {
    std::vector<std::vector<uint32_t>> words;
    std::vector<uint32_t*> from;
    for (uint32_t i = 0; i < devices_; ++i) {
      words.push_back(words_of(value_on(step.value, i), size_of_transfer(step)));
      from.push_back(words.back().data());
    }
    const ChangingWords changing(step.changes ? &words.front() : nullptr);
    if (step.way == Way::kDirect) {
      for (uint32_t i = 0; i < devices_; ++i) {
        tm::detail::WriteToBuffer(part(step.buffer, i), words[i]);
      }
    } else if (step.way == Way::kQueue && step.value % 2 == 0) {
      for (uint32_t i = 0; i < devices_; ++i) {
        mesh::WriteShard(queue(step.queue), buffer_[step.buffer], words[i], at(i), step.blocking);
      }
    } else {
      queue(step.queue)
          .enqueue_write_shards(buffer_[step.buffer], transfers(step, from), step.blocking);
    }
  }

  void take(const ReadBuffer& step) {
    std::vector<Read*> reads = {&new_read(step.expected)};
    for (const uint64_t expected : step.expected_on_others) reads.push_back(&new_read(expected));
    if (step.way == Way::kQueue && step.blocking) {
      for (uint32_t i = 0; i < devices_; ++i) {
        mesh::ReadShard(queue(step.queue), reads[i]->words, buffer_[step.buffer], at(i));
      }
    } else if (step.way == Way::kQueue || step.way == Way::kRegion) {
      read_shards(step, reads);
    } else {
      for (uint32_t i = 0; i < devices_; ++i) read_part(step, i, reads[i]->words);
    }
    if (!step.blocking) return;
    for (const Read* read : reads) check(*read);
  }

  void take(const CreateProgram& step) {
    const std::shared_ptr<mesh::MeshDevice>& on = mesh_[step.device];
    Workload& made = workload_[step.program] = Workload{};
    for (const mesh::MeshCoordinateRange& range : ranges_of(step, *on)) {
      HostProgram& program = made.programs.emplace_back(HostProgram{.description = step});
      made.workload.add_program(range, make(program));
      program.program = &made.workload.get_programs().at(range);
    }
  }
  void take(const DropProgram& step) { workload_[step.program] = Workload{}; }
  void take(const SetArguments& step) {
    for (HostProgram& program : workload_[step.program].programs) set_arguments(program, step);
  }
  void take(const ResizeCircularBuffer& step) {
    for (HostProgram& program : workload_[step.program].programs) resize(program, step.pages);
  }
  void take(const MoveScratch& step) {
    for (HostProgram& program : workload_[step.program].programs) {
      move_scratch(program, step.scratch);
    }
  }
  void take(const Launch& step) {
    mesh::EnqueueMeshWorkload(queue(step.queue), workload_[step.program].workload, step.blocking);
  }

  void take(const Finish& step) {
    if (step.whole_device) {
      mesh::Synchronize(mesh_[step.queue.device].get(), std::nullopt, sub_devices(step.sub_device));
    } else {
      mesh::Finish(queue(step.queue), sub_devices(step.sub_device));
    }
  }
  void take(const RecordEvent& step) {
    put_event(step.event,
              mesh::EnqueueRecordEventToHost(queue(step.queue), sub_devices(step.sub_device)));
  }
  void take(const WaitForEvent& step) {
    mesh::EnqueueWaitForEvent(queue(step.queue), event(step.event));
  }
  void take(const SynchronizeEvent& step) {
    const mesh::MeshEvent point = event(step.event);
    if (step.polls) {
      while (!mesh::EventQuery(point)) std::this_thread::yield();
    } else {
      mesh::EventSynchronize(point);
    }
    if (!mesh::EventQuery(point)) fail("an event that has come is not there");
  }
  void take(const DropEvent& step) {
    const std::lock_guard lock(mutex_);
    event_[step.event].reset();
  }

  void take(const BeginTrace& step) {
    trace_[step.trace].emplace(
        mesh::BeginTraceCapture(mesh_[step.queue.device].get(), number_of(step.queue)));
  }
  void take(const EndTrace& step) {
    mesh::EndTraceCapture(mesh_[step.queue.device].get(), number_of(step.queue),
                          *trace_[step.trace]);
  }
  void take(const ReplayTrace& step) {
    if (step.enqueue) {
      queue(step.queue).enqueue_trace(*trace_[step.trace], step.blocking);
    } else {
      mesh::ReplayTrace(mesh_[step.queue.device].get(), number_of(step.queue), *trace_[step.trace],
                        step.blocking);
    }
  }
  void take(const ReleaseTrace& step) {
    mesh::ReleaseTrace(mesh_[step.device].get(), *trace_[step.trace]);
  }

  void take(const CreateManager& step) {
    std::vector<tm::SubDevice> parts;
    for (const Rect& rect : step.sub_devices) {
      parts.emplace_back(std::array{tm::CoreRangeSet(range_of(rect))});
    }
    manager_[step.manager] = mesh_[step.device]->create_sub_device_manager(
        tt::stl::Span<const tm::SubDevice>(parts.data(), parts.size()), step.local_size);
  }
  void take(const LoadManager& step) {
    if (step.manager == kNone) {
      mesh_[step.device]->clear_loaded_sub_device_manager();
    } else {
      mesh_[step.device]->load_sub_device_manager(manager_[step.manager]);
    }
  }
  void take(const RemoveManager& step) {
    mesh_[step.device]->remove_sub_device_manager(manager_[step.manager]);
  }
  void take(const SetStallGroup& step) {
    if (step.sub_device == 0) return mesh_[step.device]->reset_sub_device_stall_group();
    mesh_[step.device]->set_sub_device_stall_group(sub_devices(step.sub_device));
  }

  void take(const ReadSemaphore& step) {
    const std::shared_ptr<mesh::MeshDevice>& on = mesh_[semaphore_on_[step.semaphore]];
    for (uint32_t i = 0; i < devices_; ++i) read_semaphore(on->get_device(at(i)), step);
  }

  // The steps that the mesh API has no call for.
  template <class Call>
  void take(const Call&) {
    fail("a mesh cannot take this step");
  }

  // Ends the program: waits for all work that is under way, compares what was read, and closes the
  // meshes.
  void end() {
    for (const auto& open : mesh_) {
      if (open != nullptr) mesh::Synchronize(open.get(), std::nullopt);
    }
    check_reads();
    for (auto& open : mesh_) {
      if (open != nullptr) open->close();
      open.reset();
    }
  }

 private:
  struct Workload {
    mesh::MeshWorkload workload;
    std::vector<HostProgram> programs;
  };

  static mesh::MeshCoordinate at(uint32_t device) { return {0, device}; }
  static uint8_t number_of(const Queue& queue) { return static_cast<uint8_t>(queue.index); }
  tm::IDevice* device(Id id) override { return mesh_.at(id)->get_device(at(0)); }
  tm::Buffer& buffer(Id id) override { return part(id, 0); }
  tm::Buffer& part(Id id, uint32_t device) {
    return *buffer_.at(id)->get_device_buffer(at(device));
  }
  mesh::MeshCommandQueue& queue(const Queue& queue) {
    return mesh_.at(queue.device)->mesh_command_queue(number_of(queue));
  }
  tm::GlobalSemaphore make_semaphore(const CreateSemaphore& step) override {
    semaphore_on_[step.semaphore] = step.device;
    return tm::CreateGlobalSemaphore(*mesh_[step.device], tm::CoreRangeSet(range_of(step.cores)),
                                     step.value);
  }

  bool is_specified(const HostProgram& program) const override {
    return form() == Form::kSpec && !named_kernels_of(program.description.kind).empty();
  }
  tm::Program make_from_spec(HostProgram& made) override {
    const CreateProgram& of = made.description;
    tm::Program program = metal2::MakeProgramFromSpec(*mesh_.at(of.device), spec_of(of));
    metal2::SetProgramRunArgs(program, first_arguments(of));
    return program;
  }
  void give_by_name(HostProgram& of, size_t kernel, const std::vector<tm::CoreCoord>& cores,
                    const std::vector<std::vector<uint32_t>>& args, uint32_t amount) override {
    metal2::UpdateProgramRunArgs(*of.program,
                                 named_arguments(of.description, kernel, cores, args, amount));
  }

  // Some workloads have one program for all devices, others one for each.
  static std::vector<mesh::MeshCoordinateRange> ranges_of(const CreateProgram& step,
                                                          const mesh::MeshDevice& on) {
    if (step.program % 2 == 0) return {mesh::MeshCoordinateRange(on.shape())};
    std::vector<mesh::MeshCoordinateRange> ranges;
    for (uint32_t i = 0; i < on.num_devices(); ++i) ranges.emplace_back(at(i), at(i));
    return ranges;
  }

  template <class Step>
  size_t size_of_transfer(const Step& step) {
    const tm::Buffer& whole = buffer(step.buffer);
    return (step.way == Way::kRegion ? step.pages * whole.page_size() : whole.size()) / 4;
  }
  template <class Step>
  std::vector<mesh::ShardDataTransfer> transfers(const Step& step,
                                                 const std::vector<uint32_t*>& words) {
    const tm::DeviceAddr page = buffer(step.buffer).page_size();
    std::vector<mesh::ShardDataTransfer> made;
    for (uint32_t i = 0; i < devices_; ++i) {
      made.push_back(mesh::ShardDataTransfer(at(i)).host_data(words[i]));
      if (step.way != Way::kRegion) continue;
      made.back().region(tm::BufferRegion(step.first_page * page, step.pages * page));
    }
    return made;
  }
  void read_shards(const ReadBuffer& step, const std::vector<Read*>& reads) {
    std::vector<uint32_t*> to;
    for (Read* read : reads) {
      read->words.resize(size_of_transfer(step));
      to.push_back(read->words.data());
    }
    queue(step.queue).enqueue_read_shards(transfers(step, to), buffer_[step.buffer], step.blocking);
  }
  void read_part(const ReadBuffer& step, uint32_t device, std::vector<uint32_t>& words) {
    tm::Buffer& from = part(step.buffer, device);
    if (step.way == Way::kDirect) {
      tm::detail::ReadFromBuffer(from, words);
    } else if (step.way == Way::kShard) {
      tm::detail::ReadShard(from, words, step.first_page);
    } else {
      words.resize(from.size() / 4);
      tm::LightMetalCompareToCapture(queue(step.queue).device_queue(from), from, words.data());
    }
  }

  void put_event(Id id, const mesh::MeshEvent& point) {
    const std::lock_guard lock(mutex_);
    event_[id].emplace(point);
  }
  mesh::MeshEvent event(Id id) {
    const std::lock_guard lock(mutex_);
    return event_[id].value();
  }

  const uint32_t devices_;  // of each mesh
  std::array<std::shared_ptr<mesh::MeshDevice>, kMaxDevices> mesh_ = {};
  std::vector<std::shared_ptr<mesh::MeshBuffer>> buffer_{kMaxObjects};
  std::vector<Workload> workload_{kMaxObjects};
  std::vector<std::optional<mesh::MeshEvent>> event_{kMaxObjects};
  std::vector<std::optional<mesh::MeshTraceId>> trace_{kMaxObjects};
  std::vector<Id> semaphore_on_ = std::vector<Id>(kMaxObjects);  // its mesh
  std::vector<tm::SubDeviceManagerId> manager_{kMaxObjects};
};

}  // namespace random_programs
