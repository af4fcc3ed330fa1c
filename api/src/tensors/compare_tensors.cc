// Goldens of what lies on the devices of a mesh: one for each device, which a replay names.
#include <cstddef>
#include <optional>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <tt-metalium/mesh_buffer.hpp>
#include <tt-metalium/mesh_command_queue.hpp>
#include <tt-metalium/tensor/mesh_tensor.hpp>
#include <utility>
#include <vector>

#include "api/src/tensors/payload_types.h"
#include "base/compare_policy.h"

namespace tt::tt_metal {
namespace {

// Finds the queues of all parts, so that nothing is compared when one of them is refused.
void compare_parts(distributed::MeshCommandQueue& cq, const distributed::MeshBuffer& buffer,
                   detail::PayloadType type,
                   const std::optional<lightmetal::ComparePolicy>& policy) {
  std::vector<std::pair<CommandQueue*, Buffer*>> parts;
  for (const auto& coord : distributed::MeshCoordinateRange(buffer.mesh_shape())) {
    Buffer& part = *buffer.get_device_buffer(coord);
    parts.emplace_back(&cq.device_queue(part), &part);
  }
  for (const auto& [queue, part] : parts) {
    detail::compare_to_capture(*queue, *part, nullptr, type, policy);
  }
}

}  // namespace

void LightMetalCompareToCapture(distributed::MeshCommandQueue& cq,
                                const std::shared_ptr<distributed::MeshBuffer>& buffer,
                                const std::optional<lightmetal::ComparePolicy>& policy) {
  TT_FATAL(buffer != nullptr, "The mesh buffer is a null pointer");
  compare_parts(cq, *buffer, detail::PayloadType::Bytes, policy);
}

void LightMetalCompareToCapture(distributed::MeshCommandQueue& cq, const MeshTensor& tensor,
                                const std::optional<lightmetal::ComparePolicy>& policy) {
  compare_parts(cq, tensor.mesh_buffer(), tensors::payload_type_of(tensor.dtype()), policy);
}

}  // namespace tt::tt_metal
