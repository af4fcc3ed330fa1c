#include "capture/recorder.h"

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/mutex.h"
#include "capture/builder.h"
#include "schema/sink.h"
#include "schema/writer.h"

namespace lightmetal::capture {
namespace {

// Counts whatever makes an object's id in the file another one or none: the end of an object, of a
// capture.
std::atomic<uint64_t> g_id_version{1};

// Ids that a thread has looked up, so that it need not take the recorder's lock for them again.
// Plain data, so that it can be used while the thread ends.
class IdCache {
 public:
  // 0 when it is not here.
  uint64_t find(Object object) {
    const uint64_t version = g_id_version.load(std::memory_order_acquire);
    if (version != version_) *this = IdCache(version);
    const Entry& entry = entry_of(object);
    return entry.object_id == object.id && entry.kind == object.kind ? entry.file_id : 0;
  }

  // REQUIRES: find(object) was 0.
  void add(Object object, uint64_t file_id) {
    entry_of(object) = {object.id, file_id, object.kind};
  }

  constexpr IdCache() = default;

 private:
  struct Entry {
    uint64_t object_id = 0;
    uint64_t file_id = 0;
    Kind kind = Kind::Device;
  };

  explicit constexpr IdCache(uint64_t version) : version_(version) {}

  Entry& entry_of(Object object) {
    return entries_[(object.id + 7 * static_cast<size_t>(object.kind)) % entries_.size()];
  }

  uint64_t version_ = 0;
  std::array<Entry, 32> entries_{};
};

thread_local constinit IdCache t_ids;

// The state behind the free functions. It is never destroyed: objects of the host API may outlive
// main.
class Recorder {
 public:
  static Recorder& get() {
    static Recorder& recorder = *new Recorder;
    return recorder;
  }

  absl::Status begin(const Options& options, std::shared_ptr<schema::Sink> sink) {
    MutexLock lock(&mutex_);
    if (absl::Status status = prepare(options); !status.ok()) return status;
    open(std::move(sink));
    return error_.ok() ? absl::OkStatus() : reset();
  }

  absl::Status begin_at_first_call(const Options& options, OpenSink open) {
    MutexLock lock(&mutex_);
    if (absl::Status status = prepare(options); !status.ok()) return status;
    open_sink_ = open;
    return absl::OkStatus();
  }

  absl::Status end() {
    MutexLock lock(&mutex_);
    g_active.store(false, std::memory_order_relaxed);
    if (number_ == 0) {
      return absl::FailedPreconditionError("a capture was ended that had not begun");
    }
    writer_ = nullptr;
    if (session_writer_ != nullptr) keep_first(session_writer_->finish(error_));
    return reset();
  }

  // Lets the host API's functions record, unless there is an error already.
  void activate() {
    MutexLock lock(&mutex_);
    g_active.store(number_ != 0 && error_.ok(), std::memory_order_relaxed);
  }

  uint64_t number() const { return number_.load(std::memory_order_relaxed); }

  bool keeps_read_goldens() const {
    MutexLock lock(&mutex_);
    return options_.read_goldens && error_.ok();
  }

  void fail(absl::Status error) {
    MutexLock lock(&mutex_);
    if (number_ != 0) keep_first(std::move(error));
  }

  uint64_t find(Object object) const {
    MutexLock lock(&mutex_);
    return ids_.find(object);
  }

  uint64_t remove(Object object) {
    MutexLock lock(&mutex_);
    const uint64_t id = ids_.remove(object);
    if (id != 0) forget_looked_up_ids();
    return id;
  }

  // The writer, when there is a capture that can still be written to. It is good for ever: once the
  // capture has ended, it refuses everything.
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

  void append_creation(Object object, Bytes command, uint8_t* id_in_command) {
    schema::Writer* to = writer();
    if (to == nullptr) return;
    // Under the lock, so that ids ascend in the file.
    MutexLock lock(&mutex_);
    if (to != writer_) return;
    flatbuffers::WriteScalar(id_in_command, ids_.add(object));
    keep_first(to->append_command(command));
  }

 private:
  absl::Status prepare(const Options& options) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (number_ != 0) {
      return absl::FailedPreconditionError("a capture is running already; it goes on");
    }
    options_ = options;
    number_ = ++last_number_;
    return absl::OkStatus();
  }

  void open(std::shared_ptr<schema::Sink> sink) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    schema::Writer* writer =
        writers_.emplace_back(std::make_unique<schema::Writer>(std::move(sink))).get();
    schema::SessionInfo session;
    session.producer = "lightmetal " LIGHTMETAL_VERSION;
    session.options = {{"read_goldens", options_.read_goldens ? "1" : "0"}};
    const absl::Status begun = writer->begin(session);
    keep_first(begun);
    if (begun.ok()) writer_ = session_writer_ = writer;
  }

  // Forgets the capture and returns what it came to.
  absl::Status reset() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    writer_ = session_writer_ = nullptr;
    open_sink_ = nullptr;
    ids_ = Ids();
    forget_looked_up_ids();
    number_ = 0;
    options_ = Options();
    return std::exchange(error_, absl::OkStatus());
  }

  static void forget_looked_up_ids() { g_id_version.fetch_add(1, std::memory_order_release); }

  schema::Writer* writer_or_open() {
    MutexLock lock(&mutex_);
    if (session_writer_ == nullptr && open_sink_ != nullptr && error_.ok()) open_now();
    return writer_;
  }

  void keep_error(const schema::Writer* writer, const absl::Status& status) {
    MutexLock lock(&mutex_);
    if (writer == session_writer_) keep_first(status);  // otherwise it is late, and no error
  }

  void open_now() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    auto sink = open_sink_();
    keep_first(sink.status());
    if (sink.ok()) open(*std::move(sink));
  }

  void keep_first(absl::Status error) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (error.ok() || !error_.ok()) return;
    error_ = std::move(error);
    writer_ = nullptr;
    g_active.store(false, std::memory_order_relaxed);
  }

  mutable Mutex mutex_;
  Options options_ ABSL_GUARDED_BY(mutex_);
  std::atomic<uint64_t> number_ = 0;  // 0: no capture runs; written under mutex_
  uint64_t last_number_ ABSL_GUARDED_BY(mutex_) = 0;
  OpenSink open_sink_ ABSL_GUARDED_BY(mutex_) = nullptr;
  // The capture's; null before it has one.
  schema::Writer* session_writer_ ABSL_GUARDED_BY(mutex_) = nullptr;
  // The same while it can be written to: not after an error. Written under mutex_.
  std::atomic<schema::Writer*> writer_ = nullptr;
  // Of all captures: a thread may come late to one. A finished writer holds next to nothing.
  std::vector<std::unique_ptr<schema::Writer>> writers_ ABSL_GUARDED_BY(mutex_);
  absl::Status error_ ABSL_GUARDED_BY(mutex_);
  Ids ids_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

absl::Status begin(const Options& options, std::shared_ptr<schema::Sink> sink,
                   absl::FunctionRef<void()> first_commands) {
  if (absl::Status status = Recorder::get().begin(options, std::move(sink)); !status.ok()) {
    return status;
  }
  first_commands();
  Recorder::get().activate();
  return absl::OkStatus();
}

absl::Status begin_at_first_call(const Options& options, OpenSink open) {
  if (absl::Status status = Recorder::get().begin_at_first_call(options, open); !status.ok()) {
    return status;
  }
  Recorder::get().activate();
  return absl::OkStatus();
}

absl::Status end() { return Recorder::get().end(); }
bool running() { return session_number() != 0; }
uint64_t session_number() { return Recorder::get().number(); }
bool keeps_read_goldens() { return Recorder::get().keeps_read_goldens(); }
void record_error(absl::Status error) { Recorder::get().fail(std::move(error)); }
bool knows(Object object) { return Recorder::get().find(object) != 0; }
void forget(Object object) { Recorder::get().remove(object); }

const char* name_of(Kind kind) {
  static constexpr const char* kNames[kNumKinds] = {
      "Device",          "Buffer",          "Program",
      "Kernel",          "CircularBuffer",  "Event",
      "Trace",           "GlobalSemaphore", "GlobalCircularBuffer",
      "SubDeviceManager"};
  return kNames[static_cast<size_t>(kind)];
}

Encoder::Encoder(schema::Call call) : builder_(thread_builder()), call_(call) { builder_.Clear(); }

uint64_t Encoder::use(Object object, absl::FunctionRef<std::string()> describe) {
  uint64_t id = t_ids.find(object);
  if (id != 0) return id;
  id = Recorder::get().find(object);
  if (id != 0) {
    t_ids.add(object, id);
  } else {
    const std::string description = describe();
    fail(absl::StrCat("it uses a ", name_of(object.kind), description.empty() ? "" : " ",
                      description, " that was created before the capture began"));
  }
  return id;
}

schema::BlobRef Encoder::blob(Bytes payload) {
  schema::Writer* writer = Recorder::get().writer();
  if (writer != nullptr) {
    const absl::StatusOr<schema::BlobRef> reference = writer->append_blob(payload);
    if (reference.ok()) return *reference;
    Recorder::get().keep(writer, reference.status());
  }
  ok_ = false;
  return {};
}

void Encoder::fail(absl::string_view reason) {
  ok_ = false;
  Recorder::get().fail(absl::FailedPreconditionError(
      absl::StrCat("the call ", schema::EnumNameCall(call_), " cannot be captured: ", reason)));
}

namespace internal {

void append(Bytes command) { Recorder::get().append(command); }

void append_creation(Object object, Bytes command, uint8_t* id_in_command) {
  Recorder::get().append_creation(object, command, id_in_command);
}

uint64_t remove_id(Object object) { return Recorder::get().remove(object); }

}  // namespace internal

}  // namespace lightmetal::capture
