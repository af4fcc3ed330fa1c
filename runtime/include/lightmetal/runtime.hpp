#pragma once

#include <cstddef>
#include <cstdint>
#include <lightmetal/executable.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/tensor_desc.h"

namespace tt::tt_metal {
class IDevice;
class TensorSpec;
}  // namespace tt::tt_metal

// Tensors, and executables that run beside the caller: calls return before their work is done.
//
//   auto device = *Device::open(file);
//   auto first = *device.load(file), second = *device.load(other_file);
//   Tensor x = *createTensor(values, {2, 64}, TensorType::Float32);
//   std::vector<Tensor> y = *submit(device, first, "main", {x});
//   std::vector<Tensor> z = *submit(device, second, "main", y);  // y stays on the device
//   auto result = *toHost(z[0]);
//
// A device has two lanes, each of which does its work in the order in which it was given: one
// computes (submit), and one moves and converts tensors (toLayout, toHost), so that the next inputs
// reach the device while it computes. Each tensor knows who writes it last and who reads it since:
// work waits for what it reads to be written, and for what it writes to be read and written, on
// whichever lane. Dependencies that a caller gives only add to that.
//
// Handles (Device, Tensor, Layout, Event) are cheap to copy and share what they stand for.
// Functions are thread-safe; whoever gives work on one tensor from two threads at once gets either
// order.
namespace lightmetal::runtime {

// What a device's executables and tensors have moved since it was opened.
struct Stats {
  uint64_t host_to_device_bytes = 0;
  uint64_t device_to_host_bytes = 0;
  uint64_t device_copies = 0;  // from buffer to buffer, within the device
  uint64_t device_copied_bytes = 0;
  uint64_t host_round_trips = 0;  // copies from buffer to buffer that went over the host
  uint64_t relayouts = 0;         // conversions of the type, the order or the place of elements
  uint64_t relocations = 0;       // inputs that a run took where they lay, without a copy
  uint64_t trace_reloads = 0;     // device traces that were loaded again, since others came
  uint64_t cleared_bytes = 0;     // made zeros, for padding, before a conversion within the device

  friend bool operator==(const Stats&, const Stats&) = default;
};

// Work that was given to a lane.
class Event {
 public:
  class State;

  Event() = default;  // is done
  explicit Event(std::shared_ptr<State> state) : state_(std::move(state)) {}

  // An event of the caller's, which is done once somebody calls signal().
  static Event create();
  void signal();

  const std::shared_ptr<State>& state() const { return state_; }

 private:
  std::shared_ptr<State> state_;
};

// Whether the work is done, whatever came of it. Does not wait.
bool query(const Event& event);
// Waits for the end of the work and returns what came of it; of several, the first error.
absl::Status wait(const Event& event);
absl::Status wait(absl::Span<const Event> events);

enum class Location : uint8_t { Host, DeviceDRAM, DeviceL1 };

// Where the elements of a tensor lie, of which type they are and in which order: opaque, to be
// compared and handed on. A layout on the device is of tensors of one size, in whose form it is
// made: tensors of one shape have equal layouts when the same can be said of where they lie.
class Layout {
 public:
  struct State;

  // On the host: row by row.
  static Layout host(TensorType type);
  // Of such tensors; on the device the pages, rows or tiles, are spread over all banks. Rows there
  // are padded to whole words (4 bytes). Unimplemented for tiles on the host.
  static absl::StatusOr<Layout> of(const TensorDesc& tensor, Location location);
  // As tensors of this specification lie on the device: interleaved, or in shards, with its
  // padding. Unimplemented for data types that TensorType does not have, tiles other than 32x32,
  // tiles that are padded to more than whole tiles, and shards that no buffer lies in.
  static absl::StatusOr<Layout> of(const tt::tt_metal::TensorSpec& spec);

  explicit Layout(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  bool operator==(const Layout& other) const;

  bool is_on_device() const;
  TensorType type() const;
  TensorOrder order() const;

  const State& state() const { return *state_; }

 private:
  std::shared_ptr<const State> state_;
};

class Device;

class Tensor {
 public:
  struct State;

  Tensor() = default;  // is none, and only says so
  explicit Tensor(std::shared_ptr<State> state) : state_(std::move(state)) {}

  const std::vector<uint32_t>& shape() const;
  Layout layout() const;
  // False once it has been deallocated.
  bool is_allocated() const;
  // A tensor that is retained survives deallocate(). New ones are not.
  bool retain() const;
  void set_retain(bool retain);

  const std::shared_ptr<State>& state() const { return state_; }

 private:
  std::shared_ptr<State> state_;
};

// A device that executables and tensors share. It is closed with the last handle, executable and
// tensor on it, or soon after that when work is still to be done then.
class Device {
 public:
  struct State;

  // Opens the device that a file was captured on first: of its profile, on its backend or the one
  // that `backend` names (LoadOptions::backend), as that chip or the recorded one, with two
  // queues where it can have them, and with the sizes of memory that the file asks for. NotFound
  // for a file that opens none; other errors are those of opening devices.
  static absl::StatusOr<Device> open(const schema::File& file, std::string backend = {},
                                     std::optional<uint32_t> chip_id = {});
  // The same of the file at a path; errors are also those of opening it.
  static absl::StatusOr<Device> open_file(const std::string& path, std::string backend = {});

  // Loads an executable on the device; it may be loaded several times. As Executable::load(), whose
  // options count but for the device. Buffers lie where they were recorded: FailedPrecondition when
  // something lies there already, unless the file says that the buffer may lie elsewhere
  // (LightMetalAllowMove, `lightmetal_runner relocate`). A program that was captured with
  // LIGHTMETAL_ALLOCATOR_OFFSET leaves room for others.
  absl::StatusOr<std::shared_ptr<Executable>> load(std::shared_ptr<const schema::File> file,
                                                   LoadOptions options = {}) const;
  absl::StatusOr<std::shared_ptr<Executable>> load_file(const std::string& path,
                                                        LoadOptions options = {}) const;

  Stats stats() const;
  tt::tt_metal::IDevice* handle() const;

  const std::shared_ptr<State>& state() const { return state_; }

 private:
  explicit Device(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
};

// ---- Making tensors ----

// A host tensor in memory that is shared with the caller, or borrowed: then it must live as long as
// the tensor. `stride` is in elements, for each dimension; where it is not that of rows without
// gaps, the elements are copied. InvalidArgument for a tensor that is none, an item size that is
// not the type's, and a null pointer.
absl::StatusOr<Tensor> createTensor(std::shared_ptr<void> data, std::vector<uint32_t> shape,
                                    std::vector<uint32_t> stride, uint32_t itemsize,
                                    TensorType type);
absl::StatusOr<Tensor> createBorrowedHostTensor(absl::Span<std::byte> data,
                                                std::vector<uint32_t> shape, TensorType type);
// A copy of the data.
absl::StatusOr<Tensor> createOwnedHostTensor(absl::Span<const std::byte> data,
                                             std::vector<uint32_t> shape, TensorType type);
// The first of these in Layout::of() that location. On the device the data are on their way when
// the call returns; they are kept until they are there.
absl::StatusOr<Tensor> createTensor(const Device& device, std::shared_ptr<void> data,
                                    std::vector<uint32_t> shape, std::vector<uint32_t> stride,
                                    uint32_t itemsize, TensorType type, Location location);
// A host tensor without dimensions, of that value, which is converted as by toLayout.
absl::StatusOr<Tensor> createScalarTensor(double value, TensorType type);
// A tensor of zeros on the host, or one on the device whose content is not known.
absl::StatusOr<Tensor> createEmptyTensor(const Device& device, const Layout& layout,
                                         std::vector<uint32_t> shape);

// The layouts of an executable's tensors, and tensors of such layouts on the device, by their
// numbers among its inputs (inputs and in-outs, in the order of the file) or outputs. NotFound for
// a number that there is not, FailedPrecondition for a tensor on a device of the file that is not
// `device`. ResourceExhausted where memory is short: the message says how many bytes were wanted
// and how large the largest free block is; nothing is kept then.
absl::StatusOr<Layout> getLayout(const Executable& executable, size_t input);
absl::StatusOr<Layout> getOutputLayout(const Executable& executable, size_t output);
absl::StatusOr<Tensor> allocateInputTensor(const Device& device, const Executable& executable,
                                           size_t input);
absl::StatusOr<Tensor> allocateOutputTensor(const Device& device, const Executable& executable,
                                            size_t output);
bool hasLayout(const Tensor& tensor, const Layout& layout);
Layout getTensorLayout(const Tensor& tensor);

// Ends the tensor, for all its handles: is_allocated() is false, and work that is given on it
// afterwards fails. Its memory is free when the work that was given before is done, which this call
// does not wait for; memory that was borrowed is its owner's again then. Does nothing to a tensor
// that is retained, unless `force`, and to one that has ended. Nothing but this function, and a
// toLayout that is asked to, ends a tensor that has handles.
void deallocate(Tensor& tensor, bool force = false);

// ---- Work ----

// Writes the values of `src` to `dst`, each in its own layout; types are converted as by
// static_cast, to the nearest value and the nearest end of the range. Between tensors of one device
// and one type it happens within the device, where the device can; else the values go over the host
// (Stats::host_round_trips). What the destination has for padding becomes zeros, unless both have
// the same layout: then all bytes are copied. The shapes must be equal.
Event toLayout(Tensor dst, Tensor src, std::vector<Event> dependencies = {});
// The tensor in that layout: itself where it has it already, on that device, and it stays then.
// Otherwise a new one, behind which the source is deallocated without `retain`, unless it is
// retained itself. A host tensor may be given, too.
absl::StatusOr<Tensor> toLayout(Tensor tensor, const Device& device, const Layout& layout,
                                bool retain = true);
// A host tensor with the values, once they are there: waits.
absl::StatusOr<Tensor> toHost(const Tensor& tensor);
// Copy the values, and wait for them: row by row in the tensor's own type, or in another one that
// is given; or from tensor to tensor as toLayout. REQUIRES: there is room for them.
absl::Status memcpy(void* dst, const Tensor& tensor, std::optional<TensorType> type = {});
absl::Status memcpy(Tensor& tensor, const void* src);
absl::Status memcpy(Tensor& dst, const Tensor& src);
// Waits for the work that was given to write the tensor and returns what came of it.
absl::Status wait(const Tensor& tensor);
absl::Status wait(absl::Span<const Tensor> tensors);

// Runs an entry of an executable of this device. `inputs` are those of the executable in the order
// of the file, and so are `outputs`; where there are fewer, or a Tensor(), inputs have their
// defaults, and outputs are not read. A tensor on the device must have the layout of what it stands
// for, and is then copied within the device, or an input taken where it lies; a host tensor must
// have its shape and type. A tensor of several devices stands for its parts, one after the other. A
// run ends none of its tensors: a weight that is on the device stays there for all runs.
//
// Before anything is done the event has failed already, by the end of the call, with
// InvalidArgument for too many tensors, a wrong type or shape, or no executable, NotFound for an
// entry that there is not, and FailedPrecondition for an executable or a tensor of another device,
// another layout, and a tensor that was deallocated.
Event submit(const Device& device, const std::shared_ptr<Executable>& executable,
             std::string_view entry, std::vector<Tensor> inputs, std::vector<Tensor> outputs,
             std::vector<Event> dependencies = {});
// The same with outputs of its own, on the device. Returns the errors of the call, and those of
// allocateOutputTensor; what becomes of the run is found by what uses its outputs.
absl::StatusOr<std::vector<Tensor>> submit(const Device& device,
                                           const std::shared_ptr<Executable>& executable,
                                           std::string_view entry, std::vector<Tensor> inputs);

}  // namespace lightmetal::runtime
