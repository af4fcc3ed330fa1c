#pragma once

#include <utility>
#include <vector>

namespace tt::tt_metal::experimental {

// Several values whose order means nothing. Whoever takes a group says which of its values have to
// differ.
template <typename T>
using Group = std::vector<T>;

// Adds a value; the reference is valid until the group changes.
template <typename T>
T& add(Group<T>& group, T value) {
  group.push_back(std::move(value));
  return group.back();
}

}  // namespace tt::tt_metal::experimental
