"""The headers that a host program's objects give a kernel of Metal 2.0, made up from the names that the kernel uses, for
scripts/kernels_of_today: kernel_bindings_generated.h and kernel_args_generated.h; and the named compile-time arguments of others.
"""
import re

# Names that are no binding, by namespace.
OF_THE_API = {"dfb": {"AccessPattern", "get_token_if_present"}, "tensor": {"get_token_if_present"}}
TOKEN_HEADERS = {"dfb": "api/dataflow/dataflow_buffer.h", "sem": "api/dataflow/semaphore_binding_token.h",
                 "tensor": "api/tensor/tensor_binding_token.h", "scratch": "api/scratchpad.h"}
NO_METADATA = "::binding_details::LLKMetadata{}"
SCRATCHPAD_BYTES = 4096
COMPILE_TIME_VARARG = 32
CIRCULAR_BUFFERS = 32
WORDS_OF_A_TENSOR = 2  # static words of an interleaved tensor


def default_value(name, names):
    """Circular buffers differ, as in a program; anything else is 1."""
    buffers = [other for other in names if is_buffer(other)]
    return buffers.index(name) % CIRCULAR_BUFFERS if name in buffers else 1


def is_buffer(name):
    number = re.search(r"length|size|num|pages|tiles|offset|bytes|depth|stride", name)
    return number is None and re.search(r"(^|_)(cb|dfb)(_|\d|$)", name) is not None


def names_in(namespace, text):
    """The names that a text uses of a namespace, each once, in order."""
    found = re.findall(rf"(?<![\w:]){namespace}::(?:get_token_if_present<\s*\")?(\w+)", text)
    return list(dict.fromkeys(name for name in found if name not in OF_THE_API.get(namespace, ())))


def tensor_names(text):
    """Names of tensors; name_t is the type of the token `name`."""
    names = names_in("tensor", text)
    return list(dict.fromkeys(re.sub(r"_t$", "", name) if re.search(rf"tensor::{name}\s*[>&({{]|decltype", text) else name
                              for name in names))


def tensor_line(index, name, text):
    sequence = re.search(rf"(make_tensor_accessors\(|tuple_size_v<\s*decltype\()\s*tensor::{name}\b", text)
    if sequence:
        token = f"::tensor_accessor::TensorBindingToken<{index * WORDS_OF_A_TENSOR}, {index * 4}>{{{NO_METADATA}}}"
        return f"constexpr auto {name} = std::make_tuple({token});"
    return (f"using {name}_t = ::tensor_accessor::TensorBindingToken<{index * WORDS_OF_A_TENSOR}, {index * 4}>; "
            f"constexpr {name}_t {name}{{{NO_METADATA}}};")


def lookup_lines(namespace, names, text):
    """get_token_if_present<"name">(): the token's address. All names that a text uses are bound."""
    if f"{namespace}::get_token_if_present" not in text:
        return []
    branches = " else ".join(f'if constexpr (name.is("{name}")) {{ return &{name}; }}' for name in names)
    return [f"template <::lightmetal::kernel::BindingName name> constexpr auto get_token_if_present() {{ {branches} }}"]


def bindings_header(text):
    lines = {
        "dfb": [f"constexpr ::DFBBindingToken<> {name}{{{index}}};" for index, name in enumerate(names_in("dfb", text))],
        "sem": [f"constexpr ::SemaphoreBindingToken {name}{{{index}, ::SemScope::EXTERNAL}};"
                for index, name in enumerate(names_in("sem", text))],
        "tensor": [tensor_line(index, name, text) for index, name in enumerate(tensor_names(text))],
        "scratch": [f"constexpr ::ScratchpadBindingToken {name}{{{index}, {SCRATCHPAD_BYTES}}};"
                    for index, name in enumerate(names_in("scratch", text))],
    }
    out = ["#pragma once", "#include <tuple>", '#include "lightmetal/binding_name.h"']
    for namespace, tokens in lines.items():
        if tokens:
            lookup = lookup_lines(namespace, tensor_names(text) if namespace == "tensor" else names_in(namespace, text), text)
            out += [f'#include "{TOKEN_HEADERS[namespace]}"', f"namespace {namespace} {{", *tokens, *lookup, "}"]
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
            "FORCE_INLINE uint32_t get_common_vararg(uint32_t i) { return get_common_arg_val<uint32_t>(i); }",
            f"constexpr uint32_t get_compile_time_vararg(uint32_t) {{ return {COMPILE_TIME_VARARG}; }}",
            f"template <uint32_t> constexpr uint32_t get_compile_time_vararg() {{ return {COMPILE_TIME_VARARG}; }}"]
    return "\n".join(out) + "\n"


def named_args(text, values):
    """What a kernel's get_named_compile_time_arg_val finds."""
    names = dict.fromkeys(re.findall(r'get_named_compile_time_arg_val\(\s*"(\w+)"\s*\)', text))
    return {name: values.get(name) or default_value(name, [*names]) for name in names}


def is_metal_2(text):
    return any(names_in(namespace, text) for namespace in ("args", *TOKEN_HEADERS)) or "experimental/kernel_args.h" in text
