#include "schema/index/object_index.h"

#include <algorithm>

#include "schema/commands/references.h"

namespace lightmetal::schema {
namespace {

constexpr uint64_t kSemaphoreSize = sizeof(uint32_t);

}  // namespace

bool ObjectIndex::Memory::may_overlap(const Memory& other) const {
  return device == other.device && type == other.type && address < other.address + other.size &&
         other.address < address + size;
}

void ObjectIndex::add(uint64_t number, const Command& command) {
  const uint32_t first = size();
  uint32_t owner = kNone;
  visit_ids(command, [&](const IdReference& id) {
    if (id.role == IdRole::Creates) return create(number, command, id.object());
    const uint32_t object = find(id.object());
    if (id.owner) owner = object;
    if (id.role == IdRole::Destroys) end(number, object);
  });
  for (uint32_t created = first; created < size(); ++created) objects_[created].owner = owner;
  if (const auto* freed = command.call_as_BufferDeallocate())
    end(number, find({ObjectKind::Buffer, freed->buffer()}));
}

void ObjectIndex::create(uint64_t number, const Command& command, const ObjectName& name) {
  if (!numbers_.try_emplace(name, size()).second) return;
  Object& object = objects_.emplace_back(Object{.name = name, .creator = number});
  if (const auto* buffer = command.call_as_BufferCreate()) {
    object.memory = {.device = find({ObjectKind::Device, buffer->device()}),
                     .type = buffer->buffer_type(),
                     .is_view = buffer->address().has_value(),
                     .address = buffer->allocated_address(),
                     .size = buffer->size()};
  } else if (const auto* semaphore = command.call_as_GlobalSemaphoreCreate()) {
    object.memory = {.device = find({ObjectKind::Device, semaphore->device()}),
                     .type = semaphore->buffer_type(),
                     .address = semaphore->allocated_address(),
                     .size = kSemaphoreSize};
  }
  if (object.memory.has_value()) living_.insert(size() - 1);
}

void ObjectIndex::end(uint64_t number, uint32_t object) {
  if (object == kNone) return;
  objects_[object].end = std::min(objects_[object].end, number);
  living_.erase(object);
}

uint32_t ObjectIndex::first_made_by(uint64_t number) const {
  const auto first = std::ranges::lower_bound(objects_, number, {}, &Object::creator);
  return static_cast<uint32_t>(first - objects_.begin());
}

uint32_t ObjectIndex::find(const ObjectName& name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? kNone : found->second;
}

uint32_t ObjectIndex::program_of(const ObjectName& name) const {
  const uint32_t object = find(name);
  if (object == kNone || name.kind == ObjectKind::Program) return object;
  return is_part_of_program(name.kind) ? objects_[object].owner : kNone;
}

uint32_t ObjectIndex::program_of(const Command& command) const {
  uint32_t program = kNone;
  visit_ids(command, [&](const IdReference& id) {
    if (id.role != IdRole::Creates && program == kNone) program = program_of(id.object());
  });
  return program;
}

}  // namespace lightmetal::schema
