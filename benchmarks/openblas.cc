#include "benchmarks/openblas.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

namespace lightmetal::bench {
namespace {

// Removes the settings of OpenBLAS from the environment: some, such as OPENBLAS_CORETYPE=Haswell,
// would make it slower than it can be.
void forget_settings() {
  std::vector<std::string> names;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (text.rfind("OPENBLAS_", 0) == 0 || text.rfind("OMP_", 0) == 0 ||
        text.rfind("GOTO_", 0) == 0)
      names.push_back(text.substr(0, text.find('=')));
  }
  for (const std::string& name : names) unsetenv(name.c_str());
}

}  // namespace

OpenBlas::OpenBlas() {
  forget_settings();
  library_ = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr)
    throw std::runtime_error(std::string("the benchmark needs OpenBLAS (scripts/setup): ") +
                             dlerror());
  const auto set_num_threads = reinterpret_cast<void (*)(int)>(symbol("openblas_set_num_threads"));
  set_num_threads(static_cast<int>(std::thread::hardware_concurrency()));
  sgemm_ = reinterpret_cast<Sgemm>(symbol("cblas_sgemm"));
}

void* OpenBlas::symbol(const char* name) const {
  void* found = dlsym(library_, name);
  if (found == nullptr) throw std::runtime_error(std::string("OpenBLAS has no ") + name);
  return found;
}

void OpenBlas::multiply(int n, const float* a, const float* b, float* c) const {
  constexpr int kRowMajor = 101, kNoTranspose = 111;
  sgemm_(kRowMajor, kNoTranspose, kNoTranspose, n, n, n, 1.0f, a, n, b, n, 0.0f, c, n);
}

std::string OpenBlas::description() const {
  const auto core_name = reinterpret_cast<const char* (*)()>(symbol("openblas_get_corename"));
  const auto num_threads = reinterpret_cast<int (*)()>(symbol("openblas_get_num_threads"));
  return std::string("OpenBLAS ") + core_name() + " on " + std::to_string(num_threads()) +
         " threads";
}

}  // namespace lightmetal::bench
