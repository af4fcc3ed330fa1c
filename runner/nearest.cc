#include "runner/nearest.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"

namespace lightmetal::runner {
namespace {

// The distance of optimal string alignment. Row i holds the distances of the first i characters of
// `from` to each beginning of `to`.
size_t edits(absl::string_view from, absl::string_view to) {
  std::vector<std::vector<size_t>> rows(from.size() + 1, std::vector<size_t>(to.size() + 1));
  for (size_t j = 0; j <= to.size(); ++j) rows[0][j] = j;
  for (size_t i = 1; i <= from.size(); ++i) {
    rows[i][0] = i;
    for (size_t j = 1; j <= to.size(); ++j) {
      const size_t replaced = rows[i - 1][j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      rows[i][j] = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (swapped) rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
    }
  }
  return rows[from.size()][to.size()];
}

}  // namespace

std::string nearest(absl::string_view word, absl::Span<const std::string> known) {
  size_t most = std::max<size_t>(1, word.size() / 3);
  std::string found;
  for (const std::string& candidate : known) {
    const size_t distance = edits(word, candidate);
    if (distance > most || (distance == most && !found.empty())) continue;
    most = distance;
    found = candidate;
  }
  return found;
}

std::string suggestion(absl::string_view word, absl::Span<const std::string> known,
                       absl::string_view prefix) {
  const std::string meant = nearest(word, known);
  return meant.empty() ? "" : absl::StrCat("; did you mean ", prefix, meant, "?");
}

}  // namespace lightmetal::runner
