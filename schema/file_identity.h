#pragma once

#include <sys/stat.h>
#include <sys/types.h>

namespace lightmetal::schema {

// Which file a descriptor stands for: a program may close descriptors that it does not know, and
// get their numbers for files of its own. Async-signal-safe.
class FileIdentity {
 public:
  static FileIdentity of(int descriptor) {
    struct stat info {};
    FileIdentity identity;
    if (::fstat(descriptor, &info) != 0) return identity;
    identity.known_ = true;
    identity.device_ = info.st_dev;
    identity.number_ = info.st_ino;
    return identity;
  }

  // True when the descriptor stands for this file now.
  bool is_of(int descriptor) const {
    const FileIdentity now = of(descriptor);
    return known_ && now.known_ && now.device_ == device_ && now.number_ == number_;
  }

 private:
  bool known_ = false;
  dev_t device_ = 0;
  ino_t number_ = 0;
};

}  // namespace lightmetal::schema
