#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <string>

namespace lightmetal::schema {

// Which file a descriptor stands for, by device and inode. A program may close descriptors that it
// does not know, and get their numbers for files of its own. Thread-safe and async-signal-safe.
class FileIdentity {
 public:
  FileIdentity() = default;  // the identity of no file: nothing is equal to it
  static FileIdentity of(int descriptor) {
    struct stat info {};
    return ::fstat(descriptor, &info) == 0 ? FileIdentity(info) : FileIdentity();
  }

  // True when the descriptor stands for this file now.
  bool is_of(int descriptor) const { return is(of(descriptor)); }
  // True when the path leads to this file now.
  bool is_at(const std::string& path) const {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 && is(FileIdentity(info));
  }

 private:
  explicit FileIdentity(const struct stat& info)
      : known_(true), device_(info.st_dev), number_(info.st_ino) {}

  bool is(const FileIdentity& now) const {
    return known_ && now.known_ && now.device_ == device_ && now.number_ == number_;
  }

  bool known_ = false;
  dev_t device_ = 0;
  ino_t number_ = 0;
};

}  // namespace lightmetal::schema
