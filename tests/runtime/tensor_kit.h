#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <lightmetal/capture.hpp>
#include <lightmetal/runtime.hpp>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <utility>
#include <vector>

#include "tests/runtime/scaling_program.h"
#include "tests/support/captured_file.h"

// What tests of tensors share.
namespace lightmetal::testing {

template <class Value>
Value value_of(absl::StatusOr<Value> result) {
  EXPECT_TRUE(result.ok()) << result.status();
  if (!result.ok()) std::abort();
  return *std::move(result);
}

inline std::string message_of(const absl::Status& status) { return std::string(status.message()); }

inline absl::Span<std::byte> bytes_in(Words& words) {
  return {reinterpret_cast<std::byte*>(words.data()), words.size() * sizeof(uint32_t)};
}

// On the host, in memory of its own.
inline runtime::Tensor host_tensor(Words words) {
  return value_of(runtime::createOwnedHostTensor(bytes_in(words), kShape, TensorType::UInt32));
}

// On the device, in the layout of the executable's input.
inline runtime::Tensor uploaded(const runtime::Device& device, const Executable& executable,
                                size_t input, const Words& words) {
  runtime::Tensor tensor = value_of(runtime::allocateInputTensor(device, executable, input));
  const absl::Status status = runtime::wait(runtime::toLayout(tensor, host_tensor(words)));
  EXPECT_TRUE(status.ok()) << status;
  return tensor;
}

inline std::vector<std::byte> bytes_of_tensor(const runtime::Tensor& tensor) {
  const TensorDesc desc{tensor.shape(), tensor.layout().type()};
  std::vector<std::byte> bytes(desc.size());
  const absl::Status status = runtime::memcpy(bytes.data(), tensor);
  EXPECT_TRUE(status.ok()) << status;
  return bytes;
}

inline Words words_of(const runtime::Tensor& tensor) {
  const std::vector<std::byte> bytes = bytes_of_tensor(tensor);
  Words words(bytes.size() / sizeof(uint32_t));
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

// y = factor * x + w, captured by a program whose buffers begin behind `offset`. `w` holds these
// words unless it is an input.
struct CapturedScaling {
  uint32_t factor = 1;
  uint32_t w = 0;
  const char* offset = "0";
  bool w_is_input = false;
};

inline FilePointer captured_scaling(const CapturedScaling& made) {
  namespace tm = tt::tt_metal;
  setenv("LIGHTMETAL_ALLOCATOR_OFFSET", made.offset, 1);
  tm::LightMetalBeginCapture({.read_goldens = true});
  tm::IDevice* device = tm::CreateDevice(0);
  unsetenv("LIGHTMETAL_ALLOCATOR_OFFSET");
  {
    const auto x = scaled_buffer(device, kPages), w = scaled_buffer(device, kPages),
               y = scaled_buffer(device, kPages);
    const TensorDesc desc{kShape, TensorType::UInt32};
    tm::LightMetalBindInput("x", x, desc);
    if (made.w_is_input) {
      tm::LightMetalBindInput("w", w, desc);
    } else {
      tm::LightMetalBindConstant("w", w, desc);
    }
    tm::LightMetalBindOutput("y", y, desc);
    ScalingProgram program(x, w, y);
    program.set_factor(made.factor);
    Words words = counting(made.w), zeros(kWords, 0), result;
    tm::EnqueueWriteBuffer(device->command_queue(), w, words, false);
    tm::LightMetalEntryBegin("scale");
    tm::EnqueueWriteBuffer(device->command_queue(), x, zeros, false);
    tm::EnqueueProgram(device->command_queue(), program.program, false);
    tm::EnqueueReadBuffer(device->command_queue(), y, result, true);
    tm::LightMetalEntryEnd();
  }
  tm::CloseDevice(device);
  return open_file(tm::LightMetalEndCapture());
}

// How many bytes are allocated in that memory of the device.
inline size_t allocated_bytes(const runtime::Device& device, tt::tt_metal::BufferType memory) {
  return device.handle()->allocator()->get_statistics(memory).total_allocated_bytes;
}

}  // namespace lightmetal::testing
