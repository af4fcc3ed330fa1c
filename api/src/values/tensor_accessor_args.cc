#include <tt-metalium/assert.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>

// The writing side of the arguments; device/cpu/kernel_headers/lightmetal/tensor_accessor.h reads
// the words.
//
// The first word has a mark and flags, and how many words follow. These are the aligned page size
// and, of a sharded buffer, the number of shards, the tensor and a shard in pages (rows, columns
// each), and the banks of the shards.
namespace tt::tt_metal {
namespace {

constexpr uint32_t kMark = 0xAu << 28;
constexpr uint32_t kSharded = 1;
constexpr uint32_t kDram = 2;
constexpr uint32_t kAtRunTime = 4;
constexpr uint32_t kInOrder = 8;
constexpr uint32_t kCountShift = 8;

template <typename AnyBuffer>
const AnyBuffer& not_null(const AnyBuffer* buffer) {
  TT_FATAL(buffer != nullptr, "TensorAccessorArgs: the buffer is null");
  return *buffer;
}

// Appends the banks of the shards, two to a word, the first in the lower half.
void append_banks(const std::vector<uint32_t>& banks, std::vector<uint32_t>& words) {
  for (std::size_t shard = 0; shard < banks.size(); ++shard) {
    TT_FATAL(banks[shard] <= 0xffff, "TensorAccessorArgs: shard {} lies in bank {}, above 65535",
             shard, banks[shard]);
    if (shard % 2 == 0) {
      words.push_back(banks[shard]);
    } else {
      words.back() |= banks[shard] << 16;
    }
  }
}

void append_shards(const Buffer& buffer, std::vector<uint32_t>& words) {
  const ShardSpecBuffer& shards = buffer.shard_spec();
  const std::vector<uint32_t>& banks = buffer.get_buffer_page_mapping()->core_bank_indices_;
  const auto [shard_rows, shard_columns] = shards.shape_in_pages();
  words.insert(words.end(), {static_cast<uint32_t>(banks.size()), shards.tensor2d_shape_in_pages[0],
                             shards.tensor2d_shape_in_pages[1], shard_rows, shard_columns});
  append_banks(banks, words);
}

bool at_run_time(tensor_accessor::ArgConfig config) {
  return (static_cast<uint8_t>(config) &
          static_cast<uint8_t>(tensor_accessor::ArgConfig::Runtime)) != 0;
}

}  // namespace

TensorAccessorArgs::TensorAccessorArgs(const Buffer& buffer,
                                       tensor_accessor::ArgConfig args_config) {
  // The one page of a buffer in a single bank lies where that of an interleaved one does.
  const bool sharded = is_sharded(buffer.buffer_layout());
  std::vector<uint32_t> words = {static_cast<uint32_t>(buffer.aligned_page_size())};
  if (sharded) append_shards(buffer, words);
  uint32_t flags = kMark | static_cast<uint32_t>(words.size()) << kCountShift;
  if (sharded) flags |= kSharded;
  if (buffer.is_dram()) flags |= kDram;
  if (buffer.buffer_layout() == TensorMemoryLayout::HEIGHT_SHARDED) flags |= kInOrder;
  if (at_run_time(args_config)) flags |= kAtRunTime;
  compile_time_args_.push_back(flags);
  std::vector<uint32_t>& rest =
      at_run_time(args_config) ? common_runtime_args_ : compile_time_args_;
  rest.insert(rest.end(), words.begin(), words.end());
}

TensorAccessorArgs::TensorAccessorArgs(const Buffer* buffer, tensor_accessor::ArgConfig args_config)
    : TensorAccessorArgs(not_null(buffer), args_config) {}

TensorAccessorArgs::TensorAccessorArgs(const std::shared_ptr<Buffer>& buffer,
                                       tensor_accessor::ArgConfig args_config)
    : TensorAccessorArgs(not_null(buffer.get()), args_config) {}

TensorAccessorArgs::TensorAccessorArgs(const distributed::MeshBuffer& buffer,
                                       tensor_accessor::ArgConfig args_config)
    : TensorAccessorArgs(*buffer.get_reference_buffer(), args_config) {}

TensorAccessorArgs::TensorAccessorArgs(const distributed::MeshBuffer* buffer,
                                       tensor_accessor::ArgConfig args_config)
    : TensorAccessorArgs(not_null(buffer), args_config) {}

TensorAccessorArgs::TensorAccessorArgs(const std::shared_ptr<distributed::MeshBuffer>& buffer,
                                       tensor_accessor::ArgConfig args_config)
    : TensorAccessorArgs(not_null(buffer.get()), args_config) {}

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
