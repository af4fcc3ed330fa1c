#include "replay/checkpoint.h"

#include <algorithm>
#include <lightmetal/checkpoint.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "api/src/capture/living.h"
#include "api/src/record/record.h"
#include "base/digest.h"
#include "base/status.h"
#include "schema/commands/forward.h"
#include "schema/commands/references.h"
#include "schema/file/session_info.h"
#include "schema/file/writer.h"
#include "schema/storage/output_file.h"
#include "schema/verify/copy_command.h"
#include "schema/verify/verify.h"

namespace lightmetal {
namespace {

namespace tm = tt::tt_metal;

// The option of a checkpoint's session: the number of its first own command, how many commands make
// what lives, and the digest of the file.
constexpr char kOption[] = "checkpoint";

// Of all commands and payloads, by their checksums and names.
absl::StatusOr<std::string> digest_text(const schema::File& file) {
  Digester digester;
  const auto add = [&](const Digest& digest) { digester.add(bytes_of(&digest, sizeof(digest))); };
  schema::ForwardPass pass(file);
  LM_RETURN_IF_ERROR(file.for_each_command([&](const schema::CommandView& view) -> absl::Status {
    pass.reach(view.offset);
    LM_ASSIGN_OR_RETURN(frame, file.frame_at(view.offset));
    add(frame.digest());
    return absl::OkStatus();
  }));
  for (const schema::BlobEntry& blob : file.blobs()) add(blob.digest);
  return digester.digest().hex();
}

tm::ObjectNames names_of(replay::ObjectTable& objects) {
  tm::ObjectNames names;
  for (auto& [id, device] : objects.devices) names.add(*device.device, id);
  for (auto& [id, buffer] : objects.buffers) names.add(*buffer, id);
  for (auto& [id, program] : objects.programs) names.add(*program.program, id);
  for (auto& [id, kernel] : objects.kernels) names.add(*kernel.kernel, id);
  for (auto& [id, buffer] : objects.circular_buffers)
    names.add(tm::CircularBufferId{buffer.handle}, id);
  for (auto& [id, event] : objects.events) names.add(*event, id);
  for (auto& [id, trace] : objects.traces) names.add(tm::TraceOn{*trace.device, trace.id}, id);
  for (auto& [id, semaphore] : objects.global_semaphores) names.add(semaphore, id);
  for (auto& [id, buffer] : objects.global_circular_buffers) names.add(buffer, id);
  for (auto& [id, manager] : objects.sub_device_managers)
    names.add(tm::ManagerOn{*manager.device, manager.id}, id);
  return names;
}

schema::SessionInfo session_of(const schema::File& file, const std::string& option) {
  schema::SessionInfo session = file.session();
  std::erase_if(session.options, [](const auto& each) { return each.first == kOption; });
  session.options.emplace_back(kOption, option);
  // As repair() says it: the end of what was captured is not in the file.
  if (!file.complete()) session.options.emplace_back("repaired", file.incomplete_reason());
  return session;
}

// Copies commands of two files, one behind the other, and leaves out the ends of objects that none
// of those before has made.
class Copy {
 public:
  explicit Copy(schema::Writer& writer) : writer_(writer) {}

  absl::Status append(const schema::File& from, uint64_t first) {
    schema::ForwardPass pass(from);
    return from.for_each_command(first, from.num_commands(), [&](const schema::CommandView& view) {
      pass.reach(view.offset);
      return is_possible(*view.command) ? schema::copy_command(from, view, writer_)
                                        : absl::OkStatus();
    });
  }

 private:
  bool is_possible(const schema::Command& command) {
    bool possible = true;
    schema::visit_ids(command, [&](const schema::IdReference& reference) {
      if (reference.role == schema::IdRole::Creates) made_.insert(reference.object());
      if (reference.role == schema::IdRole::Destroys && !made_.contains(reference.object()))
        possible = false;
    });
    return possible;
  }

  schema::Writer& writer_;
  absl::flat_hash_set<schema::ObjectName> made_;
};

// A checkpoint that does not verify would be of no use: what lives could not all be said.
absl::Status check_whole(const schema::OutputFile& output, const schema::File& file,
                         uint64_t number, const LoadOptions& options) {
  LM_ASSIGN_OR_RETURN(written,
                      schema::File::open(output.unfinished(), {.references = options.references}));
  const absl::Status status =
      schema::verify(*written, nullptr, {.memory_limit = options.memory_limit});
  if (status.ok()) return status;
  return absl::FailedPreconditionError(absl::StrCat(
      "there is no checkpoint of ", file.name(), " at command ", number, ": ", status.message()));
}

}  // namespace

namespace replay {

absl::Status write_checkpoint(const schema::File& file, uint64_t number, ObjectTable& objects,
                              const std::string& path, const LoadOptions& options) {
  // Without a name of its own, it is gone when this function ends.
  LM_ASSIGN_OR_RETURN(scratch, schema::OutputFile::create(path, file.paths()));
  LM_ASSIGN_OR_RETURN(scratch_sink, scratch.sink());
  LM_RETURN_IF_ERROR(tm::capture_living(names_of(objects), std::move(scratch_sink)));
  LM_ASSIGN_OR_RETURN(living, schema::File::open(scratch.unfinished()));
  LM_ASSIGN_OR_RETURN(digest, digest_text(file));

  LM_ASSIGN_OR_RETURN(output, schema::OutputFile::create(path, file.paths()));
  LM_ASSIGN_OR_RETURN(sink, output.sink());
  schema::Writer writer(std::move(sink));
  LM_RETURN_IF_ERROR(writer.begin(
      session_of(file, absl::StrCat(number, " ", living->num_commands(), " ", digest))));
  Copy copy(writer);
  LM_RETURN_IF_ERROR(copy.append(*living, 0));
  LM_RETURN_IF_ERROR(copy.append(file, number));
  LM_RETURN_IF_ERROR(writer.finish(absl::OkStatus()));
  LM_RETURN_IF_ERROR(check_whole(output, file, number, options));
  return output.finish();
}

}  // namespace replay

namespace {

absl::Status is_wrong(const schema::File& checkpoint, absl::string_view what) {
  return absl::FailedPreconditionError(absl::StrCat(checkpoint.name(), " is ", what));
}

// The number of the first command of `file`, as the checkpoint says it.
absl::StatusOr<uint64_t> first_of(const schema::File& checkpoint, const schema::File& file,
                                  uint64_t number) {
  const std::string* const option = schema::option_of(checkpoint.session(), kOption);
  if (option == nullptr) return is_wrong(checkpoint, "there and is no checkpoint");
  const std::vector<std::string> parts = absl::StrSplit(*option, ' ');
  LM_ASSIGN_OR_RETURN(digest, digest_text(file));
  if (parts.size() != 3 || parts[2] != digest) {
    return is_wrong(checkpoint, absl::StrCat("a checkpoint of another file than ", file.name()));
  }
  if (parts[0] != absl::StrCat(number)) {
    return is_wrong(checkpoint,
                    absl::StrCat("a checkpoint at command ", parts[0], ", not ", number));
  }
  uint64_t first = 0;
  if (absl::SimpleAtoi(parts[1], &first) && first <= checkpoint.num_commands()) return first;
  return is_wrong(checkpoint, "a checkpoint without the commands that it says that it has");
}

absl::StatusOr<std::vector<Digest>> digests_of(const schema::File& file, uint64_t first) {
  std::vector<Digest> digests;
  schema::ForwardPass pass(file);
  LM_RETURN_IF_ERROR(file.for_each_command(first, file.num_commands(),
                                           [&](const schema::CommandView& view) -> absl::Status {
                                             pass.reach(view.offset);
                                             LM_ASSIGN_OR_RETURN(frame, file.frame_at(view.offset));
                                             digests.push_back(frame.digest());
                                             return absl::OkStatus();
                                           }));
  return digests;
}

}  // namespace

absl::StatusOr<CheckpointNumbers> CheckpointNumbers::create(const schema::File& checkpoint,
                                                            const schema::File& file,
                                                            uint64_t number) {
  CheckpointNumbers numbers;
  numbers.number_ = number;
  LM_ASSIGN_OR_RETURN(first, first_of(checkpoint, file, number));
  numbers.first_ = first;
  LM_ASSIGN_OR_RETURN(in_checkpoint, digests_of(checkpoint, first));
  LM_ASSIGN_OR_RETURN(in_file, digests_of(file, number));
  uint64_t found = 0;
  for (const Digest& digest : in_file) {
    if (found < in_checkpoint.size() && in_checkpoint[found] == digest) {
      ++found;
    } else {
      numbers.before_left_out_.push_back(found);
    }
  }
  if (found == in_checkpoint.size()) return numbers;
  return is_wrong(checkpoint, "a checkpoint with commands that its file does not have");
}

uint64_t CheckpointNumbers::in_file(uint64_t in_checkpoint) const {
  if (in_checkpoint < first_) return number_;
  const uint64_t index = in_checkpoint - first_;
  const auto later = std::ranges::upper_bound(before_left_out_, index);
  return number_ + index + static_cast<uint64_t>(later - before_left_out_.begin());
}

uint64_t CheckpointNumbers::in_checkpoint(uint64_t in_file) const {
  uint64_t left_out = 0;
  const uint64_t index = in_file - number_;
  while (left_out < before_left_out_.size() && before_left_out_[left_out] + left_out < index)
    ++left_out;
  return first_ + index - left_out;
}

}  // namespace lightmetal
