#include <filesystem>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/kernel.hpp>
#include <utility>

#include "api/src/objects/kernel_state.h"
#include "api/src/record/record.h"
#include "api/src/support/next_id.h"
#include "api/src/support/object_ids.h"
#include "capture/capture.h"
#include "capture/session.h"

namespace tt::tt_metal {
namespace {

std::string name_of(const KernelSpec& spec, KernelHandle handle) {
  if (spec.from_string) return "kernel_" + std::to_string(handle);
  return std::filesystem::path(spec.source.path).stem().string();
}

std::set<CoreCoord> each_core_of(const CoreRangeSet& ranges) {
  std::set<CoreCoord> cores;
  for (const CoreRange& range : ranges.ranges()) cores.insert(range.begin(), range.end());
  return cores;
}

}  // namespace

ReaderDataMovementConfig::ReaderDataMovementConfig(
    std::vector<uint32_t> compile_args, std::map<std::string, std::string> defines,
    std::unordered_map<std::string, uint32_t> named_compile_args, KernelBuildOptLevel opt_level,
    std::vector<std::filesystem::path> compiler_include_paths)
    : DataMovementConfig{.processor = DataMovementProcessor::RISCV_1,
                         .noc = NOC::NOC_0,
                         .noc_mode = NOC_MODE::DM_DEDICATED_NOC,
                         .compile_args = std::move(compile_args),
                         .defines = std::move(defines),
                         .named_compile_args = std::move(named_compile_args),
                         .opt_level = opt_level,
                         .compiler_include_paths = std::move(compiler_include_paths)} {}

WriterDataMovementConfig::WriterDataMovementConfig(
    std::vector<uint32_t> compile_args, std::map<std::string, std::string> defines,
    std::unordered_map<std::string, uint32_t> named_compile_args, KernelBuildOptLevel opt_level,
    std::vector<std::filesystem::path> compiler_include_paths)
    : DataMovementConfig{.processor = DataMovementProcessor::RISCV_0,
                         .noc = NOC::NOC_1,
                         .noc_mode = NOC_MODE::DM_DEDICATED_NOC,
                         .compile_args = std::move(compile_args),
                         .defines = std::move(defines),
                         .named_compile_args = std::move(named_compile_args),
                         .opt_level = opt_level,
                         .compiler_include_paths = std::move(compiler_include_paths)} {}

uint32_t& RuntimeArgsData::at(size_t index) {
  TT_FATAL(index < rt_args_count, "There is no runtime arg {}: there are {}", index, rt_args_count);
  return rt_args_data[index];
}

const uint32_t& RuntimeArgsData::at(size_t index) const {
  return const_cast<RuntimeArgsData*>(this)->at(index);
}

KernelProcessor processor_of(const Kernel::Config& config) {
  if (std::holds_alternative<ComputeConfig>(config)) return KernelProcessor::COMPUTE;
  if (std::holds_alternative<EthernetConfig>(config)) return KernelProcessor::ETHERNET;
  return std::get<DataMovementConfig>(config).processor == DataMovementProcessor::RISCV_0
             ? KernelProcessor::RISCV_0
             : KernelProcessor::RISCV_1;
}

uint8_t noc_of(const Kernel::Config& config) {
  if (const auto* config_dm = std::get_if<DataMovementConfig>(&config)) return config_dm->noc;
  if (const auto* config_eth = std::get_if<EthernetConfig>(&config)) return config_eth->noc;
  return NOC::NOC_0;
}

KernelState::KernelState(KernelSpec spec, KernelHandle handle,
                         std::shared_ptr<const ClassicChanges> changes)
    : unique_id(next_unique_id<Kernel>()),
      handle(handle),
      spec(std::move(spec)),
      name(name_of(this->spec, handle)),
      logical_cores(each_core_of(this->spec.cores)),
      args(this->spec.cores, name),
      classic_changes(std::move(changes)) {}

KernelObjectPtr KernelState::object_for(const std::string& backend) const {
  if (given_object_) return given_object_;
  const auto found = objects_.find(backend);
  return found == objects_.end() ? nullptr : found->second;
}

void KernelState::set_object_for(const std::string& backend, KernelObjectPtr object) {
  objects_[backend] = std::move(object);
}

std::vector<KernelObjectPtr> KernelState::objects() const {
  if (given_object_) return {given_object_};
  std::vector<KernelObjectPtr> objects;
  for (const auto& [backend, object] : objects_) objects.push_back(object);
  return objects;
}

bool KernelState::needs_binary_record(const KernelObjectPtr& object) {
  const lightmetal::capture::SessionNumber session = lightmetal::capture::session();
  if (session.number == 0) return false;
  // Session numbers are never used twice, so a later capture finds another number here and records
  // the object again.
  uint64_t& recorded_in = recorded_in_[object.get()][session.kind];
  return std::exchange(recorded_in, session.number) != session.number;
}

Kernel::Kernel(std::unique_ptr<KernelState> state) : state_(std::move(state)) {}
Kernel::~Kernel() = default;

uint64_t Kernel::unique_id() const { return state_->unique_id; }
KernelHandle Kernel::handle() const { return state_->handle; }
const std::string& Kernel::name() const { return state_->name; }
const std::string& Kernel::source_path() const { return state_->spec.source.path; }
bool Kernel::is_from_string() const { return state_->spec.from_string; }
const CoreRangeSet& Kernel::core_range_set() const { return state_->spec.cores; }
const std::set<CoreCoord>& Kernel::logical_cores() const { return state_->logical_cores; }
const Kernel::Config& Kernel::config() const { return state_->spec.config; }
KernelProcessor Kernel::processor() const { return processor_of(config()); }

bool Kernel::is_on_logical_core(const CoreCoord& core) const {
  return core_range_set().contains(core);
}

const std::vector<uint32_t>& Kernel::compile_time_args() const {
  return std::visit(
      [](const auto& config) -> const auto& { return config.compile_args; }, config());
}

const std::map<std::string, std::string>& Kernel::defines() const {
  return std::visit(
      [](const auto& config) -> const auto& { return config.defines; }, config());
}

void Kernel::set_runtime_args(const CoreCoord& core, tt::stl::Span<const uint32_t> args) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  state_->classic_changes->check("Kernel::set_runtime_args");
  state_->args.check(core, args);
  state_->args.set(core, args);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::SetRuntimeArgs>, *this, CoreRange(core), args);
}

void Kernel::set_common_runtime_args(tt::stl::Span<const uint32_t> args) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  state_->classic_changes->check("Kernel::set_common_runtime_args");
  state_->args.check_common_unset();
  state_->args.set_common(args);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::SetCommonRuntimeArgs>, *this, args);
}

std::vector<uint32_t> Kernel::runtime_args(const CoreCoord& core) const {
  TT_FATAL(is_on_logical_core(core), "Kernel {} is not placed on core {} but on {}", name(), core,
           core_range_set());
  const auto words = state_->args.words(core);
  return {words.begin(), words.end()};
}

std::vector<uint32_t> Kernel::common_runtime_args() const {
  const auto words = state_->args.common_words();
  return {words.begin(), words.end()};
}

RuntimeArgsData& Kernel::runtime_args_data(const CoreCoord& core) {
  state_->classic_changes->check("Kernel::runtime_args_data");
  return state_->args.reference(core);
}
std::vector<std::vector<RuntimeArgsData>>& Kernel::runtime_args_data() {
  state_->classic_changes->check("Kernel::runtime_args_data");
  return state_->args.references();
}
RuntimeArgsData& Kernel::common_runtime_args_data() {
  state_->classic_changes->check("Kernel::common_runtime_args_data");
  return state_->args.common_reference();
}

const lightmetal::Digest& source_digest_of(const Kernel& kernel) {
  return kernel.state().spec.digest;
}

}  // namespace tt::tt_metal
