#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/digest.h"
#include "schema/commands/effect.h"
#include "schema/file/reader.h"
#include "schema/index/object_index.h"
#include "schema/storage/sink.h"

namespace lightmetal::schema {

// Takes some commands out of a file, and leaves a file: knows which commands a command needs, by
// the objects that it names and by the memory that its arguments name. Keeps some words of each
// command. Immutable and thread-safe.
class Slicer {
 public:
  // By number, whether a command is kept. As long as the file.
  using Commands = std::vector<bool>;

  // REQUIRES: verify() accepts the file.
  static absl::StatusOr<Slicer> create(std::shared_ptr<const File> file);

  const File& file() const { return *file_; }
  Commands none() const { return Commands(commands_.size()); }
  // The first `count` commands.
  Commands first(uint64_t count) const;
  // The commands that read a buffer, or memory by address, by their numbers.
  std::vector<uint64_t> reads() const;
  std::vector<uint64_t> reads_of_buffer(uint64_t id) const;
  // Returns the buffers, by id, that the commands `first` to `last` write: those that writes name,
  // and those whose addresses are among the arguments of launches. A launch may only read some of
  // them.
  absl::flat_hash_set<uint64_t> buffers_written(uint64_t first, uint64_t last) const;

  // `kept` and whatever it takes to make its calls as they were recorded: the commands that make
  // the objects which they name; of a program everything that was done to it by then; the state of
  // the devices; the recording of an event that is waited for, and a replay of a trace that is
  // loaded.
  Commands with_needs(Commands kept) const;

  // with_needs(), and the writes and launches that may have left something in the memory that is
  // read or launched on. A launch reads and writes those buffers and global semaphores whose
  // addresses stand among its arguments, or which these name: a kernel that finds memory otherwise
  // is not seen through, so whoever relies on the values has to replay the result. Where several
  // queues or sub-devices take part, all that orders them stays: the waits, the calls that block
  // for work that stays, and the transfers on sub-devices. So does every call that failed.
  Commands with_sources(Commands kept) const;

  // `kept` and the ends of the objects that its commands make.
  Commands with_ends(Commands kept) const;

  // `kept` without `removed`, and without the commands that then name an object which nobody makes,
  // wait for an event that nobody records, or load a trace whose replays are all gone.
  Commands without(Commands kept, const Commands& removed) const;

  // What a replay needs to read what it reads: the reads, with_sources() and with_ends(), without
  // writes that are overwritten before anything reads them. Scopes stay, and what waits for objects
  // that stay.
  Commands needed() const;

  // All that touches memory, with what it takes and the ends of that: without objects that nothing
  // names, and what was done to objects before nothing used them any more.
  Commands used() const;

  // Writes these commands, with their payloads, as a file of the same session. Signatures, intents
  // and optional records are left out. Payloads that are stored as they are, are compressed at
  // `compression_level` unless it is 0. The file is as sound as the set of commands: ask verify().
  absl::Status write(const Commands& kept, std::shared_ptr<Sink> sink,
                     int compression_level = 0) const;

 private:
  class Maker;

  struct Node {
    // That of the call, but kWrite if the call makes an object and writes its memory, and kSet if
    // it divides no device.
    Effect effect = Effect::kMark;
    bool has_failed = false;           // a call that failed
    bool overwrites = false;           // writes all of the memory that it touches
    uint32_t queue = 0;                // of a read, write or launch: what it runs on
    bool waits = false;                // the call returns when its queue, or device, has come to it
    bool on_divided = false;           // on sub-devices, whose launches do not wait for each other
    std::vector<uint32_t> named = {};  // objects that are there before
    std::vector<uint32_t> mentioned = {};  // objects in whose memory it may read or write
    // Places of memory that it may read or write. What lies in no buffer is one place for what the
    // host writes by address, which launches read, and one for what it reads so, which they write.
    std::vector<uint32_t> reads = {};
    std::vector<uint32_t> writes = {};
  };

  struct Object {
    uint32_t place = 0;                  // of a buffer or a global semaphore: its memory
    std::vector<uint64_t> changes = {};  // commands that change it, or record the event
    std::vector<uint64_t> ends = {};
    std::vector<uint64_t> replays = {};  // of a trace
  };

  explicit Slicer(std::shared_ptr<const File> file) : file_(std::move(file)) {}

  // The commands whose needs are not kept yet, and of each object how many of its changes are kept.
  struct Needs {
    std::vector<uint64_t> open;
    std::vector<size_t> changes;
  };
  void add_needs(uint64_t number, Commands& kept, Needs& needs) const;
  // One pass from the last command to the first, which adds what wrote before what reads.
  void add_writers(Commands& kept) const;
  bool several_wait_for_each_other(const Commands& kept) const;
  void add_order(Commands& kept) const;
  bool makes_object(uint64_t number) const;
  bool is_event(uint32_t object) const { return index_[object].name.kind == ObjectKind::Event; }
  // Returns the object whose changes are those of `object`: its program, or itself.
  uint32_t changed_with(uint32_t object) const;
  // Returns true for a mark that names no object: a scope, an entry or a failed call.
  bool is_scope(uint64_t number) const;
  bool is_possible(uint64_t number, const Commands& kept) const;
  Commands with_waits(Commands kept) const;

  std::shared_ptr<const File> file_;
  std::vector<Node> commands_;
  ObjectIndex index_;
  std::vector<Object> objects_;                     // as `index_` numbers them
  absl::flat_hash_map<uint64_t, uint32_t> traces_;  // objects by the commands that load them
};

}  // namespace lightmetal::schema
