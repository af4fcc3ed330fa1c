"""The headers that a host program's objects give a kernel of Metal 2.0, made up from the names that the kernel uses, for
scripts/kernels_of_today: kernel_bindings_generated.h and kernel_args_generated.h; and named_ct_arg_map_generated.h of kernels with named
compile-time arguments.
"""
import re

# Names that are no binding, by namespace.
OF_THE_API = {"dfb": {"AccessPattern", "get_token_if_present"}, "tensor": {"get_token_if_present"}}
TOKEN_HEADERS = {"dfb": "api/dataflow/dfb_binding_token.h", "sem": "api/dataflow/semaphore_binding_token.h",
                 "tensor": "api/tensor/tensor_binding_token.h", "scratch": "api/scratchpad_binding_token.h"}
NO_METADATA = "::binding_details::LLKMetadata{}"
SCRATCHPAD_BYTES = 4096
CIRCULAR_BUFFERS = 32
WORDS_OF_A_TENSOR = 2  # static words of an interleaved tensor


def default_value(name, names):
    """Circular buffers differ, as in a program; anything else is 1."""
    buffers = [other for other in names if is_buffer(other)]
    return buffers.index(name) % CIRCULAR_BUFFERS if name in buffers else 1


def is_buffer(name):
    return re.search(r"(^|_)(cb|dfb)(_|\d|$)", name) is not None


def names_in(namespace, text):
    """The names that a text uses of a namespace, each once, in order."""
    found = re.findall(rf"(?<![\w:]){namespace}::(\w+)", text)
    return list(dict.fromkeys(name for name in found if name not in OF_THE_API.get(namespace, ())))


def tensor_names(text):
    """Names of tensors; name_t is the type of the token `name`."""
    names = names_in("tensor", text)
    return list(dict.fromkeys(re.sub(r"_t$", "", name) if re.search(rf"tensor::{name}\s*[>&({{]|decltype", text) else name
                              for name in names))


def tensor_line(index, name, text):
    sequence = re.search(rf"make_tensor_accessors\(\s*tensor::{name}\b", text)
    if sequence:
        token = f"::tensor_accessor::TensorBindingToken<{index * WORDS_OF_A_TENSOR}, {index * 4}>{{{NO_METADATA}}}"
        return f"constexpr auto {name} = std::make_tuple({token});"
    return (f"using {name}_t = ::tensor_accessor::TensorBindingToken<{index * WORDS_OF_A_TENSOR}, {index * 4}>; "
            f"constexpr {name}_t {name}{{{NO_METADATA}}};")


def bindings_header(text):
    lines = {
        "dfb": [f"constexpr ::DFBBindingToken<> {name}{{{index}}};" for index, name in enumerate(names_in("dfb", text))],
        "sem": [f"constexpr ::SemaphoreBindingToken {name}{{{index}, ::SemScope::EXTERNAL}};"
                for index, name in enumerate(names_in("sem", text))],
        "tensor": [tensor_line(index, name, text) for index, name in enumerate(tensor_names(text))],
        "scratch": [f"constexpr ::ScratchpadBindingToken {name}{{{index}, {SCRATCHPAD_BYTES}}};"
                    for index, name in enumerate(names_in("scratch", text))],
    }
    out = ["#pragma once", "#include <tuple>"]
    for namespace, tokens in lines.items():
        if tokens:
            out += [f'#include "{TOKEN_HEADERS[namespace]}"', f"namespace {namespace} {{", *tokens, "}"]
    return "\n".join(out) + "\n"


def is_constant(name, text):
    """Whether a text makes a constant of an argument, which its factory then gives at compile time for this kernel."""
    return re.search(rf"constexpr[^;=]*=[^;]*args::{name}\b", text) is not None


def args_header(text, runtime_names, values):
    """Arguments by name: those that a program factory gives at run time, and constants; values says which."""
    names = names_in("args", text)
    runtime = [name for name in names if name in runtime_names and not is_constant(name, text)]
    out = ["#pragma once", '#include "experimental/kernel_args.h"', "namespace args {"]
    for name in names:
        if name in runtime:
            out.append(f"constexpr ::experimental::RtaArg<uint32_t> {name}{{{4 * runtime.index(name)}}};")
        else:
            out.append(f"constexpr ::experimental::CtaVal<uint32_t> {name}{{{values.get(name) or default_value(name, names)}}};")
    out += ["}", f"FORCE_INLINE uint32_t get_vararg(uint32_t i) {{ return get_arg_val<uint32_t>({len(runtime)} + i); }}",
            "FORCE_INLINE uint32_t get_common_vararg(uint32_t i) { return get_common_arg_val<uint32_t>(i); }"]
    return "\n".join(out) + "\n"


def named_args_header(text, values):
    names = dict.fromkeys(re.findall(r'get_named_compile_time_arg_val\(\s*"(\w+)"\s*\)', text))
    pairs = ", ".join(f'{{"{name}", {values.get(name) or default_value(name, [*names])}}}' for name in names)
    return f"#pragma once\n#define KERNEL_COMPILE_TIME_ARG_MAP {pairs}\n" if names else ""


def is_metal_2(text):
    return any(names_in(namespace, text) for namespace in ("args", *TOKEN_HEADERS)) or "experimental/kernel_args.h" in text
