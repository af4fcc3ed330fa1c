#pragma once

#include <istream>
#include <map>
#include <set>
#include <string>

// The names that C++ headers really declare, as clang reports them.
namespace lightmetal::testing {

struct DeclaredNames {
  // Functions, public methods (Type::method), classes and function-like macros, without their
  // namespaces, each with the header that declares it. Constructors, destructors, operators,
  // friends and what has no name are left out.
  std::map<std::string, std::string> names;
  // Public fields of classes (Type::field) and constants, each with the header that declares it.
  std::map<std::string, std::string> data;
  // Enumerations, variables, fields and aliases.
  std::set<std::string> others;
  // Functions that are no members, with their namespaces, each with the header that declares it.
  std::map<std::string, std::string> functions;
  // What clang says of the types that aliases stand for and that classes are derived from, by the
  // name of the alias or the class.
  std::multimap<std::string, std::string> origins;
};

struct DeclarationFilter {
  std::string folder;                // only names that files below it declare; ends with '/'
  std::set<std::string> namespaces;  // left out, with everything in them
};

// Adds the names in the output of `clang -Xclang -ast-dump`.
void read_ast(std::istream& dump, const DeclarationFilter& filter, DeclaredNames& found);

// Adds the function-like macros in the output of `clang -E -dD`.
void read_macros(std::istream& preprocessed, const DeclarationFilter& filter, DeclaredNames& found);

}  // namespace lightmetal::testing
