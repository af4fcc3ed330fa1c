#pragma once

#include <string>
#include <vector>

#include "tests/support/declared_names.h"

// Pages that list the functions of the API, and what they are compared with.
namespace lightmetal::testing {

// Of the project; ends with '/'.
std::string source_folder();

// The cells of a table's row, without the spaces around them.
std::vector<std::string> cells_of(const std::string& line);

// What stands between backticks.
std::vector<std::string> names_in(const std::string& cell);

// Paths below `folder`, in ascending order.
std::vector<std::string> headers_below(const std::string& folder);

// Adds what clang sees in the translation unit `text`, compiled with `flags`.
void ask_clang(const std::vector<std::string>& flags, const std::string& text,
               const DeclarationFilter& filter, DeclaredNames& found);

// Everything that the headers of host programs declare; asked once.
const DeclaredNames& declared_by_host();

}  // namespace lightmetal::testing
