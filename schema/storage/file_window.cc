#include "schema/storage/file_window.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "base/mutex.h"
#include "base/signal_link.h"

namespace lightmetal::schema {

// Where a window lies in memory, for the signal handler.
struct FileWindow::Place {
  std::atomic<bool> taken = false;
  std::atomic<std::byte*> begin = nullptr;  // null: nothing is mapped
  std::atomic<size_t> size = 0;
  std::atomic<bool> lost = false;

  // When `address` lies in the window, puts memory of the process in its place, so that the store
  // goes on. Async-signal-safe.
  bool rescue(const void* address) {
    std::byte* const first = begin;
    if (first == nullptr || address < first || address >= first + size) return false;
    lost = true;
    return ::mmap(first, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                  0) != MAP_FAILED;
  }
};

namespace {

// More than enough: a process has two captures at most, and each has one window.
std::array<FileWindow::Place, 8> g_places;
constinit Mutex g_mutex;
int g_windows ABSL_GUARDED_BY(g_mutex) = 0;

void on_bus_error(int signal, siginfo_t* info, void* context);
constinit SignalLink g_link(SIGBUS, on_bus_error);

void on_bus_error(int, siginfo_t* info, void* context) {
  // The handler runs in the middle of the program's code, which must find its own errno.
  const int error = errno;
  bool rescued = false;
  for (FileWindow::Place& place : g_places) {
    rescued = rescued || (info->si_code == BUS_ADRERR && place.rescue(info->si_addr));
  }
  errno = error;
  if (!rescued) g_link.pass_on(info, context);
}

bool is_blocked(int signal) {
  sigset_t blocked;
  return pthread_sigmask(SIG_BLOCK, nullptr, &blocked) != 0 || sigismember(&blocked, signal) != 0;
}

// A clock that moves on every few milliseconds and needs no system call.
int64_t coarse_time() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

struct Answer {
  int64_t given_at = -1;
  bool may_store = false;
};
// For each thread, because each thread blocks signals by itself.
thread_local constinit Answer t_answer;

}  // namespace

FileWindow::Place* FileWindow::take_place() {
  MutexLock lock(&g_mutex);
  if (g_windows++ == 0) g_link.install();
  for (Place& place : g_places) {
    if (!place.taken.exchange(true)) return &place;
  }
  return nullptr;
}

FileWindow::FileWindow() : place_(take_place()) {}

FileWindow::~FileWindow() {
  unmap();
  MutexLock lock(&g_mutex);
  if (place_ != nullptr) place_->taken = false;
  if (--g_windows == 0) g_link.remove();
}

bool FileWindow::may_store() {
  const int64_t now = coarse_time();
  if (t_answer.given_at != now) t_answer = {now, g_link.is_reached() && !is_blocked(SIGBUS)};
  return t_answer.may_store;
}

bool FileWindow::map(int descriptor, uint64_t begin, uint64_t end) {
  unmap();
  if (place_ == nullptr) return false;
  void* data = ::mmap(nullptr, end - begin, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor,
                      static_cast<off_t>(begin));
  if (data == MAP_FAILED) return false;
  data_ = static_cast<std::byte*>(data);
  begin_ = begin;
  end_ = end;
  // `begin` is set last: until then the handler takes no address for one of the window's.
  place_->lost = false;
  place_->size = end - begin;
  place_->begin = data_;
  return true;
}

void FileWindow::unmap() {
  if (data_ == nullptr) return;
  place_->begin = nullptr;
  ::munmap(data_, end_ - begin_);
  data_ = nullptr;
  begin_ = end_ = 0;
}

bool FileWindow::store(uint64_t offset, absl::Span<const Bytes> parts) {
  std::byte* const begin = data_ + (offset - begin_);
  uint64_t head = 0;
  const bool has_head =
      !parts.empty() && parts.front().size() >= sizeof(head) && offset % sizeof(head) == 0;
  std::byte* to = begin;
  for (const Bytes part : parts) {
    const size_t kept = has_head && to == begin ? sizeof(head) : 0;
    if (part.size() > kept) std::memcpy(to + kept, part.data() + kept, part.size() - kept);
    to += part.size();
  }
  // The release keeps the compiler and the processor from storing the head before the rest.
  if (has_head) {
    std::memcpy(&head, parts.front().data(), sizeof(head));
    std::atomic_ref(*reinterpret_cast<uint64_t*>(begin)).store(head, std::memory_order_release);
  }
  return !place_->lost;
}

}  // namespace lightmetal::schema
