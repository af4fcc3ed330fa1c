#include "api/src/metal2/entry_function.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <tt-metalium/assert.hpp>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tt::tt_metal::experimental::metal2 {
namespace {

constexpr std::string_view kMark = "TT_KERNEL";

using Token = std::string_view;  // a word, or one other character
using Tokens = std::span<const Token>;

bool is_of_word(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Cuts a C++ text into tokens, without comments, literals of text and preprocessor directives.
class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : rest_(text) {}

  std::vector<Token> tokens() {
    while (!rest_.empty()) {
      if (rest_.starts_with("//")) {
        skip_line();
      } else if (rest_.starts_with("/*")) {
        skip_behind("*/", 2);
      } else if (rest_.starts_with("R\"")) {
        skip_raw();
      } else if (rest_.front() == '"' || (rest_.front() == '\'' && !in_number())) {
        skip_literal();
      } else if (rest_.front() == '#' && begins_line_) {
        skip_line();
      } else {
        take();
      }
    }
    return std::move(tokens_);
  }

 private:
  // A line goes on behind a backslash at its end.
  void skip_line() {
    size_t end = rest_.find('\n');
    while (end != rest_.npos && end > 0 && rest_[end - 1] == '\\') end = rest_.find('\n', end + 1);
    rest_.remove_prefix(std::min(end, rest_.size()));
  }
  void skip_behind(std::string_view what, size_t from) {
    const size_t found = rest_.find(what, from);
    rest_.remove_prefix(found == rest_.npos ? rest_.size() : found + what.size());
  }
  void skip_raw() {
    const std::string_view delimiter = rest_.substr(2, rest_.find('(') - 2);
    skip_behind(")" + std::string(delimiter) + "\"", 2);
  }
  void skip_literal() {
    size_t end = 1;
    while (end < rest_.size() && rest_[end] != rest_.front()) end += rest_[end] == '\\' ? 2 : 1;
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
  }
  // True behind a digit: there ' divides the digits of a number.
  bool in_number() const {
    return !tokens_.empty() && absl::ascii_isdigit(static_cast<unsigned char>(tokens_.back()[0])) &&
           tokens_.back().data() + tokens_.back().size() == rest_.data();
  }
  void take() {
    const char first = rest_.front();
    if (first == '\n') begins_line_ = true;
    if (absl::ascii_isspace(static_cast<unsigned char>(first))) return rest_.remove_prefix(1);
    begins_line_ = false;
    const auto end = std::ranges::find_if_not(rest_, is_of_word);
    const auto size = std::max<size_t>(1, static_cast<size_t>(end - rest_.begin()));
    tokens_.push_back(rest_.substr(0, size));
    rest_.remove_prefix(size);
  }

  std::string_view rest_;
  bool begins_line_ = true;
  std::vector<Token> tokens_;
};

// How deep brackets are open behind the token, when they were `depth` deep before it.
int depth_behind(Token token, int depth) {
  if (token == "(" || token == "<" || token == "[" || token == "{") return depth + 1;
  return token == ")" || token == ">" || token == "]" || token == "}" ? depth - 1 : depth;
}

// The number of tokens up to the bracket, included, that closes the one at the front.
size_t size_in_brackets(Tokens tokens) {
  int depth = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    depth = depth_behind(tokens[i], depth);
    if (depth == 0) return i + 1;
  }
  return tokens.size();
}

// What stands between the commas.
std::vector<Tokens> divided(Tokens list) {
  std::vector<Tokens> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < list.size(); ++i) {
    depth = depth_behind(list[i], depth);
    if (depth != 0 || list[i] != ",") continue;
    parts.push_back(list.subspan(begin, i - begin));
    begin = i + 1;
  }
  if (!list.empty()) parts.push_back(list.subspan(begin));
  return parts;
}

// The name of a parameter "[[attribute]] const uint32_t name = value", of which only type and name
// have to be there; empty when it is another.
std::string name_of(Tokens parameter) {
  std::vector<Token> words;
  for (size_t i = 0; i < parameter.size() && parameter[i] != "="; ++i) {
    if (parameter[i] == "[") {
      i += size_in_brackets(parameter.subspan(i)) - 1;
    } else if (parameter[i] != "const" && parameter[i] != "std" && parameter[i] != ":") {
      words.push_back(parameter[i]);
    }
  }
  return words.size() == 2 && words[0] == "uint32_t" ? std::string(words[1]) : "";
}

// The entry function of one text.
class EntryReader {
 public:
  EntryReader(Tokens tokens, size_t mark, const std::string& where)
      : tokens_(tokens), mark_(mark), where_(where) {}

  EntryFunction read() const {
    const auto open = std::ranges::find(tokens_.subspan(mark_), Token("("));
    const auto at = static_cast<size_t>(open - tokens_.begin());
    TT_FATAL(at == mark_ + 3 && at < tokens_.size() && tokens_[mark_ + 1] == "void",
             "{} marks something as TT_KERNEL that is no function \"void NAME(...)\"", where_);
    const Tokens list = tokens_.subspan(at + 1, size_in_brackets(tokens_.subspan(at)) - 2);
    return {.name = std::string(tokens_[at - 1]),
            .constants = names_in(template_list(), "template parameter"),
            .arguments = names_in(list, "parameter")};
  }

 private:
  // What stands in the brackets of the template before the mark.
  Tokens template_list() const {
    if (mark_ == 0 || tokens_[mark_ - 1] != ">") return {};
    const auto before = tokens_.first(mark_);
    const auto keyword = std::find(before.rbegin(), before.rend(), Token("template"));
    if (keyword == before.rend()) return {};
    const auto at = static_cast<size_t>(before.rend() - keyword);  // behind the keyword
    return before.subspan(at + 1, before.size() - at - 2);
  }

  std::vector<std::string> names_in(Tokens list, const char* kind) const {
    std::vector<std::string> names;
    for (const Tokens& parameter : divided(list)) {
      names.push_back(name_of(parameter));
      TT_FATAL(!names.back().empty(),
               "{} has the entry function {} with a {} \"{}\": each is a uint32_t with a name",
               where_, tokens_[mark_ + 2], kind, fmt::join(parameter, " "));
    }
    return names;
  }

  const Tokens tokens_;
  const size_t mark_;
  const std::string& where_;
};

// What stands for arguments in a call.
std::string arguments(const std::vector<std::string>& names) {
  return absl::StrJoin(names, ", ", [](std::string* out, const std::string& name) {
    absl::StrAppend(out, "get_arg(args::", name, ")");
  });
}

}  // namespace

std::optional<EntryFunction> find_entry_function(std::string_view text, const std::string& where) {
  if (text.find(kMark) == text.npos) return std::nullopt;
  const std::vector<Token> tokens = Tokenizer(text).tokens();
  const auto mark = std::ranges::find(tokens, kMark);
  if (mark == tokens.end()) return std::nullopt;
  TT_FATAL(std::find(mark + 1, tokens.end(), kMark) == tokens.end(),
           "{} marks several functions as TT_KERNEL: a kernel has one entry function", where);
  return EntryReader(tokens, static_cast<size_t>(mark - tokens.begin()), where).read();
}

std::string kernel_main_for(const EntryFunction& entry) {
  const std::string constants =
      entry.constants.empty() ? "" : absl::StrCat("<", arguments(entry.constants), ">");
  return absl::StrCat("\n#line 1 \"kernel_main_generated.h\"\nvoid kernel_main() { ", entry.name,
                      constants, "(", arguments(entry.arguments), "); }\n");
}

}  // namespace tt::tt_metal::experimental::metal2
