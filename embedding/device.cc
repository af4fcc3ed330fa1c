// Devices that executables share, and tensors on them.
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "embedding/handles.h"
#include "replay/loaded_file.h"
#include "runtime/state.h"

namespace lightmetal {
namespace {

struct Stat {
  const char* name;
  uint64_t runtime::Stats::*value;
};
constexpr Stat kStats[] = {
    {"host_to_device_bytes", &runtime::Stats::host_to_device_bytes},
    {"device_to_host_bytes", &runtime::Stats::device_to_host_bytes},
    {"device_copies", &runtime::Stats::device_copies},
    {"device_copied_bytes", &runtime::Stats::device_copied_bytes},
    {"host_round_trips", &runtime::Stats::host_round_trips},
    {"relayouts", &runtime::Stats::relayouts},
    {"relocations", &runtime::Stats::relocations},
    {"cleared_bytes", &runtime::Stats::cleared_bytes},
    {"trace_reloads", &runtime::Stats::trace_reloads},
};

// ---- Devices ----

// The file is checked as one that is loaded, before anything is made of what it says.
absl::Status check(std::shared_ptr<const schema::File> file, const LoadOptions& options) {
  LoadOptions limits{.allow_incomplete = options.allow_incomplete,
                     .memory_limit = options.memory_limit,
                     .required_keys = options.required_keys};
  return replay::load(std::move(file), limits).status();
}

// Opens the device of the file that `open` returns, and hands it out.
template <class Open>
absl::Status open_device(const lm_load_options* options, lm_device** device, Open&& open) {
  if (device == nullptr) return is_null("device");
  *device = nullptr;
  LM_ASSIGN_OR_RETURN(taken, options_of(options));
  if (taken.device.has_value())
    return absl::InvalidArgumentError("the options of a device that is opened name a device");
  LM_ASSIGN_OR_RETURN(file, open());
  LM_RETURN_IF_ERROR(check(file, taken.load));
  LM_ASSIGN_OR_RETURN(opened, runtime::Device::open(*file, taken.load.backend, taken.load.chip_id));
  *device = new lm_device{std::move(opened)};
  return absl::OkStatus();
}

// ---- Tensors ----

// A tensor that lies as the input or the output of that name.
absl::StatusOr<runtime::Tensor> make_tensor(const lm_executable& executable,
                                            absl::string_view name) {
  if (!executable.device.has_value()) {
    return absl::FailedPreconditionError(
        "tensors lie on shared devices: the executable was loaded without lm_load_options::device");
  }
  size_t input = 0, output = 0;
  for (const BoundTensor& tensor : executable.executable->tensors()) {
    const bool is_named = tensor.name == name;
    if (is_named && tensor.is_input())
      return runtime::allocateInputTensor(*executable.device, *executable.executable, input);
    if (is_named && tensor.is_output())
      return runtime::allocateOutputTensor(*executable.device, *executable.executable, output);
    input += tensor.is_input() ? 1 : 0;
    output += tensor.is_output() ? 1 : 0;
  }
  return absl::NotFoundError(absl::StrCat("there is no input and no output \"", name, "\""));
}

absl::Status check_size(const runtime::Tensor& tensor, size_t size) {
  const uint64_t expected = tensor.state()->desc().size();
  if (size == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("there are ", size, " bytes for a tensor of ", expected));
}

}  // namespace
}  // namespace lightmetal

using lightmetal::call;
using lightmetal::is_null;

lm_status lm_open_device_file(const char* path, const lm_load_options* options, lm_device** device,
                              lm_error** error) {
  return call(error, [&] {
    return lightmetal::open_device(options, device, [&] { return lightmetal::open_file(path); });
  });
}

lm_status lm_open_device_memory(const void* data, size_t size, const lm_load_options* options,
                                lm_device** device, lm_error** error) {
  return call(error, [&] {
    return lightmetal::open_device(options, device,
                                   [&] { return lightmetal::open_memory(data, size); });
  });
}

void lm_free_device(lm_device* device) { delete device; }

size_t lm_stat_count(void) { return std::size(lightmetal::kStats); }

lm_status lm_get_stat(const lm_device* device, size_t index, const char** name, uint64_t* value,
                      lm_error** error) {
  return call(error, [&] {
    if (device == nullptr) return is_null("device");
    if (name == nullptr) return is_null("name");
    if (value == nullptr) return is_null("value");
    if (index >= std::size(lightmetal::kStats)) {
      return absl::OutOfRangeError(absl::StrCat("there is no statistic ", index, ": there are ",
                                                std::size(lightmetal::kStats)));
    }
    const lightmetal::Stat& stat = lightmetal::kStats[index];
    *name = stat.name;
    *value = device->device.stats().*stat.value;
    return absl::OkStatus();
  });
}

lm_status lm_make_tensor(const lm_executable* executable, const char* name,
                         lm_device_tensor** tensor, lm_error** error) {
  return call(error, [&]() -> absl::Status {
    if (tensor == nullptr) return is_null("tensor");
    *tensor = nullptr;
    if (executable == nullptr) return is_null("executable");
    if (name == nullptr) return is_null("name");
    LM_ASSIGN_OR_RETURN(made, lightmetal::make_tensor(*executable, name));
    *tensor = new lm_device_tensor{std::move(made)};
    return absl::OkStatus();
  });
}

void lm_free_tensor(lm_device_tensor* tensor) {
  if (tensor == nullptr) return;
  lightmetal::runtime::deallocate(tensor->tensor, /*force=*/true);
  delete tensor;
}

lm_status lm_write_tensor(lm_device_tensor* tensor, const void* data, size_t size,
                          lm_error** error) {
  return call(error, [&]() -> absl::Status {
    if (tensor == nullptr) return is_null("tensor");
    LM_RETURN_IF_ERROR(lightmetal::check_size(tensor->tensor, size));
    return lightmetal::runtime::memcpy(tensor->tensor, data);
  });
}

lm_status lm_read_tensor(const lm_device_tensor* tensor, void* data, size_t size,
                         lm_error** error) {
  return call(error, [&]() -> absl::Status {
    if (tensor == nullptr) return is_null("tensor");
    LM_RETURN_IF_ERROR(lightmetal::check_size(tensor->tensor, size));
    return lightmetal::runtime::memcpy(data, tensor->tensor);
  });
}
