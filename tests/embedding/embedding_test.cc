// liblightmetal.so from C++: several threads, what it exports, and what it needs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lightmetal.h>

#include <csignal>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/process.h"

namespace lightmetal::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Free {
  void operator()(lm_executable* executable) const { lm_free_executable(executable); }
  void operator()(lm_error* error) const { lm_free_error(error); }
};
using Executable = std::unique_ptr<lm_executable, Free>;
using Error = std::unique_ptr<lm_error, Free>;

class Embedding : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    const ProcessResult written = run_process({LIGHTMETAL_WRITE_PROGRAMS, folder_->path("")});
    ASSERT_EQ(written.exit_code, 0) << written.errors;
  }
  static void TearDownTestSuite() { delete folder_; }

  static Executable loaded(const std::string& name, uint32_t chip_id = 0) {
    lm_load_options options = {};
    options.struct_size = sizeof(options);
    options.chip_id = &chip_id;
    lm_executable* executable = nullptr;
    lm_error* error = nullptr;
    EXPECT_EQ(lm_load_file(folder_->path(name).c_str(), &options, &executable, &error), LM_OK)
        << lm_error_message(error);
    lm_free_error(error);
    return Executable(executable);
  }

  static inline TemporaryFolder* folder_ = nullptr;
};

TEST_F(Embedding, ACProgramGetsWhatTheHeaderPromises) {
  const ProcessResult result = run_process({LIGHTMETAL_EMBEDDING_C_TEST, folder_->path("")});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
}

// Each has an executable of its own on a chip of its own, and errors of its own.
TEST_F(Embedding, ThreadsDoNotDisturbEachOther) {
  const std::vector<uint32_t> shape = {4, 16};
  std::vector<std::string> messages(4);
  std::vector<std::thread> threads;
  for (uint32_t number = 0; number < messages.size(); ++number) {
    threads.emplace_back([&, number] {
      const Executable executable = loaded("scaling.lmb", number);
      std::vector<uint32_t> x(64, number), y(64);
      const lm_input in = {"x", LM_UINT32, shape.data(), shape.size(), x.data(), 256};
      const lm_output out = {"y", LM_UINT32, shape.data(), shape.size(), y.data(), 256};
      lm_error* error = nullptr;
      for (int i = 0; i < 20; ++i) {
        const std::string wrong = "entry " + std::to_string(number);
        EXPECT_EQ(lm_run(executable.get(), wrong.c_str(), &in, 1, &out, 1, &error), LM_NOT_FOUND);
        messages[number] = lm_error_message(Error(error).get());
        ASSERT_EQ(lm_run(executable.get(), nullptr, &in, 1, &out, 1, &error), LM_OK);
        for (uint32_t j = 0; j < 64; ++j) ASSERT_EQ(y[j], 3 * number + 1000 + j);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (uint32_t number = 0; number < messages.size(); ++number)
    EXPECT_THAT(messages[number], HasSubstr("\"entry " + std::to_string(number) + "\""));
}

TEST_F(Embedding, AProcessThatEndsWhileThreadsRunExecutablesKeepsItsExitCode) {
  for (const std::string way :
       {"main returns", "exit", "_exit", "a signal", "exit on a thread", "exit after main"}) {
    for (const std::string devices : {"own", "shared"}) {
      for (int runs = 0; runs < 10; ++runs) {
        const ProcessResult result = run_process({LIGHTMETAL_EMBEDDING_END_CHILD, folder_->path(""),
                                                  way, devices, std::to_string(runs)});
        ASSERT_EQ(result.exit_code, way == "a signal" ? 128 + SIGTERM : 7)
            << way << ", devices of their " << devices << ": " << result.errors;
      }
    }
  }
}

// Each runs its own executable on the one device, and hands its own tensor around.
TEST_F(Embedding, ThreadsShareADevice) {
  lm_load_options options = {};
  options.struct_size = sizeof(options);
  ASSERT_EQ(
      lm_open_device_file(folder_->path("scaling.lmb").c_str(), nullptr, &options.device, nullptr),
      LM_OK);
  std::vector<Executable> executables;
  for (const char* name : {"scaling.lmb", "next.lmb"}) {
    lm_executable* executable = nullptr;
    ASSERT_EQ(lm_load_file(folder_->path(name).c_str(), &options, &executable, nullptr), LM_OK);
    executables.emplace_back(executable);
  }
  std::vector<std::thread> threads;
  for (uint32_t number = 0; number < executables.size(); ++number) {
    threads.emplace_back([&, number] {
      lm_executable* const executable = executables[number].get();
      const uint32_t factor = number == 0 ? 3 : 5, first = number == 0 ? 1000 : 7;
      lm_device_tensor* x = nullptr;
      ASSERT_EQ(lm_make_tensor(executable, "x", &x, nullptr), LM_OK);
      const std::vector<uint32_t> shape = {4, 16};
      std::vector<uint32_t> words(64), y(64);
      const lm_operand in = {"x", x, 0, nullptr, 0, nullptr, 0};
      const lm_operand out = {"y", nullptr, LM_UINT32, shape.data(), shape.size(), y.data(), 256};
      for (uint32_t i = 0; i < 50; ++i) {
        words.assign(64, 100 * number + i);
        ASSERT_EQ(lm_write_tensor(x, words.data(), 256, nullptr), LM_OK);
        ASSERT_EQ(lm_run_operands(executable, nullptr, &in, 1, &out, 1, nullptr), LM_OK);
        for (uint32_t j = 0; j < 64; ++j) ASSERT_EQ(y[j], factor * words[j] + first + j);
      }
      lm_free_tensor(x);
    });
  }
  for (std::thread& thread : threads) thread.join();
  executables.clear();
  lm_free_device(options.device);
}

// Values of the device's order come and go row by row.
TEST_F(Embedding, TilesAreRowsToTheCaller) {
  const Executable executable = loaded("bfloat16.lmb");
  const std::vector<uint32_t> shape = {2, 3, 33};
  std::vector<uint16_t> x(2 * 3 * 33), y(x.size());
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<uint16_t>(i);
  const lm_input in = {"x", LM_BFLOAT16, shape.data(), 3, x.data(), x.size() * 2};
  const lm_output out = {"y", LM_BFLOAT16, shape.data(), 3, y.data(), y.size() * 2};
  ASSERT_EQ(lm_run(executable.get(), nullptr, &in, 1, &out, 1, nullptr), LM_OK);
  EXPECT_EQ(x, y);
}

// The four calls that open a file. Each hands out a handle, which this frees.
class OpenedFile : public Embedding {
 protected:
  struct Result {
    lm_status status;
    std::string message;
  };

  template <class Handle, class Open>
  static Result opened(Open&& open, void (*free)(Handle*)) {
    int before = 0;  // handles and errors held something else before
    auto* handle = reinterpret_cast<Handle*>(&before);
    auto* error = reinterpret_cast<lm_error*>(&before);
    const lm_status status = open(&handle, &error);
    EXPECT_EQ(handle == nullptr, status != LM_OK);
    EXPECT_EQ(error == nullptr, status == LM_OK);
    free(handle);
    return {status, lm_error_message(Error(error).get())};
  }

  // The results for a file with these bytes, by each of the calls.
  static std::vector<Result> opened_in_all_ways(const std::string& bytes,
                                                const lm_load_options& options) {
    const TemporaryFolder folder;
    const std::string path = folder.path("opened.lmb");
    write_file(path, bytes);
    return {
        opened<lm_executable>(
            [&](auto... out) { return lm_load_file(path.c_str(), &options, out...); },
            lm_free_executable),
        opened<lm_executable>(
            [&](auto... out) {
              return lm_load_memory(bytes.data(), bytes.size(), &options, out...);
            },
            lm_free_executable),
        opened<lm_device>(
            [&](auto... out) { return lm_open_device_file(path.c_str(), &options, out...); },
            lm_free_device),
        opened<lm_device>(
            [&](auto... out) {
              return lm_open_device_memory(bytes.data(), bytes.size(), &options, out...);
            },
            lm_free_device),
    };
  }
  static void expect_opened(const std::string& bytes, const lm_load_options& options) {
    for (const Result& result : opened_in_all_ways(bytes, options))
      EXPECT_EQ(result.status, LM_OK) << result.message;
  }
  static void expect_refused(const std::string& bytes, const lm_load_options& options,
                             const char* message, std::optional<lm_status> status = std::nullopt) {
    for (const Result& result : opened_in_all_ways(bytes, options)) {
      EXPECT_THAT(result.message, HasSubstr(message));
      if (status.has_value()) EXPECT_EQ(result.status, *status) << result.message;
    }
  }

  lm_load_options options() const {
    lm_load_options options = {};
    options.struct_size = sizeof(options);
    return options;
  }
  const std::string plain_ = read_file(folder_->path("scaling.lmb"));
};

TEST_F(OpenedFile, HasASignatureOfOneOfTheKeysThatAreRequired) {
  const std::string other = read_file(folder_->path("other.pub")),
                    signer = read_file(folder_->path("signer.pub")),
                    signed_file = read_file(folder_->path("signed.lmb"));
  const char* const keys[] = {other.c_str(), signer.c_str()};
  lm_load_options required = options();
  required.required_keys = keys;
  required.required_key_count = 2;
  expect_opened(signed_file, required);
  expect_refused(plain_, required, "it carries no signature", LM_UNAUTHENTICATED);
  required.required_key_count = 1;
  expect_refused(signed_file, required, "is not signed by", LM_UNAUTHENTICATED);
  expect_opened(signed_file, options());
}

TEST_F(OpenedFile, MayBeIncompleteAndLargeAsTheOptionsSay) {
  const std::string cut = plain_.substr(0, plain_.size() - 60);
  expect_refused(cut, options(), "was not closed");
  lm_load_options incomplete = options();
  incomplete.allow_incomplete = 1;
  expect_opened(cut, incomplete);
  lm_load_options limited = options();
  limited.memory_limit = uint64_t{16} << 30;
  expect_opened(plain_, limited);
  limited.memory_limit = 1;
  for (const Result& result : opened_in_all_ways(plain_, limited))
    EXPECT_EQ(result.status, LM_RESOURCE_EXHAUSTED) << result.message;
}

TEST_F(Embedding, AFileThatIsCutShortIsRefused) {
  const std::string bytes = read_file(folder_->path("scaling.lmb"));
  lm_executable* executable = nullptr;
  lm_error* error = nullptr;
  for (size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 50) {
    EXPECT_NE(lm_load_memory(bytes.data(), size, nullptr, &executable, &error), LM_OK);
    EXPECT_STRNE(lm_error_message(Error(error).get()), "");
    EXPECT_EQ(executable, nullptr);
  }
}

// ---- The example ----

TEST_F(Embedding, TheExampleAnswersAThousandRequests) {
  const auto serve = [](const std::string& file, const std::vector<std::string>& more = {}) {
    std::vector<std::string> command = {LIGHTMETAL_SERVE, folder_->path(file)};
    command.insert(command.end(), more.begin(), more.end());
    return run_process(command);
  };
  for (const char* file : {"scaling.lmb", "bfloat16.lmb", "uint8.lmb", "counter.lmb"}) {
    const ProcessResult result = serve(file);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_THAT(result.output, HasSubstr("1000 requests: the first took "));
  }
  EXPECT_EQ(serve("two_entries.lmb", {"--entry", "twice", "--requests", "1"}).exit_code, 0);
  EXPECT_THAT(serve("two_entries.lmb").errors, HasSubstr("there are 2: twice, sevenfold"));
  EXPECT_THAT(serve("missing.lmb").errors, HasSubstr("missing.lmb"));
  EXPECT_EQ(serve("missing.lmb").exit_code, 1);
  EXPECT_EQ(serve("scaling.lmb", {"--requests", "many"}).exit_code, 2);
}

// ---- The document ----

// The text of the first block of this language in docs/embedding.md.
std::string block_of(const std::string& language) {
  const std::string document = read_file(LIGHTMETAL_SOURCE_FOLDER "/docs/embedding.md");
  const std::string begin = "```" + language + "\n";
  const size_t first = document.find(begin) + begin.size();
  return document.substr(first, document.find("```", first) - first);
}

class Document : public Embedding {
 protected:
  // Compiles a block for a machine that has the library, and runs what came of it on scaling.lmb.
  ProcessResult run_block(const std::string& language, const std::vector<std::string>& compiler) {
    const std::string source = built_.path("program." + language);
    write_file(source, block_of(language));
    std::vector<std::string> command = {"/usr/bin/env"};
    command.insert(command.end(), compiler.begin(), compiler.end());
    for (const char* option : {"-Wall", "-Wextra", "-pedantic", "-Werror", "-I"})
      command.push_back(option);
    const std::string library = LIGHTMETAL_LIBRARY;
    for (const std::string& word :
         {std::string(LIGHTMETAL_SOURCE_FOLDER "/embedding/include"), source, std::string("-o"),
          built_.path("program"), library, "-Wl,-rpath," + library.substr(0, library.rfind('/'))})
      command.push_back(word);
    const ProcessResult compiled = run_process(command);
    EXPECT_EQ(compiled.exit_code, 0) << compiled.errors;
    return run_process({built_.path("program"), folder_->path("scaling.lmb")});
  }

  TemporaryFolder built_;
};

TEST_F(Document, ItsCProgramRuns) {
  const ProcessResult result = run_block("c", {"cc", "-std=c99"});
  EXPECT_EQ(result.output, "y: 256 bytes\n") << result.errors;
}

TEST_F(Document, ItsCppProgramRuns) {
  const ProcessResult result = run_block("cpp", {"c++", "-std=c++11"});
  EXPECT_EQ(result.output, "1003\n") << result.errors;
}

// ---- The library ----

// The functions of the header, and no symbol more.
TEST(LibraryTest, ExportsWhatItsHeaderDeclares) {
  const ProcessResult symbols = run_process(
      {"/usr/bin/env", "nm", "-D", "--defined-only", "--format=posix", LIGHTMETAL_LIBRARY});
  ASSERT_EQ(symbols.exit_code, 0) << symbols.errors;
  std::set<std::string> exported;
  std::istringstream lines(symbols.output);
  for (std::string line; std::getline(lines, line);)
    exported.insert(line.substr(0, line.find(' ')));
  EXPECT_EQ(exported,
            (std::set<std::string>{
                "lm_entry_count", "lm_entry_name",       "lm_error_message",      "lm_error_status",
                "lm_free_device", "lm_free_error",       "lm_free_executable",    "lm_free_tensor",
                "lm_get_stat",    "lm_get_tensor",       "lm_load_file",          "lm_load_memory",
                "lm_make_tensor", "lm_open_device_file", "lm_open_device_memory", "lm_read_tensor",
                "lm_run",         "lm_run_operands",     "lm_stat_count",         "lm_tensor_count",
                "lm_version",     "lm_write_tensor",
            }));
}

TEST(LibraryTest, HasASonameAndNeedsNoCompiler) {
  const ProcessResult dynamic = run_process({"/usr/bin/env", "objdump", "-p", LIGHTMETAL_LIBRARY});
  ASSERT_EQ(dynamic.exit_code, 0) << dynamic.errors;
  EXPECT_THAT(dynamic.output, ::testing::ContainsRegex("SONAME +liblightmetal\\.so\\.0\n"));
  EXPECT_THAT(dynamic.output, ::testing::ContainsRegex("RPATH +\\$ORIGIN\n"));
  for (const char* compiler : {"clang", "LLVM"})
    EXPECT_THAT(dynamic.output, Not(HasSubstr(compiler)));
}

// A process that runs already, such as Python, has little room for what threads must have at once
// (initial-exec, which signal handlers need): the C library keeps 512 bytes for all its libraries.
TEST(LibraryTest, HasLittleThreadLocalMemory) {
  const ProcessResult segments =
      run_process({"/usr/bin/env", "readelf", "-lW", LIGHTMETAL_LIBRARY});
  const size_t line = segments.output.find(" TLS ");
  ASSERT_NE(line, std::string::npos) << segments.output << segments.errors;
  // Offset, address, physical address, size in the file, size in memory.
  std::istringstream numbers(segments.output.substr(line + 5));
  std::string size;
  for (int i = 0; i < 5; ++i) numbers >> size;
  EXPECT_LE(std::stoul(size, nullptr, 16), 384u);
}

}  // namespace
}  // namespace lightmetal::testing
