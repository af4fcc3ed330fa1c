#pragma once

#include <tt-metalium/bfloat16.hpp>
#include <vector>

namespace example {

// How well a device's results agree with a reference.
struct Agreement {
  double pearson = 0;  // the Pearson correlation coefficient (PCC)
  double max_absolute_error = 0;
};

// REQUIRES: as many found as expected. A result that is not a number makes both not a number.
Agreement compare(const std::vector<double>& expected, const std::vector<double>& found);

std::vector<double> doubles(const std::vector<bfloat16>& values);

}  // namespace example
