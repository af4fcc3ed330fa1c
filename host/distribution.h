#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/core.h"
#include "host/core_set.h"

namespace lightmetal::host {

// The order in which cores get the shards of a tensor. The values are TT-Metalium's, and files
// store them: a value never changes its meaning.
//   - kRoundRobin: shard s is on core s modulo the number of cores.
//   - kGrid2d: no core has more than one shard; the caller has left out the cores without one.
//   - kContiguous: each core has a run of consecutive shards, and all runs are equally long.
enum class Dealing : uint8_t { kRoundRobin = 0, kGrid2d = 1, kContiguous = 2 };

// A tensor of any rank, cut into shards of one shape which are dealt to cores. Shapes are counted
// in pages, the outermost dimension first. Pages, shards and the pages of a shard are numbered row
// by row. A shard at the end of a dimension may reach beyond the tensor: such places are padding.
struct Distribution {
  std::vector<uint32_t> tensor = {};
  std::vector<uint32_t> shard = {};
  std::vector<Core> cores = {};
  Dealing dealing = Dealing::kRoundRobin;
};

// A distribution that obeys the rules, with its numbers at hand. A value.
class DealtShards {
 public:
  // Where a page is: the core by its index in `cores`, and the page among all those of that core.
  struct Place {
    uint32_t core = 0;
    uint64_t page = 0;
  };

  // Returns InvalidArgument if the shapes have no dimension or not equally many, a shard holds
  // nothing, the tensor or its shards have more pages than 32 bits count, there is no core, a core
  // is named twice, or the cores do not suit the dealing.
  static absl::StatusOr<DealtShards> of(const Distribution& distribution);

  uint64_t tensor_pages() const { return tensor_pages_; }
  uint64_t shard_pages() const { return shard_pages_; }
  uint64_t num_shards() const { return num_shards_; }
  // The cores that hold a shard are the first ones.
  uint64_t num_cores_with_data() const;
  uint64_t shards_on(uint64_t core) const;
  uint64_t most_shards_on_core() const { return shards_on(0); }
  uint64_t most_pages_on_core() const { return most_shards_on_core() * shard_pages_; }

  // REQUIRES: `page` is less than tensor_pages().
  Place place_of(uint64_t page) const;

 private:
  explicit DealtShards(const Distribution& distribution);
  absl::Status check_dealing() const;
  Place place_of_shard(uint64_t shard) const;

  std::vector<uint32_t> tensor_;
  std::vector<uint32_t> shard_;
  uint64_t num_cores_;
  Dealing dealing_;
  uint64_t tensor_pages_ = 0;
  uint64_t shard_pages_ = 0;
  uint64_t num_shards_ = 0;
};

// The cores as a set. Returns InvalidArgument for a core that is named twice or that no grid has.
absl::StatusOr<CoreSet> core_set_of(const std::vector<Core>& cores);

// How many shards there are along each dimension. REQUIRES: no extent of the shard is 0, and both
// shapes have equally many dimensions.
std::vector<uint32_t> shard_grid_of(const std::vector<uint32_t>& tensor,
                                    const std::vector<uint32_t>& shard);

}  // namespace lightmetal::host
