#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/device/dataflow/dataflow_api_rows.h"

// Every data-movement function of the kernel API against a host reference. Each row of the table is
// a piece of a kernel and what it does to memory; all of memory is compared, so that a function
// that moves too much shows too. All rows are run on either NoC.
namespace lightmetal::device::testing {
namespace {

using ::testing::HasSubstr;

std::vector<Row> all_rows() {
  std::vector<Row> rows;
  for (const auto* table :
       {&address_rows(), &read_rows(), &write_rows(), &multicast_rows(), &semaphore_rows(),
        &core_rows(), &object_rows(), &today_rows(), &spring_rows()}) {
    rows.insert(rows.end(), table->begin(), table->end());
  }
  return rows;
}

std::string list(const std::vector<uint32_t>& values) {
  std::string text;
  for (uint32_t value : values) text += std::to_string(value) + ", ";
  return text;
}

// An endpoint of a kernel's own as of early 2026: lines of 32 bytes in this core's L1.
constexpr char kLines[] =
    "namespace experimental {\n"
    "struct Line { uint32_t begin; };\n"
    "template <> struct noc_traits_t<Line> {\n"
    "  struct src_args_type { uint32_t number{}; };\n"
    "  using dst_args_type = src_args_type;\n"
    "  template <Noc::AddressType type>\n"
    "  static auto src_addr(const Line& src, const Noc& noc, const src_args_type& args) {\n"
    "    const uint32_t address = src.begin + 32 * args.number;\n"
    "    if constexpr (type == Noc::AddressType::NOC) {\n"
    "      return ::get_noc_addr(address, noc.get_noc_id());\n"
    "    } else {\n"
    "      return uintptr_t{address};\n"
    "    }\n"
    "  }\n"
    "  template <Noc::AddressType type>\n"
    "  static auto dst_addr(const Line& dst, const Noc& noc, const dst_args_type& args) {\n"
    "    return src_addr<type>(dst, noc, args);\n"
    "  }\n"
    "};\n"
    "}\n";

// What the rows' bodies use.
std::string prelude(const Device& device) {
  std::vector<uint32_t> xs, ys;
  for (uint32_t x = 0; x < MemoryModel::kCores.x; ++x) xs.push_back(noc_x(device, {x, 0}));
  for (uint32_t y = 0; y < MemoryModel::kCores.y; ++y) ys.push_back(noc_y(device, {0, y}));
  std::string includes =
      "#include \"risc_common.h\"\n#include \"ckernel.h\"\n#include <tt-metalium/constants.hpp>\n"
      "#include \"lightmetal/binding_name.h\"\n#include \"api/kernel_thread_globals.h\"\n";
  for (const char* header :
       {"core_local_mem.h", "dataflow/dataflow_buffer.h", "dataflow/endpoints.h", "dataflow/noc.h",
        "dataflow/noc_semaphore.h", "numeric/bfloat16.h", "numeric/float32.h", "numeric/int32.h",
        "scratchpad.h", "tensor/local_tensor_accessor.h", "tensor/noc_traits.h"}) {
    includes += "#include \"api/" + std::string(header) + "\"\n";
  }
  for (const char* header : {"circular_buffer", "core_local_mem", "dataflow_buffer", "endpoints",
                             "lock", "noc", "noc_semaphore", "tensor"}) {
    includes += "#include \"experimental/" + std::string(header) + ".h\"\n";
  }
  return includes + kLines + "constexpr uint32_t X[] = {" + list(xs) + "}, Y[] = {" + list(ys) +
         "};\n"
         "constexpr uint32_t A = " +
         std::to_string(A) + ", B = " + std::to_string(B) + ", OUT = " + std::to_string(OUT) +
         ";\n"
         "inline void out(uint32_t index, uint64_t value) {\n"
         "  reinterpret_cast<volatile uint64_t*>(OUT)[index] = value;\n}\n";
}

// One kernel for all rows: argument 0 selects one, argument 1 is the NoC.
std::string kernel_of(const Device& device, const std::vector<Row>& rows) {
  std::string text = prelude(device);
  std::string cases;
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string number = std::to_string(i);
    text += "static void row_" + number + "(uint8_t N) { " + rows[i].body + " }\n";
    cases += "case " + number + ": return row_" + number + "(N);\n";
  }
  return text +
         "void kernel_main() {\n  const auto N = static_cast<uint8_t>(get_arg_val<uint32_t>(1));\n"
         "  switch (get_arg_val<uint32_t>(0)) {\n" +
         cases + "}\n}\n";
}

absl::Status launch_row(Device& device, const std::string& kernel, uint32_t row, uint32_t noc) {
  LaunchBuilder program(device);
  const uint32_t index = program.kernel("rows", kernel);
  const float number = 1.5f;
  uint32_t bits = 0;
  std::memcpy(&bits, &number, sizeof(bits));
  program.run_on(kMe, index, {row, noc, 1000, 0xffffffff, bits},
                 {31, 32, static_cast<uint32_t>(B)});
  program.circular_buffer(kMe, 3, 0x40000, 4, 1024);
  for (uint32_t id = 0; id < 4; ++id) program.semaphore(kMe, id, 75 + id);
  return program.launch();
}

struct Way {
  const char* name;
  uint32_t noc;
  const char* checks;  // of LIGHTMETAL_CPU_DEVICE_CHECKS
};

void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

class DataflowApi : public ::testing::TestWithParam<Way> {};

TEST_P(DataflowApi, EveryFunctionDoesWhatItsReferenceDoes) {
  Environment environment;
  environment.set("LIGHTMETAL_CPU_DEVICE_CHECKS", GetParam().checks);
  const std::unique_ptr<Device> device = open_cpu();
  const std::vector<Row> rows = all_rows();
  const std::string kernel = kernel_of(*device, rows);
  for (uint32_t i = 0; i < rows.size(); ++i) {
    SCOPED_TRACE(rows[i].name);
    MemoryModel memory(*device, i);
    const absl::Status status = launch_row(*device, kernel, i, GetParam().noc);
    ASSERT_TRUE(status.ok()) << status;
    rows[i].reference({memory, device->profile()});
    EXPECT_EQ(memory.difference(), "");
  }
}

// With transfers that are done at their barriers, each function has to leave them to its own.
INSTANTIATE_TEST_SUITE_P(Ways, DataflowApi,
                         ::testing::Values(Way{"OnNoc0", 0, "none"}, Way{"OnNoc1", 1, "none"},
                                           Way{"WithDelayedTransfers", 0, "races,poison"}),
                         [](const auto& info) { return std::string(info.param.name); });

// ---- What is refused ----

struct Refused {
  const char* body;
  const char* message;
};

const Refused kWrongCalls[] = {
    {"noc_async_read_set_trid(16);", "transaction ids are 0 to 15"},
    {"noc_async_read_barrier_with_trid(16);", "transaction ids are 0 to 15"},
    {"noc_async_write_one_packet_with_trid(A, get_noc_addr(X[0], Y[0], B), 4, 16);",
     "transaction ids are 0 to 15"},
    {"noc_async_write_set_trid(16);", "transaction ids are 0 to 15"},
    {"noc_async_write_barrier_with_trid(16);", "transaction ids are 0 to 15"},
    {"noc_async_write_flushed_with_trid(16);", "transaction ids are 0 to 15"},
    {"noc_async_write_one_packet_with_trid_with_state(A, B, 4, 16);",
     "transaction ids are 0 to 15"},
    {"Noc(N).async_read<NocOptions::TXN_ID>(UnicastEndpoint{}, CoreLocalMem<uint32_t>(B), 4, "
     "{.noc_x = X[0], .noc_y = Y[0], .addr = A}, {}, {.trid = 16});",
     "transaction ids are 0 to 15"},
    {"Noc(N).async_write<NocOptions::TXN_ID>(CoreLocalMem<uint32_t>(A), UnicastEndpoint{}, 4, {}, "
     "{.noc_x = X[0], .noc_y = Y[0], .addr = B}, {.trid = 16});",
     "transaction ids are 0 to 15"},
    {"Noc(N).async_read_barrier<NocOptions::TXN_ID>({.trid = 16});", "transaction ids are 0 to 15"},
    {"Noc(N).is_read_trid_flushed(16);", "transaction ids are 0 to 15"},
    {"Noc(N).async_write_barrier<NocOptions::TXN_ID>({.trid = 16});",
     "transaction ids are 0 to 15"},
    {"Noc(N).async_writes_flushed<NocOptions::TXN_ID>({.trid = 16});",
     "transaction ids are 0 to 15"},
    {"Noc(N).set_async_read_state<NocOptions::TXN_ID>(UnicastEndpoint{}, 4, {.noc_x = X[0], "
     ".noc_y = Y[0], .addr = A}, {.trid = 16});",
     "transaction ids are 0 to 15"},
    {"ncrisc_noc_set_transaction_id(N, write_cmd_buf, 16);", "transaction ids are 0 to 15"},
    {"ncrisc_noc_fast_write_any_len<noc_mode>(N, write_cmd_buf, A, get_noc_addr(X[2], Y[0], B), 4, "
     "NOC_UNICAST_WRITE_VC, false, false, 1, true, true, 16);",
     "transaction ids are 0 to 15"},
    {"get_noc_addr_from_bank_id<true>(12, 0);", "there is no DRAM bank of this index"},
    {"out(0, get_write_ptr(32));", "circular buffer 32: the index is not below 32"},
    {"cb_wait_front(77, 1);", "circular buffer 77: the index is not below 32"},
    {"out(0, get_semaphore(16));", "semaphore 16 does not exist; a core has 16"},
    {"get_noc_addr_from_bank_id<true>(100, 0);", "there is no DRAM bank of this index"},
    {"get_noc_addr_from_bank_id<false>(100, 0);", "there is no L1 bank of this index"},
    {"noc_async_read(get_noc_addr(X[0], Y[0], 0x7fffff00), B, 64);", "end outside it"},
};

TEST(DataflowApiErrors, WrongCallsFailTheLaunchAndSayWhy) {
  std::vector<Row> rows;
  for (const Refused& refused : kWrongCalls) rows.push_back({refused.message, refused.body, {}});
  const std::unique_ptr<Device> device = open_cpu();
  const std::string kernel = kernel_of(*device, rows);
  for (uint32_t i = 0; i < rows.size(); ++i) {
    SCOPED_TRACE(rows[i].body);
    EXPECT_THAT(std::string(launch_row(*device, kernel, i, 0).message()),
                HasSubstr(kWrongCalls[i].message));
  }
}

constexpr char kTakesFromSemaphore[] = R"(
#include "api/dataflow/noc_semaphore.h"
void kernel_main() {
  auto* words = reinterpret_cast<volatile uint32_t*>(0x20000);
  Semaphore<> begun(0), full(1);
  begun.up(1);
  full.down(3);
  words[1] = words[0];
  words[2] = full.value();
}
)";
constexpr char kGivesToSemaphore[] = R"(
#include "api/dataflow/noc_semaphore.h"
void kernel_main() {
  Semaphore<> begun(0), full(1);
  begun.wait(1);
  full.up(2);
  invalidate_l1_cache();
  *reinterpret_cast<volatile uint32_t*>(0x20000) = 7;
  full.up(2);
}
)";

TEST(DataflowApiSemaphores, DownWaitsUntilThereIsAsMuchAndLeavesTheRest) {
  const std::unique_ptr<Device> device = open_cpu();
  LaunchBuilder program(*device);
  program.run_on(kMe, program.kernel("takes", kTakesFromSemaphore), {});
  program.run_on(kMe, program.kernel("gives", kGivesToSemaphore, Processor::kRiscv1), {});
  for (const uint32_t id : {0u, 1u}) program.semaphore(kMe, id, 0);
  write_words(*device, kMe, A, {0, 0, 0});
  const absl::Status status = program.launch();
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(read_words(*device, kMe, A, 3), (std::vector<uint32_t>{7, 7, 1}));
}

std::string compile_error(const std::string& text) {
  const std::unique_ptr<Device> device = open_cpu();
  KernelSource source;
  source.name = "refused.cpp";
  source.text = text;
  source.compile_args = {256, 2};
  return std::string(device->compile(source).status().message());
}

TEST(DataflowApiErrors, WrongKernelsDoNotCompileAndSayWhy) {
  EXPECT_THAT(compile_error("void kernel_main() { get_compile_time_arg_val(2); }"),
              HasSubstr("the kernel has no compile-time argument of this index"));
  EXPECT_THAT(compile_error("void kernel_main() { constexpr auto a = TensorAccessorArgs<0>(); }"),
              HasSubstr("none that TensorAccessorArgs of a host program appended"));
  EXPECT_THAT(compile_error("void kernel_main() { constexpr auto a = "
                            "get_named_compile_time_arg_val(\"width\"); }"),
              HasSubstr("the kernel has no compile-time argument of this name"));
  EXPECT_THAT(
      compile_error("#include \"api/dataflow/endpoints.h\"\nvoid kernel_main() { "
                    "Noc().async_read(UnicastEndpoint{}, AllocatorBank<AllocatorBankType::DRAM>{}, "
                    "4, {}, {}); }"),
      HasSubstr("a read's target is in this core's L1"));
  EXPECT_THAT(compile_error("void kernel_main() { noc_inline_dw_write_with_state<false, true, "
                            "false, true>(1); }"),
              HasSubstr("update_addr_hi is not supported"));
  EXPECT_THAT(compile_error("void kernel_main() { get_arg_val<uint64_t>(0); }"),
              HasSubstr("an argument is a word of 4 bytes"));
}

}  // namespace
}  // namespace lightmetal::device::testing
