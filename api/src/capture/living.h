#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "api/src/record/record.h"

namespace lightmetal::schema {
class Sink;
}

namespace tt::tt_metal {

// The ids that objects have in a file.
class ObjectNames {
 public:
  template <class Object>
  void add(const Object& object, uint64_t id) {
    names_.push_back({object_of(object), id});
  }

  struct Name {
    lightmetal::capture::Object object;
    uint64_t id = 0;
  };
  const std::vector<Name>& names() const { return names_; }

 private:
  std::vector<Name> names_;
};

// Writes a file of the commands that make what lives now, as a capture begins with them, in which
// the objects have these ids. Waits for all devices first. FailedPrecondition while a capture of
// the program runs, and where none could begin; Unimplemented without capture.
absl::Status capture_living(const ObjectNames& names,
                            std::shared_ptr<lightmetal::schema::Sink> sink);

}  // namespace tt::tt_metal
