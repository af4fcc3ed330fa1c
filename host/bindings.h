#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "base/binding_role.h"
#include "base/tensor_desc.h"
#include "host/buffer.h"

// Rules for what a program is as an executable: buffers that have names, and the parts of it that
// are run by name.
namespace lightmetal::host {

using lightmetal::BindingRole;

inline constexpr size_t kMostBindings = 65536;
inline constexpr size_t kLongestBindingName = 255;  // bytes; of entries, too

struct Binding {
  std::string name;
  BindingRole role = BindingRole::kInput;
  TensorDesc tensor = {};
};

// The buffers that have names, by their ids. Each name stands for one buffer; a buffer may have
// several names.
class Bindings {
 public:
  // `buffer` is what Binding says, as long as it lives. InvalidArgument for a name that is empty,
  // too long, or has a character that no command line takes ('=', '/', or a control character), for
  // a tensor that is none, and for one that does not fit into the buffer; FailedPrecondition for a
  // name that another buffer, or this one, has already, for a buffer without memory, and when
  // kMostBindings are there.
  absl::Status add(const Binding& binding, const Buffer& buffer, bool allocated);
  // Notes that the buffer may lie elsewhere when the program is run again. FailedPrecondition for
  // one without memory.
  absl::Status allow_move(const Buffer& buffer, bool allocated);
  // A runtime argument may be an address behind the beginning of a buffer that may move; readers of
  // files from before there were such arguments refuse those that have such buffers.
  // FailedPrecondition for others.
  absl::Status check_offset(uint64_t buffer, uint32_t offset) const;
  void remove_buffer(uint64_t id);

  const std::map<uint64_t, std::vector<Binding>>& by_buffer() const { return by_buffer_; }
  const std::set<uint64_t>& movable() const { return movable_; }

 private:
  std::set<uint64_t> movable_;
  std::map<uint64_t, std::vector<Binding>> by_buffer_;
  absl::flat_hash_map<std::string, uint64_t> buffers_;  // by name
};

// The part of the program that is run by name. There is one at a time.
class Entries {
 public:
  // InvalidArgument for a name as Bindings::add() refuses it; FailedPrecondition inside of an
  // entry.
  absl::Status begin(std::string_view name);
  // FailedPrecondition outside of an entry.
  absl::Status end();

  // The one that has begun and not ended; empty for none.
  const std::string& open() const { return open_; }

 private:
  std::string open_;
};

}  // namespace lightmetal::host
