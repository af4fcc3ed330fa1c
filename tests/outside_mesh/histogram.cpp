// How often each value occurs, as a program from a specification: every node counts in a scratchpad
// of its own, and one of them waits on a semaphore and adds up. Twice, with different values.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/experimental/metal2_host_api/program.hpp>
#include <tt-metalium/tensor/host_tensor.hpp>
#include <tt-metalium/tensor/mesh_tensor.hpp>
#include <tt-metalium/work_split.hpp>
#include <vector>

using namespace tt::tt_metal;
using namespace tt::tt_metal::experimental;

namespace {

constexpr uint32_t kPages = 500, kPageValues = 256, kBins = 64;

const KernelSpecName kCount{"count"}, kAddUp{"add_up"};
const ScratchpadSpecName kPage{"page"}, kBinsPad{"bins"}, kRow{"row"}, kSums{"sums"};
const SemaphoreSpecName kCounted{"counted"};
const TensorParamName kValues{"values"}, kCounts{"counts"}, kHistogram{"histogram"};

TensorSpec words(uint32_t rows, uint32_t columns) {
  return TensorSpec(Shape({rows, columns}),
                    TensorLayout(DataType::UINT32, PageConfig(Layout::ROW_MAJOR), MemoryConfig()));
}

// The first node adds up.
ProgramSpec counting(const NodeRangeSet& nodes) {
  const NodeCoord collector{0, 0};
  const KernelSpec count{.unique_id = kCount,
                         .source = std::filesystem::path("kernels/count.cpp"),
                         .semaphore_bindings = {{kCounted, "counted"}},
                         .scratchpad_bindings = {{kPage, "page"}, {kBinsPad, "bins"}},
                         .tensor_bindings = {{kValues, "values"}, {kCounts, "counts"}},
                         .runtime_arg_schema = {.runtime_arg_names = {"first", "count", "row"},
                                                .common_runtime_arg_names = {"x", "y"}},
                         .hw_config = CreateReaderGen1DataMovementConfig()};
  const KernelSpec add_up{.unique_id = kAddUp,
                          .source = std::filesystem::path("kernels/add_up.cpp"),
                          .semaphore_bindings = {{kCounted, "counted"}},
                          .scratchpad_bindings = {{kRow, "row"}, {kSums, "sums"}},
                          .tensor_bindings = {{kCounts, "counts"}, {kHistogram, "histogram"}},
                          .compile_time_args = {{"nodes", nodes.num_cores()}},
                          .hw_config = CreateWriterGen1DataMovementConfig()};
  return {.name = "histogram",
          .kernels = {count, add_up},
          .semaphores = {{.unique_id = kCounted, .target_nodes = nodes}},
          .scratchpads = {{.unique_id = kPage, .size_per_node = kPageValues * 4},
                          {.unique_id = kBinsPad, .size_per_node = kBins * 4},
                          {.unique_id = kRow, .size_per_node = kBins * 4},
                          {.unique_id = kSums, .size_per_node = kBins * 4}},
          .tensor_parameters = {{.unique_id = kValues, .spec = words(kPages, kPageValues)},
                                {.unique_id = kCounts, .spec = words(nodes.num_cores(), kBins)},
                                {.unique_id = kHistogram, .spec = words(1, kBins)}},
          .work_units = {{.name = "first", .kernels = {kCount, kAddUp}, .target_nodes = collector},
                         {.name = "others",
                          .kernels = {kCount},
                          .target_nodes = nodes.subtract(CoreRangeSet(CoreRange(collector)))}}};
}

// Which pages each node counts.
KernelRunArgs shares(const CoreCoord& collector, const CoreRangeSet& nodes,
                     const CoreRangeSet& busier, uint32_t pages_busier, uint32_t pages_others) {
  KernelRunArgs args{.kernel = kCount};
  uint32_t first = 0, row = 0;
  for (const CoreCoord& node : corerange_to_cores(nodes)) {
    const uint32_t count = busier.contains(node) ? pages_busier : pages_others;
    AddRuntimeArgsForNode(args.runtime_arg_values, node,
                          {{"first", first}, {"count", count}, {"row", row++}});
    first += count;
  }
  args.common_runtime_arg_values = {{"x", static_cast<uint32_t>(collector.x)},
                                    {"y", static_cast<uint32_t>(collector.y)}};
  return args;
}

std::vector<uint32_t> values_of(uint32_t step) {
  std::vector<uint32_t> values(kPages * kPageValues);
  for (uint32_t i = 0; i < values.size(); ++i) values[i] = (i * step + i / 1000) % kBins;
  return values;
}

size_t count_wrong(const std::vector<uint32_t>& values, const std::vector<uint32_t>& histogram) {
  std::vector<uint32_t> expected(kBins);
  for (const uint32_t value : values) ++expected[value];
  size_t wrong = histogram.size() == kBins ? 0 : kBins;
  for (uint32_t bin = 0; bin < kBins && wrong == 0; ++bin) wrong += histogram[bin] != expected[bin];
  return wrong;
}

}  // namespace

int main() {
  auto mesh_device = distributed::MeshDevice::create_unit_mesh(0);
  distributed::MeshCommandQueue& cq = mesh_device->mesh_command_queue();
  const std::vector<uint32_t> values = values_of(7), others = values_of(13);
  const auto on_device = [&](const std::vector<uint32_t>& of) {
    return cq.enqueue_write_tensor(HostTensor::from_vector(of, words(kPages, kPageValues)));
  };
  const MeshTensor values_tensor = on_device(values), others_tensor = on_device(others);

  const auto [num_nodes, nodes, busier, less_busy, pages_busier, pages_others] =
      split_work_to_cores(mesh_device->compute_with_storage_grid_size(), kPages);
  const MeshTensor counts = MeshTensor::allocate_on_device(*mesh_device, words(num_nodes, kBins));
  const MeshTensor histogram = MeshTensor::allocate_on_device(*mesh_device, words(1, kBins));
  distributed::MeshWorkload workload = MakeMeshWorkloadFromSpec(*mesh_device, counting(nodes));
  Program& program = workload.get_programs().begin()->second;
  const CoreCoord collector = mesh_device->worker_core_from_logical_core({0, 0});
  SetProgramRunArgs(
      program,
      {.kernel_run_args = {shares(collector, nodes, busier, pages_busier, pages_others)},
       .tensor_args = {{kValues, values_tensor}, {kCounts, counts}, {kHistogram, histogram}}});

  size_t wrong = 0;
  distributed::EnqueueMeshWorkload(cq, workload, /*blocking=*/false);
  wrong += count_wrong(values, cq.enqueue_read_tensor(histogram).to_vector<uint32_t>());
  UpdateTensorArgs(program, {{kValues, others_tensor}, {kCounts, counts}, {kHistogram, histogram}});
  distributed::EnqueueMeshWorkload(cq, workload, /*blocking=*/false);
  wrong += count_wrong(others, cq.enqueue_read_tensor(histogram).to_vector<uint32_t>());

  std::cout << 2 * kBins << " bins counted on " << num_nodes << " nodes, " << wrong << " wrong\n";
  return mesh_device->close() && wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
