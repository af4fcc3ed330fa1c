#include "runner/new_file.h"

#include <utility>

#include "base/status.h"
#include "schema/file/reader.h"
#include "schema/storage/mapped_file.h"
#include "schema/verify/verify.h"

namespace lightmetal::runner {

absl::Status finish_verified(schema::OutputFile& file, const std::string& output,
                             uint64_t memory_limit) {
  LM_ASSIGN_OR_RETURN(mapping, schema::MappedFile::open(file.unfinished()));
  LM_ASSIGN_OR_RETURN(written, schema::File::from_mapping(std::move(mapping), output));
  LM_RETURN_IF_ERROR(schema::verify(*written, nullptr, {.memory_limit = memory_limit}));
  return file.finish();
}

}  // namespace lightmetal::runner
