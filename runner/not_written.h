#pragma once

#include <lightmetal/replay.hpp>
#include <string>

namespace lightmetal::runner {

// Says what differs, and that OUT is not written because of it. Returns kDifference.
int not_written(const std::string& path, const std::string& output, const ReplayResult& result);

}  // namespace lightmetal::runner
