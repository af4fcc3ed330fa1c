#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

// How a check says no.
namespace lightmetal::schema::semantics {

// An object as errors name it.
struct Object {
  absl::string_view kind;  // "circular buffer"
  uint64_t id = 0;

  std::string text() const { return absl::StrCat(kind, " ", id); }
};

// "buffer 3: its field page_size is 7, expected a divisor of the size 64"
template <class Found, class... Expected>
absl::Status wrong(const Object& object, absl::string_view field, const Found& found,
                   const Expected&... expected) {
  return absl::InvalidArgumentError(absl::StrCat(object.text(), ": its field ", field, " is ",
                                                 found, ", expected ", expected...));
}

// "buffer 3: it is used, expected to be allocated": for what is not the fault of one field.
template <class... Text>
absl::Status not_now(const Object& object, const Text&... text) {
  return absl::FailedPreconditionError(absl::StrCat(object.text(), ": ", text...));
}

// Says more before a refusal, and keeps its code and its marks. OK stays OK.
inline absl::Status behind(absl::string_view said_before, const absl::Status& refusal) {
  if (refusal.ok()) return refusal;
  absl::Status said(refusal.code(), absl::StrCat(said_before, ": ", refusal.message()));
  refusal.ForEachPayload([&said](absl::string_view type, const absl::Cord& payload) {
    said.SetPayload(type, payload);
  });
  return said;
}

// Most rules are the host API's, too: it would refuse a replay of a file that nobody had checked. A
// refusal that only the check of a file knows is marked.

inline constexpr absl::string_view kOfFilesAlone = "lightmetal/of_files_alone";
inline constexpr absl::string_view kHostSentence = "lightmetal/host_sentence";

// Marks a refusal that the host API does not share. Such refusals are of what would make a replay
// wait for ever, of numbers of the wire that a replay neither hands on nor computes with unchecked,
// and of what the API is lenient with.
inline absl::Status of_files_alone(absl::Status refusal) {
  if (!refusal.ok()) refusal.SetPayload(kOfFilesAlone, absl::Cord());
  return refusal;
}

// Only files are refused for going beyond a memory limit, so that refusal needs no mark.
inline bool is_of_files_alone(const absl::Status& refusal) {
  return absl::IsResourceExhausted(refusal) || refusal.GetPayload(kOfFilesAlone).has_value();
}

// Marks a refusal with the sentence that host/ said, before others say more in front of it.
inline absl::Status with_sentence(absl::Status refusal) {
  refusal.SetPayload(kHostSentence, absl::Cord(refusal.message()));
  return refusal;
}

// "buffer 3: Buffer size 64 must be divisible by page size 7": a refusal of host/ that is about an
// object of the file.
inline absl::Status about(const Object& object, const absl::Status& refusal) {
  if (refusal.ok()) return refusal;
  return behind(object.text(), with_sentence(refusal));
}
inline absl::Status about(const Object& object, absl::string_view field,
                          const absl::Status& refusal) {
  if (refusal.ok()) return refusal;
  return behind(absl::StrCat(object.text(), ": its field ", field), with_sentence(refusal));
}

// The sentence that host/ said, without what names the object; nullopt when the refusal is not from
// host/.
inline std::optional<std::string> host_sentence_of(const absl::Status& refusal) {
  const auto sentence = refusal.GetPayload(kHostSentence);
  if (!sentence.has_value()) return std::nullopt;
  return std::string(*sentence);
}

}  // namespace lightmetal::schema::semantics
