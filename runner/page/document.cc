#include "runner/page/document.h"

#include <sodium.h>

#include <cstdint>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/types/span.h"
#include "base/digest.h"
#include "base/embedded_file.h"
#include "base/status.h"
#include "runner/page/files.h"

namespace lightmetal::runner::page {
namespace {

absl::string_view file_named(absl::string_view name) {
  for (const EmbeddedFile& file : files()) {
    if (file.name == name) return file.content;
  }
  return {};
}

// The parts of the script, in their order: each uses what stands before it.
std::string script() {
  std::string script = "\n";
  for (const char* name : {"data.js", "parts.js", "summary.js", "commands.js", "timeline.js",
                           "memory.js", "layout.js", "dataflow.js", "goldens.js", "main.js"}) {
    absl::StrAppend(&script, file_named(name));
  }
  return script;
}

std::string style() { return absl::StrCat("\n", file_named("page.css")); }

// As a Content-Security-Policy names a script or a style by its content.
std::string source_of(absl::string_view content) {
  unsigned char digest[crypto_hash_sha256_BYTES];
  crypto_hash_sha256(digest, reinterpret_cast<const unsigned char*>(content.data()),
                     content.size());
  return absl::StrCat(
      "'sha256-", absl::Base64Escape({reinterpret_cast<const char*>(digest), sizeof(digest)}), "'");
}

}  // namespace

absl::Status Document::append(absl::string_view text) {
  return sink_.append({bytes_of(text.data(), text.size())});
}

absl::Status Document::begin() {
  const std::string style = page::style();
  const std::string policy =
      absl::StrCat("default-src 'none'; script-src ", source_of(script()), "; style-src ",
                   source_of(style), "; base-uri 'none'; form-action 'none'");
  return append(
      absl::StrReplaceAll(file_named("page.html"), {{"@policy@", policy}, {"@style@", style}}));
}

absl::Status Document::add(absl::string_view name, absl::string_view json) {
  // These three stand only in strings of a JSON text, where they may be escaped.
  const std::string text =
      absl::StrReplaceAll(json, {{"<", "\\u003c"}, {">", "\\u003e"}, {"&", "\\u0026"}});
  LM_RETURN_IF_ERROR(
      append(absl::StrCat("<script type=\"application/json\" id=\"data-", name, "\">")));
  LM_RETURN_IF_ERROR(append(text));
  return append("</script>\n");
}

absl::Status Document::end() {
  return append(absl::StrCat("<script>", script(), "</script>\n</body>\n</html>\n"));
}

}  // namespace lightmetal::runner::page
