#include "base/mesh_place.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace lightmetal {

std::string text_of(const MeshPlace& place) {
  return absl::StrCat("(", absl::StrJoin(place.coordinate, ", "), ") of a ",
                      absl::StrJoin(place.shape, "x"), " mesh");
}

}  // namespace lightmetal
