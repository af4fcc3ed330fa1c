#include "replay/kernel_replacement.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/digest.h"
#include "base/status.h"
#include "schema/commands/kernel_name.h"
#include "schema/storage/mapped_file.h"
#include "schema/storage/output_file.h"
#include "schema/verify/kernel_elf.h"

namespace lightmetal::replay {
namespace {

// The loader of kernels takes no larger object, and no source comes near it.
constexpr uint64_t kMostBytes = uint64_t{256} << 20;
constexpr uint64_t kMostSourceBytes = uint64_t{16} << 20;

constexpr absl::string_view kElf =
    "\x7F"
    "ELF";

bool is_object(Bytes bytes) {
  return absl::StartsWith({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, kElf);
}

absl::Status unfit(const std::string& path, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(path, " can replace no kernel: ", why));
}

// The file, if it can be a kernel's source or object; null when there is none of this name, since a
// source is looked for in other folders, too.
absl::StatusOr<std::shared_ptr<const schema::MappedFile>> opened(const std::string& path) {
  if (schema::is_no_regular_file(path))
    return unfit(path, "it is a folder or a special file, not a source or a kernel object");
  auto file = schema::MappedFile::open(path);
  if (!file.ok()) return nullptr;
  const Bytes bytes = (*file)->bytes();
  const uint64_t most = is_object(bytes) ? kMostBytes : kMostSourceBytes;
  if (bytes.size() > most) {
    return unfit(path, absl::StrCat("it has ", bytes.size(), " bytes, and ",
                                    is_object(bytes) ? "a kernel object" : "a source",
                                    " has at most ", most));
  }
  if (is_object(bytes)) {
    const absl::Status whole = schema::check_kernel_object(bytes);
    if (!whole.ok()) return unfit(path, whole.message());
  }
  return *std::move(file);
}

}  // namespace

const KernelReplacement* replacement_for(const schema::KernelCreate& call,
                                         absl::Span<const KernelReplacement> replacements) {
  const auto found = std::find_if(
      replacements.begin(), replacements.end(),
      [&](const KernelReplacement& each) { return schema::names_kernel(each.kernel, call); });
  return found == replacements.end() ? nullptr : &*found;
}

absl::Status check_replacements(const schema::File& file,
                                absl::Span<const KernelReplacement> replacements) {
  if (replacements.empty()) return absl::OkStatus();
  for (const KernelReplacement& each : replacements) LM_RETURN_IF_ERROR(opened(each.path).status());
  std::set<const KernelReplacement*> used;
  LM_RETURN_IF_ERROR(file.for_each_command([&](const schema::CommandView& view) {
    const auto* call = view.command->call_as_KernelCreate();
    if (call != nullptr) used.insert(replacement_for(*call, replacements));
    return absl::OkStatus();
  }));
  for (const KernelReplacement& each : replacements) {
    if (used.contains(&each)) continue;
    return absl::NotFoundError(absl::StrCat(file.name(), " has no kernel ", each.kernel,
                                            " that no other file replaces, which ", each.path,
                                            " is to replace"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<device::KernelObject>> object_in(const std::string& path,
                                                              const std::string& target) {
  LM_ASSIGN_OR_RETURN(file, opened(path));
  if (file == nullptr || !is_object(file->bytes())) return std::nullopt;
  return device::KernelObject{target, {file->bytes().begin(), file->bytes().end()}};
}

}  // namespace lightmetal::replay
