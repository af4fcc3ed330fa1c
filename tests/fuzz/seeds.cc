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

}  // namespace
}  // namespace lightmetal::schema::testing

int main(int argc, char** argv) {
  using namespace lightmetal::schema;
  if (argc != 2) {
    std::fputs("usage: lightmetal_fuzz_seeds FOLDER\n", stderr);
    return 2;
  }
  const std::string folder = argv[1];
  testing::save(folder + "/all.lmb", testing::written(testing::legal_sequence()));
  for (const CommandT& command : samples::all()) {
    testing::save(folder + "/" + EnumNameCall(command.call.type) + ".lmb",
                  testing::written({command}));
  }
  return 0;
}
