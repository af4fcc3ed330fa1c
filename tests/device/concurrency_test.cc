#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/device/device_test_kit.h"

// The ways in which the kernels of TT-Metalium's examples wait for each other, on all cores of the
// device, with one worker thread, two and eight, and many times with other data each time. A lost
// wake-up shows as a launch that fails, a lost or early write as wrong data.
namespace lightmetal::device::testing {
namespace {

constexpr int kRuns = 200;

class Concurrency : public ::testing::TestWithParam<int> {
 protected:
  // Launches `program` kRuns times with another first common argument; after each, `check` looks at
  // the results.
  template <typename Check>
  void launch_often(LaunchBuilder& program, uint32_t seed_argument, const Check& check) {
    Launch launch = program.build();
    for (int run = 0; run < kRuns && !HasFatalFailure(); ++run) {
      const auto seed = static_cast<uint32_t>(random_());
      launch.args[seed_argument] = seed;
      const absl::Status status = device_->launch(launch);
      ASSERT_TRUE(status.ok()) << "run " << run << " of seed " << kSeed << ": " << status;
      check(seed);
    }
  }

  uint32_t columns() const { return device_->profile().grid.x; }
  uint32_t rows() const { return device_->profile().grid.y; }
  uint32_t cores() const { return columns() * rows(); }
  Core core(uint32_t index) const { return {index % columns(), index / columns()}; }

  // Kernels know the grid by constants: GX, GY, and X[i], Y[i] of logical columns and rows.
  std::string grid() const {
    std::string xs, ys;
    for (uint32_t x = 0; x < columns(); ++x) xs += std::to_string(noc_x(*device_, {x, 0})) + ",";
    for (uint32_t y = 0; y < rows(); ++y) ys += std::to_string(noc_y(*device_, {0, y})) + ",";
    return "constexpr uint32_t GX = " + std::to_string(columns()) +
           ", GY = " + std::to_string(rows()) + ";\nconstexpr uint32_t X[] = {" + xs +
           "}, Y[] = {" + ys + "};\n" + R"(
      inline volatile tt_l1_ptr uint32_t* semaphore(uint32_t id) {
        return reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(id));
      }
      inline uint32_t value(uint32_t seed, uint32_t i) { return (seed + i) * 2654435761u; }
    )";
  }
  static uint32_t value(uint32_t seed, uint32_t i) { return (seed + i) * 2654435761u; }

  uint32_t word(Core where, uint64_t address) { return read_words(*device_, where, address, 1)[0]; }

  static constexpr uint32_t kSeed = 20250321;
  const std::unique_ptr<Device> device_ = open_cpu_with_workers(GetParam());
  std::mt19937 random_{kSeed};
};

// The example matmul_multicore_reuse_mcast: the first core of each row reads in0 and sends it along
// the row, the first core of each column reads in1 and sends it down the column, both at once, in
// several blocks. A sender waits until its receivers have room (a semaphore that they increment),
// sends the block and then the word VALID.
TEST_P(Concurrency, RowAndColumnMulticastsWithFourSemaphores) {
  const std::string kernel = grid() + R"(
    constexpr uint32_t BLOCKS = 4, WORDS = 32;
    // Role 0 is in0 along the row, role 1 is in1 down the column.
    void pass(bool sender, uint32_t ready_id, uint32_t valid_id, uint32_t count, uint64_t others,
              uint64_t first, uint32_t from, uint32_t seed, uint32_t block) {
      auto* ready = semaphore(ready_id);
      auto* valid = semaphore(valid_id);
      auto* data = reinterpret_cast<volatile uint32_t*>(from);
      if (sender) {
        for (uint32_t i = 0; i < WORDS; ++i) data[i] = value(seed, block * WORDS + i);
        noc_semaphore_wait(ready, count);
        noc_semaphore_set(ready, 0);
        noc_async_write_multicast(from, others | from, WORDS * 4, count);
        noc_semaphore_set(valid, VALID);
        noc_semaphore_set_multicast(get_semaphore(valid_id), others | get_semaphore(valid_id),
                                    count);
        noc_async_write_barrier();
      } else {
        noc_semaphore_set(valid, INVALID);
        noc_semaphore_inc(first | get_semaphore(ready_id), 1);
        noc_semaphore_wait(valid, VALID);
      }
    }
    void kernel_main() {
      const uint32_t x = get_absolute_logical_x(), y = get_absolute_logical_y();
      const uint32_t seed = get_common_arg_val<uint32_t>(0);
      auto* sum0 = reinterpret_cast<volatile uint32_t*>(0x30000);
      auto* sum1 = reinterpret_cast<volatile uint32_t*>(0x30004);
      *sum0 = *sum1 = 0;
      const uint64_t row = get_noc_multicast_addr(X[1], Y[y], X[GX - 1], Y[y], 0);
      const uint64_t column = get_noc_multicast_addr(X[x], Y[1], X[x], Y[GY - 1], 0);
      for (uint32_t block = 0; block < BLOCKS; ++block) {
        pass(x == 0, 0, 1, GX - 1, row, get_noc_addr(X[0], Y[y], 0), 0x20000, seed + y, block);
        pass(y == 0, 2, 3, GY - 1, column, get_noc_addr(X[x], Y[0], 0), 0x24000, seed + 100 + x,
             block);
        for (uint32_t i = 0; i < WORDS; ++i) {
          *sum0 += reinterpret_cast<volatile uint32_t*>(0x20000)[i] * (i + 1);
          *sum1 += reinterpret_cast<volatile uint32_t*>(0x24000)[i] * (i + 1);
        }
      }
    })";
  LaunchBuilder program(*device_);
  const uint32_t index =
      program.kernel("mcast.cpp", "#include \"hostdevcommon/common_values.hpp\"\n" + kernel);
  program.run_on(core(0), index, {}, {0});
  // All cores share the words of the first one's common arguments.
  for (uint32_t i = 1; i < cores(); ++i) program.run_on(core(i), index, {}, {0});
  for (uint32_t i = 0; i < cores(); ++i) {
    program.core(core(i)).kernels[0].common_begin = 0;
    for (uint32_t id = 0; id < 4; ++id) program.semaphore(core(i), id, 0);
  }
  const auto expected = [](uint32_t seed) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 4 * 32; ++i) sum += value(seed, i) * (i % 32 + 1);
    return sum;
  };
  launch_often(program, 0, [&](uint32_t seed) {
    for (uint32_t i = 0; i < cores(); ++i) {
      ASSERT_EQ(word(core(i), 0x30000), expected(seed + core(i).y)) << "in0, core " << i;
      ASSERT_EQ(word(core(i), 0x30004), expected(seed + 100 + core(i).x)) << "in1, core " << i;
    }
  });
}

// The example contributed/multicast: a coordinator sends a tile to all other cores once they say
// that they are ready; on each of them one kernel receives it and hands it to another through a
// circular buffer, which sends it back to the coordinator.
TEST_P(Concurrency, CoordinatorInboundOutbound) {
  const std::string coordinator = grid() + R"(
    void kernel_main() {
      const uint32_t seed = get_common_arg_val<uint32_t>(0), others = GX * GY - 1;
      auto* tile = reinterpret_cast<volatile uint32_t*>(0x20000);
      for (uint32_t i = 0; i < 512; ++i) tile[i] = value(seed, i);
      noc_semaphore_wait(semaphore(0), others);
      const uint64_t all = get_noc_multicast_addr(X[0], Y[0], X[GX - 1], Y[GY - 1], 0);
      noc_async_write_multicast(0x20000, all | 0x24000, 2048, others);
      noc_semaphore_set(semaphore(1), VALID);
      noc_semaphore_set_multicast(get_semaphore(1), all | get_semaphore(1), others);
      noc_async_write_barrier();
      noc_semaphore_wait(semaphore(2), others);
    })";
  const std::string inbound = grid() + R"(
    void kernel_main() {
      cb_reserve_back(0, 1);
      noc_semaphore_set(semaphore(1), INVALID);
      noc_semaphore_inc(get_noc_addr(X[0], Y[0], get_semaphore(0)), 1);
      noc_semaphore_wait(semaphore(1), VALID);
      auto* from = reinterpret_cast<volatile uint32_t*>(0x24000);
      auto* to = reinterpret_cast<volatile uint32_t*>(get_write_ptr(0));
      const uint32_t me = get_absolute_logical_y() * GX + get_absolute_logical_x();
      for (uint32_t i = 0; i < 512; ++i) to[i] = from[i] + me;
      cb_push_back(0, 1);
    })";
  const std::string outbound = grid() + R"(
    void kernel_main() {
      const uint32_t me = get_absolute_logical_y() * GX + get_absolute_logical_x();
      cb_wait_front(0, 1);
      noc_async_write(get_read_ptr(0), get_noc_addr(X[0], Y[0], 0x40000 + me * 2048), 2048);
      noc_async_write_barrier();
      cb_pop_front(0, 1);
      noc_semaphore_inc(get_noc_addr(X[0], Y[0], get_semaphore(2)), 1);
    })";
  const std::string include = "#include \"hostdevcommon/common_values.hpp\"\n";
  LaunchBuilder program(*device_);
  const uint32_t first = program.kernel("coordinator.cpp", include + coordinator);
  const uint32_t in = program.kernel("inbound.cpp", include + inbound);
  const uint32_t out = program.kernel("outbound.cpp", include + outbound, Processor::kRiscv1);
  // The coordinator comes last, so that the others have to wait for it.
  for (uint32_t i = cores() - 1; i > 0; --i) {
    program.run_on(core(i), in, {});
    program.run_on(core(i), out, {});
    program.circular_buffer(core(i), 0, 0x28000, 1, 2048);
  }
  program.run_on(core(0), first, {}, {0});
  for (uint32_t i = 0; i < cores(); ++i) {
    for (uint32_t id = 0; id < 3; ++id) program.semaphore(core(i), id, 0);
  }
  launch_often(program, 0, [&](uint32_t seed) {
    const auto tiles = read_words(*device_, core(0), 0x40000, cores() * 512);
    for (uint32_t i = 1; i < cores(); ++i) {
      for (uint32_t word : {0u, 1u, 255u, 511u}) {
        ASSERT_EQ(tiles[i * 512 + word], value(seed, word) + i) << "core " << i << " word " << word;
      }
    }
  });
}

// The example NoC_tile_transfer: a core hands tile after tile to the next core. The receiver says
// with an increment that it has room, the sender writes and says so with an increment.
TEST_P(Concurrency, TileTransfersBetweenPairsOfCores) {
  const std::string kernel = grid() + R"(
    constexpr uint32_t TILES = 6, WORDS = 64;
    void kernel_main() {
      const uint32_t x = get_absolute_logical_x(), y = get_absolute_logical_y();
      const uint32_t seed = get_common_arg_val<uint32_t>(0);
      const bool sender = x % 2 == 0;
      const uint32_t peer = sender ? x + 1 : x - 1;
      const uint64_t their_semaphore = get_noc_addr(X[peer], Y[y], get_semaphore(0));
      auto* mine = semaphore(0);
      auto* tile = reinterpret_cast<volatile uint32_t*>(0x20000);
      auto* sum = reinterpret_cast<volatile uint32_t*>(0x30000);
      *sum = 0;
      for (uint32_t t = 0; t < TILES; ++t) {
        if (sender) {
          for (uint32_t i = 0; i < WORDS; ++i) tile[i] = value(seed + x + y * 8, t * WORDS + i);
          noc_semaphore_wait(mine, 1);
          noc_semaphore_set(mine, 0);
          noc_async_write(0x20000, get_noc_addr(X[peer], Y[y], 0x20000), WORDS * 4);
          noc_async_write_barrier();
          noc_semaphore_inc(their_semaphore, 1);
          noc_async_atomic_barrier();
        } else {
          noc_semaphore_inc(their_semaphore, 1);
          noc_async_atomic_barrier();
          noc_semaphore_wait(mine, 1);
          noc_semaphore_set(mine, 0);
          for (uint32_t i = 0; i < WORDS; ++i) *sum += tile[i] * (t + 1);
        }
      }
    })";
  LaunchBuilder program(*device_);
  const uint32_t index = program.kernel("transfer.cpp", kernel);
  for (uint32_t i = 0; i < cores(); ++i) {
    program.run_on(core(i), index, {}, {0});
    program.core(core(i)).kernels[0].common_begin = 0;
    program.semaphore(core(i), 0, 0);
  }
  launch_often(program, 0, [&](uint32_t seed) {
    for (uint32_t i = 1; i < cores(); i += 2) {
      const Core sender = core(i - 1);
      uint32_t sum = 0;
      for (uint32_t n = 0; n < 6 * 64; ++n) {
        sum += value(seed + sender.x + sender.y * 8, n) * (n / 64 + 1);
      }
      ASSERT_EQ(word(core(i), 0x30000), sum) << "core " << i;
    }
  });
}

// A value goes round all cores in a ring, several times; each adds its number.
TEST_P(Concurrency, RingOverAllCores) {
  const std::string kernel = grid() + R"(
    constexpr uint32_t ROUNDS = 3;
    void kernel_main() {
      const uint32_t me = get_absolute_logical_y() * GX + get_absolute_logical_x();
      const uint32_t next = (me + 1) % (GX * GY);
      auto* token = reinterpret_cast<volatile uint32_t*>(0x20000);
      for (uint32_t round = 1; round <= ROUNDS; ++round) {
        if (me == 0 && round == 1) {
          *token = get_common_arg_val<uint32_t>(0);
        } else {
          noc_semaphore_wait_min(semaphore(0), me == 0 ? round - 1 : round);
        }
        *token = *token * 3 + me;
        if (me == GX * GY - 1 && round == ROUNDS) return;
        noc_async_write(0x20000, get_noc_addr(X[next % GX], Y[next / GX], 0x20000), 4);
        noc_async_write_barrier();
        noc_semaphore_inc(get_noc_addr(X[next % GX], Y[next / GX], get_semaphore(0)), 1);
      }
    })";
  LaunchBuilder program(*device_);
  const uint32_t index = program.kernel("ring.cpp", kernel);
  for (uint32_t i = 0; i < cores(); ++i) {
    program.run_on(core(i), index, {}, {0});
    program.core(core(i)).kernels[0].common_begin = 0;
    program.semaphore(core(i), 0, 0);
  }
  launch_often(program, 0, [&](uint32_t seed) {
    uint32_t token = seed;
    for (uint32_t step = 0; step < 3 * cores(); ++step) token = token * 3 + step % cores();
    ASSERT_EQ(word(core(cores() - 1), 0x20000), token);
  });
}

// Two kernels of every core count on one core, which waits for exactly the last increment, sends
// the next round's number to all, and so on.
TEST_P(Concurrency, AllCoresCountOnOne) {
  const std::string kernel = grid() + R"(
    constexpr uint32_t ROUNDS = 3;
    void kernel_main() {
      const uint32_t me = get_absolute_logical_y() * GX + get_absolute_logical_x();
      const uint32_t seed = get_common_arg_val<uint32_t>(0);
      const uint64_t counter = get_noc_addr(X[GX / 2], Y[GY / 2], get_semaphore(0));
      const uint64_t sum = get_noc_addr(X[GX / 2], Y[GY / 2], 0x30000);
      for (uint32_t round = 1; round <= ROUNDS; ++round) {
        noc_semaphore_inc(sum, value(seed, me) + round);
        noc_semaphore_inc(counter, 1);
        noc_async_atomic_barrier();
        noc_semaphore_wait_min(semaphore(1), round);
      }
    })";
  const std::string collector = grid() + R"(
    constexpr uint32_t ROUNDS = 3;
    void kernel_main() {
      for (uint32_t round = 1; round <= ROUNDS; ++round) {
        noc_semaphore_wait(semaphore(0), 2 * GX * GY - 1);
        auto* sums = reinterpret_cast<volatile uint32_t*>(0x30000);
        sums[round] = sums[0];
        noc_semaphore_set(semaphore(0), 0);
        noc_semaphore_set(semaphore(1), round);
        const uint64_t all = get_noc_multicast_addr(X[GX - 1], Y[GY - 1], X[0], Y[0], 0);
        noc_semaphore_set_multicast(get_semaphore(1), all | get_semaphore(1), GX * GY - 1);
        noc_async_write_barrier();
      }
    })";
  const Core middle{columns() / 2, rows() / 2};
  LaunchBuilder program(*device_);
  const uint32_t zero = program.kernel("count0.cpp", kernel);
  const uint32_t one = program.kernel("count1.cpp", kernel, Processor::kRiscv1);
  const uint32_t collect = program.kernel("collector.cpp", collector);
  for (uint32_t i = 0; i < cores(); ++i) {
    program.run_on(core(i), one, {}, {0});
    program.core(core(i)).kernels[0].common_begin = 0;
    if (core(i) == middle) {
      program.run_on(core(i), collect, {});
    } else {
      program.run_on(core(i), zero, {}, {0});
      program.core(core(i)).kernels[1].common_begin = 0;
    }
    program.semaphore(core(i), 0, 0);
    program.semaphore(core(i), 1, 0);
  }
  uint32_t expected = 0;
  write_words(*device_, middle, 0x30000, {0});
  launch_often(program, 0, [&](uint32_t seed) {
    const auto sums = read_words(*device_, middle, 0x30000, 4);
    for (uint32_t round = 1; round <= 3; ++round) {
      for (uint32_t i = 0; i < cores(); ++i) {
        const uint32_t kernels = core(i) == middle ? 1 : 2;
        expected += kernels * (value(seed, i) + round);
      }
      ASSERT_EQ(sums[round], expected) << "after round " << round;
    }
    ASSERT_EQ(sums[0], expected);
  });
}

INSTANTIATE_TEST_SUITE_P(Workers, Concurrency, ::testing::Values(1, 2, 8),
                         [](const auto& info) { return std::to_string(info.param); });

}  // namespace
}  // namespace lightmetal::device::testing
