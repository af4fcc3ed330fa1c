// Compiles one kernel as the library would, for scripts/outside_kernels and
// scripts/kernels_of_today:
//   kernel_compile compute|reader|writer|ethernet FILE ARG,ARG... FORMAT NAME=VALUE...
// ARGs are compile-time arguments, FORMAT is the number of the data format of each circular buffer,
// NAMEs are defines. Exits with 1 and the compiler's messages when the kernel does not compile.
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>

#include "absl/strings/str_split.h"
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
  for (const auto arg : absl::StrSplit(argv[3], ',', absl::SkipEmpty()))
    source.compile_args.push_back(static_cast<uint32_t>(std::stoul(std::string(arg), nullptr, 0)));
  for (char** define = argv + 5; define != end; ++define)
    source.defines.insert(absl::StrSplit(*define, absl::MaxSplits('=', 1)));
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
