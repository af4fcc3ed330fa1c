#include <tt-metalium/mesh_workload.hpp>
#include <utility>

namespace tt::tt_metal::distributed {

MeshWorkload::MeshWorkload() = default;
MeshWorkload::~MeshWorkload() = default;
MeshWorkload::MeshWorkload(MeshWorkload&& other) noexcept = default;
MeshWorkload& MeshWorkload::operator=(MeshWorkload&& other) noexcept = default;

void MeshWorkload::add_program(const MeshCoordinateRange& device_range, Program&& program) {
  for (const auto& [taken, other] : programs_) {
    TT_FATAL(taken.dims() == device_range.dims() && !taken.intersects(device_range),
             "A program for {} cannot be added: the workload has one for {}", device_range, taken);
  }
  programs_.emplace(device_range, std::move(program));
}

}  // namespace tt::tt_metal::distributed
