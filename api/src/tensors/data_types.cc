#include <algorithm>
#include <array>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/tensor/spec/layout/layout.hpp>
#include <tt-metalium/tensor/types/data_types.hpp>

namespace tt::tt_metal {
namespace {

struct DataTypeFacts {
  DataType type;
  std::string_view name;
  tt::DataFormat format;
};

constexpr std::array<DataTypeFacts, 10> kDataTypes = {{
    {DataType::BFLOAT16, "BFLOAT16", tt::DataFormat::Float16_b},
    {DataType::FLOAT32, "FLOAT32", tt::DataFormat::Float32},
    {DataType::UINT32, "UINT32", tt::DataFormat::UInt32},
    {DataType::BFLOAT8_B, "BFLOAT8_B", tt::DataFormat::Bfp8_b},
    {DataType::BFLOAT4_B, "BFLOAT4_B", tt::DataFormat::Bfp4_b},
    {DataType::UINT8, "UINT8", tt::DataFormat::UInt8},
    {DataType::UINT16, "UINT16", tt::DataFormat::UInt16},
    {DataType::INT32, "INT32", tt::DataFormat::Int32},
    {DataType::FP8_E4M3, "FP8_E4M3", tt::DataFormat::Fp8_e4m3},
    {DataType::INT8, "INT8", tt::DataFormat::Int8},
}};

}  // namespace

std::string_view internal::name_of(DataType data_type) {
  const auto* found = std::ranges::find(kDataTypes, data_type, &DataTypeFacts::type);
  return found == kDataTypes.end() ? "INVALID" : found->name;
}

std::ostream& operator<<(std::ostream& os, const DataType& data_type) {
  return os << internal::name_of(data_type);
}

bool is_block_float(DataType dtype) {
  return dtype == DataType::BFLOAT8_B || dtype == DataType::BFLOAT4_B;
}

bool is_floating_point(DataType dtype) {
  return dtype == DataType::BFLOAT16 || dtype == DataType::FLOAT32 || dtype == DataType::FP8_E4M3 ||
         is_block_float(dtype);
}

tt::DataFormat datatype_to_dataformat_converter(DataType datatype) {
  const auto* found = std::ranges::find(kDataTypes, datatype, &DataTypeFacts::type);
  TT_FATAL(found != kDataTypes.end(), "Data type {} has no data format", datatype);
  return found->format;
}

DataType dataformat_to_datatype_converter(tt::DataFormat dataformat) {
  const auto* found = std::ranges::find(kDataTypes, dataformat, &DataTypeFacts::format);
  TT_FATAL(found != kDataTypes.end(), "No tensor has elements of data format {}", dataformat);
  return found->type;
}

uint32_t tile_size(DataType dtype) {
  return tt::tile_size(datatype_to_dataformat_converter(dtype));
}

std::ostream& operator<<(std::ostream& os, const NdShardSpec& spec) {
  return os << "NdShardSpec(shard_shape=" << spec.shard_shape << ", grid=" << spec.grid
            << ", orientation=" << internal::name_of(spec.orientation)
            << ", strategy=" << internal::name_of(spec.shard_distribution_strategy) << ")";
}

std::ostream& operator<<(std::ostream& os, const Layout& layout) {
  constexpr std::array<std::string_view, 3> kNames = {"ROW_MAJOR", "TILE", "INVALID"};
  return os << kNames.at(static_cast<size_t>(layout));
}

}  // namespace tt::tt_metal
