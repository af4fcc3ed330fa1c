#include <lightmetal/replay.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/machine.h"
#include "base/status.h"
#include "replay/executor.h"
#include "replay/loaded_file.h"
#include "schema/command_generated.h"
#include "schema/file/reader.h"

namespace lightmetal {
namespace {

std::vector<std::string> warnings_of(const schema::File& file) {
  const std::optional<schema::OriginInfo>& origin = file.session().origin;
  if (!origin.has_value()) return {};
  return schema::warnings_on(this_machine(), *origin);
}

}  // namespace

class Replay::Impl {
 public:
  Impl(replay::LoadedFile loaded, ReplayOptions options)
      : options_(std::move(options)),
        loaded_(std::move(loaded)),
        warnings_(warnings_of(*loaded_.file)),
        executor_(*loaded_.file, options_, loaded_.golden_policy, std::move(loaded_.traces)) {}

  absl::StatusOr<ReplayResult> run() {
    executor_.begin_run();
    absl::Status status = execute_all();
    if (status.ok()) status = executor_.end_run();
    if (status.ok()) return executor_.take_result();
    executor_.abandon_run();
    return status;
  }

  void set_schedule(const Schedule& schedule) { executor_.set_schedule(schedule); }
  absl::Status for_each_buffer(const std::function<void(const BufferContent&)>& look) {
    return executor_.for_each_buffer([&](uint64_t id, const std::string& name, Bytes content) {
      look({.id = id, .name = name, .data = content});
      return absl::OkStatus();
    });
  }

  const replay::LoadedFile& loaded() const { return loaded_; }
  replay::Executor& executor() { return executor_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  absl::Status execute_all() {
    return loaded_.for_each_command(options_.last_command,
                                    [this](uint64_t number, const schema::Command& command) {
                                      if (options_.executes && !options_.executes(number))
                                        return absl::OkStatus();
                                      if (options_.on_progress)
                                        options_.on_progress(number, loaded_.commands.size());
                                      if (options_.before_command)
                                        LM_RETURN_IF_ERROR(options_.before_command(number));
                                      LM_RETURN_IF_ERROR(write_checkpoint_at(number));
                                      if (!options_.continue_on_error)
                                        return executor_.execute(number, command);
                                      executor_.attempt(number, command);
                                      return absl::OkStatus();
                                    });
  }

  absl::Status write_checkpoint_at(uint64_t number) {
    if (options_.checkpoint.empty() || number != options_.first_command) return absl::OkStatus();
    return executor_.write_checkpoint(number);
  }

  const ReplayOptions options_;
  replay::LoadedFile loaded_;
  const std::vector<std::string> warnings_;
  replay::Executor executor_;
};

Replay::Replay(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Replay::~Replay() = default;

absl::StatusOr<std::unique_ptr<Replay>> Replay::load(std::shared_ptr<const schema::File> file,
                                                     ReplayOptions options) {
  LM_ASSIGN_OR_RETURN(loaded, replay::load(std::move(file), options));
  return std::unique_ptr<Replay>(
      new Replay(std::make_unique<Impl>(std::move(loaded), std::move(options))));
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

void Replay::set_schedule(const Schedule& schedule) { impl_->set_schedule(schedule); }
absl::Status Replay::for_each_buffer(const std::function<void(const BufferContent&)>& look) {
  return impl_->for_each_buffer(look);
}
std::vector<LivingBuffer> Replay::living_buffers() { return impl_->executor().living_buffers(); }
absl::StatusOr<std::vector<uint8_t>> Replay::read_buffer(uint64_t id) {
  return impl_->executor().read_buffer(id);
}

const std::vector<std::string>& Replay::warnings() const { return impl_->warnings(); }
uint64_t Replay::num_commands() const { return impl_->loaded().commands.size(); }
uint64_t Replay::num_devices() const { return impl_->loaded().devices; }

}  // namespace lightmetal
