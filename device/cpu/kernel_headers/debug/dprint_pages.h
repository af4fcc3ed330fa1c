#pragma once

#include "debug/dprint.h"

// Prints `npages` pages of L1 from page `start` on, one page to a line.

namespace lightmetal::kernel {

template <typename Element, typename Show>
inline void print_pages(uint32_t l1_addr, uint32_t elts_per_page, uint32_t npages, uint32_t start,
                        const Show& show) {
  const auto* elements = reinterpret_cast<const volatile Element*>(l1_addr);
  for (uint32_t page = start; page < start + npages; ++page) {
    DPRINT << page << ": ";
    for (uint32_t i = 0; i < elts_per_page; ++i) {
      show(elements[page * elts_per_page + i]);
      DPRINT << ' ';
    }
    DPRINT << ENDL();
  }
}

}  // namespace lightmetal::kernel

inline void print_bf16_pages(uint32_t l1_addr, uint32_t elts_per_page, uint32_t npages,
                             uint32_t start = 0) {
  lightmetal::kernel::print_pages<uint16_t>(l1_addr, elts_per_page, npages, start,
                                            [](uint16_t bits) { DPRINT << BF16(bits); });
}

inline void print_f32_pages(uint32_t l1_addr, uint32_t elts_per_page, uint32_t npages,
                            uint32_t start = 0) {
  lightmetal::kernel::print_pages<uint32_t>(l1_addr, elts_per_page, npages, start,
                                            [](uint32_t bits) { DPRINT << F32(bits); });
}

inline void print_u32_pages(uint32_t l1_addr, uint32_t elts_per_page, uint32_t npages,
                            uint32_t start = 0) {
  lightmetal::kernel::print_pages<uint32_t>(l1_addr, elts_per_page, npages, start,
                                            [](uint32_t value) { DPRINT << U32(value); });
}

inline void print_u8_pages(uint32_t l1_addr, uint32_t elts_per_page, uint32_t npages,
                           uint32_t start = 0) {
  lightmetal::kernel::print_pages<uint8_t>(l1_addr, elts_per_page, npages, start,
                                           [](uint8_t value) { DPRINT << U32(value); });
}
