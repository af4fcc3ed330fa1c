#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tt::tt_metal::experimental::metal2 {

// A kernel's function that is marked TT_KERNEL in place of a kernel_main(): its parameters are the
// kernel's arguments of those names, its template parameters compile-time ones. All of them are
// uint32_t.
struct EntryFunction {
  std::string name = {};
  std::vector<std::string> constants = {};  // template parameters
  std::vector<std::string> arguments = {};
};

// The function that the text of a kernel marks; nothing when it marks none. Only names and types
// are looked at: what else is wrong with the text the compiler says. Throws std::runtime_error when
// it marks several, or when the function has another form; `where` names the kernel.
std::optional<EntryFunction> find_entry_function(std::string_view text, const std::string& where);

// The text of the kernel_main() that calls the function with the arguments by name.
std::string kernel_main_for(const EntryFunction& entry);

}  // namespace tt::tt_metal::experimental::metal2
