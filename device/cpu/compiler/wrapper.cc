#include "device/cpu/compiler/wrapper.h"

#include <filesystem>
#include <map>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/digest.h"
#include "base/status.h"
#include "device/cpu/compiler/files.h"
#include "device/kernel_abi/lightmetal_kernel_abi.h"

namespace lightmetal::device::cpu {
namespace {

using kernel_abi::Part;

constexpr char kCommon[] =
    "#define KERNEL_BUILD 1\n"
    "#define DEBUG_PRINT_ENABLED 1\n"
    "#define L1_ALIGNMENT 16\n";

// What differs between the architectures, as far as defines say it.
constexpr char kOfWormhole[] =
    "#define ARCH_WORMHOLE 1\n"
    "#define DRAM_ALIGNMENT 32\n"
    "#define IS_NOT_POW2_NUM_DRAM_BANKS 1\n";
constexpr char kOfBlackhole[] =
    "#define ARCH_BLACKHOLE 1\n"
    "#define DRAM_ALIGNMENT 64\n"
    "#define LOG_BASE_2_OF_NUM_DRAM_BANKS 3\n";

// A kernel that does what three processors do on hardware has the macros of all three; a part has
// those of its own.
std::string compute_defines(std::optional<Part> part) {
  constexpr const char* kNames[] = {"UNPACK", "MATH", "PACK"};
  std::string defines = absl::StrCat("#define COMPILE_FOR_TRISC ",
                                     static_cast<uint32_t>(part.value_or(Part::kMath)), "\n");
  for (uint32_t i = 0; i < kernel_abi::kComputeParts; ++i) {
    if (part.has_value() && *part != static_cast<Part>(i)) continue;
    absl::StrAppend(&defines, "#define TRISC_", kNames[i], " 1\n#define UCK_CHLKC_", kNames[i],
                    " 1\n");
  }
  return absl::StrCat(defines,
                      "#define NAMESPACE compute_kernel\n"
                      "#define MAIN kernel_main()\n");
}

std::string processor_defines(const KernelSource& source, std::optional<Part> part) {
  switch (source.processor) {
    case Processor::kRiscv0:
      return "#define COMPILE_FOR_BRISC 1\n";
    case Processor::kRiscv1:
      return "#define COMPILE_FOR_NCRISC 1\n";
    case Processor::kEthernet:
      return "#define COMPILE_FOR_ERISC 1\n";
    case Processor::kCompute:
      return compute_defines(part);
  }
  return "";
}

uint32_t num_circular_buffers(Architecture architecture) {
  return architecture == Architecture::kBlackhole ? kernel_abi::kMaxCircularBuffers
                                                  : kernel_abi::kFirstCircularBuffers;
}

std::string prelude_of(const KernelSource& source, const CompileSettings& settings,
                       std::optional<Part> part) {
  const bool blackhole = settings.architecture == Architecture::kBlackhole;
  const bool compute = source.processor == Processor::kCompute;
  const bool ethernet = source.processor == Processor::kEthernet;
  return absl::StrCat(
      kCommon, blackhole ? kOfBlackhole : kOfWormhole, processor_defines(source, part),
      compute && settings.split ? "#define LIGHTMETAL_SPLIT 1\n" : "", "#define NOC_INDEX ",
      static_cast<int>(source.noc), "\n",
      compute ? "#include \"compute_kernel_api.h\"\n" : "#include \"dataflow_api.h\"\n",
      ethernet ? "#include \"ethernet/dataflow_api.h\"\n" : "");
}

std::string compile_time_args(const std::vector<uint32_t>& args) {
  if (args.empty()) return "";
  std::string lines;
  for (size_t i = 0; i < args.size(); ++i) {
    absl::StrAppend(&lines, "#define KERNEL_COMPILE_TIME_ARG_", i, " ", args[i], "u\n",
                    "#define LIGHTMETAL_ARG_", i, "_ 0, ", args[i], "u\n");
  }
  const auto append = [](std::string* out, uint32_t arg) { absl::StrAppend(out, arg, "u"); };
  absl::StrAppend(&lines, "#define KERNEL_COMPILE_TIME_ARGS ", absl::StrJoin(args, ",", append),
                  "\n");
  return lines;
}

// {"name", value} pairs, of which the kernel's headers make an array.
std::string named_compile_time_args(const std::map<std::string, uint32_t>& args) {
  if (args.empty()) return "";
  const auto append = [](std::string* out, const auto& arg) {
    absl::StrAppend(out, "{\"", absl::CEscape(arg.first), "\", ", arg.second, "u}");
  };
  return absl::StrCat("#define KERNEL_COMPILE_TIME_ARG_MAP ", absl::StrJoin(args, ", ", append),
                      "\n");
}

std::string circular_buffers(const KernelSource& source, Architecture architecture) {
  std::vector<uint32_t> tile_rows(num_circular_buffers(architecture));
  std::vector<uint32_t> tile_columns(tile_rows.size());
  std::vector<uint32_t> formats(tile_rows.size(), static_cast<uint32_t>(DataFormat::Invalid));
  for (const CircularBufferFormat& cb : source.circular_buffers) {
    if (cb.index >= formats.size()) continue;
    formats[cb.index] = static_cast<uint32_t>(cb.format);
    tile_rows[cb.index] = cb.tile_height;
    tile_columns[cb.index] = cb.tile_width;
  }
  const auto append_format = [](std::string* out, uint32_t format) {
    absl::StrAppend(out, "DataFormat(", format, ")");
  };
  return absl::StrCat("#define LIGHTMETAL_CB_FORMATS ", absl::StrJoin(formats, ",", append_format),
                      "\n#define LIGHTMETAL_CB_TILE_ROWS ", absl::StrJoin(tile_rows, ","),
                      "\n#define LIGHTMETAL_CB_TILE_COLUMNS ", absl::StrJoin(tile_columns, ","),
                      "\n");
}

std::string compute_settings(const KernelSource& source) {
  const auto boolean = [](bool value) { return value ? "true" : "false"; };
  return absl::StrCat("constexpr int MATH_FIDELITY = ", static_cast<int>(source.math_fidelity),
                      ";\nconstexpr bool APPROX = ", boolean(source.math_approx_mode),
                      ";\nconstexpr bool DST_ACCUM_MODE = ", boolean(source.fp32_dest_acc_en),
                      ";\nconstexpr bool DST_FULL_SYNC = ", boolean(source.dst_full_sync_en),
                      ";\n#define DST_SYNC_MODE DstSync::Sync",
                      source.dst_full_sync_en ? "Full" : "Half", "\n",
                      source.fp32_dest_acc_en ? "#define FP32_DEST_ACC_EN 1\n" : "");
}

// The kernel's own defines, which stand behind our headers because they must not change these.
absl::StatusOr<std::string> user_defines(const KernelSource& source) {
  std::string lines;
  for (const auto& [name, value] : source.defines) {
    if (name.empty() || name.find('\n') != name.npos || value.find('\n') != value.npos) {
      return absl::InvalidArgumentError(absl::StrCat("kernel ", source.name, ": define \"",
                                                     absl::CEscape(name),
                                                     "\" must have a name and fit on one line"));
    }
    absl::StrAppend(&lines, "#define ", name, " ", value, "\n");
  }
  return lines;
}

std::string line_directive(absl::string_view name) {
  return absl::StrCat("#line 1 \"",
                      absl::StrReplaceAll(name, {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", " "}}),
                      "\"\n");
}

// The path where a debugger finds the kernel's text: that of the kernel's own file, or of a copy
// when the file is gone or holds something else.
absl::StatusOr<std::string> path_for_debugger(const KernelSource& source) {
  namespace fs = std::filesystem;
  const std::string name = fs::path(source.name).filename().string();
  if (!source.directory.empty()) {
    const fs::path path = fs::absolute(fs::path(source.directory) / name);
    const auto content = read_file(path.string());
    if (content.ok() && *content == source.text) return path.lexically_normal().string();
  }
  LM_ASSIGN_OR_RETURN(folder, debug_folder());
  const Digest digest = digest_of(bytes_of(source.text.data(), source.text.size()));
  const std::string path = absl::StrCat(folder, "/", digest.hex().substr(0, 16), "-",
                                        name == "<string>" ? "string.cpp" : name);
  LM_RETURN_IF_ERROR(write_file(path, source.text));
  return path;
}

}  // namespace

absl::StatusOr<WrappedKernel> wrap_kernel(const KernelSource& source,
                                          const CompileSettings& settings,
                                          std::optional<Part> part) {
  std::string path = source.name;
  if (settings.debug) {
    LM_ASSIGN_OR_RETURN(found, path_for_debugger(source));
    path = found;
  }
  LM_ASSIGN_OR_RETURN(defines, user_defines(source));
  const bool compute = source.processor == Processor::kCompute;
  return WrappedKernel{
      prelude_of(source, settings, part),
      absl::StrCat(compile_time_args(source.compile_args),
                   named_compile_time_args(source.named_compile_args),
                   circular_buffers(source, settings.architecture),
                   "#include \"lightmetal/values.h\"\n", compute ? compute_settings(source) : "",
                   source.declarations, defines, "#include \"lightmetal/noc_mode.h\"\n",
                   line_directive(path), source.text, "\n", line_directive(kWrapperEnd),
                   "#include \"lightmetal/entry.h\"\n")};
}

}  // namespace lightmetal::device::cpu
