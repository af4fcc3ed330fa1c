#include "tests/fuzz/frames.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <random>
#include <utility>

#include "schema/file/compressed_blob.h"
#include "schema/file/external_blob.h"
#include "schema/file/frame.h"

namespace lightmetal::fuzz {
namespace {

using schema::BlobEntry;
using schema::FrameHeader;
using schema::FrameType;

constexpr size_t kLargestPayload = size_t{1} << 16;
constexpr size_t kLargestContent = size_t{1} << 20;
constexpr size_t kMostFrames = 512;

bool is(const Frame& frame, FrameType type) { return frame.type == static_cast<uint16_t>(type); }
bool closes(const Frame& frame) {
  return is(frame, FrameType::Index) || is(frame, FrameType::Footer);
}

template <class Value>
Bytes bytes_of_vector(const std::vector<Value>& values) {
  return bytes_of(values.data(), values.size() * sizeof(Value));
}

// What commands call a payload, as it lies in them.
struct Name {
  Digest digest;
  uint64_t size = 0;
};

// None for a frame that holds no payload, or nothing that says which.
std::optional<Name> name_of(const Frame& frame) {
  if (is(frame, FrameType::Blob)) return Name{digest_of(frame.payload), frame.payload.size()};
  if (is(frame, FrameType::CompressedBlob)) {
    schema::CompressedBlobHeader header;
    if (frame.payload.size() < sizeof(header)) return std::nullopt;
    std::memcpy(&header, frame.payload.data(), sizeof(header));
    return Name{header.digest, header.size};
  }
  if (!is(frame, FrameType::ExternalBlob)) return std::nullopt;
  const auto external = schema::parse_external_blob(frame.payload);
  if (!external.ok()) return std::nullopt;
  return Name{external->digest, external->size};
}

// Gives a compressed payload that still decompresses the digest of its content.
void name_by_content(Frame& frame) {
  if (!is(frame, FrameType::CompressedBlob)) return;
  const auto blob = schema::CompressedBlob::parse(frame.payload);
  if (!blob.ok() || blob->size() > kLargestContent) return;
  Digester digester;
  const absl::Status read = blob->for_each_chunk([&](Bytes content) {
    digester.add(content);
    return absl::OkStatus();
  });
  const Digest digest = digester.digest();
  if (read.ok()) std::memcpy(frame.payload.data(), &digest, sizeof(digest));
}

// Puts `to` wherever `from` stands in `bytes`, with its size or without.
void replace(std::vector<std::byte>& bytes, const Name& from, const Name& to) {
  const auto* begin = reinterpret_cast<const std::byte*>(&from.digest);
  for (auto at = bytes.begin();; at += sizeof(Digest)) {
    at = std::search(at, bytes.end(), begin, begin + sizeof(Digest));
    if (at == bytes.end()) return;
    const size_t left = static_cast<size_t>(bytes.end() - at);
    const bool with_size = left >= sizeof(Name) &&
                           std::memcmp(&*at + sizeof(Digest), &from.size, sizeof(from.size)) == 0;
    std::memcpy(&*at, &to, with_size ? sizeof(Name) : sizeof(Digest));
  }
}

// A command says first how long it is.
void set_size_prefix(Frame& frame) {
  if (!is(frame, FrameType::Command) || frame.payload.size() < sizeof(uint32_t)) return;
  const auto size = static_cast<uint32_t>(frame.payload.size() - sizeof(uint32_t));
  std::memcpy(frame.payload.data(), &size, sizeof(size));
}

void change(std::vector<std::byte>& bytes, MutateBytes mutate_bytes) {
  const size_t size = std::min(bytes.size(), kLargestPayload);
  bytes.resize(std::min(2 * size + 64, kLargestPayload));
  bytes.resize(mutate_bytes(reinterpret_cast<uint8_t*>(bytes.data()), size, bytes.size()));
}

class Assembly {
 public:
  Assembly() { put(bytes_of(schema::kMagic.data(), schema::kMagic.size())); }

  void add(const Frame& frame) {
    const uint64_t offset = file_.size();
    if (is(frame, FrameType::Command) && num_commands_++ % schema::kCommandsPerCheckpoint == 0) {
      checkpoints_.push_back(offset);
    }
    if (const auto name = name_of(frame)) blobs_.push_back({name->digest, name->size, offset});
    add(frame.type, frame.flags, frame.payload);
  }

  void add_index(MutateBytes mutate_index) {
    footer_.index_offset = file_.size();
    std::sort(blobs_.begin(), blobs_.end(),
              [](const BlobEntry& a, const BlobEntry& b) { return a.digest < b.digest; });
    schema::IndexHeader header;
    header.num_commands = num_commands_;
    header.num_blobs = blobs_.size();
    std::vector<std::byte> index;
    for (const Bytes part : {bytes_of(&header, sizeof(header)), bytes_of_vector(checkpoints_),
                             bytes_of_vector(blobs_)}) {
      index.insert(index.end(), part.begin(), part.end());
    }
    if (mutate_index != nullptr) change(index, mutate_index);
    add(static_cast<uint16_t>(FrameType::Index), 0, index);
  }

  void add_footer() {
    add(static_cast<uint16_t>(FrameType::Footer), 0, bytes_of(&footer_, sizeof(footer_)));
  }

  std::vector<std::byte> take() { return std::move(file_); }

 private:
  void add(uint16_t type, uint16_t flags, Bytes payload) {
    const uint64_t offset = file_.size();
    FrameHeader header = schema::make_header(static_cast<FrameType>(type), payload.size(),
                                             digest_of(payload), offset);
    header.flags = flags;
    header.checksum = schema::header_checksum(header, offset);
    put(bytes_of(&header, sizeof(header)));
    put(payload);
    file_.resize(offset + schema::frame_size(payload.size()));
  }

  void put(Bytes bytes) { file_.insert(file_.end(), bytes.begin(), bytes.end()); }

  std::vector<std::byte> file_;
  uint64_t num_commands_ = 0;
  std::vector<uint64_t> checkpoints_;
  std::vector<BlobEntry> blobs_;
  schema::Footer footer_;
};

// What is named in `frames` keeps its name there.
void change_payload(std::vector<Frame>& frames, Frame& frame, MutateBytes mutate_bytes) {
  const std::vector<std::byte> old = frame.payload;
  const std::optional<Name> before = name_of(frame);
  change(frame.payload, mutate_bytes);
  if (frame.payload == old) return;
  set_size_prefix(frame);
  name_by_content(frame);
  const std::optional<Name> after = name_of(frame);
  if (!before.has_value() || !after.has_value()) return;
  for (Frame& other : frames) replace(other.payload, *before, *after);
}

}  // namespace

std::vector<Frame> parse(Bytes file) {
  std::vector<Frame> frames;
  size_t offset = std::min(schema::kMagic.size(), file.size());
  while (file.size() - offset >= sizeof(FrameHeader) && frames.size() < kMostFrames) {
    FrameHeader header;
    std::memcpy(&header, file.data() + offset, sizeof(header));
    offset += sizeof(header);
    const size_t length = std::min<uint64_t>(header.length, file.size() - offset);
    const Bytes payload = file.subspan(offset, length);
    Frame frame{header.type, header.flags, {payload.begin(), payload.end()}};
    if (!closes(frame)) frames.push_back(std::move(frame));
    offset += std::min<uint64_t>(schema::frame_size(length) - sizeof(header), file.size() - offset);
  }
  return frames;
}

std::vector<std::byte> assemble(const std::vector<Frame>& frames, bool closed,
                                MutateBytes mutate_index) {
  const auto follows_index = [closed](const Frame& frame) {
    return closed && is(frame, FrameType::Signature);
  };
  Assembly assembly;
  for (const Frame& frame : frames) {
    if (!follows_index(frame)) assembly.add(frame);
  }
  if (!closed) return assembly.take();
  assembly.add_index(mutate_index);
  for (const Frame& frame : frames) {
    if (follows_index(frame)) assembly.add(frame);
  }
  assembly.add_footer();
  return assembly.take();
}

void mutate(std::vector<Frame>& frames, uint32_t seed, MutateBytes mutate_bytes) {
  if (frames.empty()) frames.emplace_back();
  std::minstd_rand random(seed);
  const size_t chosen = random() % frames.size(), other = random() % frames.size();
  switch (random() % 8) {
    case 0:
      std::swap(frames[chosen], frames[other]);
      return;
    case 1:
      if (frames.size() < kMostFrames) frames.insert(frames.begin() + other, frames[chosen]);
      return;
    case 2:
      frames.erase(frames.begin() + chosen);
      return;
    case 3:
      frames[chosen].type = random() % 12;
      frames[chosen].flags = random() % 2;
      return;
    default:
      change_payload(frames, frames[chosen], mutate_bytes);
  }
}

}  // namespace lightmetal::fuzz
