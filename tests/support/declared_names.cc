#include "tests/support/declared_names.h"

#include <array>
#include <string_view>
#include <vector>

namespace lightmetal::testing {
namespace {

using std::string_view;

bool take(string_view& text, string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

string_view next_word(string_view& text) {
  while (take(text, " ")) {
  }
  const string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

// A node of the tree: "| |-CXXMethodDecl 0x1 <file:1:2, line:3:4> col:5 used name 'type' inline".
struct Node {
  size_t depth = 0;
  string_view kind;
  string_view rest;  // behind the places
};

// Locations name their file only when it changes, so every line has to be looked at.
class Locations {
 public:
  const std::string& file() const { return file_; }

  // "file:1:2", "line:3:4", "col:5", "<invalid sloc>" or "<scratch space>:1:2".
  void see(string_view location) {
    if (location.starts_with("line:") || location.starts_with("col:") ||
        location.starts_with("<invalid")) {
      return;
    }
    const size_t column = location.rfind(':');
    if (column == location.npos || column == 0) return;
    const size_t line = location.rfind(':', column - 1);
    if (line != location.npos && location.find('/') < line) file_ = location.substr(0, line);
  }

  // Takes "<begin, end>" and, of declarations, the place of the name off the front.
  void take_from(string_view& text) {
    if (!take(text, "<")) return;
    size_t nesting = 1, end = 0;
    for (; end < text.size() && nesting != 0; ++end) {
      if (text[end] == '<') ++nesting;
      if (text[end] == '>') --nesting;
    }
    string_view range = text.substr(0, end - 1);
    text.remove_prefix(end);
    const size_t comma = range.find(", ");
    see(range.substr(0, comma));
    if (comma != range.npos) see(range.substr(comma + 2));
    take(text, " ");
  }

 private:
  std::string file_;
};

bool is_hexadecimal(string_view word) {
  return word.starts_with("0x") && word.find_first_not_of("0123456789abcdefx") == word.npos;
}

class AstReader {
 public:
  AstReader(const DeclarationFilter& filter, DeclaredNames& found)
      : filter_(filter), found_(found) {}

  void read(string_view line) {
    Node node;
    if (!parse(line, node)) return note_base(node, line);
    while (!scopes_.empty() && scopes_.back().depth >= node.depth) scopes_.pop_back();
    const bool in_scope =
        scopes_.empty() ? node.depth == 0 : scopes_.back().depth + 1 == node.depth;
    if (in_scope) visit(node);
  }

 private:
  struct Scope {
    size_t depth;
    std::string record;  // "Outer::Inner::", empty outside classes
    bool visible;        // what comes next in it is public
    std::string space;   // "outer::inner::", the namespaces
  };

  bool parse(string_view line, Node& node) {
    const size_t name = line.find_first_not_of("|`- ");
    if (name == line.npos) return false;
    node.depth = name / 2;
    line.remove_prefix(name);
    node.kind = next_word(line);
    string_view address = next_word(line);
    if (!is_hexadecimal(address)) return false;
    take(line, " ");
    while (line.starts_with("parent 0x") || line.starts_with("prev 0x")) {
      next_word(line);
      next_word(line);
      take(line, " ");
    }
    locations_.take_from(line);
    if (node.kind.ends_with("Decl")) locations_.see(name_place(line));
    node.rest = line;
    return true;
  }

  // A class is derived from another one: "public 'ns::Base'".
  void note_base(const Node& node, string_view line) {
    if (node.kind != "public" || record().empty() || scopes_.back().depth + 1 != node.depth) return;
    declare_origin(record().substr(0, record().size() - 2), line);
  }

  // "<scratch space>:1:2" is one word here.
  static string_view name_place(string_view text) { return text.substr(0, text.find(' ')); }

  void visit(const Node& node) {
    static const std::set<string_view> kOpen = {"TranslationUnitDecl", "LinkageSpecDecl",
                                                "FunctionTemplateDecl", "ClassTemplateDecl",
                                                "TypeAliasTemplateDecl"};
    if (kOpen.contains(node.kind)) {
      scopes_.push_back({node.depth, record(), visible(), space()});
    } else if (node.kind == "NamespaceDecl") {
      visit_namespace(node);
    } else if (node.kind == "AccessSpecDecl") {
      scopes_.back().visible = node.rest.ends_with(" public");
    } else if (node.kind == "FunctionDecl" || node.kind == "CXXMethodDecl") {
      declare_function(node);
    } else if (node.kind == "CXXRecordDecl") {
      visit_record(node);
    } else if (node.kind == "VarDecl" || node.kind == "FieldDecl") {
      declare_data(record() + std::string(name_before_type(node.rest)));
    } else if (node.kind == "TypedefDecl" || node.kind == "TypeAliasDecl") {
      found_.others.insert(record() + std::string(name_before_type(node.rest)));
      declare_origin(record() + std::string(name_before_type(node.rest)), node.rest);
    } else if (node.kind == "EnumDecl") {
      declare_enum(node);
    }
  }

  std::string record() const { return scopes_.empty() ? "" : scopes_.back().record; }
  bool visible() const { return scopes_.empty() || scopes_.back().visible; }
  std::string space() const { return scopes_.empty() ? "" : scopes_.back().space; }

  void visit_namespace(const Node& node) {
    const string_view name = last_word(node.rest);
    if (!filter_.namespaces.contains(std::string(name)) && !name.starts_with("std")) {
      const bool named = name != "inline" && name.find(':') == name.npos;
      scopes_.push_back(
          {node.depth, "", true, named ? space() + std::string(name) + "::" : space()});
    }
  }

  void visit_record(const Node& node) {
    string_view rest = node.rest;
    bool is_class = false;
    for (string_view word = next_word(rest); !word.empty(); word = next_word(rest)) {
      if (word == "implicit") return;
      is_class = word == "class";
      if (is_class || word == "struct" || word == "union") break;
    }
    const auto name = std::string(next_word(rest));
    if (name.empty() || name == "definition" || !node.rest.ends_with(" definition")) return;
    declare(record() + name);
    scopes_.push_back({node.depth, record() + name + "::", visible() && !is_class, space()});
  }

  void declare_function(const Node& node) {
    if (node.rest.find(" implicit ") != node.rest.npos) return;
    const string_view name = name_before_type(node.rest);
    if (name.empty() || name.starts_with("operator") ||
        node.rest.find(" operator") < node.rest.find('\''))
      return;
    declare(record() + std::string(name));
    if (record().empty() && is_ours())
      found_.functions.emplace(space() + std::string(name), header());
  }

  void declare_enum(const Node& node) {
    string_view rest = node.rest;
    for (string_view word = next_word(rest); !word.empty(); word = next_word(rest)) {
      if (word != "class" && word != "struct" && word != "referenced")
        found_.others.insert(record() + std::string(word));
    }
  }

  bool is_ours() const { return locations_.file().starts_with(filter_.folder); }
  std::string header() const { return locations_.file().substr(filter_.folder.size()); }

  void declare(const std::string& name) {
    if (visible() && is_ours()) found_.names.emplace(name, header());
  }

  void declare_data(const std::string& name) {
    found_.others.insert(name);
    if (visible() && is_ours()) found_.data.emplace(name, header());
  }

  void declare_origin(const std::string& name, string_view type) {
    if (visible() && is_ours()) found_.origins.emplace(name, type.substr(type.find('\'')));
  }

  static string_view last_word(string_view text) {
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text.substr(text.rfind(' ') + 1);
  }
  static string_view name_before_type(string_view text) {
    return last_word(text.substr(0, text.find(" '")));
  }

  const DeclarationFilter& filter_;
  DeclaredNames& found_;
  Locations locations_;
  std::vector<Scope> scopes_;
};

}  // namespace

void read_ast(std::istream& dump, const DeclarationFilter& filter, DeclaredNames& found) {
  AstReader reader(filter, found);
  for (std::string line; std::getline(dump, line);) reader.read(line);
}

void read_macros(std::istream& preprocessed, const DeclarationFilter& filter,
                 DeclaredNames& found) {
  std::string file;
  for (std::string line; std::getline(preprocessed, line);) {
    string_view text = line;
    if (take(text, "# ")) {  // # 12 "file" 1
      const size_t begin = text.find('"');
      if (begin != text.npos) file = text.substr(begin + 1, text.rfind('"') - begin - 1);
    } else if (take(text, "#define ") && file.starts_with(filter.folder)) {
      const size_t end = text.find_first_of(" (");
      if (end != text.npos && text[end] == '(') {
        found.names.emplace(text.substr(0, end), file.substr(filter.folder.size()));
      } else {
        found.others.emplace(text.substr(0, end));
      }
    }
  }
}

}  // namespace lightmetal::testing
