// Layouts: where the elements of a tensor lie.
#include <lightmetal/runtime.hpp>
#include <memory>
#include <optional>
#include <tt-metalium/tensor/spec/tensor_spec.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "api/src/tensors/tensor_type.h"
#include "base/round.h"
#include "base/status.h"
#include "replay/without_exceptions.h"
#include "runtime/state.h"

namespace lightmetal::runtime {
namespace {

namespace tm = tt::tt_metal;

constexpr uint32_t kTileSide = 32;

// Pages are whole words, so the rows of narrow elements may end with a gap.
uint32_t elements_in_word(TensorType type) { return 4 / element_size(type); }

tm::TensorSpec interleaved_spec(const TensorDesc& tensor, tm::BufferType memory) {
  const bool tiles = tensor.order == TensorOrder::Tile;
  const tm::Alignment alignment =
      tiles ? tm::Alignment() : tm::Alignment({elements_in_word(tensor.type)});
  return {
      tm::Shape(tm::Shape::Container(tensor.shape.begin(), tensor.shape.end())),
      tm::TensorLayout(tm::data_type_of(tensor.type),
                       tm::PageConfig(tiles ? tm::Layout::TILE : tm::Layout::ROW_MAJOR),
                       tm::MemoryConfig(tm::TensorMemoryLayout::INTERLEAVED, memory), alignment)};
}

// What BufferForm knows: rows, or tiles of one size that are padded no further than they must be.
absl::Status check_form(const tm::TensorSpec& spec, const TensorDesc& tensor) {
  if (tensor.order == TensorOrder::RowMajor) return absl::OkStatus();
  if (spec.tile() != tm::Tile()) {
    return absl::UnimplementedError(absl::StrCat("the tiles of a tensor are 32x32, and not ",
                                                 spec.tile().get_height(), "x",
                                                 spec.tile().get_width(), " or transposed"));
  }
  if (spec.compute_packed_buffer_size_bytes() == tensor.size_in_buffer() &&
      spec.physical_shape().width() == round_up(tensor.row_elements(), kTileSide)) {
    return absl::OkStatus();
  }
  return absl::UnimplementedError(
      absl::StrCat("the tiles of ", tensor.text(), " are padded to more than whole tiles"));
}

absl::StatusOr<TensorDesc> desc_of(const tm::TensorSpec& spec) {
  LM_ASSIGN_OR_RETURN(type, known_type(spec.data_type()));
  const tm::Shape& shape = spec.logical_shape();
  TensorDesc tensor{{shape.cbegin(), shape.cend()},
                    type,
                    spec.layout() == tm::Layout::TILE ? TensorOrder::Tile : TensorOrder::RowMajor};
  LM_RETURN_IF_ERROR(tensor.check());
  return tensor;
}

BufferShape buffer_of(const tm::TensorSpec& spec, const TensorDesc& tensor) {
  BufferShape buffer{.size = spec.compute_packed_buffer_size_bytes(),
                     .page_size = spec.compute_page_size_bytes(),
                     .memory = spec.memory_config().buffer_type(),
                     .sharding = spec.compute_buffer_sharding_args()};
  const uint64_t row_stride = spec.physical_shape().width() * element_size(tensor.type);
  buffer.row_stride = BufferForm(tensor, buffer.size, buffer.page_size, row_stride).row_stride();
  return buffer;
}

}  // namespace

absl::StatusOr<TensorType> known_type(tm::DataType type) {
  const std::optional<TensorType> known = tm::tensor_type_of(type);
  if (known.has_value()) return *known;
  return absl::UnimplementedError(
      absl::StrCat("there are no tensors of ", std::string(tm::internal::name_of(type))));
}

Layout Layout::host(TensorType type) {
  return Layout(std::make_shared<const State>(State{.type = type}));
}

absl::StatusOr<Layout> Layout::of(const TensorDesc& tensor, Location location) {
  LM_RETURN_IF_ERROR(tensor.check());
  if (location == Location::Host) {
    if (tensor.order == TensorOrder::RowMajor) return host(tensor.type);
    return absl::UnimplementedError(
        absl::StrCat("a tensor on the host lies row by row, and not as ", tensor.text()));
  }
  const tm::BufferType memory =
      location == Location::DeviceL1 ? tm::BufferType::L1 : tm::BufferType::DRAM;
  std::optional<tm::TensorSpec> spec;
  LM_RETURN_IF_ERROR(replay::without_exceptions([&] {
    spec = interleaved_spec(tensor, memory);
    return absl::OkStatus();
  }));
  return of(*spec);
}

absl::StatusOr<Layout> Layout::of(const tm::TensorSpec& spec) {
  LM_ASSIGN_OR_RETURN(tensor, desc_of(spec));
  LM_RETURN_IF_ERROR(check_form(spec, tensor));
  State state{.type = tensor.type, .order = tensor.order};
  const absl::Status made = replay::without_exceptions([&] {
    state.buffer = buffer_of(spec, tensor);
    return absl::OkStatus();
  });
  // No buffer lies in such shards.
  if (!made.ok()) return absl::UnimplementedError(made.message());
  return Layout(std::make_shared<const State>(std::move(state)));
}

bool Layout::operator==(const Layout& other) const { return *state_ == *other.state_; }
bool Layout::is_on_device() const { return state_->buffer.has_value(); }
TensorType Layout::type() const { return state_->type; }
TensorOrder Layout::order() const { return state_->order; }

}  // namespace lightmetal::runtime
