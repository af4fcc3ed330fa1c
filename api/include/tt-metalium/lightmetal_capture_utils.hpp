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
#include "base/tensor_desc.h"

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

// Ours: what a program is as an executable (<lightmetal/executable.hpp>): which of its buffers are
// replaced or read by name, and which part of it is run again and again.
//
//   LightMetalBindInput("x", x, {{2, 64}, lightmetal::TensorType::Float32});
//   LightMetalBindOutput("y", y, {{2, 64}, lightmetal::TensorType::Float32});
//   LightMetalEntryBegin("decode");
//   EnqueueWriteBuffer(cq, x, values, false);  // the default value of x
//   EnqueueProgram(cq, program, false);
//   EnqueueReadBuffer(cq, y, result, true);    // the golden of y
//   LightMetalEntryEnd();
//
// Nothing of it changes what the program does; a capture records it, and one that begins later
// begins with it. Thread-safe. Errors are std::runtime_error.
namespace tt::tt_metal {

class MeshTensor;
class Program;
namespace distributed {
class MeshBuffer;
class MeshCommandQueue;
}  // namespace distributed

using BufferToBind = std::variant<std::reference_wrapper<Buffer>, std::shared_ptr<Buffer>>;

// Give a buffer a name, which it has until it ends. `tensor` says what the buffer holds: its size
// with padding is at most that of the buffer, in which it lies from the beginning on; where each
// page of the buffer is a row that is longer than the tensor's, rows lie page by page.
//
// What the program writes to an input is its default value. What it reads of an output, and what
// its kernels leave there, is what is handed out. A constant is written once, when the executable
// is loaded. An in-out buffer is an input and an output, and keeps what a run has left in it when
// the next one gives it no value.
//
// Throw for a name that is empty, longer than 255 bytes, has a '=', a '/' or a control character,
// or that a living buffer has; for a tensor that does not fit; for a buffer without memory.
void LightMetalBindInput(std::string_view name, const BufferToBind& buffer,
                         const lightmetal::TensorDesc& tensor);
void LightMetalBindOutput(std::string_view name, const BufferToBind& buffer,
                          const lightmetal::TensorDesc& tensor);
void LightMetalBindInOut(std::string_view name, const BufferToBind& buffer,
                         const lightmetal::TensorDesc& tensor);
void LightMetalBindConstant(std::string_view name, const BufferToBind& buffer,
                            const lightmetal::TensorDesc& tensor);

// The same for a buffer and a tensor on a mesh of one device; the tensor says itself what it holds.
// On a mesh of several devices `tensor` is what each holds, and the name of each part has a number
// behind it, in the order of the mesh: x[0], x[1] and on. Throw, too, for elements that TensorType
// does not have; parts before one that is refused have their names then.
void LightMetalBindInput(std::string_view name,
                         const std::shared_ptr<distributed::MeshBuffer>& buffer,
                         const lightmetal::TensorDesc& tensor);
void LightMetalBindOutput(std::string_view name,
                          const std::shared_ptr<distributed::MeshBuffer>& buffer,
                          const lightmetal::TensorDesc& tensor);
void LightMetalBindInOut(std::string_view name,
                         const std::shared_ptr<distributed::MeshBuffer>& buffer,
                         const lightmetal::TensorDesc& tensor);
void LightMetalBindConstant(std::string_view name,
                            const std::shared_ptr<distributed::MeshBuffer>& buffer,
                            const lightmetal::TensorDesc& tensor);
void LightMetalBindInput(std::string_view name, const MeshTensor& tensor);
void LightMetalBindOutput(std::string_view name, const MeshTensor& tensor);
void LightMetalBindInOut(std::string_view name, const MeshTensor& tensor);
void LightMetalBindConstant(std::string_view name, const MeshTensor& tensor);

// Where buffers lie. A file has each buffer's address, and plain words that are addresses are right
// only there. Words that are given by their buffer (Buffer* in RuntimeArgs, and below) follow it.

// A runtime argument that is the address of a buffer, in each bank, and `offset` bytes more.
struct LightMetalAddress {
  Buffer* buffer = nullptr;
  uint32_t offset = 0;
};
using LightMetalArg = std::variant<uint32_t, LightMetalAddress>;
using LightMetalArgs = std::vector<LightMetalArg>;

// As SetRuntimeArgs, of words and addresses. Throws for a null buffer, too, and for an offset
// behind one that may not move.
void LightMetalSetRuntimeArgs(const Program& program, KernelHandle kernel,
                              const std::variant<CoreCoord, CoreRange, CoreRangeSet>& cores,
                              const LightMetalArgs& args);

// Says of a buffer that the program gives its address by the buffer alone, and that no data, no
// compile-time argument and no device trace holds it. Then an executable that finds its memory
// taken puts the buffer elsewhere, and takes an input that lies on the device already where it lies
// (<lightmetal/runtime.hpp>). Throws for a buffer without memory. `lightmetal_runner relocate`
// finds out by itself which buffers these are.
void LightMetalAllowMove(const BufferToBind& buffer);
// The same for each part of a buffer and of a tensor on a mesh.
void LightMetalAllowMove(const std::shared_ptr<distributed::MeshBuffer>& buffer);
void LightMetalAllowMove(const MeshTensor& tensor);

// Makes zeros of all bytes of the buffer in each bank, with what pads its pages, outside the
// command queues: nothing orders the call with their work. Costs what was written, not the size of
// the buffer, on a device that knows what was written. Throws for a buffer without memory.
void LightMetalClearBuffer(const BufferToBind& buffer);

// What lies between these is run by this name. Of entries of one name, such as those of a loop, the
// first is the one that is run. Throw inside of an entry, and outside of one.
void LightMetalEntryBegin(std::string_view name);
void LightMetalEntryEnd();

}  // namespace tt::tt_metal

// Goldens: what a buffer must hold at this point of the program when it is replayed. Without a
// capture these calls check their arguments and keep nothing. Errors are std::runtime_error.
//
// `policy` is how far what a replay reads may be from the golden, unless whoever replays says
// otherwise; without one it is that of the capture (CaptureOptions::golden_policy). It must fit the
// elements: those of a golden without a type are bytes, and its `as` says what they are.
namespace tt::tt_metal {

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
