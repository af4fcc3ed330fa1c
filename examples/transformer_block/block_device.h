#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <vector>

namespace example::transformer {

// The calls of the host API that a block makes, in either of the API's two forms: this is where
// they differ. Tiles are named by their address in DRAM. Nothing but read() and finish() waits.
class BlockDevice {
 public:
  virtual ~BlockDevice() = default;

  virtual CoreCoord grid() const = 0;
  // Interleaved tiles of bfloat16, which live as long as this object.
  virtual uint32_t allocate(uint32_t num_tiles) = 0;
  virtual void write(uint32_t address, const std::vector<bfloat16>& values) = 0;
  virtual std::vector<bfloat16> read(uint32_t address) = 0;

  // Give the tiles at an address a name, by which a captured block takes an input and gives a
  // result
  // (<lightmetal/executable.hpp>).
  virtual void bind_input(std::string_view name, uint32_t address,
                          const lightmetal::TensorDesc& tensor) = 0;
  virtual void bind_output(std::string_view name, uint32_t address,
                           const lightmetal::TensorDesc& tensor) = 0;

  virtual void add(tt::tt_metal::Program program) = 0;
  // Enqueues the programs in the order in which they were added.
  virtual void run() = 0;
  // Records run() as a device trace, once. REQUIRES: run() has been called, and the device has a
  // trace region.
  virtual void capture_trace() = 0;
  virtual void replay_trace() = 0;
  virtual void finish() = 0;
};

// The form of today. The mesh has to outlive the result.
std::unique_ptr<BlockDevice> on_mesh(tt::tt_metal::distributed::MeshDevice& mesh);
// The classic form. The device has to outlive the result.
std::unique_ptr<BlockDevice> on_device(tt::tt_metal::IDevice* device);

}  // namespace example::transformer
