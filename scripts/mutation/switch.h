#pragma once
#if __cplusplus >= 202002L  // CMake tries the compiler with older ones

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

// The switch of scripts/mutants: which mistake of a build is on. No normal build has it.
namespace lightmetal_mutation {

inline constexpr int kMistakes = 1 << 16;        // at most
inline constexpr int kFirstOfKernels = 1 << 15;  // smaller numbers are mistakes of hosts
// Kernels also count here. The address is constant because it is part of their source.
inline constexpr uintptr_t kCounts = 0x6f0000000000;

// Reads these variables once, when the process starts:
//   LIGHTMETAL_MUTANT          the number of the mistake that is on
//   LIGHTMETAL_MUTANTS_REACHED a file with a byte for each mistake: 1 if its place is reached
struct State {
  State() {
    if (const char* number = std::getenv("LIGHTMETAL_MUTANT")) active = std::atoi(number);
    const char* path = std::getenv("LIGHTMETAL_MUTANTS_REACHED");
    const int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (file < 0) return;
    void* const place = reinterpret_cast<void*>(kCounts);
    // Another library of the process may have mapped the file already.
    if (ftruncate(file, kMistakes) == 0) {
      mmap(place, kMistakes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, file, 0);
      reached = static_cast<unsigned char*>(place);
    }
    close(file);
  }
  int active = 0;
  unsigned char* reached = nullptr;
};
// Initializers of other globals may ask before: then no mistake is on.
inline State state;

// Returns whether mistake `number` is on. Never, where the compiler evaluates it.
constexpr bool on(int number) {
  if (std::is_constant_evaluated()) return false;
  if (state.reached) state.reached[number] = 1;
  return state.active == number;
}

// Sources that kernels include ask by this macro.
#define LIGHTMETAL_MUTANT_ON(number) ::lightmetal_mutation::on(number)

// The same macro for kernels. As a flag of their compiler it is part of their key in the cache.
inline std::string kernel_define() {
  std::string on = "false";
  if (state.active >= kFirstOfKernels) on = "(n) == " + std::to_string(state.active);
  if (state.reached && std::getenv("LIGHTMETAL_MUTANTS_IN_KERNELS")) {
    on = "!__builtin_is_constant_evaluated() && (((volatile unsigned char*)" +
         std::to_string(kCounts) + "ul)[n] = 1, false)";
  }
  return "-DLIGHTMETAL_MUTANT_ON(n)=(" + on + ")";
}

// A Lock that is not taken if the mistake is on.
template <class Lock>
class Optional {
 public:
  template <class... Arguments>
  explicit Optional(bool is_left_out, Arguments&&... arguments) {
    if (!is_left_out) lock_.emplace(std::forward<Arguments>(arguments)...);
  }

 private:
  std::optional<Lock> lock_;
};

}  // namespace lightmetal_mutation

#endif
