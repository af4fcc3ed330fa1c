#include "capture/flight_recorder.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/file_error.h"
#include "base/status.h"
#include "base/write_all.h"
#include "capture/fatal_signals.h"
#include "capture/raw_merge.h"
#include "capture/session.h"
#include "schema/file/reader.h"
#include "schema/file/writer.h"
#include "schema/storage/write_signals.h"

namespace lightmetal::capture {

// Everything that the file is written from, for a signal handler, which may take no lock.
// Immutable, but for the bytes that `current` grows by.
struct FlightRecorder::View {
  Bytes older;
  std::vector<Digest> older_blobs;
  const RingMemory* current = nullptr;
  uint64_t snapshot_end = 0;
  int file = -1;
  schema::FileIdentity identity;  // of `file`
  pid_t process = 0;

  Images images() const { return {older, current->bytes(), snapshot_end, older_blobs}; }
};

// What the handler of fatal signals knows of one flight recorder. Slots live as long as the
// process, so the handler never reads memory that is gone.
struct FlightRecorder::Slot {
  std::atomic<bool> taken = false;
  // What the handler writes; null while there is nothing. Only the handler reads it.
  std::atomic<const View*> view = nullptr;
  // The size of the current segment when the handler wrote the file; 0 when it has not.
  std::atomic<uint64_t> written_by_signal = 0;
  // True while somebody writes the file in the ordinary way.
  std::atomic<bool> is_being_written = false;
};

namespace {

constinit std::array<FlightRecorder::Slot, kNumSessionKinds> g_slots{};
// How many signal handlers run now: what they read must stay.
std::atomic<int> g_signal_writers = 0;

FlightRecorder::Slot* take_slot() {
  for (FlightRecorder::Slot& slot : g_slots) {
    if (!slot.taken.exchange(true)) return &slot;
  }
  return nullptr;
}

// While it lives, the handler knows that the file is being written.
class WriteMark {
 public:
  explicit WriteMark(FlightRecorder::Slot& slot) : slot_(slot) { slot_.is_being_written = true; }
  ~WriteMark() { slot_.is_being_written = false; }
  WriteMark(const WriteMark&) = delete;
  WriteMark& operator=(const WriteMark&) = delete;

 private:
  FlightRecorder::Slot& slot_;
};

// How many recorders have a view for the handler. Signals are acted on while there is at least one.
constinit Mutex g_acting_mutex;
int g_acting ABSL_GUARDED_BY(g_acting_mutex) = 0;

// Installs the handler each time: the program may have put back the default meanwhile.
void begin_acting(void (*act)()) {
  MutexLock lock(&g_acting_mutex);
  ++g_acting;
  act_on_fatal_signals(act);
}

void end_acting() {
  MutexLock lock(&g_acting_mutex);
  if (--g_acting == 0) leave_fatal_signals();
}

// Appends the index, which makes of a file with whole frames one that was closed. Reads the file
// back through its descriptor, whatever its path leads to by now.
absl::Status append_index(const schema::FileSink& sink, const absl::Status& capture_status) {
  const std::string path = absl::StrCat("/proc/self/fd/", sink.descriptor());
  LM_ASSIGN_OR_RETURN(file, schema::File::open(path));
  const schema::IndexContent content = {file->num_commands(), file->checkpoints(), file->blobs()};
  const std::string frames = schema::closing_frames(file->size(), content, capture_status);
  if (write_all_at(sink.descriptor(), bytes_of(frames.data(), frames.size()), file->size())) {
    return absl::OkStatus();
  }
  return file_error("write to", sink.path(), errno);
}

}  // namespace

absl::Status FlightRecorder::check_size(uint64_t size) {
  if (size >= kMinRingSize) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("a flight recorder has at least ", kMinRingSize, " bytes, not ", size));
}

absl::StatusOr<std::unique_ptr<FlightRecorder>> FlightRecorder::create(
    uint64_t size, std::shared_ptr<schema::FileSink> file) {
  LM_RETURN_IF_ERROR(check_size(size));
  Slot* const slot = take_slot();
  if (slot == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("a process has at most ", g_slots.size(), " flight recorders"));
  }
  return std::unique_ptr<FlightRecorder>(new FlightRecorder(size, std::move(file), slot));
}

FlightRecorder::FlightRecorder(uint64_t size, std::shared_ptr<schema::FileSink> file, Slot* slot)
    : size_(size), slot_(slot), file_(std::move(file)) {}

FlightRecorder::~FlightRecorder() = default;

absl::StatusOr<std::shared_ptr<schema::Sink>> FlightRecorder::begin_segment() {
  MutexLock lock(&mutex_);
  drop_older();
  // A snapshot may have `size_` bytes, and so may what follows it.
  LM_ASSIGN_OR_RETURN(memory, RingMemory::create(2 * size_));
  memory->set_room(size_, "the snapshot of what lives does not fit into the flight recorder");
  next_ = {memory, 0};
  return std::shared_ptr<schema::Sink>(memory);
}

void FlightRecorder::end_snapshot() {
  MutexLock lock(&mutex_);
  if (next_.memory == nullptr) return;  // finish() came meanwhile
  older_ = std::exchange(current_, std::exchange(next_, {}));
  current_.snapshot_end = current_.memory->size();
  current_.memory->set_room(size_,
                            "the flight recorder is full, and no moment came at which no call "
                            "ran and a new snapshot could be taken");
  wrote_error_ = false;
  // Half, three quarters and fifteen sixteenths of the room that commands have.
  wanted_at_ = current_.snapshot_end + size_ / 2;
  urgent_at_ = current_.snapshot_end + size_ / 4 * 3;
  nearly_full_at_ = current_.snapshot_end + size_ / 16 * 15;
  publish();
}

bool FlightRecorder::has_reached(uint64_t size) const {
  const RingMemory* current = current_.memory.get();
  return current != nullptr && current->size() >= size;
}

bool FlightRecorder::wants_segment() const {
  MutexLock lock(&mutex_);
  return has_reached(wanted_at_);
}

bool FlightRecorder::is_urgent() const {
  MutexLock lock(&mutex_);
  return has_reached(urgent_at_);
}

bool FlightRecorder::is_nearly_full() const {
  MutexLock lock(&mutex_);
  return has_reached(nearly_full_at_);
}

void FlightRecorder::postpone_segment() {
  MutexLock lock(&mutex_);
  if (current_.memory == nullptr) return;
  // The older segment may only stay while both segments' commands fit the ring together.
  wanted_at_ = current_.memory->size() + size_ / 16;
  const bool fits =
      older_.memory == nullptr || older_.command_bytes() + current_.command_bytes() <= size_;
  if (!fits) drop_older();
}

void FlightRecorder::drop_older() {
  if (older_.memory == nullptr) return;
  const Segment dropped = std::exchange(older_, {});
  publish();
  if (g_signal_writers > 0) dropped.memory->leak();
}

// Shows the handler the segments of now. What was shown before is free afterwards, unless a handler
// runs, which may still read it: then it is leaked. A handler that starts later reads the new view.
// That works because both sides write their own word first (the view here, the count of handlers
// there) and then read the other's.
void FlightRecorder::publish() {
  auto view = std::make_unique<View>();
  if (older_.memory != nullptr) {
    view->older = older_.memory->bytes();
    view->older_blobs = blobs_of(view->older);
  }
  view->current = current_.memory.get();
  view->snapshot_end = current_.snapshot_end;
  view->file = file_->descriptor();
  view->identity = file_->identity();
  view->process = getpid();
  const bool is_first = view_ == nullptr;
  slot_->written_by_signal = 0;
  slot_->view = view.get();
  view_.swap(view);
  if (g_signal_writers > 0) (void)view.release();
  if (is_first) begin_acting(write_from_signal);
}

void FlightRecorder::write_from_signal() {
  ++g_signal_writers;
  for (Slot& slot : g_slots) write_from_signal(slot);
  --g_signal_writers;
}

void FlightRecorder::write_from_signal(Slot& slot) {
  const View* const view = slot.view;
  if (view == nullptr || view->process != getpid() || !view->identity.is_of(view->file)) return;
  // Another thread may be writing the file, so the handler waits for it, at most a second. Should
  // it be this very thread that the signal has interrupted, the wait is in vain.
  const timespec pause = {.tv_sec = 0, .tv_nsec = 10'000'000};
  for (int i = 0; i < 100 && slot.is_being_written; ++i) nanosleep(&pause, nullptr);
  const schema::WriteSignalBlock block;
  // The image of the current segment is taken once: it may grow while it is written.
  const Images images = view->images();
  if (write_merged(view->file, images) >= 0) slot.written_by_signal = images.current.size();
}

absl::Status FlightRecorder::write(const absl::Status& capture_status) {
  MutexLock lock(&mutex_);
  shows_last_failure_ = false;
  return write_file(capture_status);
}

absl::Status FlightRecorder::write_for_error() {
  MutexLock lock(&mutex_);
  shows_last_failure_ = false;
  if (std::exchange(wrote_error_, true)) return absl::OkStatus();
  const absl::Status written = write_file(absl::OkStatus());
  shows_last_failure_ = written.ok();
  return written;
}

absl::Status FlightRecorder::write_file(const absl::Status& capture_status) {
  if (view_ == nullptr) return absl::OkStatus();
  if (!file_->identity().is_of(file_->descriptor())) {
    return file_error("write to", file_->path(), EBADF);  // the program has closed the descriptor
  }
  const schema::WriteSignalBlock block;
  const WriteMark mark(*slot_);
  if (write_merged(file_->descriptor(), view_->images()) < 0)
    return file_error("write to", file_->path(), errno);
  return append_index(*file_, capture_status);
}

absl::Status FlightRecorder::finish(const absl::Status& capture_status) {
  MutexLock lock(&mutex_);
  const bool signal_wrote_all =
      current_.memory != nullptr && slot_->written_by_signal == current_.memory->size();
  const bool is_there = shows_last_failure_ || signal_wrote_all;
  absl::Status result;
  if (!is_there || !capture_status.ok()) result = write_file(capture_status);
  if (view_ != nullptr) end_acting();
  leave_slot();
  for (Segment* segment : {&older_, &current_, &next_}) {
    if (segment->memory != nullptr && g_signal_writers > 0) segment->memory->leak();
    *segment = {};
  }
  // A signal handler of another thread may write through the descriptor, which stays open for it.
  if (g_signal_writers > 0) return result;
  const absl::Status closed = file_->close();
  return result.ok() ? closed : result;
}

void FlightRecorder::leave_to_parent() {
  if (slot_->view != nullptr) end_acting();
  leave_slot();
}

void FlightRecorder::leave_slot() {
  slot_->view = nullptr;
  slot_->taken = false;
}

}  // namespace lightmetal::capture
