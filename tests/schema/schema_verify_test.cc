#include "schema/storage/memory_sink.h"
#include "schema/verify/verify.h"
#include "tests/schema/schema_testing.h"

namespace lightmetal::schema {
namespace {

using testing::Content;
using testing::FrameList;
using testing::index_of;
using testing::IsError;

CommandT write_to_buffer() { return samples::command_of(samples::Of<WriteToBuffer>()); }

// A command and its frame in a file that has nothing wrong but what the caller does to the command.
absl::Status verify_with(Content last) {
  FrameList frames;
  const BlobEntry payload = frames.add_payload();
  std::vector<uint64_t> offsets;
  for (const CommandT& command : testing::legal_sequence()) {
    if (testing::has_role(command, IdRole::Destroys)) break;
    offsets.push_back(frames.add_command(command));
  }
  offsets.push_back(frames.add(FrameType::Command, last));
  frames.close(index_of(offsets.size(), 1), {offsets[0]}, {payload});
  return testing::open_and_verify(frames.content());
}

TEST(VerifyTest, TheReportCountsWhatIsThere) {
  const std::vector<CommandT> commands = testing::legal_sequence();
  const auto file = testing::opened(testing::written(commands));
  VerifyReport report;
  ASSERT_TRUE(verify(*file, &report, testing::kFormAlone).ok());
  EXPECT_EQ(report.bytes, file->size());
  EXPECT_EQ(report.commands, commands.size());
  EXPECT_EQ(report.frames, commands.size() + 4);  // session, blob, index, footer
  EXPECT_EQ(report.blobs, 1);
  EXPECT_EQ(report.blob_bytes, samples::payload().size());
  EXPECT_EQ(report.objects_created, 11);
  EXPECT_EQ(report.objects_alive, 0);
}

TEST(VerifyTest, AGoodCommandIsAccepted) {
  const absl::Status status = verify_with(testing::encoded(write_to_buffer()));
  EXPECT_TRUE(status.ok()) << status;
}

TEST(VerifyTest, ABlobThatIsNotThereIsNamed) {
  CommandT command = write_to_buffer();
  *command.call.AsWriteToBuffer()->data = BlobRef(Digest(1, 2), 16);
  const absl::Status status = verify_with(testing::encoded(command));
  EXPECT_THAT(status, IsError(absl::StatusCode::kDataLoss, "(WriteToBuffer, at offset "));
  EXPECT_THAT(status, IsError(absl::StatusCode::kDataLoss,
                              "its field data names blob 00000000000000020000000000000001"));
}

TEST(VerifyTest, ABlobOfAnotherSizeIsNamed) {
  CommandT command = write_to_buffer();
  BlobRef& data = *command.call.AsWriteToBuffer()->data;
  data = BlobRef(data.digest(), data.size() + 1);
  EXPECT_THAT(verify_with(testing::encoded(command)),
              IsError(absl::StatusCode::kDataLoss, "has 17 bytes, but it has 16"));
}

TEST(VerifyTest, ABlobBehindTheCommandDoesNotCount) {
  FrameList frames;
  const std::vector<uint64_t> offsets = {
      frames.add_command(samples::command_of(samples::Of<CreateDevice>())),
      frames.add_command(samples::command_of(samples::Of<BufferCreate>())),
      frames.add_command(write_to_buffer())};
  const BlobEntry payload = frames.add_payload();
  frames.close(index_of(3, 1), {offsets[0]}, {payload});
  EXPECT_THAT(testing::open_and_verify(frames.content()),
              IsError(absl::StatusCode::kDataLoss, "does not lie before it"));
}

TEST(VerifyTest, ABlobStoredTwiceIsRefused) {
  FrameList frames;
  const BlobEntry first = frames.add_payload();
  const BlobEntry second = frames.add_payload();
  frames.close(index_of(0, 2), {}, {first, second});
  EXPECT_THAT(testing::open_and_verify(frames.content()),
              IsError(absl::StatusCode::kDataLoss, "a blob that the file has already"));
}

TEST(VerifyTest, AnUnknownEnumerationValueIsNamed) {
  CommandT command = write_to_buffer();
  command.call.AsWriteToBuffer()->element_type = static_cast<ElementType>(99);
  EXPECT_THAT(verify_with(testing::encoded(command)),
              IsError(absl::StatusCode::kDataLoss, "its field element_type is 99, which is no "));
}

// Of a union the command says which member it holds; the member has to be known and there.
TEST(VerifyTest, AUnionWithoutItsMemberIsNamed) {
  flatbuffers::FlatBufferBuilder builder;
  const CommandT program = samples::command_of(samples::Of<ProgramCreate>());
  const uint64_t id = program.call.AsProgramCreate()->id;
  for (const int member : {0, 99}) {
    builder.Clear();
    const auto config = CreateDataMovementConfig(builder);
    const auto kernel = CreateKernelCreate(builder, 77, id, 0, KernelSourceKind::File, 0, nullptr,
                                           0, static_cast<KernelConfig>(member), config.Union());
    EXPECT_THAT(verify_with(testing::copy_of(finish_command(builder, kernel))),
                IsError(absl::StatusCode::kDataLoss,
                        absl::StrCat("its field config says member ", member)));
  }
}

TEST(VerifyTest, AnObjectThatDoesNotLiveIsNamedWithTheFile) {
  const absl::Status status = testing::open_and_verify(
      testing::written({samples::command_of(samples::Of<EventDestroy>())}));
  EXPECT_THAT(status, IsError(absl::StatusCode::kDataLoss,
                              "the file in memory: command 0 (EventDestroy, at offset "));
  EXPECT_THAT(status, IsError(absl::StatusCode::kDataLoss, "which nothing has created"));
}

TEST(VerifyTest, CompressedPayloadsThatClaimMoreThanTheLimitAreNotDecompressed) {
  Content zeros(1 << 20), ones(1 << 20, std::byte{1});
  auto sink = std::make_shared<MemorySink>();
  Writer writer(sink, {.compression_level = 3});
  ASSERT_TRUE(writer.begin({}).ok());
  ASSERT_TRUE(writer.append_blob(zeros).ok());
  ASSERT_TRUE(writer.append_blob(ones).ok());
  ASSERT_TRUE(writer.finish(absl::OkStatus()).ok());
  const auto file = testing::opened(sink->take());
  ASSERT_LT(file->size() * kContentRatio, zeros.size());
  const auto verified = [&](uint64_t limit) {
    return verify(*file, nullptr, {.memory_limit = limit});
  };
  EXPECT_EQ(verified(2 << 20), absl::OkStatus());
  EXPECT_THAT(verified((2 << 20) - 1),
              IsError(absl::StatusCode::kResourceExhausted, "to 2097152 bytes"));
  EXPECT_THAT(verified(1), IsError(absl::StatusCode::kResourceExhausted, "to 1048576 bytes"));
}

TEST(VerifyTest, PaddingHasToBeZero) {
  FrameList frames;
  frames.add(FrameType::Padding, Content(16, std::byte{1}));
  frames.close(index_of(0, 0));
  EXPECT_THAT(testing::open_and_verify(frames.content()),
              IsError(absl::StatusCode::kDataLoss, "is padding that is not zero"));
}

TEST(VerifyTest, FramesHaveToBeInOrder) {
  FrameList second_session;
  second_session.add(FrameType::Session, testing::bytes_of_text("again"));
  second_session.close(index_of(0, 0));
  EXPECT_THAT(testing::open_and_verify(second_session.content()),
              IsError(absl::StatusCode::kDataLoss, "has type 1, which does not belong there"));

  FrameList second_index;
  second_index.add(FrameType::Index, Content(40));
  second_index.close(index_of(0, 0));
  EXPECT_THAT(testing::open_and_verify(second_index.content()),
              IsError(absl::StatusCode::kDataLoss, "does not belong there"));
}

TEST(VerifyTest, AnIncompleteFileIsAcceptedOnlyWhenAskedFor) {
  const Content content =
      testing::written(testing::legal_sequence(), absl::InternalError("a call was lost"));
  EXPECT_THAT(testing::open_and_verify(content),
              IsError(absl::StatusCode::kDataLoss,
                      "is incomplete: the capture ended with an error: a call was lost"));
  EXPECT_TRUE(testing::open_and_verify(content, {.allow_incomplete = true}).ok());
}

TEST(VerifyTest, AnErrorInAnIncompleteFileIsStillAnError) {
  FrameList frames;
  frames.add_command(samples::command_of(samples::Of<EventDestroy>()));
  EXPECT_THAT(testing::open_and_verify(frames.content(), {.allow_incomplete = true}),
              IsError(absl::StatusCode::kDataLoss, "which nothing has created"));
}

}  // namespace
}  // namespace lightmetal::schema
