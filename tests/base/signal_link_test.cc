// A handler in the chain of a process, installed and removed several times.
#include "base/signal_link.h"

#include <gtest/gtest.h>

namespace lightmetal {
namespace {

constexpr int kSignal = SIGUSR1;

int own_calls = 0, programs_calls = 0;

void handle_own(int signal, siginfo_t* info, void* context);
SignalLink link_of_test(kSignal, handle_own);

void handle_own(int, siginfo_t* info, void* context) {
  ++own_calls;
  link_of_test.pass_on(info, context);
}
void handle_programs(int) { ++programs_calls; }

struct sigaction current() {
  struct sigaction action = {};
  sigaction(kSignal, nullptr, &action);
  return action;
}

void handle_and_pass_on(int, siginfo_t*, void*) {}

void install_programs(int flags) {
  struct sigaction action = {};
  action.sa_handler = handle_programs;
  action.sa_flags = flags;
  sigaction(kSignal, &action, nullptr);
}

class SignalLinkTest : public ::testing::Test {
 protected:
  void SetUp() override { own_calls = programs_calls = 0; }
  void TearDown() override {
    ::signal(kSignal, SIG_DFL);
    // On top of the default action it knows that it is in no chain.
    link_of_test.install();
    link_of_test.remove();
  }
};

TEST_F(SignalLinkTest, PassesOnEachTimeAndPutsBackWhatWasThere) {
  install_programs(SA_RESTART);
  for (int round = 1; round <= 3; ++round) {
    link_of_test.install();
    link_of_test.install();  // twice is once
    EXPECT_NE(current().sa_flags & SA_RESTART, 0);
    EXPECT_TRUE(link_of_test.is_reached());
    raise(kSignal);
    raise(kSignal);
    link_of_test.remove();
    link_of_test.remove();
    EXPECT_EQ(current().sa_handler, handle_programs);
    EXPECT_EQ(own_calls, 2 * round);
    EXPECT_EQ(programs_calls, 2 * round);
  }
}

TEST_F(SignalLinkTest, AHandlerForOneSignalServesOneEachTimeItIsInstalled) {
  for (int round = 1; round <= 3; ++round) {
    install_programs(SA_RESETHAND);
    link_of_test.install();
    raise(kSignal);
    EXPECT_EQ(programs_calls, round);
    link_of_test.remove();
    EXPECT_EQ(current().sa_handler, SIG_DFL);
  }
  install_programs(SA_RESETHAND);
  link_of_test.install();
  link_of_test.remove();
  EXPECT_EQ(current().sa_handler, handle_programs);  // no signal has used it up
}

TEST_F(SignalLinkTest, StaysBelowAHandlerThatTheProgramInstallsLater) {
  link_of_test.install();
  install_programs(0);
  link_of_test.install();
  EXPECT_EQ(current().sa_handler, handle_programs);
  link_of_test.remove();
  EXPECT_EQ(current().sa_handler, handle_programs);
  raise(kSignal);
  EXPECT_EQ(own_calls, 0);
}

TEST_F(SignalLinkTest, IsInstalledAgainOnceTheProgramHasThrownItAway) {
  link_of_test.install();
  ::signal(kSignal, SIG_DFL);
  EXPECT_FALSE(link_of_test.is_reached());
  link_of_test.install();
  EXPECT_TRUE(link_of_test.is_reached());
  link_of_test.remove();
  EXPECT_EQ(current().sa_handler, SIG_DFL);
}

TEST_F(SignalLinkTest, IsReachedBelowAHandlerThatIsKnownToPassOnItsSignal) {
  link_of_test.install();
  static struct sigaction below = {};  // noted for the rest of the process
  below = current();
  struct sigaction action = {};
  action.sa_sigaction = handle_and_pass_on;
  action.sa_flags = SA_SIGINFO;
  sigaction(kSignal, &action, nullptr);
  EXPECT_FALSE(link_of_test.is_reached());
  note_passing_handler(SIGUSR2, handle_and_pass_on, &below);
  EXPECT_FALSE(link_of_test.is_reached());
  note_passing_handler(kSignal, handle_and_pass_on, &below);
  EXPECT_TRUE(link_of_test.is_reached());
}

TEST_F(SignalLinkTest, LeavesAnIgnoredSignalAlone) {
  ::signal(kSignal, SIG_IGN);
  link_of_test.install();
  EXPECT_EQ(current().sa_handler, SIG_IGN);
  EXPECT_FALSE(link_of_test.is_reached());
}

}  // namespace
}  // namespace lightmetal
