#pragma once

#include <cstddef>
#include <cstdint>
#include <hostdevcommon/tensor_accessor/arg_config.hpp>
#include <memory>
#include <tt-metalium/buffer.hpp>
#include <tt-metalium/mesh_buffer.hpp>
#include <vector>

namespace tt::tt_metal {

class MeshTensor;

// Tells kernels where the pages of a buffer lie: describes an interleaved or sharded buffer in
// arguments for the kernel's TensorAccessorArgs and TensorAccessor. The address of the buffer is no
// part of the description. hostdevcommon/tensor_accessor/arg_config.hpp says what the words mean,
// and which Runtime bits need others; programs only append them. A plain value, which does not
// refer to the buffer.
class TensorAccessorArgs {
 public:
  static constexpr size_t MAX_NUM_DIMENSIONS = 8;

  // Describes no buffer, in two words that are 0: for a kernel whose arguments have a place for a
  // tensor that it does not use.
  TensorAccessorArgs() : compile_time_args_(2) {}
  // Of `args_config`, Sharded and IsDram change nothing; nor does a Runtime bit whose part the
  // buffer has not, which is RuntimePageSize for a sharded buffer and each other one for an
  // interleaved one. A Buffer that is null is no buffer. Throws std::runtime_error when a bit that
  // needs another one lacks it, and when a MeshBuffer is null.
  explicit TensorAccessorArgs(const Buffer& buffer, tensor_accessor::ArgConfig args_config =
                                                        tensor_accessor::ArgConfig::None);
  explicit TensorAccessorArgs(const Buffer* buffer, tensor_accessor::ArgConfig args_config =
                                                        tensor_accessor::ArgConfig::None);
  explicit TensorAccessorArgs(
      const std::shared_ptr<Buffer>& buffer,
      tensor_accessor::ArgConfig args_config = tensor_accessor::ArgConfig::None);
  // Describes a mesh buffer: where the pages of each device's part lie.
  explicit TensorAccessorArgs(
      const distributed::MeshBuffer& buffer,
      tensor_accessor::ArgConfig args_config = tensor_accessor::ArgConfig::None);
  explicit TensorAccessorArgs(
      const distributed::MeshBuffer* buffer,
      tensor_accessor::ArgConfig args_config = tensor_accessor::ArgConfig::None);
  explicit TensorAccessorArgs(
      const std::shared_ptr<distributed::MeshBuffer>& buffer,
      tensor_accessor::ArgConfig args_config = tensor_accessor::ArgConfig::None);
  // Describes a tensor's mesh buffer.
  explicit TensorAccessorArgs(const MeshTensor& tensor, tensor_accessor::ArgConfig args_config =
                                                            tensor_accessor::ArgConfig::None);

  // An interleaved buffer in DRAM, or in L1, whose size of a page is not known and is 0 here: the
  // kernel gives it to its TensorAccessor.
  static TensorAccessorArgs create_dram_interleaved();
  static TensorAccessorArgs create_l1_interleaved();

  // Appends the arguments. The form without common runtime arguments throws std::runtime_error when
  // there are some.
  void append_to(std::vector<uint32_t>& compile_time_args) const;
  void append_to(std::vector<uint32_t>& compile_time_args,
                 std::vector<uint32_t>& common_runtime_args) const;

  const std::vector<uint32_t>& get_compile_time_args() const { return compile_time_args_; }
  const std::vector<uint32_t>& get_common_runtime_args() const { return common_runtime_args_; }

 private:
  std::vector<uint32_t> compile_time_args_;
  std::vector<uint32_t> common_runtime_args_;
};

}  // namespace tt::tt_metal
