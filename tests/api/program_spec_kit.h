#pragma once

#include <memory>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/experimental/metal2_host_api/program.hpp>
#include <vector>

#include "tests/support/api_test_kit.h"
#include "tests/support/program_specs.h"

// What the tests of specified programs share that do not run them.
namespace tt::tt_metal::testing {

inline constexpr char kEmpty[] = "void kernel_main() {}";

class ProgramSpecTest : public WatchedTest {
 protected:
  // The first call makes the mesh.
  distributed::MeshDevice& mesh(size_t queues = 1) {
    if (mesh_ == nullptr) {
      mesh_ = distributed::MeshDevice::create_unit_mesh(0, DEFAULT_L1_SMALL_SIZE,
                                                        DEFAULT_TRACE_REGION_SIZE, queues);
    }
    return *mesh_;
  }
  static experimental::ProgramSpec copying() { return copying_spec(kEmpty, kEmpty, kEmpty); }
  MeshTensor tensor(const TensorSpec& spec = tiles_of(64, 64)) {
    return MeshTensor::allocate_on_device(mesh(), spec);
  }
  Program make(const experimental::ProgramSpec& spec) {
    return experimental::MakeProgramFromSpec(mesh(), spec);
  }
  static uint32_t address_of(const MeshTensor& tensor) {
    return static_cast<uint32_t>(tensor.address());
  }
  static std::vector<uint32_t> common(const Program& program, KernelHandle kernel) {
    return program.get_kernel(kernel)->common_runtime_args();
  }
  size_t l1_in_use() {
    return mesh().allocator()->get_statistics(BufferType::L1).total_allocated_bytes;
  }

 private:
  std::shared_ptr<distributed::MeshDevice> mesh_;
};

}  // namespace tt::tt_metal::testing
