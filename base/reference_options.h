#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lightmetal {

// How the payloads of a binary that lie in other files ("weights by reference") are found.
//
// A binary may come from anywhere, and so may the paths in it: without `allow`, only what `remap`
// replaces is opened. A recorded path that is not absolute, has a component ".." or a NUL byte is
// never opened as it is. What is opened is a regular file and nothing else. Symbolic links are
// followed: they belong to whoever replays, not to the binary.
struct ReferenceOptions {
  enum class Check {
    // The content is what was recorded. The default: a file that changed in place, or a copy that
    // went wrong, would otherwise give other results without a word. It reads each referenced byte
    // once, at some GB/s.
    Digest,
    // The file has the recorded size and modification time. Reads nothing, and trusts both.
    SizeAndTime
  };

  // Open the files where the binary says they are.
  bool allow = false;

  // Replace the beginning of a recorded path: whole components ("/data" fits "/data/w" but not
  // "/database"), the first pair that fits. What follows it has no component "..".
  std::vector<std::pair<std::string, std::string>> remap = {};

  Check check = Check::Digest;
};

}  // namespace lightmetal
