// A program that compiles against upstream's headers compiles against ours: each public header
// brings at least what upstream's header of that name brought in October 2024, February 2025 or
// June 2025, standard headers included.
#include <gtest/gtest.h>

#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "device/cpu/compiler/config.h"
#include "tests/support/api_lists.h"
#include "tests/support/process.h"

namespace lightmetal::testing {
namespace {

// As the installed package gives its include folders to programs.
std::vector<std::string> compiler(std::vector<std::string> arguments) {
  const std::string include = host_header_folder();
  std::vector<std::string> words = {std::string(device::cpu::kLlvmTools) + "/clang",
                                    "-std=c++20",
                                    "-w",
                                    "-I" + include,
                                    "-I" + include + "tt_metal",
                                    "-I" + include + "tt-metalium",
                                    "-I" + source_folder()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

// ---- What is included ----

struct Brings {
  const char* header;
  const char* others;  // separated by spaces
};

// What is in nearly every upstream header by way of its log.
constexpr char kLog[] = "algorithm fstream iostream sstream vector";
// What comes with any upstream header that knows of coordinates.
constexpr char kCoordinates[] =
    "algorithm array filesystem fstream functional iostream map mutex optional ostream set "
    "source_location sstream string string_view tuple type_traits unordered_map variant vector "
    "magic_enum/magic_enum.hpp tt-metalium/logger.hpp tt-metalium/span.hpp";
// What comes with any upstream header that knows of devices.
constexpr char kDevices[] =
    "algorithm any array atomic bit condition_variable cstddef cstdint cstdlib exception "
    "filesystem "
    "fstream functional iostream limits list map memory mutex optional random set sstream string "
    "string_view thread tuple type_traits unordered_map unordered_set utility variant vector "
    "math.h "
    "stdio.h stdlib.h tt-metalium/allocator.hpp tt-metalium/assert.hpp tt-metalium/bfloat16.hpp "
    "tt-metalium/buffer.hpp tt-metalium/circular_buffer_types.hpp "
    "tt-metalium/command_queue_interface.hpp tt-metalium/constants.hpp tt-metalium/core_coord.hpp "
    "tt-metalium/env_lib.hpp tt-metalium/hal.hpp tt-metalium/kernel_types.hpp "
    "tt-metalium/logger.hpp tt-metalium/math.hpp tt-metalium/program_impl.hpp "
    "tt-metalium/semaphore.hpp tt-metalium/tile.hpp tt-metalium/tt_align.hpp "
    "tt-metalium/util.hpp tt-metalium/utils.hpp";

constexpr Brings kBrings[] = {
    {"tt-metalium/allocator.hpp", kCoordinates},
    {"tt-metalium/allocator.hpp", "tt-metalium/assert.hpp tt-metalium/hal.hpp"},
    {"tt-metalium/allocator_types.hpp", kCoordinates},
    {"tt-metalium/assert.hpp", kLog},
    {"tt-metalium/base_types.hpp", "ostream tt-metalium/constants.hpp"},
    {"tt-metalium/bfloat16.hpp", kLog},
    {"tt-metalium/bfloat16.hpp", "random functional tt-metalium/assert.hpp"},
    {"tt-metalium/bfloat4.hpp", "random tt-metalium/bfloat16.hpp tt-metalium/math.hpp"},
    {"tt-metalium/bfloat8.hpp", "random tt-metalium/bfloat16.hpp tt-metalium/math.hpp"},
    {"tt-metalium/buffer.hpp", kCoordinates},
    {"tt-metalium/buffer.hpp",
     "condition_variable random thread tt-metalium/assert.hpp tt-metalium/buffer_constants.hpp "
     "tt-metalium/shape2d.hpp tt-metalium/shape.hpp tt-metalium/utils.hpp"},
    {"tt-metalium/circular_buffer.hpp",
     "tt-metalium/circular_buffer_config.hpp tt-metalium/kernel_types.hpp tt-metalium/util.hpp"},
    {"tt-metalium/circular_buffer_config.hpp",
     "cassert tt-metalium/kernel_types.hpp tt-metalium/data_types.hpp tt-metalium/math.hpp"},
    {"tt-metalium/command_queue.hpp", kCoordinates},
    {"tt-metalium/command_queue.hpp",
     "tt-metalium/command_queue_interface.hpp tt-metalium/trace_buffer.hpp "
     "tt-metalium/dispatch_core_common.hpp"},
    {"tt-metalium/core_coord.hpp", kCoordinates},
    {"tt-metalium/device.hpp", kDevices},
    {"tt-metalium/device_impl.hpp", kDevices},
    {"tt-metalium/dispatch_core_common.hpp", kCoordinates},
    {"tt-metalium/global_circular_buffer.hpp", kDevices},
    {"tt-metalium/global_semaphore.hpp", kCoordinates},
    {"tt-metalium/hal.hpp", "functional memory tt-metalium/assert.hpp tt-metalium/utils.hpp"},
    {"tt-metalium/host_api.hpp", kDevices},
    {"tt-metalium/host_api.hpp",
     "cassert hostdevcommon/profiler_common.h hostdevcommon/kernel_structs.h "
     "hostdevcommon/common_values.hpp tt-metalium/lightmetal_binary.hpp "
     "tt-metalium/runtime_args_data.hpp tt-metalium/shape2d.hpp"},
    {"tt-metalium/kernel.hpp", "tt-metalium/dispatch_core_common.hpp tt-metalium/hal_types.hpp"},
    {"tt-metalium/kernel_types.hpp", "array tt-metalium/math.hpp tt-metalium/util.hpp"},
    {"tt-metalium/lightmetal_binary.hpp", "fstream iostream"},
    {"tt-metalium/logger.hpp", kLog},
    {"tt-metalium/math.hpp", "cassert tt-metalium/assert.hpp"},
    {"tt-metalium/program.hpp", "tt-metalium/circular_buffer_config.hpp tt-metalium/util.hpp"},
    {"tt-metalium/program_impl.hpp", "list tt-metalium/command_queue_interface.hpp"},
    {"tt-metalium/runtime_args_data.hpp", "cassert iostream stdexcept string utility"},
    {"tt-metalium/semaphore.hpp", kCoordinates},
    {"tt-metalium/sub_device.hpp", kCoordinates},
    {"tt-metalium/test_tiles.hpp", "math.h tt-metalium/constants.hpp tt-metalium/math.hpp"},
    {"tt-metalium/tile.hpp", "mutex random tt-metalium/bfloat16.hpp"},
    {"tt-metalium/tilize_untilize.hpp", "random tt-metalium/assert.hpp tt-metalium/bfloat16.hpp"},
    {"tt-metalium/trace_buffer.hpp", "mutex utility variant"},
    {"tt-metalium/tt_backend_api_types.hpp", "array fstream functional stdexcept vector"},
    {"tt-metalium/tt_metal.hpp", kDevices},
    {"tt-metalium/util.hpp", "tt-metalium/data_types.hpp tt-metalium/hal_types.hpp"},
    {"tt-metalium/work_split.hpp", kCoordinates},
    {"tt_metal/host_api.hpp", kDevices},
    {"tt_metal/host_api.hpp", "tt_metal/common/base.hpp hostdevcommon/kernel_structs.h"},
    {"tt_metal/detail/tt_metal.hpp", kDevices},
    {"tt_metal/common/bfloat16.hpp", "random tt-metalium/assert.hpp"},
    {"tt_metal/impl/device/device.hpp", kDevices},
    // Names of std without `std::`: of common/base.hpp all, of the others one.
    {"tt_metal/common/work_split.hpp", "tt_metal/common/base.hpp"},
    {"tt_metal/detail/tt_metal.hpp", "tt_metal/common/base.hpp"},
    {"tt_metal/impl/buffers/buffer.hpp", "tt_metal/common/base.hpp"},
    {"tt_metal/impl/buffers/circular_buffer.hpp", "tt_metal/common/base.hpp"},
    {"tt_metal/impl/buffers/circular_buffer_types.hpp", "tt_metal/common/base.hpp"},
    {"tt_metal/impl/device/device.hpp", "tt_metal/common/base.hpp"},
    {"tt_metal/impl/device/device_pool.hpp", "tt_metal/common/base.hpp"},
    {"tt_metal/impl/dispatch/command_queue.hpp", "tt_metal/common/base.hpp"},
    {"tt_metal/impl/dispatch/command_queue_interface.hpp", "tt_metal/common/base.hpp"},
    {"tt_metal/impl/kernels/kernel.hpp", "tt_metal/common/base.hpp"},
    {"tt_metal/impl/kernels/kernel_types.hpp", "tt_metal/common/base.hpp"},
    {"tt_metal/impl/program/program.hpp", "tt_metal/common/base.hpp"},
    {"tt_metal/impl/trace/trace_buffer.hpp", "tt_metal/common/base.hpp"},
    {"tt_metal/llrt/llrt.hpp", "tt_metal/common/base.hpp"},
    {"tt_metal/llrt/rtoptions.hpp", "tt_metal/common/base.hpp"},
    {"tt_metal/llrt/tt_cluster.hpp", "tt_metal/common/base.hpp"},
    {"tt_metal/detail/util.hpp", "tt_metal/common/utils.hpp"},
    {"tt_metal/impl/allocator/allocator.hpp", "tt_metal/common/utils.hpp"},
    {"tt_metal/impl/buffers/semaphore.hpp", "tt_metal/common/utils.hpp"},
    {"tt_metal/llrt/hal.hpp", "tt_metal/common/utils.hpp"},
    {"tt_metal/impl/allocator/allocator.hpp", "tt_metal/common/core_coord.h"},
    {"tt_metal/impl/allocator/allocator_types.hpp", "tt_metal/common/core_coord.h"},
    {"tt_metal/impl/buffers/semaphore.hpp", "tt_metal/common/core_coord.h"},
};

// The files that a source with this one include reads.
std::string files_of(const std::string& header) {
  const TemporaryFolder folder;
  write_file(folder.path("one.cc"), "#include <" + header + ">\n");
  const ProcessResult result = run_process(compiler({"-M", folder.path("one.cc")}));
  EXPECT_EQ(result.exit_code, 0) << header << ":\n" << result.errors;
  std::string files = result.output;
  for (char& c : files) {
    if (c == '\n' || c == '\\') c = ' ';
  }
  return files + " ";
}

TEST(BroughtHeaders, EachHeaderBringsWhatUpstreamsBrings) {
  std::string header, files;
  for (const Brings& row : kBrings) {
    if (header != row.header) files = files_of(header = row.header);
    std::istringstream others(row.others);
    for (std::string other; others >> other;) {
      EXPECT_NE(files.find("/" + other + " "), std::string::npos)
          << header << " does not bring " << other;
    }
  }
}

// ---- What can be used ----

struct Uses {
  const char* includes;
  const char* text;

  friend void PrintTo(const Uses& uses, std::ostream* out) { *out << uses.includes; }
};

// Sources with the includes of programs that nobody here wrote, and what these use.
constexpr Uses kUses[] = {
    {"<tt-metalium/host_api.hpp>", R"(
        using namespace tt;
        std::vector<std::pair<string, float>> rows;
        IDevice* device = nullptr;
        tt::tt_metal::v0::Program* program = nullptr;
        uint32_t alignment() { return device->allocator()->get_alignment(BufferType::DRAM); }
        int main() {
          std::mt19937 engine(7);
          std::sort(rows.begin(), rows.end());
          if (PROFILER_OP_SUPPORT_COUNT < 2) TT_THROW("less than {}", 2);
          TT_FATAL(rows.empty(), "rows: {}", rows.size());
          TT_ASSERT(true);
          log_info(LogTest, "clock {}", device->get_clock_rate_mhz());
          log_error(tt::LogTest, "core {}", CoreCoord(1, 2));
          const auto config = ComputeConfig{.math_fidelity = tt::tt_metal::MathFidelity::HiFi4,
                                            .opt_level = KernelBuildOptLevel::O3};
          const DataMovementConfig mover{.opt_level = KernelBuildOptLevel::O2};
          std::cout << magic_enum::enum_name(config.math_fidelity) << hal::get_l1_alignment()
                    << hal.get_alignment(HalMemType::L1) << bfloat16(1.0f) << std::endl;
          static_assert(tt::tile_size(tt::DataFormat::Float16_b) == 2048);
          for (CoreCoord& core : CoreRange({0, 0}, {1, 1})) core.str();
          return program->get_cb_size(device, {0, 0}, CoreType::WORKER) + max_runtime_args;
        })"},
    {"<tt-metalium/device.hpp>", R"(
        int use(tt::tt_metal::IDevice* device) {
          TT_FATAL(device != nullptr, "no device");
          return device->allocator()->get_num_banks(tt::tt_metal::BufferType::L1);
        })"},
    {"<tt-metalium/device_impl.hpp>", "using tt::tt_metal::Device; Device* device = nullptr;"},
    {"<tt-metalium/bfloat16.hpp>", R"(
        std::random_device seed;
        void use(const std::vector<bfloat16>& values) {
          static_assert(bfloat16::SIZEOF == 2);
          TT_FATAL(values.size() > 1, "two values");
          bfloat16 sum = values[0] / values[1];
          sum += -values[0];
          std::cerr << sum << std::endl;
          print_vec_of_bfloat16(values, 1, "values");
          print_vec_of_uint32_as_packed_bfloat16(pack_bfloat16_vec_into_uint32_vec(values), 1);
        })"},
    {"<tt-metalium/tt_metal.hpp>", R"(
        using namespace tt::tt_metal;
        auto use(const Program& program) { return detail::GetCircularBuffer(program, 0); }
        void log() { tt::log_info(tt::LogVerif, "{}", 1); })"},
    {"<tt-metalium/tilize_utils.hpp>\n#include <tt-metalium/tensor/spec/tensor_spec.hpp>", R"(
        using namespace tt::tt_metal;
        const TensorLayout layout(DataType::BFLOAT16, PageConfig(Layout::TILE), MemoryConfig());
        auto tiles(const std::vector<bfloat16>& rows) { return tilize_nfaces(rows, 32, 32); }
        inline constexpr auto kFaces = tests::utils::TensorLayoutType::TILED_NFACES;)"},
    {"<tt-metalium/tilize_untilize.hpp>", R"(
        std::vector<bfloat16> tiled(tt::stl::Span<const bfloat16> values) {
          TensAddr address({1, 1, 32, 32});
          TT_ASSERT(address.offs(0, 0, 1, 1) == 33 && address.numel() == 1024);
          return convert_to_tile_layout(values);
        }
)"},
    {"<tt-metalium/blockfloat_common.hpp>", R"(
        auto bits = convert_u32_to_bfp<tt::DataFormat::Bfp8_b, false>(0, 127, false);
        auto word = convert_bfp_to_u32(tt::DataFormat::Bfp8_b, 64, 127, false);)"},
    {"<tt-metalium/tt_backend_api_types.hpp>", R"(
        void use(std::ofstream& file) { file << tt::DataFormat::Bfp8_b << tt::RISCV::BRISC; })"},
    {"<tt-metalium/work_split.hpp>", R"(
        auto cores = tt::tt_metal::num_cores_to_corerange_set(CoreCoord(0, 0), 4, {8, 8});)"},
    {"<tt-metalium/shape2d.hpp>", R"(
        const auto [height, width] = tt::tt_metal::Shape2D(2, 3) * 2;)"},
    {"<tt-metalium/utils.hpp>", R"(
        enum class E : int { kOne = 1 };
        string text;
        int number = tt::utils::underlying_type(E::kOne) + tt::utils::strsplit("a,b", ',').size();)"},
    {"<umd/device/tt_core_coordinates.h>", "CoreType core = CoreType::WORKER;"},
    {"<umd/device/tt_soc_descriptor.h>", "CoreType core = CoreType::ETH;"},
    {"<tt-metalium/base_types.hpp>",
     "std::string text = fmt::format(\"{}\", MathFidelity::HiFi4);"},
    {"<circular_buffer_constants.h>", "static_assert(CIRCULAR_BUFFER_COMPUTE_WORD_SIZE == 16);"},
    {"<umd/device/types/xy_pair.h>", "tt::xy_pair pair{1, 2};"},
    {"<umd/device/types/arch.h>", "tt::ARCH arch = tt::ARCH::WORMHOLE_B0;"},
    {"<umd/device/types/cluster_descriptor_types.h>",
     "chip_id_t chip = 0; BoardType board = BoardType::N150;"},
    {"<umd/device/device_api_metal.h>", R"(
        namespace tt {
        tt::ARCH arch() {
          if (llrt::RunTimeOptions::get_instance().get_simulator_enabled()) {
            return tt_SimulationDeviceInit(
                llrt::RunTimeOptions::get_instance().get_simulator_path()).get_arch_name();
          }
          return tt_ClusterDescriptor::create()->get_arch(0);
        }
        }
)"},
    {"\"llrt.hpp\"", R"(
        auto words = tt::llrt::read_hex_vec_from_core(0, CoreCoord(18, 18), 0, 4);
        void quiet() { tt::Cluster::instance().set_internal_routing_info_for_ethernet_cores(false); }
)"},
    {"\"llrt/rtoptions.hpp\"", "auto queues = tt::llrt::OptionsG.get_num_hw_cqs();"},
    {"\"llrt/tt_cluster.hpp\"", "auto chips = tt::Cluster::instance().all_chip_ids();"},
    {"\"impl/context/metal_context.hpp\"", R"(
        auto alignment = tt::tt_metal::MetalContext::instance().hal().get_alignment(
            tt::tt_metal::HalMemType::L1);)"},
    {"<tt-metalium/device_pool.hpp>",
     "auto devices = tt::DevicePool::instance().get_all_active_devices();"},
    {"\"lightmetal/host_api_capture_helpers.hpp\"", "auto* end = &LightMetalEndCapture;"},
    {"<umd/device/logging/config.hpp>",
     "void quiet() { tt::umd::logging::set_level(tt::umd::logging::level::off); }"},
    {"<tracy/Tracy.hpp>", "void zone() { ZoneScoped; ZoneScopedN(\"zone\"); }"},
    {"<hostdevcommon/profiler_common.h>",
     "int markers = kernel_profiler::PROFILER_L1_GUARANTEED_MARKER_COUNT;"},
    {"<fmt/base.h>", "void print() { fmt::print(\"{}\", 1); }"},
    {"<tt-logger/tt-logger.hpp>", "void print() { log_info(tt::LogTest, \"{}\", 1); }"},
    {"<tt_stl/span.hpp>", "ttsl::Span<const int> span; tt::stl::Span<const int> same = span;"},
    {"<tt-metalium/persistent_kernel_cache.hpp>",
     "void keep() { tt::tt_metal::detail::EnablePersistentKernelCache(); }"},
    {"<tt-metalium/env_lib.hpp>", "int value = tt::parse_env<int>(\"NAME\", 3);"},
    {"<magic_enum/magic_enum.hpp>", R"(
        enum class E { kOne = 1, kTwo = 2 };
        static_assert(magic_enum::enum_name(E::kTwo) == "kTwo");
        static_assert(magic_enum::enum_values<E>().size() == 2);
        static_assert(magic_enum::enum_cast<E>("kOne") == E::kOne);
        static_assert(!magic_enum::enum_cast<E>(3).has_value());)"},
    {"<tt-metalium/buffer.hpp>", "tt::tt_metal::BufferShardingArgs interleaved;"},
    {"<tt-metalium/tensor/tensor_apis.hpp>\n#include <tt-metalium/tensor/mesh_tensor.hpp>\n"
     "#include <tt-metalium/distributed.hpp>\n#include <tt-metalium/tensor_accessor_args.hpp>",
     R"(
        using namespace tt::tt_metal;
        std::vector<bfloat16> there_and_back(distributed::MeshDevice& device) {
          const TensorSpec spec(Shape({2, 64, 64}),
                                TensorLayout(DataType::BFLOAT16, PageConfig(Layout::TILE),
                                             MemoryConfig(BufferType::L1)));
          MeshTensor tensor = MeshTensor::allocate_on_device(device, spec);
          auto& queue = device.mesh_command_queue();
          std::vector<bfloat16> values(tensor.logical_volume());
          queue.enqueue_write_tensor(HostTensor::from_vector(values, spec), tensor);
          const HostTensor floats = to_dtype(queue.enqueue_read_tensor(tensor), DataType::FLOAT32);
          std::vector<uint32_t> args;
          TensorAccessorArgs(tensor).append_to(args);
          fmt::print("{} {}", tensor.logical_shape(), tensor.memory_config());
          return queue.enqueue_read_tensor(tensor).to_vector<bfloat16>();
        })"},
    // A program's own function is not ambiguous with a helper of ours.
    {"<tt-metalium/host_api.hpp>", R"(
        namespace {
        uint32_t tile_bytes(tt::DataFormat format) { return tt::tile_size(format); }
        std::string to_string(tt::tt_metal::BufferType) { return {}; }
        }
        uint32_t bytes = tile_bytes(tt::DataFormat::Float16_b);
        std::string text = to_string(tt::tt_metal::BufferType::L1);)"},
    {"<umd/device/types/xy_pair.hpp>", "tt_cxy_pair pair(0, tt::xy_pair{1, 2});"},
    {"<umd/device/types/arch.hpp>", "auto arch = tt::arch_from_str(\"blackhole\");"},
    {"<umd/device/types/cluster_descriptor_types.hpp>",
     "tt::ChipId chip = 0; auto board = tt::BoardType::P150; tt::EthCoord place;"},
    {"<umd/device/types/core_coordinates.hpp>", R"(
        tt::umd::CoreCoord core(1, 2, tt::CoreType::TENSIX, tt::CoordSystem::LOGICAL);
        std::unordered_map<tt::umd::CoreCoord, int> map;)"},
    {"<umd/device/cluster_descriptor.hpp>",
     "size_t chips() { return tt::umd::ClusterDescriptor::create()->get_number_of_chips(); }"},
    {"<tt-metalium/experimental/tensor/mesh_tensor.hpp>", "tt::tt_metal::MeshTensor* tensor;"},
    {"<tt-metalium/experimental/tensor/spec/tensor_spec.hpp>", "tt::tt_metal::TensorSpec* spec;"},
    {"\"tt_metal/api/tt-metalium/host_api.hpp\"", "tt::tt_metal::Program* program;"},
    {"<tracy/TracyColor.hpp>", "int red = tracy::Color::Red;"},
    {"<enchantum/enchantum.hpp>", R"(
        enum class E { kOne = 1, kTwo = 2 };
        static_assert(enchantum::to_string(E::kTwo) == "kTwo");
        static_assert(enchantum::cast<E>("kOne") == E::kOne && !enchantum::cast<E>(3).has_value());
        static_assert(enchantum::count<E> == 2 && enchantum::to_underlying(E::kTwo) == 2);)"},
    {"<tt_stl/fmt.hpp>", R"(
        enum class E { kOne };
        std::string text() {
          return fmt::format("{} {} {}", std::vector<int>{1}, std::optional<E>(E::kOne),
                             std::map<int, std::string>{});
        })"},
    {"<tt_stl/reflection.hpp>", R"(
        struct Size {
          int rows = 1, columns = 2;
          static constexpr auto attribute_names = std::forward_as_tuple("rows", "columns");
          auto attribute_values() const { return std::forward_as_tuple(rows, columns); }
        };
        auto hash = ttsl::hash::hash_objects_with_default_seed(Size(), 3, std::vector<int>{4});
        std::string text = fmt::format("{}", Size());
        static_assert(ttsl::get_type_name<Size>() == "Size");)"},
    {"<hostdevcommon/common_values.hpp>", "constexpr size_t bytes = DEFAULT_WORKER_L1_SIZE;"},
    {"\"tt_metal/host_api.hpp\"", R"(
        using namespace tt;
        using namespace tt::tt_metal;
        vector<string> names;
        map<uint32_t, array<int, 2>> places;
        void use(Device* device, Buffer& buffer) {
          log_info(LogTest, "{}", buffer.noc_coordinates());
          TT_FATAL(buffer.logical_core_from_bank_id(0).x < 8, "{}", L1_ALIGNMENT);
          CloseDevice(device);
        })"},
    {"\"host_api.hpp\"", "tt::tt_metal::IDevice* device = nullptr;"},
    {"\"common/core_coord.h\"", "pair<CoreCoord, int> core;"},
    {"\"impl/device/device.hpp\"", "tt::tt_metal::Device* device = nullptr; vector<string> names;"},
    {"\"tt_metal/common/utils.hpp\"", "string name;"},
    {"\"tt_metal/impl/program/program.hpp\"",
     "map<uint32_t, vector<string>> names;"
     "void use(tt::tt_metal::Program& p) { p.allocate_circular_buffers(); }"},
    {"\"tt_metal/common/logger.hpp\"",
     "void print(const std::string& f, const char* text) { tt::log_info(tt::LogTest, f, 1);"
     " tt::log_info(text); tt::log_error(tt::LogTest, \"{}\", text); }"},
    {"\"detail/tt_metal.hpp\"",
     "void use(tt::tt_metal::Device* d, tt::tt_metal::Program& p) {"
     " tt::tt_metal::detail::LaunchProgram(d, p); }"},
};

// Each alone, as a program of its own includes them.
class BroughtHeader : public ::testing::TestWithParam<Uses> {};

TEST_P(BroughtHeader, BringsWhatCanBeUsed) {
  const TemporaryFolder folder;
  write_file(folder.path("use.cc"),
             "#include " + std::string(GetParam().includes) + "\n" + GetParam().text);
  const ProcessResult result = run_process(compiler({"-fsyntax-only", folder.path("use.cc")}));
  EXPECT_EQ(result.exit_code, 0) << GetParam().includes << ":\n" << result.errors;
}

INSTANTIATE_TEST_SUITE_P(All, BroughtHeader, ::testing::ValuesIn(kUses));

// Each header that lay below tt_metal until the end of 2024 is read by the name that it had.
TEST(BroughtHeaders, HeadersOf2024AreThereByBothNames) {
  std::string text;
  for (const std::string& header : headers_below(host_header_folder() + "tt_metal/")) {
    text += "#include \"" + header + "\"\n#include \"tt_metal/" + header + "\"\n";
  }
  EXPECT_NE(text.find("tt_metal/impl/buffers/buffer.hpp"), std::string::npos);
  const TemporaryFolder folder;
  write_file(folder.path("all.cc"), text);
  const ProcessResult result = run_process(compiler({"-fsyntax-only", folder.path("all.cc")}));
  EXPECT_EQ(result.exit_code, 0) << result.errors;
}

}  // namespace
}  // namespace lightmetal::testing
