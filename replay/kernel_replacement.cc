#include "replay/kernel_replacement.h"

#include <algorithm>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "schema/storage/mapped_file.h"
#include "schema/text.h"

namespace lightmetal::replay {
namespace {

bool names(const std::string& said, const schema::KernelCreate& call) {
  uint64_t id = 0;
  if (absl::SimpleAtoi(said, &id) && id == call.id()) return true;
  const std::string name = schema::text_of(call.source_name());
  return !said.empty() && (name == said || absl::EndsWith(name, absl::StrCat("/", said)));
}

constexpr absl::string_view kElf =
    "\x7F"
    "ELF";

}  // namespace

const KernelReplacement* replacement_for(const schema::KernelCreate& call,
                                         absl::Span<const KernelReplacement> replacements) {
  const auto found =
      std::find_if(replacements.begin(), replacements.end(),
                   [&](const KernelReplacement& each) { return names(each.kernel, call); });
  return found == replacements.end() ? nullptr : &*found;
}

absl::Status check_replacements(const schema::File& file,
                                absl::Span<const KernelReplacement> replacements) {
  if (replacements.empty()) return absl::OkStatus();
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
  const auto file = schema::MappedFile::open(path);
  if (!file.ok()) return std::nullopt;
  const Bytes bytes = (*file)->bytes();
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  if (!absl::StartsWith({text, bytes.size()}, kElf)) return std::nullopt;
  return device::KernelObject{target, {bytes.begin(), bytes.end()}};
}

}  // namespace lightmetal::replay
