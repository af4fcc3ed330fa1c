// FlatBuffers of a file that are larger than FlatBuffers can be.
#include <sys/mman.h>

#include <cstring>

#include "schema/commands/decode.h"
#include "schema/file/external_blob.h"
#include "tests/schema/schema_testing.h"

namespace lightmetal::schema {
namespace {

using testing::IsError;

// The least size that FlatBuffers' verifier does not take.
constexpr uint64_t kTooLarge = FLATBUFFERS_MAX_BUFFER_SIZE;

// So many zeros, which take no memory but where something is put over them.
class Zeros {
 public:
  explicit Zeros(uint64_t size) : size_(size) {
    void* const begin = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (begin != MAP_FAILED) begin_ = static_cast<std::byte*>(begin);
  }
  ~Zeros() {
    if (begin_ != nullptr) ::munmap(begin_, size_);
  }
  Zeros(const Zeros&) = delete;
  Zeros& operator=(const Zeros&) = delete;

  bool ok() const { return begin_ != nullptr; }
  Bytes bytes() const { return {begin_, size_}; }
  void put(uint64_t offset, Bytes bytes) {
    std::memcpy(begin_ + offset, bytes.data(), bytes.size());
  }

 private:
  const uint64_t size_;
  std::byte* begin_ = nullptr;
};

// Each of them would be valid without the zeros behind it.
TEST(TooLargeTest, ACommandIsRefused) {
  Zeros command(kTooLarge);
  ASSERT_TRUE(command.ok());
  command.put(0, testing::encoded(samples::command_of(samples::Of<FinishQueue>())));
  const uint32_t size = kTooLarge - sizeof(uint32_t);
  command.put(0, bytes_of(&size, sizeof(size)));
  EXPECT_THAT(decode_command(command.bytes()).status(),
              IsError(absl::StatusCode::kDataLoss, "cannot have 2147483647 bytes"));
}

TEST(TooLargeTest, AReferenceToAnotherFileIsRefused) {
  Zeros reference(kTooLarge);
  ASSERT_TRUE(reference.ok());
  flatbuffers::FlatBufferBuilder builder;
  ExternalBlobInfo info;
  info.path = "/weights";
  info.size = info.file_size = 1;
  reference.put(0, encode_external_blob(builder, info));
  EXPECT_THAT(parse_external_blob(reference.bytes()).status(),
              IsError(absl::StatusCode::kDataLoss, "holds no reference to another file"));
}

TEST(TooLargeTest, ASessionIsRefused) {
  const uint64_t begin = kMagic.size() + sizeof(FrameHeader);
  const auto file = std::make_shared<Zeros>(kMagic.size() + frame_size(kTooLarge));
  ASSERT_TRUE(file->ok());
  flatbuffers::FlatBufferBuilder builder;
  FinishSessionBuffer(builder, CreateSession(builder, kVersionMajor, 0));
  file->put(0, bytes_of(kMagic.data(), kMagic.size()));
  file->put(begin, bytes_of(builder.GetBufferPointer(), builder.GetSize()));
  const FrameHeader header =
      make_header(FrameType::Session, kTooLarge, digest_of(file->bytes().subspan(begin, kTooLarge)),
                  kMagic.size());
  file->put(kMagic.size(), bytes_of(&header, sizeof(header)));
  EXPECT_THAT(File::from_memory(file, file->bytes()).status(),
              IsError(absl::StatusCode::kDataLoss, "holds no session"));
}

}  // namespace
}  // namespace lightmetal::schema
