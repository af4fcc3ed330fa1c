#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runner/measurements.h"

namespace lightmetal::runner {

// The times in a file that `bench --format json`, or Google Benchmark, has written; of what it only
// has the median of, that. The file may be hostile. InvalidArgument when it is no such result.
absl::StatusOr<std::vector<Measurement>> read_bench_result(const std::string& path);

}  // namespace lightmetal::runner
