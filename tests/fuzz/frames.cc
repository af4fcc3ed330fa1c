#include "tests/fuzz/frames.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <utility>

#include "schema/frame.h"

namespace lightmetal::fuzz {
namespace {

using schema::BlobEntry;
using schema::FrameHeader;
using schema::FrameType;

constexpr size_t kLargestPayload = size_t{1} << 16;
constexpr size_t kMostFrames = 512;

bool is(const Frame& frame, FrameType type) { return frame.type == static_cast<uint16_t>(type); }
bool closes(const Frame& frame) {
  return is(frame, FrameType::Index) || is(frame, FrameType::Footer);
}

template <class Value>
Bytes bytes_of_vector(const std::vector<Value>& values) {
  return bytes_of(values.data(), values.size() * sizeof(Value));
}

// Puts `to` wherever `from` stands in `bytes`.
void replace(std::vector<std::byte>& bytes, const Digest& from, const Digest& to) {
  const auto* begin = reinterpret_cast<const std::byte*>(&from);
  for (auto at = bytes.begin();; at += sizeof(Digest)) {
    at = std::search(at, bytes.end(), begin, begin + sizeof(Digest));
    if (at == bytes.end()) return;
    std::memcpy(&*at, &to, sizeof(to));
  }
}

// A command says first how long it is.
void set_size_prefix(Frame& frame) {
  if (!is(frame, FrameType::Command) || frame.payload.size() < sizeof(uint32_t)) return;
  const auto size = static_cast<uint32_t>(frame.payload.size() - sizeof(uint32_t));
  std::memcpy(frame.payload.data(), &size, sizeof(size));
}

class Assembly {
 public:
  Assembly() { put(bytes_of(schema::kMagic.data(), schema::kMagic.size())); }

  void add(const Frame& frame) {
    const uint64_t offset = file_.size();
    const Digest digest = digest_of(frame.payload);
    if (is(frame, FrameType::Command) && num_commands_++ % schema::kCommandsPerCheckpoint == 0) {
      checkpoints_.push_back(offset);
    }
    if (is(frame, FrameType::Blob)) blobs_.push_back({digest, frame.payload.size(), offset});
    add(frame.type, frame.flags, frame.payload);
  }

  void close() {
    std::sort(blobs_.begin(), blobs_.end(),
              [](const BlobEntry& a, const BlobEntry& b) { return a.digest < b.digest; });
    schema::IndexHeader header;
    header.num_commands = num_commands_;
    header.num_blobs = blobs_.size();
    const schema::Footer footer{file_.size()};
    std::vector<std::byte> index;
    for (const Bytes part : {bytes_of(&header, sizeof(header)), bytes_of_vector(checkpoints_),
                             bytes_of_vector(blobs_)}) {
      index.insert(index.end(), part.begin(), part.end());
    }
    add(static_cast<uint16_t>(FrameType::Index), 0, index);
    add(static_cast<uint16_t>(FrameType::Footer), 0, bytes_of(&footer, sizeof(footer)));
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
};

void change_payload(Frame& frame, MutateBytes mutate_bytes) {
  const Digest before = digest_of(frame.payload);
  const size_t size = std::min(frame.payload.size(), kLargestPayload);
  frame.payload.resize(std::min(2 * size + 64, kLargestPayload));
  frame.payload.resize(
      mutate_bytes(reinterpret_cast<uint8_t*>(frame.payload.data()), size, frame.payload.size()));
  if (digest_of(frame.payload) != before) set_size_prefix(frame);
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

std::vector<std::byte> assemble(std::vector<Frame> frames, bool closed) {
  Assembly assembly;
  for (const Frame& frame : frames) assembly.add(frame);
  if (closed) assembly.close();
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
    default: {
      const Digest before = digest_of(frames[chosen].payload);
      change_payload(frames[chosen], mutate_bytes);
      const Digest after = digest_of(frames[chosen].payload);
      if (!is(frames[chosen], FrameType::Blob)) return;
      for (Frame& frame : frames) replace(frame.payload, before, after);
    }
  }
}

}  // namespace lightmetal::fuzz
