#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lightmetal {

// How a replay finds the payloads of a binary that lie in other files ("weights by reference").
//
// A binary may come from anywhere, and so may the paths in it: without `allow`, only what `remap`
// replaces is opened. A recorded path that is not absolute, has a component ".." or has a NUL byte
// is never opened as it is. Only regular files are opened. Symbolic links are followed: they belong
// to whoever replays, not to the binary.
struct ReferenceOptions {
  enum class Check {
    // The content is what was recorded. The default: a file that changed in place, or a copy that
    // went wrong, would otherwise give other results without a word. It reads each referenced byte
    // once, at some GB/s.
    Digest,
    // The file has the recorded size and modification time. Reads nothing, and trusts both.
    SizeAndTime
  };

  // Opens the files where the binary says that they are.
  bool allow = false;

  // Replaces the beginning of a recorded path by whole components ("/data" fits "/data/w" but not
  // "/database"); the first pair that fits is taken. The part of the path that follows must have no
  // component "..".
  std::vector<std::pair<std::string, std::string>> remap = {};

  Check check = Check::Digest;
};

}  // namespace lightmetal
