#pragma once

#include <map>
#include <set>
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

// Returns whether LIGHTMETAL_UPDATE_GOLDEN is set. If so, tests write the expected text that is
// missing into the tree, for a person to review.
bool updates_golden();

// Returns `page` with `row` in the tables below the line `heading`: below the row that names most
// of `neighbours`, and of several such rows below the last. Fails the test if there is no table.
std::string with_row(const std::string& page, const std::string& heading, const std::string& row,
                     const std::set<std::string>& neighbours);

// Adds such a row to the page at `path` for each function of `rows`. Neighbours are the functions
// that `declared` knows of the same header.
void add_rows(const std::string& path, const std::string& heading,
              const std::map<std::string, std::string>& rows,
              const std::map<std::string, std::string>& declared);

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
