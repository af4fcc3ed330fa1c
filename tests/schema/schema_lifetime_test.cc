#include <malloc.h>

#include <cstring>
#include <map>
#include <random>
#include <set>

#include "schema/semantics/lifetime.h"
#include "tests/schema/schema_testing.h"

// What a command says about objects has to be true. The tests over all commands know no command by
// name: which ids there are, and what creates and destroys their objects, comes from the schema.

namespace lightmetal::schema {
namespace {

using testing::Content;
using testing::encoded;
using testing::IsError;

constexpr uint64_t kNobody = 0x5BABABAB00000099;

std::vector<IdReference> references_of(const Command& command) {
  std::vector<IdReference> references;
  visit_ids(command, [&](const IdReference& reference) { references.push_back(reference); });
  return references;
}

std::vector<IdReference> references_of(const CommandT& command) {
  return references_of(*GetSizePrefixedCommand(encoded(command).data()));
}

absl::Status apply(Lifetimes& lifetimes, uint64_t number, const Content& encoded) {
  const Command& command = *GetSizePrefixedCommand(encoded.data());
  return lifetimes.apply({number, 100 * number, &command}, references_of(command));
}

std::string kind_of(const IdReference& reference) { return name_of(reference.kind); }

// The samples that create an object of each kind, and those after which it is gone.
struct Lives {
  std::map<std::string, CommandT> creators;
  std::map<std::string, CommandT> destroyers;

  Lives() {
    for (const CommandT& command : samples::all()) {
      for (const IdReference& reference : references_of(command)) {
        if (reference.role == IdRole::Creates) creators.try_emplace(kind_of(reference), command);
        if (reference.role == IdRole::Destroys) destroyers[kind_of(reference)] = command;
      }
    }
    // What has no destroyer of its own goes with its owner.
    for (const auto& [kind, creator] : creators) {
      for (const IdReference& reference : references_of(creator)) {
        if (reference.owner) destroyers.try_emplace(kind, destroyers.at(kind_of(reference)));
      }
    }
  }
};

const Lives& lives() {
  static const Lives lives;
  return lives;
}

// Appends what has to be there before `command`, the objects that it creates itself excepted.
void create_for(const CommandT& command, std::set<std::string>& made, std::vector<CommandT>& out) {
  for (const IdReference& reference : references_of(command)) {
    const std::string kind = kind_of(reference);
    if (reference.role == IdRole::Creates || !made.insert(kind).second) continue;
    const CommandT& creator = lives().creators.at(kind);
    create_for(creator, made, out);
    out.push_back(creator);
  }
}

std::vector<CommandT> prelude_of(const CommandT& command) {
  std::set<std::string> made;
  std::vector<CommandT> prelude;
  create_for(command, made, prelude);
  return prelude;
}

void replace_id(Content& bytes, uint64_t from, uint64_t to) {
  for (size_t i = 0; i + sizeof(from) <= bytes.size(); i += 4) {
    if (std::memcmp(&bytes[i], &from, sizeof(from)) == 0) std::memcpy(&bytes[i], &to, sizeof(to));
  }
}

// Applies `prelude`, which has to be right, and then the encoded command.
absl::Status apply_last(const std::vector<CommandT>& prelude, const Content& command) {
  Lifetimes lifetimes;
  uint64_t number = 0;
  for (const CommandT& before : prelude) {
    const absl::Status status = apply(lifetimes, number, encoded(before));
    EXPECT_TRUE(status.ok()) << status;
    ++number;
  }
  return apply(lifetimes, number, command);
}

class EveryCommandsIds : public ::testing::TestWithParam<CommandT> {};

INSTANTIATE_TEST_SUITE_P(Samples, EveryCommandsIds, ::testing::ValuesIn(samples::all()),
                         [](const auto& info) { return EnumNameCall(info.param.call.type); });

TEST_P(EveryCommandsIds, AreGoodWhenTheObjectsLive) {
  const absl::Status status = apply_last(prelude_of(GetParam()), encoded(GetParam()));
  EXPECT_TRUE(status.ok()) << status;
}

TEST_P(EveryCommandsIds, AreRefusedBeforeTheObjectIsCreated) {
  const std::vector<CommandT> prelude = prelude_of(GetParam());
  for (const IdReference& reference : references_of(GetParam())) {
    if (reference.role == IdRole::Creates) continue;
    Content command = encoded(GetParam());
    replace_id(command, reference.id, kNobody);
    EXPECT_THAT(
        apply_last(prelude, command),
        IsError(absl::StatusCode::kDataLoss, absl::StrCat(kind_in_words(reference.kind), " ",
                                                          kNobody, ", which nothing has created")));
  }
}

TEST_P(EveryCommandsIds, AreRefusedAfterTheObjectIsDestroyed) {
  for (const IdReference& reference : references_of(GetParam())) {
    if (reference.role == IdRole::Creates) continue;
    std::vector<CommandT> prelude = prelude_of(GetParam());
    const CommandT& destroyer = lives().destroyers.at(kind_of(reference));
    for (const CommandT& needed : prelude_of(destroyer)) {
      if (std::find(prelude.begin(), prelude.end(), needed) == prelude.end()) {
        prelude.push_back(needed);
      }
    }
    prelude.push_back(destroyer);
    EXPECT_THAT(apply_last(prelude, encoded(GetParam())),
                IsError(absl::StatusCode::kDataLoss,
                        absl::StrCat("which was destroyed by command ", prelude.size() - 1)))
        << reference.field;
  }
}

TEST_P(EveryCommandsIds, AreRefusedWhenTheyAreNew) {
  for (const IdReference& reference : references_of(GetParam())) {
    if (reference.role != IdRole::Creates) continue;
    std::vector<CommandT> prelude = prelude_of(GetParam());
    prelude.push_back(GetParam());
    EXPECT_THAT(apply_last(prelude, encoded(GetParam())),
                IsError(absl::StatusCode::kDataLoss,
                        absl::StrCat("creates ", kind_in_words(reference.kind), " ", reference.id,
                                     ", which command ", prelude.size() - 1, " created")));
  }
}

// An id in the call's own table has to name an object; one inside a value may be 0 for none.
TEST_P(EveryCommandsIds, AreRefusedWhenTheCallNamesNothing) {
  const std::vector<CommandT> prelude = prelude_of(GetParam());
  for (const IdReference& reference : references_of(GetParam())) {
    Content command = encoded(GetParam());
    replace_id(command, reference.id, 0);
    const absl::Status status = apply_last(prelude, command);
    if (reference.direct) {
      EXPECT_THAT(status, IsError(absl::StatusCode::kDataLoss, " 0, which names no object"));
    } else {
      EXPECT_TRUE(status.ok()) << status;
    }
  }
}

TEST(LifetimesTest, TheErrorNamesCommandOffsetAndObject) {
  std::vector<CommandT> prelude = {samples::command_of(samples::Of<CreateDevice>()),
                                   samples::command_of(samples::Of<ProgramCreate>()),
                                   samples::command_of(samples::Of<ProgramDestroy>())};
  const absl::Status status =
      apply_last(prelude, encoded(samples::command_of(samples::Of<EnqueueProgram>())));
  EXPECT_EQ(
      status.message(),
      absl::StrCat("command 3 (EnqueueProgram, at offset 300) uses program ",
                   prelude[1].call.AsProgramCreate()->id, ", which was destroyed by command 2"));
}

TEST(LifetimesTest, AnOwnerTakesWhatItOwnsAlong) {
  const absl::Status status =
      apply_last({samples::command_of(samples::Of<ProgramCreate>()),
                  samples::command_of(samples::Of<KernelCreate>()),
                  samples::command_of(samples::Of<ProgramDestroy>())},
                 encoded(samples::command_of(samples::Of<SetRuntimeArgs>())));
  EXPECT_THAT(status, IsError(absl::StatusCode::kDataLoss, "destroyed by command 2"));
}

// Programs close a device and let go of its buffers later.
TEST(LifetimesTest, ABufferOutlivesItsDevice) {
  const absl::Status status =
      apply_last({samples::command_of(samples::Of<CreateDevice>()),
                  samples::command_of(samples::Of<BufferCreate>()),
                  samples::command_of(samples::Of<CloseDevice>())},
                 encoded(samples::command_of(samples::Of<BufferDestroy>())));
  EXPECT_TRUE(status.ok()) << status;
}

TEST(LifetimesTest, ObjectsAreCounted) {
  Lifetimes lifetimes;
  uint64_t number = 0;
  const auto take = [&](const CommandT& command) {
    return apply(lifetimes, number++, encoded(command));
  };
  ASSERT_TRUE(take(samples::command_of(samples::Of<ProgramCreate>())).ok());
  ASSERT_TRUE(take(samples::command_of(samples::Of<KernelCreate>())).ok());
  ASSERT_TRUE(take(samples::command_of(samples::Of<EventCreate>())).ok());
  EXPECT_EQ(lifetimes.num_alive(), 3);
  ASSERT_TRUE(take(samples::command_of(samples::Of<ProgramDestroy>())).ok());
  EXPECT_EQ(lifetimes.num_created(), 3);
  EXPECT_EQ(lifetimes.num_alive(), 1);
}

// Events that come and go.
class EventLifetimes {
 public:
  absl::Status create(uint64_t id) {
    create_.call.AsEventCreate()->id = id;
    return apply(lifetimes_, number_++, encoded(create_));
  }
  absl::Status destroy(uint64_t id) {
    destroy_.call.AsEventDestroy()->event = id;
    return apply(lifetimes_, number_++, encoded(destroy_));
  }

 private:
  CommandT create_ = samples::command_of(samples::Of<EventCreate>());
  CommandT destroy_ = samples::command_of(samples::Of<EventDestroy>());
  Lifetimes lifetimes_;
  uint64_t number_ = 0;
};

TEST(LifetimesTest, NoIdComesBackInWhateverOrderObjectsEnd) {
  constexpr uint64_t kIds = 60;
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 100; ++round) {
    EventLifetimes events;
    std::map<uint64_t, bool> alive;  // of those that were created
    for (int step = 0; step < 300; ++step) {
      const uint64_t id = 1 + random() % kIds;
      const bool was_alive = alive.contains(id) && alive[id];
      if (random() % 2 == 0) {
        ASSERT_EQ(events.create(id).ok(), !alive.contains(id)) << id;
        if (!alive.contains(id)) alive[id] = true;
      } else {
        const absl::Status destroyed = events.destroy(id);
        ASSERT_EQ(destroyed.ok(), was_alive) << id;
        if (!was_alive) {
          EXPECT_THAT(destroyed, IsError(absl::StatusCode::kDataLoss,
                                         alive.contains(id) ? "was destroyed by" : "has created"));
        }
        if (was_alive) alive[id] = false;
      }
    }
  }
}

TEST(LifetimesTest, TheLargestIdMayEnd) {
  EventLifetimes events;
  for (const uint64_t id : {~uint64_t{0}, ~uint64_t{0} - 1, uint64_t{1}}) {
    EXPECT_TRUE(events.create(id).ok());
    EXPECT_TRUE(events.destroy(id).ok());
  }
  EXPECT_THAT(events.destroy(~uint64_t{0}),
              IsError(absl::StatusCode::kDataLoss, "which was destroyed by command 3 or before"));
  EXPECT_THAT(events.create(1),
              IsError(absl::StatusCode::kDataLoss, "which was destroyed by command 5"));
  EXPECT_TRUE(events.create(2).ok());
}

// The bytes that are allocated; large pieces have mappings of their own. Sanitizers count nothing.
size_t heap_bytes() {
  const struct mallinfo2 heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

TEST(LifetimesTest, ObjectsThatAreGoneTakeNoMemory) {
  EventLifetimes events;
  const auto live_through = [&](uint64_t first, uint64_t last) {
    for (uint64_t id = first; id <= last; ++id) {
      ASSERT_TRUE(events.create(id).ok());
      ASSERT_TRUE(id <= 100 || events.destroy(id - 100).ok());
    }
  };
  live_through(1, 1'000);
  const size_t before = heap_bytes();
  live_through(1'001, 100'000);
  EXPECT_LT(heap_bytes(), before + 4096);
}

TEST(LifetimesTest, AnOwnerThatStaysForgetsWhatItHad) {
  Lifetimes lifetimes;
  uint64_t number = 0;
  CommandT create = samples::command_of(samples::Of<SubDeviceManagerCreate>());
  CommandT remove = samples::command_of(samples::Of<SubDeviceManagerRemove>());
  const auto live_through = [&](uint64_t first, uint64_t last) {
    for (uint64_t id = first; id <= last; ++id) {
      create.call.AsSubDeviceManagerCreate()->id = id;
      remove.call.AsSubDeviceManagerRemove()->manager = id;
      ASSERT_EQ(apply(lifetimes, number++, encoded(create)), absl::OkStatus());
      ASSERT_EQ(apply(lifetimes, number++, encoded(remove)), absl::OkStatus());
    }
  };
  const CommandT device = samples::command_of(samples::Of<CreateDevice>());
  ASSERT_EQ(apply(lifetimes, number++, encoded(device)), absl::OkStatus());
  live_through(1, 1'000);
  const size_t before = heap_bytes();
  live_through(1'001, 100'000);
  EXPECT_LT(heap_bytes(), before + 4096);
}

}  // namespace
}  // namespace lightmetal::schema
