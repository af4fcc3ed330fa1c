// lightmetal_runner extract: the parts of a file as files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "tests/support/captured_file.h"
#include "tests/support/process.h"

namespace lightmetal {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;
using testing::ProcessResult;
using testing::read_file;
using testing::run_process;
using testing::TemporaryFolder;
using testing::write_file;

// What .npy files have before their elements, of a few files.
constexpr uint64_t kNumpyHeads = 1024;

class ExtractTest : public ::testing::Test {
 protected:
  static ProcessResult runner(std::vector<std::string> arguments, const std::string& path = "") {
    arguments.insert(arguments.begin(), LIGHTMETAL_RUNNER);
    return run_process(arguments, {.environment = {{"PATH", path}}, .empty_environment = true});
  }

  static std::string golden(const std::string& name) {
    return LIGHTMETAL_GOLDEN_FOLDER "/1.1/" + name;
  }

  // Extracts to the folder, and returns its index, which is as its schema says.
  Json extracted(const std::string& file, const std::vector<std::string>& options = {},
                 const std::string& path = "") const {
    std::filesystem::remove_all(out_);
    std::vector<std::string> arguments = {"extract", file, "-o", out_};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProcessResult result = runner(arguments, path);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    const ProcessResult valid = run_process(
        {"/usr/bin/env", "python3", LIGHTMETAL_SOURCE_FOLDER "/tests/runner/validate_json.py",
         LIGHTMETAL_SOURCE_FOLDER "/docs/extract.schema.json", out_ + "/index.json"});
    EXPECT_EQ(valid.exit_code, 0) << valid.errors;
    return Json::parse(read_file(out_ + "/index.json"));
  }

  // Each item's file has the content that the digest names, behind NumPy's head where it is an
  // array.
  void expect_files(const Json& items) const {
    for (const Json& item : items) {
      std::string content = read_file(out_ + "/" + item["file"].get<std::string>());
      const auto size = item["size"].get<size_t>();
      ASSERT_GE(content.size(), size);
      if (content.size() > size) {
        EXPECT_THAT(content, StartsWith("\x93NUMPY"));
      }
      content = content.substr(content.size() - size);
      EXPECT_EQ(digest_of(bytes_of(content.data(), size)).hex(), item["digest"].get<std::string>());
    }
  }

  // Adds a payload to a file and extracts it. Returns its entry in the index.
  Json added_blob(const std::vector<std::byte>& payload) const {
    const auto file = *schema::File::open(golden("loopback.lmb"));
    bool is_there = false;
    const auto bytes = testing::rewritten(*file, [&](schema::CommandT&, schema::Writer& writer) {
      if (std::exchange(is_there, true)) return;
      EXPECT_TRUE(writer.append_blob(payload).ok());
    });
    write_file(folder_.path("more.lmb"), std::string(bytes.begin(), bytes.end()));
    const Json blobs = extracted(folder_.path("more.lmb"))["blobs"];
    EXPECT_EQ(blobs.size(), 2u);
    expect_files(blobs);
    return blobs.at(1);
  }

  std::set<std::string> files_below(const std::string& folder) const {
    std::set<std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) files.insert(std::filesystem::relative(entry.path(), folder));
    }
    return files;
  }

  void expect_refused(const std::string& file, const std::string& folder,
                      const std::string& message) const {
    const ProcessResult result = runner({"extract", file, "-o", folder});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.errors, HasSubstr(message));
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
  }

  TemporaryFolder folder_;
  const std::string out_ = folder_.path("out");
};

TEST_F(ExtractTest, AFilesKernelsPayloadsAndGoldensAreFiles) {
  for (const std::string example : {"matmul_multi_core", "mesh_matmul"}) {
    const std::string file = folder_.path(example + ".lmb");
    ASSERT_EQ(run_process({std::string(LIGHTMETAL_BIN_FOLDER "/") + example},
                          {.environment = {{"LIGHTMETAL_CAPTURE", file}}})
                  .exit_code,
              0);
    const Json index = extracted(file);
    for (const char* part : {"kernels", "blobs", "goldens"}) {
      EXPECT_FALSE(index[part].empty()) << part;
      expect_files(index[part]);
    }
    for (const Json& kernel : index["kernels"]) {
      EXPECT_THAT(read_file(out_ + "/" + kernel["file"].get<std::string>()), StartsWith("\x7f"
                                                                                        "ELF"));
      EXPECT_THAT(kernel["source_name"].get<std::string>(), EndsWith(".cpp"));
      EXPECT_THAT(kernel["target"].get<std::string>(), StartsWith("cpu-"));
      EXPECT_FALSE(kernel.contains("disassembly"));  // no objdump in an empty PATH
    }
  }
}

TEST_F(ExtractTest, TheKernelsOfATraceAreNoOtherPayloads) {
  const Json index = extracted(golden("sub_devices.lmb"));
  std::set<std::string> kernels;
  size_t traced = 0;
  for (const Json& kernel : index["kernels"]) {
    kernels.insert(kernel["digest"].get<std::string>());
    traced += kernel["file"].get<std::string>().find("trace-") != std::string::npos;
  }
  EXPECT_GT(traced, 0u);
  for (const Json& blob : index["blobs"])
    EXPECT_FALSE(kernels.contains(blob["digest"].get<std::string>())) << blob;
}

TEST_F(ExtractTest, TypedPayloadsAreArrays) {
  const Json index = extracted(golden("loopback.lmb"));
  EXPECT_EQ(index["goldens"][0]["file"], "goldens/command-10.npy");
  EXPECT_EQ(index["goldens"][0]["element_type"], "UInt32");
  EXPECT_EQ(index["goldens"][0]["buffer"], 2);
  EXPECT_THAT(read_file(out_ + "/goldens/command-10.npy"),
              HasSubstr("'descr': '<u4', 'fortran_order': False, 'shape': (25600,)"));
}

TEST_F(ExtractTest, KernelsAreDisassembledWhereObjdumpIs) {
  if (!std::filesystem::exists("/usr/bin/objdump")) GTEST_SKIP() << "there is no objdump";
  const Json index = extracted(golden("loopback.lmb"), {"--kernels"}, "/usr/bin");
  ASSERT_EQ(index["kernels"].size(), 1u);
  ASSERT_TRUE(index["kernels"][0].contains("disassembly"));
  EXPECT_THAT(read_file(out_ + "/" + index["kernels"][0]["disassembly"].get<std::string>()),
              HasSubstr("ret"));
}

TEST_F(ExtractTest, AnObjdumpThatFailsLeavesNoDisassembly) {
  const std::string objdump = folder_.path("objdump");
  write_file(objdump, "#!/bin/sh\necho a part of it\nexit 1\n");
  chmod(objdump.c_str(), 0700);
  const Json index = extracted(golden("loopback.lmb"), {"--kernels"}, folder_.path());
  EXPECT_FALSE(index["kernels"][0].contains("disassembly"));
  for (const std::string& file : files_below(out_)) EXPECT_THAT(file, Not(EndsWith(".s")));
}

TEST_F(ExtractTest, AFileOfOthersIsNotReadByObjdump) {
  const std::string file = folder_.path("foreign.lmb");
  write_file(file, read_file(golden("loopback.lmb")));
  for (const mode_t rights : {0644, 0664, 0646}) {
    chmod(file.c_str(), rights);
    std::filesystem::remove_all(out_);
    const ProcessResult result =
        run_process({LIGHTMETAL_RUNNER, "extract", file, "-o", out_, "--kernels"},
                    {.environment = {{"PATH", "/usr/bin"}}, .empty_environment = true});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    const bool is_own = rights == 0644;
    EXPECT_EQ(result.errors.find("not disassembled: objdump reads files of your own alone, and") !=
                  std::string::npos,
              !is_own)
        << result.errors;
    size_t disassemblies = 0;
    for (const std::string& name : files_below(out_)) disassemblies += name.ends_with(".s");
    EXPECT_EQ(disassemblies, is_own && std::filesystem::exists("/usr/bin/objdump") ? 1u : 0u);
  }
}

// What is written of all parts and by objdump counts together.
TEST_F(ExtractTest, AllThatIsWrittenTogetherObeysTheMemoryLimit) {
  const std::string file = folder_.path("own.lmb");
  write_file(file, read_file(golden("loopback.lmb")));
  size_t refused = 0, written = 0;
  for (uint64_t limit = uint64_t{8} << 10; limit <= uint64_t{512} << 10; limit += limit / 4) {
    std::filesystem::remove_all(out_);
    const ProcessResult result = run_process(
        {LIGHTMETAL_RUNNER, "extract", file, "-o", out_, "--memory-limit", std::to_string(limit)},
        {.environment = {{"PATH", "/usr/bin"}}, .empty_environment = true});
    uint64_t bytes = 0;
    for (const std::string& name : files_below(out_)) {
      if (name != "index.json") bytes += std::filesystem::file_size(out_ + "/" + name);
    }
    EXPECT_LE(bytes, limit + kNumpyHeads) << result.output;
    EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 2) << result.errors;
    if (result.exit_code == 2) {
      EXPECT_THAT(result.errors, HasSubstr("than --memory-limit"));
    }
    ++(result.exit_code == 0 ? written : refused);
  }
  EXPECT_GT(refused, 2u);
  EXPECT_GT(written, 2u);
}

TEST_F(ExtractTest, OnlyWhatIsAskedForIsWritten) {
  for (const std::string part : {"kernels", "blobs", "goldens"}) {
    const Json index = extracted(golden("loopback.lmb"), {"--" + part});
    for (const std::string other : {"kernels", "blobs", "goldens"}) {
      EXPECT_EQ(index[other].empty(), part != other);
      EXPECT_EQ(std::filesystem::exists(out_ + "/" + other), part == other);
    }
  }
}

TEST_F(ExtractTest, TheSummaryCountsWhatWasAskedFor) {
  EXPECT_EQ(runner({"extract", golden("loopback.lmb"), "-o", out_, "--kernels"}).output,
            out_ + ": 1 kernel object of 1 kernel\n");
  std::filesystem::remove_all(out_);
  EXPECT_EQ(runner({"extract", golden("loopback.lmb"), "-o", out_}).output,
            out_ + ": 1 kernel object of 1 kernel, 1 payload, 1 golden\n");
}

TEST_F(ExtractTest, APayloadThatNoCommandUsesIsThereToo) {
  const Json blob = added_blob(std::vector<std::byte>(77, std::byte{7}));
  EXPECT_EQ(blob["size"], 77);
  EXPECT_FALSE(blob.contains("command"));
}

// It is read and written in pieces of 16 MiB.
TEST_F(ExtractTest, APayloadOfMoreThanOnePieceIsWhole) {
  std::vector<std::byte> payload((16 << 20) + 5);
  for (size_t i = 0; i < payload.size(); ++i) payload[i] = static_cast<std::byte>(i % 251);
  EXPECT_EQ(added_blob(payload)["size"], payload.size());
}

TEST_F(ExtractTest, NoNameInAFileLeadsOutOfTheFolder) {
  int kernels = 0;
  const auto bytes = testing::rewritten(
      **schema::File::open(golden("loopback.lmb")),
      [&](schema::CommandT& command, schema::Writer&) {
        if (auto* kernel = command.call.AsKernelCreate()) kernel->source_name = "../../evil.cpp";
        if (auto* binary = command.call.AsKernelBinary()) {
          binary->target = std::string("/../../../evil\0\n\x1b[31m", 21) + std::string(5000, 'x');
          ++kernels;
        }
      });
  ASSERT_EQ(kernels, 1);
  write_file(folder_.path("evil.lmb"), std::string(bytes.begin(), bytes.end()));
  const Json index = extracted(folder_.path("evil.lmb"));
  expect_files(index["kernels"]);
  for (const std::string& file : files_below(folder_.path())) {
    EXPECT_TRUE(file == "evil.lmb" || absl::StartsWith(file, "out/")) << file;
  }
  EXPECT_THAT(index["kernels"][0]["file"].get<std::string>(),
              StartsWith("kernels/kernel-1.__________evil"));
}

TEST_F(ExtractTest, AFolderThatIsNotEmptyIsRefusedAndStays) {
  std::filesystem::create_directory(out_);
  write_file(out_ + "/mine", "precious");
  expect_refused(golden("loopback.lmb"), out_, "is not empty");
  EXPECT_EQ(files_below(out_), std::set<std::string>{"mine"});
  write_file(folder_.path("a file"), "");
  expect_refused(golden("loopback.lmb"), folder_.path("a file"), folder_.path("a file"));
  std::filesystem::remove(out_ + "/mine");
  EXPECT_EQ(runner({"extract", golden("loopback.lmb"), "-o", out_}).exit_code, 0);
}

TEST_F(ExtractTest, PayloadsInOtherFilesAreLeftOutUnlessTheyMayBeOpened) {
  const ProcessResult result = runner({"extract", golden("external.lmb"), "-o", out_});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("warning: left out: "), HasSubstr("external.bin")));
  const std::string remap = "/tmp/golden=" LIGHTMETAL_GOLDEN_FOLDER "/1.1";
  expect_files(extracted(golden("external.lmb"), {"--remap", remap})["blobs"]);
}

TEST_F(ExtractTest, CompressedPayloadsAreDecompressed) {
  const Json index = extracted(golden("compressed.lmb"));
  for (const char* part : {"kernels", "blobs", "goldens"}) expect_files(index[part]);
}

TEST_F(ExtractTest, AnIncompleteFileGivesWhatItHas) {
  const Json index = extracted(golden("killed_after_read.lmb"));
  EXPECT_FALSE(index["kernels"].empty());
  expect_files(index["kernels"]);
}

TEST_F(ExtractTest, ADamagedFileIsRefusedAndLeavesNothing) {
  std::string content = read_file(golden("loopback.lmb"));
  content[content.size() / 2] ^= 4;
  write_file(folder_.path("damaged.lmb"), content);
  expect_refused(folder_.path("damaged.lmb"), out_, "damaged.lmb");
  EXPECT_FALSE(std::filesystem::exists(out_));
}

}  // namespace
}  // namespace lightmetal
