// Other arguments and data in the commands of a file, and what of a file is not in another one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schema/file/signature.h"
#include "schema/file/signing_key.h"
#include "schema/show/statistics.h"
#include "schema/verify/argument_edit.h"
#include "schema/verify/argument_lists.h"
#include "schema/verify/redact.h"
#include "schema/verify/removal.h"
#include "schema/verify/rewrite.h"
#include "tests/schema/semantics_calls.h"

namespace lightmetal::schema::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// ---- Arguments ----

CommandT unpacked(const Content& bytes) {
  CommandT command;
  GetSizePrefixedCommand(bytes.data())->UnPackTo(&command);
  return command;
}

std::optional<ArgumentLists> lists_of(const CommandT& command) {
  const Content bytes = encoded(command);
  return argument_lists_of(*GetSizePrefixedCommand(bytes.data()));
}

TEST(ArgumentLists, ComeBackAsTheCommandThatTheyWereOf) {
  int calls = 0;
  for (const CommandT& command : samples::all()) {
    const auto lists = lists_of(command);
    if (!lists.has_value()) continue;
    EXPECT_EQ(unpacked(lists->encoded()), command) << EnumNameCall(command.call.type);
    ++calls;
  }
  EXPECT_EQ(calls, 8);
}

// Arguments 7 and 9 on two ranges of cores; the first of the symbolic ones is a buffer.
CommandT on_ranges(bool symbolic) {
  const std::vector<CoreRange> cores = {{CoreCoord(1, 2), CoreCoord(2, 3)},
                                        {CoreCoord(5, 5), CoreCoord(5, 5)}};
  CommandT command;
  if (!symbolic) {
    SetRuntimeArgsT set;
    set.kernel = 4;
    set.cores = cores;
    set.args = {7, 9};
    command.call.Set(std::move(set));
    return command;
  }
  SetRuntimeArgsSymbolicT set;
  set.device = 3;
  set.kernel = 4;
  set.cores = cores;
  set.args = std::make_unique<RuntimeArgsT>();
  for (const uint32_t value : {7, 9})
    set.args->args.emplace_back(std::make_unique<RuntimeArgT>())->value = value;
  set.args->args[0]->buffer = 6;
  command.call.Set(std::move(set));
  return command;
}

const std::vector<CoreCoord> kCores = {
    {1, 2}, {2, 2}, {1, 3}, {2, 3}, {5, 5},
};

TEST(ArgumentLists, OfRangesAreSplitIntoOneForEachCore) {
  auto lists = lists_of(on_ranges(/*symbolic=*/false));
  lists->split();
  const CommandT command = unpacked(lists->encoded());
  const auto* set = command.call.AsSetRuntimeArgsPerCore();
  ASSERT_NE(set, nullptr) << EnumNameCall(command.call.type);
  EXPECT_EQ(set->kernel, 4u);
  EXPECT_EQ(set->cores, kCores);
  ASSERT_EQ(set->args.size(), kCores.size());
  for (const auto& args : set->args) EXPECT_THAT(args->words, ElementsAre(7, 9));
}

TEST(ArgumentLists, OfRangesThatNameBuffersStillNameThemOnEachCore) {
  auto lists = lists_of(on_ranges(/*symbolic=*/true));
  EXPECT_EQ(lists->lists[0].cores_text(), "(1,2)-(2,3) (5,5)");
  lists->split();
  const CommandT command = unpacked(lists->encoded());
  const auto* set = command.call.AsSetRuntimeArgsSymbolicPerCore();
  ASSERT_NE(set, nullptr) << EnumNameCall(command.call.type);
  EXPECT_EQ(set->device, 3u);
  EXPECT_EQ(set->cores, kCores);
  ASSERT_EQ(set->args.size(), kCores.size());
  for (const auto& args : set->args) {
    EXPECT_EQ(args->args.at(0)->buffer, 6u);
    EXPECT_EQ(args->args.at(0)->value, 7u);
    EXPECT_EQ(args->args.at(1)->value, 9u);
  }
}

TEST(ArgumentLists, NameFourRangesOfCoresAtMost) {
  ArgumentList list;
  for (uint32_t x = 0; x < 4; ++x) list.cores.emplace_back(CoreCoord(x, 0), CoreCoord(x, 0));
  EXPECT_EQ(list.cores_text(), "(0,0) (1,0) (2,0) (3,0)");
  list.cores.emplace_back(CoreCoord(4, 0), CoreCoord(4, 0));
  EXPECT_EQ(list.cores_text(), "(0,0) (1,0) (2,0) (3,0) ...");
}

// An editor that has seen a kernel whose common arguments are set to so many words, each time to
// fewer.
ArgumentEditor edited(const ArgumentEdit& edit, size_t first_count, size_t last_count) {
  Calls calls;
  calls.program(1).compute_kernel(1, 1);
  for (size_t count = first_count; count >= last_count; --count) {
    SetCommonRuntimeArgsT set;
    set.kernel = 1;
    set.args.resize(count);
    calls.add(std::move(set));
  }
  ArgumentEditor editor({edit});
  for (uint64_t number = 0; number < calls.commands().size(); ++number) {
    const Content bytes = encoded(calls.commands()[number]);
    EXPECT_TRUE(editor.edited(number, *GetSizePrefixedCommand(bytes.data())).ok());
  }
  return editor;
}

TEST(ArgumentEditorTest, AllChangesAreCountedAndTheFirstThousandListed) {
  for (const size_t count : {1000, 1001}) {
    const auto editor = edited({.kernel = "1", .is_common = true, .value = 5}, count, 1);
    EXPECT_EQ(editor.num_changes(), count);
    EXPECT_EQ(editor.match(0).changes, count);
    EXPECT_EQ(editor.changes().size(), 1000u);
    EXPECT_EQ(editor.changes().front().command, 3u);
  }
}

TEST(ArgumentEditorTest, OfAnIndexThatNoCommandHasTheMostArgumentsOfOneAreKnown) {
  const auto editor = edited({.kernel = "1", .is_common = true, .index = 4, .value = 5}, 4, 2);
  EXPECT_EQ(editor.num_changes(), 0u);
  EXPECT_TRUE(editor.match(0).is_set);
  EXPECT_EQ(editor.match(0).most, 4u);
}

// ---- Files ----

EnqueueWriteBufferT write_of(const BlobRef& payload) {
  EnqueueWriteBufferT write;
  write.device = write.buffer = 1;
  write.data = std::make_unique<BlobRef>(payload);
  write.blocking = true;
  return write;
}

Content bytes_of_call(EnqueueWriteBufferT call) {
  CommandT command;
  command.call.Set(std::move(call));
  return encoded(command);
}

// A file with a device, a buffer, and a write that is announced before it is made; and a payload
// that no command names.
FilePointer with_announced_write() {
  auto sink = std::make_shared<MemorySink>();
  Writer writer(sink);
  EXPECT_TRUE(writer.begin(session_for_tests()).ok());
  const Calls calls = Calls().buffer(1, 32, 16, 16);
  for (const CommandT& command : calls.commands())
    EXPECT_TRUE(writer.append_command(encoded(command)).ok());
  EXPECT_TRUE(writer.append_blob(bytes_of_text("nobody's payload")).ok());
  const Content bytes = bytes_of_call(write_of(*writer.append_blob(samples::payload_bytes())));
  EXPECT_TRUE(writer.append_intent(bytes).ok());
  EXPECT_TRUE(writer.append_command(bytes).ok());
  EXPECT_TRUE(writer.finish(absl::OkStatus()).ok());
  return opened(sink->take());
}

// The file with other data in its write.
FilePointer with_data(const File& file, absl::string_view data) {
  auto sink = std::make_shared<MemorySink>();
  Rewrite rewrite(file, sink);
  EXPECT_TRUE(rewrite.begin().ok());
  const auto payload = rewrite.append_blob(bytes_of_text(data));
  EXPECT_TRUE(rewrite.replace(2, bytes_of_call(write_of(*payload))).ok());
  EXPECT_TRUE(rewrite.finish().ok());
  return opened(sink->take());
}

TEST(RewriteTest, AnIntentGoesWithThePayloadThatItNames) {
  const auto file = with_announced_write();
  ASSERT_EQ(verify(*file), absl::OkStatus());
  const auto same = with_data(*file, samples::payload()),
             other = with_data(*file, "other payload 16");
  EXPECT_EQ(verify(*same), absl::OkStatus());
  EXPECT_EQ(verify(*other), absl::OkStatus());
  EXPECT_TRUE(statistics_of(*same)->has_intents);
  EXPECT_FALSE(statistics_of(*other)->has_intents);
  EXPECT_EQ(same->blobs().size(), 2u);
  EXPECT_EQ(other->blobs().size(), 2u) << "the old payload is gone, and another one is there";
}

TEST(RemovalTest, CountsWhatTheFileHasBesidesTheCommandsThatStay) {
  const auto file = with_announced_write();
  const ByteStatistics bytes = statistics_of(*file)->bytes;
  const auto none = removal_of(*file, {false, false, false});
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_EQ(none->num_commands, 3u);
  EXPECT_EQ(none->command_bytes, bytes.commands);
  EXPECT_EQ(none->payloads, 2u);
  EXPECT_EQ(none->payload_bytes, bytes.uploads + bytes.unused);
  EXPECT_EQ(none->intents, 1u);
  const auto write = removal_of(*file, {false, true, true});
  EXPECT_THAT(write->commands, ElementsAre(Pair("CreateDevice", 1)));
  EXPECT_EQ(write->num_commands, 1u);
  EXPECT_LT(write->command_bytes, bytes.commands);
  EXPECT_EQ(write->payloads, 1u);
  EXPECT_EQ(write->payload_bytes, bytes.unused);
  EXPECT_FALSE(removal_of(*file, {true, true, true})->is_empty()) << "no command names a payload";
}

// ---- What redact says ----

FilePointer signed_file(const File& file) {
  const auto key = SecretKey::generate();
  auto sink = std::make_shared<MemorySink>();
  EXPECT_TRUE(key.ok() && sign(file, *key, *sink).ok());
  return opened(sink->take());
}

TEST(RedactReportTest, CountsEachKindOfRecordThatIsLeftOut) {
  const auto file = with_announced_write();
  for (const bool is_signed : {false, true}) {
    auto sink = std::make_shared<MemorySink>();
    const auto report = redact(is_signed ? *signed_file(*file) : *file, sink);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->commands, 3u);
    EXPECT_EQ(report->records_dropped, 1u) << "the intent";
    EXPECT_EQ(report->payloads_unused, 1u);
    EXPECT_EQ(report->signature_dropped, is_signed);
    EXPECT_FALSE(report->origin_dropped);
    const auto redacted = opened(sink->take());
    EXPECT_EQ(verify(*redacted), absl::OkStatus());
    EXPECT_FALSE(statistics_of(*redacted)->has_intents);
  }
}

TEST(RedactReportTest, ThePolicyOfComparisonStaysAndOtherOptionsLoseTheirValue) {
  auto from = std::make_shared<MemorySink>(), to = std::make_shared<MemorySink>();
  Writer writer(from);
  SessionInfo session = session_for_tests();
  session.options.emplace_back("golden", "ulp:2");
  ASSERT_TRUE(writer.begin(session).ok() && writer.finish(absl::OkStatus()).ok());
  ASSERT_TRUE(redact(*opened(from->take()), to).ok());
  EXPECT_THAT(opened(to->take())->session().options,
              ElementsAre(Pair("reads", "redacted"), Pair("golden", "ulp:2")));
}

}  // namespace
}  // namespace lightmetal::schema::testing
