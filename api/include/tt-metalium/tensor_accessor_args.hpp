#pragma once

#include <cstdint>
#include <memory>
#include <tt-metalium/buffer.hpp>
#include <tt-metalium/mesh_buffer.hpp>
#include <vector>

namespace tensor_accessor {

// What part of a buffer's description becomes common runtime arguments of a kernel instead of
// compile-time arguments. With any of the Runtime bits it is all of the description but one word of
// flags. Sharded and IsDram change nothing.
enum class ArgConfig : uint8_t {
  None = 0,
  Sharded = 1 << 0,
  IsDram = 1 << 1,
  RuntimeRank = 1 << 2,
  RuntimeNumBanks = 1 << 3,
  RuntimeTensorShape = 1 << 4,
  RuntimeShardShape = 1 << 5,
  RuntimeBankCoords = 1 << 6,
  Runtime =
      RuntimeRank | RuntimeNumBanks | RuntimeTensorShape | RuntimeShardShape | RuntimeBankCoords,
};

constexpr ArgConfig operator|(ArgConfig a, ArgConfig b) {
  return static_cast<ArgConfig>(static_cast<uint8_t>(a) | static_cast<uint8_t>(b));
}

}  // namespace tensor_accessor

namespace tt::tt_metal {

class MeshTensor;

// Tells kernels where the pages of a buffer lie: describes an interleaved or sharded buffer in
// arguments for the kernel's TensorAccessorArgs and TensorAccessor. The address of the buffer is no
// part of the description. The meaning of the words is agreed with the kernels' headers; programs
// only append them. A plain value, which does not refer to the buffer.
class TensorAccessorArgs {
 public:
  // Throws std::runtime_error when `buffer` is null, and when one of its shards lies in a bank
  // above 65535.
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
