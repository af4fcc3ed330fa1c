// Global circular buffers: what the host writes, and what senders and receivers do with it.
#include <array>
#include <random>
#include <sstream>
#include <tt-metalium/global_circular_buffer.hpp>
#include <tt-metalium/sub_device.hpp>

#include "tests/support/cpu_api_test_kit.h"

namespace tt::tt_metal {
namespace {

using experimental::CreateGlobalCircularBuffer;
using experimental::GlobalCircularBuffer;
using testing::add_data_movement;
using testing::expect_refused;
using testing::expect_replays_alike;

using Mapping = std::vector<std::pair<CoreCoord, CoreRangeSet>>;

constexpr uint8_t kRemote = 31;
constexpr uint32_t kSource = 0x60000;  // where senders have what they send
constexpr uint32_t kTarget = 0x80000;  // where receivers put what they got
const CoreCoord kSender(0, 0);

CoreRangeSet receivers() { return CoreRangeSet(CoreRange({1, 1}, {2, 2})); }
Mapping one_to_four() { return {{kSender, receivers()}}; }

CircularBufferConfig remote_config(uint32_t page_size) {
  CircularBufferConfig config(page_size);
  config.remote_index(kRemote).set_page_size(page_size).set_data_format(DataFormat::Float16_b);
  return config;
}

CBHandle bind(Program& program, const GlobalCircularBuffer& global, uint32_t page_size) {
  return experimental::CreateCircularBuffer(program, global.all_cores(), remote_config(page_size),
                                            global);
}

std::vector<uint32_t> counting(uint32_t count, uint32_t first = 1) {
  std::vector<uint32_t> words(count);
  for (uint32_t i = 0; i < count; ++i) words[i] = first + i;
  return words;
}

class GlobalCircularBufferTest : public testing::CpuApiTest {
 protected:
  GlobalCircularBuffer create(uint32_t size, const Mapping& mapping = one_to_four()) {
    const auto global = CreateGlobalCircularBuffer(device(), mapping, size);
    Finish(queue());
    return global;
  }
  void fill_source(uint32_t words, uint32_t first = 1) {
    std::vector<uint32_t> data = counting(words, first);
    detail::WriteToDeviceL1(device(), kSender, kSource, data);
  }
  void run(Program& program) { EnqueueProgram(queue(), program, true); }
};

TEST_F(GlobalCircularBufferTest, EveryCoreHasItsConfiguration) {
  const GlobalCircularBuffer global = create(3200);
  EXPECT_EQ(global.size(), 3200u);
  EXPECT_EQ(global.sender_cores(), CoreRangeSet(CoreRange(kSender)));
  EXPECT_EQ(global.receiver_cores().num_cores(), 4u);
  EXPECT_EQ(global.all_cores().num_cores(), 5u);
  EXPECT_EQ(global.buffer_address(), global.cb_buffer().address());
  EXPECT_EQ(global.get_device(), device());
  const auto address = static_cast<uint32_t>(global.config_address());
  const auto base = static_cast<uint32_t>(global.buffer_address());
  const auto sender = l1_words(kSender, address, 7);
  EXPECT_THAT(sender, ::testing::ElementsAre(1, 4, base, 3200, base, address + 32, address + 64));
  const CoreCoord first = device()->worker_core_from_logical_core({1, 1});
  EXPECT_THAT(l1_words(kSender, sender[5], 2), ::testing::ElementsAre(first.x, first.y));
  const CoreCoord own = device()->worker_core_from_logical_core(kSender);
  std::vector<uint32_t> counters;
  for (const CoreCoord& core : corerange_to_cores(receivers())) {
    const auto config = l1_words(core, address, 7);
    EXPECT_EQ(config[0], 0u);
    EXPECT_THAT(l1_words(core, config[5], 2), ::testing::ElementsAre(own.x, own.y));
    counters.push_back(config[6]);
  }
  EXPECT_THAT(counters,
              ::testing::ElementsAre(sender[6], sender[6] + 32, sender[6] + 64, sender[6] + 96));
}

// The interfaces under the names that kernels know, in data movement and compute kernels.
TEST_F(GlobalCircularBufferTest, KernelsSeeTheInterfaces) {
  const GlobalCircularBuffer global = create(3200);
  Program program = CreateProgram();
  bind(program, global, 96);
  const std::string store =
      "auto* out = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(0x80000);\n";
  add_data_movement(program,
                    store +
                        "auto& cb = get_remote_sender_cb_interface(31);\n"
                        "out[0] = cb.config_ptr; out[1] = cb.fifo_start_addr;\n"
                        "out[2] = cb.fifo_limit_page_aligned; out[3] = cb.fifo_page_size;\n"
                        "out[4] = cb.fifo_wr_ptr; out[5] = cb.num_receivers;\n"
                        "out[6] = cb.aligned_pages_sent_ptr;",
                    kSender);
  CreateKernelFromString(program,
                         "#include \"compute_kernel_api/common.h\"\n"
                         "#include \"remote_circular_buffer_api.h\"\n"
                         "namespace NAMESPACE { void MAIN {\n" +
                             store +
                             "auto& cb = get_remote_receiver_cb_interface(31);\n"
                             "out[0] = cb.config_ptr; out[1] = cb.fifo_start_addr;\n"
                             "out[2] = cb.fifo_limit_page_aligned; out[3] = cb.fifo_page_size;\n"
                             "out[4] = cb.fifo_rd_ptr; out[5] = cb.sender_noc_x;\n"
                             "out[6] = cb.sender_noc_y;\n}}",
                         receivers(), ComputeConfig{});
  run(program);
  const auto config = static_cast<uint32_t>(global.config_address());
  const auto base = static_cast<uint32_t>(global.buffer_address());
  EXPECT_THAT(l1_words(kSender, kTarget, 7),
              ::testing::ElementsAre(config, base, base + 3168, 96, base, 4, config + 64));
  const CoreCoord own = device()->worker_core_from_logical_core(kSender);
  EXPECT_THAT(l1_words({2, 2}, kTarget, 7),
              ::testing::ElementsAre(config, base, base + 3168, 96, base, own.x, own.y));
}

// Each row holds the pieces of all receivers; far more goes through than fits.
TEST_F(GlobalCircularBufferTest, ReceiversGetTheirColumnsOfEachRow) {
  const GlobalCircularBuffer global = create(160);  // three pages of 48 bytes and 16 left over
  constexpr uint32_t kPages = 20, kRows = 3, kPiece = 16;
  fill_source(kPages * kRows * 4 * kPiece / 4);
  Program program = CreateProgram();
  bind(program, global, kRows * kPiece);
  add_data_movement(program,
                    "for (uint32_t page = 0; page < 20; ++page) {\n"
                    "  experimental::remote_cb_reserve_back(31, 1);\n"
                    "  experimental::remote_cb_push_back_and_write_pages(\n"
                    "      31, 0x60000 + page * 192, 1, 3, 1, 16, noc_index);\n"
                    "}\n"
                    "experimental::remote_cb_sender_barrier(31);\n"
                    "experimental::update_remote_cb_config_in_l1(31);",
                    kSender);
  add_data_movement(program,
                    "auto* out = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(0x80000);\n"
                    "for (uint32_t page = 0; page < 20; ++page) {\n"
                    "  experimental::remote_cb_wait_front(31, 1);\n"
                    "  auto* in = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(\n"
                    "      get_remote_receiver_cb_interface(31).fifo_rd_ptr);\n"
                    "  for (uint32_t i = 0; i < 12; ++i) *out++ = in[i];\n"
                    "  experimental::remote_cb_pop_front(31, 1);\n"
                    "}\n"
                    "experimental::update_remote_cb_config_in_l1(31);",
                    receivers());
  run(program);
  const std::vector<CoreCoord> cores = corerange_to_cores(receivers());
  for (uint32_t r = 0; r < cores.size(); ++r) {
    std::vector<uint32_t> expected;
    for (uint32_t row = 0; row < kPages * kRows; ++row) {
      for (uint32_t i = 0; i < kPiece / 4; ++i) expected.push_back(1 + (row * 4 + r) * 4 + i);
    }
    EXPECT_EQ(l1_words(cores[r], kTarget, kPages * kRows * kPiece / 4), expected) << r;
  }
}

struct Step {
  uint32_t page_size;
  uint32_t pages;
};

std::string sending(const std::vector<Step>& steps, uint32_t source) {
  std::ostringstream body;
  body << "uint32_t source = " << source << ";\n";
  for (const Step& step : steps) {
    body << "experimental::resize_remote_sender_cb_interface<true>(31, " << step.page_size
         << ", noc_index);\n"
         << "for (uint32_t i = 0; i < " << step.pages << "; ++i) {\n"
         << "  experimental::remote_cb_reserve_back(31, 1);\n"
         << "  experimental::remote_cb_push_back_and_write_pages(31, source, 1, 1, 1, "
         << step.page_size << ");\n"
         << "  source += " << step.page_size << ";\n}\n";
  }
  body << "experimental::update_remote_cb_config_in_l1(31);";
  return body.str();
}

std::string receiving(const std::vector<Step>& steps, uint32_t target, bool told = true) {
  std::ostringstream body;
  body << "auto* out = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(" << target << ");\n";
  for (const Step& step : steps) {
    body << "experimental::resize_remote_receiver_cb_interface<" << (told ? "true" : "false")
         << ">(31, " << step.page_size << ", noc_index);\n"
         << "for (uint32_t i = 0; i < " << step.pages << "; ++i) {\n"
         << "  experimental::remote_cb_wait_front(31, 1);\n"
         << "  auto* in = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(\n"
         << "      get_remote_receiver_cb_interface(31).fifo_rd_ptr);\n"
         << "  for (uint32_t w = 0; w < " << step.page_size / 4 << "; ++w) *out++ = in[w];\n"
         << "  experimental::remote_cb_pop_front(31, 1);\n}\n";
  }
  body << "experimental::update_remote_cb_config_in_l1(31);";
  return body.str();
}

uint32_t words_of(const std::vector<Step>& steps) {
  uint32_t words = 0;
  for (const Step& step : steps) words += step.page_size / 4 * step.pages;
  return words;
}

Mapping one_to_one() { return {{kSender, CoreRangeSet(CoreRange(CoreCoord(1, 1)))}}; }

TEST_F(GlobalCircularBufferTest, PageSizesChangeInTheStream) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 6; ++round) {
    const uint32_t size = 16 * (6 + random() % 20);
    std::vector<Step> steps;
    for (int i = 0; i < 8; ++i) {
      steps.push_back({16 * (1 + uint32_t(random() % (size / 16))), 1 + uint32_t(random() % 9)});
    }
    const GlobalCircularBuffer global = create(size, one_to_one());
    fill_source(words_of(steps), 1000 * round);
    Program program = CreateProgram();
    bind(program, global, steps[0].page_size);
    add_data_movement(program, sending(steps, kSource), kSender);
    add_data_movement(program, receiving(steps, kTarget, round % 2 == 0), CoreCoord(1, 1));
    run(program);
    EXPECT_EQ(l1_words({1, 1}, kTarget, words_of(steps)), counting(words_of(steps), 1000 * round))
        << "round " << round << " size " << size;
  }
}

// What one program sends, a later one receives; and so on around the memory.
TEST_F(GlobalCircularBufferTest, ItStaysFromProgramToProgram) {
  const GlobalCircularBuffer global = create(160, one_to_one());
  const std::vector<Step> steps = {{48, 2}};
  Program sends = CreateProgram();
  bind(sends, global, 48);
  add_data_movement(sends, sending(steps, kSource), kSender);
  Program receives = CreateProgram();
  bind(receives, global, 48);
  add_data_movement(receives, receiving(steps, kTarget), CoreCoord(1, 1));
  for (uint32_t round = 0; round < 7; ++round) {
    fill_source(words_of(steps), 100 * round);
    run(sends);
    run(receives);
    EXPECT_EQ(l1_words({1, 1}, kTarget, words_of(steps)), counting(words_of(steps), 100 * round));
  }
}

TEST_F(GlobalCircularBufferTest, LocalIndicesInTheSameMemoryFollowTheRemoteOne) {
  const GlobalCircularBuffer global = create(256, one_to_one());
  CircularBufferConfig config(64);
  config.remote_index(kRemote).set_page_size(64).set_data_format(DataFormat::Float16_b);
  config.index(0).set_page_size(32).set_data_format(DataFormat::Float16_b);
  Program program = CreateProgram();
  experimental::CreateCircularBuffer(program, global.all_cores(), config, global);
  add_data_movement(program, sending({{64, 5}}, kSource), kSender);
  add_data_movement(program,
                    "for (uint32_t i = 0; i < 5; ++i) {\n"
                    "  cb_reserve_back(0, 2);\n"
                    "  experimental::remote_cb_wait_front(31, 1);\n"
                    "  cb_push_back(0, 2);\n"
                    "  cb_reserve_back(0, get_local_cb_interface(0).fifo_num_pages);\n"
                    "  experimental::remote_cb_pop_front(31, 1);\n"
                    "}\n"
                    "experimental::update_remote_cb_config_in_l1(31);",
                    CoreCoord(1, 1));
  add_data_movement(
      program,
      "auto* out = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(0x80000);\n"
      "for (uint32_t i = 0; i < 10; ++i) {\n"
      "  cb_wait_front(0, 1);\n"
      "  auto* in = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_read_ptr(0));\n"
      "  for (uint32_t w = 0; w < 8; ++w) *out++ = in[w];\n"
      "  cb_pop_front(0, 1);\n"
      "}",
      CoreCoord(1, 1), {}, DataMovementProcessor::RISCV_1);
  for (uint32_t round = 0; round < 3; ++round) {  // begins at other places in the memory
    fill_source(80, 500 * round);
    run(program);
    EXPECT_EQ(l1_words({1, 1}, kTarget, 80), counting(80, 500 * round)) << round;
  }
}

// A program with small pages stops somewhere. Then one with larger pages begins at the next of its
// own pages. If the last of them ends there, it begins at the first one.
TEST_F(GlobalCircularBufferTest, LocalIndicesBeginAtTheNextPageOfTheProgram) {
  constexpr uint32_t kSmall = 16, kLarge = 48, kSize = 160, kPages = kSize / kLarge;
  CircularBufferConfig config(kLarge);
  config.remote_index(kRemote).set_page_size(kLarge).set_data_format(DataFormat::Float16_b);
  config.index(0).set_page_size(kLarge).set_data_format(DataFormat::Float16_b);
  for (uint32_t sent = 1; sent < kSize / kSmall; ++sent) {
    const GlobalCircularBuffer global = create(kSize, one_to_one());
    Program first = CreateProgram();
    bind(first, global, kSmall);
    add_data_movement(first, sending({{kSmall, sent}}, kSource), kSender);
    add_data_movement(first, receiving({{kSmall, sent}}, kTarget), CoreCoord(1, 1));
    run(first);
    Program second = CreateProgram();
    experimental::CreateCircularBuffer(second, global.all_cores(), config, global);
    add_data_movement(second,
                      "auto* out = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(0x80000);\n"
                      "out[0] = get_local_cb_interface(0).fifo_rd_ptr;\n"
                      "out[1] = get_local_cb_interface(0).fifo_wr_ptr;\n",
                      CoreCoord(1, 1));
    run(second);
    const uint32_t page = (sent * kSmall + kLarge - 1) / kLarge % kPages;
    const auto expected = static_cast<uint32_t>(global.buffer_address()) + page * kLarge;
    EXPECT_THAT(l1_words({1, 1}, kTarget, 2), ::testing::ElementsAre(expected, expected)) << sent;
  }
}

TEST_F(GlobalCircularBufferTest, LocalIndicesAreAlignedByTheKernel) {
  const GlobalCircularBuffer global = create(160, one_to_one());
  CircularBufferConfig config(16);
  config.remote_index(kRemote).set_page_size(16).set_data_format(DataFormat::Float16_b);
  config.index(0).set_page_size(16).set_data_format(DataFormat::Float16_b);
  Program program = CreateProgram();
  experimental::CreateCircularBuffer(program, global.all_cores(), config, global);
  add_data_movement(program, sending({{16, 3}, {64, 1}}, kSource), kSender);
  add_data_movement(
      program,
      receiving({{16, 3}}, kTarget) +
          "experimental::resize_remote_receiver_cb_interface<true>(31, 64, noc_index);\n"
          "experimental::align_local_cbs_to_remote_cb<1>(31, {0});\n"
          "auto& local = get_local_cb_interface(0);\n"
          "*out++ = local.fifo_size; *out++ = local.fifo_num_pages;\n"
          "*out++ = local.fifo_rd_ptr; *out++ = local.fifo_wr_ptr;\n",
      CoreCoord(1, 1));
  run(program);
  const auto base = static_cast<uint32_t>(global.buffer_address());
  EXPECT_THAT(l1_words({1, 1}, kTarget + 48, 4),
              ::testing::ElementsAre(128, 8, base + 64, base + 64));
}

TEST_F(GlobalCircularBufferTest, SenderAndReceiverMayBeOnDifferentSubDevices) {
  const auto manager = device()->create_sub_device_manager(
      {SubDevice(std::array{CoreRangeSet(CoreRange(kSender))}),
       SubDevice(std::array{CoreRangeSet(CoreRange({1, 0}, {7, 7}))})},
      0);
  const GlobalCircularBuffer global = create(96, one_to_one());
  device()->load_sub_device_manager(manager);
  const std::vector<Step> steps = {{48, 40}};
  fill_source(words_of(steps));
  Program sends = CreateProgram();
  experimental::CreateCircularBuffer(sends, kSender, remote_config(48), global);
  add_data_movement(sends, sending(steps, kSource), kSender);
  Program receives = CreateProgram();
  experimental::CreateCircularBuffer(receives, CoreCoord(1, 1), remote_config(48), global);
  add_data_movement(receives, receiving(steps, kTarget), CoreCoord(1, 1));
  EnqueueProgram(queue(), sends, false);
  EnqueueProgram(queue(), receives, false);
  Finish(queue());
  EXPECT_EQ(l1_words({1, 1}, kTarget, words_of(steps)), counting(words_of(steps)));
}

TEST_F(GlobalCircularBufferTest, ASubDeviceThatIsNotThereIsRefused) {
  const std::array named = {SubDeviceId{1}};
  expect_refused(
      [&] { CreateGlobalCircularBuffer(device(), one_to_one(), 96, BufferType::L1, named); },
      "no sub-device 1");
}

TEST_F(GlobalCircularBufferTest, AProgramCanBeGivenAnother) {
  const GlobalCircularBuffer first = create(96, one_to_one());
  const GlobalCircularBuffer second = create(192, one_to_one());
  const std::vector<Step> steps = {{96, 1}};
  fill_source(words_of(steps));
  Program program = CreateProgram();
  const CBHandle cb = bind(program, first, 96);
  add_data_movement(program, sending(steps, kSource), kSender);
  experimental::UpdateDynamicCircularBufferAddress(program, cb, second);
  run(program);
  EXPECT_EQ(l1_words({1, 1}, second.buffer_address(), 24), counting(24));
  EXPECT_NE(l1_words({1, 1}, first.buffer_address(), 24), counting(24));
  const GlobalCircularBuffer elsewhere =
      create(96, {{CoreCoord(5, 5), CoreRangeSet(CoreRange(CoreCoord(6, 6)))}});
  expect_refused([&] { experimental::UpdateDynamicCircularBufferAddress(program, cb, elsewhere); },
                 "on all of them");
  const GlobalCircularBuffer small = create(32, one_to_one());
  expect_refused([&] { experimental::UpdateDynamicCircularBufferAddress(program, cb, small); },
                 "Cannot set circular buffer size to 96 B");
}

TEST_F(GlobalCircularBufferTest, ItsMemoryIsFreedWithTheLastHandle) {
  GlobalCircularBuffer global = create(96);
  const DeviceAddr address = global.buffer_address();
  {
    const GlobalCircularBuffer copy = global;
    global = create(192);
    EXPECT_EQ(copy.buffer_address(), address);
  }
  EXPECT_EQ(std::hash<GlobalCircularBuffer>{}(global),
            std::hash<GlobalCircularBuffer>{}(create(192)));
}

TEST_F(GlobalCircularBufferTest, ThoseThatCannotBeAreRefused) {
  const CoreRangeSet one(CoreRange(CoreCoord(1, 1)));
  expect_refused([&] { create(96, {}); }, "at least one sender");
  expect_refused([&] { create(96, {{kSender, CoreRangeSet()}}); }, "has no receivers");
  expect_refused([&] { create(100); }, "must be a positive multiple of 16 B");
  expect_refused([&] { create(0); }, "must be a positive multiple");
  expect_refused([&] { create(96, {{CoreCoord(1, 1), one}}); }, "cannot be receivers too");
  expect_refused(
      [&] {
        create(96, {{kSender, one}, {CoreCoord(0, 1), one}});
      },
      "cannot be receivers too");
  expect_refused(
      [&] {
        create(96, {{kSender, one}, {kSender, CoreRangeSet(CoreRange({2, 2}))}});
      },
      "cannot be senders too");
  expect_refused([&] { create(96, {{CoreCoord(8, 0), one}}); }, "leaves the 8x8 grid");
  expect_refused([&] { CreateGlobalCircularBuffer(device(), one_to_four(), 96, BufferType::DRAM); },
                 "can only be in L1");
}

TEST_F(GlobalCircularBufferTest, CircularBuffersThatCannotUseItAreRefused) {
  const GlobalCircularBuffer global = create(96);
  Program program = CreateProgram();
  const CoreCoord outside(5, 5);
  expect_refused(
      [&] { experimental::CreateCircularBuffer(program, outside, remote_config(48), global); },
      "on all of them");
  expect_refused(
      [&] { experimental::CreateCircularBuffer(program, kSender, remote_config(112), global); },
      "larger than the associated L1 buffer of 96 B");
  expect_refused([&] { CreateCircularBuffer(program, kSender, remote_config(48)); },
                 "needs a global circular buffer");
  CircularBufferConfig uneven(64);
  uneven.remote_index(31).set_page_size(32).set_data_format(DataFormat::Float16_b);
  uneven.index(0).set_page_size(64).set_data_format(DataFormat::Float16_b);
  expect_refused([&] { experimental::CreateCircularBuffer(program, kSender, uneven, global); },
                 "96 B of whole pages of remote index 31", "pages of 64 B of local index 0");
  CircularBufferConfig wrong_way(48);
  wrong_way.index(31).set_page_size(48).set_data_format(DataFormat::Float16_b);
  wrong_way.remote_index(30).set_page_size(48).set_data_format(DataFormat::Float16_b);
  expect_refused([&] { experimental::CreateCircularBuffer(program, kSender, wrong_way, global); },
                 "Remote circular buffer index 30 must be above local index 31");
}

TEST_F(GlobalCircularBufferTest, AWaitThatNothingEndsIsReported) {
  const GlobalCircularBuffer global = create(96, one_to_one());
  Program program = CreateProgram();
  bind(program, global, 48);
  add_data_movement(program, "experimental::remote_cb_wait_front(31, 1);", CoreCoord(1, 1));
  expect_refused([&] { run(program); }, "core (1,1)", "waits for >= 3, holds 0");
  Program full = CreateProgram();
  bind(full, global, 48);
  add_data_movement(full, sending({{48, 3}}, kSource), kSender);
  expect_refused([&] { run(full); }, "core (0,0)", "waits for >= 3, holds 0");
}

// The receiver lets others run before it pops. The sender keeps what it finds acknowledged.
TEST_F(GlobalCircularBufferTest, ABarrierWaitsUntilAllThatWasSentIsPopped) {
  const GlobalCircularBuffer global = create(96, one_to_one());
  Program program = CreateProgram();
  bind(program, global, 48);
  add_data_movement(program,
                    "experimental::remote_cb_reserve_back(31, 1);\n"
                    "experimental::remote_cb_push_back_and_write_pages(31, 0x60000, 1, 1, 1, 48);\n"
                    "experimental::remote_cb_sender_barrier(31);\n"
                    "const uint32_t sent = "
                    "get_remote_sender_cb_interface(31).aligned_pages_sent_ptr;\n"
                    "*reinterpret_cast<volatile uint32_t*>(0x80000) = "
                    "*reinterpret_cast<volatile uint32_t*>(sent + 16);",
                    kSender);
  add_data_movement(program,
                    "experimental::remote_cb_wait_front(31, 1);\n"
                    "for (uint32_t i = 0; i < 1000; ++i) invalidate_l1_cache();\n"
                    "experimental::remote_cb_pop_front(31, 1);",
                    CoreCoord(1, 1));
  run(program);
  EXPECT_THAT(l1_words(kSender, kTarget, 1), ::testing::ElementsAre(3));
}

TEST_F(GlobalCircularBufferTest, WrongCallsFailTheLaunch) {
  const GlobalCircularBuffer global = create(96, one_to_one());
  const auto fails = [&](const char* body, const CoreCoord& core, const char* message) {
    Program program = CreateProgram();
    bind(program, global, 48);
    add_data_movement(program, body, core);
    expect_refused([&] { run(program); }, message);
  };
  fails("experimental::remote_cb_wait_front(31, 1);", kSender, "this core is a sender");
  fails("experimental::remote_cb_reserve_back(31, 1);", {1, 1}, "this core is a receiver");
  fails("experimental::remote_cb_reserve_back(30, 1);", kSender, "no remote circular buffer");
  fails("experimental::remote_cb_reserve_back(31, 3);", kSender, "more pages");
  fails("experimental::resize_remote_sender_cb_interface<true>(31, 40, noc_index);", kSender,
        "must be a multiple of 16");
  fails("experimental::remote_cb_push_back_and_write_pages(31, 0x60000, 1, 1, 1, 64);", kSender,
        "larger than the pages");
}

TEST_F(GlobalCircularBufferTest, RunsAndTracesAreReplayed) {
  expect_replays_alike([] {
    IDevice* device = CreateDevice(0);
    CommandQueue& queue = device->command_queue();
    {
      const auto global = CreateGlobalCircularBuffer(device, one_to_one(), 160);
      const auto other = CreateGlobalCircularBuffer(device, one_to_one(), 96);
      const std::vector<Step> steps = {{48, 5}, {32, 4}};
      std::vector<uint32_t> data = counting(words_of(steps)), found;
      detail::WriteToDeviceL1(device, kSender, kSource, data);
      Program program = CreateProgram();
      const CBHandle cb = bind(program, global, 48);
      add_data_movement(program, sending(steps, kSource), kSender);
      add_data_movement(program, receiving(steps, kTarget), CoreCoord(1, 1));
      EnqueueProgram(queue, program, true);
      detail::ReadFromDeviceL1(device, CoreCoord(1, 1), kTarget, words_of(steps) * 4, found);
      EXPECT_EQ(found, data);
      experimental::UpdateDynamicCircularBufferAddress(program, cb, other);
      const uint32_t trace = BeginTraceCapture(device, 0);
      EnqueueProgram(queue, program, false);
      EndTraceCapture(device, 0, trace);
      ReplayTrace(device, 0, trace, true);
      ReplayTrace(device, 0, trace, true);
      detail::ReadFromDeviceL1(device, CoreCoord(1, 1), kTarget, words_of(steps) * 4, found);
      EXPECT_EQ(found, data);
      // The memory is a buffer like any other.
      std::vector<uint32_t> memory;
      EnqueueReadBuffer(queue, const_cast<Buffer&>(other.cb_buffer()), memory, true);
      ReleaseTrace(device, trace);
    }
    CloseDevice(device);
  });
}

}  // namespace
}  // namespace tt::tt_metal
