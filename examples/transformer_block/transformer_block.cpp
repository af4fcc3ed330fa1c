// A pre-norm transformer encoder block, recorded as a device trace and checked against a reference
// in double precision. Usage: transformer_block [--tokens N] [--width N] [--heads N] [--layers N]
// [--seed N] [--iterations N] [--classic] [--capture FILE]
#include <chrono>
#include <iostream>
#include <string>
#include <tt-metalium/device.hpp>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <tt-metalium/tilize_untilize.hpp>
#include <utility>
#include <vector>

#include "examples/common/agreement.h"
#include "examples/common/command_line.h"
#include "examples/transformer_block/encoder_block.h"
#include "examples/transformer_block/reference.h"

using namespace tt::tt_metal;

namespace {

using namespace example;
using namespace example::transformer;

struct Settings {
  BlockShape shape;
  uint32_t layers = 1;
  uint32_t seed = 1;  // of the first layer and the input; the next layer has the next one
  uint32_t iterations = 10;
  bool classic = false;
};

cxxopts::Options make_options(const std::string& program) {
  const Settings defaults;
  const auto number = [](uint32_t value) {
    return cxxopts::value<uint32_t>()->default_value(std::to_string(value));
  };
  cxxopts::Options options(program, "A pre-norm transformer encoder block\n");
  options.add_options()("tokens", "Tokens, a multiple of 32", number(defaults.shape.tokens), "N")(
      "width", "Width of the model, a multiple of 32", number(defaults.shape.width), "N")(
      "heads", "Attention heads, each a multiple of 32 wide", number(defaults.shape.heads), "N")(
      "layers", "Blocks, one behind the other", number(defaults.layers), "N")(
      "seed", "Of weights and input; each layer has the next one", number(defaults.seed), "N")(
      "iterations", "Replays of the trace", number(defaults.iterations), "N")(
      "classic", "Use the host API of 2024: a device and its buffers instead of a mesh");
  return options;
}

Settings read_settings(const cxxopts::ParseResult& arguments) {
  const auto number = [&](const char* name) { return arguments[name].as<uint32_t>(); };
  const Settings settings = {
      .shape = {.tokens = number("tokens"), .width = number("width"), .heads = number("heads")},
      .layers = number("layers"),
      .seed = number("seed"),
      .iterations = number("iterations"),
      .classic = arguments.count("classic") != 0};
  check_shape(settings.shape);
  if (settings.iterations == 0) throw UsageError("the number of iterations must be positive");
  if (settings.layers == 0) throw UsageError("the number of layers must be positive");
  return settings;
}

double milliseconds_per_run(EncoderBlock& block, uint32_t runs) {
  block.finish();
  const auto start = std::chrono::steady_clock::now();
  for (uint32_t i = 0; i < runs; ++i) block.replay_trace();
  block.finish();
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  return time.count() / runs;
}

struct Outcome {
  std::vector<bfloat16> result;
  double milliseconds = 0;
};

using Layers = std::vector<BlockWeights>;

Layers make_layers(const Settings& settings) {
  Layers layers;
  for (uint32_t i = 0; i < settings.layers; ++i)
    layers.push_back(make_weights(settings.shape, settings.seed + i));
  return layers;
}

Outcome run_block(BlockDevice& device, const Settings& settings, const Layers& layers,
                  const Matrix& input) {
  EncoderBlock block(device, settings.shape, tilized(layers[0]));
  for (size_t i = 1; i < layers.size(); ++i) block.add_layer(tilized(layers[i]));
  block.bind_tensors();
  block.write_input(tilized(input));
  block.run_programs();
  block.capture_trace();
  Outcome outcome;
  outcome.milliseconds = milliseconds_per_run(block, settings.iterations);
  // What a capture runs again, with other inputs.
  LightMetalEntryBegin("block");
  block.replay_trace();
  outcome.result = block.read_result();
  LightMetalEntryEnd();
  untilize(outcome.result, settings.shape.tokens, settings.shape.width);
  return outcome;
}

Outcome run_on_mesh(const Settings& settings, const Layers& layers, const Matrix& input) {
  auto mesh = distributed::MeshDevice::create_unit_mesh(0, DEFAULT_L1_SMALL_SIZE,
                                                        settings.layers * kTraceRegionSize);
  Outcome outcome = run_block(*on_mesh(*mesh), settings, layers, input);
  mesh->close();
  return outcome;
}

Outcome run_classic(const Settings& settings, const Layers& layers, const Matrix& input) {
  IDevice* device = CreateDevice(0, 1, DEFAULT_L1_SMALL_SIZE, settings.layers * kTraceRegionSize);
  Outcome outcome = run_block(*on_device(device), settings, layers, input);
  CloseDevice(device);
  return outcome;
}

int run(const cxxopts::ParseResult& arguments) {
  const Settings settings = read_settings(arguments);
  const BlockShape& shape = settings.shape;
  const Layers layers = make_layers(settings);
  const Matrix input = make_input(shape, settings.seed);
  const Outcome outcome = (settings.classic ? run_classic : run_on_mesh)(settings, layers, input);

  std::vector<double> expected = doubles(input.values);
  for (const BlockWeights& layer : layers)
    expected = reference::encoder_block(std::move(expected), layer, shape);
  const Agreement agreement = compare(expected, doubles(outcome.result));
  std::cout << "transformer_block: " << shape.tokens << " tokens, width " << shape.width << ", "
            << shape.heads << " heads: " << outcome.milliseconds << " ms per run of the trace, PCC "
            << agreement.pearson << ", max absolute error " << agreement.max_absolute_error << "\n";
  return agreement.pearson > 0.99 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) { return example::main(argc, argv, make_options(argv[0]), run); }
