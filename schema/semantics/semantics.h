#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "schema/file/reader.h"
#include "schema/semantics/device_memory.h"

namespace lightmetal::schema {

// The memory, in bytes, that the calls of a file may make a replay hold; see Semantics.
inline constexpr uint64_t kDefaultMemoryLimit = uint64_t{64} << 30;

// Follows what the commands of a file mean to devices while they go by in order. Refuses a command
// whose numbers make no sense to the devices: what the host API would refuse when the file is
// replayed, what would make a replay wait for ever, and what would make a replay hold more memory
// than a limit. Needs no device, and keeps of each living object what later checks need and no
// more.
//
// The memory that counts: what buffers take on the devices and what else the host writes there;
// what reads and the compressed payloads of writes hold on the host until something waits for them;
// what the host keeps about objects; and what a check keeps about ids that are gone. The file's own
// bytes and what kernels write without asking do not count.
//
// Kernel code and the inside of kernel objects are left to whoever executes them. Not thread-safe.
class Semantics {
 public:
  explicit Semantics(uint64_t memory_limit = kDefaultMemoryLimit);
  ~Semantics();
  Semantics(const Semantics&) = delete;
  Semantics& operator=(const Semantics&) = delete;

  // Says that the payload of this name is stored compressed, so that a replay has it in memory
  // while it uses it. REQUIRES: it is called before the commands that use the payload.
  void add_compressed(const ::lightmetal::Digest& blob);

  // Counts the bytes that the caller keeps of the commands so far, in place of what it said before.
  // ResourceExhausted names the command, the last of them.
  absl::Status keep(const CommandView& view, uint64_t bytes);

  // Checks the command against what the commands before it have made. InvalidArgument,
  // FailedPrecondition or ResourceExhausted names the command, the object, its field, what the
  // field says and what was expected, such as "command 17 (BufferCreate, at offset 4711): buffer 3:
  // its field page_size is 7, expected a divisor of the size 64"; after an error, the object is
  // good for nothing but destruction. REQUIRES: visit_references() has found known values only, and
  // Lifetimes has accepted the command.
  absl::Status apply(const CommandView& view);

  // Call it after the last command. FailedPrecondition when a queue waits for an event that no
  // command records or, in an incomplete file, for one that is recorded only after that wait. With
  // `complete` nothing changes, so a caller may ask after any command whether a file could end
  // there.
  absl::Status finish(bool complete);

  // The most memory, in bytes, that was counted at one time.
  uint64_t peak_memory() const;

  // What the devices' own memory held at most, in the order in which the devices were opened. Valid
  // until the next command.
  absl::Span<const DeviceMemory> device_memory() const;

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace lightmetal::schema
