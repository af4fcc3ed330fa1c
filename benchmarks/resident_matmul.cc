#include "benchmarks/resident_matmul.h"

#include <stdexcept>
#include <tt-metalium/lightmetal_capture_utils.hpp>

#include "examples/common/tiles.h"

namespace lightmetal::bench {
namespace {

namespace tm = tt::tt_metal;

constexpr example::MatmulShape kMatmul;
constexpr uint32_t kTiles = kMatmul.m / 32 * (kMatmul.n / 32);

TensorDesc matrix() { return {{kMatmul.m, kMatmul.n}, TensorType::BFloat16, TensorOrder::Tile}; }

void check(const absl::Status& status) {
  if (!status.ok()) throw std::runtime_error(std::string(status.message()));
}

}  // namespace

ResidentMatmul::ResidentMatmul(tm::IDevice* device)
    : device_(device),
      tiles_(example::tilized(example::make_matmul_inputs())),
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

std::unique_ptr<Executable> load_matmul(tm::IDevice* device) {
  tm::LightMetalBeginCapture();
  {
    ResidentMatmul matmul(device);
    matmul.bind();
    matmul.write_b();
    tm::LightMetalEntryBegin("multiply");
    matmul.write_a_and_launch();
    matmul.read_c();
    tm::LightMetalEntryEnd();
  }
  auto executable =
      Executable::load_bytes(tm::LightMetalEndCapture().get_data(), {.device = device});
  check(executable.status());
  return *std::move(executable);
}

MatmulRequest::MatmulRequest() : a_(matrix().size()), c_(matrix().size()), shape_(matrix().shape) {}

void MatmulRequest::run(Executable& executable) {
  const InputValues a = {"a", TensorType::BFloat16, shape_, a_};
  const OutputValues c = {"c", TensorType::BFloat16, shape_, absl::MakeSpan(c_)};
  check(executable.run("multiply", {&a, 1}, {&c, 1}));
}

}  // namespace lightmetal::bench
