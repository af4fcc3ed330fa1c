#pragma once

#include <cstdint>
#include <lightmetal/replay.hpp>
#include <optional>
#include <tt-metalium/host_api.hpp>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "replay/object_table.h"
#include "schema/commands/calls.h"

namespace lightmetal::replay {

// Opens the devices that a file opens, on the backend, the chip and with the schedule that the
// options ask for, or takes the caller's device for the first one. Keeps devices open between runs.
// Not thread-safe.
class OpenDevices {
 public:
  // `options` must outlive this.
  explicit OpenDevices(const LoadOptions& options)
      : options_(options), schedule_(options.schedule) {}
  // Closes the devices that it keeps.
  ~OpenDevices() { close(); }
  OpenDevices(const OpenDevices&) = delete;
  OpenDevices& operator=(const OpenDevices&) = delete;

  // The caller's device, one that it keeps, or a new one. Throws what the host API throws.
  absl::StatusOr<DeviceObject> open(const schema::CreateDevice& call);

  // Keeps the device that the file calls `id` for the next run. Does nothing for the caller's.
  void keep(uint64_t id, const DeviceObject& object);

  // Closes the devices that it keeps. Errors are dropped.
  void close();

  // Devices are opened with this schedule from now on.
  void set_schedule(const Schedule& schedule) { schedule_ = schedule; }

 private:
  bool is_of_first_chip(const schema::CreateDevice& call);

  const LoadOptions& options_;
  std::optional<Schedule> schedule_;
  std::optional<uint32_t> first_chip_id_;  // of the first device that the file opens
  absl::flat_hash_map<uint64_t, tt::tt_metal::IDevice*> kept_;  // by their ids in the file
};

}  // namespace lightmetal::replay
