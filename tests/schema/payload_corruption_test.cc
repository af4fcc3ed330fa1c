// Cuts at every byte and changes of every byte of a file that holds a payload in each form.
#include <algorithm>

#include "schema/show/dump.h"
#include "schema/show/info.h"
#include "tests/schema/payload_testing.h"
#include "tests/support/process.h"

namespace lightmetal::schema {
namespace {

using ::lightmetal::testing::TemporaryFolder;
using ::lightmetal::testing::write_file;
using testing::Content;
using testing::FilePointer;

class PayloadCorruptionTest : public ::testing::Test {
 protected:
  PayloadCorruptionTest() {
    write_file(path_,
               std::string(reinterpret_cast<const char*>(external_.data()), external_.size()));
    content_ = testing::file_of({.compression_level = 3}, [&](Writer& writer) {
      EXPECT_TRUE(writer.append_blob(stored_).ok());
      EXPECT_TRUE(writer.append_blob(compressed_).ok());
      EXPECT_TRUE(writer
                      .append_blob(external_,
                                   [&](Bytes, const ::lightmetal::Digest&) {
                                     return std::optional(testing::external_info(
                                         path_, 0, external_, external_.size()));
                                   })
                      .ok());
      for (const CommandT& command : {event(1), event(2)}) {
        EXPECT_TRUE(writer.append_command(testing::encoded(command)).ok());
      }
    });
  }

  static CommandT event(uint64_t id) {
    EventCreateT call;
    call.id = id;
    CommandT command;
    command.call.Set(call);
    return command;
  }

  static absl::StatusOr<FilePointer> open(Content content) {
    return File::from_bytes(std::move(content), "cut.lmb", {.references = {.allow = true}});
  }

  // What is compressed or lies elsewhere is checked when it is read; what is stored, by verify().
  void expect_no_wrong_payload(const File& file) {
    for (const Content& payload : {compressed_, external_}) {
      const auto read = file.blob(blob_ref_of(payload));
      EXPECT_TRUE(!read.ok() || read->bytes() == Bytes(payload));
    }
    (void)info_text(file);
    (void)info_json(file);
    (void)dump(file, {.format = DumpFormat::JsonLines, .values = true},
               [](auto) { return absl::OkStatus(); });
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.path("w");
  const Content stored_ = testing::incompressible(50);
  const Content compressed_ = testing::compressible(5000);
  const Content external_ = testing::incompressible(64, 2);
  Content content_;
};

TEST_F(PayloadCorruptionTest, TheFileHasAllForms) {
  const auto file = open(content_);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(testing::form_of(**file, stored_), FrameType::Blob);
  EXPECT_EQ(testing::form_of(**file, compressed_), FrameType::CompressedBlob);
  EXPECT_EQ(testing::form_of(**file, external_), FrameType::ExternalBlob);
  const absl::Status good = verify(**file, nullptr, {.check_references = true});
  EXPECT_TRUE(good.ok()) << good;
  for (const Content& payload : {stored_, compressed_, external_}) {
    EXPECT_TRUE((*file)->blob(blob_ref_of(payload)).ok());
  }
}

TEST_F(PayloadCorruptionTest, EveryCutLeavesTheWholePayloadsBeforeIt) {
  const auto whole = *open(content_);
  for (size_t size = 0; size < content_.size(); ++size) {
    const auto file = open(testing::copy_of(Bytes(content_).first(size)));
    if (!file.ok()) continue;
    EXPECT_FALSE((*file)->complete());
    const absl::Status status = verify(**file, nullptr, {.allow_incomplete = true});
    EXPECT_TRUE(status.ok()) << size << ": " << status;
    const auto blobs = whole->blobs();
    const auto expected = std::count_if(blobs.begin(), blobs.end(), [&](const BlobEntry& blob) {
      return whole->frame_at(blob.offset)->end <= size;
    });
    EXPECT_EQ((*file)->blobs().size(), expected) << size;
    expect_no_wrong_payload(**file);
  }
}

TEST_F(PayloadCorruptionTest, EveryChangedByteIsFound) {
  for (size_t i = 0; i < content_.size(); ++i) {
    for (const int change : {1 << (i % 8), 0xFF}) {
      Content changed = content_;
      changed[i] ^= static_cast<std::byte>(change);
      const auto file = open(changed);
      if (!file.ok()) continue;
      EXPECT_FALSE(verify(**file).ok()) << "byte " << i << " changed by " << change;
      expect_no_wrong_payload(**file);
    }
  }
}

}  // namespace
}  // namespace lightmetal::schema
