#include "benchmarks/resident_matmul.h"

#include <cstdlib>
#include <cstring>
#include <span>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <tt-metalium/tilize_untilize.hpp>

#include "benchmarks/values.h"
#include "examples/common/tiles.h"
#include "schema/file/reader.h"

namespace lightmetal::bench {
namespace {

namespace tm = tt::tt_metal;

constexpr example::MatmulShape kMatmul;
constexpr uint32_t kTiles = kMatmul.m / 32 * (kMatmul.n / 32);

TensorDesc matrix() { return {{kMatmul.m, kMatmul.n}, TensorType::BFloat16, TensorOrder::Tile}; }

void run_captured(tm::IDevice* device) {
  ResidentMatmul matmul(device);
  matmul.bind();
  matmul.write_b();
  tm::LightMetalEntryBegin(kMultiply);
  matmul.write_a_and_launch();
  matmul.read_c();
  tm::LightMetalEntryEnd();
}

}  // namespace

ResidentMatmul::ResidentMatmul(tm::IDevice* device)
    : device_(device),
      inputs_(example::make_matmul_inputs()),
      tiles_(example::tilized(inputs_)),
      a_(example::make_tiles(device, kTiles)),
      b_(example::make_tiles(device, kTiles)),
      c_(example::make_tiles(device, kTiles)),
      program_(example::make_matmul_program(device->compute_with_storage_grid_size(), kMatmul,
                                            {a_->address(), b_->address(), c_->address()})) {}

void ResidentMatmul::bind() {
  tm::LightMetalBindInput("a", a_, matrix());
  tm::LightMetalBindConstant("b", b_, matrix());
  tm::LightMetalBindOutput("c", c_, matrix());
}

void ResidentMatmul::write_b() { tm::EnqueueWriteBuffer(queue(), b_, tiles_.b, true); }

void ResidentMatmul::write_a_and_launch() {
  tm::EnqueueWriteBuffer(queue(), a_, tiles_.a, false);
  tm::EnqueueProgram(queue(), program_, false);
}

void ResidentMatmul::read_c() { tm::EnqueueReadBuffer(queue(), c_, result_, true); }

std::vector<bfloat16> ResidentMatmul::product() const {
  std::vector<bfloat16> rows = result_;
  untilize(rows, kMatmul.m, kMatmul.n);
  return rows;
}

std::shared_ptr<const schema::File> captured_matmul(const std::string& offset) {
  setenv("LIGHTMETAL_ALLOCATOR_OFFSET", offset.c_str(), 1);
  tm::LightMetalBeginCapture();
  tm::IDevice* const device = tm::CreateDevice(0);
  unsetenv("LIGHTMETAL_ALLOCATOR_OFFSET");
  run_captured(device);
  tm::CloseDevice(device);
  const tm::LightMetalBinary binary = tm::LightMetalEndCapture();
  const auto bytes = std::as_bytes(std::span(binary.get_data()));
  return value_of(schema::File::from_bytes({bytes.begin(), bytes.end()}));
}

std::unique_ptr<Executable> load_matmul(tm::IDevice* device) {
  tm::LightMetalBeginCapture();
  run_captured(device);
  return value_of(
      Executable::load_bytes(tm::LightMetalEndCapture().get_data(), {.device = device}));
}

MatmulRequest::MatmulRequest(const std::vector<bfloat16>& a)
    : a_(matrix().size()), c_(matrix().size()), shape_(matrix().shape) {
  std::memcpy(a_.data(), a.data(), a_.size());
}

uint64_t MatmulRequest::equal_elements(const std::vector<bfloat16>& product) const {
  uint64_t equal = 0;
  for (size_t i = 0; i < product.size() && i < kProductElements; ++i) {
    equal += std::memcmp(&product[i], c_.data() + i * sizeof(bfloat16), sizeof(bfloat16)) == 0;
  }
  return equal;
}

void MatmulRequest::run(Executable& executable) {
  const InputValues a = {"a", TensorType::BFloat16, shape_, a_};
  const OutputValues c = {"c", TensorType::BFloat16, shape_, absl::MakeSpan(c_)};
  require_ok(executable.run(kMultiply, {&a, 1}, {&c, 1}));
}

}  // namespace lightmetal::bench
