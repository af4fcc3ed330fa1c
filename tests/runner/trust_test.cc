// Keys, signatures and trust as a person meets them at the runner.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <lightmetal/capture.hpp>
#include <lightmetal/replay.hpp>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <vector>

#include "tests/support/captured_file.h"
#include "tests/support/process.h"

namespace lightmetal {
namespace {

namespace tm = tt::tt_metal;

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ProcessResult;
using testing::read_file;
using testing::run_process;
using ::testing::StartsWith;
using testing::TemporaryFolder;
using testing::write_file;

mode_t mode_of(const std::string& path) {
  struct stat info {};
  EXPECT_EQ(stat(path.c_str(), &info), 0) << path;
  return info.st_mode & 0777;
}

class TrustTest : public ::testing::Test {
 protected:
  TrustTest() {
    testing::capture_write_and_read(file_);
    chmod(file_.c_str(), 0644);
    EXPECT_EQ(runner({"keygen", "-o", folder_.path("mine")}).exit_code, 0);
    EXPECT_EQ(runner({"keygen", "-o", folder_.path("other")}).exit_code, 0);
  }

  static ProcessResult runner(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), LIGHTMETAL_RUNNER);
    return run_process(arguments);
  }

  // One line on standard error, and exit code 2.
  static void expect_refused(const std::vector<std::string>& arguments,
                             const std::string& message) {
    const ProcessResult result = runner(arguments);
    EXPECT_EQ(result.exit_code, 2) << message;
    EXPECT_THAT(result.errors, AllOf(StartsWith("lightmetal_runner: "), HasSubstr(message)));
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
    EXPECT_EQ(result.output, "");
  }

  static void expect_good(const std::vector<std::string>& arguments) {
    const ProcessResult result = runner(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(result.errors, "");
  }

  void sign() { expect_good({"sign", file_, "--key", secret_}); }

  const TemporaryFolder folder_;
  const std::string file_ = folder_.path("file.lmb");
  const std::string secret_ = folder_.path("mine.key");
  const std::string public_ = folder_.path("mine.pub");
  const std::string other_ = folder_.path("other.pub");
};

// ---- Keys and signatures ----

TEST_F(TrustTest, TheSecretKeyIsForItsOwnerAlone) {
  EXPECT_EQ(mode_of(secret_), 0600u);
  EXPECT_THAT(read_file(secret_), StartsWith("Light Metal secret key 1\n"));
  EXPECT_THAT(read_file(public_), StartsWith("Light Metal public key 1\n"));
}

TEST_F(TrustTest, AKeyIsNeverOverwritten) {
  const std::string before = read_file(secret_);
  expect_refused({"keygen", "-o", folder_.path("mine")}, "mine.key: File exists");
  EXPECT_EQ(read_file(secret_), before);
}

TEST_F(TrustTest, ASecretKeyIsNotWrittenWithoutItsPublicKey) {
  const std::string secret = folder_.path("new.key"), published = folder_.path("new.pub");
  write_file(published, "precious");
  expect_refused({"keygen", "-o", folder_.path("new")}, "new.pub: File exists");
  EXPECT_EQ(read_file(published), "precious");
  EXPECT_FALSE(std::filesystem::exists(secret));
  std::filesystem::remove(published);
  expect_good({"keygen", "-o", folder_.path("new")});
}

TEST_F(TrustTest, ASecretKeyThatOthersCanReadIsWarnedAbout) {
  for (const mode_t mode : {0640, 0620, 0604}) {
    chmod(secret_.c_str(), mode);
    const ProcessResult result =
        runner({"sign", file_, "--key", secret_, "-o", folder_.path("signed.lmb")});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_THAT(result.errors, AllOf(HasSubstr("warning"), HasSubstr("chmod 600"))) << mode;
  }
}

TEST_F(TrustTest, ASignedFileRunsVerifiesAndNamesItsKey) {
  sign();
  for (const char* verb : {"run", "verify", "info"}) {
    expect_good({verb, file_, "--require-signature", public_});
    expect_good({verb, file_, "--require-signature", other_, "--require-signature", public_});
  }
  const std::string printed = runner({"keygen", "-o", folder_.path("third")}).output;
  EXPECT_THAT(runner({"info", file_}).output, HasSubstr("signature  claims to be of key "));
  EXPECT_THAT(runner({"info", file_, "--format", "json"}).output, HasSubstr("\"signatures\":[\""));
  expect_good({file_});  // nothing required
}

TEST_F(TrustTest, AMissingSignatureIsRefused) {
  for (const char* verb : {"run", "verify", "info"}) {
    expect_refused({verb, file_, "--require-signature", public_}, "it carries no signature");
  }
}

TEST_F(TrustTest, AWrongKeyIsRefused) {
  sign();
  for (const char* verb : {"run", "verify", "info"}) {
    expect_refused({verb, file_, "--require-signature", other_}, "is not signed by key");
  }
}

TEST_F(TrustTest, EveryVerbThatIsGivenAKeyRefusesAFileThatItHasNotSigned) {
  const std::string data = folder_.path("data.bin"), out = folder_.path("out");
  write_file(data, std::string(64, '\1'));
  const std::vector<std::vector<std::string>> calls = {
      {"set", file_, "--payload=2=" + data, "-o", out},
      {"report", file_, "-o", out},
      {"dump", file_, "--buffers-at=3", "-o", out},
      {"trim", file_, "--calls=0-", "-o", out},
      {"optimize", file_, "-o", out},
      {"bench", file_, "--loop=1"},
      {"run", file_, "--races=1"},
      {"run", file_, "--compare-with=cpu"}};
  const auto with_key = [](std::vector<std::string> call, const std::string& key) {
    call.push_back("--require-signature=" + key);
    return call;
  };
  for (const auto& call : calls) expect_refused(with_key(call, public_), "carries no signature");
  sign();
  for (const auto& call : calls) expect_refused(with_key(call, other_), "is not signed by key");
  EXPECT_FALSE(std::filesystem::exists(out));
  for (const auto& call : calls) {
    expect_good(with_key(call, public_));
    std::filesystem::remove_all(out);
  }
}

TEST_F(TrustTest, AKeyThatAFileIsCheckedByIsReplacedByNoVerb) {
  sign();
  const std::string data = folder_.path("data.bin"), before = read_file(public_);
  write_file(data, std::string(64, '\1'));
  for (std::vector<std::string> call : std::vector<std::vector<std::string>>{
           {"set", file_, "--payload=2=" + data, "-o", public_},
           {"report", file_, "-o", public_},
           {"optimize", file_, "-o", public_},
           {"run", file_, "--report=json=" + public_},
           {"run", file_, "--trace-out=" + public_},
           {"run", file_, "--compare-with=cpu", "--report=json=" + public_}}) {
    call.push_back("--require-signature=" + public_);
    expect_refused(call, "is an input");
    EXPECT_EQ(read_file(public_), before) << call[0];
  }
}

TEST_F(TrustTest, AChangedByteIsRefused) {
  sign();
  std::string content = read_file(file_);
  content[content.size() / 3] ^= 1;
  write_file(file_, content);
  for (const char* verb : {"run", "verify"}) {
    expect_refused({verb, file_, "--require-signature", public_}, "file.lmb");
  }
}

TEST_F(TrustTest, AFileCutShortIsRefused) {
  sign();
  const std::string content = read_file(file_);
  write_file(file_, content.substr(0, content.size() - 60));
  expect_refused({"run", file_, "--require-signature", public_}, "it was not closed");
}

TEST_F(TrustTest, BytesBehindASignedFileAreNeverTakenAsSigned) {
  sign();
  const std::string content = read_file(file_);
  for (const std::string& more :
       {std::string(8, '\0'), content.substr(content.size() - 40), content}) {
    write_file(file_, content + more);
    expect_refused({file_, "--require-signature", public_}, "is not signed by key");
    expect_refused({"verify", file_, "--allow-incomplete", "--require-signature", public_},
                   "is not signed by key");
  }
}

TEST_F(TrustTest, WhatIsNoKeyFileIsRefused) {
  expect_refused({"run", file_, "--require-signature", file_}, "it is no key file");
  expect_refused({"run", file_, "--require-signature", secret_}, "secret key 1");
  expect_refused({"sign", file_, "--key", public_}, "public key 1");
  expect_refused({"sign", file_, "--key", folder_.path("none.key")}, "No such file");
  expect_refused({"sign", file_}, "--key");
}

TEST_F(TrustTest, SigningInPlaceKeepsTheFilesRightsAndLeavesNothingBehind) {
  chmod(file_.c_str(), 0600);
  sign();
  EXPECT_EQ(mode_of(file_), 0600u);
  const ProcessResult listed = run_process({"/bin/ls", folder_.path()});
  EXPECT_THAT(listed.output, Not(HasSubstr("unfinished")));
}

TEST_F(TrustTest, SigningIntoAnotherFileLeavesTheFirstAsItWas) {
  const std::string before = read_file(file_);
  const std::string signed_file = folder_.path("signed.lmb");
  expect_good({"sign", file_, "--key", secret_, "-o", signed_file});
  EXPECT_EQ(read_file(file_), before);
  expect_good({"run", signed_file, "--require-signature", public_});
}

TEST_F(TrustTest, SigningTwiceWithOneKeyIsRefused) {
  sign();
  expect_refused({"sign", file_, "--key", secret_}, "already");
}

TEST_F(TrustTest, ADamagedFileIsNotSigned) {
  std::string content = read_file(file_);
  content[content.size() / 2] ^= 4;
  write_file(file_, content);
  expect_refused({"sign", file_, "--key", secret_}, "file.lmb");
  EXPECT_EQ(read_file(file_), content);
}

TEST_F(TrustTest, RepairSaysThatTheNewFileIsNotSigned) {
  sign();
  const ProcessResult result = runner({"repair", file_, "-o", folder_.path("new.lmb")});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr("not signed"));
}

// ---- Whose code runs ----

TEST_F(TrustTest, AFileThatOthersMayWriteToIsRefusedWithWhatToDo) {
  for (const mode_t mode : {0666, 0662, 0664}) {
    chmod(file_.c_str(), mode);
    expect_refused({file_}, "machine code that would run with your rights");
    expect_refused({file_}, "--trust");
    expect_good({file_, "--trust"});
  }
}

// Many systems let the group write to what a user makes.
TEST_F(TrustTest, WhatIsMadeHereRunsWhateverTheUmaskIs) {
  const mode_t before = umask(0);
  const std::string fresh = folder_.path("fresh.lmb");
  testing::capture_write_and_read(fresh);
  const std::string trimmed = folder_.path("trimmed.lmb");
  expect_good({"trim", fresh, "--calls", "0-", "-o", trimmed});
  const std::string saved = folder_.path("saved.lmb");
  tm::LightMetalBinary::load_from_file(fresh).save_to_file(saved);
  umask(before);
  EXPECT_EQ(mode_of(fresh), 0644u);
  EXPECT_EQ(mode_of(saved), 0644u);
  EXPECT_EQ(mode_of(trimmed), 0644u);
  expect_good({fresh});
}

TEST_F(TrustTest, AFileOfAnotherUserIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  ASSERT_EQ(chown(file_.c_str(), 12345, 12345), 0);
  expect_refused({file_}, "it belongs to user 12345");
  expect_good({file_, "--trust"});
}

TEST_F(TrustTest, ARightSignatureVouchesForAForeignFile) {
  sign();
  chmod(file_.c_str(), 0666);
  expect_good({file_, "--require-signature", public_});
  expect_refused({file_, "--require-signature", other_}, "is not signed by key");
}

TEST_F(TrustTest, TheNullDeviceRunsNoCodeAndNeedsNoTrust) {
  chmod(file_.c_str(), 0666);
  expect_good({file_, "--device", "null", "--no-check"});
}

TEST_F(TrustTest, WhatExecutesNothingNeedsNoTrust) {
  chmod(file_.c_str(), 0666);
  for (const char* verb : {"info", "verify", "dump"}) expect_good({verb, file_});
}

// ---- The library ----

TEST_F(TrustTest, TheLibraryChecksARequiredSignatureBeforeItLoads) {
  LoadOptions options;
  options.required_keys = {read_file(other_), read_file(public_)};
  EXPECT_EQ(Replay::load_file(file_, options).status().code(), absl::StatusCode::kUnauthenticated);
  sign();
  EXPECT_TRUE(Replay::load_file(file_, options).ok());
  options.required_keys = {"nonsense"};
  EXPECT_EQ(Replay::load_file(file_, options).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace lightmetal
