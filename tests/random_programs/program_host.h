#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/program_descriptors.hpp>
#include <tt-metalium/sub_device.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <utility>
#include <vector>

#include "tests/random_programs/kernels.h"
#include "tests/random_programs/steps.h"

// The programs of the steps, made and changed by calls of the host API that are the same for a
// device and for a mesh. Uses nothing else of the project, because printed programs contain this
// header.
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

inline tm::TensorMemoryLayout layout_of(const Shape& shape) {
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
// Returns the shards of a shape, with pages of one element each.
inline std::optional<tm::ShardSpecBuffer> shards_of(const Shape& shape) {
  if (shape.layout == Layout::kInterleaved || shape.layout == Layout::kSingleBank) return {};
  return tm::ShardSpecBuffer(
      tm::CoreRangeSet(range_of(shape.grid)), shape.shard,
      shape.column_major ? tm::ShardOrientation::COL_MAJOR : tm::ShardOrientation::ROW_MAJOR,
      {1, 1}, shape.tensor);
}
inline tm::BufferType type_of(const Shape& shape) {
  if (shape.memory == Memory::kDram) return tm::BufferType::DRAM;
  return shape.memory == Memory::kL1 ? tm::BufferType::L1 : tm::BufferType::L1_SMALL;
}
inline tm::DeviceAddr size_of(const Shape& shape) {
  return uint64_t{shape.pages} * shape.page_size;
}

// The sub-devices that a call waits for: sub-device `number` - 1, or an empty list for 0.
inline std::vector<tm::SubDeviceId> sub_devices(uint32_t number) {
  if (number == 0) return {};
  return {tm::SubDeviceId{static_cast<uint8_t>(number - 1)}};
}

inline constexpr uint32_t kScratchPage = 2048;  // the greatest page that a kernel handles

// How programs are made: by CreateProgram and CreateKernel, from a ProgramDescriptor, or, on a
// mesh, from a ProgramSpec where kernels for that are there.
enum class Form : uint8_t { kCalls, kDescriptor, kSpec };

// Changes words on a thread of its own as long as it lives; does nothing if `words` is null. The
// constructor returns after the first change, so that also on a busy machine a call and the changes
// overlap. The changes go by /proc/self/mem, since a thread that stores to words while another
// reads them is a data race of the test's own.
class ChangingWords {
 public:
  explicit ChangingWords(std::vector<uint32_t>* words) {
    if (words == nullptr) return;
    memory_ = open("/proc/self/mem", O_WRONLY | O_CLOEXEC);
    if (memory_ < 0) fail("/proc/self/mem cannot be written");
    thread_ = std::thread([this, words] {
      for (uint32_t i = 0; !ends_; ++i) {
        const auto place = reinterpret_cast<uintptr_t>(words->data() + i % words->size());
        if (pwrite(memory_, &i, sizeof(i), static_cast<off_t>(place)) < 0) fail("pwrite fails");
        began_.test_and_set();
        began_.notify_one();
      }
    });
    began_.wait(false);
  }
  ~ChangingWords() {
    ends_ = true;
    if (thread_.joinable()) thread_.join();
    if (memory_ >= 0) close(memory_);
  }

 private:
  int memory_ = -1;
  std::atomic_flag began_;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

// Data that was read, complete when the queue has done the read.
struct Read {
  uint64_t expected = 0;
  std::vector<uint32_t> words = {};
};

inline void check(const Read& read) {
  if (read.expected == kUnknown || digest(read.words) == read.expected) return;
  fail("a read of " + std::to_string(read.words.size()) + " words, expected with digest " +
       std::to_string(read.expected) + ", begins with " +
       std::to_string(read.words.empty() ? 0 : read.words[0]) + " and has digest " +
       std::to_string(digest(read.words)));
}

// A program of the host API. Its owner is a host.
struct HostProgram {
  CreateProgram description;
  std::unique_ptr<tm::Program> owned = nullptr;
  tm::Program* program = nullptr;
  std::vector<tm::KernelHandle> kernels = {};
  std::vector<tm::CBHandle> circular_buffers = {};
  std::vector<bool> has_arguments = {};  // by kernel
};

// A kernel of a program before it is made.
struct KernelPart {
  const char* text;
  tm::CoreRange cores;
  bool reader = false;
  std::vector<uint32_t> compile_args = {};
};

inline std::vector<KernelPart> kernels_of(const CreateProgram& of) {
  const tm::CoreRange cores = range_of(of.cores);
  switch (of.kind) {
    case Kind::kAdd:
      return {{kernels::kAdd, cores, false, {of.a_in_dram, of.target_in_dram}}};
    case Kind::kSum:
      return {{kernels::kSumReader, cores, true, {of.a_in_dram, of.b_in_dram}},
              {kernels::kSumWriter, cores, false, {of.target_in_dram}}};
    case Kind::kHandshake:
      return {{kernels::kSend, tm::CoreRange(cores.start_coord), false, {of.a_in_dram}},
              {kernels::kReceive, tm::CoreRange(cores.end_coord), false, {of.target_in_dram}}};
    case Kind::kCount:
      return {{kernels::kCount, cores}};
    default:
      return {{kernels::kSignal, cores}};
  }
}
inline uint8_t circular_buffers_of(Kind kind) {
  if (kind == Kind::kCount || kind == Kind::kSignal) return 0;
  return kind == Kind::kSum ? 2 : 1;
}
inline uint32_t semaphores_of(Kind kind) { return kind == Kind::kHandshake ? 2 : 0; }

inline tm::DataMovementProcessor processor_of(const KernelPart& kernel) {
  return kernel.reader ? tm::DataMovementProcessor::RISCV_1 : tm::DataMovementProcessor::RISCV_0;
}
inline tm::NOC noc_of(const KernelPart& kernel) {
  return kernel.reader ? tm::NOC::RISCV_1_default : tm::NOC::RISCV_0_default;
}

// Makes and changes programs for a host, which says what the ids of steps stand for.
class ProgramHost {
 public:
  // What BeginCapture and EndCapture call; by default they do nothing.
  std::function<void()> begin_capture = [] {};
  std::function<void()> end_capture = [] {};

  explicit ProgramHost(Form form = Form::kCalls) : form_(form) {}
  ProgramHost(const ProgramHost&) = delete;
  ProgramHost& operator=(const ProgramHost&) = delete;
  virtual ~ProgramHost() = default;

  void take(const BeginCapture&) { begin_capture(); }
  void take(const EndCapture&) { end_capture(); }

  void take(const CreateSemaphore& step) {
    semaphore_[step.semaphore].emplace(make_semaphore(step));
  }
  void take(const ResetSemaphore& step) {
    semaphore_[step.semaphore]->reset_semaphore_value(step.value);
  }
  void take(const DropSemaphore& step) { semaphore_[step.semaphore].reset(); }

 protected:
  virtual tm::IDevice* device(Id id) = 0;
  virtual tm::Buffer& buffer(Id id) = 0;
  virtual tm::GlobalSemaphore make_semaphore(const CreateSemaphore& step) = 0;
  // Programs with arguments by name, of hosts that make such.
  virtual bool is_specified(const HostProgram&) const { return false; }
  virtual tm::Program make_from_spec(HostProgram&) { fail("no host makes it from a spec"); }
  virtual void give_by_name(HostProgram&, size_t /*kernel*/, const std::vector<tm::CoreCoord>&,
                            const std::vector<std::vector<uint32_t>>&, uint32_t /*amount*/) {}

  Read& new_read(uint64_t expected) {
    const std::lock_guard lock(mutex_);
    return reads_.emplace_back(Read{expected});
  }
  void check_reads() const {
    for (const Read& read : reads_) check(read);
  }
  void read_semaphore(tm::IDevice* from, const ReadSemaphore& step) {
    Read& read = new_read(step.expected);
    tm::detail::ReadFromDeviceL1(from, core_of(step.core),
                                 static_cast<uint32_t>(semaphore_[step.semaphore]->address()), 4,
                                 read.words);
    check(read);
  }

  // Fills in the handles of `made`, which has its description.
  tm::Program make(HostProgram& made) {
    made.has_arguments.assign(kernels_of(made.description).size(), false);
    if (is_specified(made)) return make_from_spec(made);
    return form_ == Form::kDescriptor ? make_from_descriptor(made) : make_by_calls(made);
  }

  void set_arguments(HostProgram& of, const SetArguments& step) {
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
        const tm::CoreCoord noc =
            device(of.description.device)->worker_core_from_logical_core(core_of(step.goal));
        return set(of, 0, step, kNone,
                   {static_cast<uint32_t>(semaphore_[step.semaphore]->address()),
                    static_cast<uint32_t>(noc.x), static_cast<uint32_t>(noc.y)},
                   {});
      }
    }
  }
  static void resize(HostProgram& of, uint32_t pages) {
    for (const tm::CBHandle handle : of.circular_buffers) {
      tm::UpdateCircularBufferTotalSize(*of.program, handle, pages * kScratchPage);
    }
  }
  void move_scratch(HostProgram& of, Id scratch) {
    tm::UpdateDynamicCircularBufferAddress(*of.program, of.circular_buffers.at(0), buffer(scratch));
  }

  std::vector<std::optional<tm::GlobalSemaphore>> semaphore_{kMaxObjects};
  std::mutex mutex_;  // guards reads_, and the making of events

  Form form() const { return form_; }

 private:
  uint32_t address(Id id) { return buffer(id).address(); }

  tm::Program make_by_calls(HostProgram& made) {
    const CreateProgram& of = made.description;
    tm::Program program = tm::CreateProgram();
    for (uint8_t index = 0; index < circular_buffers_of(of.kind); ++index) {
      tm::CircularBufferConfig config(kScratchPage, {{index, tt::DataFormat::UInt32}});
      config.set_page_size(index, kScratchPage);
      if (of.scratch != kNone) config.set_globally_allocated_address(buffer(of.scratch));
      made.circular_buffers.push_back(
          tm::CreateCircularBuffer(program, range_of(of.cores), config));
    }
    for (uint32_t i = 0; i < semaphores_of(of.kind); ++i) {
      tm::CreateSemaphore(program, range_of(of.cores), 0);
    }
    for (const KernelPart& kernel : kernels_of(of)) {
      made.kernels.push_back(
          tm::CreateKernelFromString(program, kernel.text, kernel.cores,
                                     tm::DataMovementConfig{.processor = processor_of(kernel),
                                                            .noc = noc_of(kernel),
                                                            .compile_args = kernel.compile_args}));
    }
    return program;
  }

  tm::Program make_from_descriptor(HostProgram& made) {
    const CreateProgram& of = made.description;
    tm::ProgramDescriptor descriptor;
    for (uint8_t index = 0; index < circular_buffers_of(of.kind); ++index) {
      descriptor.cbs.push_back({.total_size = kScratchPage,
                                .core_ranges = tm::CoreRangeSet(range_of(of.cores)),
                                .format_descriptors = {{.buffer_index = index,
                                                        .data_format = tt::DataFormat::UInt32,
                                                        .page_size = kScratchPage}},
                                .buffer = of.scratch == kNone ? nullptr : &buffer(of.scratch)});
    }
    for (uint32_t i = 0; i < semaphores_of(of.kind); ++i) {
      descriptor.semaphores.push_back(
          {.id = i, .core_ranges = tm::CoreRangeSet(range_of(of.cores))});
    }
    for (const KernelPart& kernel : kernels_of(of)) {
      made.kernels.push_back(static_cast<tm::KernelHandle>(descriptor.kernels.size()));
      descriptor.kernels.push_back({.kernel_source = kernel.text,
                                    .source_type = tm::KernelDescriptor::SourceType::SOURCE_CODE,
                                    .core_ranges = tm::CoreRangeSet(kernel.cores),
                                    .compile_time_args = kernel.compile_args,
                                    .config = tm::DataMovementConfigDescriptor{
                                        .processor = processor_of(kernel), .noc = noc_of(kernel)}});
    }
    tm::Program program(descriptor);
    for (const auto& made_here : program.circular_buffers()) {
      made.circular_buffers.push_back(made_here->id());
    }
    return program;
  }

  // Sets the kernel's arguments on each of its cores: pages, page size, then `last`, which begins
  // with the addresses of `buffers`.
  void set(HostProgram& of, size_t kernel, const SetArguments& step, Id pages_of,
           const std::vector<uint32_t>& last, const std::vector<Id>& buffers) {
    set_on(of, kernel, step, cores_of(of.description.cores), pages_of, last, buffers);
  }
  void set_handshake(HostProgram& of, const SetArguments& step) {
    const std::vector<tm::CoreCoord> cores = cores_of(of.description.cores);
    tm::IDevice* const on = device(of.description.device);
    for (size_t i = 0; i < 2; ++i) {
      const tm::CoreCoord noc = on->worker_core_from_logical_core(cores[1 - i]);
      const Id id = i == 0 ? step.a : step.target;
      set_on(of, i, step, {cores[i]}, id,
             {address(id), static_cast<uint32_t>(noc.x), static_cast<uint32_t>(noc.y)}, {id});
    }
  }
  void set_on(HostProgram& of, size_t index, const SetArguments& step,
              const std::vector<tm::CoreCoord>& cores, Id pages_of,
              const std::vector<uint32_t>& last, const std::vector<Id>& buffers) {
    const uint32_t pages = pages_of == kNone ? 0 : buffer(pages_of).num_pages();
    std::vector<std::vector<uint32_t>> args;
    for (uint32_t i = 0; i < cores.size(); ++i) {
      args.push_back({i, static_cast<uint32_t>(cores.size()), pages, bytes_of(of, pages_of)});
      args.back().insert(args.back().end(), last.begin(), last.end());
    }
    if (is_specified(of)) return give_by_name(of, index, cores, args, step.amount);
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
  uint32_t bytes_of(const HostProgram& of, Id id) {
    if (id == kNone) return 0;
    const bool counts = of.description.kind == Kind::kCount;
    return static_cast<uint32_t>(counts ? buffer(id).aligned_size_per_bank()
                                        : buffer(id).page_size());
  }
  void give(HostProgram& of, tm::KernelHandle kernel, ArgsWay way,
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

  const Form form_;
  std::deque<Read> reads_;
};

// Takes one thread's steps of a section.
template <class Host>
void take_all(const Steps& steps, size_t begin, size_t end, uint32_t thread, Host& host) {
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
template <class Host>
void run(const Steps& steps, Host& host) {
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
