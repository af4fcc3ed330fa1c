// Writes what the fuzzers begin with into the folder that is its argument.
#include <cstdio>
#include <fstream>
#include <string>

#include "tests/fuzz/seeds.h"

namespace lightmetal::fuzz {
namespace {

void save_all(const std::string& folder, const std::vector<Seed>& seeds) {
  for (const Seed& seed : seeds) {
    std::ofstream(folder + "/" + seed.name + ".lmb", std::ios::binary)
        .write(reinterpret_cast<const char*>(seed.content.data()),
               static_cast<std::streamsize>(seed.content.size()));
  }
}

}  // namespace
}  // namespace lightmetal::fuzz

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: lightmetal_fuzz_seeds FOLDER\n", stderr);
    return 2;
  }
  lightmetal::fuzz::save_all(argv[1], lightmetal::fuzz::sample_seeds());
  lightmetal::fuzz::save_all(argv[1], lightmetal::fuzz::replayable_seeds());
  return 0;
}
