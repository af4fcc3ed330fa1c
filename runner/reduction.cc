#include "runner/reduction.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "base/status.h"

namespace lightmetal::runner {
namespace {

using Commands = schema::Slicer::Commands;

class Reduction {
 public:
  Reduction(const schema::Slicer& slicer, StillFails fails)
      : slicer_(slicer), fails_(fails), kept_(slicer.first(slicer.file().num_commands())) {}

  absl::StatusOr<Commands> run() {
    LM_RETURN_IF_ERROR(find_beginning());
    LM_RETURN_IF_ERROR(find_sources());
    LM_RETURN_IF_ERROR(take_pieces_away());
    return std::move(kept_);
  }

 private:
  // Whether this set fails; then it is the one that is kept.
  absl::StatusOr<bool> keep_if_fails(const Commands& candidate) {
    if (candidate == kept_ || !asked_.insert(candidate).second) return false;
    LM_ASSIGN_OR_RETURN(fails, fails_(candidate));
    if (fails) kept_ = candidate;
    return fails;
  }

  std::vector<uint64_t> numbers() const {
    std::vector<uint64_t> numbers;
    for (uint64_t number = 0; number < kept_.size(); ++number) {
      if (kept_[number]) numbers.push_back(number);
    }
    return numbers;
  }

  absl::Status find_beginning() {
    uint64_t passes = 0, fails = kept_.size();
    while (passes + 1 < fails) {
      const uint64_t middle = passes + (fails - passes) / 2;
      LM_ASSIGN_OR_RETURN(failed, keep_if_fails(slicer_.first(middle)));
      (failed ? fails : passes) = middle;
    }
    return absl::OkStatus();
  }

  // What made the file fail is most likely the last command of the beginning.
  absl::Status find_sources() {
    Commands last = slicer_.none();
    const std::vector<uint64_t> all = numbers();
    if (all.empty()) return absl::OkStatus();
    last[all.back()] = true;
    return keep_if_fails(slicer_.with_sources(std::move(last))).status();
  }

  absl::Status take_pieces_away() {
    for (size_t size = std::max<size_t>(1, numbers().size() / 2); size >= 1;) {
      LM_ASSIGN_OR_RETURN(smaller, take_away_pieces_of(size));
      size = std::min(size, numbers().size());
      if (!smaller || size > 1) size /= 2;
    }
    return absl::OkStatus();
  }

  // From the back, where fewer commands need each other. Returns whether anything went.
  absl::StatusOr<bool> take_away_pieces_of(size_t size) {
    bool smaller = false;
    std::vector<uint64_t> left = numbers();
    for (size_t end = left.size(); end > 0;) {
      const size_t begin = end - std::min(size, end);
      Commands removed = slicer_.none();
      for (const uint64_t number : absl::MakeSpan(left).subspan(begin, end - begin))
        removed[number] = true;
      LM_ASSIGN_OR_RETURN(failed, keep_if_fails(slicer_.without(kept_, removed)));
      smaller |= failed;
      if (failed) left = numbers();
      end = std::min(begin, left.size());
    }
    return smaller;
  }

  const schema::Slicer& slicer_;
  const StillFails fails_;
  Commands kept_;
  std::set<Commands> asked_;
};

}  // namespace

absl::StatusOr<Commands> reduce_commands(const schema::Slicer& slicer, StillFails fails) {
  return Reduction(slicer, fails).run();
}

}  // namespace lightmetal::runner
