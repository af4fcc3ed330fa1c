#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "schema/command_generated.h"
#include "schema/verify/argument_lists.h"

namespace lightmetal::schema {

// Another value for a runtime argument.
struct ArgumentEdit {
  std::string kernel;                 // the name of its source, or the end of that, or its id
  std::optional<CoreName> core = {};  // on this core; none: on all
  bool is_common = false;             // one of the common arguments, which are on no core
  uint32_t index = 0;
  uint32_t value = 0;
  std::optional<uint64_t> command = {};  // only where this command sets it, by its number
};

// An argument that has another value now.
struct ArgumentChange {
  uint64_t command = 0;
  std::string call;     // "SetRuntimeArgs"
  uint64_t kernel = 0;  // its id; 0 for one in a device trace
  std::string name;     // of its source
  std::string cores;    // "(0,0)", "(0,0)-(7,0)"; empty for a common argument
  uint32_t index = 0;
  uint64_t was_buffer = 0;  // the id of the buffer whose address it was; 0: it was a word
  uint32_t was = 0;
  uint32_t is = 0;
};

// What an edit has met, for messages.
struct ArgumentMatch {
  bool names_kernel = false;
  bool is_set = false;      // arguments are set where the edit says
  uint64_t most = 0;        // the most that are set there at a time
  std::string other_cores;  // the last other cores on which arguments of the kernel are set
  // The command nearest to the edit's own that sets arguments of this kernel.
  std::optional<uint64_t> nearest_command = {};
  uint64_t changes = 0;
};

// Changes the commands that set runtime arguments, and the device traces that hold some, one by
// one, in the order of the file. A command that sets an argument on many cores and is to set
// another value on one of them becomes one that names each core, so that commands keep their
// numbers. In a trace, kernels are known by the file names of their
// sources alone. Not thread-safe.
class ArgumentEditor {
 public:
  explicit ArgumentEditor(std::vector<ArgumentEdit> edits)
      : edits_(std::move(edits)), matches_(edits_.size()) {}

  // Returns the bytes of the command as the edits leave it, or nothing when they do not change it.
  // ResourceExhausted when a trace would become too large. REQUIRES: verify() accepts the file, and
  // its commands come in order.
  using Edited = std::optional<std::vector<std::byte>>;
  absl::StatusOr<Edited> edited(uint64_t number, const Command& command);

  absl::Span<const ArgumentEdit> edits() const { return edits_; }
  const ArgumentMatch& match(size_t edit) const { return matches_[edit]; }
  uint64_t num_changes() const { return num_changes_; }
  // The first of them, at most kListedChanges.
  absl::Span<const ArgumentChange> changes() const { return changes_; }
  static constexpr size_t kListedChanges = 1000;
  // The sources of all kernels, with and without their folders.
  const std::set<std::string>& kernel_names() const { return names_; }

 private:
  struct Kernel {
    std::string name;
    std::vector<size_t> edits;  // that name it
  };

  void learn(const KernelCreate& kernel);
  void learn_name(const std::string& name);
  Kernel traced(const TraceKernel& kernel);
  absl::StatusOr<Edited> edited_trace(uint64_t number, const LoadTrace& call);
  void edit_traced(uint64_t number, const Kernel& known, const CoreCoord& core,
                   TraceKernelOnCore& kernel, TraceLaunchT& launch);
  // Whether any of these edits has changed the arguments.
  bool change(const Kernel& kernel, uint64_t number, ArgumentLists& lists);
  bool change_list(size_t edit, const std::string& name, uint64_t number,
                   const ArgumentLists& lists, ArgumentList& list);

  std::vector<ArgumentEdit> edits_;
  std::vector<ArgumentMatch> matches_;
  uint64_t num_changes_ = 0;
  std::vector<ArgumentChange> changes_;
  std::set<std::string> names_;
  absl::flat_hash_map<uint64_t, Kernel> kernels_;
};

}  // namespace lightmetal::schema
