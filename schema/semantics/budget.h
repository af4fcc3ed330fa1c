#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace lightmetal::schema::semantics {

// Counts the memory that a replay of the commands so far holds, in bytes, up to a limit.
// ResourceExhausted beyond the limit, with nothing counted. Not thread-safe.
class Budget {
 public:
  explicit Budget(uint64_t limit) : limit_(limit) {}

  // Counts memory that is held only while one command runs.
  absl::Status pass(uint64_t bytes) {
    if (bytes > limit_ - held_) {
      return absl::ResourceExhaustedError(
          absl::StrCat("a replay would hold ", held_, " and ", bytes,
                       " more bytes of memory, expected at most ", limit_, ", the memory limit"));
    }
    peak_ = std::max(peak_, held_ + bytes);
    return absl::OkStatus();
  }
  // Counts memory that is held until give_back().
  absl::Status take(uint64_t bytes) {
    const absl::Status status = pass(bytes);
    if (status.ok()) held_ += bytes;
    return status;
  }
  void give_back(uint64_t bytes) { held_ -= bytes; }

  uint64_t peak() const { return peak_; }

 private:
  const uint64_t limit_;
  uint64_t held_ = 0;  // at most limit_
  uint64_t peak_ = 0;
};

// The memory that one object holds: the budget gets it back when the object goes. REQUIRES: the
// budget outlives it.
class Charge {
 public:
  Charge() = default;
  Charge(Charge&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Charge& operator=(Charge&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Charge() { release(); }

  bool empty() const { return bytes_ == 0; }
  uint64_t bytes() const { return bytes_; }

  absl::Status add(Budget& budget, uint64_t bytes) {
    const absl::Status status = budget.take(bytes);
    if (!status.ok()) return status;
    budget_ = &budget;
    bytes_ += bytes;
    return status;
  }
  // Gives back a part of what was added; at most what is left of it after a release().
  void remove(uint64_t bytes) {
    bytes = std::min(bytes, bytes_);
    if (bytes == 0) return;
    budget_->give_back(bytes);
    bytes_ -= bytes;
  }
  void release() {
    if (budget_ != nullptr) budget_->give_back(bytes_);
    bytes_ = 0;
  }

 private:
  Budget* budget_ = nullptr;
  uint64_t bytes_ = 0;
};

}  // namespace lightmetal::schema::semantics
