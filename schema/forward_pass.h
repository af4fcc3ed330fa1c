#pragma once

#include <cstdint>

#include "schema/reader.h"

namespace lightmetal::schema {

// A pass over a file from its front to its end: what lies behind it is given back, so that it needs
// the same memory for a file of any size. Not thread-safe.
class ForwardPass {
 public:
  explicit ForwardPass(const File& file, uint64_t begin = 0) : file_(file), released_(begin) {}

  // Nothing before `offset` is needed soon.
  void reach(uint64_t offset) {
    if (offset - released_ < kStep) return;
    file_.release(released_, offset - released_);
    released_ = offset;
  }

 private:
  static constexpr uint64_t kStep = uint64_t{1} << 20;

  const File& file_;
  uint64_t released_;
};

}  // namespace lightmetal::schema
