#include "api/src/capture_calls.h"
#include "api/src/capture_objects.h"

namespace tt::tt_metal::capture_calls {
namespace {

using namespace lightmetal::capture;

Offset<schema::RuntimeArg> symbolic_arg(Encoder& encoder,
                                        const std::variant<Buffer*, uint32_t>& arg) {
  if (const uint32_t* word = std::get_if<uint32_t>(&arg)) {
    return schema::CreateRuntimeArg(encoder.builder(), 0, *word);
  }
  return schema::CreateRuntimeArg(encoder.builder(), use(encoder, *std::get<Buffer*>(arg)), 0);
}

Offset<schema::RuntimeArgs> symbolic_args(Encoder& encoder, const RuntimeArgs& args) {
  std::vector<Offset<schema::RuntimeArg>> offsets;
  offsets.reserve(args.size());
  for (const auto& arg : args) offsets.push_back(symbolic_arg(encoder, arg));
  return schema::CreateRuntimeArgs(encoder.builder(), encoder.builder().CreateVector(offsets));
}

}  // namespace

void set_runtime_args(const Kernel& kernel, const CoreRangeSet& cores,
                      std::span<const uint32_t> args) {
  record<schema::SetRuntimeArgs>([&](Encoder& encoder) {
    const auto core_ranges = ranges(encoder.builder(), cores);
    const auto arg_words = words(encoder.builder(), args);
    return schema::CreateSetRuntimeArgs(encoder.builder(), use(encoder, kernel), core_ranges,
                                        arg_words);
  });
}

void set_runtime_args_per_core(const Kernel& kernel, const std::vector<CoreCoord>& cores,
                               const std::vector<std::vector<uint32_t>>& args) {
  record<schema::SetRuntimeArgsPerCore>([&](Encoder& encoder) {
    FlatBufferBuilder& builder = encoder.builder();
    std::vector<Offset<schema::Words>> offsets;
    offsets.reserve(args.size());
    for (const std::vector<uint32_t>& of_core : args) {
      offsets.push_back(schema::CreateWords(builder, words(builder, of_core)));
    }
    const auto core_coords = coords(builder, cores);
    const auto all_args = builder.CreateVector(offsets);
    return schema::CreateSetRuntimeArgsPerCore(builder, use(encoder, kernel), core_coords,
                                               all_args);
  });
}

void set_runtime_args_symbolic(const IDevice& device, const Kernel& kernel,
                               const CoreRangeSet& cores, const RuntimeArgs& args) {
  record<schema::SetRuntimeArgsSymbolic>([&](Encoder& encoder) {
    const auto core_ranges = ranges(encoder.builder(), cores);
    const auto args_offset = symbolic_args(encoder, args);
    return schema::CreateSetRuntimeArgsSymbolic(encoder.builder(), use(encoder, device),
                                                use(encoder, kernel), core_ranges, args_offset);
  });
}

void set_runtime_args_symbolic_per_core(const IDevice& device, const Kernel& kernel,
                                        const std::vector<CoreCoord>& cores,
                                        const std::vector<std::shared_ptr<RuntimeArgs>>& args) {
  record<schema::SetRuntimeArgsSymbolicPerCore>([&](Encoder& encoder) {
    FlatBufferBuilder& builder = encoder.builder();
    std::vector<Offset<schema::RuntimeArgs>> offsets;
    offsets.reserve(args.size());
    for (const auto& of_core : args) offsets.push_back(symbolic_args(encoder, *of_core));
    const auto core_coords = coords(builder, cores);
    const auto all_args = builder.CreateVector(offsets);
    return schema::CreateSetRuntimeArgsSymbolicPerCore(builder, use(encoder, device),
                                                       use(encoder, kernel), core_coords, all_args);
  });
}

void set_common_runtime_args(const Kernel& kernel, std::span<const uint32_t> args) {
  record<schema::SetCommonRuntimeArgs>([&](Encoder& encoder) {
    const auto arg_words = words(encoder.builder(), args);
    return schema::CreateSetCommonRuntimeArgs(encoder.builder(), use(encoder, kernel), arg_words);
  });
}

// Both are found when the program is enqueued: of a program that the file does not know, that call
// says so.
void write_runtime_args(const Kernel& kernel, const CoreCoord& core,
                        std::span<const uint32_t> args) {
  record_if_known<schema::WriteRuntimeArgs>(object_of(kernel), [&](Encoder& encoder) {
    const auto arg_words = words(encoder.builder(), args);
    const schema::CoreCoord on_core = coord(core);
    return schema::CreateWriteRuntimeArgs(encoder.builder(), use(encoder, kernel), &on_core,
                                          arg_words);
  });
}

void write_common_runtime_args(const Kernel& kernel, std::span<const uint32_t> args) {
  record_if_known<schema::WriteCommonRuntimeArgs>(object_of(kernel), [&](Encoder& encoder) {
    const auto arg_words = words(encoder.builder(), args);
    return schema::CreateWriteCommonRuntimeArgs(encoder.builder(), use(encoder, kernel), arg_words);
  });
}

}  // namespace tt::tt_metal::capture_calls
