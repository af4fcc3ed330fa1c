// redact: strings are planted wherever a file can say something of a person or a site, and looked
// for in what comes out.
#include "schema/verify/redact.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <lightmetal/capture.hpp>
#include <lightmetal/replay.hpp>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <vector>

#include "schema/commands/references.h"
#include "schema/commands/reflection.h"
#include "schema/file/compressed_blob.h"
#include "schema/storage/memory_sink.h"
#include "schema/verify/kernel_elf.h"
#include "schema/verify/verify.h"
#include "tests/schema/overlapping_command.h"
#include "tests/support/captured_file.h"
#include "tests/support/process.h"
#include "tests/support/samples.h"

namespace lightmetal {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using testing::FilePointer;
using ::testing::HasSubstr;
using testing::names_of;
using ::testing::Not;
using testing::read_file;
using testing::run_process;
using testing::TemporaryFolder;
using testing::write_file;

namespace tm = tt::tt_metal;

constexpr char kHeader[] = R"(
__attribute__((noinline)) uint32_t planted_helper(uint32_t x) { return x * get_arg_val<uint32_t>(0); }
)";
constexpr char kKernel[] = R"(#include "planted_header.h"
void kernel_main() { *reinterpret_cast<volatile uint32_t*>(get_arg_val<uint32_t>(1)) = planted_helper(3); }
)";

// What the file must not say, and where each was put.
const std::vector<std::string> kPrivate = {
    "planted_folder",           // the path of the kernel's source, in the command and in the object
    "planted_kernel",           // its name: the command, the trace, the object
    "planted_header",           // a file that it includes: the object's debug information
    "planted_helper",           // a function: the object's symbols
    "PLANTED_DEFINE",           // a define's name
    "planted value of define",  // and value
    "planted named argument",   // a compile-time argument's name
    "planted include path",     // where its headers are looked for
    "planted variable",         // the environment
    "LIGHTMETAL_PLANTED",       // its name
    "redact_test",              // the program
};
const std::string kUploaded = "planted payload!", kRead = "planted golden !";

std::vector<uint32_t> words_of(const std::string& text) {
  std::vector<uint32_t> words(text.size() / sizeof(uint32_t));
  std::memcpy(words.data(), text.data(), words.size() * sizeof(uint32_t));
  return words;
}

std::string bytes_of_file(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A capture with everything planted.
class Redaction : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { captured_ = new std::vector<uint8_t>(capture()); }

  static std::vector<uint8_t> capture() {
    const TemporaryFolder folder;
    const std::string kernels = folder.path("planted_folder");
    std::filesystem::create_directory(kernels);
    write_file(kernels + "/planted_header.h", kHeader);
    write_file(kernels + "/planted_kernel.cpp", kKernel);
    setenv("LIGHTMETAL_PLANTED", "planted variable", 1);
    tm::LightMetalBeginCapture({.read_goldens = true, .record_origin = true});
    unsetenv("LIGHTMETAL_PLANTED");
    run(kernels + "/planted_kernel.cpp");
    return tm::LightMetalEndCapture().get_data();
  }

  static void run(const std::string& kernel) {
    tm::IDevice* device = tm::CreateDevice(0, 1, DEFAULT_L1_SMALL_SIZE, 1 << 16);
    tm::CommandQueue& cq = device->command_queue();
    {
      auto buffer = tm::CreateBuffer(
          tm::InterleavedBufferConfig{.device = device, .size = 16, .page_size = 16});
      auto other = tm::CreateBuffer(
          tm::InterleavedBufferConfig{.device = device, .size = 16, .page_size = 16});
      tm::Program program = launched(device, kernel);
      std::vector<uint32_t> data = words_of(kUploaded);
      tm::EnqueueWriteBuffer(cq, buffer, data, true);
      tm::EnqueueWriteBuffer(cq, other, words_of(kRead), true);
      tm::EnqueueReadBuffer(cq, other, data, true);
      tm::LightMetalCompareToCapture(cq, other);
    }
    tm::CloseDevice(device);
  }

  static tm::Program launched(tm::IDevice* device, const std::string& kernel) {
    tm::Program program = tm::CreateProgram();
    const tm::CoreCoord core(0, 0);
    const auto handle = tm::CreateKernel(
        program, kernel, core,
        tm::DataMovementConfig{.defines = {{"PLANTED_DEFINE", "\"planted value of define\""}},
                               .named_compile_args = {{"planted named argument", 1}},
                               .compiler_include_paths = {"planted include path"}});
    const auto scratch = tm::CreateBuffer(tm::InterleavedBufferConfig{
        .device = device, .size = 32, .page_size = 32, .buffer_type = tm::BufferType::L1});
    tm::SetRuntimeArgs(program, handle, core, {7, static_cast<uint32_t>(scratch->address())});
    tm::EnqueueProgram(device->command_queue(), program, true);
    const uint32_t trace = tm::BeginTraceCapture(device, 0);
    tm::EnqueueProgram(device->command_queue(), program, false);
    tm::EndTraceCapture(device, 0, trace);
    tm::ReplayTrace(device, 0, trace, true);
    tm::ReleaseTrace(device, trace);
    return program;
  }

  static std::string captured_text() {
    return {reinterpret_cast<const char*>(captured_->data()), captured_->size()};
  }
  static FilePointer captured() { return testing::open_file(*captured_); }

  // The redacted file; checked to be sound.
  static std::vector<std::byte> redacted(const schema::RedactOptions& options,
                                         schema::RedactReport* report = nullptr) {
    auto sink = std::make_shared<schema::MemorySink>();
    const auto result = schema::redact(*captured(), sink, options);
    EXPECT_TRUE(result.ok()) << result.status();
    if (report != nullptr && result.ok()) *report = *result;
    return sink->take();
  }

  static FilePointer sound(std::vector<std::byte> bytes) {
    auto file = schema::File::from_bytes(std::move(bytes));
    EXPECT_TRUE(file.ok()) << file.status();
    EXPECT_EQ(schema::verify(**file), absl::OkStatus());
    return *file;
  }

  static ReplayResult replayed(const FilePointer& file) {
    auto replay = Replay::load(file);
    EXPECT_TRUE(replay.ok()) << replay.status();
    auto result = (*replay)->run();
    EXPECT_TRUE(result.ok()) << result.status();
    EXPECT_TRUE(result->matches());
    return result.value_or(ReplayResult());
  }

  static std::vector<uint8_t>* captured_;
};

std::vector<uint8_t>* Redaction::captured_ = nullptr;

TEST_F(Redaction, NothingPrivateIsFoundByASearch) {
  for (const std::string& text : kPrivate) EXPECT_THAT(captured_text(), HasSubstr(text));
  schema::RedactReport report;
  const std::vector<std::byte> bytes = redacted({}, &report);
  for (const std::string& text : kPrivate) {
    EXPECT_THAT(bytes_of_file(bytes), Not(HasSubstr(text))) << text;
  }
  EXPECT_TRUE(report.origin_dropped);
  EXPECT_EQ(report.kernels_as_they_are, 0u);
  EXPECT_GE(report.kernels_stripped, 1u);
  EXPECT_GE(report.texts, 4u);
}

TEST_F(Redaction, ReplaysAndComparesAsBefore) {
  const uint64_t goldens = replayed(captured()).goldens_checked;
  const FilePointer file = sound(redacted({}));
  EXPECT_EQ(names_of(*file), names_of(*captured()));
  EXPECT_EQ(replayed(file).goldens_checked, goldens);
  EXPECT_GT(goldens, 0u);
}

TEST_F(Redaction, PayloadsAreKeptUnlessAskedFor) {
  EXPECT_THAT(bytes_of_file(redacted({})), HasSubstr(kUploaded));
  EXPECT_THAT(bytes_of_file(redacted({})), HasSubstr(kRead));
  schema::RedactReport report;
  const std::vector<std::byte> bytes = redacted({.payloads = true}, &report);
  EXPECT_THAT(bytes_of_file(bytes), Not(HasSubstr(kUploaded)));
  EXPECT_THAT(bytes_of_file(bytes), Not(HasSubstr(kRead)));
  EXPECT_GE(report.payloads_zeroed, 2u);
  EXPECT_EQ(report.commands_dropped, 1u);
  EXPECT_GE(report.goldens_dropped, 2u);
  const FilePointer file = sound(bytes);
  EXPECT_THAT(names_of(*file), Not(Contains("LightMetalCompare")));
  EXPECT_EQ(replayed(file).goldens_checked, 0u);
}

TEST_F(Redaction, WhatIsToBeKeptIsKept) {
  const std::string origin = bytes_of_file(redacted({.keep_origin = true}));
  EXPECT_THAT(origin, HasSubstr("planted variable"));
  EXPECT_THAT(origin, Not(HasSubstr("planted_folder")));
  const std::string names = bytes_of_file(redacted({.keep_names = true}));
  EXPECT_THAT(names, HasSubstr("planted value of define"));
  EXPECT_THAT(names, HasSubstr("planted_folder"));
  EXPECT_THAT(names, Not(HasSubstr("planted_helper")));
  const std::string debug = bytes_of_file(redacted({.keep_debug_information = true}));
  EXPECT_THAT(debug, HasSubstr("planted_helper"));
  EXPECT_THAT(debug, Not(HasSubstr("planted value of define")));
}

// Texts of the code stay. What an assertion and the kernel itself say of its source is no folder.
TEST_F(Redaction, TheFolderOfASourceIsNotInItsCode) {
  const TemporaryFolder folder;
  const std::string path = folder.path("asserts.cpp");
  write_file(path, R"(
void kernel_main() {
  ASSERT(get_arg_val<uint32_t>(0) == 7);
  const volatile char* own = __FILE__;
  *reinterpret_cast<volatile uint32_t*>(get_arg_val<uint32_t>(1)) = own[get_arg_val<uint32_t>(0)];
}
)");
  tm::LightMetalBeginCapture();
  tm::IDevice* device = tm::CreateDevice(0, 1, DEFAULT_L1_SMALL_SIZE, 1 << 16);
  launched(device, path);
  tm::CloseDevice(device);
  const auto file = testing::open_file(tm::LightMetalEndCapture());
  auto sink = std::make_shared<schema::MemorySink>();
  const auto report = schema::redact(*file, sink);
  ASSERT_TRUE(report.ok()) << report.status();
  const std::string text = bytes_of_file(sink->take());
  EXPECT_THAT(text, HasSubstr("asserts.cpp"));
  EXPECT_THAT(text, Not(HasSubstr(folder.path())));
  EXPECT_EQ(report->kernels_with_paths, 0u);
}

TEST(KernelElfTest, APathOfASourceIsFoundAmongTheTextsOfCode) {
  const auto found = [](const std::string& text) {
    return schema::names_a_source_path(
        {reinterpret_cast<const std::byte*>(text.data()), text.size()});
  };
  EXPECT_TRUE(found(std::string("\0\x7f/home/ada/secret/kernel.cpp\0", 31)));
  EXPECT_TRUE(found("ASSERT(x) failed at /src/a.h:7"));
  for (const char* folder : {"Ada Lovelace", "ada@work", "~ada", "Zo\xc3\xab"}) {
    EXPECT_TRUE(found("/home/" + std::string(folder) + "/kernel.cpp")) << folder;
  }
  EXPECT_TRUE(found("clang -O2 -I/home/ada/include -include /home/ada/secret.h"));
  for (const char* other :
       {"", "/", "kernel.cpp", "a/b.cpp", "/b.cpp", "/usr/lib/x.so", "//a/b.h",
        "and/or either/way.h", "https://host/folder/a.h", "/a/b.c/d", "/a/b.html"}) {
    EXPECT_FALSE(found(other)) << other;
  }
}

TEST_F(Redaction, TwiceIsOnce) {
  const std::vector<std::byte> once = redacted({});
  auto sink = std::make_shared<schema::MemorySink>();
  const auto report = schema::redact(*sound(once), sink);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->texts, 0u);
  EXPECT_TRUE(sink->take() == once);
}

TEST_F(Redaction, TheRunnerWritesTheFileAndSaysWhatItTookOut) {
  const TemporaryFolder folder;
  const std::string from = folder.path("planted.lmb"), to = folder.path("redacted.lmb");
  write_file(from, captured_text());
  const auto redact = run_process({LIGHTMETAL_RUNNER, "redact", from, "-o", to, "--payloads"});
  ASSERT_EQ(redact.exit_code, 0) << redact.errors;
  for (const char* line : {"where, when and by what", "names and defines of kernels",
                           "kernels' debug information", "zeros in their place", "goldens\n"}) {
    EXPECT_THAT(redact.output, HasSubstr(line));
  }
  EXPECT_EQ(redact.errors, "");
  EXPECT_THAT(read_file(to), Not(HasSubstr("planted")));
  EXPECT_EQ(run_process({LIGHTMETAL_RUNNER, "verify", to}).exit_code, 0);
  EXPECT_EQ(run_process({LIGHTMETAL_RUNNER, "redact", from, "-o", from}).exit_code, 2);
  EXPECT_EQ(read_file(from), captured_text());
  EXPECT_EQ(run_process({LIGHTMETAL_RUNNER, "redact", from}).exit_code, 2);
}

TEST_F(Redaction, TheRunnerSaysThatAFileIsIncomplete) {
  const TemporaryFolder folder;
  const std::string from = folder.path("cut.lmb"), to = folder.path("redacted.lmb");
  write_file(from, captured_text().substr(0, captured_text().size() - 8));
  const auto redact = run_process({LIGHTMETAL_RUNNER, "redact", from, "-o", to});
  EXPECT_EQ(redact.exit_code, 0);
  EXPECT_THAT(redact.errors, HasSubstr("cut.lmb: warning: it is incomplete: it was not closed"));
}

// ---- Files that are not whole, and hostile ones ----

std::string redacted_text(const FilePointer& file) {
  auto sink = std::make_shared<schema::MemorySink>();
  const auto report = schema::redact(*file, sink);
  EXPECT_TRUE(report.ok()) << report.status();
  return bytes_of_file(sink->take());
}

FilePointer written_with(const schema::SessionInfo& session, const absl::Status& status) {
  auto sink = std::make_shared<schema::MemorySink>();
  schema::Writer writer(sink);
  EXPECT_TRUE(writer.begin(session).ok());
  EXPECT_TRUE(writer.finish(status).ok());
  return *schema::File::from_bytes(sink->take());
}

TEST(RedactTest, ErrorsAndOptionsLoseTheirText) {
  schema::SessionInfo session;
  session.options = {{"read_goldens", "1"}, {"repaired", "/home/planted/x.lmb is cut off"}};
  const auto file = written_with(session, absl::InternalError("no space in /home/planted/disk"));
  const std::string text = redacted_text(file);
  EXPECT_THAT(text, Not(HasSubstr("planted")));
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  const auto again = schema::File::from_bytes({begin, begin + text.size()});
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_FALSE((*again)->complete());
  EXPECT_EQ((*again)->capture_status().code(), absl::StatusCode::kInternal);
  EXPECT_EQ((*again)->session().options[0].second, "1");
}

TEST(RedactTest, AFileThatWasNotClosedStaysIncomplete) {
  auto sink = std::make_shared<schema::MemorySink>();
  schema::Writer writer(sink);
  ASSERT_TRUE(writer.begin({}).ok());
  const auto file = schema::File::from_bytes(sink->take());
  auto out = std::make_shared<schema::MemorySink>();
  ASSERT_TRUE(schema::redact(**file, out).ok());
  EXPECT_FALSE((*schema::File::from_bytes(out->take()))->complete());
}

TEST(RedactTest, AFileOfALaterVersionIsRefused) {
  schema::SessionInfo session;
  session.version_minor = schema::kVersionMinor + 1;
  const auto file = written_with(session, absl::OkStatus());
  const auto report = schema::redact(*file, std::make_shared<schema::MemorySink>());
  EXPECT_EQ(report.status().code(), absl::StatusCode::kUnimplemented) << report.status();
}

schema::BlobRef elsewhere(schema::Writer& writer, uint64_t size,
                          const std::string& name = "weights") {
  const Bytes content = bytes_of(name.data(), name.size());  // only its digest is written
  const auto find = [size](Bytes, const Digest& digest) {
    return std::optional(schema::ExternalBlobInfo{
        .path = "/nonexistent", .size = size, .digest = digest, .file_size = size});
  };
  EXPECT_TRUE(writer.append_blob(content, find).ok());
  return {schema::from_digest(digest_of(content)), size};
}

// A program that uploads what is said to lie in a file that is not there, and a payload of its own
// that no command uses. With another upload, of half the size, in place of a read.
FilePointer with_payload_elsewhere(uint64_t size, bool has_another = false) {
  const TemporaryFolder folder;
  testing::capture_write_and_read(folder.path("small.lmb"));
  const FilePointer small = *schema::File::open(folder.path("small.lmb"));
  const auto change = [=](schema::CommandT& command, schema::Writer& writer) {
    if (auto* buffer = command.call.AsBufferCreate()) buffer->size = buffer->page_size = size;
    if (auto* write = command.call.AsEnqueueWriteBuffer()) *write->data = elsewhere(writer, size);
    auto* const read = command.call.AsEnqueueReadBuffer();
    if (read == nullptr) return;
    read->golden.reset();
    if (!has_another) return;
    schema::EnqueueWriteBufferT write;
    write.device = read->device;
    write.buffer = read->buffer;
    write.data = std::make_unique<schema::BlobRef>(elsewhere(writer, size / 2, "others"));
    command.call.Set(std::move(write));
  };
  return testing::open_file(testing::rewritten(*small, change));
}

TEST(RedactTest, ZerosInPlaceOfWhatIsClaimedTakeNoRoom) {
  constexpr uint64_t kClaimed = 64 << 20;
  auto sink = std::make_shared<schema::MemorySink>();
  const auto report = schema::redact(*with_payload_elsewhere(kClaimed), sink, {.payloads = true});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->payloads_zeroed, 1u);
  EXPECT_EQ(report->payloads_unused, 1u);
  const std::vector<std::byte> bytes = sink->take();
  EXPECT_LT(bytes.size(), kClaimed / 1000);
  const auto file = schema::File::from_bytes(bytes);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(schema::verify(**file), absl::OkStatus());
  EXPECT_EQ((*file)->blobs().at(0).size, kClaimed);
}

TEST(RedactTest, MoreThanTheMemoryLimitIsRefused) {
  const FilePointer file = with_payload_elsewhere(64 << 20);
  const auto refused = [&](bool check_meaning) {
    return schema::redact(
               *file, std::make_shared<schema::MemorySink>(),
               {.payloads = true, .check_meaning = check_meaning, .memory_limit = 32 << 20})
        .status();
  };
  EXPECT_EQ(refused(true).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused(false).message()), HasSubstr("no room for 67108864 zeros"));
}

TEST(RedactTest, TheMemoryLimitIsForAllPayloadsTogether) {
  const FilePointer two = with_payload_elsewhere(64 << 20, /*has_another=*/true);
  const auto status = [&](uint64_t memory_limit) {
    return schema::redact(*two, std::make_shared<schema::MemorySink>(),
                          {.payloads = true, .check_meaning = false, .memory_limit = memory_limit})
        .status();
  };
  EXPECT_EQ(status(96 << 20), absl::OkStatus());
  EXPECT_EQ(status((96 << 20) - 1).code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(Redaction, AKernelObjectThatNoDeviceLoadsIsRefusedUnread) {
  const auto bytes =
      testing::rewritten(*captured(), [](schema::CommandT& command, schema::Writer& writer) {
        if (auto* binary = command.call.AsKernelBinary()) {
          *binary->object = elsewhere(writer, (256 << 20) + 1);
        }
      });
  const auto report =
      schema::redact(*testing::open_file(bytes), std::make_shared<schema::MemorySink>());
  EXPECT_THAT(std::string(report.status().message()),
              HasSubstr("kernel object of 268435457 bytes"));
}

std::vector<std::byte> file_of_command(Bytes command) {
  auto sink = std::make_shared<schema::MemorySink>();
  schema::Writer writer(sink);
  EXPECT_TRUE(writer.begin({}).ok());
  EXPECT_TRUE(writer.append_command(command).ok());
  EXPECT_TRUE(writer.finish(absl::OkStatus()).ok());
  return sink->take();
}

TEST(RedactTest, OfACommandWithAVtableInsideATextTheTextAloneIsErased) {
  using schema::testing::Holder;
  for (const Holder holder : {Holder::Command, Holder::Call}) {
    const auto file = schema::File::from_bytes(
        file_of_command(schema::testing::command_with_vtable_in_text(holder)));
    ASSERT_TRUE(file.ok()) << file.status();
    auto sink = std::make_shared<schema::MemorySink>();
    const auto report = schema::redact(**file, sink);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->texts, 1u);
    const auto redacted = schema::File::from_bytes(sink->take());
    ASSERT_TRUE(redacted.ok()) << redacted.status();
    const auto view = (*redacted)->command(0);
    ASSERT_TRUE(view.ok()) << view.status();
    const schema::CallFailed* call = view->command->call_as_CallFailed();
    ASSERT_NE(call, nullptr);
    EXPECT_EQ(call->function()->str(), "CreateBuffer");
    EXPECT_EQ(call->error(), nullptr);
  }
}

TEST(KernelElfTest, WhatIsNoImageOrACutOneIsLeftAlone) {
  const std::string text = "this is no kernel object, it is a text that is longer than a header";
  EXPECT_FALSE(schema::without_debug_information(bytes_of(text.data(), text.size())).has_value());
  EXPECT_FALSE(schema::without_debug_information({}).has_value());
  const std::string self = read_file("/proc/self/exe");
  ASSERT_TRUE(schema::without_debug_information(bytes_of(self.data(), self.size())).has_value());
  for (size_t size = 0; size < 4096; size += 7) {
    schema::without_debug_information(bytes_of(self.data(), size));
  }
}

// An image that is its header, so many headers of segments that each cover all of it, and zeros.
std::vector<std::byte> image_with_segments(uint16_t segments, uint64_t size) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_phoff = sizeof(header);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = segments;
  Elf64_Phdr segment{};
  segment.p_type = PT_LOAD;
  segment.p_filesz = segment.p_memsz = size;
  std::vector<std::byte> image(size);
  std::memcpy(image.data(), &header, sizeof(header));
  for (uint16_t i = 0; i < segments; ++i) {
    std::memcpy(&image[sizeof(header) + i * sizeof(segment)], &segment, sizeof(segment));
  }
  return image;
}

// 65535 headers of a compressed object that has a few kilobytes would copy terabytes.
TEST(KernelElfTest, SegmentsThatAreTogetherLargerThanTheObjectAreNone) {
  EXPECT_TRUE(schema::without_debug_information(image_with_segments(1, 4096)).has_value());
  EXPECT_FALSE(schema::without_debug_information(image_with_segments(2, 4096)).has_value());
  EXPECT_FALSE(schema::without_debug_information(image_with_segments(65535, 4 << 20)).has_value());
}

// Returns what is wrong with an image of 4096 bytes whose header is changed.
template <class Change>
std::string error_of_image(Change change) {
  std::vector<std::byte> image = image_with_segments(1, 4096);
  Elf64_Ehdr header;
  std::memcpy(&header, image.data(), sizeof(header));
  change(header);
  std::memcpy(image.data(), &header, sizeof(header));
  return std::string(schema::check_kernel_object(image).message());
}

TEST(KernelElfTest, AnObjectThatLacksWhatItsHeaderNamesIsCut) {
  const auto with_sections_at = [](uint64_t offset) {
    return error_of_image([offset](Elf64_Ehdr& header) {
      header.e_shoff = offset;
      header.e_shnum = 2;
      header.e_shentsize = sizeof(Elf64_Shdr);
    });
  };
  constexpr uint64_t kLast = 4096 - 2 * sizeof(Elf64_Shdr);
  EXPECT_EQ(error_of_image([](auto&) {}), "");
  EXPECT_EQ(with_sections_at(kLast), "");
  EXPECT_THAT(with_sections_at(kLast + 1), HasSubstr("cut or damaged"));
  EXPECT_THAT(with_sections_at(UINT64_MAX), HasSubstr("cut or damaged"));
  EXPECT_THAT(error_of_image([](auto& header) { header.e_phoff = 4096 - sizeof(Elf64_Phdr) + 1; }),
              HasSubstr("cut or damaged"));
  const std::vector<std::byte> part(sizeof(Elf64_Ehdr) - 1);
  EXPECT_THAT(std::string(schema::check_kernel_object(part).message()),
              HasSubstr("ends within the header"));
}

TEST(KernelElfTest, AnObjectOfAnotherKindIsRefused) {
  for (const int byte : {EI_CLASS, EI_DATA, EI_MAG0}) {
    EXPECT_THAT(error_of_image([byte](auto& header) { header.e_ident[byte] ^= 3; }),
                HasSubstr("no 64-bit kernel object"));
  }
  EXPECT_THAT(error_of_image([](auto& header) { ++header.e_phentsize; }),
              HasSubstr("no 64-bit kernel object"));
}

// The objects of the file's kernels; each has the form of a compressed payload.
std::vector<schema::BlobRef> compressed_kernels(const schema::File& file) {
  std::vector<schema::BlobRef> kernels;
  for (schema::CommandT& command : testing::commands_of(file)) {
    if (const auto* binary = command.call.AsKernelBinary()) kernels.push_back(*binary->object);
  }
  EXPECT_FALSE(kernels.empty());
  for (const schema::BlobRef& kernel : kernels) {
    EXPECT_EQ(file.form_of(kernel), schema::FrameType::CompressedBlob);
  }
  return kernels;
}

// Whether they can be stripped, as those of one segment can, or stay as they are.
TEST_F(Redaction, ACompressedKernelThatIsZerosStaysSmall) {
  for (const uint16_t segments : {1, 2}) {
    const std::vector<std::byte> image = image_with_segments(segments, 32 << 20);
    const auto change = [&](schema::CommandT& command, schema::Writer& writer) {
      if (auto* binary = command.call.AsKernelBinary())
        *binary->object = *writer.append_blob(image);
    };
    const auto bytes = testing::rewritten(*captured(), change, {.compression_level = 1});
    auto sink = std::make_shared<schema::MemorySink>();
    const auto report = schema::redact(*testing::open_file(bytes), sink);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_LE(sink->size(), bytes.size());
    compressed_kernels(*sound(sink->take()));
  }
}

TEST_F(Redaction, ACompressedCaptureStaysCompressedAtItsLevel) {
  constexpr int kLevel = 19;
  const TemporaryFolder folder;
  // With a table, without which compression does not pay for what is left of the kernel.
  write_file(folder.path("table.cpp"), R"(
const volatile uint32_t table[4096] = {1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377};
void kernel_main() {
  *reinterpret_cast<volatile uint32_t*>(get_arg_val<uint32_t>(1)) = table[get_arg_val<uint32_t>(0)];
}
)");
  tm::LightMetalBeginCapture({.compress = kLevel});
  run(folder.path("table.cpp"));
  const tm::LightMetalBinary binary = tm::LightMetalEndCapture();
  auto sink = std::make_shared<schema::MemorySink>();
  const auto report = schema::redact(*testing::open_file(binary), sink);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_GT(report->kernels_stripped, 0u);
  EXPECT_LT(sink->size(), binary.size());
  const std::vector<std::byte> once = sink->take();
  const FilePointer file = sound(once);
  for (const schema::BlobRef& kernel : compressed_kernels(*file)) {
    const auto frame = file->frame_at(file->find_blob(kernel)->offset);
    const auto content = file->blob(kernel);
    ASSERT_TRUE(frame.ok() && content.ok());
    const auto compressed =
        schema::Compressor(kLevel).compress(content->bytes(), schema::to_digest(kernel.digest()));
    ASSERT_TRUE(compressed.has_value());
    EXPECT_EQ(frame->payload.size(), compressed->size);
  }
  auto again = std::make_shared<schema::MemorySink>();
  ASSERT_TRUE(schema::redact(*file, again).ok());
  EXPECT_TRUE(again->take() == once);
}

// ---- What the schema says is confidential ----

// Text that says nothing of anybody. What is neither here nor marked needs a decision: is it
// confidential (schema/types.fbs), or does a replay need it?
const std::set<std::string> kHarmlessText = {
    "CreateDevice.backend", "DeviceProfile.arch", "KernelBinary.target", "TraceKernel.target",
    "CallFailed.function", "LightMetalCompare.policy",
    // What whoever runs the file calls its inputs, outputs and entries by.
    "BindTensor.name", "EntryBegin.name",
    // Taken care of by redact() itself.
    "Session.producer", "SessionOption.name", "SessionOption.value", "Origin.build",
    "Origin.program", "Origin.arguments", "Origin.host", "Origin.operating_system",
    "Origin.processor", "Origin.processor_features", "ExternalBlob.path"};
// The names that payloads go by.
const std::set<std::string> kPayloadFields = {"data", "golden", "object"};

bool is_text(const reflection::Field& field) {
  const reflection::BaseType base = field.type()->base_type();
  return base == reflection::BaseType::String ||
         (base == reflection::BaseType::Vector &&
          field.type()->element() == reflection::BaseType::String);
}

TEST(ConfidentialTest, EveryTextAndPayloadOfTheSchemaIsDecidedUpon) {
  for (const reflection::Object* object : *schema::command_schema().objects()) {
    for (const reflection::Field* field : schema::fields_of(*object)) {
      const std::string name = std::string(schema::short_name(object->name())) + "." +
                               std::string(schema::short_name(field->name()));
      if (is_text(*field)) {
        EXPECT_NE(schema::attribute(*field, "confidential") != nullptr,
                  kHarmlessText.contains(name))
            << name;
      }
      if (field->type()->base_type() == reflection::BaseType::Obj &&
          schema::short_name(schema::object_of(*field).name()) == "BlobRef") {
        EXPECT_TRUE(kPayloadFields.contains(field->name()->str())) << name;
      }
    }
  }
}

// Every command that there is goes through, and keeps what is not confidential.
TEST(ConfidentialTest, EverySampleIsRedactedAndVerifies) {
  auto sink = std::make_shared<schema::MemorySink>();
  schema::Writer writer(sink);
  ASSERT_TRUE(writer.begin({}).ok());
  ASSERT_TRUE(writer.append_blob(schema::samples::payload_bytes()).ok());
  uint64_t commands = 0;
  flatbuffers::FlatBufferBuilder builder;
  for (const schema::CommandT& command : schema::samples::all()) {
    builder.Clear();
    const Bytes bytes = schema::encode_command(builder, command);
    bool creates = false;
    schema::visit_ids(*schema::GetSizePrefixedCommand(bytes.data()),
                      [&](const schema::IdReference& id) {
                        creates = creates || id.role == schema::IdRole::Creates;
                      });
    if (!creates) continue;  // the others need an order of their own
    ASSERT_TRUE(writer.append_command(bytes).ok());
    ++commands;
  }
  ASSERT_TRUE(writer.finish(absl::OkStatus()).ok());
  const auto file = schema::File::from_bytes(sink->take());
  auto out = std::make_shared<schema::MemorySink>();
  // The samples make no sense together to a device.
  const auto report = schema::redact(**file, out, {.check_meaning = false});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->commands, commands);
  const auto redacted = schema::File::from_bytes(out->take());
  EXPECT_EQ(schema::verify(**redacted, nullptr, {.check_meaning = false}), absl::OkStatus());
}

}  // namespace
}  // namespace lightmetal
