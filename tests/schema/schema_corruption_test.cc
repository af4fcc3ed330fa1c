#include <algorithm>

#include "schema/show/dump.h"
#include "schema/show/info.h"
#include "tests/schema/schema_testing.h"

// Cut a file at every byte, change every byte.

namespace lightmetal::schema {
namespace {

using testing::Content;

// Every command that there is, and a payload.
const Content& real_file() {
  static const Content content = testing::written(testing::legal_sequence());
  return content;
}

// Uses whatever can be read of a file that need not be good.
void read_all(const File& file) {
  const auto ignore = [](absl::string_view) { return absl::OkStatus(); };
  (void)dump(file, {.format = DumpFormat::Text, .values = true}, ignore);
  (void)dump(file, {.format = DumpFormat::JsonLines, .values = true}, ignore);
  (void)info_text(file);
  (void)info_json(file);
  (void)file.blob(*samples::blob());
}

TEST(CorruptionTest, TheWholeFileIsGood) {
  EXPECT_TRUE(testing::open_and_verify(real_file()).ok());
}

TEST(CorruptionTest, EveryCutIsAnErrorOrAVerifiedPrefix) {
  const auto whole = testing::opened(real_file());
  std::vector<uint64_t> ends;
  ASSERT_TRUE(whole
                  ->for_each_command([&](const CommandView& view) {
                    ends.push_back(whole->frame_at(view.offset)->end);
                    return absl::OkStatus();
                  })
                  .ok());
  const uint64_t session_end = whole->frame_at(File::frames_begin())->end;
  for (size_t size = 0; size < real_file().size(); ++size) {
    const auto file = File::from_bytes(testing::copy_of(Bytes(real_file()).first(size)), "cut.lmb");
    ASSERT_EQ(file.ok(), size >= session_end) << size << ": " << file.status();
    if (!file.ok()) {
      EXPECT_NE(file.status().message().find("cut.lmb"), absl::string_view::npos);
      continue;
    }
    const auto whole_commands =
        std::count_if(ends.begin(), ends.end(), [&](uint64_t end) { return end <= size; });
    EXPECT_EQ((*file)->num_commands(), whole_commands) << size;
    EXPECT_FALSE((*file)->complete());
    EXPECT_THAT(verify(**file, nullptr, testing::kFormAlone),
                testing::IsError(absl::StatusCode::kDataLoss, "cut.lmb is incomplete: it was not"));
    VerifyReport report;
    EXPECT_TRUE(verify(**file, &report, {.allow_incomplete = true, .check_meaning = false}).ok())
        << size;
    EXPECT_EQ(report.commands, whole_commands);
  }
}

TEST(CorruptionTest, EveryChangedByteIsFound) {
  for (size_t i = 0; i < real_file().size(); ++i) {
    for (const int change : {1 << (i % 8), 0xFF}) {
      Content changed = real_file();
      changed[i] ^= static_cast<std::byte>(change);
      const absl::Status status = testing::open_and_verify(changed);
      ASSERT_FALSE(status.ok()) << "byte " << i << " changed by " << change;
      EXPECT_NE(status.message().find("the file in memory"), absl::string_view::npos) << status;
      EXPECT_EQ(status.message().find('\n'), absl::string_view::npos) << status;
    }
  }
}

TEST(CorruptionTest, AFileWithAChangedByteCanStillBeLookedAt) {
  for (size_t i = 0; i < real_file().size(); i += 3) {
    Content changed = real_file();
    changed[i] ^= std::byte{0x40};
    const auto file = File::from_bytes(changed);
    if (file.ok()) read_all(**file);
  }
}

TEST(CorruptionTest, EveryByteTurnedToZeroFromSomewhereOnIsFound) {
  for (size_t from = 0; from + 1 < real_file().size(); from += 5) {
    Content changed = real_file();
    std::fill(changed.begin() + static_cast<int64_t>(from), changed.end(), std::byte{0});
    if (changed == real_file()) continue;  // They were zero.
    EXPECT_FALSE(testing::open_and_verify(changed).ok()) << from;
  }
}

}  // namespace
}  // namespace lightmetal::schema
