#include "schema/file/compressed_blob.h"

#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace lightmetal::schema {
namespace {

// Smaller content is not worth a frame's header, a table and a call of zstd.
constexpr uint64_t kMinCompressed = 4096;
constexpr uint64_t kMaxInMemory = uint64_t{128} << 20;
constexpr uint64_t kSamples = 8;
constexpr uint64_t kSampleSize = 16 * 1024;
// Content of so many bytes and more is sampled first, at 8 places of 16 KiB.
constexpr uint64_t kMinSampled = 4 * kSamples * kSampleSize;

bool pays(uint64_t compressed, uint64_t content) { return compressed <= content - content / 16; }

std::unique_ptr<std::byte[]> allocate(uint64_t size) {
  return std::unique_ptr<std::byte[]>(new (std::nothrow) std::byte[size]);
}

absl::Status no_memory(uint64_t size) {
  return absl::ResourceExhaustedError(
      absl::StrCat("is a compressed blob, and there is no memory for its ", size, " bytes"));
}

absl::Status wrong_content(const ::lightmetal::Digest& expected,
                           const ::lightmetal::Digest& found) {
  return absl::DataLossError(absl::StrCat("is a compressed blob named ", expected.hex(),
                                          ", but its content has the digest ", found.hex()));
}

// Says what is wrong with the header; empty when a reader may go on.
std::string check_header(const CompressedBlobHeader& header) {
  if (header.codec != kCodecZstd) {
    return absl::StrCat("is a blob compressed with codec ", header.codec, ", and only codec ",
                        kCodecZstd, " (zstd) is known");
  }
  if (!std::has_single_bit(header.chunk_size) || header.chunk_size < kMinChunkSize ||
      header.chunk_size > kMaxChunkSize) {
    return absl::StrCat("is a compressed blob with chunks of ", header.chunk_size, " bytes");
  }
  return header.size == 0 ? "is a compressed blob of 0 bytes" : "";
}

// zstd decompresses several frames in a row, and passes over skippable ones, which can hold
// anything.
bool is_one_frame(Bytes stored) {
  constexpr uint32_t kMagic = ZSTD_MAGICNUMBER;  // little-endian, as all numbers of a file
  return stored.size() > sizeof(kMagic) &&
         std::memcmp(stored.data(), &kMagic, sizeof(kMagic)) == 0 &&
         ZSTD_findFrameCompressedSize(stored.data(), stored.size()) == stored.size();
}

}  // namespace

// Decompresses chunks of one blob.
class CompressedBlob::Reader {
 public:
  explicit Reader(const CompressedBlob& blob)
      : blob_(blob), context_(ZSTD_createDCtx(), ZSTD_freeDCtx) {}

  // REQUIRES: target.size() == content_size_of(chunk).
  absl::Status read(uint64_t chunk, absl::Span<std::byte> target) {
    LM_ASSIGN_OR_RETURN(stored, blob_.stored(chunk));
    // A chunk that did not become smaller is stored uncompressed.
    if (stored.size() == target.size()) {
      std::memcpy(target.data(), stored.data(), stored.size());
      return absl::OkStatus();
    }
    if (context_ == nullptr) return no_memory(target.size());
    const size_t size = ZSTD_decompressDCtx(context_.get(), target.data(), target.size(),
                                            stored.data(), stored.size());
    if (size == target.size()) return check_is_one_frame(chunk, stored);
    const std::string found = ZSTD_isError(size) ? ZSTD_getErrorName(size) : absl::StrCat(size);
    return absl::DataLossError(absl::StrCat("is a compressed blob whose chunk ", chunk,
                                            " does not decompress to its ", target.size(),
                                            " bytes: ", found));
  }

 private:
  static absl::Status check_is_one_frame(uint64_t chunk, Bytes stored) {
    if (is_one_frame(stored)) return absl::OkStatus();
    return absl::DataLossError(
        absl::StrCat("is a compressed blob whose chunk ", chunk, " is not one zstd frame"));
  }

  const CompressedBlob& blob_;
  const std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context_;
};

absl::StatusOr<CompressedBlob> CompressedBlob::parse(Bytes payload) {
  CompressedBlob blob;
  CompressedBlobHeader& header = blob.header_;
  if (payload.size() < sizeof(header)) {
    return absl::DataLossError(
        absl::StrCat("is a compressed blob of ", payload.size(), " bytes, less than its header"));
  }
  std::memcpy(&header, payload.data(), sizeof(header));
  if (const std::string wrong = check_header(header); !wrong.empty()) {
    return absl::DataLossError(wrong);
  }
  // A rounded-up division that does not overflow, whatever size the file claims.
  blob.num_chunks_ = header.size / header.chunk_size + (header.size % header.chunk_size != 0);
  const Bytes rest = payload.subspan(sizeof(header));
  if (blob.num_chunks_ > rest.size() / sizeof(uint64_t)) {
    return absl::DataLossError(absl::StrCat("is a compressed blob that claims ", header.size,
                                            " bytes in ", blob.num_chunks_,
                                            " chunks, but has no room for their table"));
  }
  blob.table_ = rest.first(blob.num_chunks_ * sizeof(uint64_t));
  blob.chunks_ = rest.subspan(blob.table_.size());
  if (const uint64_t end = blob.end_of(blob.num_chunks_ - 1); end != blob.chunks_.size()) {
    return absl::DataLossError(absl::StrCat("is a compressed blob whose chunks end at ", end,
                                            ", but they have ", blob.chunks_.size(), " bytes"));
  }
  return blob;
}

uint64_t CompressedBlob::end_of(uint64_t chunk) const {
  uint64_t end = 0;
  std::memcpy(&end, table_.data() + chunk * sizeof(end), sizeof(end));
  return end;
}

uint64_t CompressedBlob::content_size_of(uint64_t chunk) const {
  return std::min<uint64_t>(header_.chunk_size, header_.size - chunk * header_.chunk_size);
}

absl::StatusOr<Bytes> CompressedBlob::stored(uint64_t chunk) const {
  // Each chunk is checked when it is read, so that parse() takes constant time. No chunk is empty,
  // so a file pays at least a byte for each chunk that it claims.
  const uint64_t begin = chunk == 0 ? 0 : end_of(chunk - 1);
  const uint64_t end = end_of(chunk);
  if (begin < end && end <= chunks_.size() && end - begin <= content_size_of(chunk)) {
    return chunks_.subspan(begin, end - begin);
  }
  return absl::DataLossError(absl::StrCat("is a compressed blob whose chunk ", chunk, " of ",
                                          content_size_of(chunk), " bytes lies from ", begin,
                                          " to ", end));
}

absl::Status CompressedBlob::for_each_chunk(absl::FunctionRef<absl::Status(Bytes)> visitor) const {
  const std::unique_ptr<std::byte[]> memory = allocate(content_size_of(0));
  if (memory == nullptr) return no_memory(content_size_of(0));
  Reader reader(*this);
  for (uint64_t chunk = 0; chunk < num_chunks_; ++chunk) {
    const absl::Span<std::byte> content(memory.get(), content_size_of(chunk));
    LM_RETURN_IF_ERROR(reader.read(chunk, content));
    LM_RETURN_IF_ERROR(visitor(content));
  }
  return absl::OkStatus();
}

absl::Status CompressedBlob::read(uint64_t offset, absl::Span<std::byte> target) const {
  if (offset > size() || target.size() > size() - offset) {
    return absl::OutOfRangeError(absl::StrCat("is a compressed blob of ", size(), " bytes, and ",
                                              target.size(), " at ", offset, " were asked for"));
  }
  Reader reader(*this);
  std::unique_ptr<std::byte[]> memory;
  while (!target.empty()) {
    const uint64_t chunk = offset / header_.chunk_size;
    const uint64_t inside = offset % header_.chunk_size;
    const uint64_t chunk_size = content_size_of(chunk);
    const uint64_t count = std::min<uint64_t>(target.size(), chunk_size - inside);
    if (count == chunk_size) {
      LM_RETURN_IF_ERROR(reader.read(chunk, target.first(count)));
    } else {
      if (memory == nullptr) memory = allocate(content_size_of(0));
      if (memory == nullptr) return no_memory(content_size_of(0));
      LM_RETURN_IF_ERROR(reader.read(chunk, {memory.get(), chunk_size}));
      std::memcpy(target.data(), memory.get() + inside, count);
    }
    offset += count;
    target.remove_prefix(count);
  }
  return absl::OkStatus();
}

absl::StatusOr<Payload> CompressedBlob::decompress() const {
  std::shared_ptr<std::byte[]> memory = allocate(size());
  if (memory == nullptr) return no_memory(size());
  LM_RETURN_IF_ERROR(read(0, {memory.get(), size()}));
  const Bytes content(memory.get(), size());
  if (const ::lightmetal::Digest found = digest_of(content); found != digest()) {
    return wrong_content(digest(), found);
  }
  return Payload(content, std::move(memory));
}

absl::Status CompressedBlob::check() const {
  Digester digester;
  LM_RETURN_IF_ERROR(for_each_chunk([&](Bytes content) {
    digester.add(content);
    return absl::OkStatus();
  }));
  const ::lightmetal::Digest found = digester.digest();
  return found == digest() ? absl::OkStatus() : wrong_content(digest(), found);
}

std::vector<Bytes> CompressedParts::parts() const {
  std::vector<Bytes> all = {bytes_of(head.data(), head.size())};
  all.insert(all.end(), chunks.begin(), chunks.end());
  return all;
}

struct Compressor::Context {
  const std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> zstd{ZSTD_createCCtx(), ZSTD_freeCCtx};
  std::vector<std::byte> scratch;  // for one compressed chunk
  std::vector<std::byte> chunk;    // for the copy of a chunk's content
};

Compressor::Compressor(int level) : level_(level), context_(std::make_unique<Context>()) {}
Compressor::~Compressor() = default;

std::optional<CompressedParts> Compressor::compress(Bytes content,
                                                    const ::lightmetal::Digest& digest) {
  const bool is_of_size =
      content.size() >= kMinCompressed && content.size() <= kMaxCompressedContent;
  if (!is_of_size || context_->zstd == nullptr) return std::nullopt;
  // The scratch memory is no larger than the content, so zstd fails rather than write something
  // that is no gain.
  context_->scratch.resize(std::min<uint64_t>(content.size(), kChunkSize));
  context_->chunk.resize(context_->scratch.size());
  if (content.size() >= kMinSampled && !seems_to_pay(content)) return std::nullopt;

  const CompressedBlobHeader header{digest, content.size(), kChunkSize, kCodecZstd};
  CompressedParts out;
  out.head.assign(reinterpret_cast<const char*>(&header), sizeof(header));
  Digester digester;
  uint64_t end = 0;
  for (uint64_t offset = 0; offset < content.size(); offset += kChunkSize) {
    const Bytes chunk = copy_of(content.subspan(offset, kChunkSize));
    digester.add(chunk);
    out.chunks.push_back(compress_chunk(chunk, out));
    end += out.chunks.back().size();
    out.head.append(reinterpret_cast<const char*>(&end), sizeof(end));
    if (end > kMaxInMemory) return std::nullopt;
  }
  out.size = out.head.size() + end;
  if (!pays(out.size, content.size()) || digester.digest() != digest) return std::nullopt;
  return out;
}

bool Compressor::seems_to_pay(Bytes content) {
  const uint64_t step = (content.size() - kSampleSize) / (kSamples - 1);
  uint64_t compressed = 0;
  for (uint64_t sample = 0; sample < kSamples; ++sample) {
    compressed += compress_to_scratch(copy_of(content.subspan(sample * step, kSampleSize)));
  }
  return pays(compressed, kSamples * kSampleSize);
}

Bytes Compressor::copy_of(Bytes content) {
  std::memcpy(context_->chunk.data(), content.data(), content.size());
  return {context_->chunk.data(), content.size()};
}

// A chunk that does not become smaller is stored as it is.
Bytes Compressor::compress_chunk(Bytes content, CompressedParts& out) {
  const uint64_t compressed = compress_to_scratch(content);
  const bool is_smaller = compressed < content.size();
  const Bytes stored = is_smaller ? Bytes(context_->scratch.data(), compressed) : content;
  auto memory = std::make_unique_for_overwrite<std::byte[]>(stored.size());
  std::memcpy(memory.get(), stored.data(), stored.size());
  out.memory.push_back(std::move(memory));
  return {out.memory.back().get(), stored.size()};
}

uint64_t Compressor::compress_to_scratch(Bytes content) {
  std::vector<std::byte>& scratch = context_->scratch;
  const size_t size = ZSTD_compressCCtx(context_->zstd.get(), scratch.data(), scratch.size(),
                                        content.data(), content.size(), level_);
  return ZSTD_isError(size) ? content.size() : size;
}

}  // namespace lightmetal::schema
