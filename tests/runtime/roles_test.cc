// What commands are to an executable follows from what the schema says of their fields.
#include "runtime/roles.h"

#include <gtest/gtest.h>

namespace lightmetal::runtime {
namespace {

using schema::Call;

TEST(Roles, FollowFromTheFieldsOfACall) {
  EXPECT_EQ(role_of(Call::BufferCreate), Role::kMake);
  EXPECT_EQ(role_of(Call::EventDestroy), Role::kEnd);
  EXPECT_EQ(role_of(Call::SetRuntimeArgs), Role::kSet);
  EXPECT_EQ(role_of(Call::UpdateCircularBufferPageSize), Role::kSet);
  EXPECT_EQ(role_of(Call::EnqueueWriteSubBuffer), Role::kWrite);
  EXPECT_EQ(role_of(Call::WriteToDeviceL1), Role::kWork);  // bytes for no buffer
  EXPECT_EQ(role_of(Call::ReadFromDeviceL1), Role::kRead);
  EXPECT_EQ(role_of(Call::LaunchProgram), Role::kWork);
}

TEST(Roles, OfCallsWhoseFieldsDoNotTellAreListed) {
  EXPECT_EQ(role_of(Call::CreateSemaphore), Role::kMake);
  EXPECT_EQ(role_of(Call::BufferDeallocate), Role::kEnd);
  EXPECT_EQ(role_of(Call::GlobalCircularBufferCreate), Role::kDivide);
  EXPECT_EQ(role_of(Call::ScopeBegin), Role::kNone);
}

}  // namespace
}  // namespace lightmetal::runtime
