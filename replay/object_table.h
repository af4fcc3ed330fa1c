#pragma once

#include <cstddef>
#include <cstdint>
#include <lightmetal/replay.hpp>
#include <memory>
#include <optional>
#include <string>
#include <tt-metalium/global_circular_buffer.hpp>
#include <tt-metalium/host_api.hpp>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "schema/object_ids.h"
#include "schema/semantics/lifetime.h"

namespace lightmetal::replay {

// The objects of one kind, by the ids of the file. The verifier has refused a file that names
// objects wrongly; a wrong id is an error here all the same. Not thread-safe.
template <class Object>
class Objects {
 public:
  explicit Objects(schema::ObjectKind kind) : kind_(kind) {}

  absl::Status add(uint64_t id, Object object) {
    if (id == 0 || !objects_.try_emplace(id, std::move(object)).second) {
      return absl::InvalidArgumentError(absl::StrCat(name(), " ", id, " is there already"));
    }
    return absl::OkStatus();
  }

  // NotFound without such an object. The pointer is valid until the next add() or remove().
  absl::StatusOr<Object*> find(uint64_t id) {
    const auto found = objects_.find(id);
    if (found != objects_.end()) return &found->second;
    return not_found(id);
  }

  // Takes the object out of the table: it ends with what is returned.
  absl::StatusOr<Object> remove(uint64_t id) {
    const auto found = objects_.find(id);
    if (found == objects_.end()) return not_found(id);
    Object object = std::move(found->second);
    objects_.erase(found);
    return object;
  }

  bool contains(uint64_t id) const { return objects_.contains(id); }

  void clear() { objects_.clear(); }
  size_t size() const { return objects_.size(); }

  auto begin() { return objects_.begin(); }
  auto end() { return objects_.end(); }
  auto begin() const { return objects_.begin(); }
  auto end() const { return objects_.end(); }

 private:
  absl::Status not_found(uint64_t id) const {
    return absl::NotFoundError(absl::StrCat("there is no ", name(), " ", id));
  }
  // What messages call them.
  std::string name() const { return schema::kind_in_words(kind_); }

  const schema::ObjectKind kind_;
  absl::flat_hash_map<uint64_t, Object> objects_;
};

struct DeviceObject {
  tt::tt_metal::IDevice* device = nullptr;
  bool owned = false;   // opened by the replay
  uint32_t queues = 0;  // that the program has; a caller's device may have more
};

struct ProgramObject {
  std::unique_ptr<tt::tt_metal::Program> program;
  // The file's ids of what ends with the program.
  std::vector<uint64_t> kernels;
  std::vector<uint64_t> circular_buffers;
};

struct KernelObject {
  tt::tt_metal::Program* program = nullptr;
  tt::tt_metal::KernelHandle handle = 0;
  std::shared_ptr<tt::tt_metal::Kernel> kernel;
  const KernelReplacement* replacement = nullptr;  // what runs in its place, if anything does
};

struct CircularBufferObject {
  tt::tt_metal::Program* program = nullptr;
  tt::tt_metal::CBHandle handle = 0;
};

struct TraceObject {
  tt::tt_metal::IDevice* device = nullptr;
  uint32_t id = 0;  // as the host API knows it
};

struct SubDeviceManagerObject {
  tt::tt_metal::IDevice* device = nullptr;
  tt::tt_metal::SubDeviceManagerId id;  // as the device knows it
};

// Every object that the commands so far have made and not ended.
struct ObjectTable {
  using Kind = schema::ObjectKind;

  Objects<DeviceObject> devices{Kind::Device};
  Objects<std::shared_ptr<tt::tt_metal::Buffer>> buffers{Kind::Buffer};
  Objects<ProgramObject> programs{Kind::Program};
  Objects<KernelObject> kernels{Kind::Kernel};
  Objects<CircularBufferObject> circular_buffers{Kind::CircularBuffer};
  Objects<std::shared_ptr<tt::tt_metal::Event>> events{Kind::Event};
  Objects<TraceObject> traces{Kind::Trace};
  Objects<tt::tt_metal::GlobalSemaphore> global_semaphores{Kind::GlobalSemaphore};
  Objects<tt::tt_metal::experimental::GlobalCircularBuffer> global_circular_buffers{
      Kind::GlobalCircularBuffer};
  Objects<SubDeviceManagerObject> sub_device_managers{Kind::SubDeviceManager};
};

}  // namespace lightmetal::replay
