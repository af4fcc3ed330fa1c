#include "runner/output_text.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "base/status.h"
#include "base/text.h"
#include "schema/storage/sink.h"

namespace lightmetal::runner {

std::string in_one_line(absl::string_view text) {
  return absl::StrReplaceAll(without_controls(text), {{"\n", "\\n"}, {"\t", "\\t"}});
}

std::string xml_text(absl::string_view text) {
  return absl::StrReplaceAll(in_one_line(text),
                             {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

std::string counted(uint64_t count, absl::string_view what) {
  return absl::StrCat(count, " ", what, count == 1 ? "" : "s");
}

std::string duration_text(double milliseconds) {
  if (milliseconds >= 10000) return absl::StrFormat("%.1f s", milliseconds / 1000);
  if (milliseconds >= 10) return absl::StrFormat("%.0f ms", milliseconds);
  return absl::StrFormat("%.2f ms", milliseconds);
}

std::string times_text(std::vector<double> milliseconds) {
  std::ranges::sort(milliseconds);
  if (milliseconds.size() == 1) return absl::StrCat("ran in ", duration_text(milliseconds[0]));
  return absl::StrCat("ran ", milliseconds.size(), " times in ",
                      duration_text(milliseconds.front()), " to ",
                      duration_text(milliseconds.back()), ", median ",
                      duration_text(milliseconds[milliseconds.size() / 2]));
}

absl::Status write(const schema::OutputFile& file, absl::Span<const Bytes> parts) {
  LM_ASSIGN_OR_RETURN(sink, file.sink());
  LM_RETURN_IF_ERROR(sink->append(parts));
  return sink->close();
}

absl::StatusOr<schema::OutputFile> create_in(const std::string& folder, const std::string& name,
                                             absl::Span<const std::string> inputs) {
  const std::string path = absl::StrCat(folder, "/", name);
  std::error_code ignored;  // what cannot be looked at cannot be written
  if (std::filesystem::is_symlink(path, ignored)) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, " is a link, which may lead out of the folder: nothing is written there"));
  }
  return schema::OutputFile::create(path, inputs);
}

}  // namespace lightmetal::runner
