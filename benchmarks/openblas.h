#pragma once

#include <string>

// OpenBLAS as the other side of a comparison, never a part of the project. It is loaded at run
// time, so that it is free to choose its fastest code for this processor.
namespace lightmetal::bench {

class OpenBlas {
 public:
  // Loads the library, without what the environment says about its kernels and threads, for as
  // many threads as the host has processors. Throws std::runtime_error when it is not installed.
  OpenBlas();

  // c = a x b, n x n each, row-major.
  void multiply(int n, const float* a, const float* b, float* c) const;

  // "OpenBLAS SkylakeX on 2 threads"
  std::string description() const;

 private:
  using Sgemm = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k,
                         float alpha, const float* a, int lda, const float* b, int ldb, float beta,
                         float* c, int ldc);

  void* symbol(const char* name) const;

  void* library_ = nullptr;
  Sgemm sgemm_ = nullptr;
};

}  // namespace lightmetal::bench
