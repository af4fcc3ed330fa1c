#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/digest.h"

namespace lightmetal::schema {

// A part of a file, mapped so that it is written by stores: what was stored is in the page cache
// and survives the process. Not thread-safe, except that windows know nothing of each other.
//
// A store fails where the file has been cut short, or where a file system that finds a place for
// pages only now has none left: the system raises SIGBUS. While there are windows, a handler puts
// memory of the process in the place of the window that failed, and store() says so. It passes on
// every other signal (base/signal_link.h).
class FileWindow {
 public:
  struct Place;  // what the handler knows of a window

  FileWindow();
  ~FileWindow();
  FileWindow(const FileWindow&) = delete;
  FileWindow& operator=(const FileWindow&) = delete;

  // True when such a signal, raised on this thread now, comes to that handler: the program has put
  // none of its own before it that does not pass on, and the thread does not block the signal.
  // The system is asked again after some milliseconds. REQUIRES: there is a window.
  static bool may_store();

  // Maps the bytes [begin, end) of the file in the place of what was mapped. False when the system
  // does not. REQUIRES: `begin` is a multiple of the page size.
  bool map(int descriptor, uint64_t begin, uint64_t end);
  void unmap();
  bool holds(uint64_t begin, uint64_t end) const { return begin_ <= begin && end <= end_; }

  // Stores the parts one after the other; the first eight bytes, at a multiple of eight, last: who
  // finds those finds all. False when not all of it is in the file. REQUIRES: the window holds
  // the place, and may_store() is true.
  bool store(uint64_t offset, absl::Span<const Bytes> parts);

 private:
  static Place* take_place();

  Place* const place_;  // null when there are too many windows, and nothing can be mapped
  std::byte* data_ = nullptr;
  uint64_t begin_ = 0;  // in the file
  uint64_t end_ = 0;
};

}  // namespace lightmetal::schema
