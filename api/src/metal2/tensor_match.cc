#include <tt-metalium/experimental/metal2_host_api/tensor_spec_relaxations.hpp>
#include <tt-metalium/tensor/spec/tensor_spec.hpp>
#include <utility>

#include "absl/hash/hash.h"

namespace tt::tt_metal::experimental {
namespace {

// What of a specification has to match under a relaxation, as lists that are compared: it says
// nothing where it is empty.
struct Pertinent {
  std::vector<uint32_t> logical_shape = {};
  std::vector<uint32_t> padded_shape = {};
  size_t rank = 0;
  size_t page_size = 0;

  friend bool operator==(const Pertinent&, const Pertinent&) = default;
  template <typename H>
  friend H AbslHashValue(H state, const Pertinent& all) {
    return H::combine(std::move(state), all.logical_shape, all.padded_shape, all.rank,
                      all.page_size);
  }
};

std::vector<uint32_t> extents_of(const Shape& shape) { return {shape.cbegin(), shape.cend()}; }

Pertinent pertinent_of(const TensorSpec& spec, const TensorSpecRelaxations& relaxation) {
  if (relaxation.dynamic_tensor_shape) {
    return {.rank = relaxation.relax_logical_rank ? 0 : spec.logical_shape().rank(),
            .page_size = relaxation.match_page_size ? spec.compute_page_size_bytes() : 0};
  }
  if (relaxation.match_padded_shape_only) return {.padded_shape = extents_of(spec.padded_shape())};
  return {.logical_shape = extents_of(spec.logical_shape()),
          .padded_shape = extents_of(spec.padded_shape())};
}

}  // namespace

bool tensorspecs_match_with_relaxation(const TensorSpec& a, const TensorSpec& b,
                                       const TensorSpecRelaxations& relaxation) {
  return a.data_type() == b.data_type() && a.page_config() == b.page_config() &&
         a.memory_config() == b.memory_config() &&
         pertinent_of(a, relaxation) == pertinent_of(b, relaxation);
}

std::uint64_t hash_tensorspec_with_relaxation(const TensorSpec& spec,
                                              const TensorSpecRelaxations& relaxation) {
  return absl::HashOf(spec.data_type(), spec.layout(), spec.memory_config().memory_layout(),
                      spec.memory_config().buffer_type(), pertinent_of(spec, relaxation));
}

}  // namespace tt::tt_metal::experimental
