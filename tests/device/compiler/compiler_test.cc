#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "device/cpu/compiler/files.h"
#include "tests/device/compiler/compiler_test_kit.h"

namespace lightmetal::device::cpu {
namespace {

using testing::HasSubstr;
using testing::Not;

// Sets a variable, or leaves it unset, for as long as it lives.
class Variable {
 public:
  Variable(const char* name, const std::optional<std::string>& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~Variable() { set(before_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const std::optional<std::string>& value) {
    value.has_value() ? setenv(name_, value->c_str(), 1) : unsetenv(name_);
  }

  const char* const name_;
  std::optional<std::string> before_;
};

// ---- What a kernel is compiled with ----

TEST_F(Compiler, CompileTimeArgumentsAreConstants) {
  auto kernel = source(R"(
    #if !defined(KERNEL_COMPILE_TIME_ARG_1) || defined(KERNEL_COMPILE_TIME_ARG_2) || !defined(KERNEL_BUILD)
    #error
    #endif
    template <uint32_t N> struct Take { static constexpr uint32_t value = N; };
    void kernel_main() {
      constexpr uint32_t first = get_compile_time_arg_val(0);
      constexpr bool flag = get_compile_time_arg_val(0 + 1) == 4000000000;
      static_assert(Take<first>::value == 7 && flag);
      *(uint32_t*)0x30000 = KERNEL_COMPILE_TIME_ARG_1;
    })");
  kernel.compile_args = {7, 4'000'000'000};
  LoneKernel run;
  EXPECT_EQ(run.run(compile(kernel)).output(0), 4'000'000'000);
}

TEST_F(Compiler, MissingCompileTimeArgumentIsRefused) {
  EXPECT_THAT(
      error_of(
          "void kernel_main() { constexpr uint32_t x = get_compile_time_arg_val(0); (void)x; }"),
      HasSubstr("no compile-time argument of this index"));
}

TEST_F(Compiler, NamedCompileTimeArgumentsReachTheKernelUnderTheirNames) {
  auto kernel = source(R"(
    static_assert(get_named_compile_time_arg_val("\"\n7") == 1);
    static_assert(get_named_compile_time_arg_val("a b") == 2);
    void kernel_main() {
      constexpr uint32_t tiles = get_named_compile_time_arg_val("tiles");
      *(uint32_t*)0x30000 = tiles;
    })");
  kernel.named_compile_args = {{"\"\n7", 1}, {"a b", 2}, {"tiles", 4'000'000'000}};
  LoneKernel run;
  EXPECT_EQ(run.run(compile(kernel)).output(0), 4'000'000'000);
}

TEST_F(Compiler, IncludePathsAreSearchedInTheirOrderBehindOurHeaders) {
  for (const char* name : {"first", "second"}) {
    fs::create_directories(folder_ / name / "debug");
    write_text(folder_ / name / "debug" / "dprint.h", "#error not ours\n");
  }
  write_text(folder_ / "first" / "both.h", "#define VALUE 1\n");
  write_text(folder_ / "second" / "both.h", "#define VALUE 2\n");
  write_text(folder_ / "second" / "other.h", "#define OTHER 3\n");
  auto kernel = source(
      "#include <both.h>\n#include \"other.h\"\n#include \"debug/dprint.h\"\n"
      "void kernel_main() { *(uint32_t*)0x30000 = VALUE * 10 + OTHER; }");
  kernel.include_paths = {folder_ / "first", folder_ / "second"};
  LoneKernel run;
  EXPECT_EQ(run.run(compile(kernel)).output(0), 13u);
  kernel.include_paths = {folder_ / "second", folder_ / "first"};
  LoneKernel other;
  EXPECT_EQ(other.run(compile(kernel)).output(0), 23u);
}

TEST_F(Compiler, DefinesMayHoldAnythingOnOneLine) {
  auto kernel = source(R"(
    #include "debug/dprint.h"
    void kernel_main() { CHAIN DPRINT << TEXT << NUMBER EMPTY << ENDL(); })");
  kernel.defines = {{"CHAIN", "DPRINT << \"(;)\"; DPRINT << ' ';"},
                    {"TEXT", "\"a\\\"b$HOME`\""},
                    {"NUMBER", "(1 + 2)"},
                    {"EMPTY", ""}};
  LoneKernel run;
  EXPECT_EQ(run.run(compile(kernel)).printed(), "(;) a\"b$HOME`3\n");
}

TEST_F(Compiler, DefineOfTwoLinesOrWithoutANameIsRefused) {
  auto kernel = source("void kernel_main() {}");
  for (const auto& [name, value] :
       {std::pair("X", "1\n#error"), std::pair("X\nY", "1"), std::pair("", "1")}) {
    kernel.defines = {{name, value}};
    EXPECT_THAT(error_of(kernel), HasSubstr("must have a name and fit on one line"));
  }
}

TEST_F(Compiler, ProcessorsAreToldApart) {
  const std::string text = R"(
    void kernel_main() {
    #if defined(COMPILE_FOR_BRISC)
      *(uint32_t*)0x30000 = 1;
    #elif defined(COMPILE_FOR_NCRISC)
      *(uint32_t*)0x30000 = 2;
    #elif defined(COMPILE_FOR_TRISC)
      *(uint32_t*)0x30000 = 3;
    #endif
    })";
  uint32_t expected = 1;
  for (Processor processor : {Processor::kRiscv0, Processor::kRiscv1, Processor::kCompute}) {
    LoneKernel run;
    EXPECT_EQ(run.run(compile(source(text, processor))).output(0), expected++);
  }
}

TEST_F(Compiler, NocOfTheKernelIsAConstant) {
  auto kernel = source("void kernel_main() { static_assert(noc_index == 1 && NOC_INDEX == 1); }");
  kernel.noc = 1;
  compile(kernel);
}

TEST_F(Compiler, CircularBufferFormatsAreConstants) {
  auto kernel = source(R"(
    static_assert(get_tile_size(tt::CBIndex::c_0) == 2048 && get_tile_size(tt::CB::c_in1) == 4096);
    static_assert(get_tile_size(2) == 1088 && get_tile_size(3) == 0 && get_tile_size(16) == 1024);
    static_assert(get_dataformat(0) == DataFormat::Float16_b && get_dataformat(3) == DataFormat::Invalid);
    void kernel_main() {})");
  kernel.circular_buffers = {{0, DataFormat::Float16_b, 32, 32},
                             {1, DataFormat::Float32, 32, 32},
                             {2, DataFormat::Bfp8_b, 32, 32},
                             {16, DataFormat::Float16_b, 16, 32}};
  compile(kernel);
}

// ---- Messages ----

TEST_F(Compiler, ErrorNamesTheKernelsFileAndLine) {
  EXPECT_THAT(error_of("// one\n// two\nvoid kernel_main() { unknown(); }\n"),
              HasSubstr("kernels/example.cpp:3:22: error: use of undeclared identifier 'unknown'"));
}

TEST_F(Compiler, ErrorNamesAFileOfAnyName) {
  auto kernel = source("void kernel_main() { unknown(); }");
  for (const char* name : {"a \"b\".cpp", "a\\b.cpp"}) {
    kernel.name = name;
    EXPECT_THAT(error_of(kernel), HasSubstr(std::string(name) + ":1:22: error: "));
  }
  kernel.name = "a\nb.cpp";
  EXPECT_THAT(error_of(kernel), HasSubstr("a b.cpp:1:22: error: "));
}

TEST_F(Compiler, UndefinedFunctionIsRefusedByName) {
  EXPECT_THAT(error_of("void missing_function(int); void kernel_main() { missing_function(1); }"),
              HasSubstr("missing_function"));
}

TEST_F(Compiler, WhatIsNotSupportedDoesNotCompile) {
  EXPECT_THAT(
      error_of(source("void kernel_main() { tilize_block(0, 1, 16); }", Processor::kCompute)),
      HasSubstr("tilize_block"));
  EXPECT_THAT(error_of("void kernel_main() { eth_wait_for_bytes(4); }"),
              HasSubstr("eth_wait_for_bytes"));
  EXPECT_THAT(error_of("#include \"compute_kernel_api/no_family.h\"\nvoid kernel_main() {}"),
              HasSubstr("no_family.h"));
}

TEST_F(Compiler, KernelWithoutMainIsRefused) {
  EXPECT_THAT(error_of("int x;"), HasSubstr("kernel_main"));
}

TEST_F(Compiler, MissingClangIsSaid) {
  setenv("LIGHTMETAL_CLANG", "/nowhere/clang", 1);
  const auto object = compile_kernel(source("void kernel_main() {}"));
  EXPECT_EQ(object.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(object.status().message()), HasSubstr("/nowhere/clang"));
}

TEST_F(Compiler, AClangOfAnotherVersionIsRefused) {
  use_clang("test \"$1\" = --version && exec echo clang version 3.4.5\nexec " +
            std::string(kLlvmTools) + "/clang \"$@\"\n");
  const auto object = compile_kernel(source("void kernel_main() {}"));
  EXPECT_EQ(object.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(object.status().message()),
              HasSubstr("LIGHTMETAL_CLANG=" + (folder_ / "clang").string()));
  EXPECT_TRUE(cached().empty());
}

TEST_F(Compiler, AClangThatIsKilledIsSaidWithItsSignal) {
  use_clang("test \"$1\" = --version && exec " + std::string(kLlvmTools) +
            "/clang --version\nkill -9 $$\n");
  EXPECT_THAT(error_of("void kernel_main() {}"), HasSubstr("/clang failed with status 137"));
}

TEST_F(Compiler, ALimitOfClangsTimeThatIsNoneIsRefused) {
  for (const std::string value : {"0", "0.009", "1000001", "soon"}) {
    const Variable limit("LIGHTMETAL_CLANG_SECONDS", value);
    EXPECT_EQ(error_of("void kernel_main() {}"),
              "LIGHTMETAL_CLANG_SECONDS=" + value + " is not a number from 0.01 to 1e+06");
  }
  for (const std::string value : {"", "1e6"}) {
    const Variable limit("LIGHTMETAL_CLANG_SECONDS", value);
    compile_body("// " + value + "\n");
  }
}

// Variables that clang obeys are not for it: the cache would know nothing of them.
TEST_F(Compiler, HeadersOfTheEnvironmentAreNotFound) {
  fs::create_directory(folder_ / "outside");
  write_text(folder_ / "outside" / "of_nobody.h", "");
  const Variable all("CPATH", folder_ / "outside"),
      of_cpp("CPLUS_INCLUDE_PATH", folder_ / "outside");
  compile(source("#if __has_include(<of_nobody.h>)\n#error found\n#endif\nvoid kernel_main() {}"));
}

TEST_F(Compiler, OtherAlignmentsFailTheLaunch) {
  LoneKernel run;
  run.context()->dram_alignment = 64;
  EXPECT_THAT(run.run(compile_body("")).failure(), HasSubstr("alignments"));
}

// ---- The cache ----

TEST_F(Compiler, TargetNamesBackendArchitectureAndVersion) {
  EXPECT_THAT(kernel_target(), testing::MatchesRegex("cpu-[a-z0-9_]+-7"));
  EXPECT_EQ(compile_body("").target, kernel_target());
}

TEST_F(Compiler, EqualRequestsGiveEqualBytes) {
  auto kernel = source(
      "#include \"debug/dprint.h\"\nint v = 3;\nvoid kernel_main() { DPRINT << __FILE__ << v << "
      "ENDL(); }");
  const auto first = compile(kernel);
  setenv("LIGHTMETAL_CACHE_DIR", (folder_ / "another place" / "cache").c_str(), 1);
  setenv("TMPDIR", folder_.c_str(), 1);
  const auto second = compile(kernel);
  unsetenv("TMPDIR");
  EXPECT_EQ(first.bytes, second.bytes);
  const std::string text(reinterpret_cast<const char*>(first.bytes.data()), first.bytes.size());
  EXPECT_THAT(text, Not(HasSubstr(folder_.string())));
  EXPECT_THAT(text, Not(HasSubstr("/tmp/")));
}

// Clang takes the first '=' of what it shall replace in names for the end of it.
TEST_F(Compiler, ObjectsDescribeLinesAndNoVariables) {
  const KernelObject object =
      compile_body("volatile int nobody_asks_for_me = 1; nobody_asks_for_me = 2;");
  EXPECT_TRUE(holds(object, "example.cpp"));
  EXPECT_FALSE(holds(object, "nobody_asks_for_me"));
}

TEST_F(Compiler, FoldersWithAnEqualsSignGiveEqualBytes) {
  const auto kernel = source(
      "#include \"debug/dprint.h\"\nvoid kernel_main() {\n  DPRINT << __FILE__ << ENDL();\n"
      "  ASSERT(false);\n}");
  const auto first = compile(kernel);
  setenv("LIGHTMETAL_CACHE_DIR", (folder_ / "c=d" / "cache").c_str(), 1);
  EXPECT_EQ(compile(kernel).bytes, first.bytes);
  setenv("LIGHTMETAL_CACHE_DIR", (folder_ / "other" / "cache").c_str(), 1);
  fs::create_directory(folder_ / "a=b");
  setenv("TMPDIR", (folder_ / "a=b").c_str(), 1);
  EXPECT_EQ(compile(kernel).bytes, first.bytes);
  unsetenv("TMPDIR");
}

TEST_F(Compiler, DifferentRequestsGiveDifferentKeys) {
  auto kernel = source("void kernel_main() {}");
  compile(kernel);
  kernel.compile_args = {1};
  compile(kernel);
  kernel.defines = {{"A", "1"}};
  compile(kernel);
  kernel.processor = Processor::kRiscv1;
  compile(kernel);
  kernel.noc = 1;
  compile(kernel);
  kernel.circular_buffers = {{0, DataFormat::Float32, 32, 32}};
  compile(kernel);
  kernel.named_compile_args = {{"a", 1}};
  compile(kernel);
  kernel.named_compile_args = {{"a", 2}};
  compile(kernel);
  kernel.include_paths = {folder_};
  compile(kernel);
  EXPECT_EQ(cached().size(), 9);
}

TEST_F(Compiler, CacheHitDoesNotRunClang) {
  const auto kernel = source("void kernel_main() { *(uint32_t*)0x30000 = 1; }");
  const auto compiled = compile(kernel);
  use_clang("test \"$1\" = --version && exec " + std::string(kLlvmTools) +
            "/clang --version\nexit 1\n");
  EXPECT_EQ(compile(kernel).bytes, compiled.bytes);
  EXPECT_THAT(error_of("void kernel_main() { *(uint32_t*)0x30000 = 2; }"),
              HasSubstr("/clang failed with status 1"));
}

TEST_F(Compiler, DamagedCacheEntryIsCompiledAgain) {
  const auto kernel = source("void kernel_main() { *(uint32_t*)0x30000 = 1; }");
  const auto compiled = compile(kernel);
  ASSERT_EQ(cached().size(), 1);
  const std::string content = read_text(cached()[0]);
  for (size_t place : {size_t{0}, size_t{9}, size_t{30}, content.size() / 2, content.size() - 1}) {
    std::string damaged = content;
    damaged[place] ^= 1;
    write_text(cached()[0], damaged);
    EXPECT_EQ(compile(kernel).bytes, compiled.bytes);
    EXPECT_EQ(read_text(cached()[0]), content);
  }
  write_text(cached()[0], content.substr(0, content.size() / 3));
  EXPECT_EQ(compile(kernel).bytes, compiled.bytes);
}

TEST_F(Compiler, ChangedIncludedFileIsCompiledAgain) {
  fs::create_directories(folder_ / "my kernels" / "common");
  write_text(folder_ / "my kernels" / "common" / "value.h", "#define VALUE 1\n");
  auto kernel =
      source("#include \"common/value.h\"\nvoid kernel_main() { *(uint32_t*)0x30000 = VALUE; }");
  kernel.directory = (folder_ / "my kernels").string();
  LoneKernel first;
  EXPECT_EQ(first.run(compile(kernel)).output(0), 1);
  write_text(folder_ / "my kernels" / "common" / "value.h", "#define VALUE 2\n");
  LoneKernel second;
  EXPECT_EQ(second.run(compile(kernel)).output(0), 2);
  setenv("LIGHTMETAL_CLANG", "/bin/false", 1);
  compile(kernel);
}

// Make's syntax, in which clang tells of them, writes these names otherwise.
TEST_F(Compiler, IncludedFilesInFoldersOfOddNamesAreFollowed) {
  for (const char* name : {"a#b", "a$b c"}) {
    fs::create_directories(folder_ / name);
    auto kernel =
        source("#include \"value.h\"\nvoid kernel_main() { *(uint32_t*)0x30000 = VALUE; }");
    kernel.directory = (folder_ / name).string();
    for (const uint32_t value : {1u, 2u}) {
      write_text(folder_ / name / "value.h", "#define VALUE " + std::to_string(value) + "\n");
      EXPECT_EQ(LoneKernel().run(compile(kernel)).output(0), value) << name;
    }
  }
}

struct CacheChoice {
  std::optional<std::string> own, of_caches, home;
  std::string folder;
};

TEST_F(Compiler, TheCacheIsInTheFirstFolderThatIsSet) {
  const std::string own = folder_ / "own", caches = folder_ / "caches", home = folder_ / "home";
  const CacheChoice choices[] = {
      {own, caches, home, own},
      {"", caches, home, caches + "/lightmetal"},
      {std::nullopt, caches, std::nullopt, caches + "/lightmetal"},
      {std::nullopt, "", home, home + "/.cache/lightmetal"},
      {std::nullopt, std::nullopt, "", ""},
  };
  for (const CacheChoice& choice : choices) {
    const Variable first("LIGHTMETAL_CACHE_DIR", choice.own),
        second("XDG_CACHE_HOME", choice.of_caches), third("HOME", choice.home);
    EXPECT_EQ(cache_folder(), choice.folder);
    EXPECT_EQ(fs::is_directory(choice.folder), !choice.folder.empty()) << choice.folder;
  }
}

TEST_F(Compiler, NothingStaysInTheTemporaryFolderAndNoMessageNamesIt) {
  fs::create_directory(folder_ / "temporary");
  const Variable temporary("TMPDIR", folder_ / "temporary");
  compile_body("");
  const std::string error =
      error_of("void missing_function(int); void kernel_main() { missing_function(1); }");
  EXPECT_THAT(error, Not(HasSubstr((folder_ / "temporary").string())));
  EXPECT_TRUE(fs::is_empty(folder_ / "temporary"));
}

TEST_F(Compiler, AFileThatCannotBeReplacedLeavesNothingBesideIt) {
  fs::create_directory(folder_ / "taken");
  EXPECT_EQ(write_file(folder_ / "taken", "text").code(), absl::StatusCode::kUnavailable);
  const std::vector<fs::path> found{fs::directory_iterator(folder_), {}};
  EXPECT_THAT(found, testing::ElementsAre(folder_ / "taken"));
}

TEST_F(Compiler, CacheThatCannotBeMadeStopsNothing) {
  write_text(folder_ / "file", "");
  setenv("LIGHTMETAL_CACHE_DIR", (folder_ / "file" / "below").c_str(), 1);
  LoneKernel run;
  EXPECT_EQ(run.run(compile_body("*(uint32_t*)0x30000 = 1;")).output(0), 1);
}

// As one that another user has unpacked.
TEST_F(Compiler, ToolboxThatTakesNoPreludesStopsNothing) {
  const auto kernel = source("void kernel_main() { *(uint32_t*)0x30000 = 1; }");
  const auto first = compile(kernel);
  ASSERT_EQ(compiled_once(".pch").size(), 1);
  const fs::path folder = compiled_once(".pch")[0].parent_path();
  fs::remove_all(folder);
  write_text(folder, "not a folder");
  fs::remove_all(folder_ / "cache" / "kernels");
  EXPECT_EQ(compile(kernel).bytes, first.bytes);
}

TEST_F(Compiler, CacheEmptiedOrDamagedWhileRunningIsRepaired) {
  compile_body("");
  fs::remove_all(folder_ / "cache");
  compile_body(" ");
  for (const auto& entry : fs::recursive_directory_iterator(folder_ / "cache")) {
    if (entry.is_regular_file()) write_text(entry.path(), "damaged");
  }
  compile_body("  ");
}

TEST_F(Compiler, SameRequestAtTheSameTimeIsCompiledOnce) {
  use_counting_clang();
  std::vector<std::thread> threads;
  std::vector<KernelObject> objects(4);
  for (auto& object : objects) {
    threads.emplace_back(
        [&object] { object = compile(source("void kernel_main() { *(uint32_t*)0x30000 = 1; }")); });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& object : objects) EXPECT_EQ(object.bytes, objects[0].bytes);
  EXPECT_FALSE(objects[0].bytes.empty());
  EXPECT_EQ(clang_runs(), 3);  // once for the prelude and once for the runtime
}

TEST_F(Compiler, KernelsOfAProcessorShareACompiledPreludeAndAllShareARuntime) {
  use_counting_clang();
  auto kernel = source("void kernel_main() {}");
  for (uint32_t arg = 0; arg < 3; ++arg) {
    kernel.compile_args = {arg};
    kernel.circular_buffers = {{static_cast<uint8_t>(arg), DataFormat::Float32, 32, 32}};
    compile(kernel);
  }
  EXPECT_EQ(clang_runs(), 1 + 1 + 3);
  kernel.processor = Processor::kCompute;
  compile(kernel);
  EXPECT_EQ(clang_runs(), 1 + 2 + 4);
}

TEST_F(Compiler, DamagedPreludeOrRuntimeIsCompiledAgain) {
  const auto kernel =
      source("void kernel_main() { memset((void*)0x30000, 1, get_arg_val<uint32_t>(0)); }");
  const auto first = compile(kernel);
  for (const std::string ending : {".pch", ".o"}) {
    ASSERT_EQ(compiled_once(ending).size(), 1);
    const fs::path file = compiled_once(ending)[0];
    const std::string whole = read_text(file);
    std::vector<std::string> damaged = {"", whole.substr(0, whole.size() - 1)};
    for (const size_t at : {whole.size() / 4, whole.size() / 2, whole.size() - 1}) {
      damaged.push_back(whole);
      damaged.back()[at] ^= 1;
    }
    for (const std::string& content : damaged) {
      write_text(file, content);
      fs::remove_all(folder_ / "cache" / "kernels");
      EXPECT_EQ(compile(kernel).bytes, first.bytes);
      EXPECT_FALSE(read_text(file) == content);
    }
  }
}

TEST_F(Compiler, ObjectsHoldOfTheRuntimeWhatTheyCall) {
  EXPECT_FALSE(holds(compile_body(""), "memmove"));
  EXPECT_TRUE(
      holds(compile_body("memmove((void*)0x30000, (void*)0x40000, get_arg_val<uint32_t>(0));"),
            "memmove"));
}

// As after an update of clang that its path, time and size do not show.
TEST_F(Compiler, PreludeOfAnotherClangIsCompiledAgain) {
  const auto kernel = source("void kernel_main() { *(uint32_t*)0x30000 = 1; }");
  const auto first = compile(kernel);
  ASSERT_FALSE(compiled_once(".pch").empty());
  for (const fs::path& path : compiled_once(".pch")) {
    const std::string text = "a header that no clang has compiled";
    write_text(path, text);
    write_text(path.string() + ".digest", digest_of(bytes_of(text.data(), text.size())).hex());
  }
  fs::remove_all(folder_ / "cache" / "kernels");
  EXPECT_EQ(compile(kernel).bytes, first.bytes);
}

}  // namespace
}  // namespace lightmetal::device::cpu
