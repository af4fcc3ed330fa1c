#include <tt-metalium/assert.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>

// The writing side of hostdevcommon/tensor_accessor/arg_config.hpp;
// device/cpu/kernel_headers/lightmetal/tensor_accessor_args.h reads the words.
namespace tt::tt_metal {
namespace {

using tensor_accessor::ArgConfig;

const distributed::MeshBuffer& not_null(const distributed::MeshBuffer* buffer) {
  TT_FATAL(buffer != nullptr, "TensorAccessorArgs: the buffer is null");
  return *buffer;
}

// The Runtime bits that say something about the buffer, and what the buffer is.
ArgConfig config_of(const Buffer& buffer, ArgConfig asked) {
  const bool sharded = is_sharded(buffer.buffer_layout());
  const ArgConfig parts =
      sharded ? ArgConfig::Runtime & ~ArgConfig::RuntimePageSize : ArgConfig::RuntimePageSize;
  return (asked & parts) | (sharded ? ArgConfig::Sharded : ArgConfig::None) |
         (buffer.is_dram() ? ArgConfig::IsDram : ArgConfig::None);
}

void check(ArgConfig config) {
  const auto shapes = ArgConfig::RuntimeTensorShape | ArgConfig::RuntimeShardShape;
  TT_FATAL(!has(config, ArgConfig::RuntimeRank) || (config & shapes) == shapes,
           "TensorAccessorArgs: RuntimeRank needs RuntimeTensorShape and RuntimeShardShape");
  TT_FATAL(!has(config, ArgConfig::RuntimeNumBanks) || has(config, ArgConfig::RuntimeBankCoords),
           "TensorAccessorArgs: RuntimeNumBanks needs RuntimeBankCoords");
}

// The shapes of the tensor and of a shard, in pages. The shards of a height sharded buffer take the
// pages in order, so that these have one dimension where a shard is narrower than the tensor.
struct Shapes {
  std::vector<uint32_t> tensor;
  std::vector<uint32_t> shard;
};
Shapes shapes_of(const Buffer& buffer) {
  if (const BufferDistributionSpec* spec = buffer.distribution()) {
    const Shape &tensor = spec->tensor_shape_in_pages(), &shard = spec->shard_shape_in_pages();
    return {{tensor.cbegin(), tensor.cend()}, {shard.cbegin(), shard.cend()}};
  }
  const ShardSpecBuffer& shards = buffer.shard_spec();
  const auto [shard_rows, shard_columns] = shards.shape_in_pages();
  const auto& tensor = shards.tensor2d_shape_in_pages;
  if (buffer.buffer_layout() == TensorMemoryLayout::HEIGHT_SHARDED && shard_columns != tensor[1])
    return {{tensor[0] * tensor[1]}, {shard_rows * shard_columns}};
  return {{tensor[0], tensor[1]}, {shard_rows, shard_columns}};
}

// The cores, or DRAM banks as cores of one row, in the order in which they get shards.
std::vector<CoreCoord> cores_of(const Buffer& buffer) {
  const BufferDistributionSpec* spec = buffer.distribution();
  return spec != nullptr ? spec->cores() : buffer.get_buffer_page_mapping()->all_cores;
}

// How many banks there are, and if consecutive shards share a bank.
uint32_t num_banks_word(const Buffer& buffer, size_t num_banks) {
  const BufferDistributionSpec* spec = buffer.distribution();
  const bool is_contiguous = spec != nullptr && spec->shard_distribution_strategy() ==
                                                    ShardDistributionStrategy::CONTIGUOUS_1D;
  return tensor_accessor::pack_num_banks(static_cast<uint32_t>(num_banks), is_contiguous);
}

// Two banks to a word. All of them fit: the grid of a chip is small.
std::vector<uint32_t> banks_of(const Buffer& buffer, const std::vector<CoreCoord>& cores) {
  TT_FATAL(buffer.device()->is_initialized(), "Device {} is closed", buffer.device()->id());
  std::vector<uint32_t> words((cores.size() + 1) / 2);
  for (std::size_t i = 0; i < cores.size(); ++i) {
    auto packed = static_cast<uint32_t>(cores[i].x);
    if (!buffer.is_dram()) {
      const CoreCoord on_noc =
          buffer.device()->virtual_core_from_logical_core(cores[i], buffer.core_type());
      packed = static_cast<uint32_t>(on_noc.x << 8 | on_noc.y);
    }
    words[i / 2] |= packed << i % 2 * 16;
  }
  return words;
}

}  // namespace

TensorAccessorArgs::TensorAccessorArgs(const Buffer& buffer,
                                       tensor_accessor::ArgConfig args_config) {
  const ArgConfig config = config_of(buffer, args_config);
  check(config);
  compile_time_args_.push_back(static_cast<uint32_t>(config));
  const auto append = [&](ArgConfig runtime, const std::vector<uint32_t>& words) {
    auto& args = has(config, runtime) ? common_runtime_args_ : compile_time_args_;
    args.insert(args.end(), words.begin(), words.end());
  };
  append(ArgConfig::RuntimePageSize, {static_cast<uint32_t>(buffer.aligned_page_size())});
  // The one page of a buffer in a single bank lies where that of an interleaved one does.
  if (!has(config, ArgConfig::Sharded)) return;
  const Shapes shapes = shapes_of(buffer);
  const std::vector<CoreCoord> cores = cores_of(buffer);
  append(ArgConfig::RuntimeRank, {static_cast<uint32_t>(shapes.tensor.size())});
  append(ArgConfig::RuntimeNumBanks, {num_banks_word(buffer, cores.size())});
  append(ArgConfig::RuntimeTensorShape, shapes.tensor);
  append(ArgConfig::RuntimeShardShape, shapes.shard);
  append(ArgConfig::RuntimeBankCoords, banks_of(buffer, cores));
}

TensorAccessorArgs::TensorAccessorArgs(const Buffer* buffer, tensor_accessor::ArgConfig args_config)
    : TensorAccessorArgs(buffer == nullptr ? TensorAccessorArgs()
                                           : TensorAccessorArgs(*buffer, args_config)) {}

TensorAccessorArgs::TensorAccessorArgs(const std::shared_ptr<Buffer>& buffer,
                                       tensor_accessor::ArgConfig args_config)
    : TensorAccessorArgs(buffer.get(), args_config) {}

TensorAccessorArgs::TensorAccessorArgs(const distributed::MeshBuffer& buffer,
                                       tensor_accessor::ArgConfig args_config)
    : TensorAccessorArgs(*buffer.get_reference_buffer(), args_config) {}

TensorAccessorArgs::TensorAccessorArgs(const distributed::MeshBuffer* buffer,
                                       tensor_accessor::ArgConfig args_config)
    : TensorAccessorArgs(not_null(buffer), args_config) {}

TensorAccessorArgs::TensorAccessorArgs(const std::shared_ptr<distributed::MeshBuffer>& buffer,
                                       tensor_accessor::ArgConfig args_config)
    : TensorAccessorArgs(not_null(buffer.get()), args_config) {}

TensorAccessorArgs TensorAccessorArgs::create_dram_interleaved() {
  TensorAccessorArgs args;
  args.compile_time_args_.front() = static_cast<uint32_t>(ArgConfig::IsDram);
  return args;
}

TensorAccessorArgs TensorAccessorArgs::create_l1_interleaved() { return {}; }

void TensorAccessorArgs::append_to(std::vector<uint32_t>& compile_time_args) const {
  TT_FATAL(common_runtime_args_.empty(),
           "TensorAccessorArgs: {} common runtime arguments need a vector of their own",
           common_runtime_args_.size());
  compile_time_args.insert(compile_time_args.end(), compile_time_args_.begin(),
                           compile_time_args_.end());
}

void TensorAccessorArgs::append_to(std::vector<uint32_t>& compile_time_args,
                                   std::vector<uint32_t>& common_runtime_args) const {
  compile_time_args.insert(compile_time_args.end(), compile_time_args_.begin(),
                           compile_time_args_.end());
  common_runtime_args.insert(common_runtime_args.end(), common_runtime_args_.begin(),
                             common_runtime_args_.end());
}

}  // namespace tt::tt_metal
