#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <lightmetal/replay.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/binding_role.h"
#include "base/tensor_desc.h"

namespace tt::tt_metal {
class Buffer;
}

namespace lightmetal {

// A buffer of the program that has a name (LightMetalBindInput and the like).
struct BoundTensor {
  std::string name = {};
  BindingRole role = BindingRole::kInput;
  TensorDesc tensor = {};
  uint64_t buffer = 0;  // its id in the file

  bool is_input() const { return role == BindingRole::kInput || role == BindingRole::kInOut; }
  bool is_output() const { return role == BindingRole::kOutput || role == BindingRole::kInOut; }
};

namespace runtime {
struct Counters;
}

// Values for an input, and room for those of an output: row by row without padding, whatever the
// order in the buffer is. The memory is the caller's. Instead of memory of the host a buffer of the
// executable's device may be named, which has the size and the pages of the tensor's own: values
// are then copied within the device where it can, and otherwise over the host. Nothing is under way
// on it when run() is called.
struct InputValues {
  std::string_view name;
  TensorType type = TensorType::Float32;
  absl::Span<const uint32_t> shape;
  absl::Span<const std::byte> data;
  tt::tt_metal::Buffer* buffer = nullptr;
};
struct OutputValues {
  std::string_view name;
  TensorType type = TensorType::Float32;
  absl::Span<const uint32_t> shape;
  absl::Span<std::byte> data;
  tt::tt_metal::Buffer* buffer = nullptr;
};

// Hooks of Executable::load().
struct ExecutableHooks {
  // Called with what Executable::entries() and tensors() will return, once the file has been
  // checked and before a device is opened or anything of the file is executed. Its error is that of
  // load.
  std::function<absl::Status(const std::vector<std::string>& entries,
                             const std::vector<BoundTensor>& tensors)>
      before_execution = {};
  std::shared_ptr<runtime::Counters> counters = {};  // of a runtime::Device, which sets it
};

// A captured program that is loaded once and run many times, with values for its inputs.
//
// Load does all that a run does not do again: it opens the device, unless it is given one, makes
// buffers, programs and whatever else the program makes, and loads its device traces; and it writes
// what the program writes before its first entry and to constants. A run does what lies within one
// entry: it writes, sets arguments, launches and waits, and makes and ends nothing. What the
// program reads is left out, but for its outputs. A file without entries has one, which is named
// "main" and reaches from the first write or launch to the last.
//
//   - Memory keeps what a run leaves in it: the next run finds it.
//   - An input that is given no value has what the program wrote to it.
//   - An output is read where the entry reads it last, or at its end.
//   - Arguments and circular buffers that entries change are, at the beginning of a run, as they
//     were where the entry was captured.
//   - What the program does between two entries is done by load when it makes something or writes,
//     and otherwise not at all.
//
// Not thread-safe; several executables may be used by one thread each, also on one device, where
// they run, load and end one after the other.
class Executable {
 public:
  // As Replay::load() loads a file, with its errors; also FailedPrecondition when the program
  // cannot be loaded once and run many times, which the message explains: its buffers take turns in
  // the same memory, or it divides a device within an entry.
  static absl::StatusOr<std::unique_ptr<Executable>> load(std::shared_ptr<const schema::File> file,
                                                          LoadOptions options = {},
                                                          ExecutableHooks hooks = {});
  static absl::StatusOr<std::unique_ptr<Executable>> load_file(const std::string& path,
                                                               LoadOptions options = {},
                                                               ExecutableHooks hooks = {});
  static absl::StatusOr<std::unique_ptr<Executable>> load_bytes(absl::Span<const uint8_t> bytes,
                                                                LoadOptions options = {},
                                                                ExecutableHooks hooks = {});

  // Frees all that load has made, and closes the device that it opened.
  ~Executable();
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  // In the order of the file.
  const std::vector<std::string>& entries() const;
  const std::vector<BoundTensor>& tensors() const;

  // The buffer of one of the tensors. Valid as long as the executable.
  const tt::tt_metal::Buffer& buffer(const BoundTensor& tensor) const;

  // Runs an entry, waits for its end, and fills the outputs. The first run may allocate memory;
  // later ones with the same inputs and outputs do not, unless the entry changes circular buffers,
  // sets arguments by buffers or on several ranges of cores by one call, or runs on a divided
  // device.
  //
  // NotFound for a name that there is not, InvalidArgument for a wrong type, shape or size, a name
  // that comes twice, and an input as an output or the other way round: nothing has been done then.
  // Any other error ends the executable: later runs are FailedPrecondition.
  absl::Status run(std::string_view entry, absl::Span<const InputValues> inputs,
                   absl::Span<const OutputValues> outputs);
  // What run() would refuse of these before it does anything.
  absl::Status check(std::string_view entry, absl::Span<const InputValues> inputs,
                     absl::Span<const OutputValues> outputs);

 private:
  class Impl;
  explicit Executable(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace lightmetal
