#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/schedule.h"
#include "device/device.h"
#include "tests/device/device_test_kit.h"
#include "tests/device/tiles/tile_program.h"

// Unpack, math and pack of a compute kernel as three processors: the schedule "split".
namespace lightmetal::device::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::unique_ptr<Device> open_with(const std::string& schedule) {
  DeviceOptions options;
  options.schedule = *Schedule::parse(schedule);
  return open_cpu(options);
}

Tile tile_of(float value) { return Tile(kTileElements, value); }

// Inputs 0 and 1 are tiles of 1, 2, 3 and of 10, 20, 30; output 16 has six tiles.
TileProgram program_on(Device& device) {
  TileProgram program;
  program.on(device)
      .prelude(R"(
        #include "compute_kernel_api/eltwise_binary.h"
        #include "compute_kernel_api/tilize.h"
        #include "compute_kernel_api/untilize.h"
        #include "compute_kernel_api/tile_move_copy.h")")
      .input(0, DataFormat::Float32, {tile_of(1), tile_of(2), tile_of(3)})
      .input(1, DataFormat::Float32, {tile_of(10), tile_of(20), tile_of(30)})
      .output(16, DataFormat::Float32, 6);
  return program;
}

// The first elements of the output's first tiles.
std::vector<float> outputs(const TileProgram& program, uint32_t tiles) {
  std::vector<float> values;
  for (uint32_t i = 0; i < tiles; ++i) values.push_back(program.floats(16, i)[0]);
  return values;
}

// The schedules under which parts must give the same results.
const std::vector<std::string> kSplitSchedules = {
    "split", "fixed,split", "random:1,split", "random:2,split", "random:3,split", "random:4,split"};

void expect_outputs(const std::string& body, const std::vector<float>& expected) {
  for (const std::string& schedule : kSplitSchedules) {
    SCOPED_TRACE(schedule);
    const auto device = open_with(schedule);
    TileProgram program = program_on(*device);
    const absl::Status status = program.run(body);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(outputs(program, static_cast<uint32_t>(expected.size())), expected);
  }
}

std::string failure_of(const std::string& body, const std::string& schedule = "split") {
  const auto device = open_with(schedule);
  return message_of(program_on(*device).run(body));
}

TEST(ScheduleText, SplitComesAfterTheOrder) {
  for (const std::string text :
       {"free", "fixed", "random:7", "split", "fixed,split", "random:7,split"}) {
    const auto schedule = Schedule::parse(text);
    ASSERT_TRUE(schedule.ok()) << schedule.status();
    EXPECT_EQ(schedule->text(), text);
    EXPECT_EQ(schedule->split, text.ends_with("split"));
  }
  EXPECT_EQ(Schedule::parse("free,split")->text(), "split");
  for (const std::string text : {",split", "split,fixed", "split,split", "fixed, split", "Split"})
    EXPECT_THAT(message_of(Schedule::parse(text).status()), HasSubstr("is no schedule")) << text;
}

// ---- Running ahead ----

constexpr char kThreeSectionsBeforePacking[] = R"(
  unary_op_init_common(0, 16);
  cb_wait_front(0, 3);
  for (uint32_t i = 0; i < 3; ++i) {
    tile_regs_acquire();
    copy_tile(0, i, 0);
    tile_regs_commit();
  }
  cb_reserve_back(16, 3);
  for (uint32_t i = 0; i < 3; ++i) {
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
  }
  cb_push_back(16, 3);
  cb_pop_front(0, 3);)";

TEST(Parts, MathRunsAheadOfThePackerAsFarAsDstAllows) {
  EXPECT_THAT(failure_of(kThreeSectionsBeforePacking, "fixed"),
              HasSubstr("all of DST is committed"));
  expect_outputs(kThreeSectionsBeforePacking, {1, 2, 3});
}

// The reader waits until the kernel has popped all that it pushed before it makes room for the
// second page of the output.
constexpr char kReaderThatWaitsForPops[] = R"(
  void kernel_main() {
    cb_push_back(0, 3);
    cb_reserve_back(0, 3);
    cb_wait_front(17, 1);
    cb_pop_front(17, 1);
    cb_wait_front(17, 1);
    cb_pop_front(17, 1);
  })";

constexpr char kPopsAfterPacking[] = R"(
  unary_op_init_common(0, 17);
  for (uint32_t i = 0; i < 3; ++i) {
    cb_wait_front(0, 1);
    cb_reserve_back(17, 1);
    tile_regs_acquire();
    copy_tile(0, 0, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 17);
    tile_regs_release();
    cb_push_back(17, 1);
    cb_pop_front(0, 1);
  })";

absl::Status run_with_waiting_reader(const std::string& schedule, float* last) {
  const auto device = open_with(schedule);
  TileProgram program = program_on(*device);
  program.output(17, DataFormat::Float32, 1).feeder(kReaderThatWaitsForPops);
  const absl::Status status = program.run(kPopsAfterPacking);
  *last = program.floats(17, 0)[0];
  return status;
}

TEST(Parts, UnpackingPopsWhilePackingWaitsForRoom) {
  float last = 0;
  EXPECT_THAT(message_of(run_with_waiting_reader("fixed", &last)),
              HasSubstr("COMPUTE kernel tile_program.cpp: circular buffer 17: waits for 1 free "));
  for (const std::string& schedule : kSplitSchedules) {
    const absl::Status status = run_with_waiting_reader(schedule, &last);
    EXPECT_TRUE(status.ok()) << schedule << ": " << status;
    EXPECT_EQ(last, 3);
  }
}

// The math comes to its operand only after the reader has filled the page again.
TEST(Parts, OperandsAreThoseAtTheTimeOfUnpacking) {
  constexpr char kBody[] = R"(
    unary_op_init_common(18, 16);
    uint32_t go = 0;
    cb_wait_front(18, 1);
    tile_regs_acquire();
    UNPACK((copy_tile(18, 0, 0)));
    cb_pop_front(18, 1);
    cb_wait_front(18, 1);
    UNPACK((mailbox_write(ckernel::ThreadId::MathThreadId, 1)));
    MATH(go = mailbox_read(ckernel::ThreadId::UnpackThreadId);)
    MATH((copy_tile(18, 0, 0)));
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();)";
  constexpr char kReader[] = R"(
    void kernel_main() {
      auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(18));
      for (uint32_t round = 0; round < 2; ++round) {
        cb_reserve_back(18, 1);
        for (uint32_t i = 0; i < 1024; ++i) words[i] = round == 0 ? 0x40a00000 : 0x40c00000;
        cb_push_back(18, 1);
      }
    })";
  for (const std::string& schedule : kSplitSchedules) {
    const auto device = open_with(schedule);
    TileProgram program = program_on(*device);
    program.output(18, DataFormat::Float32, 1).feeder(kReader);
    const absl::Status status = program.run(kBody);
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(outputs(program, 1), std::vector<float>{5}) << schedule;
  }
}

std::string operations_before_mail(uint32_t operations) {
  const std::string times = absl::StrCat("for (uint32_t i = 0; i < ", operations, "; ++i) ");
  return absl::StrCat(R"(
    unary_op_init_common(0, 16);
    cb_wait_front(0, 3);
    tile_regs_acquire();
    UNPACK({ )",
                      times,
                      R"( copy_tile(0, i, i); mailbox_write(ckernel::ThreadId::MathThreadId, 7); })
    MATH({ mailbox_read(ckernel::ThreadId::UnpackThreadId); )",
                      times, R"( copy_tile(0, i, i); })
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(1, 16);
    tile_regs_release();)");
}

TEST(Parts, UnpackingIsTwoOperationsAheadOfMathAtMost) {
  expect_outputs(operations_before_mail(2), {2});
  EXPECT_THAT(
      failure_of(operations_before_mail(3)),
      AllOf(HasSubstr("UNPACK kernel tile_program.cpp: waits until MATH takes operands, of which "
                      "2 are unpacked"),
            HasSubstr("MATH kernel tile_program.cpp: waits for a word in the mailbox from UNPACK"),
            HasSubstr("PACK kernel tile_program.cpp: waits for a section of DST, which MATH "
                      "commits")));
}

TEST(Parts, EachPartHasItsMacros) {
  constexpr char kBody[] = R"(
    unary_op_init_common(0, 16);
    uint32_t whose = 0;
    UNPACK(whose += 1;)
    MATH(whose += 10;)
    PACK(whose += 100;)
    #ifdef TRISC_UNPACK
    whose += 1;
    #endif
    #ifdef TRISC_PACK
    whose += 100;
    #endif
    cb_wait_front(0, 3);
    tile_regs_acquire();
    UNPACK((copy_tile(0, whose, 5)));
    MATH((copy_tile(5, 5, whose - 10)));
    tile_regs_commit();
    tile_regs_wait();
    pack_tile<true>(0, 16, whose - 200);
    tile_regs_release();)";
  expect_outputs(kBody, {3});
}

// ---- DST ----

std::string committed_sections(uint32_t sections) {
  return absl::StrCat(R"(
    unary_op_init_common(0, 16);
    cb_wait_front(0, 3);
    for (uint32_t i = 0; i < )",
                      sections, R"(; ++i) {
      tile_regs_acquire();
      copy_tile(0, 0, 0);
      tile_regs_commit();
    })");
}

TEST(Parts, DstHasAsManySectionsAsTheKernelsSettingsSay) {
  for (const bool full : {false, true}) {
    const auto run = [full](uint32_t sections) {
      const auto device = open_with("split");
      TileProgram program = program_on(*device);
      program.settings().dst_full_sync_en = full;
      return message_of(program.run(committed_sections(sections)));
    };
    const uint32_t most = full ? 1 : 2;
    EXPECT_EQ(run(most), "no failure");
    EXPECT_THAT(run(most + 1), HasSubstr("MATH kernel tile_program.cpp: waits for a free section "
                                         "of DST, which PACK releases"));
  }
}

// Each section is zeros after its release, in both settings.
TEST(Parts, ReleasedSectionsAreZeros) {
  constexpr char kBody[] = R"(
    binary_op_init_common(0, 1, 16);
    cb_wait_front(0, 3);
    cb_wait_front(1, 3);
    add_tiles_init(0, 1, true);
    for (uint32_t i = 0; i < 6; ++i) {
      tile_regs_acquire();
      add_tiles(0, 1, i % 3, i % 3, 0);
      tile_regs_commit();
      tile_regs_wait();
      pack_tile(0, 16);
      tile_regs_release();
    })";
  for (const bool full : {false, true}) {
    for (const std::string& schedule : kSplitSchedules) {
      const auto device = open_with(schedule);
      TileProgram program = program_on(*device);
      program.settings().dst_full_sync_en = full;
      const absl::Status status = program.run(kBody);
      EXPECT_TRUE(status.ok()) << status;
      EXPECT_EQ(outputs(program, 6), (std::vector<float>{11, 22, 33, 11, 22, 33})) << schedule;
    }
  }
}

TEST(Parts, ThePackerMustWaitForTheSectionThatItPacks) {
  EXPECT_THAT(failure_of("tile_regs_acquire(); tile_regs_commit(); pack_tile(0, 16);"),
              HasSubstr("packs a section of DST that the packing processor has not waited for"));
  EXPECT_THAT(failure_of("tile_regs_acquire(); tile_regs_commit(); tile_regs_release();"),
              HasSubstr("releases a section of DST that the packing processor has not waited"));
}

TEST(Parts, CallsOf2024SyncDst) {
  expect_outputs(R"(
    unary_op_init_common(0, 16);
    cb_wait_front(0, 3);
    for (uint32_t i = 0; i < 3; ++i) {
      acquire_dst(tt::DstMode::Half);
      copy_tile(0, i, 0);
      pack_tile(0, 16);
      release_dst(tt::DstMode::Half);
    })",
                 {1, 2, 3});
}

// ---- Mailboxes and semaphores ----

// The math alone knows which tile is to be unpacked, and tells the other two.
TEST(Parts, MailboxesLeadFromEachPartToEachOther) {
  expect_outputs(R"(
    using ckernel::ThreadId;
    unary_op_init_common(0, 16);
    cb_wait_front(0, 3);
    for (uint32_t i = 0; i < 3; ++i) {
      uint32_t tile = 0;
      MATH(tile = 2 - i;)
      MATH((mailbox_write(ThreadId::UnpackThreadId, tile)));
      UNPACK(tile = mailbox_read(ThreadId::MathThreadId);)
      UNPACK((mailbox_write(ThreadId::PackThreadId, tile)));
      PACK(tile = mailbox_read(ThreadId::UnpackThreadId);)
      PACK((mailbox_write(ThreadId::MathThreadId, tile + 40)));
      MATH(tile = mailbox_read(ThreadId::PackThreadId) - 40;)
      tile_regs_acquire();
      copy_tile(0, tile, tile);
      tile_regs_commit();
      tile_regs_wait();
      pack_tile(tile, 16);
      tile_regs_release();
    })",
                 {3, 2, 1});
}

TEST(Parts, AMailboxHoldsFourWords) {
  const auto body = [](uint32_t words) {
    return absl::StrCat("for (uint32_t i = 0; i < ", words,
                        "; ++i) UNPACK((mailbox_write(ckernel::ThreadId::PackThreadId, i)));");
  };
  EXPECT_EQ(failure_of(body(4)), "no failure");
  EXPECT_THAT(failure_of(body(5)), HasSubstr("UNPACK kernel tile_program.cpp: waits for room in "
                                             "the mailbox to PACK, which holds 4 words"));
}

TEST(Parts, NoMailboxLeadsToItself) {
  EXPECT_THAT(failure_of("MATH((mailbox_write(ckernel::ThreadId::MathThreadId, 1)));"),
              HasSubstr("no mailbox leads from processor 1 to processor 1"));
  EXPECT_THAT(failure_of("MATH((mailbox_read(ckernel::ThreadId::BriscThreadId)));"),
              HasSubstr("no mailbox leads from processor 3 to processor 1"));
}

// All parts get what the unpacking one reads, whose pointers alone move.
TEST(Parts, ValuesOfCircularBuffersAreThoseThatUnpackingReads) {
  expect_outputs(R"(
    unary_op_init_common(0, 16);
    cb_wait_front(0, 1);
    cb_pop_front(0, 1);
    cb_wait_front(0, 2);
    const bool is_two = read_tile_value(0, 0, 0) == 0x40000000;
    const bool is_three = *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_tile_address(0, 1)) == 0x40400000;
    volatile uint32_t* words = nullptr;
    cb_get_tile(0, 1, &words);
    const bool again = words[4] == 0x40400000;
    cb_release_tile(0);
    if (is_two && is_three && again) {
      tile_regs_acquire();
      copy_tile(0, 1, 0);
      tile_regs_commit();
      tile_regs_wait();
      pack_tile(0, 16);
      tile_regs_release();
    })",
                 {3});
}

// The math writes a word, and posts; the packer reads the word, and gets. Of most one post the
// second write waits for the first get.
TEST(Parts, SemaphoresHoldUpTheInstructionsAfterThem) {
  expect_outputs(R"(
    unary_op_init_common(0, 16);
    auto* word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_tile_address(0, 0));
    MATH((t6_semaphore_init(semaphore::FPU_SFPU, 0, 1)));
    MATH((mailbox_write(ckernel::ThreadId::PackThreadId, 0)));
    PACK((mailbox_read(ckernel::ThreadId::MathThreadId)));
    uint32_t seen = 0;
    for (uint32_t i = 1; i <= 5; ++i) {
      MATH((t6_semaphore_wait_on_max<p_stall::STALL_MATH>(semaphore::FPU_SFPU)));
      MATH(*word = i;)
      MATH((t6_semaphore_post<p_stall::MATH>(semaphore::FPU_SFPU)));
      PACK((t6_semaphore_wait_on_zero<p_stall::STALL_PACK>(semaphore::FPU_SFPU)));
      PACK(seen = seen * 10 + *word;)
      PACK((t6_semaphore_get<p_stall::PACK>(semaphore::FPU_SFPU)));
    }
    tile_regs_acquire();
    copy_tile(1, 0, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile<true>(0, 16, seen == 12345 ? 0 : 1);
    tile_regs_release();)",
                 {10});
}

TEST(Parts, SemaphoresThatNobodyPostsAreNamed) {
  EXPECT_THAT(failure_of("PACK((t6_semaphore_wait_on_zero<p_stall::STALL_PACK>(5)));"),
              HasSubstr("PACK kernel tile_program.cpp: semaphore 5 between the processors: waits "
                        "while it is 0"));
  EXPECT_THAT(failure_of("MATH((t6_semaphore_init(5, 2, 2)));"
                         "MATH((t6_semaphore_wait_on_max<p_stall::STALL_MATH>(5)));"),
              HasSubstr("MATH kernel tile_program.cpp: semaphore 5 between the processors: waits "
                        "while it is 2, its most"));
}

// The calls of the math on semaphore 5 before its wait, and its wait, if it has one.
struct SemaphoreUse {
  const char* calls;
  const char* waits;
};

constexpr SemaphoreUse kSemaphoreUses[] = {
    {"t6_semaphore_get(5); t6_semaphore_wait_on_zero(5);",
     "5 between the processors: waits while "
     "it is 0"},
    {"t6_semaphore_init(5, 0, 2); for (int i = 0; i < 5; ++i) t6_semaphore_post(5); "
     "t6_semaphore_get(5); t6_semaphore_get(5); t6_semaphore_wait_on_zero(5);",
     "5 between the processors: waits while it is 0"},
    {"for (int i = 0; i < 14; ++i) t6_semaphore_post(5); t6_semaphore_wait_on_max(5);",
     "no failure"},
    {"for (int i = 0; i < 15; ++i) t6_semaphore_post(5); t6_semaphore_wait_on_max(5);",
     "5 between the processors: waits while it is 15, its most"},
    {"t6_semaphore_post(16);", "a kernel has no semaphore 16 between its processors; it has 16"},
};

// A kernel that does what its argument chooses.
std::string one_of(const std::vector<std::string>& bodies) {
  std::string text = "switch (get_arg_val<uint32_t>(0)) {\n";
  for (size_t i = 0; i < bodies.size(); ++i)
    absl::StrAppend(&text, "case ", i, ": {\n", bodies[i], "\n} break;\n");
  return text + "}";
}

TEST(Parts, SemaphoresStayBetweenZeroAndTheirMost) {
  std::vector<std::string> bodies;
  for (const SemaphoreUse& use : kSemaphoreUses)
    bodies.push_back(absl::StrCat("MATH({ ", use.calls, " })"));
  const auto device = open_with("split");
  TileProgram program = program_on(*device);
  for (uint32_t i = 0; i < bodies.size(); ++i) {
    const absl::Status status = program.args({i}).run(one_of(bodies));
    EXPECT_THAT(message_of(status), HasSubstr(kSemaphoreUses[i].waits)) << kSemaphoreUses[i].calls;
  }
}

// ---- Parts that are out of step, and what one processor does ----

TEST(Parts, OperandsOfAnotherOperationAreAnError) {
  EXPECT_THAT(failure_of("cb_wait_front(0, 3); cb_wait_front(1, 3); tile_regs_acquire();"
                         "UNPACK((copy_tile(0, 0, 0))); MATH((add_tiles(0, 1, 0, 0, 0)));"),
              HasSubstr("a binary operation on tiles comes to operands that were unpacked for "
                        "copy_tile"));
}

TEST(Parts, TilizeAndUntilizeGoFromUnpackingToPacking) {
  constexpr char kBody[] = R"(
    cb_wait_front(0, 3);
    cb_reserve_back(16, 3);
    tilize_block(0, 3, 16);
    cb_push_back(16, 3);
    cb_wait_front(16, 3);
    cb_reserve_back(16, 3);
    untilize_block(16, 3, 16);
    cb_push_back(16, 3);)";
  std::vector<Tile> rows;
  for (uint32_t seed : {1, 2, 3}) rows.push_back(random_tile(seed));
  for (const std::string& schedule : kSplitSchedules) {
    const auto split = open_with(schedule);
    const auto whole = open_with("fixed");
    TileProgram in_parts = program_on(*split), as_one = program_on(*whole);
    for (TileProgram* program : {&in_parts, &as_one}) {
      program->input(0, DataFormat::Float32, rows);
      const absl::Status status = program->run(kBody);
      ASSERT_TRUE(status.ok()) << status;
    }
    for (uint32_t i = 0; i < 6; ++i)
      EXPECT_EQ(in_parts.floats(16, i), as_one.floats(16, i)) << schedule << " tile " << i;
  }
}

TEST(Parts, ACompilerOfOneProcessorSaysHowMailboxesCanBeHad) {
  EXPECT_THAT(failure_of("mailbox_write(ckernel::ThreadId::PackThreadId, 1);", "fixed"),
              AllOf(HasSubstr("refused: mailbox_write"), HasSubstr("schedule \"split\"")));
}

// ---- One launch after another ----

// A program that ends and leaves something in what its processors share, and what becomes of
// another one on the same core.
struct Leftover {
  const char* name;
  std::string leaves, next;
  std::string result;  // the first element of the first output, or a part of the error
};

std::string pack_tile_of_mail() {
  return R"(
    unary_op_init_common(0, 16);
    cb_wait_front(0, 3);
    uint32_t tile = 0;
    UNPACK((mailbox_write(ckernel::ThreadId::PackThreadId, 2)));
    PACK(tile = mailbox_read(ckernel::ThreadId::UnpackThreadId);)
    tile_regs_acquire();
    for (uint32_t i = 0; i < 3; ++i) copy_tile(0, i, i);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(tile, 16);
    tile_regs_release();)";
}

std::vector<Leftover> leftovers() {
  const std::string commit = "tile_regs_acquire(); tile_regs_commit(); ";
  return {{"mail", "for (int i = 0; i < 4; ++i) UNPACK((mailbox_write(ckernel::PackThreadId, 0)));",
           pack_tile_of_mail(), "3"},
          {"sections",
           "cb_wait_front(0, 3); for (int i = 0; i < 2; ++i) { tile_regs_acquire(); "
           "copy_tile(0, 2, 0); tile_regs_commit(); }",
           kThreeSectionsBeforePacking, "1"},
          {"operands", "cb_wait_front(0, 3); UNPACK((copy_tile(0, 2, 0)));",
           kThreeSectionsBeforePacking, "1"},
          {"semaphores", "MATH((t6_semaphore_init(5, 1, 1)));",
           "PACK((t6_semaphore_wait_on_zero<p_stall::STALL_PACK>(5)));", "waits while it is 0"},
          {"a section that is packed", commit + "tile_regs_wait();", commit + "pack_tile(0, 16);",
           "packs a section of DST that the packing processor has not waited for"}};
}

TEST(Parts, ALaunchFindsNothingThatTheOneBeforeHasLeft) {
  const std::vector<Leftover> all = leftovers();
  std::vector<std::string> bodies;
  for (const Leftover& leftover : all)
    bodies.insert(bodies.end(), {leftover.leaves, leftover.next});
  const std::string body = one_of(bodies);
  for (uint32_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(all[i].name);
    const auto device = open_with("split");
    TileProgram program = program_on(*device);
    EXPECT_EQ(program.args({2 * i}).run(body), absl::OkStatus());
    const absl::Status status = program.args({2 * i + 1}).run(body);
    EXPECT_THAT(status.ok() ? absl::StrCat(outputs(program, 1)[0]) : message_of(status),
                HasSubstr(all[i].result));
  }
}

// ---- Objects ----

KernelSource copying_source() {
  KernelSource source;
  source.name = "copying.cpp";
  source.text = "void kernel_main() {}";
  source.processor = Processor::kCompute;
  return source;
}

absl::Status run_object(Device& device, const KernelObject& object) {
  static uint64_t next_plan_id = uint64_t{1} << 41;  // apart from tile_program.cc's
  auto kernel = device.load(object, "copying.cpp");
  if (!kernel.ok()) return kernel.status();
  LaunchPlan plan;
  plan.id = next_plan_id++;
  plan.kernels.push_back({*kernel, Processor::kCompute, 0, "copying.cpp"});
  CorePlan core;
  core.kernels.push_back({.kernel = 0});
  plan.cores.push_back(core);
  return device.launch({.plan = std::make_shared<const LaunchPlan>(plan), .args = {}});
}

TEST(Parts, AnObjectWithPartsAlsoRunsAsOneAndOneWithoutIsRefused) {
  const auto split = open_with("split");
  const auto whole = open_with("free");
  const KernelObject with_parts = *split->compile(copying_source());
  const KernelObject without = *whole->compile(copying_source());
  EXPECT_GT(with_parts.bytes.size(), without.bytes.size());
  EXPECT_TRUE(run_object(*split, with_parts).ok());
  EXPECT_TRUE(run_object(*whole, with_parts).ok());
  EXPECT_TRUE(run_object(*whole, without).ok());
  EXPECT_THAT(message_of(run_object(*split, without)),
              AllOf(HasSubstr("kernel copying.cpp was compiled without parts"),
                    HasSubstr("LIGHTMETAL_CPU_DEVICE_SCHEDULE")));
}

TEST(Parts, SizesThatDoNotFitAnObjectAreRefused) {
  const auto split = open_with("split");
  KernelObject object = *split->compile(copying_source());
  object.bytes[object.bytes.size() - 8 - 8 + 6] = std::byte{0x7f};  // of the last size
  EXPECT_THAT(message_of(run_object(*split, object)),
              HasSubstr("the parts of a kernel object are larger than the object"));
}

}  // namespace
}  // namespace lightmetal::device::testing
