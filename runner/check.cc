#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/machine.h"
#include "base/output_variable.h"
#include "base/status.h"
#include "device/registry/registry.h"
#include "replay/environment_outputs.h"
#include "runner/children.h"
#include "runner/command_line.h"
#include "runner/device_option.h"
#include "runner/memory_limit.h"
#include "runner/reference_options.h"
#include "runner/sandbox.h"
#include "runner/suite_result.h"
#include "runner/trust.h"
#include "runner/verbs.h"
#include "schema/commands/profile.h"
#include "schema/file/origin.h"
#include "schema/semantics/profile_limits.h"
#include "schema/show/json.h"
#include "schema/show/statistics.h"
#include "schema/verify/verify.h"

namespace lightmetal::runner {
namespace {

// Why a file would not run, or may compute something else. `kind` is for programs.
struct Reason {
  std::string kind;
  std::string message;
};

// Finds out whether a file would run here, without running anything of it.
class Check {
 public:
  Check(const cxxopts::ParseResult& arguments, TrustPolicy policy)
      : path_(file_of(arguments)),
        said_backend_(device_option(arguments)),
        references_(reference_options(arguments)),
        keys_(key_files(arguments)),
        memory_limit_(memory_limit(arguments)),
        allow_incomplete_(is_set(arguments, "allow-incomplete")),
        sandbox_mode_(sandbox_mode(arguments)),
        policy_(std::move(policy)) {
    policy_.sandboxed = sandbox_mode_ == SandboxMode::kStrict;
  }

  void run() {
    check_sandbox();
    check_said_backend();
    if (!open()) return;
    check_environment();
    check_content();
    check_references();
    const auto statistics = schema::statistics_of(*file_);
    if (!statistics.ok()) return;  // check_content() has said why
    check_devices(*statistics);
    check_kernels(*statistics);
    note_processor();
  }

  bool would_run() const { return reasons_.empty(); }

  std::string text() const {
    std::string text = absl::StrCat(path_, ": would ", would_run() ? "run" : "not run");
    if (!said_backend_.empty()) absl::StrAppend(&text, " on ", said_backend_);
    for (const Reason& reason : reasons_) {
      absl::StrAppend(&text, "\n", reason.kind, ": ", reason.message);
    }
    for (const Reason& note : notes_) absl::StrAppend(&text, "\nnote: ", note.message);
    return text;
  }

  std::string json() const {
    schema::JsonWriter json;
    json.begin_object().member("version", 1).member("file", path_);
    json.member("device", said_backend_).member("would_run", would_run());
    append(json, "reasons", reasons_);
    append(json, "notes", notes_);
    json.end_object();
    return json.take() + "\n";
  }

 private:
  using Backend = std::pair<std::string, ::lightmetal::DeviceProfile>;

  static void append(schema::JsonWriter& json, absl::string_view name,
                     const std::vector<Reason>& reasons) {
    json.key(name).begin_array();
    for (const Reason& reason : reasons) {
      json.begin_object().member("kind", reason.kind).member("message", reason.message);
      json.end_object();
    }
    json.end_array();
  }

  // Keeps the reason unless it is there already. Returns whether the status is OK.
  bool require(absl::string_view kind, const absl::Status& status) {
    if (status.ok()) return true;
    Reason reason{std::string(kind), std::string(status.message())};
    const bool is_there = std::ranges::any_of(
        reasons_, [&](const Reason& other) { return other.message == reason.message; });
    if (!is_there) reasons_.push_back(std::move(reason));
    return false;
  }

  void check_sandbox() {
    if (sandbox_mode_ != SandboxMode::kOff) require("sandbox", try_sandbox());
  }
  absl::Status try_sandbox() const;

  // A library that a person names is loaded; a name in a file never is.
  void check_said_backend() {
    if (said_backend_.empty()) return;
    auto backend = device::load_backend(said_backend_);
    if (require("backend", backend.status())) backend_ = *std::move(backend);
  }

  bool open() {
    const std::string& backend = backend_.empty() ? said_backend_ : backend_;
    auto file = open_to_execute(path_, policy_, backend, references_);
    if (absl::IsPermissionDenied(file.status()) || absl::IsUnauthenticated(file.status())) {
      require(absl::IsPermissionDenied(file.status()) ? "trust" : "signature", file.status());
      // The other reasons are those of whoever vouches for the file.
      file = schema::File::open(path_, {.references = references_});
    }
    if (!require(kind_of(file.status()), file.status())) return false;
    file_ = *std::move(file);
    return true;
  }

  static absl::string_view kind_of(const absl::Status& status) {
    if (absl::IsUnimplemented(status)) return "version";
    return absl::IsResourceExhausted(status) ? "memory" : "file";
  }

  void check_environment() {
    std::vector<std::string> inputs = file_->paths();
    inputs.insert(inputs.end(), keys_.begin(), keys_.end());
    require("environment",
            replay::check_environment_spares(inputs, "a run", "which that would read"));
    // A device that is opened only to see whether it opens writes nothing.
    for (const Output output : kOutputs) ::unsetenv(variable_of(output));
  }

  void check_content() {
    if (!file_->complete() && !allow_incomplete_) {
      require("incomplete",
              absl::DataLossError(absl::StrCat(
                  path_, " is incomplete: ", file_->incomplete_reason(),
                  "; its whole records are accepted on request (--allow-incomplete)")));
    }
    const absl::Status status =
        schema::verify(*file_, nullptr, {.allow_incomplete = true, .memory_limit = memory_limit_});
    require(kind_of(status), status);
  }

  // One reason for each file that payloads lie in.
  void check_references() {
    const auto payloads = file_->external_blobs();
    if (!payloads.ok()) return;  // check_content() has said why
    std::set<std::string> missing;
    for (const schema::ExternalBlobInfo& payload : *payloads) {
      if (missing.contains(payload.path)) continue;
      const schema::BlobEntry* entry =
          file_->find_blob({{payload.digest.low, payload.digest.high}, payload.size});
      const auto frame = file_->frame_at(entry->offset);
      if (!frame.ok() || require("reference", file_->check_external(*frame))) continue;
      missing.insert(payload.path);
    }
  }

  // Opens a device of each kind that the file opens, and closes it again.
  void check_devices(const schema::Statistics& statistics) {
    for (const schema::DeviceStatistics& recorded : statistics.devices) {
      if (backend_.empty() && !said_backend_.empty()) return;
      const Backend backend = {backend_.empty() ? recorded.backend : backend_,
                               schema::to_profile(*recorded.profile)};
      if (std::ranges::find(tried_, backend) != tried_.end()) continue;
      if (tried_.size() == kMostDevices) return;
      tried_.push_back(backend);
      if (!require("backend", device::check_known(backend.first))) continue;
      // A profile may be nonsense, which no backend has to bear.
      const absl::Status profile =
          schema::semantics::check_profile({"device", recorded.id}, backend.second);
      if (!require("device", profile)) continue;
      const auto device = device::open_device(
          backend.first,
          {.chip_id = static_cast<int>(recorded.chip_id), .profile = backend.second});
      if (require("device", in_words(recorded, device.status()))) backends_.push_back(backend);
    }
  }

  static absl::Status in_words(const schema::DeviceStatistics& device, const absl::Status& status) {
    if (status.ok()) return status;
    return absl::Status(
        status.code(), absl::StrCat("device ", device.id, " cannot be opened: ", status.message()));
  }

  // Each target that the file has objects for runs on one of its devices.
  void check_kernels(const schema::Statistics& statistics) {
    if (backends_.empty()) return;
    for (const std::string& target : statistics.kernel_targets) {
      absl::Status status;
      for (const Backend& backend : backends_) {
        status = device::check_target(backend.first, backend.second, target);
        if (status.ok() || absl::IsUnimplemented(status)) break;
      }
      if (absl::IsUnimplemented(status)) {
        notes_.push_back({"kernel", std::string(status.message())});
      } else {
        require("kernel", status);
      }
    }
  }

  void note_processor() {
    const auto& origin = file_->session().origin;
    if (!origin.has_value()) return;
    for (const std::string& warning : schema::warnings_on(this_machine(), *origin)) {
      notes_.push_back({"processor", warning});
    }
  }

  // More kinds of devices than any file has; a hostile one could have a device opened for each of
  // its commands.
  static constexpr size_t kMostDevices = 16;

  const std::string path_;
  const std::string said_backend_;
  const ReferenceOptions references_;
  const std::vector<std::string> keys_;
  const uint64_t memory_limit_;
  const bool allow_incomplete_;
  const SandboxMode sandbox_mode_;
  TrustPolicy policy_;
  std::string backend_;  // as the registry knows it; empty for the recorded ones
  std::shared_ptr<const schema::File> file_;
  std::vector<Backend> tried_;
  std::vector<Backend> backends_;  // those that opened
  std::vector<Reason> reasons_;
  std::vector<Reason> notes_;
};

// In a child, which the sandbox is not left in. A line on its standard error says why it fails.
absl::Status Check::try_sandbox() const {
  const std::array<std::string, 1> files = {path_};
  const auto enter = [this](const std::string&, Goldens&) {
    Sandbox sandbox(sandbox_mode_);
    absl::Status status = sandbox.check_backend(said_backend_);
    if (status.ok()) status = sandbox.prepare();
    if (status.ok()) status = sandbox.enter();
    if (!status.ok()) fail(status);
    return status.ok() ? Outcome::kPassed : Outcome::kFailed;
  };
  const FileResult result = execute_in_children(files, 1, enter).front();
  return result.outcome == Outcome::kPassed ? absl::OkStatus()
                                            : absl::FailedPreconditionError(result.message);
}

}  // namespace

int check(int argc, const char* const* argv) {
  VerbOptions options = options_for(
      "check",
      "Says whether a file would run here, with every reason why not, and runs nothing of it.\n",
      "lightmetal_runner check model.lmb --device cpu\n"
      "lightmetal_runner check model.lmb --sandbox --format json");
  options.add_options()("format", "text or json",
                        cxxopts::value<std::string>()->default_value("text"), "FORMAT")(
      "allow-incomplete", "As for run: the whole records of a file whose capture was cut short");
  add_device_option(options);
  add_trust_options(options);
  add_sandbox_option(options);
  add_reference_options(options);
  add_memory_limit_option(options);
  const auto arguments = parse(options, argc, argv);
  if (!arguments) return finish_output();
  const bool is_json = choice(*arguments, "format", "text", "json") == "json";
  auto policy = trust_policy(*arguments);
  if (!policy.ok()) return fail(policy.status());
  Check check(*arguments, *std::move(policy));
  check.run();
  is_json ? static_cast<void>(print_as_is(check.json())) : say(check.text());
  const int written = finish_output();
  return written == kSuccess && check.would_run() ? kSuccess : kFailure;
}

}  // namespace lightmetal::runner
