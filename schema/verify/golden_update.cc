#include "schema/verify/golden_update.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "schema/command_generated.h"
#include "schema/commands/references.h"

namespace lightmetal::schema {

GoldenUpdate::GoldenUpdate(const File& file, std::shared_ptr<Sink> sink)
    : file_(file), rewrite_(file, std::move(sink)) {}

absl::Status GoldenUpdate::begin() {
  if (file_.complete()) return rewrite_.begin();
  return absl::FailedPreconditionError(absl::StrCat(
      file_.name(), " gets no new goldens, because it is incomplete: ", file_.incomplete_reason()));
}

absl::Status GoldenUpdate::replace(uint64_t command, Bytes golden) {
  LM_ASSIGN_OR_RETURN(name, rewrite_.append_blob(golden));
  goldens_.insert_or_assign(command, name);
  return absl::OkStatus();
}

absl::StatusOr<GoldenUpdateReport> GoldenUpdate::finish() {
  LM_RETURN_IF_ERROR(
      file_.for_each_command([this](const CommandView& view) { return change(view); }));
  LM_ASSIGN_OR_RETURN(signatures_dropped, rewrite_.finish());
  return GoldenUpdateReport{.goldens_replaced = goldens_.size(),
                            .signatures_dropped = signatures_dropped};
}

absl::Status GoldenUpdate::change(const CommandView& view) {
  const auto golden = goldens_.find(view.number);
  if (golden == goldens_.end()) return absl::OkStatus();
  LM_ASSIGN_OR_RETURN(frame, file_.frame_at(view.offset));
  std::vector<std::byte> bytes(frame.payload.begin(), frame.payload.end());
  visit_blobs(*GetSizePrefixedCommand(bytes.data()), [&](const BlobReference& blob) {
    // In our own copy of the command, which keeps fields that this version does not know.
    if (blob.role == PayloadRole::Golden) const_cast<BlobRef&>(blob.name) = golden->second;
  });
  return rewrite_.replace(view.number, std::move(bytes));
}

}  // namespace lightmetal::schema
