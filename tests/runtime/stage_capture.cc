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
  Chain(tm::IDevice* device, const std::vector<Stage>& stages, StageForm form)
      : device_(device), movable_(form == StageForm::kMovable) {
    buffers_.push_back(buffer());
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

  ScalingProgram::BufferPointer buffer() {
    auto made = scaled_buffer(device_, kPages);
    if (movable_) tm::LightMetalAllowMove(made);
    return made;
  }

  void add(const Stage& stage) {
    const auto weight = buffer(), result = buffer();
    const std::string name = "w" + std::to_string(programs_.size());
    if (stage.takes_weight) {
      tm::LightMetalBindInput(name, weight, kTensor);
    } else {
      tm::LightMetalBindConstant(name, weight, kTensor);
    }
    Words words = stage.takes_weight ? Words(kWords, 0) : counting(stage.weight);
    tm::EnqueueWriteBuffer(queue(), weight, words, true);
    using enum ScalingProgram::Addresses;
    programs_.push_back(std::make_unique<ScalingProgram>(
        buffers_.back(), weight, result, movable_ ? kByBuffer : kNumbers, stage.factor));
    buffers_.insert(buffers_.end(), {weight, result});
  }

  tm::IDevice* const device_;
  const bool movable_;
  std::vector<ScalingProgram::BufferPointer> buffers_;  // the last one is the result so far
  std::vector<std::unique_ptr<ScalingProgram>> programs_;
};

Words run(tm::IDevice* device, uint32_t x, const std::vector<Stage>& stages, StageForm form) {
  Chain chain(device, stages, form);
  const bool traced = form == StageForm::kTraced;
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
                     StageForm form) {
  tm::LightMetalBeginCapture({.path = path, .read_goldens = true});
  tm::IDevice* const device = tm::CreateDevice(0, 1, 0, kTraceRegion);
  Words result = run(device, x, stages, form);
  tm::CloseDevice(device);
  tm::LightMetalEndCapture();
  return result;
}

}  // namespace lightmetal::testing
