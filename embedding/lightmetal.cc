// What stands between C and Executable: nulls, numbers that stand for nothing, and exceptions
// become errors here.
#include <lightmetal.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <lightmetal/executable.hpp>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "base/status.h"
#include "base/tensor_desc.h"
#include "host/bindings.h"

struct lm_error {
  lm_status status = LM_OK;
  std::string message = {};
};

struct lm_executable {
  explicit lm_executable(std::unique_ptr<lightmetal::Executable> the_executable)
      : executable(std::move(the_executable)) {
    for (const lightmetal::BoundTensor& bound : executable->tensors()) {
      tensors.push_back(
          {.name = bound.name.c_str(),
           .role = static_cast<lm_role>(bound.role),
           .dtype = static_cast<lm_dtype>(bound.tensor.type),
           .shape = bound.tensor.shape.empty() ? &kNoDimension : bound.tensor.shape.data(),
           .rank = bound.tensor.shape.size(),
           .size = bound.tensor.size()});
    }
  }

  static constexpr uint32_t kNoDimension = 0;

  const std::unique_ptr<lightmetal::Executable> executable;
  std::vector<lm_tensor> tensors;  // which point into the executable
};

namespace lightmetal {
namespace {

static_assert(LM_UNAUTHENTICATED == static_cast<int>(absl::StatusCode::kUnauthenticated));
static_assert(LM_DATA_LOSS == static_cast<int>(absl::StatusCode::kDataLoss));
static_assert(LM_BFLOAT16 == static_cast<int>(TensorType::BFloat16));
static_assert(LM_CONSTANT == static_cast<int>(host::BindingRole::kConstant));

// The options of the first version; later ones are longer.
constexpr size_t kFirstOptions = sizeof(lm_load_options);

absl::Status is_null(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(what, " is NULL"));
}

// ---- Errors ----

lm_status report(const absl::Status& status, lm_error** error) {
  const auto code = static_cast<lm_status>(status.code());
  if (error == nullptr || status.ok()) return code;
  try {
    *error = new lm_error{code, std::string(status.message())};
  } catch (const std::bad_alloc&) {  // *error stays NULL
  }
  return code;
}

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

// ---- Load ----

absl::Status check_size(const lm_load_options& options) {
  if (options.struct_size == kFirstOptions) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the options have a struct_size of ",
                                                 options.struct_size, ", expected ", kFirstOptions,
                                                 ": the caller was compiled for another version"));
}

absl::StatusOr<ExecutableOptions> options_of(const lm_load_options* options) {
  ExecutableOptions result;
  if (options == nullptr) return result;
  LM_RETURN_IF_ERROR(check_size(*options));
  if (options->backend != nullptr) result.backend = options->backend;
  if (options->chip_id != nullptr) result.chip_id = *options->chip_id;
  if (options->memory_limit != 0) result.memory_limit = options->memory_limit;
  result.allow_incomplete = options->allow_incomplete != 0;
  if (options->required_key_count != 0 && options->required_keys == nullptr)
    return is_null("required_keys");
  for (size_t i = 0; i < options->required_key_count; ++i) {
    if (options->required_keys[i] == nullptr) return is_null(absl::StrCat("required key ", i));
    result.required_keys.emplace_back(options->required_keys[i]);
  }
  return result;
}

// Calls `load` with the options, and hands out what it returns.
template <class Load>
absl::Status hand_out(const lm_load_options* options, lm_executable** executable, Load&& load) {
  if (executable == nullptr) return is_null("executable");
  *executable = nullptr;
  LM_ASSIGN_OR_RETURN(taken, options_of(options));
  LM_ASSIGN_OR_RETURN(loaded, load(std::move(taken)));
  *executable = new lm_executable(std::move(loaded));
  return absl::OkStatus();
}

// ---- Run ----

absl::StatusOr<std::string> entry_of(const lm_executable& executable, const char* entry) {
  if (entry != nullptr) return entry;
  const std::vector<std::string>& entries = executable.executable->entries();
  if (entries.size() == 1) return entries.front();
  return absl::InvalidArgumentError(absl::StrCat("entry is NULL, and there are ", entries.size(),
                                                 ": ", absl::StrJoin(entries, ", ")));
}

template <class Given>
absl::Status check_given(const Given& given, absl::string_view which) {
  if (given.name == nullptr) return is_null(absl::StrCat("the name of ", which));
  const auto type = static_cast<TensorType>(given.dtype);
  if (given.dtype > LM_BFLOAT16 || element_size(type) == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(which, ", ", given.name, ", has the dtype ", given.dtype, ", which is none"));
  }
  if (given.rank > TensorDesc::kMostDimensions) {
    return absl::InvalidArgumentError(absl::StrCat(which, ", ", given.name, ", has ", given.rank,
                                                   " dimensions, expected at most ",
                                                   TensorDesc::kMostDimensions));
  }
  if (given.shape == nullptr && given.rank != 0)
    return is_null(absl::StrCat("the shape of ", which, ", ", given.name, ","));
  return absl::OkStatus();
}

InputValues values_of(const lm_input& input) {
  return {.name = input.name,
          .type = static_cast<TensorType>(input.dtype),
          .shape = {input.shape, input.rank},
          .data = {static_cast<const std::byte*>(input.data), input.size}};
}
OutputValues values_of(const lm_output& output) {
  return {.name = output.name,
          .type = static_cast<TensorType>(output.dtype),
          .shape = {output.shape, output.rank},
          .data = {static_cast<std::byte*>(output.data), output.size}};
}

// What is given, one after the other, as Executable takes it.
template <class Given>
using Values = std::vector<decltype(values_of(std::declval<const Given&>()))>;

template <class Given>
absl::StatusOr<Values<Given>> all_values_of(const Given* given, size_t count,
                                            absl::string_view kind) {
  Values<Given> values;
  if (count == 0) return values;
  if (given == nullptr) return is_null(absl::StrCat(kind, "s"));
  if (count > host::kMostBindings) {
    return absl::InvalidArgumentError(
        absl::StrCat("there are ", count, " ", kind, "s, expected at most ", host::kMostBindings));
  }
  for (size_t i = 0; i < count; ++i) {
    LM_RETURN_IF_ERROR(check_given(given[i], absl::StrCat(kind, " ", i)));
    values.push_back(values_of(given[i]));
  }
  return values;
}

}  // namespace
}  // namespace lightmetal

using lightmetal::all_values_of;
using lightmetal::call;
using lightmetal::entry_of;
using lightmetal::hand_out;
using lightmetal::is_null;

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
    return hand_out(options, executable, [&](lightmetal::ExecutableOptions taken) {
      if (path == nullptr)
        return absl::StatusOr<std::unique_ptr<lightmetal::Executable>>(is_null("path"));
      return lightmetal::Executable::load_file(path, std::move(taken));
    });
  });
}

lm_status lm_load_memory(const void* data, size_t size, const lm_load_options* options,
                         lm_executable** executable, lm_error** error) {
  return call(error, [&] {
    return hand_out(options, executable, [&](lightmetal::ExecutableOptions taken) {
      if (data == nullptr)
        return absl::StatusOr<std::unique_ptr<lightmetal::Executable>>(is_null("data"));
      return lightmetal::Executable::load_bytes({static_cast<const uint8_t*>(data), size},
                                                std::move(taken));
    });
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

lm_status lm_run(lm_executable* executable, const char* entry, const lm_input* inputs,
                 size_t input_count, const lm_output* outputs, size_t output_count,
                 lm_error** error) {
  return call(error, [&]() -> absl::Status {
    if (executable == nullptr) return is_null("executable");
    LM_ASSIGN_OR_RETURN(name, entry_of(*executable, entry));
    LM_ASSIGN_OR_RETURN(given, all_values_of(inputs, input_count, "input"));
    LM_ASSIGN_OR_RETURN(wanted, all_values_of(outputs, output_count, "output"));
    return executable->executable->run(name, given, wanted);
  });
}
