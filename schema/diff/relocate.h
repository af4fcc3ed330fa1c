#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "schema/file/reader.h"
#include "schema/semantics/semantics.h"
#include "schema/storage/sink.h"

namespace lightmetal::schema {

// What two captures of one program, whose allocators began at other places, say of its addresses: a
// word that differs by as much as a buffer has moved is the address of the buffer.
struct Addresses {
  // New commands in place of those that give kernels such words, with the buffers instead.
  std::vector<std::pair<uint64_t, std::vector<std::byte>>> commands;
  uint64_t words = 0;  // in them that name a buffer now
  // The buffers whose address is nowhere but by the buffer, with the commands that make them.
  std::map<uint64_t, uint64_t> movable;
  // What says so already, by buffer.
  std::map<uint64_t, uint64_t> marks;
  // Those that have moved but must stay where they are in a replay, with the reason.
  std::map<uint64_t, std::string> staying;
  uint64_t unmoved = 0;  // buffers that lie in one place in both captures
  // What differs and is no address of one buffer, at most kListedAmbiguities, and how often.
  std::vector<std::string> ambiguous;
  uint64_t ambiguities = 0;
  static constexpr size_t kListedAmbiguities = 100;
};

// Compares the captures, each of which verify() accepts. A word stands for the buffer that begins
// at it or nearest before it, among those that live and have moved just as far. Differences that
// say nothing of addresses, such as the times of scopes and what the program read, do not count.
// FailedPrecondition for files of which one is incomplete, that are not of the same run, or in
// which no buffer has moved.
absl::StatusOr<Addresses> find_addresses(const File& a, const File& b,
                                         uint64_t memory_limit = kDefaultMemoryLimit);

// Writes `a` into `sink` with these addresses by their buffers, and with what says which buffers
// may lie elsewhere. Returns how many signatures it has not, since they do not fit any more.
absl::StatusOr<uint64_t> write_relocated(const File& a, const Addresses& addresses,
                                         std::shared_ptr<Sink> sink);

}  // namespace lightmetal::schema
