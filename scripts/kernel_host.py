"""What the host program of a kernel of the ttnn package gives it, for scripts/kernels_of_today: read from the package's program factories
where there are any, else from the table that all kernels share and, for names of 2026, the one below.
"""
import re

from kernel_bindings import CIRCULAR_BUFFERS, is_buffer
from kernel_sources import COMPILE_TIME_ARGS, DEFINES, DRAM_PAGES, KERNEL, REDUCE, first_accessor

# By path: defines, compile-time arguments under their index, named ones as "args::NAME", a folder of the package for headers as "-I". The last
# match of a name wins.
FILLS = {"ELEMENT": "element", "ROW": "row", "COLUMN": "column"}
TABLE = [
    (r".", {"SFPU_OP_CHAIN_0": "", "EXP_APPROX": "0", "EXP_APPROX_MODE": "0", "ENABLE_FP32_DEST_ACC": "0", "DST_SYNC_FULL": "0"}),
    (r"reduc|conv_unpack|moreh_(dot|mean|sum)|pool|bilinear|softmax|norm", REDUCE),
    (r"pool_generic|pool/generic", {"REDUCE_OP": "ckernel::PoolType::MAX"}),
    (r"bcast", {"CHAIN_BCAST_OP": "compute_kernel_lib::BinaryFpuOp::Add", "CHAIN_BCAST_DIM": "compute_kernel_lib::BroadcastDim::Row",
                "BCAST_LLKOP": "EltwiseBinaryType::ELWADD"}),
    (r"where", {"WHERE_DATA_FORMAT": "Float32"}),
    (r"binary_ng/.*/compute/", {"SRC_BCAST": "1", "SRC_BCAST_B": "0"}),
    (r"binary_ng/.*where", {"BINARY_SFPU_INIT": "where_tile_init();", "BINARY_SFPU_OP": "where_tile<DataFormat::Float32>",
                            "FILL_LLK": "fill_tile_bitcast"}),
    (r"binary_ng/.*dfb", {"HAS_SHARDING": "0"}),
    (r"quasar/binary_ng/.*dfb/compute", {"-I": "ttnn/operations/experimental/quasar/binary_ng/device/kernels/compute"}),
    (r"binary_ng|ternary", {f"FILL_TILE_WITH_FIRST_{what}{rows.upper()}{end}": f"fill_tile_with_first_{name}{rows}_bfloat16"
                            for what, name in FILLS.items() for rows in ("", "_rm") for end in ("", "_B", "_C")}),
    (r"eltwise/ternary", {"TERNARY_SFPU_OP_INIT": "where_tile_init", "TERNARY_SFPU_OP_FUNC": "where_tile<DataFormat::Float32>",
                          "FILL_LLK": "fill_tile_bitcast", "ADDCMUL_DATA_FORMAT": "DataFormat::Int32"}),
    (r"ternary_addc_ops", {"TERNARY_SFPU_OP_INIT": "addcmul_tile_init", "TERNARY_SFPU_OP_FUNC": "addcmul_tile<DataFormat::Float32>"}),
    (r"bw_gelu_tanh", {"COPY_DEST_DATA_FORMAT": "DataFormat::Float16_b", "BF16_ROUNDING_MODE": "ckernel::DstRoundingMode::NearestEven",
                       "COPY_DEST_VALUES": "copy_dest_values"}),
    (r"norm_distributed/.*_pre_allgather", {"FUSE_PRE_ADD": "0"}),
    (r"reduction/accumulation/device/kernels/compute", {"BINARY_OP_INIT": "add_binary_tile_init", "BINARY_OP": "add_binary_tile",
                                                         "FILL_TILE": "fill_tile"}),
    (r"moreh_sum/.*/reader_moreh_sum_h", {"REDUCE_SCALER": "1"}),
    (r"sparse_sdpa_(reader|writer)\.", {"CB_KREQ": "10", "CB_KACK": "11", "CB_K_RM": "12", "CB_IDX": "13", "K_DIM": "64",
                                              "KV_ELEM_BYTES": "2", "0": "32"}),
    (r"fill_pad/", {"MASK_VALUE": "0x3f80u", "MASK_ELEM_UINT": "uint16_t", "FILL_PAD_FILL_FN": "fill_tile_bitcast",
                    "FILL_PAD_FILL_ARG": "0", "FILL_PAD_DATA_FMT": "DataFormat::Float16_b"}),
    (r"reduction/generic", {"WELFORD_TWO_PASS_STREAMING_CB_TILES": "2"}),
    (r"groupnorm", {"TILE_HW_VAL": "1024"}),
    (r"topk_route_prep", {"CLAMP_BITS": "0xff7f0000"}),
    (r"rotary_embedding_llama", {"RELOAD_IMPL": "0"}),
    (r"writer_pad_dims_rm_sharded_stickwise", {"args::padding_value_num_bytes": "2"}),
    (r"matmul/.*bmm_large_block_zm_fused_bias_activation\.cpp", {"16": "0"}),
    (r"matmul/.*in0_receiver\.cpp", {"7": "0"}),
    (r"matmul/", {"args::get_batch_from_reader": "0"}),
    (r"untilize/codegen", {"args::seq_id": "0"}),
    (r"layernorm/.*/compute|reduction/generic", {"args::tile_width": "32"}),
    (r"argmax_interleaved_multicore", {"args::j_start": "0", "args::has_secondary_dm": "0"}),
    (r"reader_ssm_prefix_scan", {"1": "0"}),
    (r"index_fill", {"2": "4"}),
    (r"topk_large_indices", {"3": "64"}),
    (r"msda", {str(i): "32" for i in range(8)}),
    (r"fused_msda", {"21": "0"}),
    (r"reader_msda_v2", {"21": "1"}),
    (r"sdpa/device/kernels/compute/sdpa\.cpp", {"18": "0", "19": "0", "24": "0", "25": "0"}),
    (r"convert_to_hwc", {str(i): str(i) for i in range(4)}),
    (r"conv2d/device/kernels/compute_depthwise_conv1d_metal2",
     {"args::kernel_width": "2", "args::in0_block_w": "2", "args::in0_block_num_tiles": "2"}),
    (r"writer_welford_hw", {"1": "32", "2": "32", "3": "32"}),
    (r"conv2d/device/kernels/activation_reader_width_sharded_metal2", {"args::act_block_h_datums": "64", "args::act_block_num_tiles": "4"}),
    (r"compute_depthwise_conv1d\.cpp", {"0": "2", "2": "2", "9": "2"}),
    (r"halo_gather", {"args::is_block_sharded": "0", "args::remote_read": "0"}),
    (r"moe_fused_swiglu|hybrid_", {"H_MCAST_POSTED": "1", "HYB_UNIFIED_CT_BASE": "0", "HYB_UNIFIED_RT_BASE": "0",
                                   "HYB_BARRIER_RT_BASE": "0", "HYB_EXPERT_DONE_RT_BASE": "0"}),
    (r"moe_(gpt|compute)/", {"OUTPUT_SHARD_CORE_MAP": "{}"}),
    (r"matmul_wo/", {"COLLECTOR_CORE_COORDS": "{}"}),
]

DEFINE_FORMS = [re.compile(r'\w*[dD]efines\w*\[\s*"(\w+)"\s*\]\s*=\s*"([^"]*)"'),
                re.compile(r'\{\s*"([A-Z][A-Z0-9_]+)"\s*,\s*"([^"]*)"\s*\}'),
                re.compile(r'emplace(?:_back)?\(\s*"([A-Z][A-Z0-9_]+)"\s*,\s*"([^"]*)"\s*\)')]
POSITIONAL_BUFFER = re.compile(r"(\w+)\s*=\s*get_compile_time_arg_val\(\s*(\d+)\s*\)")
ENUMERATION = re.compile(r"\benum\b[^{;]*\{([^}]*)\}")
RUNTIME_NAMES = re.compile(r"runtime_arg_names\s*=\s*\{([^}]*)\}")


def enumerators_in(text):
    """The names of enumerators: a macro of that name, which is for kernels of another month, would break them."""
    return {name for body in ENUMERATION.findall(text) for name in re.findall(r"(?:^|,)\s*(\w+)", body)}


class Factories:
    """The sources of a package that are no kernels, by the names of the kernel files that they mention."""

    def __init__(self, folder, sources):
        self.sources = sources
        self.by_kernel = {}
        for path in sorted([*folder.rglob("*.cpp"), *folder.rglob("*.hpp")]):
            text = sources.text(path)
            if not KERNEL.search(text):
                for name in set(re.findall(r"([\w.]+\.cpp)\"", text)):
                    self.by_kernel.setdefault(name, []).append(path)

    def texts(self, kernel):
        return [self.sources.text(path) for path in self.by_kernel.get(kernel.rsplit("/", 1)[-1], [])]

    def runtime_names(self, kernel):
        return {name for text in self.texts(kernel) for names in RUNTIME_NAMES.findall(text) for name in re.findall(r'"(\w+)"', names)}

    def defines(self, kernel, text):
        """Those with a written value which the kernel uses as more than a condition."""
        used = re.sub(r"^\s*#\s*(if|ifdef|ifndef|elif)\b.*$", "", text, flags=re.M)
        own = set(re.findall(r"#\s*define\s+(\w+)|\bconstexpr\s+\w+\s+(\w+)\s*=", text))
        own = {name for names in own for name in names}
        found = {}
        for factory in self.texts(kernel):
            for form in DEFINE_FORMS:
                for name, value in form.findall(factory):
                    if name not in own and re.search(rf"\b{name}\b", used):
                        found.setdefault(name, value)
        return found


def given_by_host(kernel, text, factories, metal_2):
    """The defines, the compile-time arguments, and the values of arguments by name of a kernel. `text` is its own and its headers'."""
    first = 0 if metal_2 else first_accessor(text)
    found = {index: str(int(index) % CIRCULAR_BUFFERS) for name, index in POSITIONAL_BUFFER.findall(text) if is_buffer(name)}
    found.update({str(i): DRAM_PAGES for i in range(first, COMPILE_TIME_ARGS)})
    for pattern, values in DEFINES:
        if re.search(pattern, kernel):
            found.update(values)
    found.update(factories.defines(kernel, text))
    for pattern, values in TABLE:
        if re.search(pattern, kernel):
            found.update(values)
    for name in enumerators_in(text):
        found.pop(name, None)
    args = [found.pop(str(i), "1") for i in range(COMPILE_TIME_ARGS)]
    named = {name.removeprefix("args::"): found.pop(name) for name in list(found) if name.startswith("args::")}
    return found, args, named
