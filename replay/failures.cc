#include "replay/failures.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "schema/commands/references.h"
#include "schema/semantics/lifetime.h"

namespace lightmetal::replay {
namespace {

using schema::IdReference;
using schema::IdRole;
using schema::ObjectKind;
using schema::ObjectName;

std::vector<IdReference> ids_of(const schema::Command& command) {
  std::vector<IdReference> ids;
  schema::visit_ids(command, [&](const IdReference& id) { ids.push_back(id); });
  return ids;
}

// A call that takes a program to a device, such as a launch, does not change it.
bool names_device(const std::vector<IdReference>& ids) {
  return std::ranges::any_of(ids,
                             [](const IdReference& id) { return id.kind == ObjectKind::Device; });
}

bool suffers(const IdReference& id, bool on_device) {
  return id.role == IdRole::Creates || id.kind == ObjectKind::Event ||
         is_part_of_program(id.kind) || (id.kind == ObjectKind::Program && !on_device);
}

}  // namespace

std::optional<std::string> Failures::hindrance_of(const schema::Command& command) const {
  std::optional<std::string> hindrance;
  schema::visit_ids(command, [&](const IdReference& id) {
    const auto spoilt = spoilt_.find(id.object());
    if (spoilt == spoilt_.end() || hindrance.has_value()) return;
    // What is there can end, whatever it is.
    if (id.role == IdRole::Destroys && spoilt->second.exists) return;
    hindrance = absl::StrCat("skipped: ", schema::kind_in_words(id.kind), " ", id.id,
                             " is not what was recorded, because command ", spoilt->second.cause,
                             " failed");
  });
  return hindrance;
}

std::vector<uint64_t> Failures::note_failure(uint64_t number, const schema::Command& command) {
  const std::vector<IdReference> ids = ids_of(command);
  uint64_t cause = number;
  for (const IdReference& id : ids) {
    const auto spoilt = spoilt_.find(id.object());
    if (spoilt != spoilt_.end()) cause = std::min(cause, spoilt->second.cause);
  }
  std::vector<uint64_t> events;
  const bool on_device = names_device(ids);
  for (const IdReference& id : ids) {
    if (!suffers(id, on_device)) continue;
    spoil(id.object(), {cause, id.role != IdRole::Creates});
    if (id.kind == ObjectKind::Event) events.push_back(id.id);
  }
  return events;
}

// With a kernel or a circular buffer suffers its program.
void Failures::spoil(const ObjectName& name, Spoilt spoilt) {
  spoilt_.try_emplace(name, spoilt);
  const uint32_t program = objects_.program_of(name);
  if (program != schema::ObjectIndex::kNone)
    spoilt_.try_emplace(objects_[program].name, Spoilt{spoilt.cause, true});
}

}  // namespace lightmetal::replay
