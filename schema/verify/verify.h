#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "schema/file/reader.h"
#include "schema/semantics/device_memory.h"
#include "schema/semantics/semantics.h"

namespace lightmetal::schema {

// A beginning of a file.
struct VerifiedPart {
  uint64_t bytes = 0;
  uint64_t commands = 0;
  uint64_t blobs = 0;
};

// What verify() went through.
struct VerifyReport {
  uint64_t bytes = 0;
  uint64_t frames = 0;
  uint64_t commands = 0;
  uint64_t blobs = 0;
  uint64_t blob_bytes = 0;        // of their content
  uint64_t compressed_blobs = 0;  // of `blobs`
  uint64_t external_blobs = 0;    // of `blobs`: they lie in other files
  uint64_t objects_created = 0;
  uint64_t objects_alive = 0;  // at the end
  // The most memory that the calls make a replay hold, in bytes, as Semantics counts it.
  uint64_t peak_memory = 0;
  // What the memory of each device that the file opens holds at most, in the order of opening.
  std::vector<DeviceMemory> device_memory;
  // The longest part after which no queue waits: it is as good as a file that ends there. Found
  // only when the options ask for it.
  VerifiedPart usable;
};

struct VerifyOptions {
  // Accepts a file that was not closed or whose capture ended with an error, and checks the whole
  // frames that it has.
  bool allow_incomplete = false;

  // False: passes over the content of payloads, and takes the checksums of all records for right.
  // It is for a tool that only wants the report of a file.
  bool check_content = true;

  // Opens the other files that the file refers to and checks them, as its FileOptions say.
  // Otherwise only the records that refer to them are checked, and nothing is opened.
  bool check_references = false;

  // Checks what the numbers of the calls mean to devices, as Semantics does. A tool that only looks
  // at the records of a file may leave it out; whoever executes the file may not.
  bool check_meaning = true;

  // Finds VerifyReport::usable. REQUIRES: check_meaning.
  bool find_usable = false;

  // The most memory that the calls may make a replay hold, in bytes. Compressed payloads may have
  // so much content altogether, or kContentRatio times the file's size where that is more.
  uint64_t memory_limit = kDefaultMemoryLimit;
};

// The most content for each byte of a file that any file may have compressed. Data that says
// anything shrinks by less; without the limit, a small file could keep its reader busy for hours.
inline constexpr uint64_t kContentRatio = 64;

// Reads all of the file and checks
//
// - every byte: the headers and checksums of all frames, the content of compressed payloads, fill
//   bytes that are zero, nothing missing or left over; the order of frames, and that the index
//   says what the file holds;
// - every command: a valid FlatBuffer of a known call, with known enumeration values and union
//   members;
// - every reference: blobs that lie earlier in the file, objects that live (see
//   schema/semantics/lifetime.h);
// - every number: sizes, cores, addresses, arguments, events and memory make sense to the devices
//   that the file opens, so that the host API takes the calls, no queue waits for ever, and a
//   replay stays within a memory limit (see schema/semantics/semantics.h).
//
// verify() does not look at what kernels do. It returns the first error, which names the file, the
// offset and, inside a command, its number, name and object. `report` may be null; after an error
// it holds what was found good. Thread-safe.
absl::Status verify(const File& file, VerifyReport* report = nullptr,
                    const VerifyOptions& options = {});

}  // namespace lightmetal::schema
