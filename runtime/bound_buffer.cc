#include "runtime/bound_buffer.h"

#include <tt-metalium/command_queue.hpp>
#include <tt-metalium/device.hpp>

#include "absl/strings/str_cat.h"
#include "api/src/replay_hooks.h"
#include "base/status.h"
#include "runtime/check_values.h"

namespace lightmetal::runtime {
namespace {

namespace tm = tt::tt_metal;
namespace hooks = tt::tt_metal::replay_hooks;

std::string with_article(BindingRole role) {
  return absl::StrCat(role == BindingRole::kConstant ? "a " : "an ", name_of(role));
}

}  // namespace

BoundBuffer::BoundBuffer(BoundTensor tensor, std::shared_ptr<tt::tt_metal::Buffer> buffer,
                         Counters& counters)
    : tensor_(std::move(tensor)),
      buffer_(std::move(buffer)),
      form_(tensor_.tensor, buffer_->size(), buffer_->page_size()),
      counters_(counters) {}

absl::Status BoundBuffer::check(TensorType type, absl::Span<const uint32_t> shape, Bytes data,
                                const tt::tt_metal::Buffer* other) const {
  const TensorDesc& expected = tensor_.tensor;
  LM_RETURN_IF_ERROR(check_values(tensor_.name, expected, type, shape));
  if (other != nullptr) return check_like(*other);
  if (data.data() == nullptr)
    return absl::InvalidArgumentError(absl::StrCat("the values for ", tensor_.name, " are null"));
  if (data.size() == expected.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the values for ", tensor_.name, " have ",
                                                 data.size(), " bytes, expected ",
                                                 expected.size()));
}

absl::Status BoundBuffer::take(const InputValues& values) {
  if (!tensor_.is_input()) {
    return absl::InvalidArgumentError(
        absl::StrCat(tensor_.name, " is no input: it is ", with_article(tensor_.role)));
  }
  if (has_values())
    return absl::InvalidArgumentError(absl::StrCat("there are two values for ", tensor_.name));
  LM_RETURN_IF_ERROR(check(values.type, values.shape, values.data, values.buffer));
  input_ = values.data;
  from_ = values.buffer;
  return absl::OkStatus();
}

absl::Status BoundBuffer::take(const OutputValues& values) {
  if (!tensor_.is_output()) {
    return absl::InvalidArgumentError(
        absl::StrCat(tensor_.name, " is no output: it is ", with_article(tensor_.role)));
  }
  if (copies_output() || output_.data() != nullptr)
    return absl::InvalidArgumentError(absl::StrCat(tensor_.name, " is asked for twice"));
  LM_RETURN_IF_ERROR(check(values.type, values.shape, values.data, values.buffer));
  output_ = values.data;
  to_ = values.buffer;
  return absl::OkStatus();
}

absl::Status BoundBuffer::check_like(const tt::tt_metal::Buffer& other) const {
  if (other.device() == buffer_->device() && other.size() == buffer_->size() &&
      other.page_size() == buffer_->page_size() && other.is_allocated()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("the buffer for ", tensor_.name, " has ", other.size(), " bytes in pages of ",
                   other.page_size(), ", expected ", buffer_->size(), " in pages of ",
                   buffer_->page_size(), " on the executable's device"));
}

absl::Status BoundBuffer::copy(tt::tt_metal::Buffer& from, tt::tt_metal::Buffer& to) {
  if (hooks::copy_buffer_unrecorded(from, to)) {
    ++counters_.device_copies;
    counters_.device_copied_bytes += from.size();
    return absl::OkStatus();
  }
  ++counters_.host_round_trips;
  counters_.device_to_host_bytes += from.size();
  counters_.host_to_device_bytes += to.size();
  to_decode_.resize(from.size());
  const auto type = static_cast<schema::ElementType>(tensor_.tensor.type);
  hooks::read_from_buffer(from, to_decode_, type);
  hooks::write_to_buffer(to, to_decode_, type);
  return absl::OkStatus();
}

tm::Buffer* BoundBuffer::take_in_place() {
  if (from_ == nullptr || from_->buffer_type() != buffer_->buffer_type() ||
      from_->given_sharding() != buffer_->given_sharding()) {
    return nullptr;
  }
  in_place_ = true;
  ++counters_.relocations;
  return from_;
}

void BoundBuffer::forget_values() {
  in_place_ = false;
  input_ = {};
  output_ = {};
  from_ = nullptr;
  to_ = nullptr;
  written_ = false;
}

absl::Status BoundBuffer::write(std::optional<uint8_t> queue) {
  if (std::exchange(written_, true) || in_place_) return absl::OkStatus();
  changed_ = true;
  if (copies_input()) return copy(*from_, *buffer_);
  counters_.host_to_device_bytes += buffer_->size();
  Bytes bytes = input_;
  if (!form_.is_plain()) {
    encoded_.resize(buffer_->size());
    form_.encode(input_, encoded_);
    bytes = encoded_;
  }
  const auto type = static_cast<schema::ElementType>(tensor_.tensor.type);
  // Without a queue of its own it must be there before any queue goes on.
  hooks::enqueue_write_buffer(buffer_->device()->command_queue(queue.value_or(0)), *buffer_,
                              schema::Payload(bytes, nullptr), type,
                              /*blocking=*/!queue.has_value());
  return absl::OkStatus();
}

absl::Status BoundBuffer::read(std::optional<uint8_t> queue) {
  if (copies_output()) return copy(*buffer_, *to_);
  if (output_.data() == nullptr) return absl::OkStatus();
  counters_.device_to_host_bytes += buffer_->size();
  std::span<std::byte> to(output_.data(), output_.size());
  if (!form_.is_plain()) {
    to_decode_.resize(buffer_->size());
    to = to_decode_;
  }
  const auto type = static_cast<schema::ElementType>(tensor_.tensor.type);
  hooks::enqueue_read_buffer(buffer_->device()->command_queue(queue.value_or(0)), *buffer_, to,
                             type, /*blocking=*/false);
  return absl::OkStatus();
}

void BoundBuffer::hand_out() {
  if (output_.data() != nullptr && !form_.is_plain())
    form_.decode(to_decode_, {output_.data(), output_.size()});
}

}  // namespace lightmetal::runtime
