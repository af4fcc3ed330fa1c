#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// The headers that a kernel of a specified program sees before its own text. Their form is what the
// kernels of October 2026 were compiled with; scripts/kernel_bindings.py makes up headers of the
// same form for kernels without a host program, and a test compares the two.
namespace tt::tt_metal::experimental::metal2 {

// What compute functions are told of entries, by the numbers of the kernel's LLKMetadata.
struct OperandFormat {
  uint8_t data_format = 0;
  uint8_t face_height = 16;
  uint8_t face_width = 16;
  uint8_t faces_in_a_column = 2;
  uint8_t faces_in_a_row = 2;
};

// The names by which one kernel knows the resources of its program and its arguments, with what
// stands behind each. Words are counted from 0 among the arguments of their kind.
struct KernelNames {
  struct DataflowBuffer {
    std::string name;
    uint32_t index = 0;  // of the circular buffer
    std::optional<OperandFormat> format = {};
  };
  struct Semaphore {
    std::string name;
    uint32_t id = 0;
  };
  struct Tensor {
    std::string name;
    uint32_t first_compile_time_word = 0;
    uint32_t address_word = 0;  // among the common arguments; its runtime words follow
    std::optional<OperandFormat> format = {};
  };
  struct TensorSequence {
    std::string name;
    std::vector<std::string> tensors;
  };
  struct Scratchpad {
    std::string name;
    uint32_t address_word = 0;  // among the common arguments
    uint32_t size = 0;          // bytes
    std::optional<OperandFormat> format = {};
  };
  struct Constant {
    std::string name;
    uint32_t value = 0;
  };

  std::vector<DataflowBuffer> dataflow_buffers = {};
  std::vector<Semaphore> semaphores = {};
  std::vector<Tensor> tensors = {};
  std::vector<TensorSequence> tensor_sequences = {};
  std::vector<Scratchpad> scratchpads = {};

  std::vector<std::string> runtime_args = {};  // from word 0 on; varargs follow
  std::vector<std::string> common_args = {};   // likewise, but for the varargs
  std::vector<Constant> constants = {};
  uint32_t first_common_vararg = 0;
  uint32_t first_compile_time_vararg = 0;
  uint32_t num_compile_time_varargs = 0;
};

// kernel_bindings_generated.h: the tokens in the namespaces dfb, sem, tensor and scratch.
std::string bindings_header(const KernelNames& names);
// kernel_args_generated.h: the arguments in the namespace args, and the functions for varargs.
std::string args_header(const KernelNames& names);

}  // namespace tt::tt_metal::experimental::metal2
