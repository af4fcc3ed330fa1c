#pragma once

#include <cstddef>
#include <cstdint>
#include <lightmetal/executable.hpp>
#include <memory>
#include <optional>
#include <span>
#include <tt-metalium/buffer.hpp>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/digest.h"
#include "runtime/buffer_form.h"
#include "runtime/counters.h"

namespace lightmetal::runtime {

// A buffer that has a name, and the values that a run is given for it. Memory for those in the form
// of the buffer is kept from run to run. Not thread-safe.
class BoundBuffer {
 public:
  // `counters` outlive the buffer.
  BoundBuffer(BoundTensor tensor, std::shared_ptr<tt::tt_metal::Buffer> buffer, Counters& counters);

  const tt::tt_metal::Buffer& buffer() const { return *buffer_; }
  const std::shared_ptr<tt::tt_metal::Buffer>& shared_buffer() const { return buffer_; }

  // Keeps where the values of the next run are, until forget_values(). InvalidArgument when they do
  // not fit, when there are some already, and when the tensor is no input, or no output.
  absl::Status take(const InputValues& values);
  absl::Status take(const OutputValues& values);
  void forget_values();

  bool has_values() const { return from_ != nullptr || input_.data() != nullptr; }
  // True when values come from a buffer, or go to one: nothing may be under way then.
  bool copies_input() const { return from_ != nullptr && !in_place_; }
  bool copies_output() const { return to_ != nullptr; }
  // True when the caller's buffer stands in for this one.
  bool is_in_place() const { return in_place_; }
  // The buffers of the caller's that values come from and go to; null for none.
  tt::tt_metal::Buffer* given() const { return from_; }
  const tt::tt_metal::Buffer* wanted() const { return to_; }
  // The buffer of the caller's that the values are in, when it may stand in for this one: then
  // write() copies nothing. Null otherwise.
  tt::tt_metal::Buffer* take_in_place();
  // True once after a run that has written values.
  bool take_changed() { return std::exchange(changed_, false); }

  // Write the values that were taken by that queue of the buffer's device, or beside the queues,
  // and read those that are asked for; do nothing a second time, and without any. Throw as the host
  // API. What is read is there once the caller has waited for the queue, and then handed out.
  absl::Status write(std::optional<uint8_t> queue);
  absl::Status read(std::optional<uint8_t> queue);
  void hand_out();

 private:
  absl::Status check(TensorType type, absl::Span<const uint32_t> shape, Bytes data,
                     const tt::tt_metal::Buffer* other) const;
  absl::Status check_like(const tt::tt_metal::Buffer& other) const;
  // Copies between the buffer and another one.
  absl::Status copy(tt::tt_metal::Buffer& from, tt::tt_metal::Buffer& to);
  BoundTensor tensor_;
  std::shared_ptr<tt::tt_metal::Buffer> buffer_;
  BufferForm form_;
  absl::Span<const std::byte> input_;
  absl::Span<std::byte> output_;
  tt::tt_metal::Buffer* from_ = nullptr;
  tt::tt_metal::Buffer* to_ = nullptr;
  std::vector<std::byte> encoded_;
  std::vector<std::byte> to_decode_;
  Counters& counters_;
  bool in_place_ = false;
  bool written_ = false;
  bool changed_ = false;
};

}  // namespace lightmetal::runtime
