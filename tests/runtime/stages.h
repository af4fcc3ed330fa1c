#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <lightmetal/runtime.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/runtime/scaling_program.h"

// Files that processes of their own have captured (capture_stages.cc), and the tensors that are
// given to them.
namespace lightmetal::testing {

// What a test cannot go on without.
template <class Value>
Value value_of(absl::StatusOr<Value> result) {
  EXPECT_TRUE(result.ok()) << result.status();
  if (!result.ok()) std::abort();
  return *std::move(result);
}

inline absl::Span<std::byte> bytes_in(Words& words) {
  return {reinterpret_cast<std::byte*>(words.data()), words.size() * sizeof(uint32_t)};
}

// On the host, in memory of its own.
inline runtime::Tensor tensor_of(Words words) {
  return value_of(runtime::createOwnedHostTensor(bytes_in(words), kShape, TensorType::UInt32));
}

inline Words words_of(const runtime::Tensor& tensor) {
  Words words(kWords);
  const absl::Status status = runtime::memcpy(words.data(), tensor);
  EXPECT_TRUE(status.ok()) << status;
  return words;
}

// On the device, in the layout of the executable's input.
inline runtime::Tensor uploaded(const runtime::Device& device, const Executable& executable,
                                size_t input, const Words& words) {
  runtime::Tensor tensor = value_of(runtime::allocateInputTensor(device, executable, input));
  const absl::Status status = runtime::wait(runtime::toLayout(tensor, tensor_of(words)));
  EXPECT_TRUE(status.ok()) << status;
  return tensor;
}

}  // namespace lightmetal::testing
