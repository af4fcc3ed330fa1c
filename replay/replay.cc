#include <lightmetal/replay.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/machine.h"
#include "base/status.h"
#include "replay/checkpoint.h"
#include "replay/continue_on_error.h"
#include "replay/executor.h"
#include "replay/loaded_file.h"
#include "replay/run_memory.h"
#include "schema/command_generated.h"
#include "schema/file/reader.h"

namespace lightmetal {
namespace {

using replay::ContinueOnError;

std::vector<std::string> warnings_of(const schema::File& file) {
  const std::optional<schema::OriginInfo>& origin = file.session().origin;
  if (!origin.has_value()) return {};
  return schema::warnings_on(this_machine(), *origin);
}

}  // namespace

class Replay::Impl {
 public:
  Impl(replay::LoadedFile loaded, LoadOptions options)
      : options_(std::move(options)),
        loaded_(std::move(loaded)),
        warnings_(warnings_of(*loaded_.file)),
        executor_(*loaded_.file, options_, loaded_.golden_policy, std::move(loaded_.traces)) {}

  absl::StatusOr<ReplayResult> run(const RunOptions& options) {
    executor_.begin_run(options);
    std::optional<ContinueOnError> errors;
    if (options.continue_on_error) errors.emplace(*loaded_.file, executor_);
    absl::Status status = execute_all(options, errors);
    if (status.ok()) {
      status = executor_.end_run();
      if (!status.ok() && errors.has_value()) errors->note_end(std::exchange(status, {}));
    }
    if (!status.ok()) {
      executor_.abandon_run();
      return status;
    }
    ReplayResult result = executor_.take_result();
    if (errors.has_value()) errors->move_to(result);
    return result;
  }

  void set_schedule(const Schedule& schedule) { executor_.set_schedule(schedule); }
  const replay::LoadedFile& loaded() const { return loaded_; }
  replay::Executor& executor() { return executor_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  absl::Status execute_all(const RunOptions& options, std::optional<ContinueOnError>& errors) {
    return loaded_.for_each_command(
        options.last_command, [&](uint64_t number, const schema::Command& command) -> absl::Status {
          if (options.on_progress) options.on_progress(number, loaded_.commands.size());
          LM_RETURN_IF_ERROR(write_checkpoint_at(number, options));
          if (!errors.has_value()) return executor_.execute(number, command);
          errors->execute(number, command);
          return absl::OkStatus();
        });
  }

  absl::Status write_checkpoint_at(uint64_t number, const RunOptions& options) {
    if (options.checkpoint.empty() || number != options.first_command) return absl::OkStatus();
    return replay::write_checkpoint(*loaded_.file, number, executor_.objects(), options.checkpoint,
                                    options_);
  }

  const LoadOptions options_;
  replay::LoadedFile loaded_;
  const std::vector<std::string> warnings_;
  replay::Executor executor_;
};

Replay::Replay(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Replay::~Replay() = default;

absl::StatusOr<std::unique_ptr<Replay>> Replay::load(std::shared_ptr<const schema::File> file,
                                                     LoadOptions options) {
  LM_ASSIGN_OR_RETURN(loaded, replay::load(std::move(file), options));
  return std::unique_ptr<Replay>(
      new Replay(std::make_unique<Impl>(std::move(loaded), std::move(options))));
}

absl::StatusOr<std::unique_ptr<Replay>> Replay::load_file(const std::string& path,
                                                          LoadOptions options) {
  LM_ASSIGN_OR_RETURN(file, schema::File::open(path, {.references = options.references}));
  return load(std::move(file), std::move(options));
}

absl::StatusOr<std::unique_ptr<Replay>> Replay::load_bytes(absl::Span<const uint8_t> bytes,
                                                           LoadOptions options) {
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
  LM_ASSIGN_OR_RETURN(file,
                      schema::File::from_bytes({begin, begin + bytes.size()}, "the file in memory",
                                               {.references = options.references}));
  return load(std::move(file), std::move(options));
}

absl::StatusOr<ReplayResult> Replay::run(const RunOptions& options) { return impl_->run(options); }

void Replay::set_schedule(const Schedule& schedule) { impl_->set_schedule(schedule); }
absl::Status Replay::for_each_buffer(const std::function<void(const BufferContent&)>& look) {
  return replay::for_each_buffer(impl_->executor().objects(),
                                 [&](uint64_t id, const std::string& name, Bytes content) {
                                   look({.id = id, .name = name, .data = content});
                                   return absl::OkStatus();
                                 });
}
std::vector<LivingBuffer> Replay::living_buffers() {
  return replay::living_buffers(impl_->executor().objects());
}
absl::StatusOr<std::vector<uint8_t>> Replay::read_buffer(uint64_t id) {
  return replay::read_buffer(impl_->executor().objects(), id);
}

const std::vector<std::string>& Replay::warnings() const { return impl_->warnings(); }
uint64_t Replay::num_commands() const { return impl_->loaded().commands.size(); }
uint64_t Replay::num_devices() const { return impl_->loaded().devices; }

}  // namespace lightmetal
