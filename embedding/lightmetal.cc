// Errors, loading, and what there is in a file.
#include <lightmetal.h>

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/tensor_desc.h"
#include "embedding/handles.h"
#include "host/bindings.h"
#include "schema/file/reader.h"

namespace lightmetal {
namespace {

static_assert(LM_UNAUTHENTICATED == static_cast<int>(absl::StatusCode::kUnauthenticated));
static_assert(LM_DATA_LOSS == static_cast<int>(absl::StatusCode::kDataLoss));
static_assert(LM_BFLOAT16 == static_cast<int>(TensorType::BFloat16));
static_assert(LM_CONSTANT == static_cast<int>(host::BindingRole::kConstant));

// The shape of a single element.
constexpr uint32_t kNoDimension = 0;

// The options of the first version, and those of this one.
constexpr size_t kFirstOptions = offsetof(lm_load_options, device);
constexpr size_t kOptions = sizeof(lm_load_options);

absl::Status check_size(const lm_load_options& options) {
  if (options.struct_size == kFirstOptions || options.struct_size == kOptions)
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the options have a struct_size of ", options.struct_size, ", expected ", kFirstOptions,
      " or ", kOptions, ": the caller was compiled for another version"));
}

absl::StatusOr<std::vector<std::string>> keys_of(const lm_load_options& options) {
  std::vector<std::string> keys;
  if (options.required_key_count != 0 && options.required_keys == nullptr)
    return is_null("required_keys");
  for (size_t i = 0; i < options.required_key_count; ++i) {
    if (options.required_keys[i] == nullptr) return is_null(absl::StrCat("required key ", i));
    keys.emplace_back(options.required_keys[i]);
  }
  return keys;
}

absl::StatusOr<std::shared_ptr<Executable>> load_on(std::shared_ptr<const schema::File> file,
                                                    GivenOptions options) {
  if (options.device.has_value())
    return options.device->load(std::move(file), std::move(options.load));
  return Executable::load(std::move(file), std::move(options.load));
}

// Loads what `open` returns, and hands out the executable.
template <class Open>
absl::Status load(const lm_load_options* options, lm_executable** executable, Open&& open) {
  if (executable == nullptr) return is_null("executable");
  *executable = nullptr;
  LM_ASSIGN_OR_RETURN(taken, options_of(options));
  LM_ASSIGN_OR_RETURN(file, open());
  const auto device = taken.device;
  LM_ASSIGN_OR_RETURN(loaded, load_on(std::move(file), std::move(taken)));
  *executable = new lm_executable(std::move(loaded), device);
  return absl::OkStatus();
}

}  // namespace

absl::Status is_null(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(what, " is NULL"));
}

lm_status report(const absl::Status& status, lm_error** error) noexcept {
  const auto code = static_cast<lm_status>(status.code());
  if (error == nullptr || status.ok()) return code;
  try {
    *error = new lm_error{code, std::string(status.message())};
  } catch (const std::bad_alloc&) {  // *error stays NULL
  }
  return code;
}

absl::StatusOr<GivenOptions> options_of(const lm_load_options* options) {
  GivenOptions result;
  if (options == nullptr) return result;
  LM_RETURN_IF_ERROR(check_size(*options));
  LoadOptions& load = result.load;
  if (options->backend != nullptr) load.backend = options->backend;
  if (options->chip_id != nullptr) load.chip_id = *options->chip_id;
  if (options->memory_limit != 0) load.memory_limit = options->memory_limit;
  load.allow_incomplete = options->allow_incomplete != 0;
  LM_ASSIGN_OR_RETURN(keys, keys_of(*options));
  load.required_keys = std::move(keys);
  if (options->struct_size < kOptions || options->device == nullptr) return result;
  if (!load.backend.empty() || load.chip_id.has_value())
    return absl::InvalidArgumentError("a device is given, and a backend or a chip_id, too");
  result.device = options->device->device;
  return result;
}

absl::StatusOr<std::shared_ptr<const schema::File>> open_file(const char* path) {
  if (path == nullptr) return is_null("path");
  return schema::File::open(path);
}

absl::StatusOr<std::shared_ptr<const schema::File>> open_memory(const void* data, size_t size) {
  if (data == nullptr) return is_null("data");
  const auto* begin = static_cast<const std::byte*>(data);
  return schema::File::from_bytes({begin, begin + size});
}

}  // namespace lightmetal

lm_executable::lm_executable(std::shared_ptr<lightmetal::Executable> the_executable,
                             std::optional<lightmetal::runtime::Device> on)
    : device(std::move(on)), executable(std::move(the_executable)) {
  for (const lightmetal::BoundTensor& bound : executable->tensors()) {
    tensors.push_back({.name = bound.name.c_str(),
                       .role = static_cast<lm_role>(bound.role),
                       .dtype = static_cast<lm_dtype>(bound.tensor.type),
                       .shape = bound.tensor.shape.empty() ? &lightmetal::kNoDimension
                                                           : bound.tensor.shape.data(),
                       .rank = bound.tensor.shape.size(),
                       .size = bound.tensor.size()});
  }
}

using lightmetal::call;
using lightmetal::is_null;
using lightmetal::open_file;
using lightmetal::open_memory;

const char* lm_version(void) { return LIGHTMETAL_VERSION; }

const char* lm_error_message(const lm_error* error) {
  return error == nullptr ? "" : error->message.c_str();
}
lm_status lm_error_status(const lm_error* error) {
  return error == nullptr ? lm_status{LM_OK} : error->status;
}
void lm_free_error(lm_error* error) { delete error; }

lm_status lm_load_file(const char* path, const lm_load_options* options, lm_executable** executable,
                       lm_error** error) {
  return call(error, [&] {
    return lightmetal::load(options, executable, [&] { return open_file(path); });
  });
}

lm_status lm_load_memory(const void* data, size_t size, const lm_load_options* options,
                         lm_executable** executable, lm_error** error) {
  return call(error, [&] {
    return lightmetal::load(options, executable, [&] { return open_memory(data, size); });
  });
}

void lm_free_executable(lm_executable* executable) { delete executable; }

size_t lm_entry_count(const lm_executable* executable) {
  return executable == nullptr ? 0 : executable->executable->entries().size();
}
const char* lm_entry_name(const lm_executable* executable, size_t index) {
  if (index >= lm_entry_count(executable)) return nullptr;
  return executable->executable->entries()[index].c_str();
}

size_t lm_tensor_count(const lm_executable* executable) {
  return executable == nullptr ? 0 : executable->tensors.size();
}

lm_status lm_get_tensor(const lm_executable* executable, size_t index, lm_tensor* tensor,
                        lm_error** error) {
  return call(error, [&] {
    if (executable == nullptr) return is_null("executable");
    if (tensor == nullptr) return is_null("tensor");
    if (index >= executable->tensors.size()) {
      return absl::OutOfRangeError(
          absl::StrCat("there is no tensor ", index, ": there are ", executable->tensors.size()));
    }
    *tensor = executable->tensors[index];
    return absl::OkStatus();
  });
}
