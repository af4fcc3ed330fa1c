#pragma once

#include <cstdint>
#include <memory>
#include <tt-metalium/host_api.hpp>
#include <vector>

// A program whose results depend on everything that came before: it adds to what is in memory. A
// launch that a replay makes too often, too seldom or with other arguments shows in the sums.
namespace lightmetal::testing {

inline constexpr uint32_t kAccumulatedPage = 64;  // bytes

// The kernel: adds argument 1, times the common argument, to the words of the page that argument 2
// names, of the DRAM buffer at argument 0. It goes through circular buffer 0.
inline constexpr char kAccumulate[] = R"(
#include "dataflow_api.h"
void kernel_main() {
  const InterleavedAddrGen<true> dram = {.bank_base_address = get_arg_val<uint32_t>(0),
                                         .page_size = 64};
  const uint32_t amount = get_arg_val<uint32_t>(1) * get_common_arg_val<uint32_t>(0);
  const uint32_t page = get_arg_val<uint32_t>(2);
  const uint32_t l1 = get_write_ptr(0);
  noc_async_read(get_noc_addr(page, dram), l1, 64);
  noc_async_read_barrier();
  auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1);
  for (uint32_t i = 0; i < 16; ++i) words[i] = words[i] + amount;
  noc_async_write(l1, get_noc_addr(page, dram), 64);
  noc_async_write_barrier();
}
)";

// Runs the kernel on one core for each page of `buffer`, in a row from `first` on. REQUIRES: the
// row has so many cores.
class AccumulatingProgram {
 public:
  explicit AccumulatingProgram(const std::shared_ptr<tt::tt_metal::Buffer>& buffer,
                               CoreCoord first = {0, 0})
      : pages_(buffer->num_pages()), first_(first) {
    using namespace tt::tt_metal;
    const CoreRange cores(first, core(pages_ - 1));
    circular_buffer_ =
        CreateCircularBuffer(program, cores,
                             CircularBufferConfig(kAccumulatedPage, {{0, tt::DataFormat::UInt32}})
                                 .set_page_size(0, kAccumulatedPage));
    kernel = CreateKernelFromString(program, kAccumulate, cores, DataMovementConfig{});
    for (uint32_t page = 0; page < pages_; ++page) {
      SetRuntimeArgs(program, kernel, core(page), {buffer->address(), 10 + page, page});
    }
    SetCommonRuntimeArgs(program, kernel, {1});
  }

  CoreCoord core(uint32_t page) const { return {first_.x + page, first_.y}; }
  tt::tt_metal::CBHandle circular_buffer() const { return circular_buffer_; }

  tt::tt_metal::Program program = tt::tt_metal::CreateProgram();
  tt::tt_metal::KernelHandle kernel = 0;

 private:
  const uint32_t pages_;
  const CoreCoord first_;
  tt::tt_metal::CBHandle circular_buffer_ = 0;
};

// A DRAM buffer that holds the words 0, 1, 2, ...
inline std::shared_ptr<tt::tt_metal::Buffer> counting_buffer(tt::tt_metal::IDevice* device,
                                                             uint32_t pages) {
  auto buffer = tt::tt_metal::CreateBuffer(tt::tt_metal::InterleavedBufferConfig{
      .device = device, .size = uint64_t{pages} * kAccumulatedPage, .page_size = kAccumulatedPage});
  std::vector<uint32_t> words(pages * kAccumulatedPage / sizeof(uint32_t));
  for (size_t i = 0; i < words.size(); ++i) words[i] = static_cast<uint32_t>(i);
  tt::tt_metal::EnqueueWriteBuffer(device->command_queue(), buffer, words, true);
  return buffer;
}

inline std::vector<uint32_t> words_in(const std::shared_ptr<tt::tt_metal::Buffer>& buffer) {
  std::vector<uint32_t> words;
  tt::tt_metal::EnqueueReadBuffer(buffer->device()->command_queue(), buffer, words, true);
  return words;
}

}  // namespace lightmetal::testing
