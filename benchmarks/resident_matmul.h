#pragma once

#include <lightmetal/executable.hpp>
#include <memory>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <vector>

#include "examples/matmul_multi_core/matmul_program.h"

// The 640x640x640 matmul as an executable, and the same work made by calls: write A, launch, read
// C.
namespace lightmetal::bench {

// The calls, on objects that stay.
class ResidentMatmul {
 public:
  explicit ResidentMatmul(tt::tt_metal::IDevice* device);

  void bind();  // A as "a", B as "b", C as "c"
  void write_b();
  void write_a_and_launch();
  void read_c();

  // A, in rows.
  const std::vector<bfloat16>& a() const { return inputs_.a; }
  // The product that read_c() read last, in rows.
  std::vector<bfloat16> product() const;

 private:
  tt::tt_metal::CommandQueue& queue() { return device_->command_queue(); }

  tt::tt_metal::IDevice* const device_;
  const example::MatmulInputs inputs_, tiles_;
  const std::shared_ptr<tt::tt_metal::Buffer> a_, b_, c_;
  tt::tt_metal::Program program_;
  std::vector<bfloat16> result_;
};

// The matmul captured with its names, on a device of its own whose buffers begin behind `offset`
// (LIGHTMETAL_ALLOCATOR_OFFSET). Throws when that fails.
std::shared_ptr<const schema::File> captured_matmul(const std::string& offset);

// The same captured and loaded on the device.
std::unique_ptr<Executable> load_matmul(tt::tt_metal::IDevice* device);

inline constexpr char kMultiply[] = "multiply";  // its entry

inline constexpr uint64_t kProductElements = uint64_t{640} * 640;

// Runs it with values that stay from run to run, and fills its output. Throws when it fails.
class MatmulRequest {
 public:
  // `a` is A in rows.
  explicit MatmulRequest(const std::vector<bfloat16>& a);
  void run(Executable& executable);
  // Returns how many elements of the last product are those of `product`, which is in rows.
  uint64_t equal_elements(const std::vector<bfloat16>& product) const;

 private:
  std::vector<std::byte> a_, c_;
  const std::vector<uint32_t> shape_;
};

}  // namespace lightmetal::bench
