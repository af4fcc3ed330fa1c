#include "base/zone_marks.h"

#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>

#include "base/mutex.h"
#include "base/timeline.h"

namespace lightmetal::zone_marks {
namespace {

constinit Mutex g_mutex;
std::map<int, std::vector<Mark>>& kept() ABSL_EXCLUSIVE_LOCKS_REQUIRED(g_mutex) {
  // Never destroyed: devices may work while the process exits.
  static auto& marks = *new std::map<int, std::vector<Mark>>;
  return marks;
}

}  // namespace

bool are_asked_for() {
  const char* value = std::getenv("TT_METAL_DEVICE_PROFILER");
  return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

void add(Mark mark) {
  MutexLock lock(&g_mutex);
  std::vector<Mark>& marks = kept()[mark.chip];
  if (marks.size() >= kMostMarks) return;
  mark.time = timeline::now();
  marks.push_back(std::move(mark));
}

std::vector<Mark> take(int chip) {
  MutexLock lock(&g_mutex);
  return std::exchange(kept()[chip], {});
}

}  // namespace lightmetal::zone_marks
