#include "api/src/metal2/kernel_names.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tt::tt_metal::experimental::metal2 {
namespace {

constexpr uint32_t kWordBytes = 4;

std::string metadata(const std::optional<OperandFormat>& format) {
  if (!format) return "::binding_details::LLKMetadata{}";
  return absl::StrCat("::binding_details::LLKMetadata{", format->data_format, ", ",
                      format->face_height, ", ", format->face_width, ", ",
                      format->faces_in_a_column, ", ", format->faces_in_a_row, "}");
}

// What follows the first arguments of a token that may be left out.
std::string and_metadata(const std::optional<OperandFormat>& format) {
  return format ? absl::StrCat(", ", metadata(format)) : "";
}

std::string token(const KernelNames::DataflowBuffer& buffer) {
  return absl::StrCat("constexpr ::DFBBindingToken<> ", buffer.name, "{", buffer.index,
                      and_metadata(buffer.format), "};\n");
}

std::string token(const KernelNames::Semaphore& semaphore) {
  return absl::StrCat("constexpr ::SemaphoreBindingToken ", semaphore.name, "{", semaphore.id,
                      ", ::SemScope::EXTERNAL};\n");
}

std::string token(const KernelNames::Tensor& tensor) {
  return absl::StrCat("using ", tensor.name, "_t = ::tensor_accessor::TensorBindingToken<",
                      tensor.first_compile_time_word, ", ", tensor.address_word * kWordBytes,
                      ">; constexpr ", tensor.name, "_t ", tensor.name, "{",
                      metadata(tensor.format), "};\n");
}

std::string token(const KernelNames::TensorSequence& sequence) {
  return absl::StrCat("constexpr auto ", sequence.name, " = std::make_tuple(",
                      absl::StrJoin(sequence.tensors, ", "), ");\n");
}

std::string token(const KernelNames::Scratchpad& scratchpad) {
  return absl::StrCat("constexpr ::ScratchpadBindingToken ", scratchpad.name, "{",
                      scratchpad.address_word, ", ", scratchpad.size,
                      and_metadata(scratchpad.format), "};\n");
}

template <typename Token>
std::string tokens(const std::vector<Token>& all) {
  std::string lines;
  for (const Token& one : all) absl::StrAppend(&lines, token(one));
  return lines;
}

std::string in_namespace(const char* name, const char* header, const std::string& lines) {
  if (lines.empty()) return "";
  return absl::StrCat("#include \"", header, "\"\nnamespace ", name, " {\n", lines, "}\n");
}

// get_token_if_present<"name">(): the address of a token, null of the given type where no token has
// that name.
template <typename... Tokens>
std::string lookup(const char* null_type, const Tokens&... all) {
  std::string branches;
  const auto add = [&branches](const auto& token) {
    absl::StrAppend(&branches, "if constexpr (name.is(\"", token.name, "\")) { return &",
                    token.name, "; } else ");
  };
  const auto add_all = [&add](const auto& tokens) {
    for (const auto& token : tokens) add(token);
  };
  (add_all(all), ...);
  if (branches.empty()) return "";
  return absl::StrCat(
      "template <::lightmetal::kernel::BindingName name> constexpr auto get_token_if_present() { ",
      branches, "{ return static_cast<const ", null_type, "*>(nullptr); } }\n");
}

// Arguments of one kind, a word each.
std::string runtime_args(const char* type, const std::vector<std::string>& names) {
  std::string lines;
  for (size_t i = 0; i < names.size(); ++i) {
    absl::StrAppend(&lines, "constexpr ::experimental::", type, "<uint32_t> ", names[i], "{",
                    i * kWordBytes, "};\n");
  }
  return lines;
}

std::string constants(const std::vector<KernelNames::Constant>& all) {
  std::string lines;
  for (const KernelNames::Constant& constant : all) {
    absl::StrAppend(&lines, "constexpr ::experimental::CtaVal<uint32_t> ", constant.name, "{",
                    constant.value, "};\n");
  }
  return lines;
}

std::string vararg_function(const char* name, const char* getter, size_t first) {
  return absl::StrCat("FORCE_INLINE uint32_t ", name, "(uint32_t i) { return ", getter,
                      "<uint32_t>(", first == 0 ? "" : absl::StrCat(first, " + "), "i); }\n");
}

}  // namespace

std::string bindings_header(const KernelNames& names) {
  return absl::StrCat(
      "#include <tuple>\n#include \"lightmetal/binding_name.h\"\n",
      in_namespace(
          "dfb", "api/dataflow/dataflow_buffer.h",
          tokens(names.dataflow_buffers) + lookup("::DFBBindingToken<>", names.dataflow_buffers)),
      in_namespace("sem", "api/dataflow/semaphore_binding_token.h", tokens(names.semaphores)),
      in_namespace("tensor", "api/tensor/tensor_binding_token.h",
                   tokens(names.tensors) + tokens(names.tensor_sequences) +
                       lookup("::tensor_accessor::NullTensorBindingToken", names.tensors,
                              names.tensor_sequences)),
      in_namespace("scratch", "api/scratchpad.h", tokens(names.scratchpads)));
}

std::string args_header(const KernelNames& names) {
  return absl::StrCat(
      "#include \"experimental/kernel_args.h\"\nnamespace args {\n",
      runtime_args("RtaArg", names.runtime_args), runtime_args("CrtaArg", names.common_args),
      constants(names.constants), "}\n",
      vararg_function("get_vararg", "get_arg_val", names.runtime_args.size()),
      vararg_function("get_common_vararg", "get_common_arg_val", names.first_common_vararg),
      "constexpr uint32_t get_num_compile_time_varargs() { return ", names.num_compile_time_varargs,
      "; }\nconstexpr uint32_t get_compile_time_vararg(uint32_t i) { return "
      "kernel_compile_time_args[",
      names.first_compile_time_vararg,
      " + i]; }\ntemplate <uint32_t i>\nconstexpr uint32_t get_compile_time_vararg() { return "
      "get_ct_arg<",
      names.first_compile_time_vararg, " + i>(); }\n");
}

}  // namespace tt::tt_metal::experimental::metal2
