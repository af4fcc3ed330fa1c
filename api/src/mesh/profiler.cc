// The read-out of the profiler: waits for a device's work, then writes what its kernels have noted.
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/experimental/profiler.hpp>
#include <tt-metalium/experimental/realtime_profiler.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/profiler_state.hpp>
#include <tt-metalium/tt_metal.hpp>

#include "api/src/devices/profiler_file.h"
#include "api/src/support/errors.h"
#include "base/zone_marks.h"

namespace tt::tt_metal {

using Metadata = std::optional<ProfilerOptionalMetadata>;

bool getDeviceProfilerState() { return lightmetal::zone_marks::are_asked_for(); }

namespace detail {

void ReadDeviceProfilerResults(IDevice* device, ProfilerReadState, const Metadata&) {
  TT_FATAL(device != nullptr, "The device is a null pointer");
  Synchronize(device);
  throw_if_error(profiler_file::write(*device));
}

void DumpDeviceProfileResults(IDevice* device, ProfilerDumpState, const Metadata&) {
  ReadDeviceProfilerResults(device);
}
void DumpDeviceProfileResults(IDevice* device, const std::vector<CoreCoord>&, ProfilerDumpState,
                              const Metadata&) {
  ReadDeviceProfilerResults(device);
}
void DumpDeviceProfileResults(IDevice* device, const std::vector<CoreCoord>&, bool) {
  ReadDeviceProfilerResults(device);
}
void DumpDeviceProfileResults(IDevice* device, bool) { ReadDeviceProfilerResults(device); }
void DumpDeviceProfileResults(IDevice* device, const Program&) {
  ReadDeviceProfilerResults(device);
}

void SetDeviceProfilerDir(const std::string& output_dir) { profiler_file::set_folder(output_dir); }
void FreshProfilerDeviceLog() { profiler_file::begin_again(); }

void ClearProfilerControlBuffer(IDevice*) {}
void InitDeviceProfiler(IDevice*) {}
void ProfilerSync(ProfilerSyncState) {}
void SetHostProfilerDir(const std::string&) {}
void FreshProfilerHostLog() {}

}  // namespace detail

void DumpDeviceProfileResults(IDevice* device, const Program&) {
  detail::ReadDeviceProfilerResults(device);
}

void ReadMeshDeviceProfilerResults(distributed::MeshDevice& mesh_device, ProfilerReadState state,
                                   const Metadata& metadata) {
  distributed::for_each_device(mesh_device.get_devices(), [&](IDevice& device) {
    detail::ReadDeviceProfilerResults(&device, state, metadata);
  });
}
void DumpMeshDeviceProfileResults(distributed::MeshDevice& mesh_device, ProfilerDumpState,
                                  const Metadata&) {
  ReadMeshDeviceProfilerResults(mesh_device);
}

namespace experimental {

std::map<ChipId, std::set<ProgramAnalysisData>> GetLatestProgramsPerfData() { return {}; }
std::map<ChipId, std::set<ProgramAnalysisData>> GetAllProgramsPerfData() { return {}; }

ProgramRealtimeProfilerCallbackHandle RegisterProgramRealtimeProfilerCallback(
    ProgramRealtimeProfilerCallback) {
  static std::atomic<ProgramRealtimeProfilerCallbackHandle> next = 1;
  return next++;
}
void UnregisterProgramRealtimeProfilerCallback(ProgramRealtimeProfilerCallbackHandle) {}
bool IsProgramRealtimeProfilerActive() { return false; }

}  // namespace experimental
}  // namespace tt::tt_metal
