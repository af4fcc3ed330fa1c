#pragma once

#include <sys/file.h>

#include <cerrno>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace lightmetal::schema {

// Takes the lock that a capture holds on its file; false where somebody else has it. A file system
// without locks is as good as one that gives the lock.
inline bool lock_file(int file) {
  return ::flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

inline absl::Status taken_error(const std::string& path) {
  return absl::AlreadyExistsError(
      absl::StrCat("cannot create ", path, ": another capture is writing to it"));
}

}  // namespace lightmetal::schema
