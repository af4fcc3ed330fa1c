#include "tests/fuzz/targets.h"

#include <cstdlib>
#include <iostream>
#include <lightmetal/replay.hpp>
#include <vector>

#include "schema/dump.h"
#include "schema/info.h"
#include "schema/reader.h"
#include "schema/repair.h"
#include "schema/verify.h"

namespace lightmetal::fuzz {
namespace {

std::shared_ptr<const schema::File> open(Bytes bytes) {
  auto file = schema::File::from_bytes({bytes.begin(), bytes.end()});
  return file.ok() ? *std::move(file) : nullptr;
}

void must(bool holds, const char* what, const absl::Status& status) {
  if (holds) return;
  std::cerr << what << ": " << status << "\n";
  std::abort();
}

}  // namespace

void read(Bytes bytes) {
  const auto file = open(bytes);
  if (file == nullptr) return;
  const auto ignore = [](absl::string_view) { return absl::OkStatus(); };
  (void)schema::dump(*file, {.format = schema::DumpFormat::Text}, ignore);
  (void)schema::dump(*file, {.format = schema::DumpFormat::JsonLines}, ignore);
  (void)schema::info_text(*file);
  (void)schema::info_json(*file);
  for (const schema::BlobEntry& entry : file->blobs()) {
    (void)file->blob({{entry.digest.low, entry.digest.high}, entry.size});
  }
  (void)file->command(file->num_commands() / 2);
}

void verify(Bytes bytes) {
  const auto file = open(bytes);
  if (file == nullptr) return;
  (void)schema::verify(*file, nullptr, {.allow_incomplete = true});
  const auto sink = std::make_shared<schema::MemorySink>();
  if (!schema::repair(*file, sink).ok()) return;
  const auto repaired = schema::File::from_bytes(sink->take());
  must(repaired.ok(), "a repaired file does not open", repaired.status());
  const absl::Status verified = schema::verify(**repaired);
  must(verified.ok(), "a repaired file is not sound", verified);
}

void replay(Bytes bytes) {
  auto file = open(bytes);
  if (file == nullptr) return;
  ReplayOptions options;
  options.backend = "null";
  options.allow_incomplete = true;
  const auto loaded = Replay::load(std::move(file), std::move(options));
  if (loaded.ok()) (void)(*loaded)->run();
}

}  // namespace lightmetal::fuzz
