#include "replay/loaded_file.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status.h"
#include "device/registry/registry.h"
#include "replay/kernel_replacement.h"
#include "schema/command_generated.h"
#include "schema/file/signature.h"
#include "schema/semantics/golden_policy.h"
#include "schema/verify/verify.h"

namespace lightmetal::replay {
namespace {

absl::StatusOr<LoadedFile> decode(std::shared_ptr<const schema::File> file) {
  LoadedFile loaded(std::move(file));
  LM_ASSIGN_OR_RETURN(policy, schema::golden_policy_of(loaded.file->session()));
  loaded.golden_policy = policy;
  loaded.commands.reserve(loaded.file->num_commands());
  LM_RETURN_IF_ERROR(loaded.file->for_each_command([&](const schema::CommandView& view) {
    loaded.traces.add(loaded.commands.size(), *view.command);
    loaded.commands.push_back(view.command);
    loaded.devices += view.command->call_type() == schema::Call::CreateDevice;
    return absl::OkStatus();
  }));
  return loaded;
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

absl::Status LoadedFile::for_each_command(uint64_t last, Visit visit) const {
  const std::byte* const begin = file->bytes().data();
  schema::ForwardPass pass(*file);
  for (uint64_t number = 0; number < commands.size() && number <= last; ++number) {
    const schema::Command& command = *commands[number];
    pass.reach(static_cast<uint64_t>(reinterpret_cast<const std::byte*>(&command) - begin));
    LM_RETURN_IF_ERROR(visit(number, command));
  }
  return absl::OkStatus();
}

absl::StatusOr<LoadedFile> load(std::shared_ptr<const schema::File> file, LoadOptions& options) {
  // The signature first: a file that is not to be loaded is not looked into.
  LM_RETURN_IF_ERROR(check_signature(*file, options.required_keys));
  LM_RETURN_IF_ERROR(schema::verify(*file, nullptr,
                                    {.allow_incomplete = options.allow_incomplete,
                                     .check_references = true,
                                     .memory_limit = options.memory_limit}));
  if (options.device != nullptr && options.schedule.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the schedule ", options.schedule->text(),
                     " is for devices that the replay opens, and it was given one"));
  }
  LM_RETURN_IF_ERROR(check_replacements(*file, options.replace_kernels));
  if (!options.backend.empty()) {
    LM_ASSIGN_OR_RETURN(backend, device::load_backend(options.backend));
    options.backend = std::move(backend);
  }
  return decode(std::move(file));
}

}  // namespace lightmetal::replay
