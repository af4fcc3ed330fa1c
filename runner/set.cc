#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "replay/environment_outputs.h"
#include "replay/kernel_rewrite.h"
#include "runner/command_line.h"
#include "runner/device_option.h"
#include "runner/kernel_option.h"
#include "runner/memory_limit.h"
#include "runner/nearest.h"
#include "runner/output_text.h"
#include "runner/reference_options.h"
#include "runner/set_options.h"
#include "runner/set_report.h"
#include "runner/trust.h"
#include "runner/verbs.h"
#include "schema/command_generated.h"
#include "schema/file/reader.h"
#include "schema/storage/mapped_file.h"
#include "schema/storage/output_file.h"
#include "schema/verify/argument_edit.h"
#include "schema/verify/kernel_edit.h"
#include "schema/verify/payload_edit.h"
#include "schema/verify/rewrite.h"
#include "schema/verify/verify.h"

namespace lightmetal::runner {
namespace {

// ---- What matches nothing ----

absl::Status not_found(const std::string& what) { return absl::NotFoundError(what); }

absl::Status no_argument(const std::string& path, const schema::ArgumentEditor& arguments,
                         const schema::ArgumentEdit& edit, const schema::ArgumentMatch& match) {
  const std::string kernel = absl::StrCat("kernel ", edit.kernel, " of ", path);
  const std::string what = edit.is_common ? "common arguments" : "arguments";
  if (!match.names_kernel) {
    const auto& names = arguments.kernel_names();
    const std::vector<std::string> known(names.begin(), names.end());
    return not_found(
        absl::StrCat(path, " has no kernel ", edit.kernel, suggestion(edit.kernel, known)));
  }
  if (edit.command.has_value() && match.nearest_command.has_value() &&
      *match.nearest_command != *edit.command) {
    return not_found(absl::StrCat("command ", *edit.command, " sets no ", what, " of ", kernel,
                                  "; the nearest that does is command ", *match.nearest_command));
  }
  if (!match.is_set) {
    const std::string where =
        edit.core ? absl::StrCat(" on core (", edit.core->first, ",", edit.core->second, ")") : "";
    const std::string elsewhere =
        match.other_cores.empty() ? "" : absl::StrCat("; it has some on ", match.other_cores);
    return not_found(absl::StrCat(kernel, " has no ", what, where, elsewhere));
  }
  return not_found(absl::StrCat(
      kernel, " has no argument ", edit.index, ", but ",
      counted(match.most, edit.is_common ? "common argument" : "argument"), ", counted from 0"));
}

absl::Status no_payload(const std::string& path, const schema::PayloadEditor& payloads,
                        const schema::PayloadEdit& edit, const schema::PayloadMatch& match) {
  if (!edit.command.has_value()) {
    std::vector<std::string> known;
    for (const uint64_t id : payloads.written_buffers()) known.push_back(absl::StrCat(id));
    return not_found(absl::StrCat("nothing in ", path, " writes buffer ", edit.buffer,
                                  suggestion(absl::StrCat(edit.buffer), known)));
  }
  const std::string nearest = match.nearest_command
                                  ? absl::StrCat("; the nearest that does is command ",
                                                 *match.nearest_command, ", ", match.nearest_call)
                                  : "";
  return not_found(absl::StrCat(
      "command ", *edit.command, " of ", path,
      match.call.empty() ? "" : absl::StrCat(", ", match.call, ","),
      match.call.empty() ? " does not exist and carries no data" : " carries no data", nearest));
}

// ---- The verb ----

// Changes one file into another.
class Set {
 public:
  Set(const cxxopts::ParseResult& arguments, TrustPolicy policy)
      : path_(file_of(arguments)),
        output_(output_of(arguments, "set needs -o OUT, the file to write")),
        policy_(std::move(policy)),
        keys_(key_files(arguments)),
        references_(reference_options(arguments)),
        payload_options_(payload_options(arguments)),
        arguments_(argument_edits(arguments)) {
    load_options_.backend = device_option(arguments);
    load_options_.memory_limit = memory_limit(arguments);
    load_options_.replace_kernels = kernel_replacements(arguments);
    if (payload_options_.empty() && arguments_.edits().empty() &&
        load_options_.replace_kernels.empty()) {
      throw cxxopts::exceptions::parsing(
          "set needs something to change: --arg, --payload, --buffer or --replace-kernel");
    }
  }

  absl::StatusOr<SetReport> execute() {
    LM_ASSIGN_OR_RETURN(file, open());
    LM_RETURN_IF_ERROR(check(*file));
    LM_ASSIGN_OR_RETURN(target, schema::OutputFile::create(output_, inputs(*file)));
    LM_ASSIGN_OR_RETURN(sink, target.sink());
    schema::Rewrite rewrite(*file, std::move(sink));
    LM_RETURN_IF_ERROR(rewrite.begin());
    LM_RETURN_IF_ERROR(load_payloads(rewrite));
    LM_RETURN_IF_ERROR(make_kernels(file, rewrite));
    LM_RETURN_IF_ERROR(change(*file, rewrite));
    LM_RETURN_IF_ERROR(check_all_matched());
    LM_ASSIGN_OR_RETURN(signatures, rewrite.finish());
    LM_RETURN_IF_ERROR(check_sound(target.unfinished()));
    LM_RETURN_IF_ERROR(target.finish());
    return SetReport{path_, output_, arguments_, *payloads_, kernels_, signatures};
  }

 private:
  bool replaces_kernels() const { return !load_options_.replace_kernels.empty(); }

  // Compilers and devices see what the file says of kernels, as in a run.
  absl::StatusOr<std::shared_ptr<const schema::File>> open() const {
    if (replaces_kernels())
      return open_to_execute(path_, policy_, load_options_.backend, references_);
    LM_ASSIGN_OR_RETURN(file, schema::File::open(path_, {.references = references_}));
    LM_RETURN_IF_ERROR(check_signature(*file, policy_));
    return file;
  }

  std::vector<std::string> inputs(const schema::File& file) const {
    std::vector<std::string> inputs = file.paths();
    inputs.insert(inputs.end(), keys_.begin(), keys_.end());
    for (const PayloadOption& each : payload_options_) inputs.push_back(each.path);
    for (const KernelReplacement& each : load_options_.replace_kernels) inputs.push_back(each.path);
    return inputs;
  }

  absl::Status check(const schema::File& file) const {
    const schema::SessionInfo& session = file.session();
    if (session.version_minor > schema::kVersionMinor) {
      return absl::UnimplementedError(
          absl::StrCat(path_, " has format ", session.version_major, ".", session.version_minor,
                       ", and only up to ", schema::kVersionMajor, ".", schema::kVersionMinor,
                       " commands can be changed here without losing what they say"));
    }
    if (!file.complete()) {
      return absl::FailedPreconditionError(absl::StrCat(
          path_, " is not changed, because it is incomplete: ", file.incomplete_reason()));
    }
    std::vector<std::string> spared = inputs(file);
    spared.push_back(output_);
    LM_RETURN_IF_ERROR(
        replay::check_environment_spares(spared, "this process", "which set reads or writes"));
    return schema::verify(file, nullptr, {.memory_limit = load_options_.memory_limit});
  }

  absl::Status load_payloads(schema::Rewrite& rewrite) {
    std::vector<schema::PayloadEdit> edits;
    for (const PayloadOption& each : payload_options_) {
      LM_ASSIGN_OR_RETURN(mapped, schema::MappedFile::open(each.path));
      LM_ASSIGN_OR_RETURN(data, data_of(each.path, mapped->bytes()));
      LM_ASSIGN_OR_RETURN(blob, rewrite.append_blob(data.bytes));
      edits.push_back({.command = each.command,
                       .buffer = each.buffer,
                       .file = each.path,
                       .content = blob,
                       .types = std::move(data.types)});
    }
    payloads_.emplace(std::move(edits));
    return absl::OkStatus();
  }

  absl::Status make_kernels(const std::shared_ptr<const schema::File>& file,
                            schema::Rewrite& rewrite) {
    if (!replaces_kernels()) return absl::OkStatus();
    return replay::for_each_replaced_kernel(
        file, load_options_, [&](const replay::ReplacedKernel& kernel) -> absl::Status {
          LM_ASSIGN_OR_RETURN(blob, rewrite.append_blob(kernel.object));
          kernels_.replace(kernel.command, {std::string(kernel.target), blob});
          return absl::OkStatus();
        });
  }

  absl::Status change(const schema::File& file, schema::Rewrite& rewrite) {
    return file.for_each_command([&](const schema::CommandView& view) -> absl::Status {
      std::optional<std::vector<std::byte>> changed;
      const auto take = [&](std::optional<std::vector<std::byte>> bytes) {
        if (bytes.has_value()) changed = std::move(bytes);
      };
      LM_ASSIGN_OR_RETURN(with_arguments, arguments_.edited(view.number, *view.command));
      take(std::move(with_arguments));
      take(kernels_.edited(
          view.number, changed ? *schema::GetSizePrefixedCommand(changed->data()) : *view.command));
      LM_ASSIGN_OR_RETURN(frame, file.frame_at(view.offset));
      LM_ASSIGN_OR_RETURN(with_payload, payloads_->edited(view.number, frame.payload));
      take(std::move(with_payload));
      return changed ? rewrite.replace(view.number, *std::move(changed)) : absl::OkStatus();
    });
  }

  absl::Status check_all_matched() const {
    for (size_t i = 0; i < arguments_.edits().size(); ++i) {
      if (arguments_.match(i).changes == 0)
        return no_argument(path_, arguments_, arguments_.edits()[i], arguments_.match(i));
    }
    for (size_t i = 0; i < payloads_->edits().size(); ++i) {
      if (payloads_->match(i).changes == 0)
        return no_payload(path_, *payloads_, payloads_->edits()[i], payloads_->match(i));
    }
    return absl::OkStatus();
  }

  // A change may make no sense to the devices of the file.
  absl::Status check_sound(const std::string& unfinished) const {
    LM_ASSIGN_OR_RETURN(made, schema::File::open(unfinished));
    const absl::Status sound =
        schema::verify(*made, nullptr, {.memory_limit = load_options_.memory_limit});
    if (sound.ok()) return sound;
    return absl::Status(sound.code(),
                        absl::StrCat(output_, " would not be sound: ", sound.message()));
  }

  const std::string path_;
  const std::string output_;
  const TrustPolicy policy_;
  const std::vector<std::string> keys_;
  const ReferenceOptions references_;
  const std::vector<PayloadOption> payload_options_;
  schema::ArgumentEditor arguments_;
  std::optional<schema::PayloadEditor> payloads_;
  schema::KernelEditor kernels_;
  LoadOptions load_options_;
};

}  // namespace

int set(int argc, const char* const* argv) {
  VerbOptions options = options_for(
      "set",
      "Writes a file anew with other runtime arguments, other data or other kernels, and says what "
      "it changed.\n",
      "lightmetal_runner set model.lmb --arg reader.cpp:3=50 -o changed.lmb\n"
      "lightmetal_runner set model.lmb --payload 12=weights.npy -o changed.lmb\n"
      "lightmetal_runner set model.lmb --replace-kernel reader.cpp=faster.cpp -o changed.lmb");
  add_set_options(options);
  add_kernel_option(options);
  add_device_option(options);
  add_trust_options(options);
  add_reference_options(options);
  add_memory_limit_option(options);
  const auto arguments = parse(options, argc, argv);
  if (!arguments) return finish_output();
  const bool is_json = choice(*arguments, "format", "text", "json") == "json";
  auto policy = trust_policy(*arguments);
  if (!policy.ok()) return fail(policy.status());
  Set verb(*arguments, *std::move(policy));
  const auto report = verb.execute();
  if (!report.ok()) return fail(report.status());
  print(*report, is_json);
  return finish_output();
}

}  // namespace lightmetal::runner
