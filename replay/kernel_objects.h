#pragma once

#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "base/digest.h"
#include "device/device.h"
#include "schema/file/reader.h"

namespace lightmetal::replay {

// The compiled kernels of a file, each taken out of it once, by target and content. Kernels share
// them, so they outlive this object. Not thread-safe.
class KernelObjects {
 public:
  explicit KernelObjects(const schema::File& file) : file_(file) {}

  // Errors are those of reading the payload.
  absl::StatusOr<std::shared_ptr<const device::KernelObject>> get(const std::string& target,
                                                                  const schema::BlobRef& object);

  // From here on get() has `by` in place of that object.
  void replace(const std::string& target, const schema::BlobRef& object,
               std::shared_ptr<const device::KernelObject> by);

 private:
  const schema::File& file_;
  absl::flat_hash_map<std::pair<std::string, Digest>, std::shared_ptr<const device::KernelObject>>
      objects_;
};

}  // namespace lightmetal::replay
