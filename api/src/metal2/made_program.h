#pragma once

#include <cstddef>
#include <cstdint>
#include <hostdevcommon/tensor_accessor/arg_config.hpp>
#include <memory>
#include <optional>
#include <string>
#include <tt-metalium/experimental/metal2_host_api/program_run_args.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <unordered_map>
#include <vector>

#include "api/src/objects/program_state.h"

namespace tt::tt_metal::experimental::metal2 {

// A tensor parameter, and the tensor that stands for it now.
struct MadeTensor {
  TensorParameter declared;
  tensor_accessor::ArgConfig at_run_time = {};  // the parts of its words that come with the tensor
  std::vector<uint32_t> constant_words = {};  // compile-time arguments of each kernel that binds it
  size_t num_runtime_words = 0;

  Buffer* buffer = nullptr;  // the reference buffer, which may be gone
  uint64_t buffer_id = 0;
  uint32_t address = 0;
  std::vector<uint32_t> runtime_words = {};
};

// A dataflow buffer: an index of a circular buffer, which it shares with its aliases.
struct MadeBuffer {
  DFBSpecName name = {};
  CBHandle circular_buffer = 0;
  uint8_t index = 0;
  uint32_t entry_size = 0;
  uint32_t num_entries = 0;
  std::optional<size_t> tensor = {};  // in whose memory it lies

  uint64_t total_size() const { return uint64_t{entry_size} * num_entries; }
};

// A kernel, and its arguments as they were last given. Words of a node: named ones, varargs. Common
// words: named ones; of each tensor its address and its runtime words; addresses of scratchpads;
// varargs.
struct MadeKernel {
  using Words = std::unordered_map<std::string, uint32_t>;  // by name
  struct TensorWords {
    size_t tensor = 0;
    uint32_t first_word = 0;
  };

  uint32_t num_words(size_t node) const {
    return static_cast<uint32_t>(runtime_args.size()) + num_varargs[node];
  }

  KernelSpecName name = {};
  KernelHandle handle = 0;
  std::vector<NodeCoord> nodes = {};
  std::unordered_map<NodeCoord, size_t> number_of_node = {};
  Words runtime_args = {};
  Words common_args = {};
  std::vector<uint32_t> num_varargs = {};  // by node
  uint32_t first_common_vararg = 0;
  uint32_t num_common_varargs = 0;
  std::vector<TensorWords> tensors = {};

  std::vector<std::vector<uint32_t>> words = {};  // by node
  LightMetalArgs common = {};
};

// What a program that was made from a specification keeps: its objects by name, the arguments that
// it was given, and the memory of its scratchpads. Arguments are given to the kernels by the calls
// of the classic API, which record themselves. Not thread-safe, as programs are not.
class MadeProgram final : public SpecifiedProgram {
 public:
  MadeProgram(std::string name, std::vector<IDevice*> devices)
      : name(std::move(name)), devices(std::move(devices)) {}

  // Throws when the program was not made from a specification; `call` wants to know.
  static MadeProgram& of(const Program& program, const char* call);

  void check_may_launch(const IDevice& device) const override;
  void note_launch(CommandQueue& queue, SubDeviceId sub_device) override;
  void note_direct_launch(IDevice& device) override;
  void wait_for_launches(const Program& program) noexcept override;

  // Throws unless all arguments have been given once.
  void check_was_given_arguments(const char* call) const;

  // Gives the program these arguments; those that are not there stay. REQUIRES: check_run_args()
  // has passed for them, or its rules are kept.
  void apply(Program& program, const ProgramRunArgs& args);
  void note_complete() { was_given_arguments_ = true; }
  // Gives the kernel its common words, with the addresses of scratchpads and nothing else yet.
  void apply_scratchpads(Program& program, const MadeKernel& kernel);

  const std::string name;
  const std::vector<IDevice*> devices;  // that it was made for; objects of devices never end
  std::vector<MadeTensor> tensors;
  std::vector<MadeBuffer> buffers;
  std::vector<MadeKernel> kernels;
  std::unordered_map<std::string, size_t> number_of_tensor, number_of_buffer, number_of_kernel;
  // Of each scratchpad a buffer on each device, all at one address.
  std::vector<std::vector<std::shared_ptr<Buffer>>> scratchpads;
  bool needs_arguments = false;

 private:
  using Fresh = std::vector<bool>;  // by tensor: whether it was given just now

  // Notes the tensors. Returns which are in other memory than before.
  Fresh bind(const Table<TensorParamName, TensorArgument>& given);
  void place(Program& program, const Fresh& fresh, const Group<DFBRunOverrides>& overrides);
  void resize(Program& program, const MadeBuffer& first);
  void set_common(Program& program, MadeKernel& kernel, const Fresh& fresh);

  // Where launches may still run that use the scratchpads.
  struct Launched {
    IDevice* device;
    uint32_t queue;
    uint64_t manager;  // of sub-devices, loaded then; another is loaded when all is at rest
    SubDeviceId sub_device;

    bool operator==(const Launched&) const = default;
  };

  static void wait_for_queue(const Launched& launched);
  static void wait_beside_queues(IDevice& device, const Program& program);

  bool was_given_arguments_ = false;
  std::vector<Launched> launched_;
  std::vector<IDevice*> launched_directly_;
};

}  // namespace tt::tt_metal::experimental::metal2
