#include "capture/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "capture/capture.h"
#include "capture/environment.h"
#include "capture/ring_memory.h"
#include "capture/session.h"
#include "schema/commands/calls.h"
#include "schema/file/reader.h"
#include "schema/storage/memory_sink.h"
#include "schema/storage/sink.h"
#include "schema/storage/write_signals.h"
#include "tests/support/process.h"

namespace lightmetal::capture {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Object buffer(uint64_t id) { return {Kind::Buffer, id}; }
Object device(uint64_t id) { return {Kind::Device, id}; }

void record_device(uint64_t id) {
  record_creation<schema::CreateDevice>(device(id), [&](Encoder& encoder) {
    const schema::CoreCoord core(1, 1);
    schema::DeviceProfileBuilder profile(encoder.builder());
    profile.add_grid(&core);
    profile.add_first_worker(&core);
    const auto profile_offset = profile.Finish();
    schema::CreateDeviceBuilder table(encoder.builder());
    table.add_id(kNewId);
    table.add_profile(profile_offset);
    return table.Finish();
  });
}

void record_buffer(uint64_t id) {
  record_creation<schema::BufferCreate>(buffer(id), [&](Encoder& encoder) {
    schema::BufferCreateBuilder table(encoder.builder());
    table.add_id(kNewId);
    table.add_size(64);
    return table.Finish();
  });
}

void record_deallocation(uint64_t id) {
  record_encoded<schema::BufferDeallocate>([&](Encoder& encoder) {
    return schema::CreateBufferDeallocate(
        encoder.builder(), encoder.use(buffer(id), [] { return std::string("at address 0x20"); }));
  });
}

void record_end_of_buffer(uint64_t id) {
  record_destruction<schema::BufferDestroy>(buffer(id), [&](Encoder& encoder, uint64_t file_id) {
    return schema::CreateBufferDestroy(encoder.builder(), file_id);
  });
}

void record_write(uint64_t id, Bytes data) {
  record_encoded<schema::WriteToBuffer>([&](Encoder& encoder) {
    const schema::BlobRef blob = encoder.blob(data);
    return schema::CreateWriteToBuffer(encoder.builder(), encoder.use(buffer(id)), &blob);
  });
}

// A file that a test has captured, with its commands unpacked.
struct Captured {
  std::shared_ptr<const schema::File> file;
  std::vector<schema::CommandT> commands;

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const schema::CommandT& command : commands) {
      names.push_back(schema::EnumNameCall(command.call.type));
    }
    return names;
  }
};

Captured read_back(schema::MemorySink& sink) {
  Captured captured;
  auto file = schema::File::from_bytes(sink.take());
  EXPECT_TRUE(file.ok()) << file.status();
  if (!file.ok()) return captured;
  captured.file = *file;
  const absl::Status status = captured.file->for_each_command([&](const schema::CommandView& view) {
    view.command->UnPackTo(&captured.commands.emplace_back());
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  return captured;
}

// A sink that takes so many bytes and then fails.
class FullSink final : public schema::Sink {
 public:
  explicit FullSink(uint64_t room) : room_(room) {}
  absl::Status append(absl::Span<const Bytes> parts) override {
    for (Bytes part : parts) size_ += part.size();
    return size_ > room_ ? absl::ResourceExhaustedError("no room left") : absl::OkStatus();
  }
  absl::Status close() override { return absl::OkStatus(); }
  uint64_t size() const override { return size_; }

 private:
  const uint64_t room_;
  uint64_t size_ = 0;
};

class RecorderTest : public ::testing::Test {
 protected:
  void begin(Options options = {}) {
    ASSERT_TRUE(capture::begin(options, sink_, [] {}).ok());
  }
  Captured end() {
    end_status_ = capture::end();
    return read_back(*sink_);
  }
  void TearDown() override {
    if (running()) (void)capture::end();
  }

  std::shared_ptr<schema::MemorySink> sink_ = std::make_shared<schema::MemorySink>();
  absl::Status end_status_;
};

TEST_F(RecorderTest, FileIdsAreDenseInEachKindWhateverTheProcessIdsAre) {
  begin();
  record_device(7);
  record_buffer(1000);
  record_buffer(17);
  record_device(3);
  record_deallocation(17);
  const Captured captured = end();
  ASSERT_EQ(end_status_, absl::OkStatus());
  ASSERT_THAT(captured.names(), ElementsAre("CreateDevice", "BufferCreate", "BufferCreate",
                                            "CreateDevice", "BufferDeallocate"));
  EXPECT_EQ(captured.commands[0].call.AsCreateDevice()->id, 1u);
  EXPECT_EQ(captured.commands[1].call.AsBufferCreate()->id, 1u);
  EXPECT_EQ(captured.commands[2].call.AsBufferCreate()->id, 2u);
  EXPECT_EQ(captured.commands[3].call.AsCreateDevice()->id, 2u);
  EXPECT_EQ(captured.commands[4].call.AsBufferDeallocate()->buffer, 2u);
}

TEST_F(RecorderTest, AReusedProcessIdIsANewObject) {
  begin();
  record_buffer(5);
  record_deallocation(5);
  record_end_of_buffer(5);
  record_buffer(5);
  record_deallocation(5);
  const Captured captured = end();
  ASSERT_EQ(captured.commands.size(), 5u);
  EXPECT_EQ(captured.commands[3].call.AsBufferCreate()->id, 2u);
  EXPECT_EQ(captured.commands[4].call.AsBufferDeallocate()->buffer, 2u);
}

TEST_F(RecorderTest, DestructionOfAnUnknownObjectPassesInSilence) {
  begin();
  record_end_of_buffer(99);
  const Captured captured = end();
  EXPECT_EQ(end_status_, absl::OkStatus());
  EXPECT_TRUE(captured.commands.empty());
}

TEST_F(RecorderTest, UseOfAnUnknownObjectIsAnErrorThatNamesCallAndObject) {
  begin();
  record_deallocation(99);
  const Captured captured = end();
  EXPECT_THAT(std::string(end_status_.message()),
              HasSubstr("the call BufferDeallocate cannot be captured: it uses a Buffer at address "
                        "0x20 that was created before the capture began"));
  EXPECT_TRUE(captured.commands.empty());
  EXPECT_FALSE(captured.file->complete());
  EXPECT_EQ(captured.file->capture_status(), end_status_);
}

TEST_F(RecorderTest, TheFirstErrorSticksAndNothingIsRecordedAfterIt) {
  begin();
  record_buffer(1);
  record_error(absl::InternalError("first"));
  record_error(absl::InternalError("second"));
  EXPECT_FALSE(g_mode.load());
  EXPECT_TRUE(running());
  record_buffer(2);
  const Captured captured = end();
  EXPECT_EQ(end_status_.message(), "first");
  EXPECT_THAT(captured.names(), ElementsAre("BufferCreate"));
}

TEST_F(RecorderTest, AnErrorDoesNotReachTheNextCapture) {
  begin();
  record_error(absl::InternalError("first"));
  (void)end();
  begin();
  record_buffer(1);
  EXPECT_EQ(end().commands.size(), 1u);
  EXPECT_EQ(end_status_, absl::OkStatus());
}

TEST_F(RecorderTest, ASecondBeginIsRefusedAndTheFirstCaptureGoesOn) {
  begin();
  record_buffer(1);
  const absl::Status second = capture::begin({}, std::make_shared<schema::MemorySink>(), [] {});
  EXPECT_EQ(second.code(), absl::StatusCode::kFailedPrecondition);
  record_buffer(2);
  EXPECT_EQ(end().commands.size(), 2u);
}

TEST_F(RecorderTest, EndWithoutBeginIsAnError) {
  EXPECT_EQ(capture::end().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(RecorderTest, ObjectsOfAnEarlierCaptureAreUnknown) {
  begin();
  record_buffer(1);
  EXPECT_TRUE(knows(buffer(1)));
  (void)end();
  begin();
  EXPECT_FALSE(knows(buffer(1)));
}

TEST_F(RecorderTest, IdsOfAnEarlierCaptureAreForgotten) {
  begin();
  record_buffer(1);
  record_deallocation(1);
  EXPECT_EQ(end().commands.size(), 2u);
  begin();
  record_buffer(7);
  record_buffer(1);
  record_deallocation(1);
  const Captured captured = end();
  ASSERT_EQ(captured.commands.size(), 3u);
  EXPECT_EQ(captured.commands[2].call.AsBufferDeallocate()->buffer, 2u);
}

TEST_F(RecorderTest, TheFileSaysWhatTheCaptureWasAskedForAndTheNextDoesNot) {
  using NamesAndValues = std::vector<std::pair<std::string, std::string>>;
  const auto options_of = [this](const Options& options) {
    begin(options);
    return end().file->session().options;
  };
  EXPECT_EQ(options_of({.read_goldens = true,
                        .compression_level = 3,
                        .payloads = PayloadPolicy::Reference,
                        .golden_policy = *ComparePolicy::parse("ulp:2")}),
            (NamesAndValues{{"read_goldens", "1"},
                            {"compress", "3"},
                            {"payloads", "reference"},
                            {"golden", "ulp:2"}}));
  EXPECT_EQ(options_of({}), (NamesAndValues{{"read_goldens", "0"}}));
  EXPECT_EQ(options_of({.payloads = PayloadPolicy::Fail}),
            (NamesAndValues{{"read_goldens", "0"}, {"payloads", "fail"}}));
}

TEST_F(RecorderTest, WithoutACaptureNothingHappens) {
  record_buffer(1);
  record_deallocation(1);
  record_end_of_buffer(1);
  record_error(absl::InternalError("unheard"));
  begin();
  EXPECT_TRUE(end().commands.empty());
  EXPECT_EQ(end_status_, absl::OkStatus());
}

TEST_F(RecorderTest, SessionNumberIsZeroOutsideAndGrowsWithEachCapture) {
  EXPECT_EQ(session().number, 0u);
  begin();
  const uint64_t first = session().number;
  EXPECT_GT(first, 0u);
  (void)end();
  begin();
  EXPECT_EQ(session().number, first + 1);
}

TEST_F(RecorderTest, ReadGoldensAreKeptOnlyByACaptureThatAsksForThem) {
  begin();
  EXPECT_FALSE(keeps_read_goldens());
  (void)end();
  begin({.read_goldens = true});
  EXPECT_TRUE(keeps_read_goldens());
  record_error(absl::InternalError("over"));
  EXPECT_FALSE(keeps_read_goldens());
}

TEST_F(RecorderTest, FirstCommandsComeBeforeTheCaptureIsActive) {
  bool active_inside = true;
  ASSERT_TRUE(capture::begin({}, sink_, [&] {
                active_inside = g_mode.load();
                record_device(0);
              }).ok());
  EXPECT_FALSE(active_inside);
  EXPECT_TRUE(g_mode.load());
  EXPECT_EQ(end().commands.size(), 1u);
}

TEST_F(RecorderTest, EqualPayloadsAreStoredOnce) {
  const std::vector<std::byte> data(1000, std::byte{42});
  begin();
  record_buffer(1);
  record_write(1, data);
  record_write(1, data);
  const Captured captured = end();
  ASSERT_EQ(captured.commands.size(), 3u);
  EXPECT_EQ(captured.file->blobs().size(), 1u);
  const auto bytes = captured.file->blob(*captured.commands[2].call.AsWriteToBuffer()->data);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(std::vector<std::byte>(bytes->begin(), bytes->end()), data);
}

TEST_F(RecorderTest, AFailedWriteIsTheCapturesError) {
  const auto sink = std::make_shared<FullSink>(600);
  ASSERT_TRUE(capture::begin({.record_origin = false}, sink, [] {}).ok());
  for (uint64_t id = 1; id < 20; ++id) record_buffer(id);
  EXPECT_FALSE(g_mode.load());
  EXPECT_THAT(std::string(capture::end().message()), HasSubstr("no room left"));
}

TEST_F(RecorderTest, ACallThatUsesAnUnknownObjectIsNotRecordedWhateverElseItHolds) {
  begin();
  record_buffer(1);
  record_encoded<schema::WriteToBuffer>([&](Encoder& encoder) {
    const uint64_t unknown = encoder.use(buffer(99));
    const schema::BlobRef blob = encoder.blob(bytes_of("payload", 7));
    return schema::CreateWriteToBuffer(encoder.builder(), unknown, &blob);
  });
  EXPECT_THAT(end().names(), ElementsAre("BufferCreate"));
}

TEST_F(RecorderTest, TheSinkIsFreeOnceTheCaptureHasEnded) {
  begin();
  record_buffer(1);
  EXPECT_TRUE(capture::end().ok());
  EXPECT_EQ(sink_.use_count(), 1);
}

TEST_F(RecorderTest, ABeginThatCannotWriteLeavesNoCapture) {
  const auto sink = std::make_shared<FullSink>(0);
  EXPECT_FALSE(capture::begin({}, sink, [] {}).ok());
  EXPECT_EQ(sink.use_count(), 1) << "the capture still holds it";
  EXPECT_FALSE(running());
  EXPECT_FALSE(g_mode.load());
}

std::shared_ptr<schema::FileSink> create_file(const std::string& path) {
  auto sink = schema::FileSink::create(path);
  EXPECT_TRUE(sink.ok()) << sink.status();
  return sink.ok() ? *std::move(sink) : nullptr;
}

TEST_F(RecorderTest, AFlightRecorderThatCannotBeginLeavesItsFile) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.path("ring.lmb");
  const Options options = {.ring_size = uint64_t{1} << 60};
  EXPECT_FALSE(capture::begin(options, create_file(path), [] {}).ok());
  EXPECT_NE(create_file(path), nullptr);
}

TEST_F(RecorderTest, AForkedChildLeavesTheFileToItsParent) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.path("captured.lmb");
  const auto sink = create_file(path);
  ASSERT_TRUE(capture::begin({}, sink, [] {}).ok());
  const pid_t child = fork();
  if (child == 0) _exit(sink->descriptor() < 0 ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << "the child still has it open";
  EXPECT_TRUE(absl::IsAlreadyExists(schema::FileSink::create(path).status()));
  EXPECT_TRUE(capture::end().ok());
}

TEST_F(RecorderTest, AFileIsFreeOnceItIsClosedThoughAChildHasItOpen) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.path("captured.lmb");
  const auto sink = create_file(path);
  const int copy = dup(sink->descriptor());  // As a fork or a descriptor passed on has it.
  EXPECT_TRUE(sink->close().ok());
  EXPECT_NE(create_file(path), nullptr);
  close(copy);
}

// Whatever the call does itself goes on.
TEST_F(RecorderTest, WhatRecordingThrowsIsTheCapturesErrorAndNotTheCalls) {
  begin();
  const auto call = [] {
    LIGHT_METAL_TRACE_FUNCTION_ENTRY();
    LIGHT_METAL_TRACE_FUNCTION_CALL([] { throw std::bad_alloc(); });
  };
  EXPECT_NO_THROW(call());
  (void)end();
  EXPECT_THAT(std::string(end_status_.message()), HasSubstr("a call cannot be recorded"));
}

TEST_F(RecorderTest, WriteSignalsThatWereThereBeforeStay) {
  sigset_t signals, before, pending;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, &before);
  {
    const schema::WriteSignalBlock block;
    raise(SIGPIPE);
  }
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGPIPE), 0) << "the program would get it when it unblocks it";
  raise(SIGPIPE);
  { const schema::WriteSignalBlock block; }
  const timespec at_once = {};
  EXPECT_EQ(sigtimedwait(&signals, nullptr, &at_once), SIGPIPE);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST_F(RecorderTest, ACaptureThatBeginsAtTheFirstCallOpensNothingWithoutOne) {
  static int opened = 0;
  ASSERT_TRUE(begin_at_first_call({}, []() -> absl::StatusOr<std::shared_ptr<schema::Sink>> {
                ++opened;
                return std::make_shared<schema::MemorySink>();
              }).ok());
  EXPECT_TRUE(g_mode.load());
  EXPECT_TRUE(capture::end_environment().ok());
  EXPECT_EQ(opened, 0);
}

TEST_F(RecorderTest, ACaptureWhoseFileCannotBeOpenedReportsItAtTheEnd) {
  ASSERT_TRUE(begin_at_first_call({}, []() -> absl::StatusOr<std::shared_ptr<schema::Sink>> {
                return absl::PermissionDeniedError("no way in");
              }).ok());
  record_buffer(1);
  EXPECT_FALSE(g_mode.load());
  EXPECT_EQ(capture::end_environment().message(), "no way in");
}

// What LIGHTMETAL_CAPTURE begins, and captures of the program's within it.
class TwoCaptures : public RecorderTest {
 protected:
  using Sink = std::shared_ptr<schema::Sink>;

  void begin_environments(Sink sink, Options options = {}) {
    given() = std::move(sink);
    ASSERT_TRUE(
        begin_at_first_call(options, []() -> absl::StatusOr<Sink> { return given(); }).ok());
  }
  void TearDown() override {
    RecorderTest::TearDown();
    (void)end_environment();
  }

  std::shared_ptr<schema::MemorySink> outer_ = std::make_shared<schema::MemorySink>();

 private:
  static Sink& given() {
    static Sink sink;
    return sink;
  }
};

TEST_F(TwoCaptures, HaveTheirOwnIds) {
  begin_environments(outer_);
  record_buffer(7);
  record_buffer(8);
  begin();
  EXPECT_FALSE(knows(buffer(8)));
  record_buffer(9);
  record_deallocation(9);
  record_end_of_buffer(8);  // the inner one knows nothing of it
  const Captured inner = end();
  record_end_of_buffer(9);
  EXPECT_EQ(end_environment(), absl::OkStatus());
  EXPECT_THAT(inner.names(), ElementsAre("BufferCreate", "BufferDeallocate"));
  EXPECT_EQ(inner.commands[1].call.AsBufferDeallocate()->buffer, 1u);
  const Captured outer = read_back(*outer_);
  EXPECT_THAT(outer.names(), ElementsAre("BufferCreate", "BufferCreate", "BufferCreate",
                                         "BufferDeallocate", "BufferDestroy", "BufferDestroy"));
  EXPECT_EQ(outer.commands[3].call.AsBufferDeallocate()->buffer, 3u);
}

TEST_F(TwoCaptures, AnErrorIsOfTheOneThatHasIt) {
  begin_environments(outer_);
  record_buffer(1);
  begin();
  record_deallocation(1);  // it was there before the inner one began
  record_buffer(2);
  EXPECT_TRUE(end().commands.empty());
  EXPECT_THAT(std::string(end_status_.message()), HasSubstr("before the capture began"));
  EXPECT_EQ(end_environment(), absl::OkStatus());
  EXPECT_EQ(read_back(*outer_).commands.size(), 3u);
}

TEST_F(TwoCaptures, AFullDiskIsTheErrorOfTheOneThatWritesToIt) {
  begin_environments(outer_);
  ASSERT_TRUE(
      capture::begin({.record_origin = false}, std::make_shared<FullSink>(600), [] {}).ok());
  for (uint64_t id = 1; id <= 20; ++id) record_buffer(id);
  EXPECT_THAT(std::string(capture::end().message()), HasSubstr("no room left"));
  EXPECT_EQ(end_environment(), absl::OkStatus());
  EXPECT_EQ(read_back(*outer_).commands.size(), 20u);

  begin_environments(std::make_shared<FullSink>(600), {.record_origin = false});
  begin();
  for (uint64_t id = 1; id <= 20; ++id) record_buffer(id);
  EXPECT_EQ(end().commands.size(), 20u);
  EXPECT_EQ(end_status_, absl::OkStatus());
  EXPECT_THAT(std::string(end_environment().message()), HasSubstr("no room left"));
}

TEST_F(TwoCaptures, WhatIsThrownForOneIsItsErrorAlone) {
  begin_environments(outer_);
  begin();
  const CallScope scope;
  record_call(scope, [] {
    int turn = 0;
    record_encoded<schema::FinishQueue>([&](Encoder& encoder) {
      if (turn++ == 0) throw std::bad_alloc();
      return schema::CreateFinishQueue(encoder.builder(), uint64_t{0}, uint8_t{0});
    });
    EXPECT_EQ(turn, 2);
  });
  EXPECT_THAT(end().names(), ElementsAre("FinishQueue"));
  EXPECT_EQ(end_status_, absl::OkStatus());
  EXPECT_THAT(std::string(end_environment().message()), HasSubstr("cannot be recorded"));
}

TEST_F(TwoCaptures, ACallIsInThoseThatRanWhenItBegan) {
  begin_environments(outer_);
  {
    const CallScope scope;
    begin();
    record_call(scope, [] { record_buffer(1); });
  }
  record_buffer(2);
  EXPECT_EQ(end().commands.size(), 1u);
  EXPECT_EQ(end_environment(), absl::OkStatus());
  EXPECT_EQ(read_back(*outer_).commands.size(), 2u);
}

TEST_F(TwoCaptures, ReadsAreWaitedForWhereOneKeepsThem) {
  begin_environments(outer_, {.read_goldens = true});
  begin();
  EXPECT_TRUE(keeps_read_goldens());
  std::vector<bool> each;
  for_each_capture([&] { each.push_back(keeps_read_goldens()); });
  EXPECT_THAT(each, ElementsAre(true, false));
}

// Snapshots look at the same objects, and change what is known of them.
TEST_F(TwoCaptures, OneDoesNotBeginWhileTheOtherTakesASnapshot) {
  static std::atomic<bool> is_in_snapshot;
  static std::atomic<int> snapshots;
  set_snapshot_source({.prepare = [](std::chrono::milliseconds) { return absl::OkStatus(); },
                       .record_pending = [] {},
                       .record =
                           [] {
                             is_in_snapshot = true;
                             ++snapshots;
                             std::this_thread::sleep_for(std::chrono::milliseconds(100));
                             is_in_snapshot = false;
                           }});
  const testing::TemporaryFolder folder;
  begin_environments(create_file(folder.path("ring.lmb")), {.ring_size = 64 * 1024});
  std::thread other([] {
    for (uint64_t id = 1; snapshots == 0; ++id) {
      const CallScope scope;
      record_call(scope, [&] { record_buffer(id); });
    }
  });
  while (!is_in_snapshot) std::this_thread::yield();
  bool begins_meanwhile = true;
  EXPECT_TRUE(capture::begin({}, sink_, [&] { begins_meanwhile = is_in_snapshot; }).ok());
  EXPECT_FALSE(begins_meanwhile);
  other.join();
  EXPECT_EQ(snapshots, 1);
}

// Of the program's captures each has what began while it ran, and the environment's has all.
TEST_F(TwoCaptures, MayBeginAndEndWhileThreadsRecord) {
  begin_environments(outer_);
  std::atomic<uint64_t> last_id = 0;
  std::atomic<bool> stops = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!stops) {
        const CallScope scope;
        record_call(scope, [&] { record_buffer(++last_id); });
      }
    });
  }
  for (int i = 0; i < 50; ++i) {
    sink_ = std::make_shared<schema::MemorySink>();
    begin();
    const uint64_t enough = last_id + 100;
    while (last_id < enough) std::this_thread::yield();
    const Captured inner = end();
    EXPECT_EQ(end_status_, absl::OkStatus());
    uint64_t id = 0;
    for (const schema::CommandT& command : inner.commands) {
      EXPECT_EQ(command.call.AsBufferCreate()->id, ++id);
    }
  }
  stops = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(end_environment(), absl::OkStatus());
  EXPECT_EQ(read_back(*outer_).commands.size(), last_id.load());
}

TEST_F(TwoCaptures, AForkedChildLeavesBothToItsParentAndBeginsTheEnvironmentsAnew) {
  begin_environments(outer_);
  record_buffer(1);
  begin();
  const pid_t child = fork();
  if (child == 0) {
    begin();  // none of the program's runs here
    const bool both_run = g_mode.load() != 0 && end_environment().ok() && end_status_.ok();
    _exit(both_run && end_environment().code() == absl::StatusCode::kFailedPrecondition ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  record_buffer(2);
  EXPECT_EQ(end().commands.size(), 1u);
  EXPECT_EQ(end_environment(), absl::OkStatus());
  EXPECT_EQ(read_back(*outer_).commands.size(), 2u);
}

TEST_F(RecorderTest, IdsAscendInTheFileWhenThreadsCreateAtOnce) {
  begin();
  std::vector<std::thread> threads;
  for (uint64_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([thread] {
      for (uint64_t i = 0; i < 200; ++i) {
        record_buffer(thread * 1000 + i);
        record_deallocation(thread * 1000 + i);
        record_end_of_buffer(thread * 1000 + i);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const Captured captured = end();
  ASSERT_EQ(end_status_, absl::OkStatus());
  ASSERT_EQ(captured.commands.size(), 2400u);
  std::vector<uint64_t> ids;
  for (const schema::CommandT& command : captured.commands) {
    if (const auto* create = command.call.AsBufferCreate()) ids.push_back(create->id);
  }
  EXPECT_EQ(ids.size(), 800u);
  for (size_t i = 0; i < ids.size(); ++i) ASSERT_EQ(ids[i], i + 1);
}

TEST_F(RecorderTest, EqualCapturesGiveEqualBytes) {
  const auto capture_once = [this](uint64_t first_id) {
    begin();
    record_device(first_id);
    record_buffer(first_id + 3);
    record_write(first_id + 3, bytes_of("payload", 7));
    record_end_of_buffer(first_id + 3);
    EXPECT_TRUE(capture::end().ok());
    return sink_->take();
  };
  EXPECT_EQ(capture_once(0), capture_once(100));
}

TEST_F(RecorderTest, OnlyTheOutermostCallOfAThreadIsRecorded) {
  begin();
  int recorded = 0;
  const auto note = [&] { ++recorded; };
  const auto inner = [&] {
    LIGHT_METAL_TRACE_FUNCTION_ENTRY();
    LIGHT_METAL_TRACE_FUNCTION_CALL(note);
  };
  {
    LIGHT_METAL_TRACE_FUNCTION_ENTRY();
    inner();
    EXPECT_EQ(recorded, 0);
    LIGHT_METAL_TRACE_FUNCTION_CALL(note);
  }
  inner();
  EXPECT_EQ(recorded, 2);
}

// Makes a call that throws, announced or not, and that says why unless `reason` is empty.
void fail_in(const char* function, bool announced, const std::string& reason) {
  try {
    const CallScope scope(function);
    const auto record = [] {
      record_encoded<schema::FinishQueue>([](Encoder& encoder) {
        return schema::CreateFinishQueue(encoder.builder(), uint64_t{0}, uint8_t{0});
      });
    };
    if (announced) announce(scope, record);
    if (!reason.empty()) note_failure(reason.data(), reason.size());
    throw std::runtime_error("it fails");
  } catch (const std::runtime_error&) {
  }
}

TEST_F(RecorderTest, EachCallThatFailsHasItsOwnReasonAndIntent) {
  struct Failed {
    std::string function, error;
    uint8_t intent;
    bool operator==(const Failed&) const = default;
  };
  begin({.intents = true});
  fail_in("First", /*announced=*/true, std::string("a\x01\n\t ~\x7f\xc3") + '\0' + "b");
  fail_in("Second", /*announced=*/false, "");
  fail_in("Third", /*announced=*/false, "for another reason");
  std::vector<Failed> found;
  for (const schema::CommandT& command : end().commands) {
    const auto* failed = command.call.AsCallFailed();
    ASSERT_NE(failed, nullptr);
    found.push_back({failed->function, failed->error, failed->intent});
  }
  EXPECT_EQ(end_status_, absl::OkStatus());
  EXPECT_EQ(found, (std::vector<Failed>{
                       {"First", "a?\n\t ~???b", static_cast<uint8_t>(schema::Call::FinishQueue)},
                       {"Second", "", 0},
                       {"Third", "for another reason", 0}}));
}

TEST_F(RecorderTest, IdleCallsDoNotEvaluateTheirArguments) {
  int evaluated = 0;
  const auto note = [](int) {};
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  LIGHT_METAL_TRACE_FUNCTION_CALL(note, ++evaluated);
  EXPECT_EQ(evaluated, 0);
}

TEST(RingMemory, TakesAllOfItsRoomAndNoByteMore) {
  const auto memory = *RingMemory::create(4096);
  const std::string text(4096, 'x');
  const auto part = [&](size_t size) { return bytes_of(text.data(), size); };
  memory->set_room(100, "no room");
  EXPECT_EQ(memory->append({part(60), part(41)}).message(), "no room");
  EXPECT_EQ(memory->append({part(60), part(40)}), absl::OkStatus());
  EXPECT_EQ(memory->append({part(1)}).message(), "no room");
  memory->set_room(50, "no room again");
  const absl::StatusOr<bool> other = memory->append_if(digest_of(part(9)), part(1), part(8), {});
  EXPECT_TRUE(other.ok() && !*other) << other.status();
  EXPECT_EQ(memory->size(), 100u);
  EXPECT_TRUE(memory->append_if(digest_of(part(8)), part(1), part(8), part(41)).value());
  EXPECT_EQ(memory->append({part(1)}).message(), "no room again");
  memory->set_room(uint64_t{1} << 30, "it is full");
  EXPECT_EQ(memory->append({part(4096 - 150)}), absl::OkStatus());
  EXPECT_EQ(memory->append({part(1)}).message(), "it is full");
  EXPECT_EQ(memory->bytes().size(), 4096u);
}

TEST(EnvironmentTest, PathsTakeTheProcessId) {
  EXPECT_EQ(expand_path("/tmp/a.lmb", 12), "/tmp/a.lmb");
  EXPECT_EQ(expand_path("/tmp/a-%p.lmb", 12), "/tmp/a-12.lmb");
  EXPECT_EQ(expand_path("100%%p", 12), "100%p");
}

}  // namespace
}  // namespace lightmetal::capture
