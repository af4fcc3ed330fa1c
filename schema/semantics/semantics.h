#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "schema/file/reader.h"

namespace lightmetal::schema {

// What a replay may hold of a file's making; see Semantics.
inline constexpr uint64_t kDefaultMemoryLimit = uint64_t{64} << 30;

// Follows what the commands of a file mean to devices while they go by in order, and refuses a
// command whose numbers make no sense to them: what the host API would refuse when the file is
// replayed, what would make a replay wait for ever, and what would make it hold more memory than a
// limit. It needs no device, and keeps of each living object what later checks need and no more.
//
// Memory that counts: what buffers take on the devices, what else the host writes there, what reads
// and the compressed payloads of writes hold on the host until something waits for them, what the
// host keeps about objects, and what a check keeps about ids that are gone.
// The files' own bytes and what kernels write without asking do not count.
//
// Left to whoever executes: kernel code and the kernel objects' inside. Not thread-safe.
class Semantics {
 public:
  explicit Semantics(uint64_t memory_limit = kDefaultMemoryLimit);
  ~Semantics();
  Semantics(const Semantics&) = delete;
  Semantics& operator=(const Semantics&) = delete;

  // The payload of this name is stored compressed, so that a replay has it in memory while it is
  // used; call it before the commands that do.
  void add_compressed(const ::lightmetal::Digest& blob);

  // What whoever checks the file keeps of the commands so far beside this, in bytes, instead of
  // what was said before. ResourceExhausted names the command, the last of them.
  absl::Status keep(const CommandView& view, uint64_t bytes);

  // Checks the command against what those before it have made. InvalidArgument, FailedPrecondition
  // or ResourceExhausted names the command, the object, its field, what it says and what was
  // expected, such as "command 17 (BufferCreate, at offset 4711): buffer 3: its field page_size is
  // 7, expected a divisor of the size 64"; afterwards this is good for nothing but destruction.
  // REQUIRES: visit_references() has found known values only, and Lifetimes has accepted it.
  absl::Status apply(const CommandView& view);

  // After the last command: FailedPrecondition when a queue waits for what nothing records, or in
  // an incomplete file for what is recorded only after that wait. With `complete` nothing changes,
  // so that it tells of any command whether a file could end behind it.
  absl::Status finish(bool complete);

  // The most memory that counts so far, in bytes.
  uint64_t peak_memory() const;

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace lightmetal::schema
