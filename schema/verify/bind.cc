#include "schema/verify/bind.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "schema/command_generated.h"
#include "schema/commands/encode.h"
#include "schema/commands/named_field.h"
#include "schema/text.h"
#include "schema/verify/rewrite.h"
#include "schema/verify/verify.h"

namespace lightmetal::schema {
namespace {

// What the file says of a buffer that gets a name.
struct FoundBuffer {
  uint64_t command = 0;  // that makes it
  uint64_t size = 0;
  ElementType type = ElementType::Bytes;
};

class Binder {
 public:
  Binder(const File& file, std::shared_ptr<Sink> sink, const BindOptions& options)
      : file_(file), options_(options), rewrite_(file, std::move(sink)) {}

  absl::StatusOr<BindReport> run() {
    LM_RETURN_IF_ERROR(take_names());
    ForwardPass pass(file_);
    LM_RETURN_IF_ERROR(file_.for_each_command([&](const CommandView& view) {
      pass.reach(view.offset);
      return look_at(view);
    }));
    LM_RETURN_IF_ERROR(add_bindings());
    LM_RETURN_IF_ERROR(add_entries());
    LM_RETURN_IF_ERROR(rewrite_.begin_with_new_calls());
    LM_ASSIGN_OR_RETURN(dropped, rewrite_.finish());
    report_.signatures_dropped = dropped;
    return report_;
  }

 private:
  absl::Status take_names() {
    for (const NewBinding& binding : options_.bindings) {
      if (!tensors_.insert(binding.name).second)
        return absl::AlreadyExistsError(absl::StrCat("two tensors get the name ", binding.name));
      wanted_.insert(binding.buffer);
    }
    for (const NewEntry& entry : options_.entries) {
      if (!entries_.insert(entry.name).second)
        return absl::AlreadyExistsError(absl::StrCat("two entries get the name ", entry.name));
    }
    return absl::OkStatus();
  }

  // ---- What the file has ----

  absl::Status look_at(const CommandView& view) {
    const Command& command = *view.command;
    if (const auto* create = command.call_as_BufferCreate()) {
      if (wanted_.contains(create->id())) found_[create->id()] = {view.number, create->size()};
    } else if (const auto* bind = command.call_as_BindTensor()) {
      if (tensors_.contains(text_of(bind->name())))
        return replace(view.number, "tensor", text_of(bind->name()));
    } else if (const auto* begin = command.call_as_EntryBegin()) {
      is_in_replaced_ = entries_.contains(text_of(begin->name()));
      if (is_in_replaced_) return replace(view.number, "entry", text_of(begin->name()));
    } else if (command.call_type() == Call::EntryEnd) {
      if (std::exchange(is_in_replaced_, false)) rewrite_.drop(view.number);
    } else {
      note_type(command);
    }
    return absl::OkStatus();
  }

  absl::Status replace(uint64_t number, absl::string_view what, const std::string& name) {
    if (!options_.replace) {
      return absl::AlreadyExistsError(absl::StrCat(file_.name(), " has the ", what, " ", name,
                                                   " already (command ", number,
                                                   "): --replace takes it away"));
    }
    rewrite_.drop(number);
    ++report_.replaced;
    return absl::OkStatus();
  }

  void note_type(const Command& command) {
    const auto found = found_.find(buffers_.value_in(command).value_or(0));
    const uint64_t type = types_.value_in(command).value_or(0);
    if (found != found_.end() && type != 0) found->second.type = static_cast<ElementType>(type);
  }

  // ---- What comes to it ----

  absl::Status add_bindings() {
    for (const NewBinding& binding : options_.bindings) {
      const auto found = found_.find(binding.buffer);
      if (found == found_.end()) {
        return absl::NotFoundError(absl::StrCat(file_.name(), " makes no buffer ", binding.buffer,
                                                ", which is to be ", binding.name));
      }
      const ::lightmetal::TensorDesc tensor =
          binding.tensor.has_value() ? *binding.tensor : whole(found->second);
      BindTensorT call;
      call.buffer = binding.buffer;
      call.name = binding.name;
      call.role = static_cast<BindingRole>(binding.role);
      call.tensor = std::make_unique<TensorDescT>();
      call.tensor->shape = tensor.shape;
      call.tensor->type = static_cast<ElementType>(tensor.type);
      call.tensor->order = static_cast<TensorOrder>(tensor.order);
      rewrite_.insert_behind(found->second.command, encoded_call(std::move(call)));
    }
    return absl::OkStatus();
  }

  static ::lightmetal::TensorDesc whole(const FoundBuffer& buffer) {
    ::lightmetal::TensorDesc tensor;
    tensor.type = static_cast<TensorType>(buffer.type);
    const uint64_t size = element_size(tensor.type);
    if (size == 0 || buffer.size % size != 0) tensor.type = TensorType::UInt8;
    // What does not fit is more than any tensor has, as verify() says.
    tensor.shape = {static_cast<uint32_t>(
        std::min<uint64_t>(buffer.size / element_size(tensor.type), UINT32_MAX))};
    return tensor;
  }

  absl::Status add_entries() {
    for (const NewEntry& entry : options_.entries) {
      if (entry.first > entry.last || entry.last >= file_.num_commands()) {
        return absl::OutOfRangeError(absl::StrCat(
            "entry ", entry.name, " is to be commands ", entry.first, " to ", entry.last, ", and ",
            file_.name(), " has commands 0 to ", file_.num_commands() - 1));
      }
      EntryBeginT begin;
      begin.name = entry.name;
      rewrite_.insert_before(entry.first, encoded_call(std::move(begin)));
      rewrite_.insert_behind(entry.last, encoded_call(EntryEndT()));
    }
    return absl::OkStatus();
  }

  const File& file_;
  const BindOptions& options_;
  Rewrite rewrite_;
  BindReport report_;
  const NamedField buffers_ = NamedField("buffer");
  const NamedField types_ = NamedField("element_type");
  absl::flat_hash_set<std::string> tensors_;  // names that are given
  absl::flat_hash_set<std::string> entries_;
  absl::flat_hash_set<uint64_t> wanted_;  // buffers
  absl::flat_hash_map<uint64_t, FoundBuffer> found_;
  bool is_in_replaced_ = false;
};

}  // namespace

absl::StatusOr<BindReport> bind(const File& file, std::shared_ptr<Sink> sink,
                                const BindOptions& options) {
  if (!file.complete()) {
    return absl::FailedPreconditionError(absl::StrCat(
        file.name(), " gets no names, because it is incomplete: ", file.incomplete_reason()));
  }
  LM_RETURN_IF_ERROR(verify(file, nullptr, {.memory_limit = options.memory_limit}));
  return Binder(file, std::move(sink), options).run();
}

}  // namespace lightmetal::schema
