#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

// A host program as plain data: a list of steps, each a call of the host API. Objects are numbers
// that the list chooses; devices are their chip ids.
namespace random_programs {

using Id = uint32_t;
inline constexpr Id kNone = 0;  // the ids of objects count from 1

inline constexpr uint32_t kMaxDevices = 3;
inline constexpr uint32_t kMaxObjects = 512;  // of each kind
inline constexpr uint32_t kGridSize = 8;      // worker cores in a row, and rows

struct Queue {
  Id device = 0;
  uint32_t index = 0;
  friend auto operator<=>(const Queue&, const Queue&) = default;
};

// A rectangle of cores, both ends included.
struct Rect {
  uint32_t x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  friend bool operator==(const Rect&, const Rect&) = default;
};

enum class Memory : uint8_t { kDram, kL1, kL1Small };
enum class Layout : uint8_t { kInterleaved, kSingleBank, kHeight, kWidth, kBlock };

// How a buffer's pages lie in memory. The last three members are for the sharded layouts: the pages
// of a shard and of all shards, as {rows, columns}, and the cores (banks (x, 0) in DRAM), taken
// column by column or row by row.
struct Shape {
  Memory memory = Memory::kDram;
  Layout layout = Layout::kInterleaved;
  uint32_t page_size = 32;  // bytes
  uint32_t pages = 1;
  std::array<uint32_t, 2> shard = {1, 1};
  std::array<uint32_t, 2> tensor = {1, 1};
  Rect grid = {};
  bool column_major = false;
  friend bool operator==(const Shape&, const Shape&) = default;
};

struct OpenDevice {
  Id device = 0;
  uint32_t queues = 1;
  template <class V>
  void fields(V&& v) const {
    v("device", device), v("queues", queues);
  }
};
struct CloseDevice {
  Id device = 0;
  template <class V>
  void fields(V&& v) const {
    v("device", device);
  }
};

struct CreateBuffer {
  Id buffer = 0;
  Id device = 0;
  Shape shape = {};
  Id view_of = kNone;       // the buffer at whose address this one is made
  uint32_t sub_device = 0;  // n: in the memory of sub-device n - 1
  bool bottom_up = false;   // DRAM only: says bottom_up = false, where true is the default
  template <class V>
  void fields(V&& v) const {
    v("buffer", buffer), v("device", device), v("shape", shape), v("view_of", view_of),
        v("sub_device", sub_device), v("bottom_up", bottom_up);
  }
};
struct DeallocateBuffer {
  Id buffer = 0;
  template <class V>
  void fields(V&& v) const {
    v("buffer", buffer);
  }
};
struct DropBuffer {
  Id buffer = 0;
  template <class V>
  void fields(V&& v) const {
    v("buffer", buffer);
  }
};
struct SetPageSize {
  Id buffer = 0;
  uint32_t page_size = 0;
  template <class V>
  void fields(V&& v) const {
    v("buffer", buffer), v("page_size", page_size);
  }
};

enum class Way : uint8_t { kQueue, kRegion, kDirect, kCompare, kShard };

// What a read expects of memory whose words the model does not know, such as those that an ended
// buffer has left: the same in a replay as at capture, whatever they are.
inline constexpr uint64_t kUnknown = 0;

// Writes (value + i) * 2654435761 to word i of what is written, on the first device of a mesh, and
// to the others what value_on() says. If `changes`, a thread changes these words during the call:
// nobody knows what is written.
struct WriteBuffer {
  Id buffer = 0;
  Queue queue = {};
  Way way = Way::kQueue;
  uint32_t first_page = 0, pages = 0;  // of a region
  bool blocking = false;
  uint32_t value = 0;
  bool changes = false;
  template <class V>
  void fields(V&& v) const {
    v("buffer", buffer), v("queue", queue), v("way", way), v("first_page", first_page),
        v("pages", pages), v("blocking", blocking), v("value", value), v("changes", changes);
  }
};
// `first_page` is the number of the shard when one is read.
struct ReadBuffer {
  Id buffer = 0;
  Queue queue = {};
  Way way = Way::kQueue;
  uint32_t first_page = 0, pages = 0;
  bool blocking = false;
  uint64_t expected = 0;                          // digest() of the words, by the model
  std::vector<uint64_t> expected_on_others = {};  // the same of a mesh's further devices
  template <class V>
  void fields(V&& v) const {
    v("buffer", buffer), v("queue", queue), v("way", way), v("first_page", first_page),
        v("pages", pages), v("blocking", blocking), v("expected", expected),
        v("expected_on_others", expected_on_others);
  }
};

// What the kernels of a program do.
enum class Kind : uint8_t {
  kAdd,        // target = a + amount, page by page, through a circular buffer as scratch
  kSum,        // target = a + b, from a reader to a writer through two circular buffers
  kHandshake,  // target = a + amount, from core to core with semaphores; two cores
  kCount,      // the first words of L1 buffer a on core i of the program, by amount + i
  kSignal,     // global semaphore on `goal` += amount; one core
};

struct CreateProgram {
  Id program = 0;
  Id device = 0;
  Kind kind = Kind::kAdd;
  Rect cores = {};
  bool a_in_dram = true, b_in_dram = true, target_in_dram = true;
  Id scratch = kNone;  // kAdd: the L1 buffer in which its circular buffer lies
  template <class V>
  void fields(V&& v) const {
    v("program", program), v("device", device), v("kind", kind), v("cores", cores),
        v("a_in_dram", a_in_dram), v("b_in_dram", b_in_dram), v("target_in_dram", target_in_dram),
        v("scratch", scratch);
  }
};
struct DropProgram {
  Id program = 0;
  template <class V>
  void fields(V&& v) const {
    v("program", program);
  }
};
struct CompileProgram {
  Id program = 0;
  template <class V>
  void fields(V&& v) const {
    v("program", program);
  }
};
enum class ArgsWay : uint8_t { kEach, kVector, kSymbolic, kReference };
struct SetArguments {
  Id program = 0;
  Id a = kNone, b = kNone, target = kNone;
  Id semaphore = kNone;
  std::array<uint32_t, 2> goal = {0, 0};  // a core
  uint32_t amount = 0;
  ArgsWay way = ArgsWay::kEach;
  template <class V>
  void fields(V&& v) const {
    v("program", program), v("a", a), v("b", b), v("target", target), v("semaphore", semaphore),
        v("goal", goal), v("amount", amount), v("way", way);
  }
};
// New sizes for the circular buffers of a program, in pages.
struct ResizeCircularBuffer {
  Id program = 0;
  uint32_t pages = 1;
  template <class V>
  void fields(V&& v) const {
    v("program", program), v("pages", pages);
  }
};
struct MoveScratch {
  Id program = 0;
  Id scratch = kNone;
  template <class V>
  void fields(V&& v) const {
    v("program", program), v("scratch", scratch);
  }
};
struct AssignBuffer {
  Id buffer = 0;
  Id program = 0;
  template <class V>
  void fields(V&& v) const {
    v("buffer", buffer), v("program", program);
  }
};
struct Launch {
  Id program = 0;
  Queue queue = {};
  bool blocking = false;
  bool direct = false;  // launched beside the queues
  template <class V>
  void fields(V&& v) const {
    v("program", program), v("queue", queue), v("blocking", blocking), v("direct", direct);
  }
};

// With `sub_device` n, the call waits for what runs on sub-device n - 1; with 0, for the
// sub-devices of the stall group.
struct Finish {
  Queue queue = {};
  bool whole_device = false;
  uint32_t sub_device = 0;
  template <class V>
  void fields(V&& v) const {
    v("queue", queue), v("whole_device", whole_device), v("sub_device", sub_device);
  }
};
// `sub_device` as for Finish.
struct RecordEvent {
  Id event = 0;
  Queue queue = {};
  uint32_t sub_device = 0;
  template <class V>
  void fields(V&& v) const {
    v("event", event), v("queue", queue), v("sub_device", sub_device);
  }
};
struct WaitForEvent {
  Id event = 0;
  Queue queue = {};
  template <class V>
  void fields(V&& v) const {
    v("event", event), v("queue", queue);
  }
};
struct SynchronizeEvent {
  Id event = 0;
  bool polls = false;  // asks EventQuery until the event has come
  template <class V>
  void fields(V&& v) const {
    v("event", event), v("polls", polls);
  }
};
struct DropEvent {
  Id event = 0;
  template <class V>
  void fields(V&& v) const {
    v("event", event);
  }
};

struct BeginTrace {
  Id trace = 0;
  Queue queue = {};
  template <class V>
  void fields(V&& v) const {
    v("trace", trace), v("queue", queue);
  }
};
struct EndTrace {
  Id trace = 0;
  Queue queue = {};
  template <class V>
  void fields(V&& v) const {
    v("trace", trace), v("queue", queue);
  }
};
struct ReplayTrace {
  Id trace = 0;
  Queue queue = {};
  bool blocking = false;
  bool enqueue = false;  // by EnqueueTrace
  template <class V>
  void fields(V&& v) const {
    v("trace", trace), v("queue", queue), v("blocking", blocking), v("enqueue", enqueue);
  }
};
struct ReleaseTrace {
  Id trace = 0;
  Id device = 0;
  template <class V>
  void fields(V&& v) const {
    v("trace", trace), v("device", device);
  }
};

struct CreateManager {
  Id manager = 0;
  Id device = 0;
  std::vector<Rect> sub_devices = {};
  uint32_t local_size = 0;  // bytes
  template <class V>
  void fields(V&& v) const {
    v("manager", manager), v("device", device), v("sub_devices", sub_devices),
        v("local_size", local_size);
  }
};
// Loads a manager; kNone means the default, an undivided device.
struct LoadManager {
  Id manager = kNone;
  Id device = 0;
  template <class V>
  void fields(V&& v) const {
    v("manager", manager), v("device", device);
  }
};
struct RemoveManager {
  Id manager = 0;
  Id device = 0;
  template <class V>
  void fields(V&& v) const {
    v("manager", manager), v("device", device);
  }
};
// `sub_device` n stands for sub-device n - 1, and 0 for all sub-devices.
struct SetStallGroup {
  Id device = 0;
  uint32_t sub_device = 0;
  template <class V>
  void fields(V&& v) const {
    v("device", device), v("sub_device", sub_device);
  }
};

struct CreateSemaphore {
  Id semaphore = 0;
  Id device = 0;
  Rect cores = {};
  uint32_t value = 0;
  template <class V>
  void fields(V&& v) const {
    v("semaphore", semaphore), v("device", device), v("cores", cores), v("value", value);
  }
};
struct ResetSemaphore {
  Id semaphore = 0;
  uint32_t value = 0;
  template <class V>
  void fields(V&& v) const {
    v("semaphore", semaphore), v("value", value);
  }
};
struct ReadSemaphore {
  Id semaphore = 0;
  std::array<uint32_t, 2> core = {0, 0};
  uint64_t expected = 0;
  template <class V>
  void fields(V&& v) const {
    v("semaphore", semaphore), v("core", core), v("expected", expected);
  }
};
struct DropSemaphore {
  Id semaphore = 0;
  template <class V>
  void fields(V&& v) const {
    v("semaphore", semaphore);
  }
};

// Captures do something only in the run that captures parts of the program.
struct BeginCapture {
  template <class V>
  void fields(V&&) const {}
};
struct EndCapture {
  template <class V>
  void fields(V&&) const {}
};

using Call = std::variant<OpenDevice, CloseDevice, CreateBuffer, DeallocateBuffer, DropBuffer,
                          SetPageSize, WriteBuffer, ReadBuffer, CreateProgram, DropProgram,
                          CompileProgram, SetArguments, ResizeCircularBuffer, MoveScratch,
                          AssignBuffer, Launch, Finish, RecordEvent, WaitForEvent, SynchronizeEvent,
                          DropEvent, BeginTrace, EndTrace, ReplayTrace, ReleaseTrace, CreateManager,
                          LoadManager, RemoveManager, SetStallGroup, CreateSemaphore,
                          ResetSemaphore, ReadSemaphore, DropSemaphore, BeginCapture, EndCapture>;

// A step and where it belongs. Sections follow each other. In an even section, thread 0 takes all
// steps; in an odd one, each thread takes its own steps at the same time as the others, and the
// next section begins when all threads are done.
struct Step {
  uint32_t section = 0;
  uint32_t thread = 0;
  Call call;
};

using Steps = std::vector<Step>;

inline constexpr uint32_t kMaxThreads = 3;

inline uint32_t word_of(uint32_t value, uint32_t index) { return (value + index) * 2654435761u; }

inline std::vector<uint32_t> words_of(uint32_t value, size_t count) {
  std::vector<uint32_t> words(count);
  for (uint32_t i = 0; i < count; ++i) words[i] = word_of(value, i);
  return words;
}

// Returns the value that a write has on device `device` of a mesh.
inline uint32_t value_on(uint32_t value, uint32_t device) { return value + device * 7919; }

inline uint64_t digest(const std::vector<uint32_t>& words) {
  uint64_t hash = 14695981039346656037u;
  for (const uint32_t word : words) hash = (hash ^ word) * 1099511628211u;
  return hash;
}

}  // namespace random_programs
