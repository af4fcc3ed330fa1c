#pragma once

#include <string>
#include <vector>

#include "tests/support/declared_names.h"

// Reads the pages of docs/ that list the functions of the API, and what the pages are compared
// with.
namespace lightmetal::testing {

// The folder of the project's sources; ends with '/'.
std::string source_folder();

// The cells of a table's row, without the spaces around them.
std::vector<std::string> cells_of(const std::string& line);

// The names in a cell, which are what stands between backticks.
std::vector<std::string> names_in(const std::string& cell);

// The paths of all headers below `folder`, in ascending order.
std::vector<std::string> headers_below(const std::string& folder);

// A folder with all headers that host programs include, as the installed package has them. Ends
// with a slash.
std::string host_header_folder();

// Adds the names that clang sees in the translation unit `text`, compiled with `flags`.
void ask_clang(const std::vector<std::string>& flags, const std::string& text,
               const DeclarationFilter& filter, DeclaredNames& found);

// Everything that the headers of host programs declare. Clang is asked once for each process.
const DeclaredNames& declared_by_host();

}  // namespace lightmetal::testing
