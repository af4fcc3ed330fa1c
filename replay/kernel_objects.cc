#include "replay/kernel_objects.h"

#include "base/status.h"
#include "schema/file/blob.h"

namespace lightmetal::replay {

absl::StatusOr<std::shared_ptr<const device::KernelObject>> KernelObjects::get(
    const std::string& target, const schema::BlobRef& object) {
  auto& kept = objects_[{target, schema::to_digest(object.digest())}];
  if (kept != nullptr) return kept;
  LM_ASSIGN_OR_RETURN(bytes, file_.blob(object));
  kept = std::make_shared<device::KernelObject>(
      device::KernelObject{target, {bytes.begin(), bytes.end()}});
  return kept;
}

void KernelObjects::replace(const std::string& target, const schema::BlobRef& object,
                            std::shared_ptr<const device::KernelObject> by) {
  objects_.insert_or_assign(std::pair(target, schema::to_digest(object.digest())), std::move(by));
}

}  // namespace lightmetal::replay
