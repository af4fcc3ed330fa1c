#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/digest.h"

namespace lightmetal::schema {

// A part of a file, mapped so that stores write it: what was stored is in the page cache and
// survives the death of the process. A window is not thread-safe; different windows may be used by
// different threads.
//
// A store fails where the file has been cut short, or where a file system that finds a place for
// pages only then has none left: the system raises SIGBUS. While there are windows, a handler puts
// memory of the process in the place of the window that failed, so that the store ends, and store()
// returns false. The handler passes on every other signal (base/signal_link.h).
class FileWindow {
 public:
  struct Place;  // what the handler knows of a window

  FileWindow();
  ~FileWindow();
  FileWindow(const FileWindow&) = delete;
  FileWindow& operator=(const FileWindow&) = delete;

  // True when a SIGBUS that is raised on this thread now comes to that handler: the program has put
  // no handler before it that does not pass on, and the thread does not block the signal. The
  // answer is kept for some milliseconds, because asking takes system calls. REQUIRES: there is a
  // window.
  static bool may_store();

  // Maps the bytes [begin, end) of the file in the place of what was mapped. Returns false, with
  // nothing mapped, when the system refuses. The descriptor stays the caller's and may be closed.
  // REQUIRES: `begin` is a multiple of the page size, and the file has `end` bytes.
  bool map(int descriptor, uint64_t begin, uint64_t end);
  void unmap();
  bool holds(uint64_t begin, uint64_t end) const { return begin_ <= begin && end <= end_; }

  // Stores the parts one after the other. Where `offset` is a multiple of eight and the first part
  // has eight bytes, those are stored last: whoever finds them finds everything. Returns false when
  // the file may lack some of the bytes. REQUIRES: the window holds the place, and may_store() is
  // true.
  bool store(uint64_t offset, absl::Span<const Bytes> parts);

 private:
  static Place* take_place();

  Place* const place_;  // null when there are too many windows, and nothing can be mapped
  std::byte* data_ = nullptr;
  uint64_t begin_ = 0;  // in the file
  uint64_t end_ = 0;
};

}  // namespace lightmetal::schema
