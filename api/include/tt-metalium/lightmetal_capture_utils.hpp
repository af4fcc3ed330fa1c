#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/buffer.hpp>
#include <tt-metalium/command_queue.hpp>
#include <tt-metalium/detail/payload.hpp>
#include <tt-metalium/kernel_types.hpp>
#include <tt-metalium/lightmetal_binary.hpp>
#include <variant>
#include <vector>

#include "base/compare_policy.h"

// Ours: scopes, named parts of a program, one inside the other, such as "prefill" and in it "layer
// 3". A capture records where they begin and end, and `lightmetal_runner bench` says what each
// took. They are the process's, not a thread's, and change nothing of what the devices do. A
// capture that begins inside of scopes begins with them. Thread-safe; of calls on two threads at
// once either comes first. <lightmetal/scope.hpp> has a class that ends its scope by itself.
namespace tt::tt_metal {

// Throws std::runtime_error for a name of more than 1024 bytes, and inside of 256 open scopes.
void LightMetalScopeBegin(std::string_view name);

// Ends the scope that began last. Throws std::runtime_error when none is open.
void LightMetalScopeEnd();

}  // namespace tt::tt_metal

// Goldens: what a buffer must hold at this point of the program when it is replayed. Without a
// capture these calls check their arguments and keep nothing. Errors are std::runtime_error.
//
// `policy` is how far what a replay reads may be from the golden, unless whoever replays says
// otherwise; without one it is that of the capture (CaptureOptions::golden_policy). It must fit the
// elements: those of a golden without a type are bytes, and its `as` says what they are.
namespace tt::tt_metal {

class MeshTensor;
namespace distributed {
class MeshBuffer;
class MeshCommandQueue;
}  // namespace distributed

// Reads the whole buffer now, waits for the data, and makes what the buffer holds the golden. The
// data also go to `dst`, which has room for buffer.size() bytes, unless it is null; with a `dst`
// the buffer is read without a capture, too. Where another thread's call on the queue has to be
// recorded while this call waits, the comparison is left out of the capture, with a warning in the
// log.
void LightMetalCompareToCapture(
    CommandQueue& cq,
    const std::variant<std::reference_wrapper<Buffer>, std::shared_ptr<Buffer>>& buffer,
    void* dst = nullptr, const std::optional<lightmetal::ComparePolicy>& policy = {});

// The same of each device that has a part of the buffer or the tensor, one golden for each; a
// replay reports a mismatch with the device and its place in the mesh, and of a tensor in its
// elements. Throw, before anything is read, when a part lies on a device that is not in the queue's
// mesh.
void LightMetalCompareToCapture(distributed::MeshCommandQueue& cq,
                                const std::shared_ptr<distributed::MeshBuffer>& buffer,
                                const std::optional<lightmetal::ComparePolicy>& policy = {});
void LightMetalCompareToCapture(distributed::MeshCommandQueue& cq, const MeshTensor& tensor,
                                const std::optional<lightmetal::ComparePolicy>& policy = {});

// Makes the buffer.size() bytes at `golden_data` the golden. The device is not read now.
void LightMetalCompareToGolden(
    CommandQueue& cq,
    const std::variant<std::reference_wrapper<Buffer>, std::shared_ptr<Buffer>>& buffer,
    void* golden_data, const std::optional<lightmetal::ComparePolicy>& policy = {});

namespace detail {

// `dst` as above; `type` is that of the elements.
void compare_to_capture(CommandQueue& cq, Buffer& buffer, void* dst, PayloadType type,
                        const std::optional<lightmetal::ComparePolicy>& policy);

// REQUIRES: `size` bytes at `golden`. Throws when that is not the size of the buffer.
void compare_to_golden(CommandQueue& cq, Buffer& buffer, const void* golden, size_t size,
                       PayloadType type, const std::optional<lightmetal::ComparePolicy>& policy);

}  // namespace detail

// The same with an element type, in which the replay reports a mismatch.
template <typename DType>
void LightMetalCompareToGolden(
    CommandQueue& cq,
    const std::variant<std::reference_wrapper<Buffer>, std::shared_ptr<Buffer>>& buffer,
    const std::vector<DType>& golden, const std::optional<lightmetal::ComparePolicy>& policy = {}) {
  detail::compare_to_golden(cq, detail::buffer_of(buffer), golden.data(),
                            golden.size() * sizeof(DType), detail::payload_type_of<DType>, policy);
}

}  // namespace tt::tt_metal
