// Calls that are recorded by a list of values: what fits is written as the schema says, and what
// does not fit does not compile.
#include "capture/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "capture/session.h"
#include "schema/commands/calls.h"
#include "schema/commands/encode.h"
#include "schema/commands/references.h"
#include "schema/file/reader.h"
#include "schema/storage/memory_sink.h"
#include "tests/support/samples.h"

namespace lightmetal::capture {
namespace {

using ::testing::ElementsAre;

using DeviceId = ObjectOf<Kind::Device>;
using EventId = ObjectOf<Kind::Event>;
using TraceId = ObjectOf<Kind::Trace>;

template <class Table, class... Values>
concept Records = internal::AreFieldsOf<Table, Values...>;

TEST(Record, OneValueForEachFieldFits) {
  EXPECT_TRUE((Records<schema::EnqueueTrace, DeviceId, uint8_t, TraceId, bool>));
  EXPECT_TRUE((Records<schema::SubDeviceStallGroupReset, DeviceId>));
}

TEST(Record, TooFewAndTooManyValuesDoNotCompile) {
  EXPECT_FALSE((Records<schema::EnqueueTrace, DeviceId, uint8_t, TraceId>));
  EXPECT_FALSE((Records<schema::EnqueueTrace, DeviceId, uint8_t, TraceId, bool, bool>));
}

TEST(Record, AnObjectOfAnotherKindDoesNotCompile) {
  EXPECT_FALSE((Records<schema::EnqueueTrace, DeviceId, uint8_t, EventId, bool>));
  EXPECT_FALSE((Records<schema::EnqueueTrace, TraceId, uint8_t, DeviceId, bool>));
}

TEST(Record, AnObjectAndANumberAreNotExchanged) {
  EXPECT_FALSE((Records<schema::EnqueueTrace, DeviceId, uint8_t, uint64_t, bool>));
  EXPECT_FALSE((Records<schema::EnqueueTrace, DeviceId, TraceId, TraceId, bool>));
}

TEST(Record, ANumberThatTheFieldMayNotHoldDoesNotCompile) {
  using schema::BufferSetPageSize;
  using BufferId = ObjectOf<Kind::Buffer>;
  EXPECT_TRUE((Records<BufferSetPageSize, BufferId, uint64_t>));
  EXPECT_TRUE((Records<BufferSetPageSize, BufferId, uint32_t>));
  EXPECT_FALSE((Records<BufferSetPageSize, BufferId, int64_t>));
  EXPECT_FALSE((Records<BufferSetPageSize, BufferId, bool>));
  EXPECT_FALSE((Records<schema::EnqueueTrace, DeviceId, uint32_t, TraceId, bool>));
  EXPECT_FALSE((Records<schema::EnqueueTrace, DeviceId, uint8_t, TraceId, uint8_t>));
}

TEST(Record, AnotherEnumerationDoesNotCompile) {
  using BufferId = ObjectOf<Kind::Buffer>;
  EXPECT_TRUE((Records<schema::WriteToBuffer, BufferId, Upload, schema::ElementType>));
  EXPECT_FALSE((Records<schema::WriteToBuffer, BufferId, Upload, schema::BufferType>));
  EXPECT_FALSE((Records<schema::WriteToBuffer, BufferId, Bytes, schema::ElementType>));
}

// The compiler's view of the attributes, which the build reads from the text of command.fbs.
template <class Table, size_t... kNumber>
std::vector<std::string> ids_of(std::index_sequence<kNumber...>) {
  static constexpr const char* kUses[] = {"", "creates ", "uses ", "destroys "};
  std::vector<std::string> ids;
  const auto add = [&](const schema::IdField& field) {
    if (field.use == schema::IdUse::kNone) return;
    ids.push_back(std::string(kUses[static_cast<size_t>(field.use)]) + name_of(field.kind));
  };
  (add(schema::kIdField<Table, kNumber>), ...);
  return ids;
}

// The reflection's.
std::vector<std::string> ids_of(const schema::CommandT& command) {
  static constexpr const char* kRoles[] = {"creates ", "uses ", "destroys "};
  flatbuffers::FlatBufferBuilder builder;
  schema::encode_command(builder, command);
  std::vector<std::string> ids;
  const auto* root = flatbuffers::GetSizePrefixedRoot<schema::Command>(builder.GetBufferPointer());
  schema::visit_ids(*root, [&](const schema::IdReference& id) {
    if (!id.direct) return;
    ids.push_back(std::string(kRoles[static_cast<size_t>(id.role)]) + name_of(id.kind));
  });
  return ids;
}

TEST(Record, TheCompilerKnowsTheIdsOfEveryCall) {
  schema::for_each_call_type([]<class Table>(std::type_identity<Table> type) {
    const schema::CommandT sample = schema::samples::command_of(type);
    EXPECT_EQ(ids_of<Table>(std::make_index_sequence<32>{}), ids_of(sample))
        << schema::EnumNameCall(sample.call.type);
  });
}

// What record() makes of objects that are created, used and destroyed.
TEST(Record, ObjectsBecomeIdsAsTheSchemaSays) {
  auto sink = std::make_shared<schema::MemorySink>();
  ASSERT_TRUE(begin({}, sink, [] {}).ok());
  const EventId first{70}, second{71};
  record<schema::EventCreate>(first);
  record<schema::EventCreate>(second);
  record<schema::EventSynchronize>(second);
  record<schema::EventDestroy>(first);
  record<schema::EventDestroy>(EventId{99});  // the file never spoke of it
  record_if_known<schema::EventSynchronize>(first);
  ASSERT_TRUE(end().ok());
  const auto file = schema::File::from_bytes(sink->take());
  ASSERT_TRUE(file.ok()) << file.status();
  std::vector<std::string> calls;
  ASSERT_TRUE((*file)
                  ->for_each_command([&](const schema::CommandView& view) {
                    std::string ids;
                    schema::visit_ids(*view.command, [&](const schema::IdReference& id) {
                      ids += " " + std::to_string(id.id);
                    });
                    calls.push_back(schema::EnumNameCall(view.command->call_type()) + ids);
                    return absl::OkStatus();
                  })
                  .ok());
  EXPECT_THAT(
      calls, ElementsAre("EventCreate 1", "EventCreate 2", "EventSynchronize 2", "EventDestroy 1"));
}

}  // namespace
}  // namespace lightmetal::capture
