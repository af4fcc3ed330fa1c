// Writes what the fuzzers begin with into the folder that is its argument: every command with what
// it needs before it, one file each, and all commands in one.
#include <cstdio>
#include <fstream>
#include <string>

#include "tests/schema_testing.h"

namespace lightmetal::schema::testing {
namespace {

void save(const std::string& path, const Content& content) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(content.data()),
             static_cast<std::streamsize>(content.size()));
}

void save_all(const std::string& folder) {
  save(folder + "/all.lmb", written(legal_sequence()));
  for (const CommandT& command : samples::all()) {
    save(folder + "/" + EnumNameCall(command.call.type) + ".lmb", written({command}));
  }
}

}  // namespace
}  // namespace lightmetal::schema::testing

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: lightmetal_fuzz_seeds FOLDER\n", stderr);
    return 2;
  }
  lightmetal::schema::testing::save_all(argv[1]);
  return 0;
}
