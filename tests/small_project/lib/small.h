#pragma once

#include <mutex>

#define RIGHT true

namespace absl {

struct Status {
  bool ok;
};

inline Status OkStatus() { return Status{RIGHT}; }

}  // namespace absl

constexpr int kMost = 2 + 2;

template <class T>
T difference(T from, T take) {
  return from - take;
}

struct Counter {
  bool add(int n);

  int limit = 3;
  int value = 0;
  std::mutex mutex;
};

int clamp(int value, int least, int most);
absl::Status check(int value);
int distance(int from, int to);
