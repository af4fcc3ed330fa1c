#pragma once

#include <lightmetal.h>

#include <cstdint>
#include <exception>
#include <lightmetal/executable.hpp>
#include <lightmetal/runtime.hpp>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

// What the handles of lightmetal.h stand for, and what stands between C and C++: nulls and
// exceptions become errors here.

struct lm_error {
  lm_status status = LM_OK;
  std::string message = {};
};

struct lm_device {
  lightmetal::runtime::Device device;
};

struct lm_device_tensor {
  lightmetal::runtime::Tensor tensor;
};

struct lm_executable {
  // `on` is the device that it shares with others.
  lm_executable(std::shared_ptr<lightmetal::Executable> the_executable,
                std::optional<lightmetal::runtime::Device> on);

  // Declared first, so that it ends after the executable.
  const std::optional<lightmetal::runtime::Device> device;
  const std::shared_ptr<lightmetal::Executable> executable;
  std::vector<lm_tensor> tensors;  // which point into the executable
};

namespace lightmetal {

absl::Status is_null(absl::string_view what);

lm_status report(const absl::Status& status, lm_error** error) noexcept;

// No exception leaves the library.
template <class Function>
lm_status call(lm_error** error, Function&& function) noexcept {
  if (error != nullptr) *error = nullptr;
  try {
    return report(function(), error);
  } catch (const std::bad_alloc&) {
    return report(absl::Status(absl::StatusCode::kResourceExhausted, "out of memory"), error);
  } catch (const std::exception& exception) {
    return report(absl::InternalError(exception.what()), error);
  } catch (...) {
    return report(absl::InternalError("an exception that has no text"), error);
  }
}

// What lm_load_options say; the defaults for NULL.
struct GivenOptions {
  LoadOptions load;
  std::optional<runtime::Device> device;
};
absl::StatusOr<GivenOptions> options_of(const lm_load_options* options);

// Opens a file, or what one holds, which is copied.
absl::StatusOr<std::shared_ptr<const schema::File>> open_file(const char* path);
absl::StatusOr<std::shared_ptr<const schema::File>> open_memory(const void* data, size_t size);

}  // namespace lightmetal
