// Payloads that lie in other files.
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <filesystem>

#include "schema/file/external_files.h"
#include "schema/show/info.h"
#include "schema/storage/memory_sink.h"
#include "schema/verify/repair.h"
#include "tests/schema/payload_testing.h"
#include "tests/support/process.h"

namespace lightmetal::schema {
namespace {

using ::lightmetal::testing::TemporaryFolder;
using ::lightmetal::testing::write_file;
using testing::Content;
using testing::external_info;
using testing::file_of_reference;
using testing::FilePointer;
using testing::FrameList;
using testing::index_of;
using testing::IsError;

constexpr uint64_t kOffset = 100;

// A file of weights, and a binary that refers to a part of it.
class ExternalPayloadTest : public ::testing::Test {
 protected:
  ExternalPayloadTest() {
    write(path_, weights_);
    info_ = external_info(path_, kOffset, payload(), weights_.size());
    struct stat status {};
    EXPECT_EQ(::stat(path_.c_str(), &status), 0);
    info_.modified_ns = int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  }

  static void write(const std::string& path, const Content& content) {
    write_file(path, std::string(reinterpret_cast<const char*>(content.data()), content.size()));
  }

  Bytes payload() const { return Bytes(weights_).subspan(kOffset, 5000); }

  FilePointer file(const ReferenceOptions& references) const {
    auto file = File::from_bytes(file_of_reference(info_), "model.lmb", {.references = references});
    EXPECT_TRUE(file.ok()) << file.status();
    return file.ok() ? *file : nullptr;
  }

  // What becomes of reading the payload.
  absl::Status read(const ReferenceOptions& references) const {
    const auto read = file(references)->blob(blob_ref_of(payload()));
    if (read.ok()) {
      EXPECT_EQ(read->bytes(), payload());
    }
    return read.status();
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.path("weights.bin");
  Content weights_ = testing::incompressible(10'000);
  ExternalBlobInfo info_;
};

TEST_F(ExternalPayloadTest, IsReadFromItsFile) {
  EXPECT_TRUE(read({.allow = true}).ok()) << read({.allow = true});
  const FilePointer opened = file({.allow = true});
  ASSERT_EQ(opened->external_blobs()->size(), 1);
  EXPECT_EQ(opened->external_blobs()->front(), info_);
  // Without a copy: the same mapping each time.
  const auto first = opened->blob(blob_ref_of(payload()));
  EXPECT_EQ(first->data(), opened->blob(blob_ref_of(payload()))->data());
  Content part(10);
  ASSERT_TRUE(opened->read_blob(blob_ref_of(payload()), 7, absl::MakeSpan(part)).ok());
  EXPECT_EQ(Bytes(part), payload().subspan(7, 10));
}

TEST_F(ExternalPayloadTest, OutlivesTheBinaryThatNamesIt) {
  FilePointer opened = file({.allow = true});
  const auto read = opened->blob(blob_ref_of(payload()));
  ASSERT_TRUE(read.ok());
  opened = nullptr;
  EXPECT_EQ(read->bytes(), payload());
}

TEST_F(ExternalPayloadTest, IsOnlyReadWhereThatIsAllowed) {
  EXPECT_THAT(read({}),
              IsError(absl::StatusCode::kPermissionDenied,
                      absl::StrCat("lies in ", path_, ", and files that a binary names")));
  EXPECT_TRUE(read({.remap = {{path_, path_}}}).ok());
}

TEST_F(ExternalPayloadTest, AMissingFileIsNamed) {
  std::filesystem::remove(path_);
  EXPECT_THAT(read({.allow = true}),
              IsError(absl::StatusCode::kNotFound,
                      absl::StrCat("lies at 100 in ", path_, ", but cannot open ", path_)));
}

TEST_F(ExternalPayloadTest, AShorterFileIsRefused) {
  std::filesystem::resize_file(path_, 5000);
  for (const auto check : {ReferenceOptions::Check::Digest, ReferenceOptions::Check::SizeAndTime}) {
    EXPECT_THAT(read({.allow = true, .check = check}),
                IsError(absl::StatusCode::kFailedPrecondition,
                        "that file has 5000 bytes, and had 10000 at the capture"));
  }
}

TEST_F(ExternalPayloadTest, OtherContentIsRefused) {
  Content changed = weights_;
  changed[kOffset + 4999] ^= std::byte{1};
  write(path_, changed);
  EXPECT_THAT(read({.allow = true}), IsError(absl::StatusCode::kFailedPrecondition,
                                             "has other content there: its digest is"));
}

TEST_F(ExternalPayloadTest, ALargePayloadIsComparedToItsEnd) {
  Content large = testing::incompressible((size_t{2} << 20) + 12'345);
  write(path_, large);
  const auto info = external_info(path_, 7, Bytes(large).subspan(7), large.size());
  EXPECT_EQ(ExternalFiles({.allow = true}).check(info), absl::OkStatus());
  large.back() ^= std::byte{1};
  write(path_, large);
  EXPECT_THAT(ExternalFiles({.allow = true}).check(info),
              IsError(absl::StatusCode::kFailedPrecondition, "has other content there"));
}

TEST_F(ExternalPayloadTest, SizeAndTimeAreComparedOnRequest) {
  const ReferenceOptions by_time = {.allow = true, .check = ReferenceOptions::Check::SizeAndTime};
  EXPECT_TRUE(read(by_time).ok()) << read(by_time);
  info_.modified_ns += 1;
  EXPECT_THAT(read(by_time),
              IsError(absl::StatusCode::kFailedPrecondition, "that file was changed"));
  EXPECT_TRUE(read({.allow = true}).ok()) << "a copy of the same content is as good";
  info_.modified_ns -= 1;
  info_.file_size += 1;
  EXPECT_THAT(read(by_time),
              IsError(absl::StatusCode::kFailedPrecondition, "that file was changed"));
}

TEST_F(ExternalPayloadTest, BytesThatAreNotUsedMayChange) {
  Content changed = weights_;
  changed[kOffset - 1] ^= std::byte{1};
  changed.push_back(std::byte{1});
  write(path_, changed);
  EXPECT_TRUE(read({.allow = true}).ok()) << read({.allow = true});
}

TEST_F(ExternalPayloadTest, MoreBytesThanWereCheckedAreCheckedAnew) {
  for (const auto check : {ReferenceOptions::Check::Digest, ReferenceOptions::Check::SizeAndTime}) {
    ExternalFiles files({.allow = true, .check = check});
    ASSERT_EQ(files.check(info_), absl::OkStatus());
    ExternalBlobInfo longer = info_;
    longer.size = longer.file_size = 20'000;
    EXPECT_THAT(files.get(longer).status(), IsError(absl::StatusCode::kFailedPrecondition,
                                                    "that file has 10000 bytes, and had 20000"));
    EXPECT_EQ(files.check(info_), absl::OkStatus());
  }
}

// ---- Paths ----

TEST_F(ExternalPayloadTest, RelativeAndClimbingPathsAreOnlyOpenedWhereTheyAreReplaced) {
  for (const std::string path :
       {"weights.bin", "./weights.bin", "/a/../weights.bin", "/..", ".."}) {
    info_.path = path;
    EXPECT_THAT(read({.allow = true}),
                IsError(absl::StatusCode::kPermissionDenied, "not absolute or has a component"))
        << path;
    EXPECT_TRUE(read({.remap = {{path, path_}}}).ok()) << path;
  }
}

TEST(ResolvePathTest, ReplacesWholeComponentsOnceInTheOrderGiven) {
  const auto resolved = [](const std::string& path,
                           std::vector<std::pair<std::string, std::string>> remap) {
    return resolve_path(path, {.remap = std::move(remap)}).value_or("");
  };
  EXPECT_EQ(resolved("/data/w/a", {{"/data", "/new"}}), "/new/w/a");
  EXPECT_EQ(resolved("/data/w/a", {{"/data/", "/new/"}}), "/new/w/a");
  EXPECT_EQ(resolved("/data/w", {{"/data/w", "b"}}), "b");
  EXPECT_EQ(resolved("/data", {{"/", "/new"}}), "/new/data");
  EXPECT_EQ(resolved("/data/a", {{"/x", "/1"}, {"/data", "/2"}, {"/2", "/3"}}), "/2/a");
  EXPECT_EQ(resolved("/database/a", {{"/data", "/new"}}), "");
  EXPECT_EQ(resolved("/data/../etc/a", {{"/data", "/new"}}), "");
  EXPECT_EQ(resolved("/data/..", {{"/data", "/new"}}), "");
  EXPECT_EQ(resolved("/data/a..b", {{"/data", "/new"}}), "/new/a..b");
}

TEST_F(ExternalPayloadTest, OnlyRegularFilesAreOpened) {
  const std::string fifo = folder_.path("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  for (const std::string& path : {fifo, folder_.path(), std::string("/dev/zero")}) {
    EXPECT_THAT(read({.remap = {{path_, path}}}),
                IsError(absl::StatusCode::kInvalidArgument, "is not a regular file"))
        << path;
  }
}

TEST_F(ExternalPayloadTest, SymbolicLinksAreFollowed) {
  const std::string link = folder_.path("link");
  std::filesystem::create_symlink(path_, link);
  EXPECT_TRUE(read({.remap = {{path_, link}}}).ok());
}

// ---- What verify says without the other file ----

TEST_F(ExternalPayloadTest, VerifyOpensNothingUnlessAsked) {
  std::filesystem::remove(path_);
  VerifyReport report;
  EXPECT_TRUE(verify(*file({.allow = true}), &report).ok());
  EXPECT_EQ(report.external_blobs, 1);
  EXPECT_EQ(report.blobs, 1);
  EXPECT_EQ(verify(*file({.allow = true}), nullptr, {.check_references = true}).code(),
            absl::StatusCode::kNotFound);
  write(path_, weights_);
  EXPECT_TRUE(verify(*file({.allow = true}), nullptr, {.check_references = true}).ok());
  EXPECT_EQ(verify(*file({}), nullptr, {.check_references = true}).code(),
            absl::StatusCode::kPermissionDenied);
}

TEST_F(ExternalPayloadTest, BadReferencesAreRefused) {
  const auto refused = [&](const ExternalBlobInfo& info) {
    return testing::open_and_verify(file_of_reference(info));
  };
  ExternalBlobInfo info = info_;
  info.size = 0;
  EXPECT_THAT(refused(info), IsError(absl::StatusCode::kDataLoss, "for no bytes"));
  info = info_;
  info.offset = ~uint64_t{0} - 10;
  EXPECT_THAT(refused(info), IsError(absl::StatusCode::kDataLoss, "of 10000 bytes for 5000"));
  info = info_;
  info.size = 9901;
  EXPECT_THAT(refused(info), IsError(absl::StatusCode::kDataLoss, "of 10000 bytes for 9901"));
  info = info_;
  info.path = "";
  EXPECT_THAT(refused(info), IsError(absl::StatusCode::kDataLoss, "by a path of 0 bytes"));
  info.path = std::string(PATH_MAX, 'a');
  EXPECT_THAT(refused(info), IsError(absl::StatusCode::kDataLoss, "by a path of 4096 bytes"));
  info.path.pop_back();
  EXPECT_EQ(refused(info), absl::OkStatus());
}

// The path of the frame is changed where it lies: whoever writes paths leaves no NUL byte in them.
TEST_F(ExternalPayloadTest, APathWithANulByteIsRefused) {
  flatbuffers::FlatBufferBuilder builder;
  Content frame = testing::copy_of(encode_external_blob(builder, info_));
  const std::string name = "weights.bin";
  const auto found = std::search(
      frame.begin(), frame.end(), name.begin(), name.end(),
      [](std::byte byte, char letter) { return byte == static_cast<std::byte>(letter); });
  ASSERT_NE(found, frame.end());
  *found = std::byte{0};
  FrameList frames;
  const uint64_t offset = frames.add(FrameType::ExternalBlob, frame);
  frames.close(index_of(0, 1), {}, {{info_.digest, info_.size, offset}});
  EXPECT_THAT(testing::open_and_verify(frames.content()),
              IsError(absl::StatusCode::kDataLoss, "by a path with a NUL byte"));
}

TEST_F(ExternalPayloadTest, EveryChangedByteOfAReferenceIsHarmless) {
  flatbuffers::FlatBufferBuilder builder;
  const Content sound = testing::copy_of(encode_external_blob(builder, info_));
  for (size_t i = 0; i < sound.size() * 8; ++i) {
    Content changed = sound;
    changed[i / 8] ^= static_cast<std::byte>(1 << (i % 8));
    FrameList frames;
    const uint64_t offset = frames.add(FrameType::ExternalBlob, changed);
    frames.close(index_of(0, 1), {}, {{info_.digest, info_.size, offset}});
    auto file = File::from_bytes(frames.content(), "model.lmb", {.references = {.allow = true}});
    ASSERT_TRUE(file.ok());
    (void)verify(**file, nullptr, {.check_references = true});
    const auto read = (*file)->blob(blob_ref_of(payload()));
    if (read.ok()) {
      EXPECT_EQ(read->bytes(), payload()) << i;
    }
  }
}

TEST_F(ExternalPayloadTest, RepairKeepsTheReferenceAsItIs) {
  auto sink = std::make_shared<MemorySink>();
  std::filesystem::remove(path_);
  ASSERT_TRUE(repair(*file({}), sink).ok());
  const auto repaired = testing::opened(sink->take());
  EXPECT_EQ(repaired->external_blobs()->front(), info_);
}

TEST_F(ExternalPayloadTest, InfoNamesTheFile) {
  const auto text = info_text(*file({}));
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(*text, ::testing::HasSubstr("payloads   1, 0 bytes stored, 0 bytes used\n"));
  EXPECT_THAT(*text, ::testing::HasSubstr("1   in " + path_ + ", 4.9 KiB\n"));
  const auto json = info_json(*file({}));
  EXPECT_THAT(*json, ::testing::HasSubstr("\"referenced_files\""));
}

}  // namespace
}  // namespace lightmetal::schema
