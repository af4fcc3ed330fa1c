#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "base/digest.h"
#include "schema/file/external_blob.h"

// Which memory of the process holds the bytes of which file. Thread-safe, and independent of any
// capture: programs declare when they load, and may begin a capture later.
namespace lightmetal::capture {

// Declares that `data` holds the bytes of the file from `offset` on. Earlier declarations of memory
// that overlaps are forgotten. Returns an error, and declares nothing, when the file is no regular
// file that can be read, or ends before `data` does.
absl::Status declare_file_data(Bytes data, const std::string& path, uint64_t offset);

// Forgets declarations of memory that overlaps `data`.
void undeclare_file_data(Bytes data);

// Where `payload`, whose digest is given, lies in a file: one that was declared for its memory, or
// one that is mapped there, private or read-only and not as code. Returns nothing unless the file
// holds these very bytes now, which this finds out by reading it.
std::optional<schema::ExternalBlobInfo> find_file_data(Bytes payload, const Digest& digest);

}  // namespace lightmetal::capture
