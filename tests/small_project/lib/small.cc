#include "lib/small.h"

#define CHECKED(x) ((x) < 5)

int clamp(int value, int least, int most) {
  if (value < least) return least;
  if (value > most || most == 0) return most;
  return value;
}

bool Counter::add(int n) {
  const std::lock_guard lock(mutex);
  if (value + n > limit) return false;
  value += n;
  return true;
}

absl::Status check(int value) {
  if (!CHECKED(value)) return absl::Status{false};
  return absl::OkStatus();
}

int distance(int from, int to) { return difference(from, to); }

bool never(int value) { return value == kMost; }
