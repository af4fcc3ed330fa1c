#include "host/bindings.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "base/status.h"
#include "host/refusal.h"

namespace lightmetal::host {
namespace {

bool is_forbidden(char c) {
  return c == '=' || c == '/' || absl::ascii_iscntrl(static_cast<unsigned char>(c));
}

absl::Status check_name(absl::string_view what, std::string_view name) {
  if (name.empty()) return refuse("Cannot name ", what, ": the name is empty");
  if (name.size() > kLongestBindingName) {
    return refuse("Cannot name ", what, ": the name has ", name.size(), " bytes, and at most ",
                  kLongestBindingName, " are allowed");
  }
  if (std::ranges::none_of(name, is_forbidden)) return absl::OkStatus();
  return refuse("Cannot name ", what,
                ": the name has a '=', a '/' or a control character, which are not allowed");
}

absl::Status check_tensor(const Binding& binding, const Buffer& buffer) {
  if (const absl::Status status = binding.tensor.check(); !status.ok()) {
    return refuse("Cannot bind buffer ", buffer.id, " to ", binding.name, ": ", status.message());
  }
  const uint64_t size = binding.tensor.size_in_buffer();
  if (size <= buffer.size) return absl::OkStatus();
  return refuse("Cannot bind buffer ", buffer.id, " to ", binding.name, ": the tensor ",
                binding.tensor.text(), " takes ", size, " bytes, and the buffer has ", buffer.size);
}

}  // namespace

absl::Status Bindings::add(const Binding& binding, const Buffer& buffer, bool allocated) {
  LM_RETURN_IF_ERROR(check_name("a buffer", binding.name));
  LM_RETURN_IF_ERROR(check_tensor(binding, buffer));
  if (binding.role > BindingRole::kConstant) {
    return refuse("Cannot bind buffer ", buffer.id, " to ", binding.name, ": there is no role ",
                  static_cast<int>(binding.role));
  }
  LM_RETURN_IF_ERROR(check_allocated(buffer, allocated));
  const auto found = buffers_.find(binding.name);
  if (found != buffers_.end()) {
    return refuse_now("Cannot bind buffer ", buffer.id, " to ", binding.name, ": buffer ",
                      found->second, " has this name");
  }
  if (buffers_.size() == kMostBindings)
    return refuse_now("Cannot bind buffer ", buffer.id, ": ", kMostBindings, " have names already");
  buffers_[binding.name] = buffer.id;
  by_buffer_[buffer.id].push_back(binding);
  return absl::OkStatus();
}

absl::Status Bindings::allow_move(const Buffer& buffer, bool allocated) {
  LM_RETURN_IF_ERROR(check_allocated(buffer, allocated));
  movable_.insert(buffer.id);
  return absl::OkStatus();
}

absl::Status Bindings::check_offset(uint64_t buffer, uint32_t offset) const {
  if (offset == 0 || movable_.contains(buffer)) return absl::OkStatus();
  return refuse_now("Cannot give a kernel the address ", offset, " B behind buffer ", buffer,
                    " by the buffer: it may not move");
}

void Bindings::remove_buffer(uint64_t id) {
  movable_.erase(id);
  const auto found = by_buffer_.find(id);
  if (found == by_buffer_.end()) return;
  for (const Binding& binding : found->second) buffers_.erase(binding.name);
  by_buffer_.erase(found);
}

absl::Status Entries::begin(std::string_view name) {
  LM_RETURN_IF_ERROR(check_name("an entry", name));
  if (!open_.empty()) {
    return refuse_now("Cannot begin entry ", absl::string_view(name.data(), name.size()),
                      " inside of entry ", open_);
  }
  open_ = name;
  return absl::OkStatus();
}

absl::Status Entries::end() {
  if (open_.empty()) return refuse_now("Cannot end an entry: none has begun");
  open_.clear();
  return absl::OkStatus();
}

}  // namespace lightmetal::host
