#pragma once

#include "api/dataflow/noc.h"
#include "lightmetal/tensor_accessor.h"
#include "lightmetal/tensor_tuples.h"

// Tensors as endpoints of the NoC: by page, by shard, or a page that a range of them gave.

namespace lightmetal::kernel {

struct TensorPageArgs {
  uint32_t page_id = 0;
  uint32_t offset_bytes = 0;
};
struct TensorShardArgs {
  uint32_t shard_id = 0;
  uint32_t offset_bytes = 0;
};

template <typename Tensor>
struct TensorPageTraits : RemoteTraits<TensorPageTraits<Tensor>, Tensor, TensorPageArgs> {
  static FORCE_INLINE uint64_t address(const Tensor& tensor, const TensorPageArgs& args,
                                       uint8_t noc) {
    return tensor.get_noc_addr(args.page_id, args.offset_bytes, noc);
  }
};

template <typename View>
struct TensorShardTraits : RemoteTraits<TensorShardTraits<View>, View, TensorShardArgs> {
  static FORCE_INLINE uint64_t address(const View& view, const TensorShardArgs& args, uint8_t noc) {
    return view.get_noc_addr(args.shard_id, args.offset_bytes, noc);
  }
};

template <typename Page>
struct PageTraits : RemoteTraits<PageTraits<Page>, Page, OffsetArgs> {
  static FORCE_INLINE uint64_t address(const Page& page, const OffsetArgs& args, uint8_t) {
    return page.noc_addr() + args.offset_bytes;
  }
};

}  // namespace lightmetal::kernel

template <typename DSpec>
struct noc_traits_t<TensorAccessor<DSpec>>
    : lightmetal::kernel::TensorPageTraits<TensorAccessor<DSpec>> {};
template <typename Accessor>
struct noc_traits_t<PageView<Accessor>> : lightmetal::kernel::TensorPageTraits<PageView<Accessor>> {
};
template <>
struct noc_traits_t<AbstractTensorAccessorWrapper>
    : lightmetal::kernel::TensorPageTraits<AbstractTensorAccessorWrapper> {};
template <typename Accessor>
struct noc_traits_t<ShardView<Accessor>>
    : lightmetal::kernel::TensorShardTraits<ShardView<Accessor>> {};

template <>
struct noc_traits_t<tensor_accessor::Page> : lightmetal::kernel::PageTraits<tensor_accessor::Page> {
};
template <typename Accessor>
struct noc_traits_t<tensor_accessor::AccessorPage<Accessor>>
    : lightmetal::kernel::PageTraits<tensor_accessor::AccessorPage<Accessor>> {};
template <typename Accessor>
struct noc_traits_t<tensor_accessor::ShardPage<Accessor>>
    : lightmetal::kernel::PageTraits<tensor_accessor::ShardPage<Accessor>> {};
