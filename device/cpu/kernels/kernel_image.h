#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "base/digest.h"

namespace lightmetal::device::cpu {

// A kernel object in memory, made ready to run without the system's loader (memory/confined_code.h
// says in which processes). Of all ELF files it accepts only what kernel objects are: a shared
// object of this machine that needs no other one, has nothing to run when it is loaded, and refers
// only to itself. Everything else is InvalidArgument. The object is not trusted: every number in it
// is checked against the object's bounds.
//
// The code segments can be executed and not written, all other pages can be read and not written.
// Immutable and thread-safe.
class KernelImage {
 public:
  // Copies what it needs of `object`. Code that could give a kernel rights that the confinement
  // takes from it is refused, too. REQUIRES: kernels_are_confined().
  static absl::StatusOr<std::unique_ptr<const KernelImage>> load(Bytes object);
  ~KernelImage();
  KernelImage(const KernelImage&) = delete;
  KernelImage& operator=(const KernelImage&) = delete;

  // The address of an exported symbol with `size` bytes in the image; null when there is none.
  const void* find(const std::string& name, uint64_t size) const;

  uint64_t base() const { return reinterpret_cast<uint64_t>(memory_); }
  // The addresses between which all its executable pages lie.
  uint64_t code_begin() const { return base() + code_begin_; }
  uint64_t code_end() const { return base() + code_end_; }

 private:
  class Loader;

  KernelImage(std::byte* memory, uint64_t size) : memory_(memory), size_(size) {}

  // The Value at offset `at` of the image; none when it does not lie inside.
  template <class Value>
  std::optional<Value> read(uint64_t at) const;
  bool has_name(uint64_t at, const std::string& name) const;

  std::byte* const memory_;
  const uint64_t size_;
  // Offsets from base().
  uint64_t code_begin_ = 0;
  uint64_t code_end_ = 0;
  uint64_t symbols_ = 0;
  uint64_t strings_ = 0;
  uint64_t hash_ = 0;
};

}  // namespace lightmetal::device::cpu
