#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <thread>
#include <utility>

#include "schema/storage/memory_sink.h"
#include "tests/schema/schema_testing.h"

namespace lightmetal::schema {
namespace {

using testing::Content;
using ::testing::HasSubstr;
using testing::IsError;
using testing::opened;
using testing::path_for;

CommandT finish_queue() { return samples::command_of(samples::Of<FinishQueue>()); }

Content content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return testing::copy_of(testing::bytes_of_text(text));
}

TEST(WriterTest, EqualCapturesGiveEqualBytes) {
  EXPECT_EQ(testing::written(samples::all()), testing::written(samples::all()));
}

TEST(WriterTest, AFileAndMemoryGetTheSameBytes) {
  const std::string path = path_for("same.lmb");
  {
    auto sink = FileSink::create(path);
    ASSERT_TRUE(sink.ok()) << sink.status();
    Writer writer(*std::move(sink));
    ASSERT_TRUE(writer.begin(testing::session_for_tests()).ok());
    ASSERT_TRUE(writer.append_blob(samples::payload_bytes()).ok());
    for (const CommandT& command : samples::all()) {
      ASSERT_TRUE(writer.append_command(testing::encoded(command)).ok());
    }
    ASSERT_TRUE(writer.finish(absl::OkStatus()).ok());
  }
  EXPECT_EQ(content_of(path), testing::written(samples::all()));
  std::remove(path.c_str());
}

TEST(WriterTest, AnEqualPayloadIsStoredOnce) {
  auto sink = std::make_shared<MemorySink>();
  Writer writer(sink);
  ASSERT_TRUE(writer.begin({}).ok());
  const Content payload(1000, std::byte{7});
  const auto first = writer.append_blob(payload);
  ASSERT_TRUE(first.ok());
  const uint64_t size = writer.size();
  const auto second = writer.append_blob(Content(payload));
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(*first, *second);
  EXPECT_EQ(writer.size(), size);
  EXPECT_EQ(writer.size(), sink->size());
}

TEST(WriterTest, OnlyContentThatTheFileLacksIsLookedForAndWhatThatFindsWrongDoesNotStick) {
  auto sink = std::make_shared<MemorySink>();
  Writer writer(sink);
  ASSERT_TRUE(writer.begin({}).ok());
  const Content payload(1000, std::byte{7});
  const auto find =
      [](Bytes, const ::lightmetal::Digest&) -> absl::StatusOr<std::optional<ExternalBlobInfo>> {
    return absl::NotFoundError("no file has it");
  };
  const auto not_found = IsError(absl::StatusCode::kNotFound, "no file has it");
  EXPECT_THAT(writer.append_blob(payload, find).status(), not_found);
  ASSERT_TRUE(writer.append_blob(payload).ok());
  EXPECT_EQ(writer.append_blob(payload, find).status(), absl::OkStatus());
  EXPECT_EQ(writer.finish(absl::OkStatus()), absl::OkStatus());
  EXPECT_EQ(opened(sink->take())->blobs().size(), 1u);
}

TEST(WriterTest, AnEmptyPayloadIsAPayload) {
  auto sink = std::make_shared<MemorySink>();
  Writer writer(sink);
  ASSERT_TRUE(writer.begin({}).ok());
  const auto reference = writer.append_blob({});
  ASSERT_TRUE(reference.ok());
  ASSERT_TRUE(writer.finish(absl::OkStatus()).ok());
  const auto file = opened(sink->take());
  ASSERT_TRUE(verify(*file, nullptr, testing::kFormAlone).ok());
  ASSERT_TRUE(file->blob(*reference).ok());
  EXPECT_TRUE(file->blob(*reference)->empty());
}

// Whatever lies before it, and whatever gap that leaves for padding.
TEST(WriterTest, ALargePayloadStartsAtAPage) {
  const Content large(kPageAlignedBlob, std::byte{1});
  for (size_t before = 0; before < kPageSize + 64; before += 8) {
    auto sink = std::make_shared<MemorySink>();
    Writer writer(sink);
    ASSERT_TRUE(writer.begin({}).ok());
    ASSERT_TRUE(writer.append_blob(Content(before, std::byte{2})).ok());
    const auto reference = writer.append_blob(large);
    ASSERT_TRUE(reference.ok());
    ASSERT_TRUE(writer.finish(absl::OkStatus()).ok());
    const auto file = opened(sink->take());
    const auto bytes = file->blob(*reference);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    EXPECT_EQ((bytes->data() - file->bytes().data()) % kPageSize, 0) << before;
    EXPECT_TRUE(verify(*file, nullptr, testing::kFormAlone).ok())
        << before << ": " << verify(*file, nullptr, testing::kFormAlone);
  }
}

TEST(WriterTest, ThreadsWriteOneFileThatVerifies) {
  auto sink = std::make_shared<MemorySink>();
  Writer writer(sink);
  ASSERT_TRUE(writer.begin({}).ok());
  ASSERT_TRUE(
      writer.append_command(testing::encoded(samples::command_of(samples::Of<CreateDevice>())))
          .ok());
  const Content command = testing::encoded(finish_queue());
  constexpr int kThreads = 4;
  constexpr int kCommands = 500;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kCommands; ++i) {
        EXPECT_TRUE(writer.append_command(command).ok());
        EXPECT_TRUE(writer.append_blob(Content(i + 1, std::byte{3})).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(writer.num_commands(), kThreads * kCommands + 1);
  ASSERT_TRUE(writer.finish(absl::OkStatus()).ok());
  const auto file = opened(sink->take());
  EXPECT_EQ(file->num_commands(), kThreads * kCommands + 1);
  EXPECT_EQ(file->blobs().size(), kCommands);
  EXPECT_TRUE(verify(*file, nullptr, testing::kFormAlone).ok())
      << verify(*file, nullptr, testing::kFormAlone);
}

TEST(WriterTest, BeginComesFirstAndFinishLast) {
  auto sink = std::make_shared<MemorySink>();
  Writer writer(sink);
  const Content command = testing::encoded(finish_queue());
  EXPECT_THAT(writer.append_command(command),
              IsError(absl::StatusCode::kFailedPrecondition, "not begun"));
  ASSERT_TRUE(writer.begin({}).ok());
  EXPECT_THAT(writer.begin({}), IsError(absl::StatusCode::kFailedPrecondition, "begun already"));
  ASSERT_TRUE(writer.finish(absl::OkStatus()).ok());
  const uint64_t size = sink->size();
  EXPECT_THAT(writer.append_command(command),
              IsError(absl::StatusCode::kFailedPrecondition, "finished"));
  EXPECT_THAT(writer.append_blob({}).status(),
              IsError(absl::StatusCode::kFailedPrecondition, "finished"));
  EXPECT_THAT(writer.finish(absl::OkStatus()),
              IsError(absl::StatusCode::kFailedPrecondition, "finished"));
  EXPECT_EQ(sink->size(), size);
}

TEST(WriterTest, WhatIsNoCommandIsRefused) {
  auto sink = std::make_shared<MemorySink>();
  Writer writer(sink);
  ASSERT_TRUE(writer.begin({}).ok());
  EXPECT_EQ(writer.append_command({}).code(), absl::StatusCode::kInternal);
  EXPECT_EQ(writer.append_command(Content(100, std::byte{9})).code(), absl::StatusCode::kInternal);
}

// Fails once it holds more than it may, and at the end if it is told so.
class FullSink final : public Sink {
 public:
  explicit FullSink(uint64_t room, absl::Status at_close = absl::OkStatus())
      : room_(room), at_close_(std::move(at_close)) {}
  absl::Status append(absl::Span<const Bytes> parts) override {
    for (const Bytes part : parts) size_ += part.size();
    ++appends_;
    return size_ <= room_ ? absl::OkStatus() : absl::ResourceExhaustedError("the sink is full");
  }
  absl::Status close() override {
    closed_ = true;
    return at_close_;
  }
  uint64_t size() const override { return size_; }
  int appends() const { return appends_; }
  bool closed() const { return closed_; }

 private:
  const uint64_t room_;
  const absl::Status at_close_;
  uint64_t size_ = 0;
  int appends_ = 0;
  bool closed_ = false;
};

TEST(WriterTest, TheFirstErrorSticksAndFinishReportsIt) {
  auto sink = std::make_shared<FullSink>(300);
  Writer writer(sink);
  ASSERT_TRUE(writer.begin({}).ok());
  const auto full = IsError(absl::StatusCode::kResourceExhausted, "the sink is full");
  EXPECT_THAT(writer.append_blob(Content(1000)).status(), full);
  const int appends = sink->appends();
  EXPECT_THAT(writer.append_command(testing::encoded(finish_queue())), full);
  EXPECT_THAT(writer.append_blob(Content(1000)).status(), full);
  EXPECT_THAT(writer.status(), full);
  EXPECT_THAT(writer.finish(absl::OkStatus()), full);
  EXPECT_EQ(sink->appends(), appends);
  EXPECT_TRUE(sink->closed());
}

TEST(WriterTest, FinishReportsWhatOnlyTheCloseOfTheSinkFinds) {
  const absl::Status at_close = absl::DataLossError("the sink was cut short");
  const auto finished = [&](uint64_t room) {
    Writer writer(std::make_shared<FullSink>(room, at_close));
    EXPECT_TRUE(writer.begin({}).ok());
    (void)writer.append_blob(Content(1000));
    const absl::Status status = writer.finish(absl::OkStatus());
    EXPECT_EQ(writer.status(), status);
    return status;
  };
  EXPECT_EQ(finished(1'000'000), at_close);
  EXPECT_THAT(finished(300), IsError(absl::StatusCode::kResourceExhausted, "the sink is full"));
}

TEST(WriterTest, WhatTheSinkRefusedIsNotInItsSize) {
  Writer writer(std::make_shared<FullSink>(300));
  ASSERT_TRUE(writer.begin({}).ok());
  const uint64_t size = writer.size();
  EXPECT_FALSE(writer.append_blob(Content(1000)).ok());
  EXPECT_EQ(writer.size(), size);
  EXPECT_FALSE(writer.finish(absl::OkStatus()).ok());
  EXPECT_EQ(writer.size(), size);
}

TEST(MemorySinkTest, PiecesOfEverySizeComeBackInOrder) {
  MemorySink sink;
  Content sent;
  for (size_t size = 0; size < 3'000'000; size = size * 3 + 1) {
    const Content part(size, static_cast<std::byte>(size));
    sent.insert(sent.end(), part.begin(), part.end());
    ASSERT_TRUE(sink.append({Bytes(part)}).ok());
    EXPECT_EQ(sink.size(), sent.size());
  }
  EXPECT_EQ(sink.take(), sent);
  EXPECT_EQ(sink.size(), 0);
  EXPECT_TRUE(sink.take().empty());
}

TEST(FileSinkTest, AFullDiskIsReportedWithThePath) {
  auto sink = FileSink::create("/dev/full");
  ASSERT_TRUE(sink.ok()) << sink.status();
  const auto full = IsError(absl::StatusCode::kResourceExhausted, "write to /dev/full: No space");
  const Content byte(1);
  EXPECT_THAT((*sink)->append({Bytes(byte)}), full);
  EXPECT_THAT((*sink)->append({Bytes(byte)}), full);
  EXPECT_THAT((*sink)->close(), full);
}

TEST(FileSinkTest, AFileThatCannotBeCreatedIsReportedWithThePath) {
  const auto sink = FileSink::create("/no/such/folder/a.lmb");
  EXPECT_THAT(sink.status(), IsError(absl::StatusCode::kNotFound, "/no/such/folder/a.lmb"));
}

TEST(FileSinkTest, AnOlderFileIsReplaced) {
  const std::string path = path_for("replaced");
  std::ofstream(path) << "something that was there before";
  {
    auto sink = FileSink::create(path);
    ASSERT_TRUE(sink.ok());
    ASSERT_TRUE((*sink)
                    ->append({testing::bytes_of_text("new"), Bytes(), testing::bytes_of_text("er")})
                    .ok());
    EXPECT_EQ((*sink)->size(), 5);
    ASSERT_TRUE((*sink)->close().ok());
  }
  EXPECT_EQ(content_of(path), testing::copy_of(testing::bytes_of_text("newer")));
  std::remove(path.c_str());
}

// A pipe takes little at a time, so that every append is written in many pieces.
TEST(FileSinkTest, ShortWritesAreContinued) {
  const std::string path = path_for("pipe");
  std::remove(path.c_str());
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  Content sent(1'000'000);
  for (size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<std::byte>(i * 7 + i / 256);
  Content received;
  std::thread reader([&] { received = content_of(path); });
  {
    auto sink = FileSink::create(path);
    ASSERT_TRUE(sink.ok());
    const Bytes all = sent;
    ASSERT_TRUE(
        (*sink)->append({all.first(3), all.subspan(3, 700'000), all.subspan(700'003)}).ok());
    ASSERT_TRUE((*sink)->close().ok());
  }
  reader.join();
  EXPECT_EQ(received, sent);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace lightmetal::schema
