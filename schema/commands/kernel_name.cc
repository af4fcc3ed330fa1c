#include "schema/commands/kernel_name.h"

#include <cstdint>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "schema/text.h"

namespace lightmetal::schema {

bool names_kernel(absl::string_view said, const KernelCreate& kernel) {
  uint64_t id = 0;
  if (absl::SimpleAtoi(said, &id) && id == kernel.id()) return true;
  const std::string name = text_of(kernel.source_name());
  return !said.empty() && (name == said || absl::EndsWith(name, absl::StrCat("/", said)));
}

bool names_kernel(absl::string_view said, const TraceKernel& kernel) {
  const absl::string_view file = said.substr(said.rfind('/') + 1);
  const absl::string_view stem = file.substr(0, file.rfind('.'));
  return !stem.empty() && stem == text_of(kernel.name());
}

}  // namespace lightmetal::schema
