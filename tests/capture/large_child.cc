// Writes the MiB of payloads that its argument says, no two alike, through one buffer of 32 MiB on
// the device, and reads some of them back. Prints the most memory that was resident, in bytes.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <vector>

namespace {

using namespace tt::tt_metal;

constexpr size_t kBufferBytes = size_t{32} << 20;
constexpr size_t kPageBytes = size_t{1} << 20;
constexpr uint64_t kRoundsForEachRead = 16;

uint64_t next_random(uint64_t& state) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

void fill(std::vector<uint64_t>& words, uint64_t& state) {
  for (uint64_t& word : words) word = next_random(state);
}

// One word in each 4 KiB: enough for another payload, and soon done.
void change(std::vector<uint64_t>& words, uint64_t& state) {
  for (size_t i = 0; i < words.size(); i += 512) words[i] ^= next_random(state);
}

bool write_and_read(IDevice* device, uint64_t rounds) {
  auto buffer = Buffer::create(device, kBufferBytes, kPageBytes, BufferType::DRAM);
  CommandQueue& queue = device->command_queue();
  uint64_t state = 88172645463325252;
  std::vector<uint64_t> written(kBufferBytes / sizeof(uint64_t)), read(written.size());
  fill(written, state);
  for (uint64_t round = 0; round < rounds; ++round) {
    change(written, state);
    EnqueueWriteBuffer(queue, *buffer, written.data(), /*blocking=*/round % 2 == 1);
    if (round % kRoundsForEachRead != 0) continue;
    EnqueueReadBuffer(queue, *buffer, read.data(), /*blocking=*/true);
    if (read != written) return false;
  }
  Finish(queue);
  return true;
}

// The field VmHWM of /proc/self/status, which, unlike getrusage's, begins with this program.
uint64_t peak_resident_bytes() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) << 10;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return EXIT_FAILURE;
  IDevice* device = CreateDevice(0);
  const bool good = write_and_read(device, (std::stoull(argv[1]) << 20) / kBufferBytes);
  CloseDevice(device);
  std::printf("%llu\n", static_cast<unsigned long long>(peak_resident_bytes()));
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
