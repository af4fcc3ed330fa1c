// Tensors in files.
#include <lightmetal/tensors.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/text.h"
#include "runtime/npy.h"
#include "runtime/state.h"
#include "schema/storage/mapped_file.h"
#include "schema/storage/output_file.h"

namespace lightmetal::runtime {
namespace {

absl::StatusOr<Tensor> parsed(Bytes file) {
  LM_ASSIGN_OR_RETURN(array, parse_npy(file));
  const std::optional<TensorType> type = tensor_type_of(array.type);
  if (!type.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("its elements are ", escaped(array.type), ", which no tensor has"));
  }
  std::vector<uint32_t> shape;
  for (const uint64_t size : array.shape) {
    if (size > UINT32_MAX)
      return absl::InvalidArgumentError(absl::StrCat("no tensor has a dimension of ", size));
    shape.push_back(static_cast<uint32_t>(size));
  }
  return createOwnedHostTensor(array.data, std::move(shape), *type);
}

}  // namespace

absl::Status dumpTensor(const Tensor& tensor, const std::string& path) {
  LM_ASSIGN_OR_RETURN(host, toHost(tensor));
  const std::string head = npy_head(numpy_type(host.layout().type()), host.shape());
  LM_ASSIGN_OR_RETURN(file, schema::OutputFile::create(path, {}));
  LM_ASSIGN_OR_RETURN(sink, file.sink());
  const Bytes parts[] = {bytes_of(head.data(), head.size()), host.state()->data};
  LM_RETURN_IF_ERROR(sink->append(parts));
  LM_RETURN_IF_ERROR(sink->close());
  return file.finish();
}

absl::StatusOr<Tensor> loadTensor(const std::string& path) {
  LM_ASSIGN_OR_RETURN(file, schema::MappedFile::open(path));
  auto tensor = parsed(file->bytes());
  if (tensor.ok()) return tensor;
  return absl::Status(tensor.status().code(),
                      absl::StrCat(path, " is no tensor: ", tensor.status().message()));
}

}  // namespace lightmetal::runtime
