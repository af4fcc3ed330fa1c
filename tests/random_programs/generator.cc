#include "tests/random_programs/generator.h"

#include <algorithm>
#include <functional>
#include <random>
#include <utility>

#include "tests/random_programs/model.h"
#include "tests/random_programs/surface.h"

namespace random_programs {
namespace {

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {
    for (int i = 0; i < 10; ++i) random_();  // seeds that are close begin alike
  }

  Steps steps() {
    choose_character();
    for (Id device = 0; device < num_devices_; ++device) {
      propose(OpenDevice{device, 1 + below(2)});
      propose(new_buffer(device));
    }
    const uint32_t sections = 1 + below(4);
    for (uint32_t i = 0; i < sections; ++i) {
      next_section(/*parallel=*/false);
      if (closes_devices_ && chance(25)) reopen_all();
      fill(6 + below(24));
      if (!has_threads_) continue;
      next_section(/*parallel=*/true);
      fill(6 + below(24));
    }
    next_section(/*parallel=*/false);
    finish();
    return valid_steps(std::move(steps_));
  }

 private:
  // ---- Chance ----
  uint32_t below(uint32_t count) { return count == 0 ? 0 : random_() % count; }
  bool chance(uint32_t percent) { return below(100) < percent; }
  template <class Map>
  Id any_of(const Map& map) {
    if (map.empty()) return kNone;
    auto found = map.begin();
    std::advance(found, below(static_cast<uint32_t>(map.size())));
    return found->first;
  }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return *(values.begin() + below(static_cast<uint32_t>(values.size())));
  }

  // Chooses what the program has a lot of, so that calls that belong together meet.
  void choose_character() {
    num_devices_ = chance(60) ? 1 : 1 + below(kMaxDevices);
    has_threads_ = chance(40);
    num_threads_ = 2 + below(kMaxThreads - 1);
    has_sub_devices_ = chance(45);
    has_traces_ = chance(45);
    has_events_ = chance(60);
    has_semaphores_ = chance(35);
    captures_ = chance(60);
    closes_devices_ = chance(15);
  }

  void next_section(bool parallel) { section_ += section_ % 2 == (parallel ? 1u : 0u) ? 2 : 1; }

  bool propose(Call call) {
    const bool parallel = section_ % 2 == 1;
    Step step{section_, parallel ? below(num_threads_) : 0, std::move(call)};
    if (!model_.take(step)) return false;
    steps_.push_back(std::move(step));
    return true;
  }

  void fill(uint32_t count) {
    for (uint32_t taken = 0, tries = 0; taken < count && tries < 20 * count; ++tries) {
      if (propose_any()) ++taken;
    }
  }

  bool propose_any() {
    const uint32_t dice = below(100);
    if (dice < 14) return propose(new_buffer(any_device()));
    if (dice < 28) return propose(write());
    if (dice < 38) return propose(read());
    if (dice < 44) return new_program();
    if (dice < 52) return propose(new_arguments(any_of(model_.programs)));
    if (dice < 68) return launch();
    if (dice < 72) {
      const Queue queue = any_queue();
      return propose(Finish{queue, chance(25), any_wait(queue.device)});
    }
    if (dice < 76) return change_or_end_object();
    if (dice < 80) return propose_program_change();
    if (dice < 85) return has_events_ && event_call();
    if (dice < 89) return has_traces_ && trace_call();
    if (dice < 94) return has_sub_devices_ && sub_device_call();
    if (dice < 97) return has_semaphores_ && semaphore_call();
    if (dice < 99) {
      if (!captures_) return false;
      return model_.is_capturing() ? propose(EndCapture{}) : propose(BeginCapture{});
    }
    return closes_devices_ && device_call();
  }

  // Reads everything that can be read, and lets some objects go before their devices.
  void finish() {
    for (Id device = 0; device < kMaxDevices; ++device) {
      if (model_.devices[device].open) propose(Finish{{device, 0}, true});
    }
    for (const auto& [id, buffer] : std::map(model_.buffers)) {
      if (model_.is_alive(buffer)) {
        propose(ReadBuffer{.buffer = id, .queue = {buffer.device, 0}, .blocking = chance(50)});
      }
    }
    for (const auto& [id, semaphore] : std::map(model_.semaphores)) {
      propose(ReadSemaphore{.semaphore = id, .core = {semaphore.cores.x1, semaphore.cores.y1}});
    }
    for (uint32_t i = below(8); i > 0; --i) change_or_end_object();
    for (Id device = 0; device < kMaxDevices; ++device) {
      if (chance(30)) propose(CloseDevice{device});
    }
  }

  // ---- Devices and queues ----
  Id any_device() { return below(num_devices_); }
  Queue queue_of(Id device) {
    return {device, below(static_cast<uint32_t>(model_.devices[device].queues.size()))};
  }
  Queue any_queue() { return queue_of(any_device()); }

  bool device_call() {
    const Id device = any_device();
    return model_.devices[device].open ? propose(CloseDevice{device})
                                       : propose(OpenDevice{device, 1 + below(2)});
  }

  // Shows what objects and captures do while no device is open.
  void reopen_all() {
    for (Id device = 0; device < num_devices_; ++device) propose(CloseDevice{device});
    if (captures_ && chance(60)) propose(BeginCapture{});
    if (chance(50)) change_or_end_object();
    for (Id device = 0; device < num_devices_; ++device) propose(OpenDevice{device, 1 + below(2)});
    if (has_events_) propose(WaitForEvent{any_of(model_.events), any_queue()});
  }

  // The sub-device that a call waits for: mostly 0, those of the stall group.
  uint32_t any_wait(Id device) {
    if (!model_.devices[device].open || !model_.is_divided(device) || chance(60)) return 0;
    return any_part(device).second;
  }

  // ---- Buffers ----
  Rect rect_within(const Rect& all, uint32_t most) {
    const uint32_t width = 1 + below(std::min(most, all.x1 - all.x0 + 1));
    const uint32_t height = 1 + below(std::min(most, all.y1 - all.y0 + 1));
    const uint32_t x = all.x0 + below(all.x1 - all.x0 + 2 - width);
    const uint32_t y = all.y0 + below(all.y1 - all.y0 + 2 - height);
    return {x, y, x + width - 1, y + height - 1};
  }
  Rect whole_grid() { return {0, 0, kGridSize - 1, kGridSize - 1}; }
  // The cores on which a program runs or a local buffer lies: mostly those of one sub-device.
  std::pair<Rect, uint32_t> any_part(Id device) {
    if (!model_.devices[device].open || !model_.is_divided(device)) return {whole_grid(), 0};
    const auto& parts = model_.managers.at(model_.devices[device].manager).description.sub_devices;
    const uint32_t part = below(static_cast<uint32_t>(parts.size()));
    return {parts[part], part + 1};
  }

  Shape interleaved() {
    const Memory memory =
        chance(60) ? Memory::kDram : (chance(85) ? Memory::kL1 : Memory::kL1Small);
    // Few page sizes, so that programs find buffers that suit each other.
    const uint32_t page_size =
        chance(85) ? one_of({64u, 1024u, 2048u}) : one_of({4u, 20u, 32u, 96u, 256u, 4096u});
    const uint32_t pages = chance(80) ? one_of({1u, 3u, 16u}) : 1 + below(40);
    if (chance(4)) return {.memory = memory, .layout = Layout::kSingleBank, .page_size = page_size};
    return {.memory = memory, .page_size = page_size, .pages = pages};
  }
  Shape sharded(const Rect& part, bool in_dram) {
    Shape shape;
    shape.memory = in_dram ? Memory::kDram : Memory::kL1;
    shape.layout = one_of({Layout::kHeight, Layout::kWidth, Layout::kBlock});
    shape.page_size = one_of({16u, 64u, 64u, 512u, 1024u, 2048u});
    shape.grid = rect_within(in_dram ? Rect{0, 0, 11, 0} : part, 3);
    shape.column_major = chance(40);
    shape.shard = {1 + below(3), 1 + below(2)};
    const uint32_t columns = shape.grid.x1 - shape.grid.x0 + 1;
    const uint32_t rows = shape.grid.y1 - shape.grid.y0 + 1;
    switch (shape.layout) {
      case Layout::kHeight:
        shape.tensor = {shape.shard[0] * columns * rows, shape.shard[1]};
        break;
      case Layout::kWidth:
        shape.tensor = {shape.shard[0], shape.shard[1] * columns * rows};
        break;
      default:
        shape.tensor = {shape.shard[0] * rows, shape.shard[1] * columns};
    }
    // Sometimes the last shards are not full.
    if (chance(25) && shape.tensor[0] > 1) --shape.tensor[0];
    if (chance(25) && shape.tensor[1] > 1) --shape.tensor[1];
    shape.pages = shape.tensor[0] * shape.tensor[1];
    return shape;
  }

  Call new_buffer(Id device) {
    CreateBuffer step{.buffer = ++last_buffer_, .device = device};
    const auto [part, number] = any_part(device);
    step.shape = chance(65) ? interleaved() : sharded(part, chance(25));
    if (number != 0 && chance(30)) {
      step.shape = sharded(part, false);
      step.sub_device = number;
    } else if (chance(12) && !model_.buffers.empty()) {
      step.view_of = any_of(model_.buffers);
      const ModelBuffer& parent = model_.buffers.at(step.view_of);
      step.device = parent.device;
      if (chance(50)) step.shape = parent.shape;
      step.shape.memory = parent.shape.memory;
    }
    step.bottom_up = step.shape.memory == Memory::kDram && chance(10);
    return step;
  }

  Call write() {
    WriteBuffer step{.buffer = any_of(model_.buffers), .value = below(1 << 20)};
    if (step.buffer == kNone) return step;
    const ModelBuffer& buffer = model_.buffers.at(step.buffer);
    step.way = chance(75) ? Way::kQueue : one_of({Way::kRegion, Way::kDirect});
    step.queue = queue_of(buffer.device);
    if (step.way == Way::kRegion) {
      step.first_page = below(buffer.shape.pages);
      step.pages = 1 + below(buffer.shape.pages - step.first_page);
    }
    step.blocking = chance(25);
    step.changes = chance(3);
    return step;
  }
  Call read() {
    ReadBuffer step{.buffer = any_of(model_.buffers)};
    if (step.buffer == kNone) return step;
    const ModelBuffer& buffer = model_.buffers.at(step.buffer);
    step.way =
        chance(60) ? Way::kQueue : one_of({Way::kRegion, Way::kDirect, Way::kCompare, Way::kShard});
    step.queue = queue_of(buffer.device);
    if (step.way == Way::kRegion) {
      step.first_page = below(buffer.shape.pages);
      step.pages = 1 + below(buffer.shape.pages - step.first_page);
    } else if (step.way == Way::kShard) {
      step.first_page = below(9);
    }
    step.blocking = chance(50);
    return step;
  }

  bool change_or_end_object() {
    switch (below(7)) {
      case 0:
        return propose(DeallocateBuffer{any_of(model_.buffers)});
      case 1:
      case 2:
        return propose(DropBuffer{any_of(model_.buffers)});
      case 3:
        return propose(DropProgram{any_of(model_.programs)});
      case 4:
        return propose(DropEvent{any_of(model_.events)});
      case 5:
        return propose(DropSemaphore{any_of(model_.semaphores)});
      default:
        return propose(
            SetPageSize{any_of(model_.buffers), one_of({16u, 32u, 64u, 512u, 1024u, 2048u})});
    }
  }

  // A buffer of the device that suits a kernel; with `like`, one that has pages of the same size
  // and number.
  Id kernel_buffer(Id device, const Shape* like = nullptr) {
    std::vector<Id> found;
    for (const auto& [id, buffer] : model_.buffers) {
      const Shape& shape = buffer.shape;
      if (buffer.device != device || !model_.is_alive(buffer)) continue;
      if (shape.layout != Layout::kInterleaved || shape.page_size % 32 != 0) continue;
      if (like != nullptr && (shape.page_size != like->page_size || shape.pages != like->pages)) {
        continue;
      }
      found.push_back(id);
    }
    return found.empty() ? kNone : found[below(static_cast<uint32_t>(found.size()))];
  }
  Id l1_buffer(Id device) {
    std::vector<Id> found;
    for (const auto& [id, buffer] : model_.buffers) {
      if (buffer.device == device && buffer.shape.memory != Memory::kDram) found.push_back(id);
    }
    return found.empty() ? kNone : found[below(static_cast<uint32_t>(found.size()))];
  }
  bool is_in_dram(Id buffer) {
    return buffer != kNone && model_.buffers.at(buffer).shape.memory == Memory::kDram;
  }

  // Buffers for a program of that kind. The other arguments are random.
  SetArguments arguments(const CreateProgram& of) {
    SetArguments step{.program = of.program, .amount = below(1000)};
    step.way = one_of({ArgsWay::kEach, ArgsWay::kVector, ArgsWay::kSymbolic, ArgsWay::kReference});
    if (of.kind == Kind::kSignal) {
      step.semaphore = any_of(model_.semaphores);
      if (step.semaphore == kNone) return step;
      const Rect core = rect_within(model_.semaphores.at(step.semaphore).cores, 1);
      step.goal = {core.x0, core.y0};
      return step;
    }
    if (of.kind == Kind::kCount) {
      step.a = l1_buffer(of.device);
      return step;
    }
    step.a = kernel_buffer(of.device);
    if (step.a == kNone) return step;
    const Shape& shape = model_.buffers.at(step.a).shape;
    step.target = kernel_buffer(of.device, &shape);
    if (of.kind == Kind::kSum) step.b = kernel_buffer(of.device, &shape);
    return step;
  }

  bool new_program() {
    CreateProgram step{.program = ++last_program_, .device = any_device()};
    step.kind = one_of({Kind::kAdd, Kind::kAdd, Kind::kSum, Kind::kHandshake, Kind::kCount});
    if (has_semaphores_ && chance(25)) step.kind = Kind::kSignal;
    step.cores = rect_within(any_part(step.device).first, 3);
    if (step.kind == Kind::kHandshake) step.cores.y1 = step.cores.y0;
    if (step.kind == Kind::kHandshake) step.cores.x1 = step.cores.x0 + 1;
    if (step.kind == Kind::kSignal) step.cores = rect_within(step.cores, 1);
    if (step.kind == Kind::kAdd && chance(25)) step.scratch = l1_buffer(step.device);
    SetArguments args = arguments(step);
    step.a_in_dram = is_in_dram(args.a);
    step.b_in_dram = is_in_dram(args.b);
    step.target_in_dram = is_in_dram(args.target);
    if (!propose(step)) return false;
    args.way = ArgsWay::kEach;
    return propose(args);
  }
  Call new_arguments(Id program) {
    if (program == kNone) return SetArguments{};
    return arguments(model_.programs.at(program).description);
  }

  bool launch() {
    const Id program = any_of(model_.programs);
    if (program == kNone) return false;
    const Id device = model_.programs.at(program).description.device;
    return propose(Launch{program, queue_of(device), chance(20), chance(7)});
  }

  bool propose_program_change() {
    const Id program = any_of(model_.programs);
    if (program == kNone) return false;
    const Id device = model_.programs.at(program).description.device;
    switch (below(4)) {
      case 0:
        return propose(CompileProgram{program});
      case 1:
        return propose(ResizeCircularBuffer{program, 1 + below(3)});
      case 2:
        return propose(MoveScratch{program, l1_buffer(device)});
      default:
        return propose(AssignBuffer{any_of(model_.buffers), program});
    }
  }

  // ---- Events, traces, sub-devices, semaphores ----
  bool event_call() {
    const Id event = chance(40) ? ++last_event_ : any_of(model_.events);
    switch (below(4)) {
      case 0:
        return propose(WaitForEvent{event, any_queue()});
      case 1:
        return propose(SynchronizeEvent{event, chance(40)});
      default: {
        // A queue that waits for an event that never comes would wait for ever.
        const std::set<Id> awaited = model_.awaited_events();
        const Queue queue = any_queue();
        if (!propose(RecordEvent{awaited.empty() ? event : *awaited.begin(), queue,
                                 any_wait(queue.device)})) {
          return false;
        }
        return chance(50) ? propose(WaitForEvent{event, any_queue()}) || true : true;
      }
    }
  }

  bool trace_call() {
    const std::map<Id, Queue> open = model_.open_traces();
    if (!open.empty() && chance(70)) {
      const auto& [trace, queue] = *open.begin();
      return propose(EndTrace{trace, queue});
    }
    const Id trace = any_of(model_.traces);
    if (trace == kNone || chance(35)) return propose(BeginTrace{++last_trace_, any_queue()});
    if (chance(15)) return propose(ReleaseTrace{trace, model_.traces.at(trace).queue.device});
    return propose(
        ReplayTrace{trace, queue_of(model_.traces.at(trace).queue.device), chance(30), chance(50)});
  }

  std::vector<Rect> any_division() {
    switch (below(4)) {
      case 0:
        return {{0, 0, 3, 3}, {4, 0, 7, 3}};
      case 1:
        return {{0, 0, 1, 1}, {2, 2, 5, 5}, {6, 6, 7, 7}};
      case 2:
        return {{0, 0, 7, 7}};
      default:
        return {{0, 0, 7, 0}, {0, 1, 7, 7}};
    }
  }
  bool sub_device_call() {
    const Id device = any_device();
    const Id manager = any_of(model_.managers);
    const uint32_t dice = below(10);
    if (manager == kNone || dice == 0) {
      return propose(
          CreateManager{++last_manager_, device, any_division(), chance(50) ? 65536u : 0u});
    }
    const Id its_device = model_.managers.at(manager).device;
    if (dice < 5) return propose(LoadManager{manager, its_device});
    if (dice < 7) return propose(LoadManager{kNone, its_device});
    if (dice < 8) return propose(RemoveManager{manager, its_device});
    return propose(SetStallGroup{its_device, below(4)});
  }

  bool semaphore_call() {
    const Id semaphore = any_of(model_.semaphores);
    if (semaphore == kNone || chance(20)) {
      return propose(CreateSemaphore{++last_semaphore_, any_device(), rect_within(whole_grid(), 3),
                                     below(100)});
    }
    if (chance(30)) return propose(ResetSemaphore{semaphore, below(100)});
    const Rect core = rect_within(model_.semaphores.at(semaphore).cores, 1);
    return propose(ReadSemaphore{.semaphore = semaphore, .core = {core.x0, core.y0}});
  }

  std::minstd_rand random_;
  uint32_t num_devices_ = 1, num_threads_ = 1;
  bool has_threads_ = false, has_sub_devices_ = false, has_traces_ = false, has_events_ = false,
       has_semaphores_ = false, captures_ = false, closes_devices_ = false;
  uint32_t section_ = 0;
  Id last_buffer_ = 0, last_program_ = 0, last_event_ = 0, last_trace_ = 0, last_manager_ = 0,
     last_semaphore_ = 0;
  Model model_;
  Steps steps_;
};

}  // namespace

RandomProgram random_program(uint32_t seed) {
  return valid_program({surface_of(seed), Generator(seed).steps()});
}

}  // namespace random_programs
