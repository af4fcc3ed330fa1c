// Payloads that a file holds compressed.
#include <sys/mman.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <thread>

#include "schema/file/compressed_blob.h"
#include "schema/storage/memory_sink.h"
#include "schema/verify/repair.h"
#include "tests/schema/payload_testing.h"

namespace lightmetal::schema {
namespace {

using testing::compressible;
using testing::Content;
using testing::file_of_payloads;
using testing::FilePointer;
using testing::form_of;
using testing::FrameList;
using testing::incompressible;
using testing::index_of;
using testing::IsError;
using testing::opened;

constexpr WriterOptions kCompressed = {.compression_level = 1};

Content joined(Content first, const Content& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

TEST(CompressedPayloadTest, ReadsAsItWasWritten) {
  for (const size_t size :
       {size_t{4096}, size_t{kChunkSize}, size_t{kChunkSize} + 1, 3 * size_t{kChunkSize} + 12345}) {
    const Content payload = compressible(size);
    const Content whole = file_of_payloads(kCompressed, {payload});
    EXPECT_LT(whole.size(), size / 4) << size;
    const auto file = opened(whole);
    EXPECT_EQ(form_of(*file, payload), FrameType::CompressedBlob);
    const auto read = file->blob(blob_ref_of(payload));
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->bytes(), Bytes(payload));
    EXPECT_TRUE(verify(*file).ok()) << verify(*file);
  }
}

TEST(CompressedPayloadTest, APayloadOutlivesItsFile) {
  const Content payload = compressible(100'000);
  for (const WriterOptions& options : {kCompressed, WriterOptions()}) {
    auto file = opened(file_of_payloads(options, {payload}));
    const auto read = file->blob(blob_ref_of(payload));
    ASSERT_TRUE(read.ok());
    file = nullptr;
    EXPECT_EQ(read->bytes(), Bytes(payload));
  }
}

TEST(CompressedPayloadTest, AnyPartCanBeReadAlone) {
  const Content payload = compressible(3 * size_t{kChunkSize} + 12345);
  const Content other = incompressible(5000);
  const auto file = opened(file_of_payloads(kCompressed, {payload, other}));
  const uint64_t seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (const Content& content : {payload, other}) {
    for (int i = 0; i < 30; ++i) {
      const uint64_t offset = random() % (content.size() + 1);
      Content part(random() % (content.size() - offset + 1));
      const absl::Status status =
          file->read_blob(blob_ref_of(content), offset, absl::MakeSpan(part));
      ASSERT_TRUE(status.ok()) << status;
      ASSERT_TRUE(std::equal(part.begin(), part.end(), content.begin() + offset)) << offset;
    }
    Content more(2);
    EXPECT_EQ(
        file->read_blob(blob_ref_of(content), content.size() - 1, absl::MakeSpan(more)).code(),
        absl::StatusCode::kOutOfRange);
  }
}

TEST(CompressedPayloadTest, WhatDoesNotPayIsStoredAsItIs) {
  for (const Content& payload :
       {compressible(4095), incompressible(4096), incompressible(3 << 20), Content()}) {
    const auto file = opened(file_of_payloads(kCompressed, {payload}));
    EXPECT_EQ(form_of(*file, payload), FrameType::Blob) << payload.size();
    EXPECT_TRUE(verify(*file).ok());
  }
  const Content payload = compressible(1 << 20);
  EXPECT_EQ(form_of(*opened(file_of_payloads({}, {payload})), payload), FrameType::Blob);
}

// Half of the chunks do not become smaller: they are in the file as they are.
TEST(CompressedPayloadTest, WhatNoReaderWouldTakeIsStoredAsItIs) {
  const size_t size = kMaxCompressedContent + 1;
  void* zeros = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(zeros, MAP_FAILED);
  EXPECT_FALSE(Compressor(1).compress(bytes_of(zeros, size), {}).has_value());
  munmap(zeros, size);
}

TEST(CompressedPayloadTest, ChunksThatDoNotBecomeSmallerAreStoredAsTheyAre) {
  const Content payload = joined(incompressible(kChunkSize), compressible(kChunkSize));
  const Content whole = file_of_payloads(kCompressed, {payload});
  EXPECT_GT(whole.size(), kChunkSize);
  EXPECT_LT(whole.size(), kChunkSize + kChunkSize / 4);
  const auto file = opened(whole);
  EXPECT_EQ(form_of(*file, payload), FrameType::CompressedBlob);
  EXPECT_EQ(file->blob(blob_ref_of(payload))->bytes(), Bytes(payload));
  EXPECT_TRUE(verify(*file).ok());
}

TEST(CompressedPayloadTest, EqualContentIsStoredOnceAndEqualFilesAreEqual) {
  const Content payload = compressible(50'000);
  const Content once = file_of_payloads(kCompressed, {payload});
  EXPECT_EQ(file_of_payloads(kCompressed, {payload, payload}), once);
}

TEST(CompressedPayloadTest, ThreadsAppendAtOnce) {
  auto sink = std::make_shared<MemorySink>();
  Writer writer(sink, kCompressed);
  ASSERT_TRUE(writer.begin(testing::session_for_tests()).ok());
  const auto append = [&](uint8_t own) {
    for (int i = 0; i < 20; ++i) {
      EXPECT_TRUE(writer.append_blob(compressible(30'000 + i)).ok());
      EXPECT_TRUE(writer.append_blob(compressible(30'000 + i, own)).ok());
    }
  };
  std::thread second(append, 100);
  append(200);
  second.join();
  ASSERT_TRUE(writer.finish(absl::OkStatus()).ok());
  const auto file = opened(sink->take());
  EXPECT_EQ(file->blobs().size(), 60);
  EXPECT_TRUE(verify(*file).ok()) << verify(*file);
  for (const BlobEntry& entry : file->blobs()) {
    EXPECT_TRUE(file->blob({from_digest(entry.digest), entry.size}).ok());
  }
}

TEST(CompressedPayloadTest, RepairKeepsItAsItIs) {
  const Content payload = compressible(50'000);
  const Content whole = file_of_payloads(kCompressed, {payload});
  auto sink = std::make_shared<MemorySink>();
  ASSERT_TRUE(repair(*opened(whole), sink).ok());
  EXPECT_EQ(sink->take(), whole);
}

// ---- Files that somebody made by hand ----

// The payload of a frame with these chunks, in a file that is otherwise sound.
struct Crafted {
  CompressedBlobHeader header{{}, 0, kMinChunkSize, kCodecZstd};
  std::vector<uint64_t> ends;
  Content chunks;

  Content frame() const {
    Content content = testing::copy_of(bytes_of(&header, sizeof(header)));
    content =
        joined(content, testing::copy_of(bytes_of(ends.data(), ends.size() * sizeof(ends[0]))));
    return joined(content, chunks);
  }

  FilePointer file(const FileOptions& options = {}) const {
    FrameList frames;
    const uint64_t offset = frames.add(FrameType::CompressedBlob, frame());
    frames.close(index_of(0, 1), {}, {{header.digest, header.size, offset}});
    auto file = File::from_bytes(frames.content(), "crafted.lmb", options);
    EXPECT_TRUE(file.ok()) << file.status();
    return file.ok() ? *file : nullptr;
  }

  BlobRef reference() const { return {from_digest(header.digest), header.size}; }
};

Content zstd_of(const Content& content) {
  Content compressed(ZSTD_compressBound(content.size()));
  compressed.resize(
      ZSTD_compress(compressed.data(), compressed.size(), content.data(), content.size(), 1));
  return compressed;
}

// Sound, with two chunks.
Crafted crafted() {
  const Content content = compressible(kMinChunkSize + 1000);
  Crafted made;
  made.header.digest = digest_of(content);
  made.header.size = content.size();
  const auto middle = content.begin() + kMinChunkSize;
  made.chunks = zstd_of(Content(content.begin(), middle));
  made.ends = {made.chunks.size()};
  made.chunks = joined(made.chunks, zstd_of(Content(middle, content.end())));
  made.ends.push_back(made.chunks.size());
  return made;
}

void expect_refused(const Crafted& made, const std::string& message,
                    const FileOptions& options = {}) {
  const FilePointer file = made.file(options);
  ASSERT_NE(file, nullptr);
  const absl::Status verified = verify(*file);
  EXPECT_FALSE(verified.ok());
  const absl::Status read = file->blob(made.reference()).status();
  EXPECT_FALSE(read.ok());
  for (const absl::Status& status : {verified, read}) {
    EXPECT_THAT(std::string(status.message()),
                ::testing::AllOf(::testing::HasSubstr("crafted.lmb: the frame at offset "),
                                 ::testing::HasSubstr(message)));
  }
}

TEST(CraftedPayloadTest, TheOneThatTheOthersStartFromIsGood) {
  const Crafted made = crafted();
  EXPECT_TRUE(verify(*made.file()).ok()) << verify(*made.file());
  EXPECT_TRUE(made.file()->blob(made.reference()).ok());
}

TEST(CraftedPayloadTest, BadHeadersAreRefused) {
  Crafted made = crafted();
  made.header.codec = 2;
  expect_refused(made, "compressed with codec 2");
  for (const uint32_t size : {uint32_t{0}, uint32_t{1}, kMinChunkSize / 2, kMinChunkSize + 1,
                              2 * kMaxChunkSize, 0xFFFFFFFF}) {
    made = crafted();
    made.header.chunk_size = size;
    expect_refused(made, absl::StrCat("chunks of ", size, " bytes"));
  }
  made = crafted();
  made.header.size = 0;
  expect_refused(made, "of 0 bytes");
}

// Nothing is allocated for what a header says: the table of chunks has to be there.
TEST(CraftedPayloadTest, ASizeWithoutTheChunksForItIsRefused) {
  for (const uint64_t size : {uint64_t{1} << 30, uint64_t{1} << 50, ~uint64_t{0}}) {
    Crafted made = crafted();
    made.header.size = size;
    expect_refused(made, "but has no room for their table");
  }
}

TEST(CraftedPayloadTest, ASizeAboveTheLimitIsRefused) {
  const Crafted made = crafted();
  expect_refused(made, "the most that is allowed are 65536",
                 {.max_decompressed_size = kMinChunkSize});
  const FilePointer all = made.file({.max_decompressed_size = made.header.size});
  EXPECT_EQ(all->blob(made.reference()).status(), absl::OkStatus());
}

TEST(CraftedPayloadTest, BadTablesAreRefused) {
  Crafted made = crafted();
  std::swap(made.ends[0], made.ends[1]);
  expect_refused(made, "whose chunks end at");
  made = crafted();
  made.ends[0] = ~uint64_t{0} - 7;
  expect_refused(made, "whose chunk 0 of 65536 bytes lies from 0 to ");
  made = crafted();
  made.ends[0] = made.ends[1];
  expect_refused(made, "whose chunk");
  made = crafted();
  made.ends[0] = 0;
  expect_refused(made, "whose chunk 0 of 65536 bytes lies from 0 to 0");
}

TEST(CraftedPayloadTest, AChunkOfAnotherSizeIsRefused) {
  Crafted bomb;
  const Content zeros(32 << 20);
  bomb.chunks = zstd_of(zeros);
  bomb.ends = {bomb.chunks.size()};
  bomb.header.size = kMinChunkSize;
  bomb.header.digest = digest_of(Content(kMinChunkSize));
  expect_refused(bomb, "chunk 0 does not decompress to its 65536 bytes");

  Crafted less;
  less.chunks = zstd_of(Content(1000));
  less.ends = {less.chunks.size()};
  less.header.size = kMinChunkSize;
  expect_refused(less, "chunk 0 does not decompress to its 65536 bytes: 1000");
}

// What zstd passes over could hide anything: no checksum of the content covers it.
TEST(CraftedPayloadTest, AChunkThatIsNotOneFrameIsRefused) {
  const Content frame = zstd_of(compressible(kMinChunkSize));
  const uint32_t skippable[] = {ZSTD_MAGIC_SKIPPABLE_START, 8, 0x41414141, 0x42424242};
  const Content hidden = testing::copy_of(bytes_of(skippable, sizeof(skippable)));
  const Content empty = zstd_of({});
  for (const Content& chunk :
       {joined(frame, hidden), joined(hidden, frame), joined(frame, empty), joined(empty, frame)}) {
    Crafted made;
    made.header.digest = digest_of(compressible(kMinChunkSize));
    made.header.size = kMinChunkSize;
    made.chunks = chunk;
    made.ends = {chunk.size()};
    expect_refused(made, "whose chunk 0 is not one zstd frame");
  }
}

TEST(CraftedPayloadTest, OtherContentIsRefused) {
  Crafted made = crafted();
  made.header.digest.low ^= 1;
  expect_refused(made, "but its content has the digest");
}

TEST(CraftedPayloadTest, AnIndexThatGivesItAnotherNameIsFound) {
  const Crafted made = crafted();
  for (const bool other_size : {false, true}) {
    BlobEntry entry{made.header.digest, made.header.size, 0};
    other_size ? ++entry.size : ++entry.digest.low;
    FrameList frames;
    entry.offset = frames.add(FrameType::CompressedBlob, made.frame());
    frames.close(index_of(0, 1), {}, {entry});
    const FilePointer file = opened(frames.content());
    EXPECT_THAT(file->blob({from_digest(entry.digest), entry.size}).status(),
                IsError(absl::StatusCode::kDataLoss, "is not the blob that the index says"));
    EXPECT_FALSE(verify(*file).ok());
  }
}

// All checksums are right: what is wrong can only be found by looking at the content.
TEST(CraftedPayloadTest, EveryChangedByteIsFoundOrChangesNothing) {
  const Crafted sound = crafted();
  for (size_t i = sizeof(CompressedBlobHeader); i < sound.frame().size(); ++i) {
    for (const int bit : {0, 7}) {
      Content changed = sound.frame();
      changed[i] ^= static_cast<std::byte>(1 << bit);
      FrameList frames;
      const uint64_t offset = frames.add(FrameType::CompressedBlob, changed);
      frames.close(index_of(0, 1), {}, {{sound.header.digest, sound.header.size, offset}});
      const FilePointer file = opened(frames.content());
      const auto read = file->blob(sound.reference());
      EXPECT_EQ(read.ok(), verify(*file).ok()) << i;
      if (read.ok()) {
        EXPECT_EQ(digest_of(read->bytes()), sound.header.digest) << i;
      }
    }
  }
}

}  // namespace
}  // namespace lightmetal::schema
