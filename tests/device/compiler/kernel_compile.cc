// Compiles one kernel as the library would, for scripts/outside_kernels and
// scripts/kernels_of_today:
//   kernel_compile compute|reader|writer|ethernet FILE ARG,ARG... FORMAT NAME=VALUE...
// ARGs are compile-time arguments, those by name as NAME=VALUE; FORMAT is the number of the data
// format of each circular buffer, NAMEs are defines; -I=FOLDER is one for headers. Exits with 1 and
// the compiler's messages when the kernel does not compile.
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "device/cpu/compiler/compiler.h"
#include "device/cpu/compiler/files.h"

namespace {

using lightmetal::DataFormat;
using lightmetal::device::KernelSource;
using lightmetal::device::Processor;

const std::map<std::string, Processor>& processors() {
  static const auto* const all =
      new std::map<std::string, Processor>{{"writer", Processor::kRiscv0},
                                           {"reader", Processor::kRiscv1},
                                           {"compute", Processor::kCompute},
                                           {"ethernet", Processor::kEthernet}};
  return *all;
}

void add_circular_buffers(DataFormat format, KernelSource& source) {
  for (uint8_t index = 0; index < lightmetal::kernel_abi::kMaxCircularBuffers; ++index) {
    source.circular_buffers.push_back({.index = index, .format = format});
  }
}

absl::StatusOr<KernelSource> source_of(char** argv, char** end) {
  KernelSource source;
  source.name = argv[2];
  source.directory = std::filesystem::path(argv[2]).parent_path().string();
  auto text = lightmetal::device::cpu::read_file(argv[2]);
  if (!text.ok()) return text.status();
  source.text = *std::move(text);
  source.processor = processors().at(argv[1]);
  for (const absl::string_view arg : absl::StrSplit(argv[3], ',', absl::SkipEmpty())) {
    const std::vector<std::string> parts = absl::StrSplit(arg, '=');
    const auto value = static_cast<uint32_t>(std::stoul(parts.back(), nullptr, 0));
    if (parts.size() == 1) {
      source.compile_args.push_back(value);
    } else {
      source.named_compile_args[parts.front()] = value;
    }
  }
  for (char** define = argv + 5; define != end; ++define) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(*define, absl::MaxSplits('=', 1));
    if (parts.first == "-I") {
      source.include_paths.push_back(parts.second);
    } else {
      source.defines.insert(parts);
    }
  }
  add_circular_buffers(static_cast<DataFormat>(std::stoul(argv[4])), source);
  return source;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5 || !processors().contains(argv[1])) {
    std::fprintf(
        stderr,
        "usage: kernel_compile compute|reader|writer|ethernet FILE ARG,... FORMAT NAME=VALUE...\n");
    return 2;
  }
  const auto source = source_of(argv, argv + argc);
  const auto object =
      source.ok() ? lightmetal::device::cpu::compile_kernel(*source) : source.status();
  if (object.ok()) return 0;
  std::fprintf(stderr, "%s\n", std::string(object.status().message()).c_str());
  return 1;
}
