// Two chips, for a capture that the program does not know of.
#include <cstdio>
#include <numeric>

#include "tests/device/ethernet_program.h"

int main() {
  std::vector<uint32_t> data(1024);
  std::iota(data.begin(), data.end(), 7u);
  const bool same = lightmetal::testing::exchange(data, 3) == data;
  std::puts(same ? "arrived" : "broken");
  return same ? 0 : 1;
}
