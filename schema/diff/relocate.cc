#include "schema/diff/relocate.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/digest.h"
#include "base/status.h"
#include "schema/command_generated.h"
#include "schema/commands/calls.h"
#include "schema/commands/encode.h"
#include "schema/commands/references.h"
#include "schema/diff/leaves.h"
#include "schema/diff/moved_places.h"
#include "schema/file/blob.h"
#include "schema/verify/argument_lists.h"
#include "schema/verify/rewrite.h"
#include "schema/verify/verify.h"

namespace lightmetal::schema {
namespace {

using BlobDigest = ::lightmetal::Digest;

// The form of a call of plain arguments in which some are buffers.
Call with_buffers(Call call) {
  switch (call) {
    case Call::SetRuntimeArgsPerCore:
      return Call::SetRuntimeArgsSymbolicPerCore;
    case Call::SetRuntimeArgs:
    case Call::WriteRuntimeArgs:
      return Call::SetRuntimeArgsSymbolic;
    case Call::SetCommonRuntimeArgs:
    case Call::WriteCommonRuntimeArgs:
      return Call::SetCommonRuntimeArgsSymbolic;
    default:
      return call;
  }
}

class AddressFinder {
 public:
  // Words that are addresses of buffers in `staying` are left as they are.
  AddressFinder(const File& a, const File& b, std::map<uint64_t, std::string> staying)
      : a_(a), b_(b) {
    found_.staying = std::move(staying);
  }

  absl::StatusOr<Addresses> find() {
    if (a_.num_commands() != b_.num_commands()) {
      return other_run(absl::StrCat("the first has ", a_.num_commands(),
                                    " commands, and the second ", b_.num_commands()));
    }
    ForwardPass pass_of_a(a_), pass_of_b(b_);
    LM_RETURN_IF_ERROR(a_.for_each_command([&](const CommandView& in_a) {
      pass_of_a.reach(in_a.offset);
      LM_ASSIGN_OR_RETURN(in_b, b_.command(in_a.number));
      pass_of_b.reach(in_b.offset);
      return compare(in_a, in_b);
    }));
    if (found_.movable.empty()) {
      return absl::FailedPreconditionError(
          absl::StrCat("no buffer has moved between ", a_.name(), " and ", b_.name(),
                       ": capture one of them with LIGHTMETAL_ALLOCATOR_OFFSET"));
    }
    for (const auto& [buffer, reason] : found_.staying) found_.movable.erase(buffer);
    return std::move(found_);
  }

 private:
  absl::Status other_run(const std::string& difference) const {
    return absl::FailedPreconditionError(absl::StrCat(
        a_.name(), " and ", b_.name(), " are captures of different runs: ", difference));
  }

  // ---- Commands ----

  absl::Status compare(const CommandView& in_a, const CommandView& in_b) {
    number_ = in_a.number;
    const Command &a = *in_a.command, &b = *in_b.command;
    name_ = EnumNameCall(a.call_type());
    if (a.call_type() != b.call_type()) {
      return other_run(absl::StrCat("command ", number_, " is ", name_, " in the first, and ",
                                    EnumNameCall(b.call_type()), " in the second"));
    }
    places_.add(number_, a, b);
    if (const auto* create = a.call_as_BufferCreate())
      note_buffer(*create, *b.call_as_BufferCreate());
    if (const auto* movable = a.call_as_BufferMovable()) found_.marks[movable->buffer()] = number_;
    auto args_a = argument_lists_of(a), args_b = argument_lists_of(b);
    if (args_a.has_value() && args_b.has_value()) return compare_arguments(*args_a, *args_b);
    return compare_leaves(a, b);
  }

  // A view moves with the buffer in whose memory it is.
  void note_buffer(const BufferCreate& a, const BufferCreate& b) {
    if (a.address().has_value() != b.address().has_value() ||
        (a.address().has_value() && a.address() != b.address() &&
         !places_.find(*a.address(), *b.address()).has_value())) {
      return add_ambiguity("address", absl::StrCat(a.allocated_address()),
                           absl::StrCat(b.allocated_address()));
    }
    if (a.address().has_value()) return;
    if (a.allocated_address() == b.allocated_address()) {
      ++found_.unmoved;
    } else {
      found_.movable[a.id()] = number_;
    }
  }

  // ---- Arguments ----

  absl::Status compare_arguments(ArgumentLists& in_a, const ArgumentLists& in_b) {
    if (in_a.kernel != in_b.kernel || in_a.lists.size() != in_b.lists.size())
      return other_run(absl::StrCat("command ", number_, " ", name_, " is of other kernels"));
    bool changed = false;
    for (size_t i = 0; i < in_a.lists.size(); ++i) {
      ArgumentList& list = in_a.lists[i];
      const std::vector<RuntimeArgT>& other = in_b.lists[i].args;
      if (list.args.size() != other.size() || list.cores != in_b.lists[i].cores)
        return other_run(absl::StrCat("command ", number_, " ", name_, " sets other arguments"));
      for (size_t word = 0; word < other.size(); ++word)
        changed |= name_buffer(list.args[word], other[word], list, word, in_a.device);
    }
    if (!changed) return absl::OkStatus();
    in_a.call = with_buffers(in_a.call);
    found_.commands.emplace_back(number_, in_a.encoded());
    return absl::OkStatus();
  }

  // Puts the buffer in the place of a word that is its address; returns whether it is.
  bool name_buffer(RuntimeArgT& in_a, const RuntimeArgT& in_b, const ArgumentList& list,
                   size_t word, uint64_t& device) {
    if (in_a.value == in_b.value && in_a.buffer == in_b.buffer) return false;
    const auto place =
        in_a.buffer == 0 && in_b.buffer == 0 ? places_.find(in_a.value, in_b.value) : std::nullopt;
    if (!place.has_value()) {
      add_ambiguity(absl::StrCat("args[", word, "] on ",
                                 list.cores.empty() ? "all cores" : list.cores_text()),
                    absl::StrCat(in_a.value), absl::StrCat(in_b.value));
      return false;
    }
    if (place->buffer == 0 || found_.staying.contains(place->buffer)) return false;
    in_a.buffer = place->buffer;
    in_a.value = static_cast<uint32_t>(place->offset);
    if (device == 0) device = place->device;
    ++found_.words;
    return true;
  }

  // ---- Anything else ----

  absl::Status compare_leaves(const Command& a, const Command& b) {
    const std::vector<Leaf> in_a = leaves_of(a), in_b = leaves_of(b);
    if (in_a.size() != in_b.size())
      return other_run(absl::StrCat("command ", number_, " ", name_, " has other lists"));
    const uint64_t kernel = kernel_of(a);
    for (size_t i = 0; i < in_a.size(); ++i) {
      if (in_a[i].path != in_b[i].path)
        return other_run(absl::StrCat("command ", number_, " ", name_, " has other fields"));
      if (in_a[i].value == in_b[i].value || is_told_otherwise(a, in_a[i].path)) continue;
      if (in_a[i].id.has_value() && in_b[i].id.has_value())
        return other_run(absl::StrCat("command ", number_, " ", name_, " names other objects"));
      if (in_a[i].blob.has_value() && in_b[i].blob.has_value()) {
        LM_RETURN_IF_ERROR(compare_payloads(a, kernel, in_a[i], *in_b[i].blob));
      } else {
        compare_numbers(a, in_a[i], in_b[i]);
      }
    }
    return absl::OkStatus();
  }

  // Where objects lie is known by then, and times say nothing of addresses.
  static bool is_told_otherwise(const Command& command, absl::string_view path) {
    switch (command.call_type()) {
      case Call::BufferCreate:
        return path == "allocated_address" || path == "address";
      case Call::GlobalSemaphoreCreate:
        return path == "allocated_address";
      case Call::ScopeEnd:
        return path == "nanoseconds";
      default:
        return false;
    }
  }

  static uint64_t kernel_of(const Command& command) {
    if (const auto* create = command.call_as_KernelCreate()) return create->id();
    if (const auto* binary = command.call_as_KernelBinary()) return binary->kernel();
    return 0;
  }

  void compare_numbers(const Command& command, const Leaf& a, const Leaf& b) {
    uint64_t in_a = 0, in_b = 0;
    const bool are_numbers = absl::SimpleAtoi(a.value, &in_a) && absl::SimpleAtoi(b.value, &in_b);
    const auto place = are_numbers ? places_.find(in_a, in_b) : std::nullopt;
    if (!place.has_value()) return add_ambiguity(a.path, a.value, b.value);
    keep(*place, a.path);
    if (const auto* create = command.call_as_KernelCreate()) with_addresses_.insert(create->id());
  }

  absl::Status compare_payloads(const Command& command, uint64_t kernel, const Leaf& leaf,
                                const BlobRef& in_b) {
    const BlobRef& in_a = *leaf.blob;
    const std::pair<BlobDigest, BlobDigest> pair(to_digest(in_a.digest()),
                                                 to_digest(in_b.digest()));
    switch (role_of(command, pair.first)) {
      case PayloadRole::Golden:
        return absl::OkStatus();
      case PayloadRole::Kernel:
        // The code of a kernel that was compiled with an address, also in a trace.
        if (kernel != 0 && with_addresses_.contains(kernel)) other_code_.insert(pair);
        if (!other_code_.contains(pair)) add_ambiguity(leaf.path, "other code", "other code");
        return absl::OkStatus();
      case PayloadRole::Upload:
        return compare_data(leaf.path, in_a, in_b);
    }
    return absl::OkStatus();
  }

  static PayloadRole role_of(const Command& command, const BlobDigest& digest) {
    PayloadRole role = PayloadRole::Upload;
    visit_blobs(command, [&](const BlobReference& blob) {
      if (to_digest(blob.name.digest()) == digest) role = blob.role;
    });
    return role;
  }

  absl::Status compare_data(const std::string& path, const BlobRef& in_a, const BlobRef& in_b) {
    LM_ASSIGN_OR_RETURN(data_a, a_.blob(in_a));
    LM_ASSIGN_OR_RETURN(data_b, b_.blob(in_b));
    const Bytes a = data_a.bytes(), b = data_b.bytes();
    if (a.size() != b.size())
      return other_run(absl::StrCat("command ", number_, " ", name_, " has data of another size"));
    for (size_t at = 0; at < a.size(); at += sizeof(uint32_t)) {
      uint32_t word_a = 0, word_b = 0;
      const size_t size = std::min(sizeof(uint32_t), a.size() - at);
      std::memcpy(&word_a, a.data() + at, size);
      std::memcpy(&word_b, b.data() + at, size);
      if (word_a == word_b) continue;
      const std::string where = absl::StrCat("byte ", at, " of ", path);
      const auto place = places_.find(word_a, word_b);
      if (place.has_value()) {
        keep(*place, where);
      } else {
        add_ambiguity(where, absl::StrCat(word_a), absl::StrCat(word_b));
      }
    }
    return absl::OkStatus();
  }

  // ---- What is found ----

  void keep(const MovedPlaces::Found& found, const std::string& where) {
    if (found.buffer == 0) return;
    found_.staying.try_emplace(
        found.buffer, absl::StrCat("command ", number_, " ", name_, " has its address in ", where,
                                   ", which can only be a number"));
  }

  void add_ambiguity(const std::string& where, const std::string& a, const std::string& b) {
    if (++found_.ambiguities > Addresses::kListedAmbiguities) return;
    found_.ambiguous.push_back(absl::StrCat("command ", number_, " ", name_, ": ", where, " is ", a,
                                            " in the first, and ", b, " in the second"));
  }

  const File& a_;
  const File& b_;
  MovedPlaces places_;
  Addresses found_;
  absl::flat_hash_set<uint64_t> with_addresses_;  // kernels that were compiled with one
  absl::flat_hash_set<std::pair<BlobDigest, BlobDigest>> other_code_;  // of these, in a and b
  uint64_t number_ = 0;  // of the commands that are compared now, and their name
  std::string name_;
};

absl::Status check(const File& file, uint64_t memory_limit) {
  if (!file.complete()) {
    return absl::FailedPreconditionError(absl::StrCat(
        file.name(),
        " says nothing of its addresses, because it is incomplete: ", file.incomplete_reason()));
  }
  return verify(file, nullptr, {.memory_limit = memory_limit});
}

}  // namespace

absl::StatusOr<Addresses> find_addresses(const File& a, const File& b, uint64_t memory_limit) {
  LM_RETURN_IF_ERROR(check(a, memory_limit));
  LM_RETURN_IF_ERROR(check(b, memory_limit));
  // Which buffers stay is known only at the end.
  LM_ASSIGN_OR_RETURN(first, AddressFinder(a, b, {}).find());
  if (first.staying.empty()) return first;
  return AddressFinder(a, b, std::move(first.staying)).find();
}

absl::StatusOr<uint64_t> write_relocated(const File& a, const Addresses& addresses,
                                         std::shared_ptr<Sink> sink) {
  Rewrite rewrite(a, std::move(sink));
  LM_RETURN_IF_ERROR(rewrite.begin_with_new_calls());
  for (const auto& [number, bytes] : addresses.commands)
    LM_RETURN_IF_ERROR(rewrite.replace(number, bytes));
  for (const auto& [buffer, command] : addresses.marks) {
    if (!addresses.movable.contains(buffer)) rewrite.drop(command);
  }
  for (const auto& [buffer, command] : addresses.movable) {
    if (addresses.marks.contains(buffer)) continue;
    BufferMovableT movable;
    movable.buffer = buffer;
    rewrite.insert_behind(command, encoded_call(movable));
  }
  return rewrite.finish();
}

}  // namespace lightmetal::schema
