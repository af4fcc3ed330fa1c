#include <fstream>
#include <iterator>

#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "schema/commands/reflection.h"
#include "schema/file/description.h"
#include "schema/storage/memory_sink.h"
#include "tests/schema/schema_testing.h"
#include "tests/support/api_lists.h"

// What is on disk is forever: the tests that notice when it changes.

namespace lightmetal::schema {
namespace {

std::string text_of_file(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.is_open()) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Where the schema was extended on purpose, run this test with LIGHTMETAL_UPDATE_GOLDEN=1 and
// review the difference: what is already in the file may not change.
TEST(SchemaGoldenTest, TheWireFormatIsTheRecordedOne) {
  const std::string path = LIGHTMETAL_GOLDEN_DIR "/schema.txt";
  if (lightmetal::testing::updates_golden()) {
    std::ofstream(path) << schema_description();
  }
  const std::vector<std::string> expected = absl::StrSplit(text_of_file(path), '\n');
  const std::vector<std::string> found = absl::StrSplit(schema_description(), '\n');
  for (size_t i = 0; i < std::min(expected.size(), found.size()); ++i) {
    ASSERT_EQ(found[i], expected[i]) << "line " << i + 1 << " of " << path;
  }
  EXPECT_EQ(found.size(), expected.size());
}

TEST(SchemaGoldenTest, TheDescriptionHasIdsTypesDefaultsAndAttributes) {
  const std::string text = schema_description();
  EXPECT_THAT(text, ::testing::HasSubstr("  64 EnqueueProgram\n"));
  EXPECT_THAT(text, ::testing::HasSubstr("table lightmetal.schema.KernelCreate\n"
                                         "  0 id: ULong creates:Kernel\n"
                                         "  1 program: ULong uses:Program owner\n"
                                         "  2 handle: UInt\n"));
  EXPECT_THAT(text, ::testing::HasSubstr("  2 address: ULong = null\n"));
  EXPECT_THAT(text, ::testing::HasSubstr("  1 data: BlobRef required\n"));
  EXPECT_THAT(text, ::testing::HasSubstr("struct lightmetal.schema.BlobRef of 24 bytes\n"));
}

// What a replay of a published file does about a call that failed.
TEST(SchemaGoldenTest, TheCallsThatWaitAreSaidByTheNamesOfTheHostApi) {
  for (const char* function :
       {"Finish", "Synchronize", "EventSynchronize", "WaitProgramDone", "EnqueueReadBuffer",
        "EnqueueReadSubBuffer", "EnqueueWriteBuffer", "EnqueueWriteSubBuffer", "EnqueueProgram",
        "LaunchProgram", "EnqueueTrace", "ReplayTrace", "load_sub_device_manager",
        "clear_loaded_sub_device_manager"}) {
    EXPECT_TRUE(waits(function)) << function;
  }
  for (const char* function : {"", "0", "FinishQueue", "SubDeviceManagerLoad", "ReadFromBuffer"}) {
    EXPECT_FALSE(waits(function)) << function;
  }
}

// The file of docs/format.md: a session and one command, ended well.
testing::Content example() {
  auto sink = std::make_shared<MemorySink>();
  Writer writer(sink);
  SessionInfo session;
  session.producer = "lm";
  EXPECT_TRUE(writer.begin(session).ok());
  EXPECT_TRUE(writer.append_blob(testing::bytes_of_text("hello")).ok());
  CommandT command;
  ProgramCreateT call;
  call.id = 1;
  command.call.Set(call);
  EXPECT_TRUE(writer.append_command(testing::encoded(command)).ok());
  EXPECT_TRUE(writer.finish(absl::OkStatus()).ok());
  return sink->take();
}

// "0010  00 01 ... " with a comment behind two spaces, as the document has it.
std::string hex_line(Bytes bytes, size_t offset) {
  std::string line = absl::StrFormat("%04x ", offset);
  for (size_t i = offset; i < std::min(offset + 16, bytes.size()); ++i) {
    absl::StrAppendFormat(&line, " %02x", static_cast<unsigned>(bytes[i]));
  }
  return line;
}

TEST(FormatDocumentTest, TheExampleIsWhatTheWriterWrites) {
  const std::string document = text_of_file(LIGHTMETAL_FORMAT_DOCUMENT);
  const testing::Content content = example();
  ASSERT_TRUE(testing::open_and_verify(content).ok());
  size_t at = document.find("```hex\n");
  ASSERT_NE(at, std::string::npos);
  for (size_t offset = 0; offset < content.size(); offset += 16) {
    const std::string line = "\n" + hex_line(content, offset);
    const size_t found = document.find(line, at);
    ASSERT_NE(found, std::string::npos) << "missing or out of order:" << line;
    at = found;
  }
  // Nothing follows the last line but the end of the block.
  EXPECT_EQ(document.find("\n```", at), document.find('\n', at + 1));
}

}  // namespace
}  // namespace lightmetal::schema
