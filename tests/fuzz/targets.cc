#include "tests/fuzz/targets.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <lightmetal/replay.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "schema/file/reader.h"
#include "schema/file/signature.h"
#include "schema/show/dump.h"
#include "schema/show/info.h"
#include "schema/storage/memory_sink.h"
#include "schema/types_generated.h"
#include "schema/verify/redact.h"
#include "schema/verify/repair.h"
#include "schema/verify/verify.h"

namespace lightmetal::fuzz {
namespace {

// What one input may make a target hold: machines that fuzz run several at once.
constexpr uint64_t kMemoryLimit = uint64_t{256} << 20;

std::shared_ptr<const schema::File> open(Bytes bytes, const schema::FileOptions& options = {}) {
  auto file = schema::File::from_bytes({bytes.begin(), bytes.end()}, "fuzzed.lmb", options);
  return file.ok() ? *std::move(file) : nullptr;
}

void read_payload(const schema::File& file, const schema::BlobEntry& entry) {
  const schema::BlobRef reference({entry.digest.low, entry.digest.high}, entry.size);
  (void)file.blob(reference);
  std::byte part[16];
  (void)file.read_blob(reference, entry.size / 2, part);
}

// With the keys that they name themselves.
void check_signatures(const schema::File& file) {
  const auto signatures = schema::signatures_of(file);
  if (!signatures.ok()) return;
  for (const schema::Signature& signature : *signatures) {
    (void)schema::verify_signature(file, {&signature.key, 1});
  }
}

// Of a file in memory, which lives as long as the process.
const std::string& path_of_zeros() {
  static const std::string path = [] {
    const int file = memfd_create("zeros", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, kZerosSize) != 0) std::abort();
    return absl::StrCat("/proc/self/fd/", file);
  }();
  return path;
}

schema::FileOptions with_zeros() { return {.references = {.remap = {{kZeros, path_of_zeros()}}}}; }

void must(bool holds, const char* what, const absl::Status& status) {
  if (holds) return;
  std::cerr << what << ": " << status << "\n";
  std::abort();
}

}  // namespace

Reached read(Bytes bytes) {
  const auto file = open(bytes);
  if (file == nullptr) return Reached::Nothing;
  const auto ignore = [](absl::string_view) { return absl::OkStatus(); };
  (void)schema::dump(*file, {.format = schema::DumpFormat::Text, .values = true}, ignore);
  (void)schema::dump(*file, {.format = schema::DumpFormat::JsonLines, .values = true}, ignore);
  (void)schema::info_text(*file);
  (void)schema::info_json(*file);
  for (const schema::BlobEntry& entry : file->blobs()) read_payload(*file, entry);
  check_signatures(*file);
  (void)file->command(file->num_commands() / 2);
  return Reached::Opened;
}

Reached verify(Bytes bytes) {
  const auto file = open(bytes);
  if (file == nullptr) return Reached::Nothing;
  const bool sound = schema::verify(*file, nullptr, {.allow_incomplete = true}).ok();
  const Reached reached = sound ? Reached::Sound : Reached::Opened;
  const auto sink = std::make_shared<schema::MemorySink>();
  if (!schema::repair(*file, sink).ok()) return reached;
  const auto repaired = schema::File::from_bytes(sink->take());
  must(repaired.ok(), "a repaired file does not open", repaired.status());
  // Repair keeps what takes more memory than a replay gets unasked.
  const absl::Status verified = schema::verify(**repaired, nullptr, {.memory_limit = UINT64_MAX});
  must(verified.ok(), "a repaired file is not sound", verified);
  return reached;
}

Reached redact(Bytes bytes) {
  const auto file = open(bytes, with_zeros());
  if (file == nullptr) return Reached::Nothing;
  Reached reached = Reached::Opened;
  for (const bool payloads : {false, true}) {
    const auto sink = std::make_shared<schema::MemorySink>();
    const schema::RedactOptions options = {.payloads = payloads, .memory_limit = kMemoryLimit};
    if (!schema::redact(*file, sink, options).ok()) continue;
    reached = Reached::Sound;
    const auto redacted = schema::File::from_bytes(sink->take());
    must(redacted.ok(), "a redacted file does not open", redacted.status());
    const absl::Status verified =
        schema::verify(**redacted, nullptr, {.allow_incomplete = true, .memory_limit = UINT64_MAX});
    must(verified.ok(), "a redacted file is not sound", verified);
  }
  return reached;
}

Reached replay(Bytes bytes) {
  auto file = open(bytes, with_zeros());
  if (file == nullptr) return Reached::Nothing;
  LoadOptions options;
  options.backend = "null";
  options.allow_incomplete = true;
  options.memory_limit = kMemoryLimit;
  const auto loaded = Replay::load(std::move(file), std::move(options));
  if (!loaded.ok()) return Reached::Opened;
  return (*loaded)->run().ok() ? Reached::Replayed : Reached::Sound;
}

}  // namespace lightmetal::fuzz
