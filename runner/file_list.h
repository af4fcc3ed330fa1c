#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

// Which files a suite replays.
namespace lightmetal::runner {

// Part `index` of `count`, counted from 1.
struct Shard {
  uint64_t index = 1;
  uint64_t count = 1;
};

// True for a name that stands for any number of files: a folder, or a pattern with *, ? or [ that
// is not itself the name of a file.
bool names_many(const std::string& name);

// The files that the names stand for, sorted, each once: for a folder every *.lmb in it and below,
// for a pattern what the shell would make of it. NotFound when a folder or a pattern stands for
// none. Any other name is taken as it is, whether there is such a file or not.
absl::StatusOr<std::vector<std::string>> files_named(absl::Span<const std::string> names);

// Every count-th file, beginning with the index-th: the shards of one list hold each file once.
std::vector<std::string> shard_of(absl::Span<const std::string> files, const Shard& shard);

}  // namespace lightmetal::runner
