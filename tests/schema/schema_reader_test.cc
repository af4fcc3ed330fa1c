#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "schema/commands/decode.h"
#include "schema/storage/memory_sink.h"
#include "schema/verify/repair.h"
#include "tests/schema/schema_testing.h"

namespace lightmetal::schema {
namespace {

using testing::Content;
using testing::FrameList;
using ::testing::HasSubstr;
using testing::index_of;
using testing::IsError;
using testing::opened;
using testing::path_for;
using ::testing::StartsWith;

std::string store(const std::string& name, Bytes content) {
  const std::string path = path_for(name);
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(content.data()),
             static_cast<std::streamsize>(content.size()));
  return path;
}

CommandT event_create(uint64_t id) {
  CommandT command;
  EventCreateT call;
  call.id = id;
  command.call.Set(std::move(call));
  return command;
}

std::vector<CommandT> many_events(uint64_t count) {
  std::vector<CommandT> commands;
  for (uint64_t id = 1; id <= count; ++id) commands.push_back(event_create(id));
  return commands;
}

// Opens a file whose session has the argument twice, `shared` or each in its own place.
absl::Status open_with_arguments(bool shared) {
  flatbuffers::FlatBufferBuilder builder;
  const std::string text(1000, 'a');
  const auto first = builder.CreateString(text);
  const auto second = shared ? first : builder.CreateString(text);
  const auto arguments = builder.CreateVector({first, second});
  const auto origin = CreateOrigin(builder, 0, 0, arguments);
  FinishSessionBuffer(builder, CreateSession(builder, kVersionMajor, 0, 0, 0, origin));
  const Bytes session = bytes_of(builder.GetBufferPointer(), builder.GetSize());
  Content content = testing::copy_of(testing::bytes_of_text({kMagic.data(), kMagic.size()}));
  const FrameHeader header =
      make_header(FrameType::Session, session.size(), digest_of(session), content.size());
  const Bytes head = bytes_of(&header, sizeof(header));
  content.insert(content.end(), head.begin(), head.end());
  content.insert(content.end(), session.begin(), session.end());
  content.resize(content.size() + frame_size(session.size()) - sizeof(header) - session.size());
  return File::from_bytes(std::move(content)).status();
}

// Otherwise a small file would be opened to any size.
TEST(FileTest, ASessionWhosePartsShareBytesIsRefused) {
  EXPECT_EQ(open_with_arguments(false), absl::OkStatus());
  EXPECT_THAT(open_with_arguments(true),
              IsError(absl::StatusCode::kDataLoss, "names the same bytes more than once"));
}

TEST(FileTest, WhatWasWrittenIsRead) {
  const std::vector<CommandT> commands = testing::legal_sequence();
  const std::string path = store("written.lmb", testing::written(commands));
  const auto opened_file = File::open(path);
  ASSERT_TRUE(opened_file.ok()) << opened_file.status();
  const File& file = **opened_file;
  EXPECT_EQ(file.name(), path);
  EXPECT_EQ(file.session(), testing::session_for_tests());
  EXPECT_TRUE(file.closed());
  EXPECT_TRUE(file.complete());
  EXPECT_EQ(file.incomplete_reason(), "");
  ASSERT_EQ(file.num_commands(), commands.size());
  for (size_t i = 0; i < commands.size(); ++i) {
    const auto view = file.command(i);
    ASSERT_TRUE(view.ok()) << view.status();
    EXPECT_EQ(view->number, i);
    CommandT found;
    view->command->UnPackTo(&found);
    EXPECT_EQ(found, commands[i]) << name_of(*view->command);
  }
  const auto blob = file.blob(*samples::blob());
  ASSERT_TRUE(blob.ok()) << blob.status();
  EXPECT_EQ(blob->bytes(), samples::payload_bytes());
  std::remove(path.c_str());
}

TEST(FileTest, ManyCommandsAreFoundByNumber) {
  constexpr uint64_t kCount = kCommandsPerCheckpoint * 3 + 5;
  const auto file = opened(testing::written(many_events(kCount)));
  ASSERT_EQ(file->num_commands(), kCount);
  EXPECT_EQ(file->checkpoints().size(), 4);
  for (const uint64_t i : {uint64_t{0}, kCommandsPerCheckpoint - 1, kCommandsPerCheckpoint,
                           kCommandsPerCheckpoint + 1, kCount - 1}) {
    const auto view = file->command(i);
    ASSERT_TRUE(view.ok()) << view.status();
    EXPECT_EQ(view->command->call_as_EventCreate()->id(), i + 1);
  }
  EXPECT_THAT(file->command(kCount).status(),
              IsError(absl::StatusCode::kOutOfRange, absl::StrCat("has no command ", kCount)));
}

// A writer of another kind may have more checkpoints than ours, or fewer.
TEST(FileTest, CommandsAreFoundWhateverTheDistanceOfTheCheckpoints) {
  constexpr uint64_t kCount = 7;
  for (const uint64_t per : {1, 2, 3, 7, 1000}) {
    FrameList frames;
    std::vector<uint64_t> checkpoints;
    for (uint64_t i = 0; i < kCount; ++i) {
      const uint64_t offset = frames.add_command(event_create(i + 1));
      if (i % per == 0) checkpoints.push_back(offset);
    }
    IndexHeader header = index_of(kCount, 0);
    header.commands_per_checkpoint = per;
    frames.close(header, checkpoints);
    EXPECT_EQ(testing::open_and_verify(frames.content()), absl::OkStatus()) << per;
    const auto file = opened(frames.content());
    for (uint64_t i = 0; i < kCount; ++i) {
      const auto view = file->command(i);
      ASSERT_TRUE(view.ok()) << view.status();
      EXPECT_EQ(view->command->call_as_EventCreate()->id(), i + 1) << per;
    }
  }
}

TEST(FileTest, ARangeOfCommandsIsVisitedInOrder) {
  const auto file = opened(testing::written(many_events(600)));
  std::vector<uint64_t> seen;
  const auto note = [&](const CommandView& view) {
    seen.push_back(view.number);
    return absl::OkStatus();
  };
  ASSERT_TRUE(file->for_each_command(254, 258, note).ok());
  EXPECT_EQ(seen, (std::vector<uint64_t>{254, 255, 256, 257}));
  seen.clear();
  ASSERT_TRUE(file->for_each_command(598, 10'000, note).ok());
  EXPECT_EQ(seen, (std::vector<uint64_t>{598, 599}));
  seen.clear();
  ASSERT_TRUE(file->for_each_command(700, 800, note).ok());
  EXPECT_TRUE(seen.empty());
}

TEST(FileTest, TheVisitorsErrorEndsTheVisit) {
  const auto file = opened(testing::written(many_events(3)));
  int calls = 0;
  const absl::Status status = file->for_each_command([&](const CommandView&) {
    ++calls;
    return absl::AbortedError("enough");
  });
  EXPECT_THAT(status, IsError(absl::StatusCode::kAborted, "enough"));
  EXPECT_EQ(calls, 1);
}

TEST(FileTest, AnUnfinishedFileHasItsWholeFrames) {
  auto sink = std::make_shared<MemorySink>();
  Writer writer(sink);
  ASSERT_TRUE(writer.begin(testing::session_for_tests()).ok());
  const auto reference = writer.append_blob(samples::payload_bytes());
  for (const CommandT& command : many_events(300)) {
    ASSERT_TRUE(writer.append_command(testing::encoded(command)).ok());
  }
  const uint64_t size = sink->size();
  const auto file = opened(sink->take());
  EXPECT_FALSE(file->complete());
  EXPECT_FALSE(file->closed());
  EXPECT_EQ(file->num_commands(), 300);
  EXPECT_EQ(file->session(), testing::session_for_tests());
  EXPECT_EQ(file->frames_end(), size);
  EXPECT_THAT(file->incomplete_reason(),
              HasSubstr(absl::StrCat("not closed; whole frames up to offset ", size)));
  ASSERT_TRUE(file->command(299).ok());
  EXPECT_EQ(file->command(299)->command->call_as_EventCreate()->id(), 300);
  EXPECT_EQ(file->blob(*reference)->bytes(), samples::payload_bytes());
}

TEST(FileTest, ZerosBehindTheFramesOfAnUnfinishedFileAreRoomAndNoPartOfIt) {
  auto sink = std::make_shared<MemorySink>();
  Writer writer(sink);
  ASSERT_TRUE(writer.begin(testing::session_for_tests()).ok());
  ASSERT_TRUE(writer.append_command(testing::encoded(many_events(1).front())).ok());
  Content bytes = sink->take();
  const uint64_t size = bytes.size();
  bytes.resize(size + 100'000);
  const auto file = opened(bytes);
  EXPECT_EQ(file->frames_end(), size);
  EXPECT_EQ(file->num_commands(), 1);
  EXPECT_EQ(file->incomplete_reason(),
            absl::StrCat("it was not closed; whole frames up to offset ", size, " of ", size));
  auto repaired = std::make_shared<MemorySink>();
  const auto report = repair(*file, repaired);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->bytes_dropped, 0);
  bytes[size + 50] = std::byte{1};  // of a frame whose first word was not written any more
  EXPECT_EQ(repair(*opened(bytes), repaired)->bytes_dropped, 51);
}

TEST(FileTest, AFileOfNothingButRoomIsEmpty) {
  EXPECT_THAT(File::from_bytes(Content(65536)).status(),
              IsError(absl::StatusCode::kInvalidArgument, "is empty"));
}

TEST(FileTest, AnErrorOfTheCaptureIsInTheFile) {
  const absl::Status error = absl::InternalError("call 7 could not be captured");
  const auto file = opened(testing::written(many_events(2), error));
  EXPECT_TRUE(file->closed());
  EXPECT_FALSE(file->complete());
  EXPECT_EQ(file->capture_status(), error);
  EXPECT_THAT(file->incomplete_reason(), HasSubstr("call 7 could not be captured"));
  EXPECT_EQ(file->num_commands(), 2);
}

TEST(FileTest, AnErrorOfANumberThatNoErrorHasIsAnError) {
  for (const uint64_t number : {uint64_t{1} << 32, uint64_t{999}, ~uint64_t{0}}) {
    IndexHeader header = index_of(0, 0);
    header.error_code = number;
    const auto file = opened(FrameList().close(header).content());
    EXPECT_FALSE(file->complete());
    EXPECT_EQ(file->capture_status().code(), absl::StatusCode::kUnknown) << number;
  }
}

TEST(FileTest, AnAbsentBlobIsNotFound) {
  const auto file = opened(testing::written({}));
  const BlobRef absent(Digest(1, 2), 16);
  EXPECT_THAT(file->blob(absent).status(), IsError(absl::StatusCode::kNotFound, "has no blob"));
  const BlobRef longer(samples::blob()->digest(), 17);
  EXPECT_THAT(file->blob(longer).status(), IsError(absl::StatusCode::kNotFound, "of 17 bytes"));
}

// ---- Files that are not ours, or cannot be read ----

absl::Status open_status(const std::string& path) { return File::open(path).status(); }

// Its index and its commands are read where they lie, as numbers of 8 bytes.
TEST(FileTest, BytesThatAreNotAlignedAreRefused) {
  const Content content = testing::written({});
  for (size_t shift = 0; shift <= kFrameAlignment; ++shift) {
    const auto owner = std::make_shared<Content>(shift);
    owner->insert(owner->end(), content.begin(), content.end());
    const absl::Status status = File::from_memory(owner, Bytes(*owner).subspan(shift)).status();
    if (shift % kFrameAlignment == 0) {
      EXPECT_EQ(status, absl::OkStatus());
    } else {
      EXPECT_THAT(status, IsError(absl::StatusCode::kInvalidArgument, "no multiple of 8"));
    }
  }
}

TEST(FileTest, AFileOfAnotherKindIsRefused) {
  const std::string path = store("other.txt", testing::bytes_of_text("#!/bin/sh\necho hello\n"));
  EXPECT_THAT(open_status(path),
              IsError(absl::StatusCode::kInvalidArgument, path + " is not a Light Metal binary"));
  std::remove(path.c_str());
}

TEST(FileTest, AnEmptyFileIsRefused) {
  const std::string path = store("empty.lmb", {});
  EXPECT_THAT(open_status(path), IsError(absl::StatusCode::kInvalidArgument, path + " is empty"));
  std::remove(path.c_str());
}

TEST(FileTest, AMissingFileIsReported) {
  const std::string path = path_for("missing.lmb");
  EXPECT_THAT(open_status(path),
              IsError(absl::StatusCode::kNotFound, "cannot open " + path + ": No such file"));
}

TEST(FileTest, AFolderIsReported) {
  EXPECT_THAT(open_status(::testing::TempDir()),
              IsError(absl::StatusCode::kInvalidArgument, "is a directory"));
}

TEST(FileTest, APipeIsReportedAtOnce) {
  const std::string path = path_for("fifo.lmb");
  std::remove(path.c_str());
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(open_status(path),
              IsError(absl::StatusCode::kInvalidArgument, "is not a regular file"));
  std::remove(path.c_str());
}

// Root may read everything, so the test is somebody else while it opens the file.
TEST(FileTest, AFileWithoutPermissionIsReported) {
  const std::string path = store("secret.lmb", testing::written({}));
  ASSERT_EQ(::chmod(path.c_str(), 0), 0);
  const bool root = ::geteuid() == 0;
  if (root) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  const absl::Status status = open_status(path);
  if (root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  EXPECT_THAT(status, IsError(absl::StatusCode::kPermissionDenied,
                              "cannot open " + path + ": Permission denied"));
  std::remove(path.c_str());
}

// ---- Versions ----

TEST(FileTest, AFileOfALaterMajorVersionIsRefused) {
  const auto file = File::from_bytes(FrameList(kVersionMajor + 1).content(), "later.lmb");
  EXPECT_THAT(file.status(), IsError(absl::StatusCode::kUnimplemented, "later.lmb has format 2.0"));
}

TEST(FileTest, AnUnknownFrameStopsTheReaderAndNamesTheVersions) {
  FrameList frames(kVersionMajor, 9);
  frames.add(static_cast<FrameType>(77), testing::bytes_of_text("what is this?"));
  const uint64_t command = frames.add_command(event_create(1));
  const absl::Status unclosed = File::from_bytes(frames.content()).status();
  EXPECT_THAT(unclosed, IsError(absl::StatusCode::kUnimplemented, "has type 77"));
  EXPECT_THAT(unclosed, IsError(absl::StatusCode::kUnimplemented, "file has format 1.9"));
  frames.close(index_of(1, 0), {command});
  EXPECT_THAT(testing::open_and_verify(frames.content()),
              IsError(absl::StatusCode::kUnimplemented, "has type 77"));
}

TEST(FileTest, AnUnknownFrameThatIsOptionalIsSkipped) {
  FrameList frames(kVersionMajor, 9);
  frames.add(static_cast<FrameType>(77), testing::bytes_of_text("what is this?"), kFrameOptional);
  const uint64_t command = frames.add_command(event_create(1));
  EXPECT_EQ(opened(frames.content())->num_commands(), 1);
  frames.close(index_of(1, 0), {command});
  const auto file = opened(frames.content());
  EXPECT_TRUE(verify(*file, nullptr, testing::kFormAlone).ok())
      << verify(*file, nullptr, testing::kFormAlone);
  EXPECT_EQ(file->command(0)->command->call_as_EventCreate()->id(), 1);
}

TEST(FileTest, UnknownFlagsStopTheReader) {
  FrameList frames;
  frames.add(FrameType::Padding, Content(8), 2);
  EXPECT_THAT(File::from_bytes(frames.content()).status(),
              IsError(absl::StatusCode::kUnimplemented, "flags 2"));
}

// ---- Bytes that mean harm: every checksum is right ----

TEST(HostileFileTest, ALengthBeyondTheFileIsRefused) {
  for (const uint64_t length :
       {uint64_t{100}, ~uint64_t{0}, ~uint64_t{0} - 31, uint64_t{1} << 63}) {
    FrameList frames;
    FrameHeader header = make_header(FrameType::Blob, length, {}, 0);
    const uint64_t offset = frames.add(header, Content(16));
    const auto file = opened(frames.content());
    EXPECT_FALSE(file->complete());
    EXPECT_EQ(file->frames_end(), offset) << length;
    EXPECT_THAT(file->frame_at(offset).status(),
                IsError(absl::StatusCode::kDataLoss, absl::StrCat("has ", length, " bytes")));
  }
}

TEST(HostileFileTest, AFrameOutsideTheFileIsRefused) {
  const auto file = opened(testing::written({}));
  for (const uint64_t offset : {file->size(), file->size() - 8, ~uint64_t{0} - 7}) {
    EXPECT_EQ(file->frame_at(offset).status().code(), absl::StatusCode::kDataLoss) << offset;
  }
  EXPECT_THAT(file->frame_at(9).status(), IsError(absl::StatusCode::kDataLoss, "not aligned"));
}

// A file inside a payload does not become part of the file around it.
TEST(HostileFileTest, AFrameElsewhereThanWhereItWasWrittenIsNoFrame) {
  Content content = testing::written(many_events(2));
  const auto file = opened(content);
  const uint64_t first = file->command(0)->offset;
  const uint64_t second = file->command(1)->offset;
  std::copy_n(content.begin() + static_cast<int64_t>(first), second - first,
              content.begin() + static_cast<int64_t>(second));
  EXPECT_THAT(testing::open_and_verify(content),
              IsError(absl::StatusCode::kDataLoss, absl::StrCat("frame at offset ", second)));
}

TEST(HostileFileTest, AnIndexWithImpossibleCountsIsNotUsed) {
  const uint64_t huge = ~uint64_t{0};
  for (const IndexHeader& header :
       {IndexHeader{huge, 0, 1, 0, 0}, IndexHeader{0, huge / 32, 1, 0, 0},
        IndexHeader{0, 0, 0, 0, 0}, IndexHeader{0, 0, 256, 0, huge}, IndexHeader{5, 0, 256, 0, 0},
        IndexHeader{0, 1, 256, 0, 0}, IndexHeader{0, 0, 256, 0, 1}}) {
    FrameList frames;
    frames.close(header);
    const auto file = opened(frames.content());
    ASSERT_NE(file, nullptr);
    EXPECT_FALSE(file->closed());
    EXPECT_THAT(file->incomplete_reason(), ::testing::HasSubstr("does not fit its index"));
  }
}

TEST(HostileFileTest, AnIndexThatPromisesMoreCommandsIsFoundOut) {
  FrameList frames;
  const uint64_t command = frames.add_command(event_create(1));
  frames.close(index_of(2, 0), {command});
  const auto file = opened(frames.content());
  EXPECT_TRUE(file->command(0).ok());
  EXPECT_EQ(file->command(1).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(verify(*file, nullptr, testing::kFormAlone),
              IsError(absl::StatusCode::kDataLoss, "does not say what the file"));
}

TEST(HostileFileTest, AnIndexThatHidesACommandIsFoundOut) {
  FrameList frames;
  const uint64_t first = frames.add_command(event_create(1));
  frames.add_command(event_create(2));
  frames.close(index_of(1, 0), {first});
  EXPECT_THAT(testing::open_and_verify(frames.content()),
              IsError(absl::StatusCode::kDataLoss, "does not say what the file"));
}

TEST(HostileFileTest, ACheckpointThatIsNoFrameIsRefused) {
  for (const uint64_t checkpoint : {uint64_t{16}, uint64_t{9}, ~uint64_t{0} - 7}) {
    FrameList frames;
    frames.add_command(event_create(1));
    frames.close(index_of(1, 0), {checkpoint});
    const auto file = opened(frames.content());
    EXPECT_EQ(file->command(0).status().code(), absl::StatusCode::kDataLoss);
    EXPECT_FALSE(verify(*file, nullptr, testing::kFormAlone).ok());
  }
}

TEST(HostileFileTest, ABlobEntryThatPointsElsewhereIsRefused) {
  FrameList frames;
  BlobEntry entry = frames.add_payload();
  const uint64_t command = frames.add_command(event_create(1));
  entry.offset = command;
  frames.close(index_of(1, 1), {command}, {entry});
  const auto file = opened(frames.content());
  EXPECT_THAT(file->blob(*samples::blob()).status(),
              IsError(absl::StatusCode::kDataLoss, "is not the blob that the index says"));
  EXPECT_FALSE(verify(*file, nullptr, testing::kFormAlone).ok());
}

TEST(HostileFileTest, BytesBehindTheFooterMakeAFileIncomplete) {
  for (const size_t count : {1, 8, 40, 4096}) {
    Content content = testing::written(many_events(1));
    const size_t size = content.size();
    content.resize(size + count);
    const auto file = opened(content);
    ASSERT_NE(file, nullptr);
    EXPECT_FALSE(file->closed());
    EXPECT_EQ(file->incomplete_reason(),
              absl::StrCat(count, " bytes follow its footer, which ends at ", size, " of ",
                           size + count));
    EXPECT_EQ(file->num_commands(), 1u);
    EXPECT_EQ(file->frames_end(), size);
    EXPECT_EQ(testing::open_and_verify(content).code(), absl::StatusCode::kDataLoss);
    EXPECT_EQ(testing::open_and_verify(content, {.allow_incomplete = true}), absl::OkStatus());
  }
}

TEST(HostileFileTest, ASecondFooterDoesNotHideTheFirst) {
  FrameList frames;
  frames.close(index_of(0, 0));
  frames.close(index_of(0, 0));
  EXPECT_EQ(testing::open_and_verify(frames.content()).code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace lightmetal::schema
