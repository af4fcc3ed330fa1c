// The headers that are generated from tables: those of kernels, and aliases of host headers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>

#include "tests/support/api_lists.h"
#include "tests/support/process.h"

namespace lightmetal::testing {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class KernelHeaders : public ::testing::Test {
 protected:
  ProcessResult make(const std::string& table) {
    write_file(folder_.path("table.txt"), table);
    return run_process({source_folder() + "cmake/kernel_headers.py", folder_.path("table.txt"),
                        folder_.path("made")});
  }

  std::string made(const std::string& name) { return read_file(folder_.path("made/" + name)); }

 private:
  TemporaryFolder folder_;
};

TEST_F(KernelHeaders, RowsBecomeFunctions) {
  const ProcessResult result = make(
      "# a comment\n\n"
      "header folder/one.h\n"
      "note what it does\n"
      "  init<> rsqrt_tile<> unary kRsqrt slope vector_mode\n"
      "  - eqz_tile integer_unary kEqual =0\n"
      "  init gcd_tile<> integer_binary kGcd\n"
      "  | enum { A = 0, B = 1 };\n");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(made("folder/one.h"), R"(#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// what it does
namespace ckernel {

template <auto... modes>
ALWI void rsqrt_tile_init() {}
template <auto... modes>
ALWI void rsqrt_tile(uint32_t idst, uint32_t slope, int vector_mode = VectorMode::RC) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kRsqrt, idst, slope, 0, 0, lightmetal::kernel::vectors_of(vector_mode));
}
ALWI void eqz_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kEqual, idst, 0);
}
ALWI void gcd_tile_init() {}
template <auto... modes>
ALWI void gcd_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kGcd, idst0, idst1, odst);
}
template <auto... modes>
ALWI void gcd_tile(uint32_t idst0, uint32_t idst1) { gcd_tile(idst0, idst1, idst0); }
enum { A = 0, B = 1 };

}  // namespace ckernel
)");
}

TEST_F(KernelHeaders, AForwardBringsOtherHeaders) {
  const ProcessResult result = make(
      "header folder/one.h\n"
      "  init one_tile\n"
      "header folder/two.h\n"
      "  init two_tile\n"
      "forward folder/all.h ./*.h ./three.h other.h\n");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(made("folder/all.h"),
            "#pragma once\n\n#include <folder/one.h>\n#include <folder/two.h>\n"
            "#include <folder/three.h>\n#include <other.h>\n");
}

TEST_F(KernelHeaders, WrongRowsAreRefused) {
  const std::string header = "header one.h\n";
  const std::pair<std::string, std::string> tables[] = {
      {header + "  init a_tile twofold kA\n", "no service twofold"},
      {header + "  init a_tile unary\n", "a service without an operation"},
      {header + "  - a_tile\n", "a row begins with"},
      {header + "  begin a_tile unary kA\n", "a row begins with"},
      {"  init a_tile unary kA\n", "neither a header, a forward nor a row"},
      {header + "init a_tile unary kA\n", "neither a header, a forward nor a row"},
      {header + "forward one.h two.h\n", "a second header one.h"},
  };
  for (const auto& [table, message] : tables) {
    const ProcessResult result = make(table);
    EXPECT_NE(result.exit_code, 0) << table;
    EXPECT_THAT(result.errors, HasSubstr(message)) << table;
  }
}

class HeaderAliases : public ::testing::Test {
 protected:
  ProcessResult make(const std::string& table) {
    write_file(folder_.path("table.txt"), table);
    return run_process({source_folder() + "cmake/header_aliases.py", folder_.path("table.txt"),
                        folder_.path("made")});
  }
  std::string path(const std::string& name) { return folder_.path("made/" + name); }

 private:
  TemporaryFolder folder_;
};

TEST_F(HeaderAliases, RowsBecomeHeaders) {
  const ProcessResult result = make(
      "# a comment\n\nnote Where it was.\nold/one.h: new/one.h new/two.h\nnote\nplain.hpp: "
      "x.hpp\n");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(read_file(path("old/one.h")),
            "#pragma once\n\n// Where it was.\n#include <new/one.h>  // IWYU pragma: export\n"
            "#include <new/two.h>  // IWYU pragma: export\n");
  EXPECT_EQ(read_file(path("plain.hpp")),
            "#pragma once\n\n#include <x.hpp>  // IWYU pragma: export\n");
}

TEST_F(HeaderAliases, OnlyHeadersThatChangeAreWritten) {
  ASSERT_EQ(make("a.h: x.h\nb.h: x.h\nc.h: x.h\n").exit_code, 0);
  const auto time = fs::last_write_time(path("a.h")) - std::chrono::hours(1);
  fs::last_write_time(path("a.h"), time);
  fs::last_write_time(path("b.h"), time);
  ASSERT_EQ(make("a.h: x.h\nb.h: y.h\n").exit_code, 0);
  EXPECT_EQ(fs::last_write_time(path("a.h")), time);
  EXPECT_NE(fs::last_write_time(path("b.h")), time);
  EXPECT_FALSE(fs::exists(path("c.h"))) << "it is no longer in the table";
}

TEST_F(HeaderAliases, AWrongLineIsNamed) {
  for (const char* line : {"a.h", "a.h: ", "b.h: x.h"}) {
    const ProcessResult result = make(std::string("b.h: x.h\n") + line + "\n");
    EXPECT_EQ(result.exit_code, 1) << line;
    EXPECT_THAT(result.errors, HasSubstr("table.txt:2: expected a header"));
    EXPECT_THAT(result.errors, HasSubstr(std::string("found: ") + line));
  }
}

}  // namespace
}  // namespace lightmetal::testing
