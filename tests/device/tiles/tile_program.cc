#include "tests/device/tiles/tile_program.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "device/registry/registry.h"

namespace lightmetal::device::testing {
namespace {

constexpr Core kCore{0, 0};

// Pushes the pages that the host wrote: arguments are pairs of a circular buffer and its pages.
constexpr char kFeeder[] = R"(
  void kernel_main() {
    const uint32_t count = get_arg_val<uint32_t>(0);
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t cb = get_arg_val<uint32_t>(1 + 2 * i);
      cb_push_back(cb, get_arg_val<uint32_t>(2 + 2 * i));
    }
  })";

uint64_t next_plan_id() {
  static std::atomic<uint64_t> next{uint64_t{1} << 40};  // apart from device_test_kit.h's
  return next++;
}

}  // namespace

Device& tile_device() {
  static const std::unique_ptr<Device> device = [] {
    auto opened = open_device("cpu", {});
    if (!opened.ok()) {
      std::fprintf(stderr, "%s\n", opened.status().ToString().c_str());
      std::abort();
    }
    return *std::move(opened);
  }();
  return *device;
}

TileProgram& TileProgram::add(uint8_t cb, DataFormat format, TileShape shape,
                              std::vector<std::byte> content, bool is_input) {
  const auto tiles = static_cast<uint32_t>(content.size() / tile_bytes(format, shape.elements()));
  buffers_[cb] = {.format = format,
                  .shape = shape,
                  .tiles = tiles,
                  .is_input = is_input,
                  .content = std::move(content),
                  .address = 0};
  return *this;
}

TileProgram& TileProgram::input(uint8_t cb, DataFormat format, const std::vector<Tile>& tiles,
                                TileShape shape) {
  std::vector<std::byte> content;
  for (const Tile& tile : tiles) {
    const auto bytes = encode_tile(format, tile);
    content.insert(content.end(), bytes.begin(), bytes.end());
  }
  return add(cb, format, shape, std::move(content), true);
}

TileProgram& TileProgram::input_words(uint8_t cb, DataFormat format,
                                      const std::vector<WordTile>& tiles, TileShape shape) {
  std::vector<std::byte> content;
  for (const WordTile& tile : tiles) {
    const auto bytes = encode_words(format, tile);
    content.insert(content.end(), bytes.begin(), bytes.end());
  }
  return add(cb, format, shape, std::move(content), true);
}

TileProgram& TileProgram::input_bytes(uint8_t cb, DataFormat format,
                                      const std::vector<std::byte>& bytes, TileShape shape) {
  return add(cb, format, shape, bytes, true);
}

TileProgram& TileProgram::output(uint8_t cb, DataFormat format, uint32_t tiles, TileShape shape) {
  const size_t size = size_t{tile_bytes(format, shape.elements())} * tiles;
  return add(cb, format, shape, std::vector<std::byte>(size, std::byte{0xCC}), false);
}

TileProgram& TileProgram::args(std::vector<uint32_t> values) {
  args_ = std::move(values);
  return *this;
}

TileProgram& TileProgram::on(Device& device) {
  device_ = &device;
  return *this;
}

TileProgram& TileProgram::feeder(std::string text) {
  feeder_ = std::move(text);
  return *this;
}

absl::StatusOr<KernelPlan> TileProgram::load(const KernelSource& source) const {
  LM_ASSIGN_OR_RETURN(object, device().compile(source));
  LM_ASSIGN_OR_RETURN(kernel, device().load(object, source.name));
  return KernelPlan{.kernel = kernel, .processor = source.processor, .noc = 0, .name = source.name};
}

TileProgram& TileProgram::prelude(std::string text) {
  prelude_ = std::move(text);
  return *this;
}

absl::Status TileProgram::place_buffers() {
  uint32_t address = device().profile().l1_unreserved_base;
  for (auto& [cb, buffer] : buffers_) {
    buffer.address = address;
    address += (static_cast<uint32_t>(buffer.content.size()) + 31) / 32 * 32;
    if (!buffer.is_input) std::memset(buffer.content.data(), 0xCC, buffer.content.size());
    LM_RETURN_IF_ERROR(device().write_l1(kCore, buffer.address,
                                         bytes_of(buffer.content.data(), buffer.content.size())));
  }
  return absl::OkStatus();
}

absl::Status TileProgram::read_buffers() {
  for (auto& [cb, buffer] : buffers_) {
    if (buffer.is_input) continue;
    LM_RETURN_IF_ERROR(
        device().read_l1(kCore, buffer.address, {buffer.content.data(), buffer.content.size()}));
  }
  return absl::OkStatus();
}

KernelSource TileProgram::compute_source(const std::string& body) const {
  KernelSource source = source_;
  source.name = "tile_program.cpp";
  source.text = absl::StrCat(prelude_, "\nvoid kernel_main() {\n", body, "\n}\n");
  source.processor = Processor::kCompute;
  for (const auto& [cb, buffer] : buffers_) {
    source.circular_buffers.push_back({.index = cb,
                                       .format = buffer.format,
                                       .tile_height = buffer.shape.rows,
                                       .tile_width = buffer.shape.columns});
  }
  return source;
}

CorePlan TileProgram::plan_core() const {
  CorePlan core;
  core.core = kCore;
  for (const auto& [cb, buffer] : buffers_) {
    core.circular_buffers.push_back({.index = cb,
                                     .format = buffer.format,
                                     .address = buffer.address,
                                     .size = static_cast<uint32_t>(buffer.content.size()),
                                     .page_size = buffer.tile_bytes()});
  }
  return core;
}

std::vector<uint32_t> TileProgram::feeder_args() const {
  std::vector<uint32_t> args = {0};
  for (const auto& [cb, buffer] : buffers_) {
    if (!buffer.is_input) continue;
    args.insert(args.end(), {cb, buffer.tiles});
    ++args[0];
  }
  return args;
}

Launch TileProgram::launch_of(KernelPlan compute, KernelPlan feeder) const {
  const std::vector<uint32_t> fed = feeder_args();
  Launch launch{.plan = nullptr, .args = args_};
  launch.args.insert(launch.args.end(), fed.begin(), fed.end());
  const auto own = static_cast<uint32_t>(args_.size());
  CorePlan core = plan_core();
  core.kernels.resize(2);
  core.kernels[0] = {.kernel = 0, .args_begin = 0, .args_count = own};
  core.kernels[1] = {
      .kernel = 1, .args_begin = own, .args_count = static_cast<uint32_t>(fed.size())};
  LaunchPlan plan;
  plan.id = next_plan_id();
  plan.kernels = {std::move(compute), std::move(feeder)};
  plan.cores = {std::move(core)};
  launch.plan = std::make_shared<const LaunchPlan>(std::move(plan));
  return launch;
}

absl::Status TileProgram::run(const std::string& body) {
  KernelSource feeder_source;
  feeder_source.name = "feeder.cpp";
  feeder_source.text = feeder_.empty() ? kFeeder : feeder_;
  LM_ASSIGN_OR_RETURN(feeder, load(feeder_source));
  LM_ASSIGN_OR_RETURN(compute, load(compute_source(body)));
  LM_RETURN_IF_ERROR(place_buffers());
  LM_RETURN_IF_ERROR(device().launch(launch_of(std::move(compute), std::move(feeder))));
  return read_buffers();
}

std::vector<std::byte> TileProgram::bytes(uint8_t cb, uint32_t tile) const {
  const Buffer& buffer = buffers_.at(cb);
  const size_t size = buffer.tile_bytes();
  const auto begin = buffer.content.begin() + static_cast<std::ptrdiff_t>(tile * size);
  return {begin, begin + static_cast<std::ptrdiff_t>(size)};
}

Tile TileProgram::floats(uint8_t cb, uint32_t tile) const {
  return decode_tile(buffers_.at(cb).format, bytes(cb, tile));
}

WordTile TileProgram::words(uint8_t cb, uint32_t tile) const {
  return decode_words(buffers_.at(cb).format, bytes(cb, tile));
}

std::string message_of(const absl::Status& status) {
  return status.ok() ? "no failure" : std::string(status.message());
}

}  // namespace lightmetal::device::testing
