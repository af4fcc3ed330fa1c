#include "examples/transformer_block/block_device.h"

#include <map>
#include <optional>
#include <tt-metalium/device.hpp>
#include <utility>

#include "examples/common/tiles.h"

namespace example::transformer {

namespace {

class Mesh final : public BlockDevice {
 public:
  explicit Mesh(distributed::MeshDevice& mesh) : mesh_(mesh), cq_(mesh.mesh_command_queue()) {}
  ~Mesh() override {
    if (trace_) mesh_.release_mesh_trace(*trace_);
  }

  CoreCoord grid() const override { return mesh_.compute_with_storage_grid_size(); }

  uint32_t allocate(uint32_t num_tiles) override {
    auto buffer = make_tiles(mesh_, num_tiles);
    const uint32_t address = address_of(*buffer);
    buffers_[address] = std::move(buffer);
    return address;
  }

  void write(uint32_t address, const std::vector<bfloat16>& values) override {
    distributed::EnqueueWriteMeshBuffer(cq_, buffers_.at(address), values, /*blocking=*/false);
  }

  std::vector<bfloat16> read(uint32_t address) override {
    std::vector<bfloat16> values;
    distributed::EnqueueReadMeshBuffer(cq_, values, buffers_.at(address), /*blocking=*/true);
    return values;
  }

  void bind_input(std::string_view name, uint32_t address,
                  const lightmetal::TensorDesc& tensor) override {
    LightMetalBindInput(name, buffers_.at(address), tensor);
  }
  void bind_output(std::string_view name, uint32_t address,
                   const lightmetal::TensorDesc& tensor) override {
    LightMetalBindOutput(name, buffers_.at(address), tensor);
  }

  void add(Program program) override { workloads_.push_back(on_all(mesh_, std::move(program))); }

  void run() override {
    for (distributed::MeshWorkload& workload : workloads_) {
      distributed::EnqueueMeshWorkload(cq_, workload, /*blocking=*/false);
    }
  }

  void capture_trace() override {
    trace_ = mesh_.begin_mesh_trace(queue());
    run();
    mesh_.end_mesh_trace(queue(), *trace_);
  }

  void replay_trace() override { mesh_.replay_mesh_trace(queue(), *trace_, /*blocking=*/false); }

  void finish() override { distributed::Finish(cq_); }

 private:
  uint8_t queue() const { return static_cast<uint8_t>(cq_.id()); }

  distributed::MeshDevice& mesh_;
  distributed::MeshCommandQueue& cq_;
  std::map<uint32_t, std::shared_ptr<distributed::MeshBuffer>> buffers_;
  std::vector<distributed::MeshWorkload> workloads_;
  std::optional<distributed::MeshTraceId> trace_;
};

class Classic final : public BlockDevice {
 public:
  explicit Classic(IDevice* device) : device_(device), cq_(device->command_queue()) {}
  ~Classic() override {
    if (trace_) ReleaseTrace(device_, *trace_);
  }

  CoreCoord grid() const override { return device_->compute_with_storage_grid_size(); }

  uint32_t allocate(uint32_t num_tiles) override {
    auto buffer = make_tiles(device_, num_tiles);
    const uint32_t address = buffer->address();
    buffers_[address] = std::move(buffer);
    return address;
  }

  void write(uint32_t address, const std::vector<bfloat16>& values) override {
    EnqueueWriteBuffer(cq_, buffers_.at(address), values, /*blocking=*/false);
  }

  std::vector<bfloat16> read(uint32_t address) override {
    std::vector<bfloat16> values;
    EnqueueReadBuffer(cq_, buffers_.at(address), values, /*blocking=*/true);
    return values;
  }

  void bind_input(std::string_view name, uint32_t address,
                  const lightmetal::TensorDesc& tensor) override {
    LightMetalBindInput(name, buffers_.at(address), tensor);
  }
  void bind_output(std::string_view name, uint32_t address,
                   const lightmetal::TensorDesc& tensor) override {
    LightMetalBindOutput(name, buffers_.at(address), tensor);
  }

  void add(Program program) override { programs_.push_back(std::move(program)); }

  void run() override {
    for (Program& program : programs_) EnqueueProgram(cq_, program, /*blocking=*/false);
  }

  void capture_trace() override {
    trace_ = BeginTraceCapture(device_, cq_.id());
    run();
    EndTraceCapture(device_, cq_.id(), *trace_);
  }

  void replay_trace() override { ReplayTrace(device_, cq_.id(), *trace_, /*blocking=*/false); }

  void finish() override { Finish(cq_); }

 private:
  IDevice* const device_;
  CommandQueue& cq_;
  std::map<uint32_t, std::shared_ptr<Buffer>> buffers_;
  std::vector<Program> programs_;
  std::optional<uint32_t> trace_;
};

}  // namespace

std::unique_ptr<BlockDevice> on_mesh(distributed::MeshDevice& mesh) {
  return std::make_unique<Mesh>(mesh);
}

std::unique_ptr<BlockDevice> on_device(IDevice* device) {
  return std::make_unique<Classic>(device);
}

}  // namespace example::transformer
