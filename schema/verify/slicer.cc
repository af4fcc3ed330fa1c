#include "schema/verify/slicer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "schema/commands/references.h"
#include "schema/file/writer.h"
#include "schema/verify/copy_command.h"

namespace lightmetal::schema {
namespace {

uint64_t count_of(const Slicer::Commands& kept) {
  return static_cast<uint64_t>(std::count(kept.begin(), kept.end(), true));
}

}  // namespace

Slicer::Commands Slicer::first(uint64_t count) const {
  Commands kept = none();
  std::fill_n(kept.begin(), std::min<uint64_t>(count, kept.size()), true);
  return kept;
}

std::vector<uint64_t> Slicer::reads() const {
  std::vector<uint64_t> reads;
  for (uint64_t number = 0; number < commands_.size(); ++number) {
    if (commands_[number].effect == Effect::kRead) reads.push_back(number);
  }
  return reads;
}

std::vector<uint64_t> Slicer::reads_of_buffer(uint64_t id) const {
  const uint32_t buffer = index_.find({ObjectKind::Buffer, id});
  std::vector<uint64_t> found = reads();
  std::erase_if(found, [&](uint64_t number) {
    return std::ranges::count(commands_[number].named, buffer) == 0;
  });
  return found;
}

absl::flat_hash_set<uint64_t> Slicer::buffers_written(uint64_t first, uint64_t last) const {
  absl::flat_hash_set<uint32_t> places;
  for (uint64_t number = first; number <= last && number < commands_.size(); ++number) {
    const Node& node = commands_[number];
    // A write by address mentions every buffer that begins before the address.
    const bool names_buffers =
        node.effect == Effect::kLaunch || (node.effect == Effect::kWrite && node.mentioned.empty());
    if (names_buffers) places.insert(node.writes.begin(), node.writes.end());
  }
  absl::flat_hash_set<uint64_t> written;
  for (uint32_t object = 0; object < index_.size(); ++object) {
    const auto& [kind, id] = index_[object].name;
    if (kind == ObjectKind::Buffer && places.contains(objects_[object].place)) written.insert(id);
  }
  return written;
}

// ---- What is needed ----

void Slicer::add_needs(uint64_t number, Commands& kept, Needs& needs) const {
  const auto keep = [&](uint64_t needed) {
    if (kept[needed]) return;
    kept[needed] = true;
    needs.open.push_back(needed);
  };
  // The changes of an object before the command, each once whichever command needs it.
  const auto keep_changes = [&](uint32_t object) {
    const std::vector<uint64_t>& changes = objects_[object].changes;
    size_t& next = needs.changes[object];
    for (; next < changes.size() && changes[next] < number; ++next) keep(changes[next]);
  };
  for (const uint32_t object : commands_[number].mentioned) keep(index_[object].creator);
  for (const uint32_t named : commands_[number].named) {
    const Object& object = objects_[named];
    const uint32_t changed = changed_with(named);
    keep(index_[named].creator);
    keep(index_[changed].creator);
    keep_changes(changed);
    if (!is_event(named) || object.changes.empty()) continue;
    // A wait is for the last recording before it, or for the first one to come.
    if (object.changes.front() > number) keep(object.changes.front());
  }
  const auto trace = traces_.find(number);
  if (trace == traces_.end()) return;
  const std::vector<uint64_t>& replays = objects_[trace->second].replays;
  if (!replays.empty()) keep(replays.front());
}

Slicer::Commands Slicer::with_needs(Commands kept) const {
  Needs needs{.open = {}, .changes = std::vector<size_t>(objects_.size())};
  for (uint64_t number = 0; number < kept.size(); ++number) {
    if (kept[number]) needs.open.push_back(number);
  }
  while (!needs.open.empty()) {
    const uint64_t number = needs.open.back();
    needs.open.pop_back();
    add_needs(number, kept, needs);
  }
  return kept;
}

void Slicer::add_writers(Commands& kept) const {
  absl::flat_hash_set<uint32_t> read;  // places whose content matters behind the command
  for (uint64_t number = kept.size(); number-- > 0;) {
    const Node& node = commands_[number];
    const bool may_write = node.effect == Effect::kWrite || node.effect == Effect::kLaunch;
    const auto matters = [&](uint32_t place) { return read.contains(place); };
    if (may_write && std::ranges::any_of(node.writes, matters)) kept[number] = true;
    if (!kept[number]) continue;
    if (node.effect == Effect::kLaunch || node.effect == Effect::kRead) {
      read.insert(node.reads.begin(), node.reads.end());
    } else if (node.overwrites) {
      for (const uint32_t place : node.writes) read.erase(place);
    }
  }
}

// Returns true if they run on several queues or sub-devices, so that what is between orders them.
bool Slicer::several_wait_for_each_other(const Commands& kept) const {
  absl::flat_hash_set<uint32_t> queues;
  bool on_divided = false;
  for (uint64_t number = 0; number < kept.size(); ++number) {
    if (!kept[number]) continue;
    on_divided |= commands_[number].on_divided;
    if (commands_[number].queue != 0) queues.insert(commands_[number].queue);
  }
  return on_divided || queues.size() > 1;
}

void Slicer::add_order(Commands& kept) const {
  const bool several = several_wait_for_each_other(kept);
  absl::flat_hash_set<uint32_t> busy;  // queues with work that nothing has waited for
  const auto last = std::find(kept.rbegin(), kept.rend(), true);
  const auto count = static_cast<uint64_t>(kept.rend() - last);
  for (uint64_t number = 0; number < count; ++number) {
    const Node& node = commands_[number];
    const bool orders = node.effect == Effect::kWait ||
                        (node.effect == Effect::kDivide && node.waits) ||
                        (node.waits && busy.contains(node.queue)) ||
                        (node.on_divided && node.effect == Effect::kWrite);
    if (node.has_failed || (several && orders)) kept[number] = true;
    if (!kept[number] || node.queue == 0) continue;
    const bool waits_for_all = node.waits && node.effect != Effect::kLaunch && !node.on_divided;
    if (waits_for_all) {
      busy.erase(node.queue);
    } else {
      busy.insert(node.queue);
    }
  }
}

Slicer::Commands Slicer::with_sources(Commands kept) const {
  kept = with_needs(std::move(kept));
  for (uint64_t before = 0; before != count_of(kept);) {
    before = count_of(kept);
    add_writers(kept);
    add_order(kept);
    kept = with_needs(std::move(kept));
  }
  return kept;
}

Slicer::Commands Slicer::with_ends(Commands kept) const {
  for (uint32_t object = 0; object < index_.size(); ++object) {
    if (!kept[index_[object].creator]) continue;
    for (const uint64_t end : objects_[object].ends) kept[end] = is_possible(end, kept);
  }
  return kept;
}

// ---- What is dead ----

bool Slicer::makes_object(uint64_t number) const {
  return index_.first_made_by(number) < index_.first_made_by(number + 1);
}

uint32_t Slicer::changed_with(uint32_t object) const {
  const uint32_t program = index_.program_of(index_[object].name);
  return program == ObjectIndex::kNone ? object : program;
}

bool Slicer::is_scope(uint64_t number) const {
  const Node& node = commands_[number];
  return node.effect == Effect::kMark && node.named.empty();
}

// Adds commands that change no values: scopes, entries, failed calls, and waits for kept objects.
Slicer::Commands Slicer::with_waits(Commands kept) const {
  for (uint64_t number = 0; number < kept.size(); ++number) {
    const Node& node = commands_[number];
    if (is_scope(number)) kept[number] = true;
    if (node.effect == Effect::kWait && is_possible(number, kept)) kept[number] = true;
  }
  return kept;
}

Slicer::Commands Slicer::needed() const {
  Commands kept = none();
  for (const uint64_t number : reads()) kept[number] = true;
  return with_ends(with_waits(with_sources(std::move(kept))));
}

Slicer::Commands Slicer::used() const {
  Commands kept = none();
  for (uint64_t number = 0; number < kept.size(); ++number) {
    const Node& node = commands_[number];
    // What is written where an object is made, is no use of it.
    kept[number] = node.effect == Effect::kRead || node.effect == Effect::kLaunch ||
                   (node.effect == Effect::kWrite && !makes_object(number));
  }
  add_order(kept);
  return with_ends(with_waits(with_needs(std::move(kept))));
}

// ---- What is left ----

// Whether all that the command names is there.
bool Slicer::is_possible(uint64_t number, const Commands& kept) const {
  const Node& node = commands_[number];
  const auto is_kept = [&](uint64_t of) { return kept[of]; };
  const bool is_wait = node.effect == Effect::kWait;
  return std::ranges::all_of(node.named, [&](uint32_t named) {
    if (!kept[index_[named].creator]) return false;
    return !is_wait || !is_event(named) || std::ranges::any_of(objects_[named].changes, is_kept);
  });
}

Slicer::Commands Slicer::without(Commands kept, const Commands& removed) const {
  for (uint64_t number = 0; number < kept.size(); ++number) {
    if (removed[number]) kept[number] = false;
  }
  for (uint64_t before = count_of(kept) + 1; before != count_of(kept);) {
    before = count_of(kept);
    for (uint64_t number = 0; number < kept.size(); ++number) {
      if (kept[number] && !is_possible(number, kept)) kept[number] = false;
    }
    for (const auto& [number, trace] : traces_) {
      const std::vector<uint64_t>& replays = objects_[trace].replays;
      const auto is_gone = [&](uint64_t replay) { return !kept[replay]; };
      if (!replays.empty() && std::ranges::all_of(replays, is_gone)) kept[number] = false;
    }
  }
  return kept;
}

// ---- Files ----

absl::Status Slicer::write(const Commands& kept, std::shared_ptr<Sink> sink,
                           int compression_level) const {
  SessionInfo session = file_->session();
  // As repair() says it: the end of what was captured is not in the file.
  if (!file_->complete()) session.options.emplace_back("repaired", file_->incomplete_reason());
  Writer writer(std::move(sink), {.compression_level = compression_level});
  LM_RETURN_IF_ERROR(writer.begin(session));
  ForwardPass pass(*file_);
  LM_RETURN_IF_ERROR(file_->for_each_command([&](const CommandView& view) -> absl::Status {
    pass.reach(view.offset);
    if (!kept[view.number]) return absl::OkStatus();
    return copy_command(*file_, view, writer, compression_level != 0);
  }));
  return writer.finish(absl::OkStatus());
}

}  // namespace lightmetal::schema
