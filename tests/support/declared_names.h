#pragma once

#include <istream>
#include <map>
#include <set>
#include <string>

// What C++ headers really declare, read from what clang says about them.
namespace lightmetal::testing {

struct DeclaredNames {
  // Functions, public methods (Type::method), classes and function-like macros, without their
  // namespaces, and the header that declares each. Not: constructors, destructors, operators,
  // friends, and what has no name.
  std::map<std::string, std::string> names;
  // Public fields of classes (Type::field) and constants, and the header that declares each.
  std::map<std::string, std::string> data;
  // Enumerations, variables, fields and aliases.
  std::set<std::string> others;
};

struct DeclarationFilter {
  std::string folder;                // only what files below it declare; ends with '/'
  std::set<std::string> namespaces;  // left out, with all in them
};

// Adds what the text of `clang -Xclang -ast-dump` tells.
void read_ast(std::istream& dump, const DeclarationFilter& filter, DeclaredNames& found);

// Adds the function-like macros of the text of `clang -E -dD`.
void read_macros(std::istream& preprocessed, const DeclarationFilter& filter, DeclaredNames& found);

}  // namespace lightmetal::testing
