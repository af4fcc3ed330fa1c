#include "capture/recorder.h"

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <utility>

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
    if (writer_ != nullptr) keep_first(writer_->finish(error_));
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

  // The writer, when there is a capture that can still be written to.
  std::shared_ptr<schema::Writer> writer() {
    MutexLock lock(&mutex_);
    return ready() ? writer_ : nullptr;
  }

  void append(Bytes command) {
    MutexLock lock(&mutex_);
    if (ready()) keep_first(writer_->append_command(command));
  }

  void append_creation(Object object, Bytes command, uint8_t* id_in_command) {
    MutexLock lock(&mutex_);
    if (!ready()) return;
    flatbuffers::WriteScalar(id_in_command, ids_.add(object));
    keep_first(writer_->append_command(command));
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
    writer_ = std::make_shared<schema::Writer>(std::move(sink));
    schema::SessionInfo session;
    session.producer = "lightmetal " LIGHTMETAL_VERSION;
    session.options = {{"read_goldens", options_.read_goldens ? "1" : "0"}};
    keep_first(writer_->begin(session));
  }

  // Forgets the capture and returns what it came to.
  absl::Status reset() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    writer_ = nullptr;
    open_sink_ = nullptr;
    ids_ = Ids();
    forget_looked_up_ids();
    number_ = 0;
    options_ = Options();
    return std::exchange(error_, absl::OkStatus());
  }

  static void forget_looked_up_ids() { g_id_version.fetch_add(1, std::memory_order_release); }

  bool ready() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (number_ == 0 || !error_.ok()) return false;
    if (writer_ == nullptr) open_now();
    return error_.ok();
  }

  void open_now() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    auto sink = open_sink_();
    keep_first(sink.status());
    if (sink.ok()) open(*std::move(sink));
  }

  void keep_first(absl::Status error) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (error.ok() || !error_.ok()) return;
    error_ = std::move(error);
    g_active.store(false, std::memory_order_relaxed);
  }

  mutable Mutex mutex_;
  Options options_ ABSL_GUARDED_BY(mutex_);
  std::atomic<uint64_t> number_ = 0;  // 0: no capture runs; written under mutex_
  uint64_t last_number_ ABSL_GUARDED_BY(mutex_) = 0;
  OpenSink open_sink_ ABSL_GUARDED_BY(mutex_) = nullptr;
  std::shared_ptr<schema::Writer> writer_ ABSL_GUARDED_BY(mutex_);
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
  static constexpr const char* kNames[kNumKinds] = {"Device", "Buffer",         "Program",
                                                    "Kernel", "CircularBuffer", "Event",
                                                    "Trace",  "GlobalSemaphore"};
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
  const std::shared_ptr<schema::Writer> writer = Recorder::get().writer();
  if (writer == nullptr) {
    ok_ = false;
    return {};
  }
  const absl::StatusOr<schema::BlobRef> reference = writer->append_blob(payload);
  if (reference.ok()) return *reference;
  fail(reference.status().message());
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
