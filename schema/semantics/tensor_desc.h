#pragma once

#include "base/tensor_desc.h"
#include "schema/types_generated.h"

namespace lightmetal::schema {

// What a file says of a tensor, whether or not there is such a one: TensorDesc::check() says that.
inline ::lightmetal::TensorDesc tensor_of(const TensorDesc& tensor) {
  ::lightmetal::TensorDesc desc;
  if (tensor.shape() != nullptr) desc.shape.assign(tensor.shape()->begin(), tensor.shape()->end());
  desc.type = static_cast<TensorType>(tensor.type());
  desc.order = static_cast<::lightmetal::TensorOrder>(tensor.order());
  return desc;
}

}  // namespace lightmetal::schema
