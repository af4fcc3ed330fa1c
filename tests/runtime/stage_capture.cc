#include "tests/runtime/stage_capture.h"

#include <lightmetal/capture.hpp>
#include <memory>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>

#include "base/tensor_desc.h"

namespace lightmetal::testing {
namespace {

namespace tm = tt::tt_metal;

constexpr size_t kTraceRegion = size_t{1} << 20;

class Chain {
 public:
  Chain(tm::IDevice* device, const std::vector<Stage>& stages) : device_(device) {
    buffers_.push_back(scaled_buffer(device, kPages));
    tm::LightMetalBindInput("x", buffers_[0], kTensor);
    for (const Stage& stage : stages) add(stage);
    tm::LightMetalBindOutput("y", buffers_.back(), kTensor);
  }

  void write(Words x) { tm::EnqueueWriteBuffer(queue(), buffers_[0], x, false); }
  void launch() {
    for (const auto& stage : programs_) tm::EnqueueProgram(queue(), stage->program, false);
  }
  uint32_t record_trace() {
    launch();  // a program runs once before it is a part of a trace
    const uint32_t trace = tm::BeginTraceCapture(device_, 0);
    launch();
    tm::EndTraceCapture(device_, 0, trace);
    return trace;
  }
  void replay(uint32_t trace) { tm::ReplayTrace(device_, 0, trace, false); }
  Words read() {
    Words words;
    tm::EnqueueReadBuffer(queue(), buffers_.back(), words, true);
    return words;
  }

 private:
  inline static const TensorDesc kTensor{kShape, TensorType::UInt32};

  tm::CommandQueue& queue() { return device_->command_queue(); }

  void add(const Stage& stage) {
    const auto weight = scaled_buffer(device_, kPages), result = scaled_buffer(device_, kPages);
    const std::string name = "w" + std::to_string(programs_.size());
    if (stage.takes_weight) {
      tm::LightMetalBindInput(name, weight, kTensor);
    } else {
      tm::LightMetalBindConstant(name, weight, kTensor);
    }
    Words words = stage.takes_weight ? Words(kWords, 0) : counting(stage.weight);
    tm::EnqueueWriteBuffer(queue(), weight, words, true);
    programs_.push_back(std::make_unique<ScalingProgram>(buffers_.back(), weight, result));
    programs_.back()->set_factor(stage.factor);
    buffers_.insert(buffers_.end(), {weight, result});
  }

  tm::IDevice* const device_;
  std::vector<ScalingProgram::BufferPointer> buffers_;  // the last one is the result so far
  std::vector<std::unique_ptr<ScalingProgram>> programs_;
};

Words run(tm::IDevice* device, uint32_t x, const std::vector<Stage>& stages, bool traced) {
  Chain chain(device, stages);
  const uint32_t trace = traced ? chain.record_trace() : 0;
  tm::LightMetalEntryBegin("run");
  chain.write(counting(x));
  if (traced) {
    chain.replay(trace);
  } else {
    chain.launch();
  }
  Words result = chain.read();
  tm::LightMetalEntryEnd();
  return result;
}

}  // namespace

Words capture_stages(const std::string& path, uint32_t x, const std::vector<Stage>& stages,
                     bool traced) {
  tm::LightMetalBeginCapture({.path = path, .read_goldens = true});
  tm::IDevice* const device = tm::CreateDevice(0, 1, 0, kTraceRegion);
  Words result = run(device, x, stages, traced);
  tm::CloseDevice(device);
  tm::LightMetalEndCapture();
  return result;
}

}  // namespace lightmetal::testing
