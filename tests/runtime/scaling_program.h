#pragma once

#include <cstdint>
#include <memory>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <vector>

// A program whose results depend on its inputs alone: y = factor * x + w, page by page.
namespace lightmetal::testing {

inline constexpr uint32_t kScaledPage = 64;  // bytes, of 16 words

// The values that tests give it, as a tensor of a row for each page.
using Words = std::vector<uint32_t>;

inline constexpr uint32_t kPages = 4;
inline constexpr uint32_t kWords = kPages * kScaledPage / sizeof(uint32_t);
inline const std::vector<uint32_t> kShape = {kPages, kWords / kPages};

inline Words counting(uint32_t first) {
  Words words(kWords);
  for (uint32_t i = 0; i < kWords; ++i) words[i] = first + i;
  return words;
}

inline Words scaled(const Words& x, uint32_t factor, const Words& w) {
  Words y(x.size());
  for (size_t i = 0; i < x.size(); ++i) y[i] = factor * x[i] + w[i];
  return y;
}

// The mark is for a backend whose kernels are functions of its own (tests/outside_backend).
inline constexpr char kScale[] = R"(
// native: scale
#include "dataflow_api.h"
void kernel_main() {
  const InterleavedAddrGen<true> x = {.bank_base_address = get_arg_val<uint32_t>(0), .page_size = 64};
  const InterleavedAddrGen<true> w = {.bank_base_address = get_arg_val<uint32_t>(1), .page_size = 64};
  const InterleavedAddrGen<true> y = {.bank_base_address = get_arg_val<uint32_t>(2), .page_size = 64};
  const uint32_t factor = get_common_arg_val<uint32_t>(0);
  const uint32_t l1 = get_write_ptr(0);
  auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1);
  for (uint32_t page = 0; page < get_arg_val<uint32_t>(3); ++page) {
    noc_async_read(get_noc_addr(page, x), l1, 64);
    noc_async_read(get_noc_addr(page, w), l1 + 64, 64);
    noc_async_read_barrier();
    for (uint32_t i = 0; i < 16; ++i) words[i] = factor * words[i] + words[16 + i];
    noc_async_write(l1, get_noc_addr(page, y), 64);
    noc_async_write_barrier();
  }
}
)";

class ScalingProgram {
 public:
  using BufferPointer = std::shared_ptr<tt::tt_metal::Buffer>;
  enum class Addresses { kNumbers, kByBuffer };

  ScalingProgram(const BufferPointer& x, const BufferPointer& w, const BufferPointer& y,
                 Addresses addresses = Addresses::kNumbers, uint32_t factor = 1) {
    using namespace tt::tt_metal;
    const CoreCoord core(0, 0);
    CreateCircularBuffer(program, core,
                         CircularBufferConfig(2 * kScaledPage, {{0, tt::DataFormat::UInt32}})
                             .set_page_size(0, kScaledPage));
    kernel = CreateKernelFromString(program, kScale, core, DataMovementConfig{});
    if (addresses == Addresses::kNumbers) {
      SetRuntimeArgs(program, kernel, core,
                     {x->address(), w->address(), y->address(), x->num_pages()});
    } else {
      LightMetalSetRuntimeArgs(program, kernel, core,
                               {LightMetalAddress{x.get()}, LightMetalAddress{w.get()},
                                LightMetalAddress{y.get()}, x->num_pages()});
    }
    set_factor(factor);
  }
  // The first time before any launch; later ones change the argument within what is launched next.
  void set_factor(uint32_t factor) {
    if (!has_factor_) {
      tt::tt_metal::SetCommonRuntimeArgs(program, kernel, {factor});
    } else {
      tt::tt_metal::GetCommonRuntimeArgs(program, kernel)[0] = factor;
    }
    has_factor_ = true;
  }

  tt::tt_metal::Program program = tt::tt_metal::CreateProgram();
  tt::tt_metal::KernelHandle kernel = 0;

 private:
  bool has_factor_ = false;
};

inline ScalingProgram::BufferPointer scaled_buffer(tt::tt_metal::IDevice* device, uint32_t pages) {
  return tt::tt_metal::CreateBuffer(tt::tt_metal::InterleavedBufferConfig{
      .device = device, .size = uint64_t{pages} * kScaledPage, .page_size = kScaledPage});
}

}  // namespace lightmetal::testing
