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

#include "tests/random_programs/kernels.h"
#include "tests/random_programs/steps.h"

// Takes the steps of a program by calling the host API. Uses nothing else of the project, because
// printed programs contain this header.
namespace random_programs {

namespace tm = tt::tt_metal;

// Ends the process at once: its other threads may wait for this one.
[[noreturn]] inline void fail(const std::string& text) {
  std::fprintf(stderr, "FOUND: %s\n", text.c_str());
  std::fflush(stderr);
  std::_Exit(1);
}

inline tm::CoreCoord core_of(const std::array<uint32_t, 2>& core) { return {core[0], core[1]}; }
inline tm::CoreRange range_of(const Rect& rect) {
  return tm::CoreRange({rect.x0, rect.y0}, {rect.x1, rect.y1});
}
inline std::vector<tm::CoreCoord> cores_of(const Rect& rect) {
  std::vector<tm::CoreCoord> cores;
  for (uint32_t y = rect.y0; y <= rect.y1; ++y) {
    for (uint32_t x = rect.x0; x <= rect.x1; ++x) cores.emplace_back(x, y);
  }
  return cores;
}

inline constexpr uint32_t kScratchPage = 2048;  // the greatest page that a kernel handles

// The objects that the steps work on. Threads may take steps at the same time, of different
// objects.
class Host {
 public:
  // What BeginCapture and EndCapture call; by default they do nothing.
  std::function<void()> begin_capture = [] {};
  std::function<void()> end_capture = [] {};

  Host() = default;
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

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
    const auto type = shape.memory == Memory::kDram ? tm::BufferType::DRAM
                      : shape.memory == Memory::kL1 ? tm::BufferType::L1
                                                    : tm::BufferType::L1_SMALL;
    const tm::DeviceAddr size = uint64_t{shape.pages} * shape.page_size;
    std::optional<bool> bottom_up;
    if (step.bottom_up) bottom_up = false;
    std::optional<tm::SubDeviceId> sub_device;
    if (step.sub_device != 0) sub_device.emplace(static_cast<uint8_t>(step.sub_device - 1));
    if (step.view_of != kNone) {
      buffer_[step.buffer] =
          tm::Buffer::create(on, buffer(step.view_of).address(), size, shape.page_size, type,
                             layout_of(shape), shards_of(shape), bottom_up, sub_device);
    } else {
      buffer_[step.buffer] = tm::Buffer::create(on, size, shape.page_size, type, layout_of(shape),
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
    std::vector<uint32_t> words((region ? step.pages * page : to.size()) / 4);
    for (uint32_t i = 0; i < words.size(); ++i) words[i] = word_of(step.value, i);
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
    Program& made = program_[step.program] = Program{};
    made.description = step;
    made.program = std::make_unique<tm::Program>(tm::CreateProgram());
    const bool needs_scratch = step.kind != Kind::kCount && step.kind != Kind::kSignal;
    if (needs_scratch) add_circular_buffer(made, 0);
    if (step.kind == Kind::kSum) add_circular_buffer(made, 1);
    add_kernels(made);
  }
  void take(const DropProgram& step) { program_[step.program].program.reset(); }
  void take(const CompileProgram& step) {
    Program& compiled = program_[step.program];
    tm::detail::CompileProgram(device(compiled.description.device), *compiled.program);
  }

  void take(const SetArguments& step) {
    Program& of = program_[step.program];
    switch (of.description.kind) {
      case Kind::kAdd:
        return set(of, 0, step, step.a, {address(step.a), address(step.target)},
                   {step.a, step.target});
      case Kind::kSum:
        set(of, 0, step, step.a, {address(step.a), address(step.b)}, {step.a, step.b});
        return set(of, 1, step, step.a, {address(step.target)}, {step.target});
      case Kind::kHandshake:
        return set_handshake(of, step);
      case Kind::kCount:
        return set(of, 0, step, step.a, {address(step.a)}, {step.a});
      case Kind::kSignal: {
        const tm::GlobalSemaphore& semaphore = *semaphore_[step.semaphore];
        const tm::CoreCoord noc =
            device(of.description.device)->worker_core_from_logical_core(core_of(step.goal));
        return set(of, 0, step, kNone,
                   {static_cast<uint32_t>(semaphore.address()), static_cast<uint32_t>(noc.x),
                    static_cast<uint32_t>(noc.y)},
                   {});
      }
    }
  }
  void take(const ResizeCircularBuffer& step) {
    Program& of = program_[step.program];
    for (const tm::CBHandle handle : of.circular_buffers) {
      tm::UpdateCircularBufferTotalSize(*of.program, handle, step.pages * kScratchPage);
    }
  }
  void take(const MoveScratch& step) {
    Program& of = program_[step.program];
    tm::UpdateDynamicCircularBufferAddress(*of.program, of.circular_buffers.at(0),
                                           buffer(step.scratch));
  }
  void take(const AssignBuffer& step) {
    tm::AssignGlobalBufferToProgram(buffer_[step.buffer], *program_[step.program].program);
  }
  void take(const Launch& step) {
    Program& launched = program_[step.program];
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
    tm::EventSynchronize(event(step.event));
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

  void take(const CreateSemaphore& step) {
    semaphore_[step.semaphore].emplace(tm::CreateGlobalSemaphore(
        device(step.device), tm::CoreRangeSet(range_of(step.cores)), step.value));
  }
  void take(const ResetSemaphore& step) {
    semaphore_[step.semaphore]->reset_semaphore_value(step.value);
  }
  void take(const ReadSemaphore& step) {
    Read& read = new_read(step.expected);
    const tm::GlobalSemaphore& semaphore = *semaphore_[step.semaphore];
    tm::detail::ReadFromDeviceL1(semaphore.device(), core_of(step.core),
                                 static_cast<uint32_t>(semaphore.address()), 4, read.words);
    check(read);
  }
  void take(const DropSemaphore& step) { semaphore_[step.semaphore].reset(); }

  void take(const BeginCapture&) { begin_capture(); }
  void take(const EndCapture&) { end_capture(); }

  // Ends the program: waits for all work that is under way, compares what was read, and closes the
  // devices.
  void end() {
    for (tm::IDevice* open : devices_) {
      if (open != nullptr) open->synchronize();
    }
    for (const Read& read : reads_) check(read);
    for (tm::IDevice*& open : devices_) {
      if (open != nullptr) tm::CloseDevice(open);
      open = nullptr;
    }
  }

 private:
  struct Read {
    uint64_t expected = 0;
    std::vector<uint32_t> words;  // complete when the queue has done the read
  };
  struct Program {
    CreateProgram description;
    std::unique_ptr<tm::Program> program;
    std::vector<tm::KernelHandle> kernels;
    std::vector<tm::CBHandle> circular_buffers;
    std::vector<bool> has_arguments;  // by kernel
  };

  tm::IDevice* device(Id id) { return devices_.at(id); }
  tm::CommandQueue& queue(const Queue& queue) {
    return device(queue.device)->command_queue(queue.index);
  }
  // The sub-devices that a call waits for: sub-device `number` - 1, or an empty list for 0.
  static std::vector<tm::SubDeviceId> sub_devices(uint32_t number) {
    if (number == 0) return {};
    return {tm::SubDeviceId{static_cast<uint8_t>(number - 1)}};
  }
  tm::Buffer& buffer(Id id) { return *buffer_.at(id); }
  uint32_t address(Id id) { return buffer(id).address(); }
  // The step that names an event first makes it. Two threads never do so at once.
  std::shared_ptr<tm::Event> event(Id id) {
    const std::lock_guard lock(mutex_);
    if (event_[id] == nullptr) event_[id] = std::make_shared<tm::Event>();
    return event_[id];
  }
  Read& new_read(uint64_t expected) {
    const std::lock_guard lock(mutex_);
    return reads_.emplace_back(Read{expected, {}});
  }
  static void check(const Read& read) {
    if (digest(read.words) == read.expected) return;
    fail("a read of " + std::to_string(read.words.size()) + " words, expected with digest " +
         std::to_string(read.expected) + ", begins with " +
         std::to_string(read.words.empty() ? 0 : read.words[0]) + " and has digest " +
         std::to_string(digest(read.words)));
  }

  static tm::TensorMemoryLayout layout_of(const Shape& shape) {
    switch (shape.layout) {
      case Layout::kInterleaved:
        return tm::TensorMemoryLayout::INTERLEAVED;
      case Layout::kSingleBank:
        return tm::TensorMemoryLayout::SINGLE_BANK;
      case Layout::kHeight:
        return tm::TensorMemoryLayout::HEIGHT_SHARDED;
      case Layout::kWidth:
        return tm::TensorMemoryLayout::WIDTH_SHARDED;
      default:
        return tm::TensorMemoryLayout::BLOCK_SHARDED;
    }
  }
  // The shards of a shape, with pages of one element each.
  static std::optional<tm::ShardSpecBuffer> shards_of(const Shape& shape) {
    if (shape.layout == Layout::kInterleaved || shape.layout == Layout::kSingleBank) return {};
    return tm::ShardSpecBuffer(
        tm::CoreRangeSet(range_of(shape.grid)), shape.shard,
        shape.column_major ? tm::ShardOrientation::COL_MAJOR : tm::ShardOrientation::ROW_MAJOR,
        {1, 1}, shape.tensor);
  }

  void add_circular_buffer(Program& made, uint8_t index) {
    tm::CircularBufferConfig config(kScratchPage, {{index, tt::DataFormat::UInt32}});
    config.set_page_size(index, kScratchPage);
    if (made.description.scratch != kNone) {
      config.set_globally_allocated_address(buffer(made.description.scratch));
    }
    made.circular_buffers.push_back(
        tm::CreateCircularBuffer(*made.program, range_of(made.description.cores), config));
  }
  void add_kernel(Program& made, const char* text, const tm::CoreRange& cores, bool reader,
                  std::vector<uint32_t> compile_args) {
    made.kernels.push_back(tm::CreateKernelFromString(
        *made.program, text, cores,
        tm::DataMovementConfig{.processor = reader ? tm::DataMovementProcessor::RISCV_1
                                                   : tm::DataMovementProcessor::RISCV_0,
                               .noc = reader ? tm::NOC::RISCV_1_default : tm::NOC::RISCV_0_default,
                               .compile_args = std::move(compile_args)}));
    made.has_arguments.push_back(false);
  }
  void add_kernels(Program& made) {
    const CreateProgram& of = made.description;
    const tm::CoreRange cores = range_of(of.cores);
    switch (of.kind) {
      case Kind::kAdd:
        return add_kernel(made, kernels::kAdd, cores, false, {of.a_in_dram, of.target_in_dram});
      case Kind::kSum:
        add_kernel(made, kernels::kSumReader, cores, true, {of.a_in_dram, of.b_in_dram});
        return add_kernel(made, kernels::kSumWriter, cores, false, {of.target_in_dram});
      case Kind::kHandshake:
        for (int i = 0; i < 2; ++i) tm::CreateSemaphore(*made.program, cores, 0);
        add_kernel(made, kernels::kSend, tm::CoreRange(cores.start_coord), false, {of.a_in_dram});
        return add_kernel(made, kernels::kReceive, tm::CoreRange(cores.end_coord), false,
                          {of.target_in_dram});
      case Kind::kCount:
        return add_kernel(made, kernels::kCount, cores, false, {});
      case Kind::kSignal:
        return add_kernel(made, kernels::kSignal, cores, false, {});
    }
  }

  // Sets the kernel's arguments on each of its cores: pages, page size, then `last`, which begins
  // with the addresses of `buffers`.
  void set(Program& of, size_t kernel, const SetArguments& step, Id pages_of,
           const std::vector<uint32_t>& last, const std::vector<Id>& buffers) {
    set_on(of, kernel, step, cores_of(of.description.cores), pages_of, last, buffers);
  }
  void set_handshake(Program& of, const SetArguments& step) {
    const std::vector<tm::CoreCoord> cores = cores_of(of.description.cores);
    tm::IDevice* const on = device(of.description.device);
    for (size_t i = 0; i < 2; ++i) {
      const tm::CoreCoord noc = on->worker_core_from_logical_core(cores[1 - i]);
      const Id id = i == 0 ? step.a : step.target;
      set_on(of, i, step, {cores[i]}, id,
             {address(id), static_cast<uint32_t>(noc.x), static_cast<uint32_t>(noc.y)}, {id});
    }
  }
  void set_on(Program& of, size_t index, const SetArguments& step,
              const std::vector<tm::CoreCoord>& cores, Id pages_of,
              const std::vector<uint32_t>& last, const std::vector<Id>& buffers) {
    const uint32_t pages = pages_of == kNone ? 0 : buffer(pages_of).num_pages();
    std::vector<std::vector<uint32_t>> args;
    for (uint32_t i = 0; i < cores.size(); ++i) {
      args.push_back({i, static_cast<uint32_t>(cores.size()), pages, bytes_of(of, pages_of)});
      args.back().insert(args.back().end(), last.begin(), last.end());
    }
    const tm::KernelHandle kernel = of.kernels.at(index);
    give(of, kernel, step.way, cores, args, buffers);
    if (of.has_arguments.at(index)) {
      tm::GetCommonRuntimeArgs(*of.program, kernel)[0] = step.amount;
    } else {
      tm::SetCommonRuntimeArgs(*of.program, kernel, {step.amount});
    }
    of.has_arguments[index] = true;
  }
  // The bytes that a kernel handles at once: a page, or all that a core has of the buffer.
  uint32_t bytes_of(const Program& of, Id id) {
    if (id == kNone) return 0;
    const bool counts = of.description.kind == Kind::kCount;
    return static_cast<uint32_t>(counts ? buffer(id).aligned_size_per_bank()
                                        : buffer(id).page_size());
  }
  void give(Program& of, tm::KernelHandle kernel, ArgsWay way,
            const std::vector<tm::CoreCoord>& cores, const std::vector<std::vector<uint32_t>>& args,
            const std::vector<Id>& buffers) {
    if (way == ArgsWay::kVector) return tm::SetRuntimeArgs(*of.program, kernel, cores, args);
    for (size_t i = 0; i < cores.size(); ++i) {
      if (way == ArgsWay::kSymbolic) {
        auto symbolic = std::make_shared<tm::RuntimeArgs>(args[i].begin(), args[i].end());
        for (size_t b = 0; b < buffers.size(); ++b) (*symbolic)[4 + b] = &buffer(buffers[b]);
        tm::SetRuntimeArgs(device(of.description.device),
                           tm::detail::GetKernel(*of.program, kernel), cores[i], symbolic);
      } else if (way == ArgsWay::kReference) {
        tm::RuntimeArgsData& stored = tm::GetRuntimeArgs(*of.program, kernel, cores[i]);
        for (size_t w = 0; w < args[i].size(); ++w) stored[w] = args[i][w];
      } else {
        tm::SetRuntimeArgs(*of.program, kernel, cores[i], args[i]);
      }
    }
  }

  std::array<tm::IDevice*, kMaxDevices> devices_ = {};
  std::vector<std::shared_ptr<tm::Buffer>> buffer_{kMaxObjects};
  std::vector<Program> program_{kMaxObjects};
  std::vector<std::shared_ptr<tm::Event>> event_{kMaxObjects};
  std::vector<uint32_t> trace_ = std::vector<uint32_t>(kMaxObjects);
  std::vector<tm::SubDeviceManagerId> manager_{kMaxObjects};
  std::vector<std::optional<tm::GlobalSemaphore>> semaphore_{kMaxObjects};
  std::mutex mutex_;  // guards reads_ and the making of events
  std::deque<Read> reads_;
};

// Takes one thread's steps of a section.
inline void take_all(const Steps& steps, size_t begin, size_t end, uint32_t thread, Host& host) {
  for (size_t i = begin; i < end; ++i) {
    if (steps[i].thread != thread) continue;
    try {
      std::visit([&](const auto& call) { host.take(call); }, steps[i].call);
    } catch (const std::exception& error) {
      fail("step " + std::to_string(i) + " throws: " + error.what());
    }
  }
}

// Runs the program from its first step to its end.
inline void run(const Steps& steps, Host& host) {
  for (size_t begin = 0, end = 0; begin < steps.size(); begin = end) {
    while (end < steps.size() && steps[end].section == steps[begin].section) ++end;
    std::vector<std::thread> threads;
    for (uint32_t thread = 1; thread < kMaxThreads && steps[begin].section % 2 == 1; ++thread) {
      threads.emplace_back([&, thread] { take_all(steps, begin, end, thread, host); });
    }
    take_all(steps, begin, end, 0, host);
    for (std::thread& thread : threads) thread.join();
  }
  try {
    host.end();
  } catch (const std::exception& error) {
    fail(std::string("the end throws: ") + error.what());
  }
}

}  // namespace random_programs
