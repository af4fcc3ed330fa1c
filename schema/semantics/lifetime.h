#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/range_set.h"
#include "schema/commands/references.h"
#include "schema/file/reader.h"

namespace lightmetal::schema {

// Follows which objects live while the commands of a file go by in order. Refuses a command that
// uses or destroys an object which does not live, or creates one which was there before: an id is
// never used again for another object of its kind. What it keeps of objects that are gone is little
// where their ids follow one another. Not thread-safe.
class Lifetimes {
 public:
  // All ids of a command, as visit_references() finds them.
  using Ids = absl::Span<const IdReference>;

  // Checks the command against the objects that live, then lets it create and destroy. A DataLoss
  // error names the command, the object and what became of it, such as "command 17 (EnqueueProgram,
  // at offset 4711) uses program 3, which was destroyed by command 12"; nothing has changed then.
  absl::Status apply(const CommandView& view, Ids ids);

  // Checks an intent, which may not have been executed: it creates and destroys nothing.
  absl::Status check(const CommandView& view, Ids ids) const;

  uint64_t num_created() const { return num_created_; }
  uint64_t num_alive() const { return alive_.size(); }
  // The bytes that are kept of the ids that are gone: few where the ids follow one another.
  uint64_t bytes_of_gone() const { return num_gone_ranges_ * kBytesOfRange; }

 private:
  struct Object {
    uint64_t created_by = 0;
    std::optional<ObjectName> owner;
    absl::flat_hash_set<ObjectName> owned;  // that live
  };

  absl::Status check(const CommandView& view, const IdReference& reference) const;
  // What became of the object, in words; empty when there was none.
  std::string end_of(ObjectName key) const;
  void create(uint64_t number, ObjectName key, const std::optional<ObjectName>& owner);
  void destroy(uint64_t number, ObjectName key);
  // Lets the owner, if the object has one, forget it.
  void leave_owner(ObjectName key);
  void add_gone(uint64_t number, ObjectName key);

  static constexpr uint64_t kBytesOfRange = 80;  // a node of a map, as the heap has it

  absl::flat_hash_map<ObjectName, Object> alive_;
  // By kind, the ids whose objects are gone. The label of a range is the last command that
  // destroyed one of its objects.
  std::array<RangeSet<uint64_t>, kObjectKindNames.size()> gone_;
  uint64_t num_created_ = 0;
  uint64_t num_gone_ranges_ = 0;
};

// "command 17 (EnqueueProgram, at offset 4711)"
std::string describe(const CommandView& view);

// The kind of an object in a person's words: "circular buffer" for "CircularBuffer".
std::string kind_in_words(ObjectKind kind);

}  // namespace lightmetal::schema
