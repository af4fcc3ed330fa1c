// lightmetal_runner dump --buffers-at: what buffers hold after a command, as NumPy reads it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/runner/inspection_kit.h"

namespace lightmetal::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;

class BufferDumpTest : public InspectionTest {
 protected:
  // The index of what is written, checked by its schema.
  std::string dumped(const std::string& file, const std::string& command,
                     std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"dump", file, "--buffers-at", command, "-o", out_});
    const ProcessResult result = runner(options);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_THAT(result.output, HasSubstr(" after command " + command + " of "));
    const std::string index = read_file(out_ + "/index.json");
    expect_valid(index, "buffers.schema.json");
    return index;
  }

  // The number of the command of this name in the file, the first or the last.
  static std::string number_of(const std::string& file, const std::string& name,
                               bool last = false) {
    const auto names = names_of(**schema::File::open(file));
    const auto first = std::find(names.begin(), names.end(), name) - names.begin();
    const auto behind = names.rend() - std::find(names.rbegin(), names.rend(), name);
    return std::to_string(last ? behind - 1 : first);
  }

  template <class T>
  std::vector<T> array(const std::string& name, const std::string& dtype) {
    const std::string npy = read_file(out_ + "/" + name);
    EXPECT_THAT(npy.substr(0, 128), HasSubstr("'descr': '" + dtype + "'")) << name;
    std::vector<T> values((npy.size() - 128) / sizeof(T));
    std::memcpy(values.data(), npy.data() + 128, values.size() * sizeof(T));
    return values;
  }

  const std::string out_ = folder_.path("out");
};

TEST_F(BufferDumpTest, BuffersHoldWhatTheCommandsBeforeHaveLeft) {
  const std::string file = two_devices();
  const std::string write = number_of(file, "EnqueueWriteBuffer");
  dumped(file, write, {"--buffer", "2"});
  const auto floats = array<float>("buffer-2.npy", "<f4");
  ASSERT_EQ(floats.size(), 6144);
  EXPECT_EQ(floats[6143], 6143.0f);
  // One command before, nothing has been written, and the type of its elements is not known.
  dumped(file, std::to_string(std::stoi(write) - 1), {"--buffer=2"});
  const auto bytes = array<uint8_t>("buffer-2.npy", "|u1");
  EXPECT_EQ(bytes, std::vector<uint8_t>(6144 * 4, 0));
}

TEST_F(BufferDumpTest, AllLivingBuffersAreWrittenUnlessSomeAreChosen) {
  const std::string file = two_devices();
  const JsonText all(dumped(file, number_of(file, "EnqueueReadBuffer")));
  ASSERT_EQ(all.root()["buffers"].AsVector().size(), 2);  // the first one has gone
  const auto first = all.root()["buffers"].AsVector()[0].AsMap();
  EXPECT_EQ(first["id"].AsInt64(), 2);
  EXPECT_EQ(first["buffer_type"].AsString().str(), "DRAM");
  EXPECT_EQ(first["element_type"].AsString().str(), "Float32");
  EXPECT_EQ(first["elements"].AsInt64(), 6144);
  EXPECT_EQ(first["size"].AsInt64(), 12 * 2048);
  EXPECT_EQ(first["page_size"].AsInt64(), 2048);
  EXPECT_EQ(first["layout"].AsString().str(), "INTERLEAVED");
  EXPECT_TRUE(fs::exists(out_ + "/buffer-3.npy"));
  fs::remove_all(out_);
  const JsonText one(dumped(file, number_of(file, "EnqueueReadBuffer"), {"--buffer=3"}));
  EXPECT_EQ(one.root()["buffers"].AsVector().size(), 1);
  EXPECT_FALSE(fs::exists(out_ + "/buffer-2.npy"));
  const JsonText none(dumped(file, number_of(file, "CloseDevice", true)));
  EXPECT_EQ(none.root()["buffers"].AsVector().size(), 0);
}

// The name of --buffers-at begins with that of --buffer.
TEST_F(BufferDumpTest, AVariableChoosesBuffersUnlessItsOptionDoes) {
  const std::string file = two_devices();
  const auto written = [&](std::vector<std::string> options) {
    fs::remove_all(out_);
    options.insert(options.begin(), {"dump", file, "-o", out_, "--buffers-at",
                                     number_of(file, "EnqueueReadBuffer")});
    const ProcessResult result = runner(options, {{"LIGHTMETAL_RUNNER_BUFFER", "3"}});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return std::pair(fs::exists(out_ + "/buffer-2.npy"), fs::exists(out_ + "/buffer-3.npy"));
  };
  EXPECT_EQ(written({}), std::pair(false, true));
  EXPECT_EQ(written({"--buffer=2"}), std::pair(true, false));
}

TEST_F(BufferDumpTest, BuffersOfEachDeviceAreReadThere) {
  const std::string file = two_devices();
  const std::string read = number_of(file, "EnqueueReadBuffer", true);
  const JsonText index(dumped(file, read, {"--buffer=4"}));
  EXPECT_EQ(index.root()["buffers"].AsVector()[0].AsMap()["chip_id"].AsInt64(), 1);
  EXPECT_EQ(array<uint32_t>("buffer-4.npy", "<u4"), std::vector<uint32_t>(16, 7));
}

// What a launch has computed is what the program then reads.
TEST_F(BufferDumpTest, AProductIsThereOnceItsProgramHasRun) {
  const std::string file = matmul();
  const auto opened = *schema::File::open(file);
  const std::string launch = number_of(file, "EnqueueProgram", true);
  const schema::EnqueueReadBufferT* read = nullptr;
  const auto commands = commands_of(*opened);
  for (const auto& command : commands) {
    if (const auto* found = command.call.AsEnqueueReadBuffer()) read = found;
  }
  ASSERT_NE(read, nullptr);
  const auto golden = opened->blob(*read->golden);
  ASSERT_TRUE(golden.ok());
  dumped(file, launch, {"--buffer", std::to_string(read->buffer), "--type=bytes"});
  const auto found = array<uint8_t>("buffer-" + std::to_string(read->buffer) + ".npy", "|u1");
  ASSERT_EQ(found.size(), golden->size());
  EXPECT_EQ(std::memcmp(found.data(), golden->bytes().data(), found.size()), 0);
}

TEST_F(BufferDumpTest, BFloat16IsThereAsItsBits) {
  const std::string file = golden("1.0/trace_two_programs.lmb");
  const JsonText index(dumped(file, "53", {"--buffer=4", "--trust"}));
  const auto buffer = index.root()["buffers"].AsVector()[0].AsMap();
  EXPECT_EQ(buffer["element_type"].AsString().str(), "BFloat16");
  EXPECT_EQ(buffer["dtype"].AsString().str(), "<u2");
  EXPECT_EQ(array<uint16_t>("buffer-4.npy", "<u2").size(), 4096);
}

TEST_F(BufferDumpTest, AnIncompleteFileIsReplayedWhenAllowed) {
  expect_failure({"dump", killed(), "--trust", "--buffers-at=5", "-o", out_}, "is incomplete");
  dumped(killed(), "10", {"--allow-incomplete", "--trust"});
}

TEST_F(BufferDumpTest, WhatIsNotToBeTrustedIsNotExecuted) {
  const std::string file = two_devices();
  chmod(file.c_str(), 0666);
  expect_failure({"dump", file, "--buffers-at=5", "-o", out_}, "everybody may write to it");
  EXPECT_FALSE(fs::exists(out_));
  dumped(file, "5", {"--trust"});
  expect_failure({"dump", hostile(), "--buffers-at=5", "-o", out_}, "command 2 (BufferCreate");
}

TEST_F(BufferDumpTest, ALinkInTheFolderIsNotFollowed) {
  const std::string file = two_devices(), victim = folder_.path("victim");
  write_file(victim, "mine");
  std::filesystem::create_directory(out_);
  std::filesystem::create_symlink(victim, out_ + "/buffer-2.npy");
  expect_failure({"dump", file, "--buffers-at", number_of(file, "EnqueueWriteBuffer"), "--buffer",
                  "2", "-o", out_},
                 "buffer-2.npy is a link, which may lead out of the folder");
  EXPECT_EQ(read_file(victim), "mine");
}

TEST_F(BufferDumpTest, TheFileThatIsReadIsNotOverwritten) {
  std::filesystem::create_directory(out_);
  const std::string file = out_ + "/buffer-2.npy";
  std::filesystem::copy_file(two_devices(), file);
  const std::string before = read_file(file);
  expect_failure({"dump", file, "--buffers-at", number_of(file, "EnqueueWriteBuffer"), "--buffer",
                  "2", "-o", out_},
                 "buffer-2.npy");
  EXPECT_EQ(read_file(file), before);
}

TEST_F(BufferDumpTest, WrongChoicesAreOneClearLine) {
  const std::string file = two_devices();
  expect_failure({"dump", file, "--buffers-at=5"}, "needs -o DIR");
  expect_failure({"dump", file, "--buffers-at=999", "-o", out_}, "there is no command 999");
  const std::string count = std::to_string((*schema::File::open(file))->num_commands());
  expect_failure({"dump", file, "--buffers-at=" + count, "-o", out_},
                 "there is no command " + count + "\n");
  expect_failure({"dump", file, "--buffers-at=x", "-o", out_}, "--buffers-at is a number");
  expect_failure({"dump", file, "--buffers-at=5", "--buffer=77", "-o", out_},
                 "has no buffer 77 with memory after command 5");
  expect_failure({"dump", file, "--buffer=2"}, "--buffer needs --buffers-at N");
  expect_failure({"dump", file, "--buffers-at=5", "-o", out_, "--values"},
                 "--values chooses commands to show");
}

}  // namespace
}  // namespace lightmetal::testing
