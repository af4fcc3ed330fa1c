#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "base/digest.h"
#include "schema/command_generated.h"

namespace lightmetal::schema {

// A kernel object of a file.
struct NamedObject {
  std::string target;
  BlobRef blob;
};

// A kernel that has another object now.
struct KernelChange {
  uint64_t command = 0;
  std::string call;     // "KernelBinary", "LoadTrace"
  uint64_t kernel = 0;  // its id; 0 for those of a device trace
  NamedObject was, is;
};

// Gives kernels other objects, as a replay does that replaces kernels: from the command on that
// gave a replaced kernel its object, all kernels with this object get the new one, those in device
// traces too. Not thread-safe.
class KernelEditor {
 public:
  // Makes `object` what the command gives its kernel. REQUIRES: it is a KernelBinary.
  void replace(uint64_t command, NamedObject object) {
    objects_.insert_or_assign(command, std::move(object));
  }

  // Returns the bytes of the command with other objects, or nothing when it has none to replace.
  // REQUIRES: the commands of the file come in order.
  std::optional<std::vector<std::byte>> edited(uint64_t number, const Command& command);

  absl::Span<const KernelChange> changes() const { return changes_; }

 private:
  const NamedObject* find(const std::string& target, const BlobRef& object) const;
  std::optional<std::vector<std::byte>> edited_binary(uint64_t number, const KernelBinary& call);
  std::optional<std::vector<std::byte>> edited_trace(uint64_t number, const LoadTrace& call);

  absl::flat_hash_map<uint64_t, NamedObject> objects_;  // by command
  // By target and content of what they replace.
  absl::flat_hash_map<std::pair<std::string, ::lightmetal::Digest>, NamedObject> replaced_;
  std::vector<KernelChange> changes_;
};

}  // namespace lightmetal::schema
