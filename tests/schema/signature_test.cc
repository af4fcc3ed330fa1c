// Signatures: what they cover, and who is refused.
#include "schema/file/signature.h"

#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "schema/file/signing_key.h"
#include "schema/storage/memory_sink.h"
#include "schema/verify/repair.h"
#include "tests/schema/schema_testing.h"
#include "tests/schema/semantics_calls.h"

namespace lightmetal::schema {
namespace {

using testing::Content;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::IsError;
using testing::opened;
using ::testing::StartsWith;

SecretKey new_key() {
  auto key = SecretKey::generate();
  EXPECT_TRUE(key.ok()) << key.status();
  return *key;
}

Content signed_by(const Content& content, const SecretKey& key) {
  MemorySink sink;
  const absl::Status status = sign(*opened(content), key, sink);
  EXPECT_TRUE(status.ok()) << status;
  return sink.take();
}

std::vector<PublicKey> signers_of(const File& file) {
  const auto signatures = signatures_of(file);
  EXPECT_TRUE(signatures.ok()) << signatures.status();
  std::vector<PublicKey> keys;
  for (const Signature& signature : *signatures) keys.push_back(signature.key);
  return keys;
}

// Of calls that make sense together.
std::vector<CommandT> some_commands() {
  return testing::Calls()
      .buffer(2, 1 << 20, 1 << 20)
      .buffer(3, 1 << 21, 1 << 20)
      .close(1)
      .commands();
}

class SignatureTest : public ::testing::Test {
 protected:
  const SecretKey key_ = new_key();
  const SecretKey other_ = new_key();
  const Content plain_ = testing::written(some_commands());
  const Content signed_ = signed_by(plain_, key_);
};

TEST_F(SignatureTest, ASignedFileIsWholeAndItsSignatureRight) {
  EXPECT_TRUE(testing::open_and_verify(signed_).ok()) << testing::open_and_verify(signed_);
  const auto file = opened(signed_);
  EXPECT_TRUE(file->complete());
  EXPECT_TRUE(verify_signature(*file, {key_.public_key()}).ok());
  EXPECT_THAT(signers_of(*file), ElementsAre(key_.public_key()));
  EXPECT_EQ(file->num_commands(), opened(plain_)->num_commands());
}

TEST_F(SignatureTest, AMissingSignatureIsRefused) {
  EXPECT_THAT(verify_signature(*opened(plain_), {key_.public_key()}),
              IsError(absl::StatusCode::kUnauthenticated, "it carries no signature"));
  EXPECT_THAT(signers_of(*opened(plain_)), IsEmpty());
}

TEST_F(SignatureTest, AnotherKeyIsRefusedAndNamesBoth) {
  const absl::Status status = verify_signature(*opened(signed_), {other_.public_key()});
  EXPECT_THAT(status, IsError(absl::StatusCode::kUnauthenticated,
                              "is not signed by key " + other_.public_key().id()));
  EXPECT_THAT(std::string(status.message()), HasSubstr("only by key " + key_.public_key().id()));
}

TEST_F(SignatureTest, OneOfSeveralKeysSuffices) {
  EXPECT_TRUE(verify_signature(*opened(signed_), {other_.public_key(), key_.public_key()}).ok());
}

TEST_F(SignatureTest, ASecondSignatureStandsBesideTheFirst) {
  const auto twice = opened(signed_by(signed_, other_));
  EXPECT_TRUE(verify(*twice, nullptr, testing::kFormAlone).ok());
  EXPECT_TRUE(verify_signature(*twice, {key_.public_key()}).ok());
  EXPECT_TRUE(verify_signature(*twice, {other_.public_key()}).ok());
  EXPECT_THAT(signers_of(*twice), ElementsAre(key_.public_key(), other_.public_key()));
}

TEST_F(SignatureTest, TheSameKeySignsOnce) {
  MemorySink sink;
  EXPECT_THAT(sign(*opened(signed_), key_, sink),
              IsError(absl::StatusCode::kAlreadyExists, "already"));
}

// Whatever byte is changed, the file does not open, or does not verify, or is not signed.
TEST_F(SignatureTest, EveryChangedByteIsNoticed) {
  for (size_t at = 0; at < signed_.size(); ++at) {
    Content changed = signed_;
    changed[at] ^= std::byte{0x10};
    const auto file = File::from_bytes(std::move(changed));
    if (!file.ok()) continue;
    const bool good = verify(**file, nullptr, testing::kFormAlone).ok() &&
                      verify_signature(**file, {key_.public_key()}).ok();
    ASSERT_FALSE(good) << "byte " << at << " of " << signed_.size();
  }
}

// Writes `signature` over the one at `offset` of a signed file, in a frame that is right.
void put_signature(Content& content, uint64_t offset, const Signature& signature) {
  SignaturePayload payload;
  payload.public_key = signature.key.bytes();
  payload.signature = signature.bytes;
  const Bytes bytes = bytes_of(&payload, sizeof(payload));
  FrameHeader header = make_header(FrameType::Signature, bytes.size(), digest_of(bytes), offset);
  header.flags = kFrameOptional;
  header.checksum = header_checksum(header, offset);
  std::memcpy(content.data() + offset, &header, sizeof(header));
  std::memcpy(content.data() + offset + sizeof(header), &payload, sizeof(payload));
}

std::vector<Signature> signatures_in(const Content& content) {
  auto signatures = signatures_of(*opened(content));
  EXPECT_TRUE(signatures.ok()) << signatures.status();
  return *signatures;
}

// An attacker can make the digests of a changed file right, but not the signature. A right
// signature by another key next to the old one does not help, in either order.
TEST_F(SignatureTest, AnotherFileWithRightDigestsAndTheOldSignatureIsRefused) {
  std::vector<CommandT> commands = some_commands();
  commands.pop_back();
  const Content other = testing::written(commands);
  const Signature old = signatures_in(signed_).front();
  const Content alone = signed_by(other, other_);
  const Content beside = signed_by(alone, new_key());
  const uint64_t first = signatures_in(beside).front().offset;
  const uint64_t second = signatures_in(beside).back().offset;
  for (auto [forged, offset] : {std::pair(alone, first), {beside, first}, {beside, second}}) {
    put_signature(forged, offset, old);
    const auto file = opened(forged);
    ASSERT_TRUE(verify(*file, nullptr, testing::kFormAlone).ok())
        << verify(*file, nullptr, testing::kFormAlone);
    EXPECT_THAT(verify_signature(*file, {key_.public_key()}),
                IsError(absl::StatusCode::kUnauthenticated, "the signature is wrong"));
    const bool has_others = offset == second;
    EXPECT_EQ(verify_signature(*file, {other_.public_key()}).ok(), has_others);
  }
}

TEST_F(SignatureTest, CoversAllOfALargeFile) {
  const auto ending_with = [](uint8_t last) {
    auto sink = std::make_shared<MemorySink>();
    Writer writer(sink);
    EXPECT_TRUE(writer.begin({}).ok());
    EXPECT_TRUE(writer.append_blob(Content(size_t{3} << 20, std::byte{1})).ok());
    EXPECT_TRUE(writer.append_blob(Content(100, std::byte{last})).ok());
    EXPECT_TRUE(writer.finish(absl::OkStatus()).ok());
    return sink->take();
  };
  const Content signed_file = signed_by(ending_with(2), key_);
  EXPECT_TRUE(verify_signature(*opened(signed_file), {key_.public_key()}).ok());
  Content forged = signed_by(ending_with(3), other_);
  ASSERT_EQ(forged.size(), signed_file.size());
  const Signature old = signatures_in(signed_file).front();
  put_signature(forged, signatures_in(forged).front().offset, old);
  EXPECT_THAT(verify_signature(*opened(forged), {key_.public_key()}),
              IsError(absl::StatusCode::kUnauthenticated, "the signature is wrong"));
}

// A file with these payloads of signatures between its index and its footer.
Content with_signatures(const std::vector<SignaturePayload>& signatures) {
  testing::FrameList frames;
  const IndexHeader header = testing::index_of(0, 0);
  const uint64_t index = frames.add(FrameType::Index, bytes_of(&header, sizeof(header)));
  for (const SignaturePayload& signature : signatures) {
    frames.add(FrameType::Signature, bytes_of(&signature, sizeof(signature)), kFrameOptional);
  }
  const Footer footer{index};
  frames.add(FrameType::Footer, bytes_of(&footer, sizeof(footer)));
  return frames.content();
}

TEST_F(SignatureTest, OneOfALaterSchemeIsPassedOver) {
  SignaturePayload later, known;
  later.scheme = 2;
  known.public_key = key_.public_key().bytes();
  const Content content = with_signatures({later, known});
  EXPECT_EQ(testing::open_and_verify(content), absl::OkStatus());
  EXPECT_THAT(signers_of(*opened(content)), ElementsAre(key_.public_key()));
  const Content both = signed_by(with_signatures({later}), key_);
  EXPECT_TRUE(verify_signature(*opened(both), {key_.public_key()}).ok());
}

TEST_F(SignatureTest, OneWhoseReservedBytesAreUsedIsRefused) {
  SignaturePayload used;
  used.reserved = 1;
  EXPECT_THAT(testing::open_and_verify(with_signatures({used})),
              IsError(absl::StatusCode::kDataLoss, "whose reserved bytes are not zero"));
}

TEST_F(SignatureTest, AFileCutAnywhereBehindItsSignatureIsNotSigned) {
  const auto signatures = signatures_of(*opened(signed_));
  ASSERT_TRUE(signatures.ok());
  for (size_t size = signatures->front().offset; size < signed_.size(); ++size) {
    const auto file = File::from_bytes({signed_.begin(), signed_.begin() + size});
    ASSERT_TRUE(file.ok());
    EXPECT_THAT(verify_signature(**file, {key_.public_key()}),
                IsError(absl::StatusCode::kUnauthenticated, "no signature of such a file counts"));
  }
}

TEST_F(SignatureTest, ASignatureOfTheWrongSizeIsRefused) {
  testing::FrameList frames;
  const IndexHeader header = testing::index_of(0, 0);
  const uint64_t index = frames.add(FrameType::Index, bytes_of(&header, sizeof(header)));
  const SignaturePayload payload;
  frames.add(FrameType::Signature, bytes_of(&payload, 40), kFrameOptional);
  const Footer footer{index};
  frames.add(FrameType::Footer, bytes_of(&footer, sizeof(footer)));
  EXPECT_THAT(testing::open_and_verify(frames.content()),
              IsError(absl::StatusCode::kDataLoss, "is a signature of 40 bytes"));
  EXPECT_FALSE(signatures_of(*opened(frames.content())).ok());
}

TEST_F(SignatureTest, ASignatureBeforeTheIndexIsRefused) {
  testing::FrameList frames;
  const SignaturePayload payload;
  frames.add(FrameType::Signature, bytes_of(&payload, sizeof(payload)), kFrameOptional);
  EXPECT_THAT(testing::open_and_verify(frames.close(testing::index_of(0, 0)).content()),
              IsError(absl::StatusCode::kDataLoss, "does not belong there"));
}

TEST_F(SignatureTest, AFileThatWasNotClosedCannotBeSigned) {
  MemorySink sink;
  const Content cut(plain_.begin(), plain_.end() - 8);
  EXPECT_THAT(sign(*opened(cut), key_, sink),
              IsError(absl::StatusCode::kFailedPrecondition, "it was not closed"));
}

TEST_F(SignatureTest, AFileWithPayloadsElsewhereCannotBeSigned) {
  testing::FrameList frames;
  frames.add(FrameType::ExternalBlob, testing::bytes_of_text("somewhere"));
  const auto file = File::from_bytes(frames.close(testing::index_of(0, 0)).content());
  ASSERT_TRUE(file.ok()) << file.status();
  MemorySink sink;
  EXPECT_THAT(sign(**file, key_, sink),
              IsError(absl::StatusCode::kFailedPrecondition, "takes payloads from other files"));
}

TEST_F(SignatureTest, RepairDropsSignaturesAndSaysSo) {
  auto sink = std::make_shared<MemorySink>();
  const auto report = repair(*opened(signed_), sink);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->reason, "");
  EXPECT_EQ(report->signatures_dropped, 1u);
  EXPECT_THAT(signers_of(*opened(sink->take())), IsEmpty());
}

TEST(SigningKeyTest, KeysAreTextAndBack) {
  const SecretKey key = new_key();
  const auto secret = SecretKey::from_text(key.to_text());
  ASSERT_TRUE(secret.ok()) << secret.status();
  EXPECT_EQ(secret->public_key(), key.public_key());
  constexpr char kForm[] = "Light Metal (public|secret) key 1\n[A-Za-z0-9+/]+=*\n";
  EXPECT_THAT(key.to_text(), ::testing::MatchesRegex(kForm));
  EXPECT_THAT(key.public_key().to_text(), ::testing::MatchesRegex(kForm));
  const auto again = PublicKey::from_text(key.public_key().to_text());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*again, key.public_key());
  EXPECT_THAT(key.public_key().to_text(), StartsWith("Light Metal public key 1\n"));
  const std::string lines = key.public_key().to_text();
  for (const std::string& text : {lines.substr(0, lines.size() - 1), lines + " \n",
                                  absl::StrReplaceAll(lines, {{"\n", "\r\n"}})}) {
    EXPECT_EQ(PublicKey::from_text(text).value_or(new_key().public_key()), key.public_key());
  }
  EXPECT_EQ(key.public_key().id().size(), 16u);
  EXPECT_NE(new_key().public_key(), key.public_key());
}

TEST(SigningKeyTest, WhatIsNoKeyIsRefused) {
  const SecretKey key = new_key();
  const auto error_of = [](const std::string& text) { return PublicKey::from_text(text).status(); };
  const std::string good = key.public_key().to_text();
  const auto code = absl::StatusCode::kInvalidArgument;
  EXPECT_THAT(error_of(""), IsError(code, "no key file"));
  EXPECT_THAT(error_of("hello"), IsError(code, "no key file"));
  EXPECT_THAT(error_of(key.to_text()), IsError(code, "begins with \"Light Metal secret key 1\""));
  EXPECT_THAT(error_of(good.substr(0, good.size() - 4)), IsError(code, "second line"));
  EXPECT_THAT(error_of(good + "more"), IsError(code, "second line"));
  EXPECT_THAT(error_of("Light Metal public key 1"), IsError(code, "second line"));
}

}  // namespace
}  // namespace lightmetal::schema
