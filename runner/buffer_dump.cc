#include "runner/buffer_dump.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <lightmetal/replay.hpp>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "base/digest.h"
#include "base/status.h"
#include "replay/environment_outputs.h"
#include "runner/device_option.h"
#include "runner/memory_limit.h"
#include "runner/output_text.h"
#include "runner/progress.h"
#include "runner/reference_options.h"
#include "runner/trust.h"
#include "runner/verbs.h"
#include "runner/watchdog.h"
#include "runtime/npy.h"
#include "schema/commands/named_field.h"
#include "schema/show/json.h"
#include "schema/show/values.h"
#include "schema/storage/output_file.h"
#include "schema/types_generated.h"

namespace lightmetal::runner {
namespace {

constexpr char kAt[] = "buffers-at";

using ElementTypes = absl::flat_hash_map<uint64_t, schema::ElementType>;

// The type of elements of which the program has last written or read each buffer, up to a command.
absl::StatusOr<ElementTypes> element_types(const schema::File& file, uint64_t last) {
  const schema::NamedField types("element_type"), buffers("buffer");
  ElementTypes found;
  LM_RETURN_IF_ERROR(file.for_each_command(0, last + 1, [&](const schema::CommandView& view) {
    const uint64_t type = types.value_in(*view.command).value_or(0);
    if (type != 0) {
      found[buffers.value_in(*view.command).value_or(0)] = static_cast<schema::ElementType>(type);
    }
    return absl::OkStatus();
  }));
  return found;
}

// The form in which NumPy reads a buffer: BFloat16, which it does not have, as its bits.
struct Form {
  std::string element_type;
  std::string numpy_type;
  uint64_t element_size = 1;
};

Form form_of(schema::ElementType type, uint64_t size) {
  const std::string name = schema::EnumNameElementType(type);
  const std::string numpy = name == "BFloat16" ? "<u2" : numpy_type(name);
  if (numpy.empty()) return {"Bytes", "|u1", 1};
  const auto element_size = static_cast<uint64_t>(numpy.back() - '0');
  return size % element_size == 0 ? Form{name, numpy, element_size} : Form{"Bytes", "|u1", 1};
}

std::vector<uint64_t> chosen_buffers(const cxxopts::ParseResult& arguments) {
  std::vector<uint64_t> ids;
  if (arguments.count("buffer") == 0) return ids;
  for (const std::string& text : arguments["buffer"].as<std::vector<std::string>>()) {
    const std::optional<uint64_t> id = digits_of(text);
    if (!id.has_value() || text.empty()) {
      throw cxxopts::exceptions::parsing(
          absl::StrCat("--buffer is the id of a buffer, not ", text));
    }
    ids.push_back(*id);
  }
  return ids;
}

// Replays a file and writes its buffers.
class BufferDump {
 public:
  BufferDump(const cxxopts::ParseResult& arguments, TrustPolicy policy, Watchdog& watchdog)
      : path_(file_of(arguments)),
        folder_(output_of(arguments, "dump --buffers-at needs -o DIR, the folder to write to")),
        command_(count_option(arguments, kAt, 0)),
        ids_(chosen_buffers(arguments)),
        type_(element_type_option(arguments)),
        keys_(key_files(arguments)),
        references_(reference_options(arguments)),
        policy_(std::move(policy)) {
    load_options_.backend = device_option(arguments);
    run_options_.check_goldens = false;
    load_options_.memory_limit = memory_limit(arguments);
    load_options_.allow_incomplete = is_set(arguments, "allow-incomplete");
    run_options_.last_command = command_;
    run_options_.on_progress = [this, &watchdog](uint64_t command, uint64_t commands) {
      watchdog.at(command);
      progress_->update(0, 1, command, std::min(commands, command_ + 1));
    };
  }

  int execute() {
    const absl::Status status = dump();
    progress_.reset();
    if (!status.ok()) return fail(status);
    say(absl::StrCat(folder_, ": ", buffers_.size(), buffers_.size() == 1 ? " buffer" : " buffers",
                     " after command ", command_, " of ", path_));
    return finish_output();
  }

 private:
  absl::Status dump() {
    LM_ASSIGN_OR_RETURN(file, open_to_execute(path_, policy_, load_options_.backend, references_));
    LM_RETURN_IF_ERROR(begin(*file));
    LM_ASSIGN_OR_RETURN(types, element_types(*file, command_));
    progress_.emplace();
    LM_ASSIGN_OR_RETURN(replay, Replay::load(std::move(file), load_options_));
    LM_RETURN_IF_ERROR(replay->run(run_options_).status());
    progress_.reset();
    LM_RETURN_IF_ERROR(choose(replay->living_buffers()));
    for (const LivingBuffer& buffer : buffers_) {
      const auto found = types.find(buffer.id);
      forms_.push_back(
          form_of(type_.value_or(found == types.end() ? schema::ElementType::Bytes : found->second),
                  buffer.size));
      LM_RETURN_IF_ERROR(write_buffer(*replay, buffer, forms_.back()));
    }
    return write_index();
  }

  absl::Status begin(const schema::File& file) {
    if (command_ >= file.num_commands()) {
      return absl::OutOfRangeError(absl::StrCat(path_, " has ", file.num_commands(),
                                                " commands, counted from 0: there is no command ",
                                                command_));
    }
    inputs_ = file.paths();
    inputs_.insert(inputs_.end(), keys_.begin(), keys_.end());
    LM_RETURN_IF_ERROR(
        replay::check_environment_spares(inputs_, "this process", "which dump reads"));
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (!error) return absl::OkStatus();
    return absl::UnavailableError(
        absl::StrCat("cannot make the folder ", folder_, ": ", error.message()));
  }

  // Keeps the buffers that are asked for.
  absl::Status choose(std::vector<LivingBuffer> living) {
    for (const uint64_t id : ids_) {
      if (std::ranges::find(living, id, &LivingBuffer::id) != living.end()) continue;
      return absl::NotFoundError(
          absl::StrCat(path_, " has no buffer ", id, " with memory after command ", command_));
    }
    std::erase_if(living, [&](const LivingBuffer& buffer) {
      return !ids_.empty() && std::ranges::find(ids_, buffer.id) == ids_.end();
    });
    buffers_ = std::move(living);
    return absl::OkStatus();
  }

  static std::string name_of(const LivingBuffer& buffer) {
    return absl::StrCat("buffer-", buffer.id, ".npy");
  }

  absl::Status write_buffer(Replay& replay, const LivingBuffer& buffer, const Form& form) const {
    LM_ASSIGN_OR_RETURN(data, replay.read_buffer(buffer.id));
    return write_file(name_of(buffer), npy_head(form.numpy_type, buffer.size / form.element_size),
                      bytes_of(data.data(), data.size()));
  }

  absl::Status write_index() const {
    schema::JsonWriter json;
    json.begin_object().member("version", 1).member("file", path_).member("command", command_);
    json.key("buffers").begin_array();
    for (size_t i = 0; i < buffers_.size(); ++i) append(json, buffers_[i], forms_[i]);
    json.end_array().end_object();
    return write_file("index.json", json.take() + "\n", {});
  }

  static void append(schema::JsonWriter& json, const LivingBuffer& buffer, const Form& form) {
    json.begin_object().member("id", buffer.id).member("file", name_of(buffer));
    json.member("chip_id", buffer.chip_id).member("address", buffer.address);
    json.member("size", buffer.size).member("page_size", buffer.page_size);
    json.member("buffer_type", buffer.buffer_type).member("layout", buffer.layout);
    json.member("element_type", form.element_type).member("dtype", form.numpy_type);
    json.member("elements", buffer.size / form.element_size).end_object();
  }

  absl::Status write_file(const std::string& name, const std::string& head, Bytes data) const {
    LM_ASSIGN_OR_RETURN(output, create_in(folder_, name, inputs_));
    LM_RETURN_IF_ERROR(write(output, {bytes_of(head.data(), head.size()), data}));
    return output.finish();
  }

  const std::string path_;
  const std::string folder_;
  const uint64_t command_;
  const std::vector<uint64_t> ids_;  // empty: all
  const std::optional<schema::ElementType> type_;
  const std::vector<std::string> keys_;
  const ReferenceOptions references_;
  const TrustPolicy policy_;
  LoadOptions load_options_;
  RunOptions run_options_;
  std::optional<Progress> progress_;
  std::vector<std::string> inputs_;
  std::vector<LivingBuffer> buffers_;
  std::vector<Form> forms_;  // of the buffers
};

}  // namespace

void add_buffer_options(cxxopts::Options& options) {
  options.add_options()(kAt,
                        "Replay the file up to this command, and write what buffers hold then to "
                        "DIR, as .npy",
                        cxxopts::value<std::string>(),
                        "N")("buffer", "Only this buffer; it may be given several times",
                             cxxopts::value<std::vector<std::string>>(), "ID")(
      "o,output", "The folder to write to", cxxopts::value<std::string>(), "DIR")(
      "allow-incomplete", "Replay the whole records of a file whose capture was cut short");
  add_device_option(options);
  add_trust_options(options);
  add_reference_options(options);
  add_memory_limit_option(options);
  add_watchdog_option(options);
}

bool dumps_buffers(const cxxopts::ParseResult& arguments) {
  const bool asked = arguments.count(kAt) != 0;
  const auto refuse = [&](const char* option, const char* how) {
    if (arguments.count(option) == 0) return;
    throw cxxopts::exceptions::parsing(absl::StrCat("--", option, how));
  };
  for (const char* option : {"buffer", "output", "allow-incomplete", "device", "trust",
                             "require-signature", "memory-limit", "watchdog"}) {
    if (!asked) refuse(option, " needs --buffers-at N: only that replays the file");
  }
  for (const char* option : {"calls", "command", "object", "queue", "values", "format"}) {
    if (asked) refuse(option, " chooses commands to show, and --buffers-at shows none");
  }
  return asked;
}

int dump_buffers(const cxxopts::ParseResult& arguments) {
  auto policy = trust_policy(arguments);
  if (!policy.ok()) return fail(policy.status());
  Watchdog watchdog(arguments);
  return watchdog.guard(file_of(arguments),
                        [&] { return BufferDump(arguments, *policy, watchdog).execute(); });
}

std::optional<schema::ElementType> element_type_option(const cxxopts::ParseResult& arguments) {
  if (arguments.count("type") == 0) return std::nullopt;
  const auto type = schema::element_type_named(arguments["type"].as<std::string>());
  if (type.ok()) return *type;
  throw cxxopts::exceptions::parsing(absl::StrCat("--type: ", type.status().message()));
}

}  // namespace lightmetal::runner
