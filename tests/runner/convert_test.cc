// lightmetal_runner convert: files as lines of JSON, and back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "schema/file/blob.h"
#include "schema/lines/encode_fields.h"
#include "schema/lines/frames.h"
#include "schema/storage/memory_sink.h"
#include "tests/schema/payload_testing.h"
#include "tests/support/captured_file.h"
#include "tests/support/process.h"
#include "tests/support/samples.h"

namespace lightmetal {
namespace {

namespace tm = tt::tt_metal;

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ProcessResult;
using testing::read_file;
using testing::run_process;
using ::testing::StartsWith;
using testing::TemporaryFolder;
using testing::write_file;

class ConvertTest : public ::testing::Test {
 protected:
  static ProcessResult runner(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), LIGHTMETAL_RUNNER);
    return run_process(arguments, {.environment = {{"PATH", ""}}, .empty_environment = true});
  }

  std::string lines_of(const std::string& file) const {
    const ProcessResult result = runner({"convert", file, "--to", "jsonl", "-o", lines_});
    EXPECT_EQ(result.exit_code, 0) << file << result.errors;
    return read_file(lines_);
  }

  ProcessResult make(const std::string& lines) const {
    write_file(lines_, lines);
    return runner({"convert", lines_, "--from", "jsonl", "-o", again_});
  }

  void expect_comes_back(const std::string& file) const {
    const ProcessResult result = make(lines_of(file));
    EXPECT_EQ(result.exit_code, 0) << file << result.errors;
    EXPECT_TRUE(read_file(again_) == read_file(file)) << file;
  }

  void expect_comes_back_with(const std::string& content) const {
    write_file(folder_.path("file.lmb"), content);
    expect_comes_back(folder_.path("file.lmb"));
  }

  // One line that names the line of the text, and nothing is written.
  void expect_refused(const std::string& lines, const std::string& message) const {
    std::filesystem::remove(again_);
    const ProcessResult result = make(lines);
    EXPECT_EQ(result.exit_code, 2) << message;
    EXPECT_THAT(result.errors,
                AllOf(StartsWith("lightmetal_runner: " + lines_), HasSubstr(message)));
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
    EXPECT_FALSE(std::filesystem::exists(again_)) << message;
  }

  std::string captured() const {
    testing::capture_write_and_read(folder_.path("captured.lmb"));
    return folder_.path("captured.lmb");
  }

  TemporaryFolder folder_;
  const std::string lines_ = folder_.path("lines.jsonl");
  const std::string again_ = folder_.path("again.lmb");
};

// The text, with the one place where `from` stands replaced.
std::string edited(const std::string& text, const std::string& from, const std::string& to) {
  std::string result = text;
  EXPECT_EQ(absl::StrReplaceAll({{from, to}}, &result), 1) << from << " in " << text;
  return result;
}

TEST_F(ConvertTest, EveryGoldenFileComesBackByteForByte) {
  int files = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(LIGHTMETAL_GOLDEN_FOLDER)) {
    if (entry.path().extension() != ".lmb") continue;
    expect_comes_back(entry.path());
    ++files;
  }
  EXPECT_GE(files, 20);
}

// A program on one device and one on two, with their origin and compressed payloads.
TEST_F(ConvertTest, CapturesOfProgramsComeBackByteForByte) {
  for (const std::string example : {"matmul_multi_core", "mesh_matmul"}) {
    for (const std::string level : {"0", "3"}) {
      const std::string file = folder_.path(example + ".lmb");
      const ProcessResult captured =
          run_process({LIGHTMETAL_BIN_FOLDER "/" + example},
                      {.environment = {{"LIGHTMETAL_CAPTURE", file},
                                       {"LIGHTMETAL_CAPTURE_ORIGIN", "1"},
                                       {"LIGHTMETAL_CAPTURE_COMPRESS", level}}});
      EXPECT_EQ(captured.exit_code, 0) << captured.errors;
      expect_comes_back(file);
      EXPECT_EQ(runner({again_}).exit_code, 0);
    }
  }
}

// Nothing of a huge line but its own bytes is kept in memory.
TEST_F(ConvertTest, AHugeLineIsRefusedBeforeItTakesMemory) {
  write_file(lines_, std::string(300'000'000, '['));
  const ProcessResult result = runner({"convert", lines_, "--from", "jsonl", "-o", again_});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("line 1 has 300000000 bytes; expected at most 268435456"));
  if (LIGHTMETAL_SANITIZED) return;  // a sanitizer keeps memory that is given back
  EXPECT_LT(result.peak_resident_bytes, uint64_t{600} << 20);
}

// What captures write is what the fields are encoded to.
TEST_F(ConvertTest, CommandsOfACapturedFileNeedNoRawBytes) {
  const std::string lines = lines_of(LIGHTMETAL_GOLDEN_FOLDER "/1.1/loopback.lmb");
  EXPECT_THAT(lines.substr(lines.find('\n')), Not(HasSubstr("\"raw\"")));
}

TEST_F(ConvertTest, LinesAreAsTheirSchemaSays) {
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(LIGHTMETAL_GOLDEN_FOLDER)) {
    if (entry.path().extension() != ".lmb") continue;
    lines_of(entry.path());
    const ProcessResult valid = run_process(
        {"/usr/bin/env", "python3", LIGHTMETAL_SOURCE_FOLDER "/tests/runner/validate_json.py",
         LIGHTMETAL_SOURCE_FOLDER "/docs/lines.schema.json", lines_});
    EXPECT_EQ(valid.exit_code, 0) << entry.path() << valid.errors;
  }
}

// Cut off everywhere, with room behind it, and with more behind its footer.
TEST_F(ConvertTest, AnIncompleteFileComesBackByteForByte) {
  const std::string whole = read_file(captured());
  for (size_t size = 400; size < whole.size(); size += 61) {
    expect_comes_back_with(whole.substr(0, size));
    expect_comes_back_with(whole.substr(0, size) + std::string(4000, '\0'));
  }
  expect_comes_back_with(whole.substr(0, whole.size() - 1));
  expect_comes_back_with(whole + "more");
  EXPECT_THAT(make(lines_of(folder_.path("file.lmb"))).errors, HasSubstr("it is incomplete"));
}

// A writer of another kind may do all of this.
TEST_F(ConvertTest, UnusualFramesComeBackByteForByte) {
  auto sink = std::make_shared<schema::MemorySink>();
  schema::Writer writer(sink);
  schema::SessionInfo session;
  session.producer = std::string("\xff\x01\0\n\"\xe2\x80\xae", 8);
  session.options = {{"", ""}, {"name\x1b[31m", "\xc3\x28"}};
  ASSERT_TRUE(writer.begin(session).ok());
  const std::vector<std::byte> large(100'000, std::byte{7});
  ASSERT_TRUE(writer.append_blob(large).ok());
  flatbuffers::FlatBufferBuilder builder;
  const auto program = schema::CreateProgramCreate(builder, 1);
  ASSERT_TRUE(writer.append_command(schema::finish_command(builder, program)).ok());
  ASSERT_TRUE(writer.finish(absl::DataLossError("the disk is \xff full")).ok());
  const auto bytes = sink->take_as<uint8_t>();
  expect_comes_back_with(std::string(bytes.begin(), bytes.end()));
}

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A file that a writer of another kind may make, with checkpoints at each `per` commands.
class UnusualFile {
 public:
  explicit UnusualFile(uint64_t per) : per_(per) {
    command(0);
    command(schema::kFrameOptional);
    frames_.add(schema::FrameType::Intent, event(99), schema::kFrameOptional);
    padding(0, 0);
    padding(16, schema::kFrameOptional);
    padding_before_blob(schema::kFrameOptional);
    blob(std::byte{4});
    padding_before_blob(0);
    blob(std::byte{5});
    blob(std::byte{1});
    padding_before_blob(0);
    blob(std::byte{2});
    padding(8, 0);
    blob(std::byte{3});
    frames_.add(static_cast<schema::FrameType>(77), event(98), schema::kFrameOptional);
    command(0);
    unclosed_ = text_of(frames_.content());
    close();
  }

  const std::string& unclosed() const { return unclosed_; }
  std::string closed() const { return text_of(frames_.content()); }

 private:
  static constexpr size_t kLarge = schema::kPageAlignedBlob;

  uint64_t size() const { return frames_.content().size(); }
  static schema::testing::Content event(uint64_t id) {
    schema::EventCreateT call;
    call.id = id;
    schema::CommandT command;
    command.call.Set(call);
    return schema::testing::encoded(command);
  }
  void command(uint16_t flags) {
    if (commands_++ % per_ == 0) checkpoints_.push_back(size());
    frames_.add(schema::FrameType::Command, event(commands_), flags);
  }
  void padding(size_t zeros, uint16_t flags) {
    frames_.add(schema::FrameType::Padding, schema::testing::Content(zeros), flags);
  }
  void padding_before_blob(uint16_t flags) {
    padding(schema::padding_before_blob(size(), kLarge) - sizeof(schema::FrameHeader), flags);
  }
  void blob(std::byte fill) {
    const schema::testing::Content content(kLarge, fill);
    const uint64_t offset = frames_.add(schema::FrameType::Blob, content);
    blobs_.push_back({digest_of(content), kLarge, offset});
  }
  void close() {
    std::ranges::sort(blobs_, {}, &schema::BlobEntry::digest);
    schema::IndexHeader header = schema::testing::index_of(commands_, blobs_.size());
    header.commands_per_checkpoint = per_;
    frames_.close(header, checkpoints_, blobs_);
  }

  const uint64_t per_;
  schema::testing::FrameList frames_;
  uint64_t commands_ = 0;
  std::vector<uint64_t> checkpoints_;
  std::vector<schema::BlobEntry> blobs_;
  std::string unclosed_;
};

TEST_F(ConvertTest, FramesOfAWriterOfAnotherKindComeBackByteForByte) {
  for (const uint64_t per : {1, 2, 256}) {
    const UnusualFile file(per);
    expect_comes_back_with(file.closed());
    expect_comes_back_with(file.unclosed());
  }
}

TEST_F(ConvertTest, AnErrorOfTheCaptureThatIsWrongIsRefused) {
  const std::string lines = lines_of(captured());
  const std::pair<const char*, const char*> wrong[] = {
      {"5", "has \"error\" 5; expected an object"},
      {R"({"code":17,"text":"x"})", "17"},
      {R"({"code":0,"text":"x"})", "0"},
      {R"({"code":3})", "\"text\""},
      {R"({"code":3,"text":5})", "has an error whose text"},
      {R"({"code":3,"text":"x","more":1})", "\"more\""}};
  for (const auto& [error, message] : wrong) {
    const ProcessResult result = make(
        edited(lines, R"({"frame":"Index")", absl::StrCat(R"({"frame":"Index","error":)", error)));
    EXPECT_EQ(result.exit_code, 2) << error;
    EXPECT_THAT(result.errors, HasSubstr(message)) << error;
  }
}

TEST_F(ConvertTest, LinesMayEndAsOnAnotherSystemAndHaveEmptyOnesBetweenThem) {
  const std::string file = captured(), lines = lines_of(file);
  for (const std::string& text :
       {absl::StrReplaceAll(lines, {{"\n", "\r\n"}}),
        absl::StrReplaceAll(lines, {{"\n", "\n\n \t\n"}}), lines.substr(0, lines.size() - 1)}) {
    EXPECT_EQ(make(text).exit_code, 0);
    EXPECT_TRUE(read_file(again_) == read_file(file));
  }
  expect_refused("\n \r\n[1]\n", "line 3 is a list; expected an object");
}

TEST_F(ConvertTest, SaysHowManyLinesCommandsAndPayloadsThereAre) {
  const std::string file = captured();
  const ProcessResult written = runner({"convert", file, "--to", "jsonl", "-o", lines_});
  const std::string lines = read_file(lines_);
  const auto count = [&](const std::string& part) {
    const std::vector<std::string> parts = absl::StrSplit(lines, part);
    return parts.size() - 1;
  };
  EXPECT_EQ(written.output, absl::StrCat(lines_, ": ", count("\n"), " lines\n"));
  EXPECT_EQ(make(lines).output,
            absl::StrCat(again_, ": ", count("\"frame\":\"Command\""), " commands, ",
                         count("\"frame\":\"Blob\""), " payloads\n"));
}

// A command whose bytes have a default that need not be there.
TEST_F(ConvertTest, RawBytesCountAsLongAsTheFieldsAreTheirs) {
  flatbuffers::FlatBufferBuilder builder;
  builder.ForceDefaults(true);
  const Bytes failed =
      schema::finish_command(builder, schema::CreateCallFailedDirect(builder, "f", "reason", 0));
  schema::testing::FrameList frames;
  const uint64_t offset = frames.add(schema::FrameType::Command, failed);
  frames.close(schema::testing::index_of(1, 0), {offset});
  expect_comes_back_with(text_of(frames.content()));
  const std::string lines = lines_of(folder_.path("file.lmb"));
  EXPECT_EQ(make(edited(lines, "\"reason\"", "\"another\"")).exit_code, 0);
  EXPECT_THAT(runner({"dump", again_}).output, HasSubstr("another"));
  EXPECT_THAT(lines_of(again_), Not(HasSubstr("\"raw\"")));
  expect_refused(edited(lines, "\"raw\":\"", "\"raw\":\"AAAA"), "line 2 has wrong \"raw\" bytes: ");
}

// Also where defaults are stored although they need not be: then only the fields come back.
TEST_F(ConvertTest, EachCommandIsEncodedFromItsFields) {
  for (const bool force_defaults : {false, true}) {
    for (const schema::CommandT& command : schema::samples::all()) {
      flatbuffers::FlatBufferBuilder before, after;
      before.ForceDefaults(force_defaults);
      const Bytes payload = schema::encode_command(before, command);
      const auto text = schema::text_of_table(schema::FrameType::Command, payload);
      ASSERT_TRUE(text.ok()) << text.status();
      const auto encoded = schema::encode_table(after, schema::FrameType::Command, text->name,
                                                schema::Json::parse(text->fields));
      ASSERT_TRUE(encoded.ok()) << encoded.status();
      const auto again = schema::text_of_table(schema::FrameType::Command, *encoded);
      ASSERT_TRUE(again.ok()) << again.status();
      EXPECT_EQ(again->fields, text->fields) << text->name;
      schema::CommandT unpacked;
      schema::GetSizePrefixedCommand(encoded->data())->UnPackTo(&unpacked);
      EXPECT_EQ(unpacked, command) << text->name;
    }
  }
}

// The write's payload is another, so what is read is not its golden any more.
TEST_F(ConvertTest, AnEditedPayloadReplays) {
  const std::string lines = lines_of(captured());
  const std::vector<uint32_t> old_data(16, 5), new_data(16, 6);
  const auto old_bytes = std::as_bytes(std::span(old_data)),
             new_bytes = std::as_bytes(std::span(new_data));
  const std::string old_digest = digest_of(old_bytes).hex(),
                    new_digest = digest_of(new_bytes).hex();
  const size_t write = lines.find("{\"frame\":\"Command\",\"name\":\"EnqueueWriteBuffer\"");
  ASSERT_NE(write, lines.npos);
  std::string with_payload = lines;
  const size_t digest = lines.find(old_digest, write);
  with_payload.replace(digest, old_digest.size(), new_digest);
  with_payload.insert(
      write,
      absl::StrCat("{\"frame\":\"Blob\",\"digest\":\"", new_digest, "\",\"size\":64,\"data\":\"",
                   absl::Base64Escape({reinterpret_cast<const char*>(new_bytes.data()), 64}),
                   "\"}\n"));
  const ProcessResult made = make(with_payload);
  EXPECT_EQ(made.exit_code, 0) << made.errors;
  EXPECT_EQ(runner({"verify", again_}).exit_code, 0);
  const ProcessResult replay = runner({again_});
  EXPECT_EQ(replay.exit_code, 1);
  EXPECT_THAT(replay.errors, HasSubstr("expected 5, found 6"));
}

// One tile less is copied, so the last one is not what was read.
TEST_F(ConvertTest, AnEditedRuntimeArgumentReplays) {
  const std::string lines = lines_of(LIGHTMETAL_GOLDEN_FOLDER "/1.1/loopback.lmb");
  const ProcessResult made = make(edited(lines, "10272,50]", "10272,49]"));
  EXPECT_EQ(made.exit_code, 0) << made.errors;
  const ProcessResult replay = runner({again_});
  EXPECT_EQ(replay.exit_code, 1) << replay.errors;
  EXPECT_THAT(replay.errors, HasSubstr("512 of 25600 UInt32 elements differ: [25088] expected"));
}

// The signature of what was signed does not fit what was edited.
TEST_F(ConvertTest, ASignatureThatDoesNotFitIsDroppedAndSaidSo) {
  const std::string lines = lines_of(LIGHTMETAL_GOLDEN_FOLDER "/1.1/signed.lmb");
  const ProcessResult same = make(lines);
  EXPECT_THAT(same.output, Not(HasSubstr("signatures dropped")));
  const size_t close = lines.find("{\"frame\":\"Command\",\"name\":\"CloseDevice\"");
  ASSERT_NE(close, lines.npos);
  std::string shorter = lines;
  shorter.erase(close, lines.find('\n', close) + 1 - close);
  const ProcessResult made = make(shorter);
  EXPECT_EQ(made.exit_code, 0) << made.errors;
  EXPECT_THAT(made.output, HasSubstr("again.lmb: 1 of its signatures dropped"));
  EXPECT_EQ(runner({"verify", again_}).exit_code, 0);
  EXPECT_EQ(
      runner({"verify", again_, "--require-signature", LIGHTMETAL_GOLDEN_FOLDER "/1.1/signed.pub"})
          .exit_code,
      2);
}

// The lines with another last byte in the signature of this number.
std::string with_wrong_signature(const std::string& lines, int number) {
  const std::string start = "{\"frame\":\"Signature\",\"data\":\"";
  size_t begin = lines.find(start);
  for (int i = 0; i < number; ++i) begin = lines.find(start, begin + 1);
  begin += start.size();
  const size_t end = lines.find('"', begin);
  std::string bytes;
  EXPECT_TRUE(absl::Base64Unescape(lines.substr(begin, end - begin), &bytes));
  bytes.back() ^= 1;
  return lines.substr(0, begin) + absl::Base64Escape(bytes) + lines.substr(end);
}

TEST_F(ConvertTest, OfTwoSignaturesTheOneThatDoesNotFitIsDropped) {
  const std::string twice = folder_.path("twice.lmb");
  const std::string keys[] = {LIGHTMETAL_GOLDEN_FOLDER "/1.1/signed.pub", folder_.path("new.pub")};
  ASSERT_EQ(runner({"keygen", "-o", folder_.path("new")}).exit_code, 0);
  ASSERT_EQ(runner({"sign", LIGHTMETAL_GOLDEN_FOLDER "/1.1/signed.lmb", "--key",
                    folder_.path("new.key"), "-o", twice})
                .exit_code,
            0);
  const std::string lines = lines_of(twice);
  for (const int wrong : {0, 1}) {
    const ProcessResult made = make(with_wrong_signature(lines, wrong));
    EXPECT_THAT(made.output, HasSubstr("again.lmb: 1 of its signatures dropped")) << made.errors;
    for (const int key : {0, 1}) {
      EXPECT_EQ(runner({"verify", again_, "--require-signature", keys[key]}).exit_code,
                key == wrong ? 2 : 0);
    }
  }
}

TEST_F(ConvertTest, NumbersOfTheIndexHaveTheirLimits) {
  const std::string lines = lines_of(captured());
  const auto with = [&](const std::string& member) {
    return edited(lines, "{\"frame\":\"Index\"", "{\"frame\":\"Index\"," + member);
  };
  expect_refused(with("\"commands_per_checkpoint\":0"),
                 "has \"commands_per_checkpoint\" 0; expected 1 to 18446744073709551615");
  for (const int code : {1, 16}) {
    const std::string error =
        absl::StrCat("\"error\":{\"code\":", code, ",\"text\":\"it is full\"}");
    EXPECT_EQ(make(with(error)).exit_code, 0);
    EXPECT_THAT(runner({"info", again_}).output, HasSubstr("it is full"));
    EXPECT_THAT(lines_of(again_), HasSubstr(error));
  }
}

TEST_F(ConvertTest, WrongLinesAreOneClearLine) {
  const std::string lines = lines_of(captured());
  const std::string write = "{\"frame\":\"Command\",\"name\":\"EnqueueWriteBuffer\",\"fields\":{";
  expect_refused("", "has no line of a session");
  expect_refused("not JSON\n", "line 1 is no JSON, as its byte 2 shows");
  expect_refused("[1]\n", "line 1 is a list; expected an object");
  expect_refused(std::string(100'000, '['), "line 1 is nested deeper than any frame");
  std::string siblings = "[{}";
  for (int i = 0; i < 200'000; ++i) siblings += ",{}";
  expect_refused(siblings + "]", "line 1 is a list; expected an object");  // in a moment
  expect_refused(std::string(100'000, '[') + std::string(100'000, ']'),
                 "line 1 is nested deeper than any frame");
  expect_refused("{\"frame\":\"Footer\"}\n",
                 "does not belong there: the first line is the session");
  expect_refused(edited(lines, "\"lines_version\":1", "\"lines_version\":2"),
                 "line 1 has \"lines_version\" 2; expected 1 to 1");
  expect_refused(lines + "{\"frame\":\"Movie\"}\n",
                 "is of the frame \"Movie\", which there is not");
  expect_refused(lines + lines, "is of the frame Session, which does not belong there");
  expect_refused(edited(lines, "EnqueueWriteBuffer", "EnqueueWriteBanana"),
                 "names the command \"EnqueueWriteBanana\", which there is not");
  expect_refused(
      edited(lines, write, write + "\"colour\":1,"),
      "is EnqueueWriteBuffer: has a field colour, which EnqueueWriteBuffer does not have");
  expect_refused(edited(lines, write, "{\"mood\":1," + write.substr(1)), "has a member \"mood\"");
  for (const std::string number :
       {"-1", "256", "1.5", "1e300", "99999999999999999999", "\"0\"", "[]"}) {
    expect_refused(
        edited(lines, write + "\"device\":1,\"cq\":0", write + "\"device\":1,\"cq\":" + number),
        "is EnqueueWriteBuffer: its field cq is ");
  }
  expect_refused(edited(lines, write + "\"device\":1", write + "\"device\":1e999"),
                 "has a number that no field can hold");
  expect_refused(edited(lines, "\"producer\":\"", "\"producer\":\"\xff"), "line 1 is no JSON");
}

// The lines with one of them left out, given twice, or in another place, each line in one way.
std::vector<std::string> changed_lines(const std::string& lines) {
  std::vector<std::string> all = absl::StrSplit(lines, '\n');
  all.pop_back();  // behind the last line end
  std::vector<std::string> texts;
  for (size_t i = 0; i < all.size(); ++i) {
    std::vector<std::string> changed = all;
    const auto line = changed.begin() + static_cast<ptrdiff_t>(i);
    if (i % 3 == 0) {
      changed.erase(line);
    } else if (i % 3 == 1) {
      changed.insert(line, all[i]);
    } else {
      std::swap(changed[i], changed[(i + 1) % all.size()]);
    }
    texts.push_back(absl::StrJoin(changed, "\n") + "\n");
  }
  return texts;
}

TEST_F(ConvertTest, WhatIsMadeOfLinesCanBeWrittenAsLines) {
  // A process with sanitizers takes ten times as long to start.
  const size_t step = LIGHTMETAL_SANITIZED ? 8 : 1;
  size_t made = 0, refused = 0;
  for (const std::string& file :
       {captured(), std::string(LIGHTMETAL_GOLDEN_FOLDER "/1.1/killed.lmb")}) {
    const std::vector<std::string> changed = changed_lines(lines_of(file));
    for (size_t i = 0; i < changed.size(); i += step) {
      std::filesystem::remove(again_);
      const std::string& text = changed[i];
      const ProcessResult result = make(text);
      ++(result.exit_code == 0 ? made : refused);
      EXPECT_EQ(std::filesystem::exists(again_), result.exit_code == 0);
      if (result.exit_code != 0) continue;
      const ProcessResult back =
          runner({"convert", again_, "--to", "jsonl", "-o", folder_.path("back.jsonl")});
      EXPECT_EQ(back.exit_code, 0) << back.errors << text;
    }
  }
  EXPECT_GT(made, 5 / step);
  EXPECT_GT(refused, 5 / step);
}

TEST_F(ConvertTest, WhatUsesAnObjectThatNothingMadeIsRefused) {
  const std::string lines = lines_of(captured());
  const size_t begin = lines.find("{\"frame\":\"Command\",\"name\":\"BufferCreate\"");
  ASSERT_NE(begin, lines.npos);
  std::string without = lines;
  without.erase(begin, lines.find('\n', begin) + 1 - begin);
  expect_refused(without, "makes no sound file: ");
}

TEST_F(ConvertTest, PayloadsThatAreNotWhatIsSaidAreOneClearLine) {
  const std::string lines = lines_of(captured());
  const std::vector<uint32_t> data(16, 5);
  const std::string digest = digest_of(std::as_bytes(std::span(data))).hex();
  const std::string blob = "{\"frame\":\"Blob\",\"digest\":\"" + digest + "\",\"size\":64";
  const std::string other(32, '0');
  expect_refused(
      edited(lines, blob, "{\"frame\":\"Blob\",\"digest\":\"" + other + "\",\"size\":64"),
      "has a payload of 64 bytes with the digest " + digest + ", and says that it has 64 with " +
          other);
  expect_refused(edited(lines, blob, "{\"frame\":\"Blob\",\"digest\":\"12\",\"size\":64"),
                 "has a \"digest\" that is no digest of 32 hexadecimal digits");
  expect_refused(edited(lines, blob + ",\"data\":\"", blob + ",\"data\":\"*"),
                 "has \"data\" that is no base64");
  expect_refused(edited(lines, blob, "{\"frame\":\"Blob\",\"size\":64"),
                 "has no member \"digest\"");
  const size_t begin = lines.find(blob);
  std::string without = lines;
  without.erase(begin, lines.find('\n', begin) + 1 - begin);
  expect_refused(without, "names in its field data the payload " + digest +
                              " of 64 bytes, which no line before it has");
}

TEST_F(ConvertTest, WrongArgumentsAreOneClearLine) {
  const std::string file = captured();
  const auto refused = [&](std::vector<std::string> arguments, const std::string& message) {
    arguments.insert(arguments.begin(), "convert");
    const ProcessResult result = runner(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.errors, AllOf(HasSubstr(message), EndsWith("\n")));
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
  };
  refused({file, "-o", again_}, "convert needs one of --to jsonl and --from jsonl");
  refused({file, "--to", "jsonl", "--from", "jsonl", "-o", again_},
          "convert needs one of --to jsonl and --from jsonl");
  refused({file, "--to", "xml", "-o", again_}, "convert knows the form jsonl, not xml");
  refused({file, "--to", "jsonl"}, "convert needs -o OUT");
  refused({file, "--to", "jsonl", "-o", file}, "is an input");
  refused({folder_.path("missing.lmb"), "--to", "jsonl", "-o", again_},
          "missing.lmb: No such file");
}

// A damaged file is for repair, and a hostile one is no reason to die.
TEST_F(ConvertTest, ADamagedFileIsRefused) {
  std::string content = read_file(captured());
  content[content.size() / 2] ^= 4;
  write_file(folder_.path("damaged.lmb"), content);
  const ProcessResult result =
      runner({"convert", folder_.path("damaged.lmb"), "--to", "jsonl", "-o", again_});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("damaged.lmb"));
  EXPECT_FALSE(std::filesystem::exists(again_));
}

}  // namespace
}  // namespace lightmetal
