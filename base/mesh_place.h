#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lightmetal {

// Where a device lies in the mesh that a program opened it for. It says nothing about the device:
// reports name the device by it.
struct MeshPlace {
  std::vector<uint32_t> shape;       // devices along each dimension
  std::vector<uint32_t> coordinate;  // from 0, one for each dimension

  friend bool operator==(const MeshPlace&, const MeshPlace&) = default;
};

// "(1, 2) of a 2x4 mesh"
std::string text_of(const MeshPlace& place);

}  // namespace lightmetal
