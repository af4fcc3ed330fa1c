#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/tensor/host_tensor.hpp>
#include <tt-metalium/tensor/mesh_tensor.hpp>
#include <vector>

// What tests of whole operators share.
namespace lightmetal::testing {

// How far a result may be from its reference.
struct Tolerance {
  double correlation = 0.999;  // Pearson's, at least
  double absolute = 0.02;      // |found - expected| <= absolute + relative * |expected|, for each
  double relative = 0.02;
};
inline constexpr Tolerance kEqual{.correlation = 1 - 1e-12, .absolute = 0, .relative = 0};

// A test whose kernels are those of a ttnn package; skipped where there is none.
class PackagedOperator : public ::testing::Test {
 protected:
  using Values = std::vector<float>;
  using Program = std::function<Values(tt::tt_metal::distributed::MeshDevice&)>;

  void SetUp() override;
  void TearDown() override;

  // The path of a kernel of the package. `name`: below ttnn/cpp/ttnn, such as
  // "operations/data_movement/transpose/device/kernels/compute/transpose_wh.cpp".
  static std::string kernel(const std::string& name);

  // Runs `program` on a unit mesh while it is captured. Expects what it returns to be `reference`,
  // within the tolerance; that the file replays in a process of its own with nothing in its
  // environment, and that a replay that is captured gives the same file.
  static void expect_computes(const Program& program, const std::vector<double>& reference,
                              const Tolerance& tolerance = {});
};

// Numbers between `low` and `high`, each one that bfloat16 holds; the same for each seed.
std::vector<float> random_values(size_t count, uint32_t seed, float low = -1, float high = 1);

// Interleaved in DRAM, pages or tiles as `layout` has them.
tt::tt_metal::TensorSpec spec_of(const tt::tt_metal::Shape& shape,
                                 tt::tt_metal::DataType type = tt::tt_metal::DataType::BFLOAT16,
                                 tt::tt_metal::Layout layout = tt::tt_metal::Layout::TILE);

// Tensors on the device. Elements are given, and read, as a type that HostTensor takes for that of
// the tensor; what was read becomes numbers of the program's result.
template <typename T>
tt::tt_metal::MeshTensor upload(tt::tt_metal::distributed::MeshDevice& mesh,
                                const std::vector<T>& values,
                                const tt::tt_metal::TensorSpec& spec) {
  return mesh.mesh_command_queue().enqueue_write_tensor(
      tt::tt_metal::HostTensor::from_vector(values, spec));
}
template <typename T = float>
std::vector<float> download(tt::tt_metal::distributed::MeshDevice& mesh,
                            const tt::tt_metal::MeshTensor& tensor) {
  const auto values = mesh.mesh_command_queue().enqueue_read_tensor(tensor).to_vector<T>();
  return {values.begin(), values.end()};
}

}  // namespace lightmetal::testing
