#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "tests/support/process.h"

namespace lightmetal::testing {

// Waits until a thread of this process sleeps, and goes on sleeping. `thread` may be 0 until the
// thread has written its id.
inline void wait_for_sleep_of(const std::atomic<pid_t>& thread) {
  for (int in_a_row = 0; in_a_row < 10;
       std::this_thread::sleep_for(std::chrono::microseconds(50))) {
    const std::string stat =
        read_file("/proc/self/task/" + std::to_string(thread.load()) + "/stat");
    const size_t name_ends = stat.rfind(") ");
    in_a_row = name_ends != stat.npos && stat[name_ends + 2] == 'S' ? in_a_row + 1 : 0;
  }
}

}  // namespace lightmetal::testing
