#include "host/distribution.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_join.h"
#include "base/status.h"
#include "host/refusal.h"

namespace lightmetal::host {
namespace {

// Pages are counted in 32 bits.
constexpr uint64_t kMostPages = std::numeric_limits<uint32_t>::max();

std::string shape_text(const std::vector<uint32_t>& shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ", "), "]");
}

// The product, or a number above kMostPages where it is larger than that. A factor of 0 counts
// wherever it is.
uint64_t volume_of(const std::vector<uint32_t>& shape) {
  if (std::ranges::find(shape, 0u) != shape.end()) return 0;
  uint64_t volume = 1;
  for (const uint32_t extent : shape) {
    if (volume > kMostPages) return volume;
    volume *= extent;
  }
  return volume;
}

absl::Status check_shapes(const Distribution& distribution) {
  const std::vector<uint32_t>&tensor = distribution.tensor, &shard = distribution.shard;
  if (tensor.empty() || tensor.size() != shard.size()) {
    return refuse("A tensor of ", shape_text(tensor), " pages cannot be cut into shards of ",
                  shape_text(shard), ": both need the same dimensions, and at least one");
  }
  if (volume_of(shard) == 0)
    return refuse("A shard of ", shape_text(shard), " pages holds nothing");
  return absl::OkStatus();
}

absl::Status check_volume(const char* what, const std::vector<uint32_t>& shape) {
  if (volume_of(shape) <= kMostPages) return absl::OkStatus();
  return refuse("A ", what, " of ", shape_text(shape), " pages has more than ", kMostPages,
                " of them");
}

}  // namespace

std::vector<uint32_t> shard_grid_of(const std::vector<uint32_t>& tensor,
                                    const std::vector<uint32_t>& shard) {
  std::vector<uint32_t> grid(tensor.size());
  for (size_t i = 0; i < grid.size(); ++i) {
    grid[i] = tensor[i] / shard[i] + (tensor[i] % shard[i] != 0 ? 1 : 0);
  }
  return grid;
}

absl::StatusOr<CoreSet> core_set_of(const std::vector<Core>& cores) {
  CoreSet set;
  for (const Core& core : cores) {
    if (set.contains(core)) return refuse("Core ", text_of(core), " is to hold shards twice");
    LM_RETURN_IF_ERROR(set.add_range(core, core));
  }
  return set;
}

DealtShards::DealtShards(const Distribution& distribution)
    : tensor_(distribution.tensor),
      shard_(distribution.shard),
      num_cores_(distribution.cores.size()),
      dealing_(distribution.dealing),
      tensor_pages_(volume_of(tensor_)),
      shard_pages_(volume_of(shard_)),
      num_shards_(volume_of(shard_grid_of(tensor_, shard_))) {}

absl::StatusOr<DealtShards> DealtShards::of(const Distribution& distribution) {
  LM_RETURN_IF_ERROR(check_shapes(distribution));
  LM_RETURN_IF_ERROR(check_volume("tensor", distribution.tensor));
  LM_RETURN_IF_ERROR(check_volume("shard", distribution.shard));
  if (distribution.cores.empty()) return refuse("Shards need cores, but there are none");
  LM_RETURN_IF_ERROR(core_set_of(distribution.cores).status());
  DealtShards dealt(distribution);
  LM_RETURN_IF_ERROR(dealt.check_dealing());
  // No more shards than pages of the tensor, so that the product is of two 32-bit numbers.
  if (dealt.num_cores_with_data() * dealt.most_shards_on_core() > kMostPages / dealt.shard_pages_) {
    return refuse("The ", dealt.num_shards_, " shards of ", shape_text(distribution.shard),
                  " pages have more than ", kMostPages, " of them");
  }
  return dealt;
}

absl::Status DealtShards::check_dealing() const {
  switch (dealing_) {
    case Dealing::kRoundRobin:
      return absl::OkStatus();
    case Dealing::kGrid2d:
      if (num_shards_ <= num_cores_) return absl::OkStatus();
      return refuse("A grid of ", num_cores_, " cores cannot hold ", num_shards_,
                    " shards, one on each core");
    case Dealing::kContiguous:
      if (num_shards_ % num_cores_ == 0) return absl::OkStatus();
      return refuse("Runs of shards are equally long, but ", num_shards_,
                    " shards do not divide evenly among ", num_cores_, " cores");
  }
  return refuse("Shards are dealt out in an unknown way, ", static_cast<int>(dealing_));
}

uint64_t DealtShards::num_cores_with_data() const { return std::min(num_shards_, num_cores_); }

uint64_t DealtShards::shards_on(uint64_t core) const {
  return num_shards_ / num_cores_ + (core < num_shards_ % num_cores_ ? 1 : 0);
}

DealtShards::Place DealtShards::place_of_shard(uint64_t shard) const {
  if (dealing_ != Dealing::kContiguous) {
    return {static_cast<uint32_t>(shard % num_cores_), shard / num_cores_ * shard_pages_};
  }
  const uint64_t run = num_shards_ / num_cores_;
  return {static_cast<uint32_t>(shard / run), shard % run * shard_pages_};
}

DealtShards::Place DealtShards::place_of(uint64_t page) const {
  uint64_t shard = 0, within = 0, shards = 1, pages = 1;
  for (size_t i = tensor_.size(); i-- != 0;) {
    const uint64_t coordinate = page % tensor_[i];
    page /= tensor_[i];
    shard += coordinate / shard_[i] * shards;
    within += coordinate % shard_[i] * pages;
    shards *= (uint64_t{tensor_[i]} + shard_[i] - 1) / shard_[i];
    pages *= shard_[i];
  }
  Place place = place_of_shard(shard);
  place.page += within;
  return place;
}

}  // namespace lightmetal::host
