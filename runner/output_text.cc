#include "runner/output_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/status.h"
#include "base/text.h"
#include "schema/storage/sink.h"

namespace lightmetal::runner {

std::string xml_text(absl::string_view text) {
  return absl::StrReplaceAll(without_controls(text),
                             {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

std::string counted(uint64_t count, absl::string_view what) {
  return absl::StrCat(count, " ", what, count == 1 ? "" : "s");
}

absl::Status write(const schema::OutputFile& file, absl::Span<const Bytes> parts) {
  LM_ASSIGN_OR_RETURN(sink, file.sink());
  LM_RETURN_IF_ERROR(sink->append(parts));
  return sink->close();
}

}  // namespace lightmetal::runner
