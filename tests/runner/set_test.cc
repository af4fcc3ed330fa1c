// lightmetal_runner set: other arguments, data and kernels in a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "schema/file/blob.h"
#include "tests/runner/inspection_kit.h"
#include "tests/support/accumulating_program.h"
#include "tests/support/captured_file.h"
#include "tests/support/process.h"

namespace lightmetal {
namespace {

namespace fs = std::filesystem;
namespace tm = tt::tt_metal;

using testing::AccumulatingProgram;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kAccumulate;
using testing::ProcessResult;
using testing::read_file;
using testing::run_process;
using testing::write_file;

// Three cores add 10, 11 and 12 to a page each of words that count up from 0.
constexpr uint32_t kPages = 3;

class SetTest : public testing::InspectionTest {
 protected:
  void SetUp() override { capture(/*traced=*/false); }

  // The kernel's arguments are set on all cores at once, and then on each.
  void capture(bool traced) {
    write_file(kernel_, kAccumulate);
    tm::LightMetalBeginCapture({.path = file_, .read_goldens = true});
    tm::IDevice* device = tm::CreateDevice(0, 1, DEFAULT_L1_SMALL_SIZE, traced ? 1 << 20 : 0);
    {
      auto buffer = testing::counting_buffer(device, kPages);
      tm::Program program = tm::CreateProgram();
      const CoreRange cores({0, 0}, {kPages - 1, 0});
      tm::CreateCircularBuffer(
          program, cores,
          tm::CircularBufferConfig(64, {{0, tt::DataFormat::UInt32}}).set_page_size(0, 64));
      const auto kernel = tm::CreateKernel(program, kernel_, cores, tm::DataMovementConfig{});
      tm::SetRuntimeArgs(program, kernel, cores, {buffer->address(), 10, 0});
      for (uint32_t page = 1; page < kPages; ++page)
        tm::SetRuntimeArgs(program, kernel, CoreCoord(page, 0),
                           {buffer->address(), 10 + page, page});
      tm::SetCommonRuntimeArgs(program, kernel, {1});
      tm::EnqueueProgram(device->command_queue(), program, false);
      if (traced) {
        const uint32_t trace = tm::BeginTraceCapture(device, 0);
        tm::EnqueueProgram(device->command_queue(), program, false);
        tm::EndTraceCapture(device, 0, trace);
        tm::ReplayTrace(device, 0, trace, true);
      }
      testing::words_in(buffer);
    }
    tm::CloseDevice(device);
    tm::LightMetalEndCapture();
  }

  // With a path, by which kernels are linked.
  static ProcessResult compiling_runner(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), LIGHTMETAL_RUNNER);
    return run_process(arguments);
  }
  ProcessResult set(std::vector<std::string> arguments, const std::string& file = "") {
    std::vector<std::string> all = {"set", file.empty() ? file_ : file, "-o", out_};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return compiling_runner(all);
  }
  void expect_set(const std::vector<std::string>& arguments, const std::string& says) {
    const ProcessResult result = set(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_THAT(result.output, HasSubstr(says));
    EXPECT_EQ(runner({"verify", out_}).exit_code, 0);
  }
  void expect_refused(std::vector<std::string> arguments, const std::string& message) {
    fs::remove(out_);
    arguments.insert(arguments.begin(), {"set", file_, "-o", out_});
    expect_failure(arguments, message);
    EXPECT_FALSE(fs::exists(out_));
  }

  // The words that OUT reads, by the update of its goldens.
  std::vector<uint32_t> words_read() {
    const std::string updated = folder_.path("updated.lmb");
    const ProcessResult run = runner({"run", out_, "--update-golden", "-o", updated});
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    std::vector<uint32_t> words(kPages * 16);
    const auto file = *schema::File::open(updated);
    for (const schema::CommandT& command : testing::commands_of(*file)) {
      const auto* read = command.call.AsEnqueueReadBuffer();
      if (read == nullptr) continue;
      const auto golden = file->blob(*read->golden);
      EXPECT_EQ(golden->size(), words.size() * 4);
      std::copy(golden->begin(), golden->end(), reinterpret_cast<std::byte*>(words.data()));
    }
    return words;
  }
  // What was added to the words of each page.
  std::vector<uint32_t> added() {
    std::vector<uint32_t> added;
    const std::vector<uint32_t> words = words_read();
    for (uint32_t page = 0; page < kPages; ++page) added.push_back(words[page * 16] - page * 16);
    return added;
  }

  static uint64_t number_of(const std::string& path, const std::string& name) {
    const auto names = testing::names_of(**schema::File::open(path));
    return static_cast<uint64_t>(std::ranges::find(names, name) - names.begin());
  }

  std::string doubled() {
    const std::string path = folder_.path("doubled.cpp");
    write_file(path, absl::StrReplaceAll(kAccumulate, {{"+ amount", "+ 2 * amount"}}));
    return path;
  }

  const std::string file_ = folder_.path("file.lmb"), out_ = folder_.path("out.lmb");
  const std::string kernel_ = folder_.path("accumulate.cpp");
};

// ---- Arguments ----

TEST_F(SetTest, AnArgumentIsSetOnAllCoresByNameOrId) {
  for (const std::string kernel : {"accumulate.cpp", "1"}) {
    expect_set({"--arg", kernel + ":1=100"}, "3 arguments changed\n");
    EXPECT_THAT(added(), ElementsAre(100, 100, 100));
  }
}

TEST_F(SetTest, AnArgumentIsSetOnOneCoreOfMany) {
  const auto names = testing::names_of(**schema::File::open(file_));
  expect_set({"--arg", "accumulate.cpp:(0,0):1=0x64"},
             ": kernel 1 (" + kernel_ + "), cores (0,0), argument 1 was 10, is 100\n");
  EXPECT_THAT(added(), ElementsAre(100, 11, 12));
  auto changed = testing::names_of(**schema::File::open(out_));
  ASSERT_EQ(changed.size(), names.size()) << "commands keep their numbers";
  std::ranges::replace(changed, "SetRuntimeArgsPerCore", "SetRuntimeArgs");
  EXPECT_EQ(changed, names);
}

TEST_F(SetTest, AnArgumentHasAllOf32Bits) {
  for (const std::string most : {"4294967295", "0xffffffff"}) {
    expect_set({"--arg", "1:0,0:1=" + most}, "1 was 10, is 4294967295\n");
    EXPECT_THAT(added(), ElementsAre(0xffffffff, 11, 12));
  }
  expect_refused({"--arg", "1:1=0x100000000"}, "--arg is KERNEL:INDEX=VALUE");
}

// Captures so many commands that set the same arguments.
void capture_many_arguments(const std::string& path, int count) {
  tm::LightMetalBeginCapture({.path = path});
  tm::IDevice* device = tm::CreateDevice(0);
  {
    tm::Program program = tm::CreateProgram();
    const auto kernel = tm::CreateKernelFromString(program, "void kernel_main() {}",
                                                   CoreCoord{0, 0}, tm::DataMovementConfig{});
    for (int i = 0; i < count; ++i) tm::SetRuntimeArgs(program, kernel, CoreCoord{0, 0}, {7});
  }
  tm::CloseDevice(device);
  tm::LightMetalEndCapture();
}

TEST_F(SetTest, AHundredChangesAreShownAndTheOthersAreCounted) {
  for (const int count : {100, 102}) {
    capture_many_arguments(file_, count);
    const ProcessResult result = set({"--arg", "1:0=8"});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_THAT(result.output, HasSubstr(absl::StrCat(" with ", count, " arguments changed\n")));
    const auto lines = std::ranges::count(result.output, '\n');
    EXPECT_EQ(lines, count == 100 ? 101 : 102);
    EXPECT_EQ(result.output.ends_with("\n  and 2 more\n"), count == 102);
  }
}

TEST_F(SetTest, ACommonArgumentIsSetAndOneOfACommandAlone) {
  expect_set({"--arg", "1:common:0=3"}, "1 argument changed\n");
  EXPECT_THAT(added(), ElementsAre(30, 33, 36));
  const uint64_t first = number_of(file_, "SetRuntimeArgs");
  expect_set({"--arg", "1:1=50", "--command", absl::StrCat(first)}, "1 argument changed\n");
  EXPECT_THAT(added(), ElementsAre(50, 11, 12));
}

TEST_F(SetTest, SeveralChangesOfOneCommandAddUp) {
  expect_set({"--arg", "1:0,0:1=5", "--arg", "1:1,0:1=6", "--arg", "1:2,0:1=7"}, "5 arguments");
  EXPECT_THAT(added(), ElementsAre(5, 6, 7));
}

TEST_F(SetTest, ArgumentsInADeviceTraceAreSetToo) {
  capture(/*traced=*/true);
  EXPECT_EQ(set({"--arg", "accumulate.cpp:1,0:1=100"}).exit_code, 0);
  EXPECT_THAT(added(), ElementsAre(20, 200, 24));
  const std::string load = absl::StrCat(number_of(file_, "LoadTrace"));
  expect_set({"--arg", "accumulate.cpp:common:0=4", "--command", load}, "LoadTrace: kernel (");
  EXPECT_THAT(added(), ElementsAre(50, 55, 60));
}

// Captures a kernel that adds 10 to a page of buffer 1, which it has by its address, and a read of
// buffer 2. Returns the address of buffer 2.
uint64_t capture_with_address(const std::string& path, const std::string& kernel_path) {
  tm::LightMetalBeginCapture({.path = path, .read_goldens = true});
  tm::IDevice* device = tm::CreateDevice(0);
  uint64_t address = 0;
  {
    const auto named = testing::counting_buffer(device, kPages);
    const auto other = testing::counting_buffer(device, kPages);
    const CoreCoord core(0, 0);
    tm::Program program = tm::CreateProgram();
    tm::CreateCircularBuffer(
        program, core,
        tm::CircularBufferConfig(64, {{0, tt::DataFormat::UInt32}}).set_page_size(0, 64));
    const auto kernel = tm::CreateKernel(program, kernel_path, core, tm::DataMovementConfig{});
    tm::LightMetalSetRuntimeArgs(program, kernel, core,
                                 {tm::LightMetalAddress{named.get()}, uint32_t{10}, uint32_t{0}});
    tm::SetCommonRuntimeArgs(program, kernel, {1});
    tm::EnqueueProgram(device->command_queue(), program, false);
    testing::words_in(other);
    address = other->address();
  }
  tm::CloseDevice(device);
  tm::LightMetalEndCapture();
  return address;
}

TEST_F(SetTest, AnAddressOfABufferBecomesTheNumberThatIsGiven) {
  const uint64_t address = capture_with_address(file_, kernel_);
  expect_set({"--arg", absl::StrCat("1:0=", address)},
             absl::StrCat("argument 0 was the address of buffer 1, is ", address, "\n"));
  ASSERT_TRUE(fs::exists(out_));
  EXPECT_THAT(added(), ElementsAre(10, 0, 0));
}

TEST_F(SetTest, WhatMatchesNoArgumentIsRefusedWithWhatIsNear) {
  expect_refused({"--arg", "acumulate.cpp:1=2"},
                 "has no kernel acumulate.cpp; did you mean accumulate.cpp?");
  expect_refused({"--arg", "1:3=2"}, "has no argument 3, but 3 arguments, counted from 0");
  expect_refused({"--arg", "1:7,7:1=2"}, "has no arguments on core (7,7); it has some on (2,0)");
  expect_refused({"--arg", "1:common:1=2"}, "has no argument 1, but 1 common argument");
  const uint64_t first = number_of(file_, "SetRuntimeArgs");
  expect_refused({"--arg", "1:1=2", "--command", absl::StrCat(first - 1)},
                 absl::StrCat("the nearest that does is command ", first, "\n"));
  for (const std::string arg : {"1", "1:1", "1:1=x", "1:x=1", ":1=1", "1:1=4294967296"})
    expect_refused({"--arg", arg}, "--arg is KERNEL:INDEX=VALUE");
  expect_refused({"--command", "1"}, "--command is for --arg");
  expect_refused({}, "set needs something to change");
}

// ---- Data ----

TEST_F(SetTest, AnUploadIsSetFromRawBytesAndFromAnArray) {
  const std::string raw = folder_.path("data.bin"), array = folder_.path("data.npy");
  std::vector<uint32_t> words(kPages * 16, 7);
  write_file(raw, {reinterpret_cast<const char*>(words.data()), words.size() * 4});
  std::string head = "{'descr': '<u4', 'fortran_order': False, 'shape': (3, 16), }";
  head.resize(118, ' ');
  write_file(array, std::string("\x93NUMPY\1\0\x76\0", 10) + head + read_file(raw));
  const std::string command = absl::StrCat(number_of(file_, "EnqueueWriteBuffer"));
  for (const std::string& option : {"--payload=" + command + "=" + raw,
                                    "--payload=" + command + "=" + array, "--buffer=1=" + array}) {
    expect_set({option}, "1 payload changed\n  command " + command +
                             " EnqueueWriteBuffer: buffer 1, 192 bytes of ");
    EXPECT_EQ(words_read()[0], 17u);
    EXPECT_EQ(words_read()[47], 19u);
  }
  EXPECT_EQ((*schema::File::open(out_))->blobs().size(),
            (*schema::File::open(file_))->blobs().size())
      << "what was there before is gone";
}

TEST_F(SetTest, OfTwoPayloadsForACommandTheLastIsTaken) {
  const std::string one = folder_.path("one.bin"), two = folder_.path("two.bin");
  write_file(one, std::string(kPages * 64, '\1'));
  write_file(two, std::string(kPages * 64, '\0'));
  const std::string payload =
      absl::StrCat("--payload=", number_of(file_, "EnqueueWriteBuffer"), "=");
  expect_set({payload + one, payload + two}, "1 payload changed\n");
  EXPECT_EQ(words_read()[0], 10u);
}

TEST_F(SetTest, AGoldenIsSetAndThenFits) {
  const std::string command = absl::StrCat(number_of(file_, "EnqueueReadBuffer"));
  EXPECT_EQ(set({"--arg", "1:1=100"}).exit_code, 0);
  EXPECT_EQ(runner({"run", out_, "--save-actual", folder_.path()}).exit_code, 1);
  const std::string changed = folder_.path("changed.lmb");
  fs::rename(out_, changed);
  EXPECT_EQ(set({"--payload", command + "=" + folder_.path("command-" + command + ".npy")}, changed)
                .exit_code,
            0);
  EXPECT_EQ(runner({out_}).exit_code, 0);
}

TEST_F(SetTest, DataThatDoNotFitAreRefused) {
  const std::string command = absl::StrCat(number_of(file_, "EnqueueWriteBuffer"));
  const std::string small = folder_.path("small.bin"), npy = folder_.path("wrong.npy");
  write_file(small, "1234");
  expect_refused({"--payload", command + "=" + small}, "writes 192 bytes, and " + small + " has 4");
  expect_refused({"--payload", "0=" + small},
                 "command 0 of " + file_ +
                     ", CreateDevice, carries no data; the nearest that does "
                     "is command " +
                     command + ", EnqueueWriteBuffer");
  expect_refused({"--payload", "9999=" + small}, "does not exist and carries no data");
  expect_refused({"--buffer", "2=" + small}, "writes buffer 2; did you mean 1?");
  expect_refused({"--buffer", "DRAM=" + small}, "--buffer is ID=FILE");
  expect_refused({"--payload", command + "=" + folder_.path("none")}, "none");
  expect_refused({"--payload", command + "=" + folder_.path()}, folder_.path());
  const auto array = [&](const std::string& type, const std::string& order, size_t bytes) {
    std::string head = "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': (48,)}";
    head.resize(118, ' ');
    write_file(npy, std::string("\x93NUMPY\1\0\x76\0", 10) + head + std::string(bytes, '\1'));
  };
  array("<f4", "False", 192);
  expect_refused({"--payload", command + "=" + npy}, "elements of UInt32, and " + npy);
  array("<f8", "False", 384);
  expect_refused({"--payload", command + "=" + npy}, "type <f8, which files do not have");
  array("<u4", "False", 191);
  expect_refused({"--payload", command + "=" + npy}, "its shape has 48 elements of 4 bytes, and");
  array("<u4", "True", 192);
  expect_refused({"--payload", command + "=" + npy}, "in Fortran order");
  array(">u4", "False", 192);
  expect_refused({"--payload", command + "=" + npy}, ">u4, are big-endian");
  for (size_t size = 0; size < 140; size += 7) {
    array("<u4", "False", 192);
    write_file(npy, read_file(npy).substr(0, size));
    expect_refused({"--payload", command + "=" + npy}, "wrong.npy: it is no .npy file: it");
  }
}

// ---- Kernels ----

TEST_F(SetTest, AKernelIsReplacedAsInARunAndTheFileNeedsNoCompiler) {
  for (const bool traced : {false, true}) {
    capture(traced);
    const std::string option = "--replace-kernel=accumulate.cpp=" + doubled();
    expect_set({option}, ": kernel 1, the object had ");
    const ProcessResult as_run = compiling_runner({"run", file_, option});
    const ProcessResult rewritten = runner(
        {"run", out_},
        {{"LIGHTMETAL_CLANG", "/nowhere/clang"}, {"LIGHTMETAL_CACHE_DIR", folder_.path("empty")}});
    EXPECT_EQ(rewritten.exit_code, 1);
    EXPECT_EQ(absl::StrReplaceAll(rewritten.errors, {{out_, file_}}), as_run.errors);
    EXPECT_THAT(added(), traced ? ElementsAre(40, 44, 48) : ElementsAre(20, 22, 24));
  }
}

TEST_F(SetTest, AnObjectReplacesAKernelAndArgumentsAreSetAtOnce) {
  EXPECT_EQ(set({"--replace-kernel", "1=" + doubled()}).exit_code, 0);
  EXPECT_EQ(runner({"extract", out_, "--kernels", "-o", folder_.path("parts")}).exit_code, 0);
  std::string object;
  for (const auto& each : fs::directory_iterator(folder_.path("parts/kernels")))
    if (each.path().extension() == ".o") object = each.path();
  expect_set({"--replace-kernel", "1=" + object, "--arg", "1:1=5"}, "3 arguments and 1 kernel");
  EXPECT_THAT(added(), ElementsAre(10, 10, 10));

  capture(/*traced=*/true);
  expect_set({"--replace-kernel", "1=" + object, "--arg", "accumulate.cpp:1=5"},
             "6 arguments and 2 kernel");
  EXPECT_THAT(added(), ElementsAre(20, 20, 20));
}

TEST_F(SetTest, AKernelThatCannotReplaceIsRefusedAsInARun) {
  write_file(folder_.path("wrong.cpp"), "void kernel_main() { nonsense }\n");
  const std::string large = folder_.path("large.cpp");
  write_file(large, "x");
  fs::resize_file(large, uint64_t{16 << 20} + 1);
  const ProcessResult too_large = runner({"run", file_, "--replace-kernel", "1=" + large});
  EXPECT_THAT(too_large.errors, HasSubstr("a source has at most 16777216"));
  write_file(folder_.path("cut.o"),
             "\x7F"
             "ELF and no more");
  for (const std::string& option :
       {"no.cpp=" + doubled(), "1=" + folder_.path("cut.o"), "1=" + folder_.path(),
        "1=" + folder_.path("wrong.cpp"), std::string("1=/nowhere.cpp")}) {
    fs::remove(out_);
    const ProcessResult result = set({"--replace-kernel", option});
    const ProcessResult as_run = compiling_runner({"run", file_, "--replace-kernel", option});
    EXPECT_EQ(result.exit_code, 2) << option;
    EXPECT_EQ(as_run.exit_code, 2) << option;
    EXPECT_EQ(result.errors, as_run.errors);
    EXPECT_FALSE(fs::exists(out_));
  }
}

TEST_F(SetTest, AFileThatIsNotTrustedHasNoKernelCompiled) {
  fs::permissions(file_, fs::perms::others_write, fs::perm_options::add);
  expect_refused({"--replace-kernel", "1=" + doubled()}, "--trust");
  expect_set({"--replace-kernel", "1=" + doubled(), "--trust"}, "1 kernel object changed");
  expect_set({"--arg", "1:1=5"}, "3 arguments changed");
}

// ---- The file ----

TEST_F(SetTest, ItsJsonIsAsItsSchemaSays) {
  const std::string data = folder_.path("data.bin");
  write_file(data, std::string(192, '\1'));
  const ProcessResult result =
      set({"--arg", "1:1=5", "--arg", "1:common:0=2", "--buffer", "1=" + data, "--replace-kernel",
           "1=" + doubled(), "--format", "json"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  expect_valid(result.output, "set.schema.json");
  const testing::JsonText json(result.output);
  EXPECT_EQ(json.root()["argument_changes"].AsInt32(), 4);
  EXPECT_EQ(json.root()["arguments"].AsVector()[3].AsMap()["is"].AsInt32(), 2);
  EXPECT_EQ(json.root()["payloads"].AsVector().size(), 1u);
  EXPECT_EQ(json.root()["kernels"].AsVector().size(), 1u);
}

TEST_F(SetTest, ItsJsonSaysWhatAnArgumentWasAndIs) {
  const ProcessResult result = set({"--arg", "1:1=5", "--arg", "1:common:0=2", "--format=json"});
  const testing::JsonText json(result.output);
  const auto arguments = json.root()["arguments"].AsVector();
  ASSERT_EQ(arguments.size(), 4u) << result.errors;
  const auto second = arguments[1].AsMap(), common = arguments[3].AsMap();
  EXPECT_EQ(second["command"].AsUInt64(), number_of(file_, "SetRuntimeArgs") + 1);
  EXPECT_EQ(second["kernel"].AsUInt64(), 1u);
  EXPECT_EQ(second["name"].AsString().str(), kernel_);
  EXPECT_EQ(second["cores"].AsString().str(), "(1,0)");
  EXPECT_EQ(second["index"].AsUInt64(), 1u);
  EXPECT_EQ(second["was"].AsUInt64(), 11u);
  EXPECT_EQ(second["is"].AsUInt64(), 5u);
  EXPECT_EQ(common["index"].AsUInt64(), 0u);
  EXPECT_EQ(common["was"].AsUInt64(), 1u);
}

// The payload that the first command of its kind names: an upload or a kernel object.
schema::BlobRef upload_of(const std::string& path) {
  for (const schema::CommandT& command : testing::commands_of(**schema::File::open(path)))
    if (const auto* write = command.call.AsEnqueueWriteBuffer()) return *write->data;
  return {};
}
schema::BlobRef object_of(const std::string& path) {
  for (const schema::CommandT& command : testing::commands_of(**schema::File::open(path)))
    if (const auto* binary = command.call.AsKernelBinary()) return *binary->object;
  return {};
}

void expect_blob(const flexbuffers::Map& found, const schema::BlobRef& blob) {
  EXPECT_EQ(found["digest"].AsString().str(), schema::to_digest(blob.digest()).hex());
  EXPECT_EQ(found["size"].AsUInt64(), blob.size());
}

TEST_F(SetTest, ItsJsonSaysWhatDataAndKernelsWereAndAre) {
  const std::string path = folder_.path("data.bin");
  write_file(path, std::string(192, '\1'));
  const ProcessResult result =
      set({"--buffer", "1=" + path, "--replace-kernel", "1=" + doubled(), "--format", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const testing::JsonText json(result.output);
  const auto payload = json.root()["payloads"].AsVector()[0].AsMap(),
             kernel = json.root()["kernels"].AsVector()[0].AsMap();
  expect_blob(payload["was"].AsMap(), upload_of(file_));
  expect_blob(payload["is"].AsMap(), upload_of(out_));
  expect_blob(kernel["was"].AsMap(), object_of(file_));
  expect_blob(kernel["is"].AsMap(), object_of(out_));
  EXPECT_NE(schema::to_digest(upload_of(file_).digest()).hex(),
            schema::to_digest(upload_of(out_).digest()).hex());
  EXPECT_NE(schema::to_digest(object_of(file_).digest()).hex(),
            schema::to_digest(object_of(out_).digest()).hex());
}

TEST_F(SetTest, AllElseIsAsItWasAndASignatureIsGone) {
  ASSERT_EQ(runner({"keygen", "-o", folder_.path("key")}).exit_code, 0);
  ASSERT_EQ(runner({"sign", file_, "--key", folder_.path("key.key")}).exit_code, 0);
  expect_set({"--arg", "1:0,0:1=100"}, "its signature is gone: sign it anew");
  const ProcessResult differs = runner({"diff", file_, out_});
  EXPECT_EQ(differs.exit_code, 1);
  EXPECT_EQ(std::count(differs.output.begin(), differs.output.end(), '~'), 0) << differs.output;
  EXPECT_THAT(differs.output, HasSubstr("SetRuntimeArgsPerCore"));
}

TEST_F(SetTest, SamplesStayWhatTheyAreWhenTheyAreSetToWhatTheyHave) {
  for (const std::string& file : {matmul(), transformer(), two_devices()}) {
    const std::string parts = folder_.path("parts");
    fs::remove_all(parts);
    ASSERT_EQ(runner({"extract", file, "--goldens", "-o", parts}).exit_code, 0);
    const fs::path golden = *fs::directory_iterator(parts + "/goldens");
    const std::string name = golden.stem();
    const ProcessResult result =
        set({"--payload", name.substr(name.find('-') + 1) + "=" + golden.string()}, file);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(runner({"diff", file, out_}).exit_code, 0);
    EXPECT_EQ(runner({out_}).exit_code, 0);
  }
}

TEST_F(SetTest, NoFileThatIsReadIsReplaced) {
  const std::string data = folder_.path("data.bin"), kernel = doubled();
  write_file(data, std::string(192, '\1'));
  for (const auto& [option, read] :
       {std::pair("--buffer=1=" + data, data), {"--replace-kernel=1=" + kernel, kernel}}) {
    const std::string before = read_file(read);
    expect_failure({"set", file_, option, "-o", read}, "is an input");
    EXPECT_EQ(read_file(read), before);
  }
}

TEST_F(SetTest, AFileOfALaterVersionIsNotChanged) {
  schema::SessionInfo session = (*schema::File::open(file_))->session();
  session.version_minor = schema::kVersionMinor + 1;
  auto sink = std::make_shared<schema::MemorySink>();
  schema::Writer writer(sink);
  ASSERT_TRUE(writer.begin(session).ok() && writer.finish(absl::OkStatus()).ok());
  written("file.lmb", sink->take_as<uint8_t>());
  expect_refused({"--arg", "1:1=5"}, absl::StrCat("has format 1.", session.version_minor,
                                                  ", and only up to 1.", schema::kVersionMinor));
}

TEST_F(SetTest, FilesThatCannotBeChangedAreRefused) {
  expect_failure({"set", killed(), "--arg", "1:1=5", "-o", out_}, "because it is incomplete");
  expect_failure({"set", hostile(), "--arg", "1:1=5", "-o", out_}, "hostile.lmb");
  expect_failure({"set", file_, "--arg", "1:1=5", "-o", file_}, "is an input");
  expect_failure({"set", file_, "--arg", "1:1=5"}, "set needs -o OUT");
  EXPECT_FALSE(fs::exists(out_));
}

}  // namespace
}  // namespace lightmetal
