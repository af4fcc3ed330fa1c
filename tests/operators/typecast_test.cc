// Conversions between types of elements: of tiles, and of rows, which are converted as if their
// elements were those of tiles, a chunk at a time.
#include <cmath>
#include <random>

#include "tests/operators/packaged_operator.h"
#include "tests/operators/specified_operator.h"
#include "tests/operators/specified_program.h"

namespace lightmetal::testing::typecast {
namespace {

using namespace tt::tt_metal;
using namespace tt::tt_metal::experimental;

constexpr uint32_t kNodes = 3, kTileElements = 1024;
constexpr char kFolder[] = "operations/copy/typecast/device/kernels/";
constexpr char kElementwise[] = "operations/eltwise/unary/device/kernels/dataflow/";

struct Cast {
  DataType from, to;

  bool has(DataType type) const { return from == type || to == type; }
  bool has_32_bits() const {
    return has(DataType::FLOAT32) || has(DataType::INT32) || has(DataType::UINT32) ||
           has(DataType::INT8);
  }
};

bool is_float(DataType type) {
  return type == DataType::BFLOAT16 || type == DataType::FLOAT32 || type == DataType::BFLOAT8_B;
}

// Numbers that both types have, but for their fractions and their last digits.
struct Range {
  double low, high;
};
Range range_of(const Cast& cast) {
  const bool is_signed = !cast.has(DataType::UINT32) && !cast.has(DataType::UINT16);
  double high = 1 << 20;
  if (cast.has(DataType::INT32)) high = 2147483647;
  if (cast.has(DataType::UINT32)) high = 4294967295;
  if (cast.has(DataType::UINT16)) high = 65535;
  if (cast.has(DataType::INT8)) high = 127;
  if (cast.has(DataType::BFLOAT8_B)) high = 3.96875;  // in steps of 1/32, below
  return {is_signed ? -high : 0, high};
}

// The nearest number that a source of the type has, towards zero.
double within(DataType type, double value) {
  if (!is_float(type)) return std::trunc(value);
  if (type == DataType::BFLOAT8_B) return std::trunc(value * 32) / 32;
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  const int bits = type == DataType::BFLOAT16 ? 8 : 24;
  return std::ldexp(std::trunc(std::ldexp(mantissa, bits)), exponent - bits);
}

std::vector<double> numbers(const Cast& cast, uint32_t count) {
  const Range range = range_of(cast);
  std::mt19937_64 generator(9);
  std::vector<double> numbers(count);
  for (double& number : numbers) {
    const double unit = static_cast<double>(generator() >> 11) / (uint64_t{1} << 53);
    number = within(cast.from, range.low + (range.high - range.low) * unit);
  }
  return numbers;
}

std::vector<double> converted(const Cast& cast, std::vector<double> numbers) {
  if (is_float(cast.to)) return numbers;
  for (double& number : numbers) number = std::trunc(number);
  return numbers;
}

// To the nearest float, which is exact where the source has no more digits.
Tolerance tolerance_of(const Cast& cast) {
  Tolerance tolerance = kEqual;
  const bool is_long = cast.from == DataType::INT32 || cast.from == DataType::UINT32;
  const bool has_more_than_8_bits =
      is_long || cast.from == DataType::FLOAT32 || cast.from == DataType::UINT16;
  if (cast.to == DataType::BFLOAT16 && has_more_than_8_bits) tolerance.relative = 1. / 256;
  if (cast.to == DataType::FLOAT32 && is_long) tolerance.relative = 1. / (1 << 24);
  if (cast.to == DataType::BFLOAT8_B && is_float(cast.from)) tolerance.absolute = 1. / 64;
  if (tolerance.relative + tolerance.absolute != 0) tolerance.correlation = 0.9999;
  return tolerance;
}

template <typename T>
MeshTensor upload_as(distributed::MeshDevice& mesh, const std::vector<double>& numbers,
                     const TensorSpec& spec) {
  return upload(mesh, std::vector<T>(numbers.begin(), numbers.end()), spec);
}
MeshTensor upload_numbers(distributed::MeshDevice& mesh, const std::vector<double>& numbers,
                          const TensorSpec& spec) {
  switch (spec.data_type()) {
    case DataType::INT32:
      return upload_as<int32_t>(mesh, numbers, spec);
    case DataType::UINT32:
      return upload_as<uint32_t>(mesh, numbers, spec);
    case DataType::UINT16:
      return upload_as<uint16_t>(mesh, numbers, spec);
    case DataType::INT8:
      return upload_as<int8_t>(mesh, numbers, spec);
    default:
      return upload_as<float>(mesh, numbers, spec);
  }
}
std::vector<float> download_numbers(distributed::MeshDevice& mesh, const MeshTensor& tensor) {
  switch (tensor.tensor_spec().data_type()) {
    case DataType::INT32:
      return download<int32_t>(mesh, tensor);
    case DataType::UINT32:
      return download<uint32_t>(mesh, tensor);
    case DataType::UINT16:
      return download<uint16_t>(mesh, tensor);
    case DataType::INT8:
      return download<int8_t>(mesh, tensor);
    default:
      return download(mesh, tensor);
  }
}

class Typecast : public PackagedOperator, public ::testing::WithParamInterface<Cast> {
 protected:
  static OperatorKernel compute(const Cast& cast, uint32_t blocks, uint32_t block_tiles) {
    const auto format = [](DataType type) {
      return static_cast<uint32_t>(datatype_to_dataformat_converter(type));
    };
    return {.source = kernel(std::string(kFolder) + "compute/eltwise_typecast.cpp"),
            .consumes = {"in"},
            .produces = {"out"},
            .constants = {{"per_core_block_cnt", blocks},
                          {"per_core_block_dim", block_tiles},
                          {"in_data_format", format(cast.from)},
                          {"out_data_format", format(cast.to)}}};
  }

  // Single precision comes to DST as it is.
  static ComputeHardwareConfig config(const Cast& cast) {
    ComputeHardwareConfig config{.enable_32_bit_dest = cast.has_32_bits()};
    if (cast.from == DataType::FLOAT32 || cast.from == DataType::INT32 ||
        cast.from == DataType::UINT32) {
      config.unpack_modes = {{DFBSpecName("in"), UnpackMode::UnpackToDest}};
    }
    return config;
  }

  static OperatorKernel pages(const std::string& name, const std::string& tensor) {
    return {.source = kernel(kElementwise + name),
            .tensors = {tensor},
            .arguments = [](const Share& share) {
              return Arguments{{"num_pages", share.count}, {"start_id", share.first}};
            }};
  }

  // Rows in chunks of so many elements, the last of a row perhaps in part.
  static OperatorKernel rows(const std::string& name, const std::string& tensor, uint32_t columns,
                             uint32_t element) {
    return {.source = kernel(std::string(kFolder) + "dataflow/" + name),
            .tensors = {tensor},
            .constants = {{"full_chunks_per_row", columns / kTileElements},
                          {"partial_chunks_per_row", columns % kTileElements == 0 ? 0u : 1u},
                          {"full_chunk_size_bytes", kTileElements * element},
                          {"partial_chunk_size_bytes", columns % kTileElements * element}},
            .arguments = [](const Share& share) {
              return Arguments{{"num_rows", share.count}, {"start_row_id", share.first}};
            }};
  }

  // Kernels take signed bytes out of buffers of unsigned ones.
  static tt::DataFormat buffer_format(DataType type) {
    return type == DataType::INT8 ? tt::DataFormat::UInt8 : datatype_to_dataformat_converter(type);
  }
  static Group<DataflowBufferSpec> buffers(const Cast& cast) {
    return {buffer_of("in", 2, buffer_format(cast.from)),
            buffer_of("out", 4, buffer_format(cast.to))};
  }

  // `specified` lacks its tensors.
  static void expect_casts(const Cast& cast, const Shape& shape, Layout layout,
                           SpecifiedOperator specified) {
    specified.reader.produces = {"in"};
    specified.writer.consumes = {"out"};
    specified.config = config(cast);
    const std::vector<double> values = numbers(cast, static_cast<uint32_t>(shape.volume()));
    const auto program = [&](distributed::MeshDevice& mesh) {
      const MeshTensor source = upload_numbers(mesh, values, spec_of(shape, cast.from, layout));
      const MeshTensor result =
          MeshTensor::allocate_on_device(mesh, spec_of(shape, cast.to, layout));
      SpecifiedOperator typecast = specified;
      typecast.tensors = {{specified.reader.tensors[0], &source},
                          {specified.writer.tensors[0], &result}};
      launch(mesh, typecast);
      return download_numbers(mesh, result);
    };
    expect_computes(program, converted(cast, values), tolerance_of(cast));
  }
};

TEST_P(Typecast, ConvertsTiles) {
  constexpr uint32_t kBlocksPerNode = 2, kBlockTiles = 2;
  const Cast cast = GetParam();
  expect_casts(cast, Shape({2, 64, 96}), Layout::TILE,
               {.reader = pages("reader_unary_interleaved_start_id_metal2.cpp", "src"),
                .compute = compute(cast, kBlocksPerNode, kBlockTiles),
                .writer = pages("writer_unary_interleaved_start_id_metal2.cpp", "dst"),
                .buffers = buffers(cast),
                .shares = shares_of(kNodes * kBlocksPerNode * kBlockTiles, kNodes)});
}

using enum DataType;
INSTANTIATE_TEST_SUITE_P(
    , Typecast,
    ::testing::Values(Cast{BFLOAT16, FLOAT32}, Cast{FLOAT32, BFLOAT16}, Cast{BFLOAT16, INT32},
                      Cast{INT32, BFLOAT16}, Cast{BFLOAT16, UINT32}, Cast{UINT32, BFLOAT16},
                      Cast{BFLOAT16, UINT16}, Cast{UINT16, BFLOAT16}, Cast{FLOAT32, INT32},
                      Cast{INT32, FLOAT32}, Cast{FLOAT32, UINT32}, Cast{UINT32, FLOAT32},
                      Cast{FLOAT32, UINT16}, Cast{UINT16, FLOAT32}, Cast{UINT16, UINT32},
                      Cast{UINT32, UINT16}, Cast{UINT16, INT32}, Cast{INT32, UINT16},
                      Cast{BFLOAT8_B, BFLOAT16}, Cast{BFLOAT16, BFLOAT8_B},
                      Cast{BFLOAT8_B, FLOAT32}, Cast{FLOAT32, BFLOAT8_B}, Cast{BFLOAT8_B, INT32},
                      Cast{INT32, BFLOAT8_B}, Cast{BFLOAT8_B, UINT16}, Cast{UINT16, BFLOAT8_B},
                      Cast{BFLOAT16, INT8}, Cast{INT8, BFLOAT16}, Cast{INT8, INT32},
                      Cast{INT32, INT8}),
    [](const auto& info) {
      return std::string(tt::tt_metal::internal::name_of(info.param.from)) + "_to_" +
             std::string(tt::tt_metal::internal::name_of(info.param.to));
    });

// Rows of 1500 elements: a whole chunk and one in part.
class TypecastRows : public Typecast {};

TEST_P(TypecastRows, ConvertsRows) {
  constexpr uint32_t kRowsPerNode = 3, kColumns = 1500, kChunks = 2;
  const Cast cast = GetParam();
  const auto bytes = [](DataType type) {
    return tt::datum_size(datatype_to_dataformat_converter(type));
  };
  expect_casts(
      cast, Shape({kNodes * kRowsPerNode, kColumns}), Layout::ROW_MAJOR,
      {.reader = rows("reader_typecast_rm_chunked.cpp", "input", kColumns, bytes(cast.from)),
       .compute = compute(cast, kRowsPerNode * kChunks, 1),
       .writer = rows("writer_typecast_rm_chunked.cpp", "output", kColumns, bytes(cast.to)),
       .buffers = buffers(cast),
       .shares = shares_of(kNodes * kRowsPerNode, kNodes)});
}

INSTANTIATE_TEST_SUITE_P(, TypecastRows,
                         ::testing::Values(Cast{BFLOAT16, FLOAT32}, Cast{FLOAT32, BFLOAT16},
                                           Cast{BFLOAT16, INT32}, Cast{UINT16, FLOAT32}),
                         [](const auto& info) {
                           return std::string(tt::tt_metal::internal::name_of(info.param.from)) +
                                  "_to_" +
                                  std::string(tt::tt_metal::internal::name_of(info.param.to));
                         });

}  // namespace
}  // namespace lightmetal::testing::typecast
