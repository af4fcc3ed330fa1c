#pragma once

#include <cstddef>

// The functions that clang calls on its own account, and that kernels get from <cstring>. A kernel
// object has no libc.

extern "C" {

__attribute__((no_builtin, noinline)) void* memcpy(void* __restrict target,
                                                   const void* __restrict source,
                                                   size_t size) noexcept {
  auto* to = static_cast<unsigned char*>(target);
  auto* from = static_cast<const unsigned char*>(source);
  for (size_t i = 0; i < size; ++i) to[i] = from[i];
  return target;
}

__attribute__((no_builtin, noinline)) void* memmove(void* target, const void* source,
                                                    size_t size) noexcept {
  auto* to = static_cast<unsigned char*>(target);
  auto* from = static_cast<const unsigned char*>(source);
  if (to <= from) {
    for (size_t i = 0; i < size; ++i) to[i] = from[i];
  } else {
    for (size_t i = size; i != 0; --i) to[i - 1] = from[i - 1];
  }
  return target;
}

__attribute__((no_builtin, noinline)) void* memset(void* target, int value, size_t size) noexcept {
  auto* to = static_cast<unsigned char*>(target);
  for (size_t i = 0; i < size; ++i) to[i] = static_cast<unsigned char>(value);
  return target;
}

__attribute__((no_builtin, noinline)) int memcmp(const void* left, const void* right,
                                                 size_t size) noexcept {
  auto* a = static_cast<const unsigned char*>(left);
  auto* b = static_cast<const unsigned char*>(right);
  for (size_t i = 0; i < size; ++i) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

__attribute__((no_builtin, noinline)) int bcmp(const void* left, const void* right,
                                               size_t size) noexcept {
  return memcmp(left, right, size);
}

__attribute__((no_builtin, noinline)) size_t strlen(const char* text) noexcept {
  size_t length = 0;
  while (text[length] != 0) ++length;
  return length;
}

}  // extern "C"
