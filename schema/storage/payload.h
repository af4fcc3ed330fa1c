#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "base/digest.h"

namespace lightmetal::schema {

// The bytes of a blob together with their owner, which keeps them readable: the mapping of the file
// that they lie in, or the memory that they were decompressed to. Copies share both, so a copy is
// cheap, and the bytes are valid as long as any copy lives. Immutable and thread-safe.
class Payload {
 public:
  Payload() = default;
  // `owner` keeps `bytes` readable; null when the bytes stay readable without an owner.
  Payload(Bytes bytes, std::shared_ptr<const void> owner)
      : bytes_(bytes), owner_(std::move(owner)) {}

  // The data pointer of an empty payload means nothing.
  Bytes bytes() const { return bytes_; }
  const std::byte* data() const { return bytes_.data(); }
  size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }
  const std::byte* begin() const { return bytes_.data(); }
  const std::byte* end() const { return bytes_.data() + bytes_.size(); }

  const std::shared_ptr<const void>& owner() const { return owner_; }

 private:
  Bytes bytes_;
  std::shared_ptr<const void> owner_;
};

}  // namespace lightmetal::schema
