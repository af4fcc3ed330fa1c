#include <lightmetal/replay.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/machine.h"
#include "base/status.h"
#include "device/registry/registry.h"
#include "replay/executor.h"
#include "replay/kernel_replacement.h"
#include "replay/trace_use.h"
#include "schema/command_generated.h"
#include "schema/file/reader.h"
#include "schema/file/signature.h"
#include "schema/semantics/golden_policy.h"
#include "schema/verify/verify.h"

namespace lightmetal {
namespace {

// The commands of a file, and what has to be known of all of them before the first one runs. There
// may be very many commands, so no more is kept of each than where it lies.
struct Program {
  explicit Program(const schema::File& file) : traces(file) {}

  std::vector<const schema::Command*> commands;
  uint64_t devices = 0;  // how many devices the commands open
  replay::TraceUse traces;
};

absl::StatusOr<Program> decode(const schema::File& file) {
  Program program(file);
  program.commands.reserve(file.num_commands());
  LM_RETURN_IF_ERROR(file.for_each_command([&](const schema::CommandView& view) {
    program.traces.add(program.commands.size(), *view.command);
    program.commands.push_back(view.command);
    program.devices += view.command->call_type() == schema::Call::CreateDevice;
    return absl::OkStatus();
  }));
  return program;
}

std::vector<std::string> warnings_of(const schema::File& file) {
  const std::optional<schema::OriginInfo>& origin = file.session().origin;
  if (!origin.has_value()) return {};
  return schema::warnings_on(this_machine(), *origin);
}

absl::Status check_signature(const schema::File& file, absl::Span<const std::string> key_texts) {
  std::vector<schema::PublicKey> keys;
  for (const std::string& text : key_texts) {
    auto key = schema::PublicKey::from_text(text);
    if (!key.ok()) {
      return absl::Status(key.status().code(),
                          absl::StrCat("a required key is none: ", key.status().message()));
    }
    keys.push_back(*key);
  }
  return keys.empty() ? absl::OkStatus() : schema::verify_signature(file, keys);
}

}  // namespace

class Replay::Impl {
 public:
  Impl(std::shared_ptr<const schema::File> file, ReplayOptions options, const ComparePolicy& policy,
       Program program)
      : file_(std::move(file)),
        options_(std::move(options)),
        program_(std::move(program)),
        warnings_(warnings_of(*file_)),
        executor_(*file_, options_, policy, std::move(program_.traces)) {}

  absl::StatusOr<ReplayResult> run() {
    executor_.begin_run();
    absl::Status status = execute_all();
    if (status.ok()) status = executor_.end_run();
    if (status.ok()) return executor_.take_result();
    executor_.abandon_run();
    return status;
  }

  const Program& program() const { return program_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  absl::Status execute_all() {
    const std::byte* const begin = file_->bytes().data();
    const uint64_t count = program_.commands.size();
    schema::ForwardPass pass(*file_);
    for (uint64_t number = 0; number < count && number <= options_.last_command; ++number) {
      const schema::Command& command = *program_.commands[number];
      // Gives back the memory of pages that lie behind the command.
      pass.reach(static_cast<uint64_t>(reinterpret_cast<const std::byte*>(&command) - begin));
      if (options_.on_progress) options_.on_progress(number, count);
      if (options_.before_command) LM_RETURN_IF_ERROR(options_.before_command(number));
      LM_RETURN_IF_ERROR(executor_.execute(number, command));
    }
    return absl::OkStatus();
  }

  const std::shared_ptr<const schema::File> file_;
  const ReplayOptions options_;
  Program program_;
  const std::vector<std::string> warnings_;
  replay::Executor executor_;
};

Replay::Replay(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Replay::~Replay() = default;

absl::StatusOr<std::unique_ptr<Replay>> Replay::load(std::shared_ptr<const schema::File> file,
                                                     ReplayOptions options) {
  // The signature first: a file that is not to be loaded is not looked into.
  LM_RETURN_IF_ERROR(check_signature(*file, options.required_keys));
  LM_RETURN_IF_ERROR(schema::verify(*file, nullptr,
                                    {.allow_incomplete = options.allow_incomplete,
                                     .check_references = true,
                                     .memory_limit = options.memory_limit}));
  LM_RETURN_IF_ERROR(replay::check_replacements(*file, options.replace_kernels));
  if (!options.backend.empty()) {
    LM_ASSIGN_OR_RETURN(backend, device::load_backend(options.backend));
    options.backend = std::move(backend);
  }
  LM_ASSIGN_OR_RETURN(policy, schema::golden_policy_of(file->session()));
  LM_ASSIGN_OR_RETURN(program, decode(*file));
  return std::unique_ptr<Replay>(new Replay(
      std::make_unique<Impl>(std::move(file), std::move(options), policy, std::move(program))));
}

absl::StatusOr<std::unique_ptr<Replay>> Replay::load_file(const std::string& path,
                                                          ReplayOptions options) {
  LM_ASSIGN_OR_RETURN(file, schema::File::open(path, {.references = options.references}));
  return load(std::move(file), std::move(options));
}

absl::StatusOr<std::unique_ptr<Replay>> Replay::load_bytes(absl::Span<const uint8_t> bytes,
                                                           ReplayOptions options) {
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
  LM_ASSIGN_OR_RETURN(file,
                      schema::File::from_bytes({begin, begin + bytes.size()}, "the file in memory",
                                               {.references = options.references}));
  return load(std::move(file), std::move(options));
}

absl::StatusOr<ReplayResult> Replay::run() { return impl_->run(); }

const std::vector<std::string>& Replay::warnings() const { return impl_->warnings(); }
uint64_t Replay::num_commands() const { return impl_->program().commands.size(); }
uint64_t Replay::num_devices() const { return impl_->program().devices; }

}  // namespace lightmetal
