// Outside projects built against the install tree: two of our own, and one that nobody wrote for
// this.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/install_tree.h"

namespace lightmetal::testing {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
namespace fs = std::filesystem;

TEST_F(InstallTree, BuildsAnOutsideProjectThatCapturesAndReplays) {
  ASSERT_NO_FATAL_FAILURE(build(LIGHTMETAL_SOURCE_FOLDER "/tests/outside_project", "outside"));
  const ProcessResult result =
      run_process({folder_->path("outside/outside"), folder_->path("outside.lmb")});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  EXPECT_EQ(result.output, "replayed: true\n");
  const ProcessResult replayed = run_process({runner(), folder_->path("outside.lmb")});
  EXPECT_EQ(replayed.exit_code, 0) << replayed.output << replayed.errors;
}

// With the flags of an outside project that uses the package.
ProcessResult check_alone(const std::string& project, const std::string& prefix) {
  return run_process(
      {LIGHTMETAL_SOURCE_FOLDER "/scripts/check_alone", project, "installed", prefix});
}

TEST_F(InstallTree, EveryInstalledHeaderCompilesAlone) {
  ASSERT_NO_FATAL_FAILURE(build(LIGHTMETAL_SOURCE_FOLDER "/tests/outside_project", "outside"));
  const std::string headers = folder_->path("installed/include/lightmetal");
  const ProcessResult whole = check_alone(folder_->path("outside"), headers);
  EXPECT_EQ(whole.exit_code, 0) << whole.output << whole.errors;
  EXPECT_THAT(whole.output, ContainsRegex("[0-9]{3} installed headers compile alone"));

  fs::create_directory(folder_->path("broken"));
  write_file(folder_->path("broken/broken.hpp"), "#pragma once\n#include \"host/no_such.h\"\n");
  const ProcessResult broken = check_alone(folder_->path("outside"), folder_->path("broken"));
  EXPECT_EQ(broken.exit_code, 1);
  EXPECT_THAT(broken.output, HasSubstr("'host/no_such.h' file not found"));
}

// The text of the first block of this language in the document.
std::string block_of(const std::string& document, const std::string& language) {
  const std::string begin = "```" + language + "\n";
  const size_t first = document.find(begin) + begin.size();
  return document.substr(first, document.find("```", first) - first);
}

TEST_F(InstallTree, AFileIsATestOfAProjectAndFailsWhereAKernelHasChanged) {
  const std::string project = folder_->path("golden");
  fs::create_directory(project);
  write_file(project + "/CMakeLists.txt",
             block_of(read_file(LIGHTMETAL_SOURCE_FOLDER "/docs/golden-tests.md"), "cmake"));
  const std::string loopback = std::string(LIGHTMETAL_BUILD_FOLDER) + "/bin/loopback";
  ASSERT_EQ(run_process({loopback, "--capture", project + "/loopback.lmb"}).exit_code, 0);
  ASSERT_NO_FATAL_FAILURE(build(project, "golden_build"));
  const auto tests = [&] {
    return run_process({"/usr/bin/env", "ctest", "--test-dir", folder_->path("golden_build"),
                        "--output-on-failure"});
  };
  const ProcessResult passed = tests();
  EXPECT_EQ(passed.exit_code, 0) << passed.output;
  EXPECT_THAT(passed.output, HasSubstr("100% tests passed, 0 tests failed out of 2"));
  EXPECT_THAT(read_file(folder_->path("golden_build/loopback.golden.json")),
              HasSubstr("\"failed\":0"));

  write_file(folder_->path("nothing.cpp"), "void kernel_main() {}\n");
  ASSERT_EQ(run_process({runner(), "redact", project + "/loopback.lmb", "--payloads", "-o",
                         project + "/silent.lmb"})
                .exit_code,
            0);
  write_file(project + "/CMakeLists.txt", read_file(project + "/CMakeLists.txt") +
                                              "lightmetal_add_golden_test(changed loopback.lmb "
                                              "OPTIONS --replace-kernel loopback.cpp=" +
                                              folder_->path("nothing.cpp") +
                                              ")\n"
                                              "lightmetal_add_golden_test(silent silent.lmb)\n"
                                              "lightmetal_add_golden_test(allowed silent.lmb "
                                              "ALLOW_NO_GOLDENS)\n");
  ASSERT_NO_FATAL_FAILURE(build(project, "golden_build"));
  const ProcessResult failed = tests();
  EXPECT_NE(failed.exit_code, 0);
  EXPECT_THAT(failed.output, AllOf(HasSubstr("2 tests failed out of 5"),
                                   HasSubstr("elements differ: [0] expected "),
                                   HasSubstr("compared 0 values, and --require-goldens demands")));
}

// Programs in the styles of late 2025 and after: a unit mesh, mesh buffers, workloads; tensors and
// specifications.
struct UnitMeshProgram {
  const char* name;
  const char* kernel;
  const char* text;   // of the kernel
  const char* wrong;  // in place of it gives a wrong result
};
void PrintTo(const UnitMeshProgram& program, std::ostream* out) { *out << program.name; }

class UnitMesh : public InstallTree, public ::testing::WithParamInterface<UnitMeshProgram> {
 protected:
  static void SetUpTestSuite() {
    ASSERT_NO_FATAL_FAILURE(InstallTree::SetUpTestSuite());
    ASSERT_NO_FATAL_FAILURE(build(kSource, "unit_mesh"));
  }

  // In a copy of its folder, which the test may change.
  ProcessResult run(std::map<std::string, std::string> environment = {}) {
    return run_process({folder_->path("unit_mesh/") + GetParam().name},
                       {.folder = copy_.path(), .environment = std::move(environment)});
  }
  ProcessResult run_alone(const std::string& file, std::map<std::string, std::string> environment) {
    fs::create_directory(copy_.path("empty"));
    environment["PATH"] = "";
    return run_process({runner(), file}, {.folder = copy_.path("empty"),
                                          .environment = std::move(environment),
                                          .empty_environment = true});
  }

  void SetUp() override { fs::copy(kSource + "/kernels", copy_.path("kernels")); }

  static inline const std::string kSource = LIGHTMETAL_SOURCE_FOLDER "/tests/outside_mesh";
  TemporaryFolder copy_;
};

TEST_P(UnitMesh, CapturedByTheEnvironmentAloneItsFileReplaysAloneAndAlike) {
  const std::string file = copy_.path("captured.lmb"), again = copy_.path("again.lmb");
  const std::map<std::string, std::string> origin = {{"LIGHTMETAL_CAPTURE_ORIGIN", "0"}};
  const ProcessResult plain = run();
  EXPECT_EQ(plain.exit_code, 0) << plain.output << plain.errors;
  auto environment = origin;
  environment["LIGHTMETAL_CAPTURE"] = file;
  const ProcessResult captured = run(environment);
  EXPECT_EQ(captured.exit_code, 0) << captured.errors;
  EXPECT_EQ(captured.output, plain.output);

  fs::remove_all(copy_.path("kernels"));
  const ProcessResult replayed = run_alone(file, {});
  EXPECT_EQ(replayed.exit_code, 0) << replayed.errors;
  EXPECT_NE(replayed.output.find("matched"), std::string::npos) << replayed.output;
  environment["LIGHTMETAL_CAPTURE"] = again;
  EXPECT_EQ(run_alone(file, environment).exit_code, 0);
  EXPECT_GT(fs::file_size(file), 10'000u);
  EXPECT_TRUE(read_file(file) == read_file(again)) << "the two files differ";
}

// The programs check what they have computed.
TEST_P(UnitMesh, AWrongKernelIsSeen) {
  const std::string path = copy_.path(GetParam().kernel);
  std::string kernel = read_file(path);
  const size_t place = kernel.find(GetParam().text);
  ASSERT_NE(place, std::string::npos);
  write_file(path, kernel.replace(place, std::strlen(GetParam().text), GetParam().wrong));
  const ProcessResult result = run();
  EXPECT_EQ(result.exit_code, 1) << result.output << result.errors;
}

INSTANTIATE_TEST_SUITE_P(
    All, UnitMesh,
    ::testing::Values(
        UnitMeshProgram{"elementwise_sum", "kernels/read_pairs.cpp", "tile, b,", "tile, a,"},
        UnitMeshProgram{"histogram", "kernels/count.cpp", "++bins[page[i]]",
                        "++bins[page[i] & 62]"},
        UnitMeshProgram{"matmul", "kernels/read_rows_and_columns.cpp", "k * Nt + column", "k * Nt"},
        UnitMeshProgram{"stencil", "kernels/diffuse.cpp", "side * kBlockBytes, kBlockBytes",
                        "(side ^ 1) * kBlockBytes, kBlockBytes"}),
    [](const auto& info) { return std::string(info.param.name); });

// What takes a folder of programs or kernels from outside through all steps.
class OutsideScripts : public InstallTree {
 protected:
  static ProcessResult run_script(const std::string& name, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), LIGHTMETAL_SOURCE_FOLDER "/scripts/" + name);
    return run_process(arguments);
  }
  static ProcessResult programs(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--install", folder_->path("installed")});
    return run_script("outside_programs", arguments);
  }
  static ProcessResult kernels(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--build", LIGHTMETAL_BUILD_FOLDER});
    return run_script("outside_kernels", arguments);
  }

  static inline const std::string kOutside = LIGHTMETAL_SOURCE_FOLDER "/tests/outside_mesh";
};

TEST_F(OutsideScripts, TakeProgramsThroughTheFourSteps) {
  const ProcessResult result = programs({kOutside, "--only", "elementwise"});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  EXPECT_NE(result.output.find("1 programs: 1 compiled, 1 ran, 1 captured, 1 replayed"),
            std::string::npos)
      << result.output;
}

TEST_F(OutsideScripts, LinkSourcesBesideHeadersAndReplaceFixtures) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path("home/tests/common"));
  std::filesystem::create_directories(folder.path("fixtures/tests"));
  write_file(folder.path("home/tests/common/help.hpp"), "int helped();\n");
  write_file(folder.path("home/tests/common/help.cpp"), "int helped() { return 0; }\n");
  write_file(folder.path("home/tests/fixture.hpp"), "#error below the API\n");
  write_file(folder.path("fixtures/tests/fixture.hpp"), "\n");
  std::filesystem::create_directories(folder.path("home/tests/part"));
  write_file(folder.path("home/tests/part/program.cpp"),
             "#include \"common/help.hpp\"\n#include \"fixture.hpp\"\n"
             "int main() { return helped(); }\n");
  const ProcessResult result =
      programs({folder.path("home/tests/part"), "--home", folder.path("home"), "--fixtures",
                folder.path("fixtures"), "--until", "ran"});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  EXPECT_NE(result.output.find("1 compiled, 1 ran, 0 captured"), std::string::npos)
      << result.output;
}

TEST_F(OutsideScripts, NameTheProgramThatFailsUnlessItsReasonIsKnown) {
  const TemporaryFolder folder;
  write_file(folder.path("fails.cpp"), "int main() { return 1; }\n");
  write_file(folder.path("reasons"), "fails.cpp: it always does\n");
  const ProcessResult failed = programs({folder.path()});
  EXPECT_EQ(failed.exit_code, 1) << failed.output << failed.errors;
  EXPECT_NE(failed.output.find("1 compiled, 0 ran"), std::string::npos) << failed.output;
  const ProcessResult expected = programs({folder.path(), "--expect", folder.path("reasons")});
  EXPECT_EQ(expected.exit_code, 0) << expected.output << expected.errors;
  EXPECT_NE(expected.output.find("expected: fails.cpp: it always does"), std::string::npos);
}

TEST_F(OutsideScripts, WorkInAFolderWithSpacesAndTakeNoWarningForTheError) {
  const TemporaryFolder folder;
  const std::string outside = folder.path("my programs");
  fs::create_directories(outside + "/parts");
  write_file(outside + "/parts/text.hpp", "#define SAID \"error: the real one\"\n");
  write_file(outside + "/warns.cpp",
             "#include <cstdio>\n#include \"parts/text.hpp\"\n"
             "int main() { std::puts(\"warning: checked it is an error\\n\" SAID); return 1; }\n");
  write_file(outside + "/silent.cpp", "int main() {}\n");
  const ProcessResult result = programs({outside});
  EXPECT_EQ(result.exit_code, 1) << result.output << result.errors;
  EXPECT_THAT(result.output, HasSubstr("2 programs: 2 compiled, 1 ran, 0 captured, 0 replayed"));
  EXPECT_THAT(result.output, HasSubstr("  error: the real one"));
  EXPECT_THAT(result.output, HasSubstr("  error: it made no call that is recorded"));
}

// One of five tests fails, one is skipped, and one ends the program before the last two have run.
TEST_F(OutsideScripts, CountTheTestsOfAGoogleTestProgramWithTheFixturesThatAreGiven) {
  const TemporaryFolder folder;
  for (const char* part : {"programs", "home", "fixtures"}) fs::create_directory(folder.path(part));
  write_file(folder.path("home/tests_fixture.hpp"), "#error below the API\n");
  write_file(folder.path("fixtures/tests_fixture.hpp"), "#include <gtest/gtest.h>\n");
  write_file(folder.path("programs/tests.cpp"),
             "#include \"tests_fixture.hpp\"\n#include <cstdlib>\n"
             "TEST(One, Passes) {}\nTEST(One, Fails) { EXPECT_EQ(1, 2); }\n"
             "TEST(One, Aborts) { std::abort(); }\nTEST(One, IsSkipped) { GTEST_SKIP(); }\n"
             "TEST(One, PassesToo) {}\n");
  const ProcessResult result = programs({folder.path("programs"), "--home", folder.path("home"),
                                         "--fixtures", folder.path("fixtures")});
  EXPECT_EQ(result.exit_code, 1) << result.output << result.errors;
  EXPECT_THAT(result.output, HasSubstr("1 programs: 1 compiled, 0 ran"));
  EXPECT_THAT(result.output, HasSubstr("5 tests: 2 pass (50.0 % of those that are not skipped), "
                                       "1 skipped, 2 fail"));
}

TEST_F(OutsideScripts, CompileKernelsAndNameTheOneThatDoesNot) {
  const TemporaryFolder folder;
  fs::copy(kOutside + "/kernels", folder.path());
  write_file(folder.path("wrong.cpp"), "void kernel_main() { no_such_function(); }\n");
  const ProcessResult all = kernels({folder.path()});
  EXPECT_EQ(all.exit_code, 1) << all.output << all.errors;
  EXPECT_NE(all.output.find("2 out of scope; of 7 in scope 6 compiled"), std::string::npos)
      << all.output;
  EXPECT_NE(all.output.find("undeclared identifier 'no_such_function'"), std::string::npos)
      << all.output;
  EXPECT_EQ(kernels({folder.path(), "--match", "^(?!wrong)"}).exit_code, 0);
}

TEST_F(OutsideScripts, RefuseAWrongCall) {
  EXPECT_EQ(kernels({"no_such_folder"}).exit_code, 2);
  EXPECT_EQ(kernels({kOutside, "--match", "no_such_kernel"}).exit_code, 2);
  EXPECT_EQ(programs({kOutside, "--only", "no_such_program"}).exit_code, 2);
  EXPECT_EQ(programs({kOutside, "--only", "("}).exit_code, 2);
}

// A made-up ttnn package.
class KernelsOfToday : public ::testing::Test {
 protected:
  void write_kernel(const std::string& name, const std::string& text) {
    const std::string path = package_.path("ttnn/ttnn/cpp/" + name);
    fs::create_directories(fs::path(path).parent_path());
    write_file(path, text);
  }
  ProcessResult run(std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(),
                     {LIGHTMETAL_SOURCE_FOLDER "/scripts/kernels_of_today", "--package",
                      package_.path(), "--build", LIGHTMETAL_BUILD_FOLDER});
    return run_process(arguments);
  }
  // What a line of Python says that has the scripts' modules.
  static std::string python(const std::string& line) {
    return run_process(
               {"/usr/bin/env", "python3", "-c",
                "import sys; sys.path.insert(0, '" LIGHTMETAL_SOURCE_FOLDER "/scripts'); " + line})
        .output;
  }

  TemporaryFolder package_;
};

TEST_F(KernelsOfToday, TellWhatCompilesFromWhatFailsAndWhatIsOutOfScope) {
  write_kernel(
      "good/reader.cpp",
      "#include \"api/dataflow/noc.h\"\nvoid kernel_main() { Noc().async_read_barrier(); }");
  write_kernel("bad/reader.cpp", "void kernel_main() { no_such_function(); }");
  write_kernel("gamma/compute/gamma.cpp",
               "#include \"api/compute/eltwise_unary/lgamma.h\"\n"
               "void kernel_main() { lgamma_stirling_tile(0); }");
  write_kernel("ours/fabric.hpp", "void tt_fabric_send();");
  write_kernel("ours/writer.cpp", "#include \"fabric.hpp\"\nvoid kernel_main() {}");
  write_kernel("ours/helpers.hpp", "#pragma once\n#include \"fabric.hpp\"\n");
  write_kernel("ours/sender.cpp", "#include \"helpers.hpp\"\nvoid kernel_main() {}");
  write_kernel("low/compute/unpack.cpp", "void kernel_main() { llk_unpack_A(0, 0); }");
  write_kernel("host/factory.cpp", "int make_program() { return 1; }");
  const ProcessResult result = run({"--json", package_.path("figures.json")});
  EXPECT_EQ(result.exit_code, 1) << result.output << result.errors;
  EXPECT_THAT(
      result.output,
      HasSubstr(
          "6 kernels: 3 out of scope; of 3 in scope 1 compiled (33.3 %), 1 refused, 1 failed"));
  EXPECT_THAT(result.output,
              HasSubstr("1 failed: use of undeclared identifier 'no_such_function'"));
  EXPECT_THAT(result.output, HasSubstr("1 refused: lgamma_stirling_tile: the logarithm"));
  EXPECT_THAT(result.output, ContainsRegex("ours/sender.cpp +out of scope +fabric"));
  EXPECT_THAT(read_file(package_.path("figures.json")), HasSubstr("\"percent\": 33.3"));
  EXPECT_EQ(run({"--least", "33"}).exit_code, 0);
}

TEST_F(KernelsOfToday, GiveKernelsWhatTheirFactoryWrites) {
  write_kernel("op/factory.cpp",
               "auto kernel = \"op/writer.cpp\"; defines[\"STEP\"] = \"2\"; defines[\"WITH_BIAS\"] "
               "= \"1\"; schema.runtime_arg_names = {\"rows\", \"pages\"};");
  write_kernel("op/writer.cpp",
               "#ifdef WITH_BIAS\n#error only a condition\n#endif\n"
               "void kernel_main() { static_assert(STEP == 2); }");
  EXPECT_EQ(run().exit_code, 0) << run().output;
  EXPECT_EQ(python("from kernel_host import *; from kernel_scope import *; import pathlib; p = "
                   "pathlib.Path('" +
                   package_.path("ttnn") +
                   "'); print(sorted(Factories(p, Sources(p)).runtime_names('op/writer.cpp')))"),
            "['pages', 'rows']\n");
}

TEST_F(KernelsOfToday, MakeUpTheHeadersOfMetal2FromTheNamesThatAKernelUses) {
  const std::string bindings = python(
      "import kernel_bindings; print(kernel_bindings.bindings_header('f(dfb::out, dfb::in, "
      "dfb::out, tensor::src, sem::go, my::dfb::other)'))");
  EXPECT_THAT(bindings,
              HasSubstr("DFBBindingToken<> out{0};\nconstexpr ::DFBBindingToken<> in{1}"));
  EXPECT_THAT(bindings, HasSubstr("TensorBindingToken<0, 0>; constexpr src_t src"));
  EXPECT_THAT(bindings, HasSubstr("SemaphoreBindingToken go{0, ::SemScope::EXTERNAL}"));
  EXPECT_THAT(bindings, Not(HasSubstr("other")));
  const std::string args = python(
      "import kernel_bindings; print(kernel_bindings.args_header('args::a args::b args::c', {'b', "
      "'c'}, {'a': 7}))");
  EXPECT_THAT(args, HasSubstr("CtaVal<uint32_t> a{7}"));
  EXPECT_THAT(args, HasSubstr("RtaArg<uint32_t> c{4}"));
  EXPECT_THAT(args, HasSubstr("get_arg_val<uint32_t>(2 + i)"));
  const std::string constants = python(
      "import kernel_bindings; print(kernel_bindings.args_header('constexpr auto n = "
      "get_arg(args::rows); f(args::cb_in, args::cb_out)', {'rows'}, {}))");
  EXPECT_THAT(constants, HasSubstr("CtaVal<uint32_t> rows{1}"));
  EXPECT_THAT(constants, HasSubstr("CtaVal<uint32_t> cb_in{0}"));
  EXPECT_THAT(constants, HasSubstr("CtaVal<uint32_t> cb_out{1}"));
}

// A tree in which a/one and b/two include each other.
TEST(House, CountsFilesFunctionsCommentsAndCycles) {
  const TemporaryFolder tree;
  for (const char* folder : {"a", "b", "tests"}) fs::create_directory(tree.path(folder));
  write_file(tree.path("a/one.h"), "#include \"b/two.h\"\n// Says what it is.\nint one();\n");
  write_file(tree.path("a/one.cc"), "#include \"a/one.h\"\n\nint one() {\n  return 1;\n}\n");
  write_file(tree.path("b/two.h"), "int one();\n");
  write_file(tree.path("b/two.cc"), "#include \"a/one.h\"\n");
  write_file(tree.path("tests/one_test.cc"), "int main() {}\n\n\n\n\n");
  const auto house = [&] {
    return run_process({LIGHTMETAL_SOURCE_FOLDER "/scripts/house", tree.path()}).output;
  };
  const std::string output = house();
  EXPECT_THAT(output, ContainsRegex("production files +4\n"));
  EXPECT_THAT(output, ContainsRegex("production lines +10\n"));
  EXPECT_THAT(output, ContainsRegex("functions: number, mean, median +1, 3, 3\n"));
  EXPECT_THAT(output, ContainsRegex("comments: headers, sources +25%, 0%\n"));
  EXPECT_THAT(output, ContainsRegex("cycles of components +2\n"));
  EXPECT_THAT(output, ContainsRegex("cycles of folders +2\n"));
  EXPECT_THAT(output, ContainsRegex("test lines / production lines +0.50\n"));
  write_file(tree.path("b/two.cc"), "");
  EXPECT_THAT(house(), ContainsRegex("cycles of components +none\ncycles of folders +none\n"));
}

TEST(House, CountsFilesThatListTheLaunchCommands) {
  const TemporaryFolder tree;
  fs::create_directory(tree.path("schema"));
  std::string tables, members;
  for (const std::string call : {"Run", "Replay", "Again", "Once"}) {
    tables += "table " + call + " (effect: \"launch\") {\n}\n";
    members += "  " + call + " = 1,\n";
  }
  write_file(tree.path("schema/command.fbs"), tables + "union Call {\n" + members + "}\n");
  write_file(tree.path("two.cc"), "bool b = is(Run) || is(Replay);  // or Again\n");
  write_file(tree.path("overloads.cc"),
             "void execute(const Run& c) {}\nvoid execute(const Once& c) {}\n"
             "void execute(const Again& c) {}\n");
  const auto house = [&] {
    return run_process({LIGHTMETAL_SOURCE_FOLDER "/scripts/house", tree.path()}).output;
  };
  EXPECT_THAT(house(), ContainsRegex("files that list the launch commands +1\n"));
  write_file(tree.path("three.cc"), "bool b = is(Run) || is(Replay) || is(Again);\n");
  EXPECT_THAT(house(), ContainsRegex("files that list the launch commands +2\n"));
}

TEST(House, OnlyTheSchemaListsTheLaunchCommands) {
  EXPECT_THAT(run_process({LIGHTMETAL_SOURCE_FOLDER "/scripts/house"}).output,
              ContainsRegex("files that list the launch commands +1\n"));
}

// Says what scripts/check_includes finds in a tree of these files, each with the header it
// includes.
std::string wrong_includes(const std::vector<std::pair<std::string, std::string>>& files) {
  const TemporaryFolder tree;
  for (const auto& [path, included] : files) {
    fs::create_directories(fs::path(tree.path(path)).parent_path());
    write_file(tree.path(path), "\n#include \"" + included + "\"\n");
  }
  const ProcessResult result =
      run_process({LIGHTMETAL_SOURCE_FOLDER "/scripts/check_includes", tree.path()});
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(result.exit_code, result.output.starts_with("check_includes: every include") ? 0 : 1);
  return result.output;
}

TEST(CheckIncludes, PassesThisTreeAndWhatFollowsTheArrows) {
  EXPECT_EQ(run_process({LIGHTMETAL_SOURCE_FOLDER "/scripts/check_includes"}).exit_code, 0);
  EXPECT_THAT(wrong_includes({{"api/a.cc", "device/device.h"},
                              {"device/device.h", "device/kernel_abi/abi.h"},
                              {"device/cpu/threads/worker.h", "device/cpu/machine/machine.h"},
                              {"device/cpu/machine/machine.h", "device/device.h"},
                              {"device/registry/registry.cc", "device/cpu/threads/worker.h"}}),
              StartsWith("check_includes: every include"));
}

TEST(CheckIncludes, RefusesWhatLeadsAgainstTheArrows) {
  EXPECT_THAT(wrong_includes({{"base/a.cc", "schema/generated.h"}}),
              HasSubstr("base/a.cc:2: includes schema/generated.h: base may not include schema"));
  EXPECT_THAT(
      wrong_includes({{"base/a.cc", "tt-metalium/b.h"}, {"api/include/tt-metalium/b.h", ""}}),
      HasSubstr("base may not include api"));
  EXPECT_THAT(wrong_includes({{"base/a.cc", "../base/b.h"}}), HasSubstr("at the project's root"));
  EXPECT_THAT(wrong_includes({{"api/a.cc", "device/cpu/machine/b.h"}}),
              HasSubstr("only device/registry includes backends"));
  EXPECT_THAT(wrong_includes({{"device/null/a.cc", "device/cpu/machine/b.h"}}),
              HasSubstr("only device/registry includes backends"));
}

TEST(CheckIncludes, RefusesWhatLeadsUpTheLayersOfAFolder) {
  EXPECT_THAT(wrong_includes({{"device/cpu/machine/a.h", "device/cpu/threads/b.h"}}),
              HasSubstr("in device/cpu, machine does not lie above threads"));
  EXPECT_THAT(wrong_includes({{"device/cpu/compiler/a.h", "device/cpu/memory/b.h"}}),
              HasSubstr("in device/cpu, compiler does not lie above memory"));
  EXPECT_THAT(wrong_includes({{"device/a.h", "device/registry/b.h"}}),
              HasSubstr("in device, . does not lie above registry"));
  EXPECT_THAT(wrong_includes({{"device/cpu/new/a.h", "device/cpu/memory/b.h"}}),
              HasSubstr("device/cpu/new is not in the layers"));
}

TEST(CheckIncludes, RefusesACircleOfFoldersOrOfComponents) {
  EXPECT_THAT(
      wrong_includes({{"runner/a.h", "runner/deep/er/b.h"}, {"runner/deep/er/b.h", "runner/a.h"}}),
      AllOf(HasSubstr("a circle of 2: runner, runner/deep/er\n"),
            HasSubstr("  runner/a.h:2 includes runner/deep/er/b.h\n")));
  EXPECT_THAT(wrong_includes({{"runner/a.cc", "runner/b.h"},
                              {"runner/b.h", ""},
                              {"runner/b.cc", "runner/a.h"},
                              {"runner/a.h", ""}}),
              StartsWith("a circle of 2: runner/a, runner/b\n"));
  EXPECT_THAT(
      wrong_includes(
          {{"runner/a.cc", "runner/a.h"}, {"runner/a.h", "runner/b.h"}, {"runner/b.h", ""}}),
      StartsWith("check_includes: every include"));
}

class Sobel : public InstallTree {
 protected:
  void SetUp() override {
    client_ = LIGHTMETAL_SOURCE_FOLDER "/../shared/clients/sobel";
    if (!fs::exists(client_)) GTEST_SKIP() << "there is no " << client_;
    ASSERT_NO_FATAL_FAILURE(build(client_, "sobel"));
  }

  ProcessResult run(std::vector<std::string> arguments,
                    std::map<std::string, std::string> environment = {}) {
    arguments.insert(arguments.begin(), folder_->path("sobel/sobel"));
    return run_process(arguments, {.folder = client_, .environment = std::move(environment)});
  }

  std::string client_;
};

TEST_F(Sobel, HasNoWrongPixelsOnItsOwnPicture) {
  const ProcessResult result = run({});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.output.find(" 0 wrong pixels"), std::string::npos) << result.output;
}

TEST_F(Sobel, HasNoWrongPixelsOnAGivenPicture) {
  std::string picture = "P5\n321 123\n255\n";
  uint32_t state = 1;
  for (int i = 0; i < 321 * 123; ++i)
    picture.push_back(static_cast<char>((state = state * 1664525 + 1013904223) >> 24));
  write_file(folder_->path("in.pgm"), picture);
  const ProcessResult result = run({folder_->path("in.pgm"), folder_->path("out.pgm")});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.output.find("321x123"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find(" 0 wrong pixels"), std::string::npos) << result.output;
  EXPECT_EQ(read_file(folder_->path("out.pgm")).size(), picture.size());
}

TEST_F(Sobel, CapturedByTheEnvironmentAloneItsFileReplaysAlone) {
  const std::string file = folder_->path("sobel.lmb");
  const ProcessResult plain = run({}), captured = run({}, {{"LIGHTMETAL_CAPTURE", file}});
  EXPECT_EQ(captured.exit_code, 0) << captured.errors;
  EXPECT_EQ(captured.output, plain.output);
  fs::create_directory(folder_->path("empty"));
  const ProcessResult replayed = run_process(
      {runner(), file},
      {.folder = folder_->path("empty"), .environment = {{"PATH", ""}}, .empty_environment = true});
  EXPECT_EQ(replayed.exit_code, 0) << replayed.errors;
  EXPECT_NE(replayed.output.find("1 golden matched"), std::string::npos) << replayed.output;
}

}  // namespace
}  // namespace lightmetal::testing
