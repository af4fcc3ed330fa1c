#pragma once

#include <cstdint>

namespace tt::tt_metal {
class TensorSpec;
}

namespace tt::tt_metal::experimental {

// In what a tensor that a program is given may differ from the one that it declared; by default in
// nothing. Whoever relaxes it vouches for the kernels.
struct TensorSpecRelaxations {
  // The logical shapes may differ where the padded ones are equal.
  bool match_padded_shape_only = false;
  // All lengths of dimensions may differ. A TensorAccessor then knows the shape of a sharded
  // tensor, and the page size of an interleaved one in rows, from arguments that come with the
  // tensor; of sharded tensors the shards still have to lie as declared.
  bool dynamic_tensor_shape = false;
  // With dynamic_tensor_shape: the number of dimensions may differ, too.
  bool relax_logical_rank = false;
  // With dynamic_tensor_shape: page sizes may not differ, and stay constants of the kernels.
  bool match_page_size = false;
};

// Whether a tensor of one of the two specifications may stand for one of the other.
bool tensorspecs_match_with_relaxation(const TensorSpec& a, const TensorSpec& b,
                                       const TensorSpecRelaxations& relaxation);

// Equal for specifications that match under the relaxation.
std::uint64_t hash_tensorspec_with_relaxation(const TensorSpec& spec,
                                              const TensorSpecRelaxations& relaxation);

}  // namespace tt::tt_metal::experimental
