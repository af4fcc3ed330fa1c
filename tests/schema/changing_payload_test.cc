// Payloads whose memory changes while they are recorded: the file's bytes agree with their names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <lightmetal/capture.hpp>
#include <lightmetal/replay.hpp>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tensor/host_tensor.hpp>
#include <tt-metalium/tensor/mesh_tensor.hpp>
#include <tt-metalium/tensor/tensor_apis.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <utility>
#include <vector>

#include "capture/ring_memory.h"
#include "schema/storage/mapped_sink.h"
#include "schema/storage/memory_sink.h"
#include "schema/verify/verify.h"
#include "tests/schema/schema_testing.h"
#include "tests/support/captured_file.h"
#include "tests/support/process.h"

namespace lightmetal {
namespace {

namespace tm = tt::tt_metal;
namespace distributed = tt::tt_metal::distributed;

using schema::testing::Content;
using testing::TemporaryFolder;

// ---- One payload, which changes right after its digest was taken ----

// Where a Writer writes to, and what was written.
class Target {
 public:
  virtual ~Target() = default;
  virtual std::shared_ptr<schema::Sink> sink() = 0;
  virtual Content content() = 0;
};

class InMemory : public Target {
 public:
  explicit InMemory(uint64_t limit = uint64_t{1} << 40)
      : sink_(std::make_shared<schema::MemorySink>(limit)) {}
  std::shared_ptr<schema::Sink> sink() override { return sink_; }
  Content content() override {
    if (sink_->file() == nullptr) return sink_->take();
    const auto mapped = sink_->file()->map();
    EXPECT_TRUE(mapped.ok()) << mapped.status();
    return schema::testing::copy_of((*mapped)->bytes());
  }

 private:
  const std::shared_ptr<schema::MemorySink> sink_;
};

class InFile : public Target {
 public:
  explicit InFile(bool is_mapped) {
    if (is_mapped) {
      auto sink = schema::MappedSink::create(path_);
      EXPECT_TRUE(sink.ok()) << sink.status();
      sink_ = *std::move(sink);
    } else {
      auto sink = schema::FileSink::create(path_);
      EXPECT_TRUE(sink.ok()) << sink.status();
      sink_ = *std::move(sink);
    }
  }
  std::shared_ptr<schema::Sink> sink() override { return sink_; }
  Content content() override {
    std::ifstream file(path_, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    return schema::testing::copy_of(schema::testing::bytes_of_text(text));
  }

 private:
  const TemporaryFolder folder_;
  const std::string path_ = folder_.path("changing.lmb");
  std::shared_ptr<schema::Sink> sink_;
};

class InRing : public Target {
 public:
  std::shared_ptr<schema::Sink> sink() override { return memory_; }
  Content content() override { return schema::testing::copy_of(memory_->bytes()); }

 private:
  const std::shared_ptr<capture::RingMemory> memory_ =
      *capture::RingMemory::create(uint64_t{64} << 20);
};

struct TargetKind {
  const char* name;
  std::function<std::unique_ptr<Target>()> make;
};

const TargetKind kTargets[] = {
    {"Memory", [] { return std::make_unique<InMemory>(); }},
    {"MemoryThatMovesToAFile", [] { return std::make_unique<InMemory>(uint64_t{300'000}); }},
    {"MappedFile", [] { return std::make_unique<InFile>(/*is_mapped=*/true); }},
    {"WrittenFile", [] { return std::make_unique<InFile>(/*is_mapped=*/false); }},
    {"Ring", [] { return std::make_unique<InRing>(); }},
};

// Sizes around those at which a writer goes another way.
constexpr size_t kSizes[] = {1,      100,     4096,    65'535,    65'536,
                             65'537, 262'144, 262'149, 1'048'576, 3'000'001};

// Bytes that become smaller, or do not.
Content payload_of(size_t size, bool is_noise) {
  Content content(size);
  uint32_t state = static_cast<uint32_t>(size);
  for (std::byte& byte : content) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<std::byte>(is_noise ? state >> 24 : state >> 31);
  }
  return content;
}

class ChangingBlobTest : public ::testing::TestWithParam<std::tuple<TargetKind, int>> {
 protected:
  ChangingBlobTest() {
    EXPECT_TRUE(writer_.begin({}).ok());
    EXPECT_TRUE(writer_.append_blob(Content(77, std::byte{7})).ok());
  }

  // Appends the memory as a payload, and changes each byte once its digest is known.
  schema::BlobRef append_changing(Content& memory) {
    bool has_changed = false;
    const auto change =
        [&](Bytes, const Digest&) -> absl::StatusOr<std::optional<schema::ExternalBlobInfo>> {
      if (!std::exchange(has_changed, true)) {
        for (std::byte& byte : memory) byte ^= std::byte{2};
      }
      return std::nullopt;
    };
    const auto reference = writer_.append_changing_blob(memory, change);
    EXPECT_TRUE(reference.ok()) << reference.status();
    return reference.ok() ? *reference : schema::BlobRef();
  }

  std::shared_ptr<const schema::File> finished() {
    EXPECT_TRUE(writer_.finish(absl::OkStatus()).ok());
    auto file = schema::testing::opened(target_->content());
    EXPECT_TRUE(schema::verify(*file, nullptr, schema::testing::kFormAlone).ok())
        << schema::verify(*file, nullptr, schema::testing::kFormAlone);
    return file;
  }

  const std::unique_ptr<Target> target_ = std::get<0>(GetParam()).make();
  schema::Writer writer_{target_->sink(), {.compression_level = std::get<1>(GetParam())}};
};

TEST_P(ChangingBlobTest, TheFileVerifiesAndHoldsTheMemoryAsItWasAtSomeMoment) {
  struct Appended {
    schema::BlobRef reference;
    Content before;
    Content after;
  };
  std::vector<Appended> all;
  for (const size_t size : kSizes) {
    for (const bool is_noise : {false, true}) {
      Content memory = payload_of(size, is_noise);
      Content before = memory;
      const schema::BlobRef reference = append_changing(memory);
      ASSERT_NE(memory, before);
      all.push_back({reference, std::move(before), memory});
      // What follows is where the file's records say.
      ASSERT_TRUE(writer_.append_blob(Content(size % 1000 + 3, std::byte{9})).ok());
    }
  }
  const auto file = finished();
  for (const Appended& appended : all) {
    const auto found = file->blob(appended.reference);
    ASSERT_TRUE(found.ok()) << found.status();
    const Content content = schema::testing::copy_of(found->bytes());
    EXPECT_TRUE(content == appended.before || content == appended.after)
        << appended.before.size() << " B";
  }
}

TEST_P(ChangingBlobTest, MemoryThatDoesNotChangeGivesTheSameFileAsMemoryThatMayNot) {
  const std::unique_ptr<Target> target = std::get<0>(GetParam()).make();
  schema::Writer fixed(target->sink(), {.compression_level = std::get<1>(GetParam())});
  ASSERT_TRUE(fixed.begin({}).ok());
  ASSERT_TRUE(fixed.append_blob(Content(77, std::byte{7})).ok());
  const auto find_nothing =
      [](Bytes, const Digest&) -> absl::StatusOr<std::optional<schema::ExternalBlobInfo>> {
    return std::nullopt;
  };
  for (const size_t size : kSizes) {
    const Content memory = payload_of(size, size % 2 == 0);
    ASSERT_TRUE(writer_.append_changing_blob(memory, find_nothing).ok());
    ASSERT_TRUE(fixed.append_blob(memory).ok());
  }
  ASSERT_TRUE(writer_.finish(absl::OkStatus()).ok());
  ASSERT_TRUE(fixed.finish(absl::OkStatus()).ok());
  EXPECT_TRUE(target_->content() == target->content());
}

INSTANTIATE_TEST_SUITE_P(Targets, ChangingBlobTest,
                         ::testing::Combine(::testing::ValuesIn(kTargets), ::testing::Values(0, 1)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) +
                                  (std::get<1>(info.param) == 0 ? "" : "Compressed");
                         });

// ---- Every call that takes a payload, while a thread changes the payload ----

// Changes words of some memory, over and over, while it lives.
class Changer {
 public:
  explicit Changer(std::vector<uint32_t>& words) : words_(words) {
    while (rounds_ == 0) std::this_thread::yield();
  }
  ~Changer() {
    ends_ = true;
    thread_.join();
  }

 private:
  void run() {
    for (uint32_t i = 1; !ends_; ++i, ++rounds_) {
      for (size_t at = 0; at < words_.size(); at += 1021)
        std::atomic_ref(words_[at]).store(i, std::memory_order_relaxed);
    }
  }

  std::vector<uint32_t>& words_;
  std::atomic<bool> ends_ = false;
  std::atomic<uint64_t> rounds_ = 0;
  std::thread thread_{[this] { run(); }};
};

// What a program has where it makes one of the calls.
struct Place {
  std::shared_ptr<distributed::MeshDevice> mesh;
  std::shared_ptr<tm::Buffer> buffer;  // on the first device
  std::shared_ptr<distributed::MeshBuffer> mesh_buffer;
  std::shared_ptr<std::vector<uint32_t>> words;  // change

  tm::IDevice* device() const { return mesh->get_devices().front(); }
  tm::CommandQueue& queue() const { return device()->command_queue(); }
  size_t size() const { return words->size() * sizeof(uint32_t); }
};

struct Call {
  const char* name;
  void (*make)(const Place& at, bool blocking);
};

// Calls that write `words`; those of a buffer write all of it.
const Call kWrites[] = {
    {"EnqueueWriteBufferOfAPointer",
     [](const Place& at, bool blocking) {
       tm::EnqueueWriteBuffer(at.queue(), at.buffer, at.words->data(), blocking);
     }},
    {"EnqueueWriteBufferOfAVector",
     [](const Place& at, bool blocking) {
       tm::EnqueueWriteBuffer(at.queue(), at.buffer, *at.words, blocking);
     }},
    {"EnqueueWriteBufferOfASharedVector",
     [](const Place& at, bool blocking) {
       tm::EnqueueWriteBuffer(at.queue(), at.buffer, at.words, blocking);
     }},
    {"EnqueueWriteSubBuffer",
     [](const Place& at, bool blocking) {
       const size_t half = at.size() / 2;
       tm::EnqueueWriteSubBuffer(at.queue(), at.buffer, at.words->data(), {half, half}, blocking);
     }},
    {"WriteToBuffer",
     [](const Place& at, bool) { tm::detail::WriteToBuffer(at.buffer, *at.words); }},
    {"WriteToDeviceDRAMChannel",
     [](const Place& at, bool) {
       tm::detail::WriteToDeviceDRAMChannel(at.device(), 1, 64 << 20, *at.words);
     }},
    {"WriteToDeviceL1",
     [](const Place& at, bool) {
       std::vector<uint32_t>& all = *at.words;
       if (at.size() <= (512 << 10)) {
         tm::detail::WriteToDeviceL1(at.device(), tm::CoreCoord{1, 1}, 512 << 10, all);
       }
     }},
    {"EnqueueWriteMeshBuffer",
     [](const Place& at, bool blocking) {
       distributed::EnqueueWriteMeshBuffer(at.mesh->mesh_command_queue(), at.mesh_buffer, *at.words,
                                           blocking);
     }},
    {"WriteShard",
     [](const Place& at, bool blocking) {
       distributed::WriteShard(at.mesh->mesh_command_queue(), at.mesh_buffer, *at.words,
                               distributed::MeshCoordinate(0, 1), blocking);
     }},
};

enum class Capture { kMemory, kSpilled, kFile, kCompressed, kReference, kRing };

class ChangingPayloadTest : public ::testing::TestWithParam<std::tuple<Call, size_t>> {
 protected:
  ChangingPayloadTest() {
    words_ = std::make_shared<std::vector<uint32_t>>(std::get<1>(GetParam()) / sizeof(uint32_t));
    uint32_t state = 1;
    for (uint32_t& word : *words_) word = state = state * 1664525 + 1013904223;
  }

  // Makes the call some times while the words change, and reads what the device has.
  void make_calls(bool blocking) {
    const auto mesh = distributed::MeshDevice::create(
        distributed::MeshDeviceConfig(distributed::MeshShape(1, 2)));
    const size_t size = words_->size() * sizeof(uint32_t);
    Place at{.mesh = mesh, .buffer = nullptr, .mesh_buffer = nullptr, .words = words_};
    at.buffer = tm::CreateBuffer(
        tm::InterleavedBufferConfig{.device = at.device(), .size = size, .page_size = 4096});
    at.mesh_buffer = distributed::MeshBuffer::create(
        distributed::ReplicatedBufferConfig{.size = size},
        {.page_size = 4096, .buffer_type = tm::BufferType::DRAM}, mesh.get());
    std::vector<uint32_t> back;
    {
      const Changer changer(*words_);
      for (int i = 0; i < 6; ++i) {
        std::get<0>(GetParam()).make(at, blocking);
        tm::EnqueueReadBuffer(at.queue(), at.buffer, back, /*blocking=*/true);
        for (const auto& coord : distributed::MeshCoordinateRange(mesh->shape())) {
          distributed::ReadShard(mesh->mesh_command_queue(), back, at.mesh_buffer, coord, true);
        }
      }
    }
    at = {};
    mesh->close();
  }

  // The file verifies, and its replay reads what the program has read.
  void expect_replays(const std::string& path) {
    const auto file = schema::File::open(path);
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_TRUE(schema::verify(**file, nullptr, schema::testing::kFormAlone).ok())
        << schema::verify(**file, nullptr, schema::testing::kFormAlone);
    const auto replay = Replay::load_file(path);
    ASSERT_TRUE(replay.ok()) << replay.status();
    const auto result = (*replay)->run();
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_GT(result->goldens_checked, 0);
    EXPECT_TRUE(result->matches());
  }

  CaptureOptions options_for(Capture kind) {
    CaptureOptions options{.path = path_, .read_goldens = true};
    if (kind == Capture::kMemory || kind == Capture::kSpilled) options.path.clear();
    if (kind == Capture::kSpilled) options.memory_limit = 100'000;
    if (kind == Capture::kCompressed) options.compress = 1;
    if (kind == Capture::kReference) options.payloads = PayloadPolicy::Reference;
    if (kind == Capture::kRing) options.ring_size = uint64_t{256} << 20;
    return options;
  }

  // Declares that the words are those of a file, as they are now.
  void declare_words() {
    const std::string data = folder_.path("words.bin");
    testing::write_file(data, std::string(reinterpret_cast<const char*>(words_->data()),
                                          words_->size() * sizeof(uint32_t)));
    ASSERT_TRUE(declare_file_data(std::as_bytes(std::span(*words_)), data).ok());
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.path("changing.lmb");
  std::shared_ptr<std::vector<uint32_t>> words_;
};

TEST_P(ChangingPayloadTest, TheFileReplaysHoweverItWasCaptured) {
  for (const Capture kind : {Capture::kMemory, Capture::kSpilled, Capture::kFile,
                             Capture::kCompressed, Capture::kReference, Capture::kRing}) {
    for (const bool blocking : {false, true}) {
      SCOPED_TRACE(::testing::Message()
                   << "capture " << static_cast<int>(kind) << (blocking ? ", blocking" : ""));
      if (kind == Capture::kReference) declare_words();
      const CaptureOptions options = options_for(kind);
      tm::LightMetalBeginCapture(options);
      make_calls(blocking);
      const tm::LightMetalBinary binary = tm::LightMetalEndCapture();
      if (options.path.empty()) binary.save_to_file(path_);
      undeclare_file_data(std::as_bytes(std::span(*words_)));
      expect_replays(path_);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Calls, ChangingPayloadTest,
                         ::testing::Combine(::testing::ValuesIn(kWrites),
                                            ::testing::Values(size_t{40'960}, size_t{1} << 20)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) +
                                  std::to_string(std::get<1>(info.param));
                         });

}  // namespace
}  // namespace lightmetal
