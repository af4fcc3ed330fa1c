#include "capture/recorder.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <iterator>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/mutex.h"
#include "base/status.h"
#include "capture/call_gate.h"
#include "capture/call_state.h"
#include "capture/file_data.h"
#include "capture/flight_recorder.h"
#include "capture/id_cache.h"
#include "capture/origin.h"
#include "capture/thread_state.h"
#include "schema/file/writer.h"
#include "schema/storage/sink.h"

namespace lightmetal::capture {
namespace {

// How many Sections this thread is inside of.
thread_local constinit int t_sections = 0;

// True while this thread records a snapshot. Its payloads come from devices, so they lie in no file
// that a capture could refer to.
thread_local constinit bool t_takes_snapshot = false;

class SnapshotScope {
 public:
  SnapshotScope() { t_takes_snapshot = true; }
  ~SnapshotScope() { t_takes_snapshot = false; }
  SnapshotScope(const SnapshotScope&) = delete;
  SnapshotScope& operator=(const SnapshotScope&) = delete;
};

// Stands around whatever takes a lock of the capture while calls are recorded: a signal handler
// asks holds_capture_locks().
class Section {
 public:
  Section() { ++t_sections; }
  ~Section() { --t_sections; }
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;
};

const char* name_of(PayloadPolicy policy) {
  return policy == PayloadPolicy::Reference ? "reference" : "fail";
}

SnapshotSource g_snapshot_source;

constexpr size_t kEnvironment = 0;
constexpr size_t kProgram = 1;
constexpr std::array<size_t, kNumSessionKinds> kKinds = {kEnvironment, kProgram};

// The bits of a Mode that belong to the capture of this kind.
constexpr Mode bits_of(size_t kind) { return kind == kEnvironment ? 0x0f : 0xf0; }

// Sets the bits of one capture. Takes no lock, because a signal handler that ends the process may
// have interrupted whoever holds it.
void set_mode(size_t kind, Mode wanted) {
  Mode before = g_mode.load(std::memory_order_relaxed);
  Mode after = 0;
  do {
    after = static_cast<Mode>((before & ~bits_of(kind)) | (wanted & bits_of(kind)));
  } while (!g_mode.compare_exchange_weak(before, after, std::memory_order_relaxed));
}

// The number of the last capture that began, of any kind: no two captures of the process have one
// number.
std::atomic<uint64_t> g_last_number = 0;

// One of the captures that can run at the same time: the program's, or the environment's. It is
// never destroyed, because objects of the host API may outlive main.
//
// One lock guards all of its state. A call is encoded outside the lock and takes it only for ids;
// `writer_` is read without it, and the writer has a lock of its own. Writers and flight recorders
// stay for ever, so that a thread that comes late finds one that refuses.
class Recorder {
 public:
  static Recorder& of(size_t kind) {
    static auto& recorders =
        *new std::array<Recorder, kNumSessionKinds>{Recorder(kEnvironment), Recorder(kProgram)};
    return recorders[kind];
  }

  explicit Recorder(size_t kind) : kind_(kind) {}
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  size_t kind() const { return kind_; }
  // What this capture wants of the host API's functions now.
  Mode mode() const {
    return static_cast<Mode>(g_mode.load(std::memory_order_relaxed) & bits_of(kind_));
  }

  absl::Status begin(const Options& options, std::shared_ptr<schema::Sink> sink) {
    MutexLock lock(&mutex_);
    if (absl::Status status = prepare(options); !status.ok()) return status;
    open(std::move(sink));
    if (error_.ok()) return absl::OkStatus();
    close();
    return reset();
  }

  absl::Status begin_at_first_call(const Options& options, OpenSink open) {
    MutexLock lock(&mutex_);
    if (absl::Status status = prepare(options); !status.ok()) return status;
    open_sink_ = open;
    return absl::OkStatus();
  }

  absl::Status end() {
    MutexLock lock(&mutex_);
    set_mode(kind_, 0);
    if (number_ == 0) {
      return absl::FailedPreconditionError("a capture was ended that had not begun");
    }
    writer_ = nullptr;
    try {
      close();
    } catch (const std::bad_alloc&) {
      keep_first(absl::ResourceExhaustedError("the capture is out of memory"));
    }
    return reset();
  }

  // Lets the host API's functions record, unless the capture has an error already. The ring counts
  // its snapshot first.
  void activate() {
    MutexLock lock(&mutex_);
    if (FlightRecorder* ring = ring_) ring->end_snapshot();
    if (number_ != 0 && error_.ok()) set_mode(kind_, wanted_mode());
  }

  bool has_writer() const {
    MutexLock lock(&mutex_);
    return session_writer_ != nullptr;
  }

  uint64_t number() const { return number_.load(std::memory_order_relaxed); }

  bool keeps_read_goldens() const {
    MutexLock lock(&mutex_);
    return options_.read_goldens && error_.ok();
  }

  uint64_t ring_size() const {
    MutexLock lock(&mutex_);
    return options_.ring_size;
  }

  bool records_origin() const {
    MutexLock lock(&mutex_);
    return options_.record_origin && error_.ok();
  }

  void fail(absl::Status error) {
    MutexLock lock(&mutex_);
    if (number_ != 0) keep_first(std::move(error));
  }

  // Uploads of so many bytes or more are looked for in files.
  uint64_t min_reference_size() const {
    return min_reference_size_.load(std::memory_order_relaxed);
  }
  PayloadPolicy policy() const { return policy_.load(std::memory_order_relaxed); }

  FlightRecorder* ring() const { return ring_.load(std::memory_order_acquire); }

  // Goes over to a new segment of the flight recorder, whose snapshot comes next. Returns the
  // writer of the segment that ends, or null when no segment can begin now.
  schema::Writer* begin_segment(FlightRecorder& ring) {
    MutexLock lock(&mutex_);
    schema::Writer* const before = writer_;
    if (ring_ != &ring || before == nullptr) return nullptr;
    auto memory = ring.begin_segment();
    if (!memory.ok()) return nullptr;
    ids_.begin_snapshot();
    start_writer(*std::move(memory));
    return before;
  }

  void end_segment(FlightRecorder& ring, schema::Writer* before) {
    MutexLock lock(&mutex_);
    if (ring_ != &ring || !error_.ok()) return;  // The segment before stays what is written.
    ids_.end_snapshot();
    forget_looked_up_ids();
    ring.end_snapshot();
    retire(before);
  }

  // Called around a fork. The child lets go of its parent's capture. One that begins at the first
  // call begins anew there. The lock is held across the fork, so that the child finds whole state.
  void lock_for_fork() ABSL_NO_THREAD_SAFETY_ANALYSIS { mutex_.lock(); }
  void unlock_after_fork() ABSL_NO_THREAD_SAFETY_ANALYSIS { mutex_.unlock(); }
  void leave_to_parent() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    set_mode(kind_, 0);
    if (const auto sink = sink_.lock()) sink->leave_to_parent();
    if (FlightRecorder* ring = ring_) ring->leave_to_parent();
    const Options options = options_;
    const OpenSink open = open_sink_;
    reset().IgnoreError();  // The error is the parent's.
    // Threads of the parent may hold the locks of its writers, so nothing touches them again.
    std::ranges::move(writers_, std::back_inserter(writers_of_parents_));
    writers_.clear();
    if (open != nullptr && prepare(options).ok()) {
      open_sink_ = open;
      set_mode(kind_, wanted_mode());
    }
    mutex_.unlock();
  }

  uint64_t find(Object object) const {
    MutexLock lock(&mutex_);
    return ids_.find(object);
  }

  void name(Object object, uint64_t id) {
    MutexLock lock(&mutex_);
    ids_.name(object, id);
  }

  uint64_t remove(Object object) {
    MutexLock lock(&mutex_);
    const uint64_t id = ids_.remove(object);
    if (id != 0) forget_looked_up_ids();
    return id;
  }

  // The writer; null when there is no capture that can still be written to. The pointer is good for
  // ever: once the capture has ended, the writer refuses everything.
  schema::Writer* writer() {
    schema::Writer* writer = writer_.load(std::memory_order_acquire);
    return writer != nullptr ? writer : writer_or_open();
  }

  // Takes note of what the writer answered.
  void keep(const schema::Writer* writer, const absl::Status& status) {
    if (!status.ok()) keep_error(writer, status);
  }

  void append(Bytes command) {
    if (schema::Writer* to = writer()) keep(to, to->append_command(command));
  }

  void append_intent(Bytes command) {
    if (schema::Writer* to = writer()) keep(to, to->append_intent(command));
  }

  void append_creation(Object object, Bytes command, uint8_t* id_in_command) {
    schema::Writer* to = writer();
    if (to == nullptr) return;
    // The id is given out and the command appended under one lock, so that ids ascend in the file.
    MutexLock lock(&mutex_);
    if (to != writer_) return;
    flatbuffers::WriteScalar(id_in_command, ids_.find_or_add(object));
    keep_first(to->append_command(command));
  }

 private:
  absl::Status prepare(const Options& options) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    LM_RETURN_IF_ERROR(check_options(options));
    if (number_ != 0) {
      return absl::FailedPreconditionError("a capture is running already; it goes on");
    }
    leave_forked_children_alone();
    options_ = options;
    policy_ = options.payloads;
    min_reference_size_ = options.payloads == PayloadPolicy::Embed
                              ? std::numeric_limits<uint64_t>::max()
                              : options.min_reference_size;
    number_ = ++g_last_number;
    return absl::OkStatus();
  }

  Mode wanted_mode() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return static_cast<Mode>(kRecords | (options_.intents ? kAnnounces : 0) |
                             (options_.ring_size != 0 ? kGated : 0));
  }

  void open(std::shared_ptr<schema::Sink> sink) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    // Asked once: later segments begin while the program may change its environment.
    if (options_.record_origin) origin_ = origin_of_process();
    sink_ = sink;
    if (options_.ring_size == 0) return start_writer(std::move(sink));
    auto memory = open_ring(std::move(sink));
    keep_first(memory.status());
    if (memory.ok()) start_writer(*std::move(memory));
  }

  // Closes the file, whatever came before; an error of that is kept if it is the first.
  void close() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (FlightRecorder* ring = ring_.exchange(nullptr)) {
      keep_first(ring->finish(error_));
      // All writers: a segment that did not begin well has left the one before it open.
      for (const auto& writer : writers_) retire(writer.get());
    } else if (session_writer_ != nullptr) {
      keep_first(session_writer_->finish(error_));
    }
  }

  // Makes the flight recorder. Returns the memory of its first segment.
  absl::StatusOr<std::shared_ptr<schema::Sink>> open_ring(std::shared_ptr<schema::Sink> sink)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    auto file = std::dynamic_pointer_cast<schema::FileSink>(std::move(sink));
    if (file == nullptr) {
      return absl::InvalidArgumentError("a flight recorder needs a file to write to");
    }
    LM_ASSIGN_OR_RETURN(ring, FlightRecorder::create(options_.ring_size, std::move(file)));
    ring_ = rings_.emplace_back(std::move(ring)).get();
    return ring_.load()->begin_segment();
  }

  // Ends the writer of a segment in memory. What it still wants to write has no place there, so its
  // error is none.
  static void retire(schema::Writer* writer) {
    if (writer != nullptr) writer->finish(absl::OkStatus()).IgnoreError();
  }

  void start_writer(std::shared_ptr<schema::Sink> sink) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    schema::Writer* writer =
        writers_
            .emplace_back(std::make_unique<schema::Writer>(
                std::move(sink),
                schema::WriterOptions{.compression_level = options_.compression_level}))
            .get();
    schema::SessionInfo session;
    session.producer = "lightmetal " LIGHTMETAL_VERSION;
    session.options = {{"read_goldens", options_.read_goldens ? "1" : "0"}};
    if (options_.ring_size != 0) {
      session.options.emplace_back("ring", absl::StrCat(options_.ring_size));
    }
    if (options_.compression_level != 0) {
      session.options.emplace_back("compress", absl::StrCat(options_.compression_level));
    }
    if (options_.payloads != PayloadPolicy::Embed) {
      session.options.emplace_back("payloads", name_of(options_.payloads));
    }
    if (options_.golden_policy != ComparePolicy{}) {
      session.options.emplace_back("golden", options_.golden_policy.text());
    }
    session.origin = origin_;
    const absl::Status begun = writer->begin(session);
    session_writer_ = writer;
    keep_first(begun);
    if (begun.ok()) writer_ = writer;
  }

  // Forgets the capture and returns what it came to.
  absl::Status reset() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    writer_ = session_writer_ = nullptr;
    ring_ = nullptr;
    open_sink_ = nullptr;
    sink_.reset();
    // What is forgotten here makes every object unknown to the next capture.
    ids_ = Ids();
    forget_looked_up_ids();
    number_ = 0;
    options_ = Options();
    origin_.reset();
    return std::exchange(error_, absl::OkStatus());
  }

  static void prepare_fork() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    for (const size_t kind : kKinds) of(kind).lock_for_fork();
  }
  static void continue_parent() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    for (const size_t kind : kKinds) of(kind).unlock_after_fork();
  }
  static void leave_child() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    for (const size_t kind : kKinds) of(kind).leave_to_parent();
  }

  // Without this a forked child would write to its parent's file.
  static void leave_forked_children_alone() {
    [[maybe_unused]] static const int registered =
        pthread_atfork(&prepare_fork, &continue_parent, &leave_child);
  }

  static void forget_looked_up_ids() { g_id_version.fetch_add(1, std::memory_order_release); }

  schema::Writer* writer_or_open() {
    MutexLock lock(&mutex_);
    if (session_writer_ == nullptr && open_sink_ != nullptr && error_.ok()) open_now();
    return writer_;
  }

  void keep_error(const schema::Writer* writer, const absl::Status& status) {
    MutexLock lock(&mutex_);
    // otherwise the thread came late, which is no error
    if (writer == session_writer_) keep_first(status);
  }

  void open_now() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    auto sink = open_sink_();
    keep_first(sink.status());
    if (sink.ok()) open(*std::move(sink));
    // the first segment has no snapshot, since nothing was there before
    if (FlightRecorder* ring = ring_) ring->end_snapshot();
  }

  void keep_first(absl::Status error) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (error.ok() || !error_.ok()) return;
    error_ = std::move(error);
    writer_ = nullptr;
    set_mode(kind_, 0);
  }

  const size_t kind_;
  mutable Mutex mutex_;
  Options options_ ABSL_GUARDED_BY(mutex_);
  // Copies from options_, for those who do not hold the lock. Written under mutex_.
  std::atomic<PayloadPolicy> policy_ = PayloadPolicy::Embed;
  std::atomic<uint64_t> min_reference_size_ = std::numeric_limits<uint64_t>::max();
  // 0: no capture runs. Written under mutex_.
  std::atomic<uint64_t> number_ = 0;
  std::optional<schema::OriginInfo> origin_ ABSL_GUARDED_BY(mutex_);
  OpenSink open_sink_ ABSL_GUARDED_BY(mutex_) = nullptr;
  std::weak_ptr<schema::Sink> sink_ ABSL_GUARDED_BY(mutex_);  // the capture's
  // The writer of the capture, or of its present segment; null before it has one.
  schema::Writer* session_writer_ ABSL_GUARDED_BY(mutex_) = nullptr;
  // The same writer while it can be written to: null after an error. Written under mutex_.
  std::atomic<schema::Writer*> writer_ = nullptr;
  // The writers of all captures, because a thread may come late to one. A finished writer holds
  // next to nothing.
  std::vector<std::unique_ptr<schema::Writer>> writers_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<schema::Writer>> writers_of_parents_ ABSL_GUARDED_BY(mutex_);
  // The flight recorder, when the capture is one; written under mutex_. Like writers, flight
  // recorders stay.
  std::atomic<FlightRecorder*> ring_ = nullptr;
  std::vector<std::unique_ptr<FlightRecorder>> rings_ ABSL_GUARDED_BY(mutex_);
  absl::Status error_ ABSL_GUARDED_BY(mutex_);
  Ids ids_ ABSL_GUARDED_BY(mutex_);
};

// The capture for which this thread acts (for_each_capture); null: for all of them.
thread_local constinit Recorder* t_recorder = nullptr;

// The capture that this thread acts for; the program's, when it acts for all.
Recorder& current_recorder() {
  return t_recorder != nullptr ? *t_recorder : Recorder::of(kProgram);
}

// While it lives, this thread acts for `recorder`.
class Turn {
 public:
  explicit Turn(Recorder* recorder) : before_(std::exchange(t_recorder, recorder)) {}
  ~Turn() { t_recorder = before_; }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Recorder* const before_;
};

void act_for(Recorder& recorder, absl::FunctionRef<void()> action) {
  const Turn turn(&recorder);
  try {
    action();
  } catch (const std::exception& error) {
    // A builder that found no memory does not know its own size any more.
    thread_state().builder = flatbuffers::FlatBufferBuilder();
    internal::recording_failed(error);
  }
}

}  // namespace

void for_each_capture(absl::FunctionRef<void()> action) {
  if (t_recorder != nullptr) return action();
  const Mode asked = internal::t_call.is_announcing ? kAnnounces : kRecords;
  const int wanted = g_mode.load(std::memory_order_relaxed) & internal::t_call.wanted & asked;
  for (const size_t kind : kKinds) {
    if ((wanted & bits_of(kind)) != 0) act_for(Recorder::of(kind), action);
  }
}

absl::Status check_options(const Options& options) {
  if (options.compression_level < 0 || options.compression_level > schema::kMaxCompressionLevel) {
    return absl::InvalidArgumentError(
        absl::StrCat("a capture is compressed with level 1 to ", schema::kMaxCompressionLevel,
                     ", or 0 for not at all, not ", options.compression_level));
  }
  return options.ring_size == 0 ? absl::OkStatus() : FlightRecorder::check_size(options.ring_size);
}

absl::Status begin(const Options& options, std::shared_ptr<schema::Sink> sink,
                   absl::FunctionRef<void()> first_commands) {
  const GatePass pass;  // the other capture takes no snapshot at the same time
  // The snapshot below takes what calls have changed and not recorded, so the other capture records
  // it first.
  if (g_snapshot_source.record_pending != nullptr) g_snapshot_source.record_pending();
  Recorder& recorder = Recorder::of(kProgram);
  if (absl::Status status = recorder.begin(options, std::move(sink)); !status.ok()) return status;
  {
    const Turn turn(&recorder);
    const SnapshotScope scope;
    first_commands();
  }
  recorder.activate();
  return absl::OkStatus();
}

absl::Status begin_at_first_call(const Options& options, OpenSink open) {
  Recorder& recorder = Recorder::of(kEnvironment);
  if (absl::Status status = recorder.begin_at_first_call(options, open); !status.ok()) {
    return status;
  }
  recorder.activate();
  return absl::OkStatus();
}

bool set_snapshot_source(const SnapshotSource& source) {
  g_snapshot_source = source;
  return true;
}

absl::StatusOr<bool> write_flight_record() {
  const Section section;
  bool is_there = false;
  absl::Status status;
  for (const size_t kind : kKinds) {
    FlightRecorder* const ring = Recorder::of(kind).ring();
    if (ring == nullptr) continue;
    is_there = true;
    status.Update(ring->write(absl::OkStatus()));
  }
  LM_RETURN_IF_ERROR(status);
  return is_there;
}

static absl::Status end(size_t kind) {
  const Section section;
  return Recorder::of(kind).end();
}

absl::Status end() { return end(kProgram); }
absl::Status end_environment() { return end(kEnvironment); }
bool running() { return Recorder::of(kProgram).number() != 0; }
SessionNumber session() { return {current_recorder().number(), current_recorder().kind()}; }

// Whether it is true of any capture that is asked.
static bool is_any(bool (Recorder::*what)() const) {
  const Section section;
  bool is_any = false;
  for_each_capture([&] { is_any |= (current_recorder().*what)(); });
  return is_any;
}

bool keeps_read_goldens() { return is_any(&Recorder::keeps_read_goldens); }
bool records_origin() { return is_any(&Recorder::records_origin); }
uint64_t ring_size() { return t_recorder == nullptr ? 0 : t_recorder->ring_size(); }

void record_error(absl::Status error) {
  const Section section;
  for_each_capture([&] { current_recorder().fail(error); });
}

bool knows(Object object) {
  const Section section;
  return current_recorder().find(object) != 0;
}

void name_object(Object object, uint64_t id) { current_recorder().name(object, id); }

void forget(Object object) {
  for_each_capture([&] { internal::remove_id(object); });
}

namespace {

using Found = absl::StatusOr<std::optional<schema::ExternalBlobInfo>>;

Found find_nothing(Bytes, const Digest&) { return std::nullopt; }

absl::StatusOr<std::optional<schema::ExternalBlobInfo>> find_by_policy(schema::Call call,
                                                                       Bytes payload,
                                                                       const Digest& digest) {
  std::optional<schema::ExternalBlobInfo> found = find_file_data(payload, digest);
  if (found.has_value() || current_recorder().policy() != PayloadPolicy::Fail) return found;
  return absl::FailedPreconditionError(absl::StrCat(
      "the call ", schema::EnumNameCall(call), " cannot be captured: its payload of ",
      payload.size(),
      " bytes lies in no file (none was declared for it, or the file holds other bytes), and the "
      "capture is to embed none"));
}

}  // namespace

Encoder::Encoder(schema::Call call) : builder_(thread_state().builder), call_(call) {
  ++t_sections;
  builder_.Clear();
}

Encoder::~Encoder() { --t_sections; }

uint64_t Encoder::use(Object object, absl::FunctionRef<std::string()> describe) {
  IdCache& known = thread_state().ids[current_recorder().kind()];
  uint64_t id = known.find(object);
  // The cache belongs to this thread and needs no lock; the recorder does.
  if (id != 0) return id;
  id = current_recorder().find(object);
  if (id != 0) {
    known.add(object, id);
  } else {
    const std::string description = describe();
    fail(absl::StrCat("it uses a ", name_of(object.kind), description.empty() ? "" : " ",
                      description, " that was created before the capture began"));
  }
  return id;
}

schema::BlobRef Encoder::blob(Bytes payload) {
  return append_blob(
      [&](schema::Writer& writer) { return writer.append_changing_blob(payload, find_nothing); });
}

schema::BlobRef Encoder::upload(Bytes payload, Bytes fixed) {
  const bool may_lie_in_file = !t_takes_snapshot && !payload.empty() &&
                               payload.size() >= current_recorder().min_reference_size();
  const auto find = [&](Bytes, const Digest& digest) {
    return may_lie_in_file ? find_by_policy(call_, payload, digest) : Found(std::nullopt);
  };
  return append_blob([&](schema::Writer& writer) {
    return fixed.empty() ? writer.append_changing_blob(payload, find)
                         : writer.append_blob(fixed, find);
  });
}

template <class Append>
schema::BlobRef Encoder::append_blob(Append append) {
  schema::Writer* writer = current_recorder().writer();
  if (writer != nullptr) {
    const absl::StatusOr<schema::BlobRef> reference = append(*writer);
    if (reference.ok()) return *reference;
    current_recorder().keep(writer, reference.status());
  }
  ok_ = false;
  return {};
}

void Encoder::fail(absl::string_view reason) {
  ok_ = false;
  current_recorder().fail(absl::FailedPreconditionError(
      absl::StrCat("the call ", schema::EnumNameCall(call_), " cannot be captured: ", reason)));
}

namespace {

// How long the snapshot of a new segment waits for the devices. A kernel may wait for the program's
// next call, which this wait delays, so the time is short. It grows as the ring fills up, because a
// ring without room for the next call ends the capture.
constexpr std::chrono::milliseconds kSegmentPatience{10};
constexpr std::chrono::milliseconds kUrgentSegmentPatience{200};
constexpr std::chrono::milliseconds kLastSegmentPatience{1000};

std::chrono::milliseconds patience_for(const FlightRecorder& ring) {
  if (ring.is_nearly_full()) return kLastSegmentPatience;
  return ring.is_urgent() ? kUrgentSegmentPatience : kSegmentPatience;
}

internal::SegmentWish wish_of(const FlightRecorder& ring) {
  using internal::SegmentWish;
  if (!ring.wants_segment()) return SegmentWish::None;
  if (ring.is_nearly_full()) return SegmentWish::LastChance;
  return ring.is_urgent() ? SegmentWish::Urgent : SegmentWish::Wanted;
}

// Records for all captures what calls have changed and not recorded.
void record_pending_of_all() {
  const Turn all(nullptr);
  g_snapshot_source.record_pending();
}

bool is_snapshot_possible(const FlightRecorder& ring) {
  if (g_snapshot_source.prepare == nullptr) return false;
  return g_snapshot_source.prepare(patience_for(ring)).ok();
}

}  // namespace

namespace internal {

void append(schema::Call call, Bytes command) {
  if (t_call.is_announcing) {
    t_call.announced = call;
    return current_recorder().append_intent(command);
  }
  ended(call);
  current_recorder().append(command);
}

void append_creation(Object object, Bytes command, uint8_t* id_in_command) {
  current_recorder().append_creation(object, command, id_in_command);
}

uint64_t remove_id(Object object) {
  const Section section;
  return current_recorder().remove(object);
}

bool environment_has_begun_to_write() { return Recorder::of(kEnvironment).has_writer(); }

bool wants_intents() { return (current_recorder().mode() & kAnnounces) != 0; }

bool holds_capture_locks() { return t_sections != 0; }

bool is_recording() { return t_sections != 0 || t_recorder != nullptr; }

void write_ring_for_error() {
  const Section section;
  for_each_capture([] {
    Recorder& own = current_recorder();
    if (FlightRecorder* ring = own.ring()) own.fail(ring->write_for_error());
  });
}

SegmentWish wish_for_segment() {
  const Section section;
  SegmentWish wish = SegmentWish::None;
  for_each_capture([&] {
    FlightRecorder* const ring = current_recorder().ring();
    if (ring == nullptr) return;
    wish = std::max(wish, wish_of(*ring));
  });
  return wish;
}

void begin_next_segment() {
  const Section section;
  for_each_capture([] {
    Recorder& own = current_recorder();
    FlightRecorder* const ring = own.ring();
    if (ring == nullptr || !ring->wants_segment()) return;
    if (!is_snapshot_possible(*ring)) return ring->postpone_segment();
    record_pending_of_all();
    schema::Writer* const before = own.begin_segment(*ring);
    if (before == nullptr) return ring->postpone_segment();
    const SnapshotScope scope;
    g_snapshot_source.record();
    own.end_segment(*ring, before);
  });
}

}  // namespace internal

}  // namespace lightmetal::capture
