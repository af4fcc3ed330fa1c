"""What scripts/outside_kernels and scripts/kernels_of_today share: which sources below a folder are kernels, for which processor, what a
kernel gets from its host program, and what a compiler's messages come to.
"""
import re

KERNEL = re.compile(r"\bvoid\s+(kernel_main\s*\(|MAIN\b)")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
COMPILE_TIME_ARGS = 128
BFLOAT16 = "5"
DRAM_PAGES = "2"  # each of the two words of TensorAccessorArgs of an interleaved buffer in DRAM with pages of 2 bytes


# What a host program would give kernels, by path: defines, compile-time arguments under their index, and the number of the format of their
# circular buffers. The last match of a name wins.
REDUCE = {"REDUCE_OP": "ckernel::PoolType::SUM", "REDUCE_DIM": "ckernel::ReduceDim::REDUCE_ROW"}
DEFINES = [
    (r"bcast", {"BCAST_OP": "add_tiles_bcast", "BCAST_LLKOP": "EltwiseBinaryType::ELWADD", "BCAST_DIM": "BroadcastType::ROW",
                "BCAST_DIM_0": "BroadcastType::ROW", "BCAST_DIM_1": "BroadcastType::ROW", "BCAST_ROW_IDX": "0"}),
    (r"reduce|moreh_(dot|mean|sum)|pool|bilinear", REDUCE),
    (r"softmax|sdpa", {"EXP_APPROX": "0", "EXP_APPROX_MODE": "0"}),
    (r"sdpa", {f"{log}{name}_GRANULARITY": "1" for log in ("", "LOG2_") for name in ("SUB_EXP", "STATS", "MUL_BCAST", "DHT", "REDUCE")}),
    (r"sdpa/device/kernels/dataflow/.*writer", {"circular buffers": "7"}),
    (r"binary_ng/.*/compute/", {"BCAST_INPUT": "1", "BINARY_OP": "add_tiles", "BINARY_OP_TYPE": "EltwiseBinaryType::ELWADD",
                                "PROCESS_LHS_ACTIVATIONS(i)": "", "PROCESS_RHS_ACTIVATIONS(i)": "", "PROCESS_POST_ACTIVATIONS(i)": ""}),
    (r"binary_ng/.*_sfpu", {"BINARY_SFPU_INIT": "add_binary_tile_init();", "BINARY_SFPU_OP": "add_binary_tile"}),
    (r"binary_ng/.*/dataflow/|batch_norm", {f"FILL_TILE_WITH_FIRST_{what}{end}": f"fill_tile_with_first_{what.lower()}_bfloat16"
                                            for what in ("ELEMENT", "ROW", "COLUMN") for end in ("", "_B")}),
    (r"binary_ng/.*/dataflow/", {"FILL_WITH_VALUE": "fill_with_val_bfloat16"}),
    (r"eltwise_binary_kernel|eltwise_binary\.cpp", {"ELTWISE_OP": "add_tiles", "ELTWISE_OP_TYPE": "EltwiseBinaryType::ELWADD"}),
    (r"eltwise_typecast", {"TYPECAST_LLK": "typecast_tile<0u, 5u>", "TYPECAST_LLK_INIT": "typecast_tile_init"}),
    (r"non_zero_indices", {"NUM_BYTES": "2"}),
    (r"moreh_getitem_tilize", {"ROW_MAJOR_INDEX": "1"}),
    (r"writer_pad_dims_rm_sharded_stickwise", {str(i): "2" for i in range(COMPILE_TIME_ARGS)}),
    (r"activation_reader_width_sharded|convert_to_hwc", {str(i): "64" for i in range(COMPILE_TIME_ARGS)}),
    (r"halo_gather", {str(i): "0" if i == 10 else "16" for i in range(COMPILE_TIME_ARGS)}),
    (r"halo_gather_in_place", {str(i): "1" for i in range(COMPILE_TIME_ARGS)}),
    (r"compute_pool_2d", {"4": "16"}),
    (r"reader_pool_2d\.", {"6": "16"}),
    (r"compute/pool_2d_multi_core", {"7": "16"}),
    (r"writer_unary_universal_start_id", {"1": DRAM_PAGES}),
    (r"reader_unary_reduce_universal_start_id|transpose_wh_universal_input_cols", {str(i): DRAM_PAGES for i in range(1, 6)}),
    (r"where_tss", {"SFPU_OP_CHAIN_0": ""}),
    (r"ternary/where/", {"WHERE_LLK": "where_tile"}),
    (r"kernels_ng/compute/.*row_bcast", {"SRC_BCAST": "1", "SRC_BCAST_B": "0"}),
    (r"scatter/.*/dataflow/", {str(i): DRAM_PAGES for i in range(16, COMPILE_TIME_ARGS)}),
    (r"custom_cycle_count", {"LOOP_COUNT": "1", "LOOP_SIZE": "1"}),
]


def own_text(path):
    return COMMENT.sub(" ", path.read_text(errors="replace"))


def processor_of(path, text):
    if re.search(r"\bMAIN\b|compute_kernel_api|api/compute/|kernel/compute/|kernel_lib/eltwise/|helpers_compute", text) or "/compute/" in path:
        return "compute"
    if re.search(r"\beth_|erisc|ethernet", text, re.I):
        return "ethernet"
    return "writer" if "writer" in path.rsplit("/", 1)[-1] else "reader"


def first_accessor(text):
    """The index of the first compile-time argument that a TensorAccessorArgs of the text reads; their host programs put these last."""
    indices = [COMPILE_TIME_ARGS]
    for index in re.findall(r"\bTensorAccessorArgs<\s*(\w+)\s*[,>]", text):
        named = re.search(rf"\b{index}\s*=\s*(\d+)\s*;", text)
        indices += [int(number) for number in (index, named and named.group(1)) if number and number.isdigit()]
    return min(indices)


def kernels_below(folder, match):
    """The name of each kernel whose path below the folder matches, and its text without comments."""
    for path in sorted([*folder.rglob("*.cpp"), *folder.rglob("*.cc")]):
        name = path.relative_to(folder).as_posix()
        if match.search(name):
            text = own_text(path)
            if KERNEL.search(text):
                yield name, text


def first_error(messages):
    for line in messages.splitlines():
        found = re.search(r"(?:fatal )?error: (.*)", line)
        if found:
            return re.sub(r"^.*/", "", line.split(": ")[0]) + ": " + found.group(1)
    return messages.strip().splitlines()[-1] if messages.strip() else "no message"
