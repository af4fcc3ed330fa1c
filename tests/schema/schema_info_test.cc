// The numbers that info, dump and a timeline show, and where their lists end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/timeline.h"
#include "schema/show/dump.h"
#include "schema/show/info.h"
#include "schema/show/intents.h"
#include "schema/show/timeline_trace.h"
#include "tests/schema/semantics_calls.h"

namespace lightmetal::schema::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using Json = nlohmann::json;

Json json_of(const File& file) {
  const auto text = info_json(file);
  EXPECT_TRUE(text.ok()) << text.status();
  return Json::parse(text.value_or("null"));
}

std::string text_of(const File& file) {
  const auto text = info_text(file);
  EXPECT_TRUE(text.ok()) << text.status();
  return text.value_or("");
}

std::vector<std::string> dumped(const File& file, const DumpOptions& options = {}) {
  std::vector<std::string> lines;
  EXPECT_TRUE(dump(file, options, [&](absl::string_view line) {
                lines.emplace_back(line);
                return absl::OkStatus();
              }).ok());
  return lines;
}

// ---- Numbers ----

LoadTraceT trace_of(uint64_t id, uint64_t device, int launches) {
  LoadTraceT trace;
  trace.id = id;
  trace.device = device;
  trace.content = std::make_unique<TraceContentT>();
  for (int i = 0; i < launches; ++i)
    trace.content->launches.push_back(std::make_unique<TraceLaunchT>());
  return trace;
}

EntryBeginT entry_of(const char* name) {
  EntryBeginT entry;
  entry.name = name;
  return entry;
}

// Commands 3 to 7: a named buffer that an entry writes and reads.
void use_named_buffer(Calls& calls) {
  BindTensorT bind;
  bind.buffer = 7;
  bind.name = "x";
  bind.role = BindingRole::Output;
  bind.tensor = std::make_unique<TensorDescT>();
  bind.tensor->type = ElementType::UInt32;
  bind.tensor->shape = {4};
  EnqueueWriteBufferT write;
  write.device = 1;
  write.buffer = 7;
  write.data = samples::blob();
  EnqueueReadBufferT read;
  read.device = 1;
  read.buffer = 7;
  read.golden = samples::blob();
  read.element_type = ElementType::Float32;
  calls.add(std::move(bind)).add(entry_of("run")).add(std::move(write)).add(std::move(read));
  calls.add(EntryEndT());
}

// A file in which equal numbers are rare, with objects of many kinds.
FilePointer file_of_all_kinds() {
  KernelBinaryT binary;
  binary.kernel = 4;
  binary.target = "t";
  binary.object = samples::blob();
  ReplayTraceT replay;
  replay.device = 5;
  replay.trace = 9;
  Calls calls;
  calls.device(5, 3).buffer(7, 32, 16, 16);
  use_named_buffer(calls);
  calls.program(2).compute_kernel(4, 2).add(std::move(binary)).add(trace_of(9, 5, 2));
  calls.add(replay).add(replay).add(replay);
  return calls.add(entry_of("open")).add(trace_of(10, 1, 0)).file();
}

// The numbers of that file, by their places in the JSON.
std::vector<std::pair<const char*, Json>> numbers_of_all_kinds() {
  return {{"/num_commands", 17},
          {"/replay_memory/commands", 17},
          {"/replay_memory/stopped", ""},
          {"/devices/1/id", 5},
          {"/devices/1/chip_id", 3},
          {"/devices/1/num_hw_cqs", 2},
          {"/entries/0/begin", 4},
          {"/entries/0/end", 7},
          {"/entries/1/name", "open"},
          {"/entries/1/begin", 15},
          {"/tensors/0/buffer", 7},
          {"/tensors/0/role", "output"},
          {"/tensors/0/dtype", "uint32"},
          {"/tensors/0/order", "row_major"},
          {"/payloads/count", 1},
          {"/payloads/unique_bytes", 16},
          {"/payloads/used_bytes", 48},
          {"/payloads/stored_bytes", 16},
          {"/bytes/shared", 48},
          {"/bytes/uploads", 0},
          {"/bytes/goldens", 0},
          {"/bytes/kernels", 0},
          {"/goldens/count", 1},
          {"/goldens/bytes", 16},
          {"/goldens/places/0/buffer", 7},
          {"/goldens/places/0/command", 6},
          {"/kernels/0/id", 4},
          {"/kernels/0/objects/0/size", 16},
          {"/traces/0/id", 9},
          {"/traces/0/device", 5},
          {"/traces/0/command", 11},
          {"/traces/0/launches", 2},
          {"/traces/0/replays", 3},
          {"/traces/1/replays", 0},
          {"/needs/kernel_targets/0", "t"}};
}

TEST(InfoTest, EachNumberIsInItsOwnField) {
  const Json json = json_of(*file_of_all_kinds());
  for (const auto& [path, value] : numbers_of_all_kinds())
    EXPECT_EQ(json.at(Json::json_pointer(path)), value) << path;
  EXPECT_FALSE(json["entries"][1].contains("end"));
}

TEST(InfoTest, TextSaysTheSameNumbers) {
  const std::string text = text_of(*file_of_all_kinds());
  for (const char* line :
       {"\nentry      run: commands 4 to 7\n",
        "\nentry      open: commands 15 to the end of the file\n",
        "\noutput     x: uint32:4:row_major, buffer 7, with a default value, with a golden\n",
        "\ndevice     5: chip 3, 2 command queues, ",
        "\npayloads   1, 16 bytes stored, 48 bytes used\n",
        "command 6: EnqueueReadBuffer of buffer 7",
        "\n       9   on device 5, loaded by command 11: 2 launches, replayed 3 times\n",
        "\n      10   on device 1, loaded by command 16: 0 launches, replayed by no command\n",
        "       48 bytes  payloads of more than one use\n"})
    EXPECT_THAT(text, HasSubstr(line));
}

BufferCreateT buffer_in(BufferType type, uint64_t id, uint64_t address, uint64_t pages,
                        uint64_t page_size) {
  BufferCreateT buffer;
  buffer.id = id;
  buffer.device = 2;
  buffer.buffer_type = type;
  buffer.allocated_address = address;
  buffer.size = pages * page_size;
  buffer.page_size = page_size;
  return buffer;
}

TEST(InfoTest, EachKindOfMemoryOfADeviceHasItsOwnPeak) {
  CreateDeviceT device;
  device.id = 2;
  device.chip_id = device.num_hw_cqs = 1;
  device.l1_small_size = 1 << 15;
  device.trace_region_size = 1 << 20;
  device.profile = std::make_unique<DeviceProfileT>(profile());
  const uint64_t l1_small = device.profile->l1_size - device.l1_small_size;
  const uint64_t trace = device.profile->dram_bank_size - device.trace_region_size;
  EnqueueProgramT launch;
  launch.device = 2;
  launch.program = 1;
  Calls calls;
  calls.add(std::move(device)).add(buffer_in(BufferType::Dram, 1, 32, 24, 2048));
  calls.add(buffer_in(BufferType::Trace, 2, trace, 12, 1024));
  calls.add(buffer_in(BufferType::L1, 3, 0x20000, 64, 512));
  calls.add(buffer_in(BufferType::L1Small, 4, l1_small, 64, 256));
  calls.program(1).circular_buffer(1, 1, 0, 64).add(launch);
  const Json json = json_of(*calls.file());
  EXPECT_EQ(json["replay_memory"]["stopped"], "");
  EXPECT_EQ(json["devices"][1]["peak_memory"], Json({{"dram_bank", 4096},
                                                     {"trace_bank", 1024},
                                                     {"l1_core", 512 + 64},
                                                     {"l1_buffers", 512},
                                                     {"l1_circular_buffers", 64},
                                                     {"l1_small", 256},
                                                     {"dram_given", 0},
                                                     {"l1_given", 0}}));
}

// ---- Lists ----

// Reads with goldens of that size, which need not be there for the file to be looked into.
FilePointer with_goldens(int count, uint64_t size) {
  EnqueueReadBufferT read;
  read.device = read.buffer = 1;
  read.golden = std::make_unique<BlobRef>(Digest(1, 2), size);
  Calls calls;
  for (int i = 0; i < count; ++i) calls.add(read);
  return calls.file();
}

size_t occurrences(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(InfoTest, TheFirstGoldensAreListedAndAllAreCounted) {
  struct Row {
    int count;
    size_t in_json;
    const char* more;
  };
  for (const auto& [count, in_json, more] :
       {Row{12, 12, ""}, Row{13, 13, "           and 1 more\n"},
        Row{1001, 1000, "           and 989 more\n"}}) {
    const auto file = with_goldens(count, 16);
    const std::string text = text_of(*file);
    EXPECT_EQ(occurrences(text, ": EnqueueReadBuffer of buffer 1"), 12u) << count;
    EXPECT_EQ(occurrences(text, " more\n"), *more == '\0' ? 0u : 1u) << count;
    EXPECT_THAT(text, HasSubstr(more));
    const Json json = json_of(*file);
    EXPECT_EQ(json["goldens"]["count"], count);
    EXPECT_EQ(json["goldens"]["places"].size(), in_json);
  }
}

TEST(InfoTest, SizesAreInTheLargestUnitThatTheyReach) {
  const std::pair<uint64_t, const char*> rows[] = {
      {0, "0 bytes"},          {1023, "1023 bytes"},           {1024, "1.0 KiB"},
      {1536, "1.5 KiB"},       {uint64_t{1} << 20, "1.0 MiB"}, {uint64_t{5} << 30, "5.0 GiB"},
      {UINT64_MAX, "16.0 EiB"}};
  for (const auto& [size, words] : rows)
    EXPECT_THAT(text_of(*with_goldens(1, size)),
                HasSubstr(absl::StrCat("goldens    1, ", words, "\n")));
}

TEST(DumpTest, AListIsCutAfterTwelveItems) {
  SetRuntimeArgsT set;
  set.kernel = 1;
  set.args.assign(12, 7);
  EXPECT_THAT(dumped(*Calls().add(set).file()).back(), EndsWith(" 7 7 7]"));
  set.args.push_back(8);
  EXPECT_THAT(dumped(*Calls().add(set).file()).back(), EndsWith(" 7 7 7 ... 13 in all]"));
}

// The line of the launch of a program with so many kernels.
std::string launch_line(int kernels, const std::string& first_name) {
  Calls calls;
  calls.program(1);
  for (int i = 0; i < kernels; ++i) {
    KernelCreateT kernel;
    kernel.id = i + 1;
    kernel.program = 1;
    kernel.source_name = i == 0 ? first_name : absl::StrCat("/a/k", i, ".cpp");
    kernel.config.Set(ComputeConfigT());
    calls.add(std::move(kernel));
  }
  return dumped(*calls.launch(1).file()).back();
}

TEST(DumpTest, AProgramHasTheNamesOfItsFirstFourKernels) {
  EXPECT_THAT(launch_line(1, "/a/k0.cpp"), HasSubstr("program=1(k0.cpp) "));
  EXPECT_THAT(launch_line(4, "/a/k0.cpp"), HasSubstr("program=1(k0.cpp+k1.cpp+k2.cpp+k3.cpp) "));
  EXPECT_THAT(launch_line(5, "k0.cpp"), HasSubstr("program=1(k0.cpp+k1.cpp+k2.cpp+k3.cpp+...) "));
  EXPECT_THAT(launch_line(1, "/a/" + std::string(65, 'n')),
              HasSubstr("program=1(" + std::string(64, 'n') + ") "));
}

// The values that dump shows of data.
std::string values_in(const std::vector<uint8_t>& bytes, ElementType type) {
  auto sink = std::make_shared<MemorySink>();
  Writer writer(sink);
  EXPECT_TRUE(writer.begin({}).ok());
  const auto data = writer.append_blob(std::as_bytes(std::span(bytes)));
  EXPECT_TRUE(data.ok()) << data.status();
  WriteToBufferT write;
  write.buffer = 1;
  write.element_type = type;
  write.data = std::make_unique<BlobRef>(*data);
  CommandT command;
  command.call.Set(std::move(write));
  EXPECT_TRUE(writer.append_command(encoded(command)).ok());
  EXPECT_TRUE(writer.finish(absl::OkStatus()).ok());
  const std::string line = dumped(*opened(sink->take()), {.values = true}).at(0);
  return line.substr(line.find("data: ") + 6);
}

TEST(DumpTest, TheFirstFourValuesAreShownAndTheLast) {
  using enum ElementType;
  EXPECT_EQ(values_in({}, UInt8), "0 UInt8:");
  EXPECT_EQ(values_in({9, 2, 3, 6}, UInt8), "4 UInt8: 9 2 3 6, min 2, max 9, mean 5");
  EXPECT_EQ(values_in({9, 2, 3, 6, 5}, UInt8), "5 UInt8: 9 2 3 6 5, min 2, max 9, mean 5");
  EXPECT_EQ(values_in({9, 2, 3, 6, 4, 6}, UInt8), "6 UInt8: 9 2 3 6 ... 6, min 2, max 9, mean 5");
  EXPECT_EQ(values_in({1, 0, 3, 0, 7}, UInt16),
            "2 UInt16: 1 3, min 1, max 3, mean 2, and 1 bytes more");
  EXPECT_EQ(values_in({254, 255, 255, 255}, Int32), "1 Int32: -2, min -2, max -2, mean -2");
  EXPECT_EQ(values_in({254, 255, 255, 255}, UInt32),
            "1 UInt32: 4.29496729e+09, min 4.29496729e+09, max 4.29496729e+09, mean "
            "4.29496729e+09");
}

// ---- Calls that did not return ----

// A file in which calls are announced and made.
class Announced {
 public:
  Announced() { EXPECT_TRUE(writer_.begin({}).ok()); }

  template <class Call>
  Announced& will(Call call) {
    EXPECT_TRUE(writer_.append_intent(bytes_of_call(std::move(call))).ok());
    return *this;
  }
  template <class Call>
  Announced& did(Call call) {
    EXPECT_TRUE(writer_.append_command(bytes_of_call(std::move(call))).ok());
    return *this;
  }
  FilePointer file() {
    EXPECT_TRUE(writer_.finish(absl::OkStatus()).ok());
    return opened(sink_->take());
  }

 private:
  template <class Call>
  static Content bytes_of_call(Call call) {
    CommandT command;
    command.call.Set(std::move(call));
    return encoded(command);
  }

  const std::shared_ptr<MemorySink> sink_ = std::make_shared<MemorySink>();
  Writer writer_{sink_};
};

EnqueueProgramT launch_of(uint64_t program) {
  EnqueueProgramT launch;
  launch.device = 1;
  launch.program = program;
  return launch;
}

CallFailedT failure_of(Call call) {
  CallFailedT failed;
  failed.function = "Function";
  failed.intent = static_cast<uint8_t>(call);
  return failed;
}

// The programs of the launches that did not return.
std::vector<uint64_t> open_in(Announced& announced) {
  const auto file = announced.file();
  std::vector<uint64_t> programs;
  const auto intents = open_intents(*file);
  EXPECT_TRUE(intents.ok()) << intents.status();
  for (const CommandView& intent : *intents)
    programs.push_back(intent.command->call_as_EnqueueProgram()->program());
  return programs;
}

TEST(IntentsTest, ACallEndsTheIntentOfItsObjectsAndAFailureTheLatestOfItsCall) {
  const auto both = [](auto end) {
    return open_in(Announced().will(launch_of(1)).will(launch_of(2)).did(end));
  };
  EXPECT_THAT(both(launch_of(1)), ElementsAre(2));
  EXPECT_THAT(both(launch_of(2)), ElementsAre(1));
  EXPECT_THAT(both(launch_of(3)), ElementsAre(1, 2));
  EXPECT_THAT(both(failure_of(Call::EnqueueProgram)), ElementsAre(1));
  EXPECT_THAT(both(failure_of(Call::FinishQueue)), ElementsAre(1, 2));
  EXPECT_THAT(both(failure_of(Call::NONE)), ElementsAre(1, 2));
  EXPECT_THAT(open_in(Announced().will(launch_of(1)).will(launch_of(1)).did(launch_of(1))),
              ElementsAre(1));
  Announced many;
  for (uint64_t program = 1; program <= 257; ++program) many.will(launch_of(program));
  const std::vector<uint64_t> open = open_in(many);
  EXPECT_EQ(open.size(), 256u);
  EXPECT_EQ(open.front(), 2u) << "the oldest is forgotten";
}

TEST(IntentsTest, InfoAndDumpShowThemAfterTheLastCommand) {
  const auto file = Announced().did(launch_of(3)).will(launch_of(7)).file();
  EXPECT_THAT(text_of(*file), HasSubstr("\nended in   EnqueueProgram device=1 cq=0 program=7 "));
  const Json intent = json_of(*file)["open_intents"].at(0);
  EXPECT_EQ(intent["before_command"], 1);
  EXPECT_EQ(intent["fields"]["program"], 7);
  const auto lines = dumped(*file);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[1], AllOf(StartsWith("intent  EnqueueProgram device=1 cq=0 program=7 "),
                              EndsWith("  (it did not return)")));
  const Json line = Json::parse(dumped(*file, {.format = DumpFormat::JsonLines}).at(1));
  EXPECT_EQ(line["intent_before"], 1);
  EXPECT_EQ(line["fields"]["program"], 7);
  EXPECT_EQ(dumped(*file, {.last = 1}).size(), 2u);
  EXPECT_EQ(dumped(*file, {.last = 0}).size(), 0u) << "the range ends before them";
  CommandFilter launches;
  EXPECT_TRUE(launches.add_call("EnqueueProgram").ok());
  EXPECT_EQ(dumped(*file, {.filter = launches}).size(), 1u);
}

// ---- Timelines ----

// One span of each kind; reads are as writes.
timeline::Spans some_spans() {
  using timeline::Kind;
  return {
      .spans =
          {{.kind = Kind::kWrite, .chip = 1, .thread = 3, .begin = 5000, .end = 7500, .bytes = 64},
           {.kind = Kind::kLaunch,
            .chip = 1,
            .thread = 3,
            .begin = 6000,
            .end = 9000,
            .plan = 8,
            .lane = 2,
            .cores = 4,
            .name = "k"},
           {.kind = Kind::kCore, .chip = 1, .begin = 6500, .end = 7000, .plan = 8, .core = {3, 2}},
           {.kind = Kind::kScope, .begin = 5000, .end = 9000, .name = "s"}},
      .dropped = 6};
}

TEST(TimelineTrace, HasEachSpanOnItsTrackWithWhatIsKnownOfIt) {
  const Json trace = Json::parse(timeline_trace(some_spans()));
  std::vector<Json> spans, names;
  for (const Json& event : trace["traceEvents"])
    (event["ph"] == "X" ? spans : names).push_back(event);
  const auto span = [](const char* name, double begin, double length, uint64_t process,
                       uint64_t thread, Json args) {
    return Json{{"name", name},   {"ph", "X"},     {"ts", begin}, {"dur", length},
                {"pid", process}, {"tid", thread}, {"args", args}};
  };
  EXPECT_THAT(spans,
              ElementsAre(span("write", 0, 2.5, 1, 3, {{"bytes", 64}}),
                          span("k", 1, 3, 1, 3, {{"program", 8}, {"cores", 4}, {"sub_device", 1}}),
                          span("program 8", 1.5, 0.5, 1, 1'002'003, {{"program", 8}}),
                          span("s", 0, 4, 1'000'000, 0, Json::object())));
  EXPECT_EQ(trace["otherData"]["dropped_spans"], 6);
  std::vector<std::string> tracks;
  for (const Json& name : names) tracks.push_back(name["args"]["name"]);
  EXPECT_THAT(tracks, ElementsAre("device 1", "queue thread 3", "core (3,2)", "program", "scopes"));
}

}  // namespace
}  // namespace lightmetal::schema::testing
