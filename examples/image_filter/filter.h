#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "examples/image_filter/picture.h"

namespace example::image {

// A square of weights, row-major: each result is the sum of the samples around it times these.
// Samples beyond the picture's border are those at the border.
struct Kernel {
  uint32_t size = 0;  // odd
  std::vector<float> weights = {};

  uint32_t radius() const { return size / 2; }
};

inline constexpr uint32_t kLargestKernel = 33;

// One kernel, or two of equal size whose results' magnitudes are added (a gradient). Results are
// clamped to the samples that the picture can have, and rounded to the nearest.
struct Filter {
  std::vector<Kernel> kernels;

  uint32_t size() const { return kernels.front().size; }
  uint32_t radius() const { return kernels.front().radius(); }
  bool is_gradient() const { return kernels.size() == 2; }
};

// "blur3", "blur5", "sharpen", "edge", or the weights of a kernel: rows separated by ';', weights
// by ' ' or ','. Throws a UsageError.
Filter parse_filter(const std::string& text);

// Filters the picture on the host, in double precision.
Picture filter_on_host(const Picture& picture, const Filter& filter);

}  // namespace example::image
