// What is refused of specifications and of what their programs are given, and that no program is of
// two styles.
#include <tt-metalium/program_descriptors.hpp>

#include "tests/api/program_spec_kit.h"

namespace tt::tt_metal::testing::refusal {
namespace {

using namespace experimental;
using ::testing::HasSubstr;

struct Refusal {
  const char* name;
  void (*break_it)(ProgramSpec&);
  std::vector<std::string> sentence;
};
void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.name; }

DataMovementHardwareConfig::DataMovement1XXConfig& mover(ProgramSpec& spec, size_t kernel) {
  return *std::get<DataMovementHardwareConfig>(spec.kernels[kernel].hw_config).config_1xx;
}
ComputeHardwareConfig& compute(ProgramSpec& spec) {
  return std::get<ComputeHardwareConfig>(spec.kernels[1].hw_config);
}
// Adds a dataflow buffer whose producer and consumer is one kernel.
void loop_through(ProgramSpec& spec, const DataflowBufferSpec& buffer, size_t kernel = 0) {
  spec.dataflow_buffers.push_back(buffer);
  for (const DFBBinding& end :
       {ProducerOf(buffer.unique_id, "own"), ConsumerOf(buffer.unique_id, "own")})
    spec.kernels[kernel].dfb_bindings.push_back(end);
}

const Refusal kRefusals[] = {
    // names
    {"TwoKernels",
     [](ProgramSpec& s) { s.kernels[1].unique_id = kReader; },
     {"Program \"copy\" has two kernels \"reader\": their names must differ"}},
    {"TwoBuffers",
     [](ProgramSpec& s) { s.dataflow_buffers[1].unique_id = kIn; },
     {"two dataflow buffers \"in\""}},
    {"TwoSemaphores",
     [](ProgramSpec& s) { s.semaphores.push_back(s.semaphores[0]); },
     {"two semaphores \"turn\""}},
    {"TwoScratchpads",
     [](ProgramSpec& s) { s.scratchpads.push_back(s.scratchpads[0]); },
     {"two scratchpads \"pad\""}},
    {"TwoTensors",
     [](ProgramSpec& s) { s.tensor_parameters[1].unique_id = kSource; },
     {"two tensor parameters \"source\""}},
    {"UnknownBuffer",
     [](ProgramSpec& s) { s.dataflow_buffers.resize(1); },
     {"kernel \"compute\" names dataflow buffer \"out\", which is not there"}},
    {"UnknownSemaphore",
     [](ProgramSpec& s) { s.semaphores.clear(); },
     {"kernel \"reader\" names semaphore \"turn\""}},
    {"UnknownScratchpad",
     [](ProgramSpec& s) { s.scratchpads.clear(); },
     {"kernel \"reader\" names scratchpad \"pad\""}},
    {"UnknownTensor",
     [](ProgramSpec& s) { s.tensor_parameters.pop_back(); },
     {"kernel \"writer\" names tensor parameter \"result\""}},
    {"UnknownKernel",
     [](ProgramSpec& s) { s.work_units[0].kernels.push_back(KernelSpecName{"other"}); },
     {"work unit \"unit\" names kernel \"other\""}},
    {"UnknownLender",
     [](ProgramSpec& s) { s.dataflow_buffers[0].borrowed_from = TensorParamName{"lender"}; },
     {"dataflow buffer \"in\" names tensor parameter \"lender\""}},
    {"UnknownAlias",
     [](ProgramSpec& s) {
       s.dataflow_buffers[0].advanced_options.alias_with = {DFBSpecName{"other"}};
     },
     {"dataflow buffer \"in\" names dataflow buffer \"other\""}},
    // kernels
    {"NoText",
     [](ProgramSpec& s) { s.kernels[0].source = KernelSpec::SourceCode{}; },
     {"Program \"copy\", kernel \"reader\" has no source"}},
    {"NoPath",
     [](ProgramSpec& s) { s.kernels[0].source = std::filesystem::path(); },
     {"kernel \"reader\" has no source"}},
    {"Threads",
     [](ProgramSpec& s) { s.kernels[1].num_threads = 2; },
     {"kernel \"compute\" asks for 2 threads"}},
    {"NoConfiguration",
     [](ProgramSpec& s) { s.kernels[0].hw_config = DataMovementHardwareConfig{}; },
     {"kernel \"reader\" moves data and has no config_1xx"}},
    {"NoSuchProcessor",
     [](ProgramSpec& s) { mover(s, 0).processor = static_cast<DataMovementProcessor>(2); },
     {"kernel \"reader\" asks for data movement processor 2: there are RISCV_0 and RISCV_1"}},
    {"BadName",
     [](ProgramSpec& s) { s.kernels[0].dfb_bindings[0].accessor_name = "a-b"; },
     {"knows a dataflow buffer as \"a-b\": that is no C++ identifier"}},
    {"NameThatBeginsWithADigit",
     [](ProgramSpec& s) { s.kernels[0].semaphore_bindings[0].accessor_name = "1st"; },
     {"knows a semaphore as \"1st\""}},
    {"LongName",
     [](ProgramSpec& s) { s.kernels[0].tensor_bindings[0].accessor_name = std::string(65, 'a'); },
     {"of at most 64 characters"}},
    {"OneNameForTwoBuffers",
     [](ProgramSpec& s) { s.kernels[1].dfb_bindings[1].accessor_name = "tiles"; },
     {"knows dataflow buffers \"in\" and \"out\" both as \"tiles\""}},
    {"ProducerTwice",
     [](ProgramSpec& s) { s.kernels[0].dfb_bindings.push_back(ProducerOf(kIn, "more")); },
     {"binds dataflow buffer \"in\" as producer twice"}},
    {"Blocked",
     [](ProgramSpec& s) {
       s.kernels[1].dfb_bindings[0].access_pattern = DFBAccessPattern::BLOCKED;
     },
     {"as BLOCKED, which is not supported"}},
    {"ProducerOfAll",
     [](ProgramSpec& s) { s.kernels[0].dfb_bindings[0].access_pattern = DFBAccessPattern::ALL; },
     {"produces for dataflow buffer \"in\" not as STRIDED"}},
    {"BothEndsOfAll",
     [](ProgramSpec& s) {
       const DFBSpecName own{"own"};
       s.dataflow_buffers.push_back(tile_queue(own));
       s.kernels[1].dfb_bindings.push_back(ProducerOf(own, "own"));
       s.kernels[1].dfb_bindings.push_back(AllConsumerOf(own, "own"));
     },
     {"is both ends of dataflow buffer \"own\": its consumer must be STRIDED"}},
    {"ComputeSemaphore",
     [](ProgramSpec& s) {
       s.kernels[1].semaphore_bindings = {{kTurn, "turn"}};
     },
     {"computes and binds 1 semaphores"}},
    {"SemaphoreTwice",
     [](ProgramSpec& s) {
       s.kernels[0].semaphore_bindings.push_back({kTurn, "again"});
     },
     {"binds semaphore \"turn\" twice"}},
    {"ScratchpadTwice",
     [](ProgramSpec& s) {
       s.kernels[0].scratchpad_bindings.push_back({kPad, "again"});
     },
     {"binds scratchpad \"pad\" twice"}},
    {"TwoTensorsOfAName",
     [](ProgramSpec& s) {
       s.kernels[0].tensor_bindings.push_back({kResult, "source"});
     },
     {"knows two tensors as \"source\""}},
    {"SequenceOfUnknown",
     [](ProgramSpec& s) {
       s.kernels[0].advanced_options.tensor_binding_sequences = {{"all", {"result"}}};
     },
     {"has \"result\" in its sequence \"all\" of tensors: it binds no tensor of this name"}},
    {"SequenceWithTwins",
     [](ProgramSpec& s) {
       s.kernels[0].advanced_options.tensor_binding_sequences = {{"all", {"source", "source"}}};
     },
     {"has \"source\" twice in its sequence"}},
    {"BadArgument",
     [](ProgramSpec& s) { s.kernels[0].runtime_arg_schema.runtime_arg_names.push_back("a b"); },
     {"has an argument \"a b\": that is no C++ identifier"}},
    {"ArgumentOfTwoKinds",
     [](ProgramSpec& s) {
       s.kernels[0].runtime_arg_schema.common_runtime_arg_names.push_back("per_step");
     },
     {"has two arguments \"per_step\""}},
    {"MoreArgumentsThanACoreHolds",
     [](ProgramSpec& s) {
       s.kernels[0].advanced_options.num_runtime_varargs_per_node = {{NodeCoord(1, 0), 200}};
       s.kernels[0].advanced_options.num_common_runtime_varargs = 150;
     },
     {"355 unique+common runtime args targeting kernel reader are too large: 202 unique and 153 "
      "common, and the maximum allowable is 341"}},
    {"TwoEntryFunctions",
     [](ProgramSpec& s) {
       s.kernels[0].source = KernelSpec::SourceCode{"TT_KERNEL void f() {} TT_KERNEL void g() {}"};
     },
     {"kernel \"reader\" marks several functions as TT_KERNEL: a kernel has one entry function"}},
    {"EntryThatIsNoFunction",
     [](ProgramSpec& s) { s.kernels[0].source = KernelSpec::SourceCode{"TT_KERNEL int f() {}"}; },
     {"kernel \"reader\" marks something as TT_KERNEL that is no function \"void NAME(...)\""}},
    {"ParameterOfAnotherType",
     [](ProgramSpec& s) {
       s.kernels[0].source = KernelSpec::SourceCode{"TT_KERNEL void f(uint64_t first) {}"};
     },
     {"kernel \"reader\" has the entry function f with a parameter \"uint64_t first\": each is a "
      "uint32_t with a name"}},
    {"ParameterThatIsNoArgument",
     [](ProgramSpec& s) {
       s.kernels[0].source = KernelSpec::SourceCode{"TT_KERNEL void f(uint32_t last) {}"};
     },
     {"has the entry function f with a parameter \"last\", which is none of its arguments"}},
    {"TemplateParameterThatIsNoConstant",
     [](ProgramSpec& s) {
       s.kernels[0].source =
           KernelSpec::SourceCode{"template <uint32_t step> TT_KERNEL void f() {}"};
     },
     {"with a template parameter \"step\", which is none of its compile_time_args"}},
    {"UnpackModeOfAStranger",
     [](ProgramSpec& s) {
       s.dataflow_buffers.push_back(tile_queue(DFBSpecName{"other"}));
       compute(s).unpack_modes = {{DFBSpecName{"other"}, UnpackMode::UnpackToSrc}};
     },
     {"unpack mode for dataflow buffer \"other\", which it does not bind"}},
    {"NoFormat",
     [](ProgramSpec& s) { s.dataflow_buffers[0].data_format_metadata.reset(); },
     {"computes with dataflow buffer \"in\", which needs a data_format_metadata"}},
    {"UnpackToDestOfSixteenBits",
     [](ProgramSpec& s) {
       s.dataflow_buffers[0].data_format_metadata = tt::DataFormat::Int32;
       compute(s).unpack_modes = {{kIn, UnpackMode::UnpackToDest}};
     },
     {"unpacks 32-bit dataflow buffer \"in\" to DST, which needs enable_32_bit_dest"}},
    {"UnpackToDestOfUnsignedWords",
     [](ProgramSpec& s) {
       s.dataflow_buffers[0].data_format_metadata = tt::DataFormat::UInt32;
       compute(s).unpack_modes = {{kIn, UnpackMode::UnpackToDest}};
     },
     {"unpacks 32-bit dataflow buffer \"in\" to DST"}},
    {"NoUnpackMode",
     [](ProgramSpec& s) {
       s.dataflow_buffers[0].data_format_metadata = tt::DataFormat::Float32;
       compute(s).enable_32_bit_dest = true;
     },
     {"consumes Float32 dataflow buffer \"in\" with enable_32_bit_dest, and has no unpack mode"}},
    // memory
    {"NoEntrySize",
     [](ProgramSpec& s) { s.dataflow_buffers[0].entry_size = 0; },
     {"Program \"copy\", dataflow buffer \"in\" has entries of 0 B"}},
    {"NoEntries",
     [](ProgramSpec& s) { s.dataflow_buffers[0].num_entries = 0; },
     {"dataflow buffer \"in\" has 0 entries: 1 to 65535 are possible"}},
    {"TooManyEntries",
     [](ProgramSpec& s) { s.dataflow_buffers[0].num_entries = 65536; },
     {"has 65536 entries"}},
    {"MoreBytesThanAddresses",
     [](ProgramSpec& s) {
       s.dataflow_buffers[0].entry_size = 1u << 20;
       s.dataflow_buffers[0].num_entries = 4096;
     },
     {"has 4096 entries of 1048576 B: 4294967296 B are more than addresses of 32 bits reach"}},
    {"TileWithoutFormat",
     [](ProgramSpec& s) { s.scratchpads[0].tile_format_metadata = Tile(); },
     {"scratchpad \"pad\" has a tile_format_metadata and no data_format_metadata"}},
    {"BufferOfATileWithoutFormat",
     [](ProgramSpec& s) {
       DataflowBufferSpec own = tile_queue(DFBSpecName{"own"});
       own.data_format_metadata.reset();
       own.tile_format_metadata = Tile();
       loop_through(s, own);
     },
     {"dataflow buffer \"own\" has a tile_format_metadata and no data_format_metadata"}},
    {"LenderInDram",
     [](ProgramSpec& s) { s.dataflow_buffers[0].borrowed_from = kSource; },
     {"borrows the memory of tensor parameter \"source\", which lies in", "not in L1"}},
    {"UnusedBuffer",
     [](ProgramSpec& s) { s.dataflow_buffers.push_back(tile_queue(DFBSpecName{"other"})); },
     {"dataflow buffer \"other\" is bound by no kernel"}},
    {"UnusedScratchpad",
     [](ProgramSpec& s) {
       s.scratchpads.push_back({.unique_id = ScratchpadSpecName{"other"}, .size_per_node = 1});
     },
     {"scratchpad \"other\" is bound by no kernel"}},
    {"UnusedTensor",
     [](ProgramSpec& s) {
       s.tensor_parameters.push_back(
           {.unique_id = TensorParamName{"other"}, .spec = tiles_of(32, 32)});
     },
     {"tensor parameter \"other\" is bound by no kernel"}},
    {"EmptyScratchpad",
     [](ProgramSpec& s) { s.scratchpads[0].size_per_node = 0; },
     {"scratchpad \"pad\" has 0 B on each node"}},
    {"HalfALoop",
     [](ProgramSpec& s) {
       s.kernels[1].dfb_bindings.erase(s.kernels[1].dfb_bindings.begin());
       KernelSpec other = s.kernels[0];
       other.unique_id = KernelSpecName{"other"};
       s.kernels[0].dfb_bindings.push_back(ConsumerOf(kIn, "tiles"));
       s.kernels.push_back(other);
       s.work_units.push_back(unit_of({other.unique_id}, NodeCoord{3, 3}));
     },
     {"dataflow buffer \"in\" has a kernel that is both of its ends"}},
    {"ProducersOfTwoKinds",
     [](ProgramSpec& s) {
       KernelSpec other = s.kernels[2];
       other.unique_id = KernelSpecName{"other"};
       other.dfb_bindings = {ProducerOf(kIn, "tiles"), ConsumerOf(kOut, "results")};
       s.kernels.push_back(other);
       s.work_units.push_back(unit_of({other.unique_id, kCompute}, NodeCoord{3, 3}));
     },
     {"dataflow buffer \"in\" has producers \"reader\" and \"other\", which differ in kind, "
      "processor"}},
    {"ConsumersOfTwoProcessors",
     [](ProgramSpec& s) {
       KernelSpec other = s.kernels[2];
       other.unique_id = KernelSpecName{"other"};
       other.hw_config = CreateReaderGen1DataMovementConfig();
       s.kernels.push_back(other);
       s.work_units.push_back(unit_of({other.unique_id, kCompute}, NodeCoord{3, 3}));
     },
     {"dataflow buffer \"out\" has consumers \"writer\" and \"other\", which differ in kind"}},
    {"OwnAlias",
     [](ProgramSpec& s) { s.dataflow_buffers[0].advanced_options.alias_with = {kIn}; },
     {"dataflow buffer \"in\" names itself as its alias"}},
    {"OneSidedAlias",
     [](ProgramSpec& s) { s.dataflow_buffers[0].advanced_options.alias_with = {kOut}; },
     {"and its alias \"out\" do not name the same aliases"}},
    {"AliasOfAnotherSize",
     [](ProgramSpec& s) {
       s.dataflow_buffers[0].advanced_options.alias_with = {kOut};
       s.dataflow_buffers[1].advanced_options.alias_with = {kIn};
       s.dataflow_buffers[1].num_entries = 3;
     },
     {"has 4096 B and its alias \"out\" 6144 B"}},
    {"AliasOnOtherNodes",
     [](ProgramSpec& s) {
       DataflowBufferSpec own = tile_queue(DFBSpecName{"own"});
       own.advanced_options.alias_with = {kIn};
       s.dataflow_buffers[0].advanced_options.alias_with = {own.unique_id};
       s.kernels.push_back({.unique_id = KernelSpecName{"other"},
                            .source = KernelSpec::SourceCode{kEmpty},
                            .hw_config = CreateReaderGen1DataMovementConfig()});
       loop_through(s, own, 3);
       s.work_units.push_back(unit_of({s.kernels[3].unique_id}, NodeCoord{3, 3}));
     },
     {"dataflow buffer \"in\" and its alias \"own\" lie on different nodes"}},
    {"AliasThatDoesNotBorrow",
     [](ProgramSpec& s) {
       s.tensor_parameters[0].spec = tiles_of(64, 64, BufferType::L1);
       s.dataflow_buffers[0].borrowed_from = kSource;
       s.dataflow_buffers[0].advanced_options.alias_with = {kOut};
       s.dataflow_buffers[1].advanced_options.alias_with = {kIn};
     },
     {"and its alias \"out\" do not borrow from the same tensor parameter"}},
    // placement
    {"NoKernel",
     [](ProgramSpec& s) { s = {.name = "empty"}; },
     {"Program \"empty\" has no kernel"}},
    {"NoWorkUnit",
     [](ProgramSpec& s) { s.work_units.clear(); },
     {"Program \"copy\" has no work unit"}},
    {"KernelInNoUnit",
     [](ProgramSpec& s) {
       s.kernels.push_back({.unique_id = KernelSpecName{"other"},
                            .source = KernelSpec::SourceCode{kEmpty},
                            .hw_config = CreateReaderGen1DataMovementConfig()});
     },
     {"kernel \"other\" is in no work unit"}},
    {"EmptyUnit",
     [](ProgramSpec& s) {
       s.work_units.push_back(unit_of({}, NodeCoord{3, 3}));
     },
     {"work unit \"unit\" has no kernel"}},
    {"KernelTwiceInAUnit",
     [](ProgramSpec& s) { s.work_units[0].kernels.push_back(kReader); },
     {"lists kernel \"reader\" twice"}},
    {"NoNodes",
     [](ProgramSpec& s) { s.work_units[0].target_nodes = NodeRangeSet(); },
     {"work unit \"unit\" has no nodes"}},
    {"OffTheGrid",
     [](ProgramSpec& s) {
       s.work_units[0].target_nodes = NodeCoord{40, 0};
     },
     {"work unit \"unit\" has nodes", "the grid has 8 columns and 8 rows"}},
    {"UnitsThatShareNodes",
     [](ProgramSpec& s) { s.work_units.push_back(s.work_units[0]); },
     {"work unit \"unit\" has nodes", "in common with others"}},
    {"TwoComputeKernels",
     [](ProgramSpec& s) {
       KernelSpec second = s.kernels[1];
       second.unique_id = KernelSpecName{"second"};
       s.kernels.push_back(second);
       s.work_units[0].kernels.push_back(second.unique_id);
     },
     {"has 2 compute kernels: at most one runs on a node"}},
    {"ThreeMovers",
     [](ProgramSpec& s) {
       KernelSpec third = s.kernels[2];
       third.unique_id = KernelSpecName{"third"};
       s.kernels.push_back(third);
       s.work_units[0].kernels.push_back(third.unique_id);
     },
     {"has 3 data movement kernels: at most two run on a node"}},
    {"OneProcessorForTwo",
     [](ProgramSpec& s) { mover(s, 2).processor = DataMovementProcessor::RISCV_1; },
     {"has two data movement kernels on RISCV_1"}},
    {"OneNetworkForTwo",
     [](ProgramSpec& s) { mover(s, 2).noc = NOC::NOC_0; },
     {"has two data movement kernels on NOC_0, which each wants for itself"}},
    {"TwoModes",
     [](ProgramSpec& s) { mover(s, 2).noc_mode = NOC_MODE::DM_DYNAMIC_NOC; },
     {"different NoC modes"}},
    {"NoConsumer",
     [](ProgramSpec& s) { s.kernels[2].dfb_bindings.clear(); },
     {"has 1 producers and 0 consumers of dataflow buffer \"out\""}},
    {"TwoOwners",
     [](ProgramSpec& s) {
       s.kernels[2].scratchpad_bindings = {{kPad, "pad"}};
     },
     {"has 2 kernels that bind scratchpad \"pad\""}},
    {"SemaphoreWithoutNodes",
     [](ProgramSpec& s) { s.semaphores[0].target_nodes = NodeRangeSet(); },
     {"semaphore \"turn\" has no nodes"}},
    {"TooManySemaphores",
     [](ProgramSpec& s) {
       for (int i = 0; i < 16; ++i)
         s.semaphores.push_back(
             {.unique_id = SemaphoreSpecName{std::to_string(i)}, .target_nodes = NodeCoord{1, 0}});
     },
     {"has more than 16 semaphores on node (x=1,y=0)"}},
    {"TooManyBuffers",
     [](ProgramSpec& s) {
       for (int i = 0; i < 31; ++i) {
         const DFBSpecName own{"own" + std::to_string(i)};
         s.dataflow_buffers.push_back(tile_queue(own));
         s.kernels[0].dfb_bindings.push_back(ProducerOf(own, *own));
         s.kernels[0].dfb_bindings.push_back(ConsumerOf(own, *own));
       }
     },
     {"has more than 32 dataflow buffers on node (x=0,y=0)"}},
};

class SpecRefusal : public ProgramSpecTest, public ::testing::WithParamInterface<Refusal> {};

TEST_P(SpecRefusal, SaysWhatIsWrongWhereAndMakesNothing) {
  ProgramSpec spec = copying();
  GetParam().break_it(spec);
  const size_t before = l1_in_use();
  try {
    make(spec);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    for (const std::string& part : GetParam().sentence) EXPECT_THAT(error.what(), HasSubstr(part));
  }
  EXPECT_EQ(l1_in_use(), before);
}
INSTANTIATE_TEST_SUITE_P(All, SpecRefusal, ::testing::ValuesIn(kRefusals),
                         [](const auto& row) { return std::string(row.param.name); });

struct ArgsRefusal {
  const char* name;
  void (*break_it)(ProgramRunArgs&);
  const char* sentence;
};
void PrintTo(const ArgsRefusal& refusal, std::ostream* out) { *out << refusal.name; }

const ArgsRefusal kArgsRefusals[] = {
    {"UnknownKernel",
     [](ProgramRunArgs& a) { a.kernel_run_args[0].kernel = KernelSpecName{"other"}; },
     "Program \"copy\" is given arguments of kernel \"other\", which it does not have"},
    {"KernelTwice", [](ProgramRunArgs& a) { a.kernel_run_args.push_back(a.kernel_run_args[0]); },
     "arguments of kernel \"reader\" twice"},
    {"NoKernel", [](ProgramRunArgs& a) { a.kernel_run_args.pop_back(); },
     "Program \"copy\", kernel \"writer\" is given no argument"},
    {"UnknownArgument",
     [](ProgramRunArgs& a) {
       a.kernel_run_args[0].runtime_arg_values["other"] = {{{0, 0}, 1}};
     },
     "kernel \"reader\" has no argument \"other\""},
    {"NoArgument",
     [](ProgramRunArgs& a) { a.kernel_run_args[0].runtime_arg_values.erase("count"); },
     "kernel \"reader\" is given no argument \"count\""},
    {"NoValueForANode",
     [](ProgramRunArgs& a) {
       a.kernel_run_args[0].runtime_arg_values["count"].erase({1, 0});
     },
     "is given argument \"count\" for 1 nodes: it runs on 2"},
    {"StrangeNode",
     [](ProgramRunArgs& a) {
       a.kernel_run_args[0].runtime_arg_values["count"][{5, 5}] = 1;
     },
     "is given arguments for node (x=5,y=5), on which it does not run"},
    {"UnknownCommonArgument",
     [](ProgramRunArgs& a) { a.kernel_run_args[0].common_runtime_arg_values["other"] = 1; },
     "has no common argument \"other\""},
    {"NoCommonArgument",
     [](ProgramRunArgs& a) { a.kernel_run_args[0].common_runtime_arg_values.clear(); },
     "is given no common argument \"step\""},
    {"Varargs",
     [](ProgramRunArgs& a) {
       a.kernel_run_args[0].advanced_options.runtime_varargs = {{{0, 0}, {1}}};
     },
     "is given 1 varargs for node (x=0,y=0): it has 0"},
    {"CommonVarargs",
     [](ProgramRunArgs& a) { a.kernel_run_args[0].advanced_options.common_runtime_varargs = {1}; },
     "is given 1 common varargs: it has 0"},
    {"UnknownTensor",
     [](ProgramRunArgs& a) {
       a.tensor_args.insert({TensorParamName{"other"}, *a.tensor_args.get(kSource)});
     },
     "Program \"copy\" is given tensor \"other\", which is none of its parameters"},
    {"NoTensor", [](ProgramRunArgs& a) { a.tensor_args.erase(kResult); },
     "Program \"copy\" is given no tensor \"result\""},
    {"UnknownBuffer",
     [](ProgramRunArgs& a) { a.dfb_run_overrides = {{.dfb = DFBSpecName{"other"}}}; },
     "sizes of dataflow buffer \"other\", which it does not have"},
    {"BufferTwice",
     [](ProgramRunArgs& a) {
       a.dfb_run_overrides = {{.dfb = kIn}, {.dfb = kIn}};
     },
     "sizes of dataflow buffer \"in\" twice"},
    {"EmptyBuffer",
     [](ProgramRunArgs& a) { a.dfb_run_overrides = {{.dfb = kIn, .num_entries = 0}}; },
     "Program \"copy\", dataflow buffer \"in\" has 0 entries: 1 to 65535 are possible"},
    {"EmptyEntries",
     [](ProgramRunArgs& a) { a.dfb_run_overrides = {{.dfb = kIn, .entry_size = 0}}; },
     "dataflow buffer \"in\" has entries of 0 B"},
    {"TooManyEntries",
     [](ProgramRunArgs& a) { a.dfb_run_overrides = {{.dfb = kIn, .num_entries = 65536}}; },
     "dataflow buffer \"in\" has 65536 entries"},
    {"MoreBytesThanAddresses",  // 4096 B, were they counted in 32 bits
     [](ProgramRunArgs& a) {
       a.dfb_run_overrides = {{.dfb = kIn, .entry_size = (1u << 20) + 1, .num_entries = 4096}};
     },
     "dataflow buffer \"in\" has 4096 entries of 1048577 B: 4294971392 B are more than"},
};

class RunArgsRefusal : public ProgramSpecTest, public ::testing::WithParamInterface<ArgsRefusal> {};

TEST_P(RunArgsRefusal, SaysWhatIsWrongWhere) {
  Program program = make(copying());
  const MeshTensor source = tensor(), result = tensor();
  ProgramRunArgs args = copying_args(source, result);
  GetParam().break_it(args);
  expect_throws([&] { SetProgramRunArgs(program, args); }, GetParam().sentence);
  EXPECT_THAT(common(program, 2), ::testing::IsEmpty());
}
INSTANTIATE_TEST_SUITE_P(All, RunArgsRefusal, ::testing::ValuesIn(kArgsRefusals),
                         [](const auto& row) { return std::string(row.param.name); });

// ---- Mixed styles ----

TEST_F(ProgramSpecTest, ClassicCallsDoNotChangeASpecifiedProgram) {
  Program program = make(copying());
  const CoreCoord core{0, 0};
  const auto handle = program.circular_buffers()[0]->id();
  const auto buffer = l1(4096, 2048);
  const std::shared_ptr<Kernel> kernel = program.get_kernel(0);
  const std::vector<uint32_t> words = {1, 2};
  const auto args = std::make_shared<RuntimeArgs>(words.begin(), words.end());
  const std::pair<const char*, std::function<void()>> calls[] = {
      {"CreateKernelFromString",
       [&] { CreateKernelFromString(program, kEmpty, core, DataMovementConfig{}); }},
      {"CreateKernel", [&] { CreateKernel(program, "missing.cpp", core, DataMovementConfig{}); }},
      {"CreateSemaphore", [&] { CreateSemaphore(program, CoreRange(core), 0); }},
      {"CreateCircularBuffer",
       [&] {
         CreateCircularBuffer(
             program, core,
             CircularBufferConfig(2048, {{3, tt::DataFormat::Float16_b}}).set_page_size(3, 2048));
       }},
      {"SetRuntimeArgs",
       [&] {
         SetRuntimeArgs(program, 0, core, {1, 2});
       }},
      {"SetCommonRuntimeArgs", [&] { SetCommonRuntimeArgs(program, 0, {1}); }},
      {"SetRuntimeArgs", [&] { SetRuntimeArgs(&mesh(), kernel, core, args); }},
      {"SetRuntimeArgs",
       [&] { SetRuntimeArgs(&mesh(), kernel, std::vector<CoreCoord>{core}, {args}); }},
      {"GetRuntimeArgs", [&] { GetRuntimeArgs(program, 0, core); }},
      {"GetRuntimeArgs", [&] { GetRuntimeArgs(program, 0); }},
      {"GetCommonRuntimeArgs", [&] { GetCommonRuntimeArgs(program, 0); }},
      {"Kernel::set_runtime_args", [&] { kernel->set_runtime_args(core, {words}); }},
      {"Kernel::set_common_runtime_args", [&] { kernel->set_common_runtime_args({words}); }},
      {"Kernel::runtime_args_data", [&] { kernel->runtime_args_data(core); }},
      {"Kernel::runtime_args_data", [&] { kernel->runtime_args_data(); }},
      {"Kernel::common_runtime_args_data", [&] { kernel->common_runtime_args_data(); }},
      {"UpdateCircularBufferTotalSize",
       [&] { UpdateCircularBufferTotalSize(program, handle, 2048); }},
      {"UpdateCircularBufferPageSize",
       [&] { UpdateCircularBufferPageSize(program, handle, 0, 1024); }},
      {"UpdateDynamicCircularBufferAddress",
       [&] { UpdateDynamicCircularBufferAddress(program, handle, *buffer); }},
      {"apply_descriptor_runtime_args", [&] { apply_descriptor_runtime_args(program, {}); }},
  };
  for (const auto& [name, call] : calls)
    expect_throws(call, std::string(name) + " cannot change program",
                  "which was made from a ProgramSpec");
}

// A kernel that outlives its program still is one of a specified program.
TEST_F(ProgramSpecTest, AKernelOfASpecifiedProgramIsNeverChangedByClassicCalls) {
  std::shared_ptr<Kernel> kernel;
  {
    const Program program = make(copying());
    kernel = program.get_kernel(0);
  }
  const std::vector<uint32_t> words = {1};
  expect_throws([&] { kernel->set_common_runtime_args({words}); }, "cannot change program");
  EXPECT_THAT(kernel->common_runtime_args(), ::testing::IsEmpty());
}

TEST_F(ProgramSpecTest, OnlySpecifiedProgramsTakeProgramRunArgs) {
  Program classic = CreateProgram();
  expect_throws([&] { SetProgramRunArgs(classic, {}); },
                "SetProgramRunArgs needs a program that was made from a ProgramSpec");
  Program described(ProgramDescriptor{});
  expect_throws([&] { UpdateProgramRunArgs(described, {}); }, "UpdateProgramRunArgs needs");
  expect_throws([&] { UpdateTensorArgs(described, {}); }, "UpdateTensorArgs needs");
}

}  // namespace
}  // namespace tt::tt_metal::testing::refusal
