// Writes the file that its argument names to a buffer, from where it is mapped, and reads it back:
// what a capture with LIGHTMETAL_CAPTURE_PAYLOADS=reference refers to.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <tt-metalium/host_api.hpp>
#include <vector>

namespace {

using namespace tt::tt_metal;

constexpr uint32_t kPage = 4096;

bool write_and_read(const void* weights, size_t size) {
  IDevice* device = CreateDevice(0);
  std::vector<uint8_t> read(size);
  {
    auto buffer = Buffer::create(device, size, kPage, BufferType::DRAM);
    EnqueueWriteBuffer(device->command_queue(), *buffer, weights, /*blocking=*/false);
    EnqueueReadBuffer(device->command_queue(), *buffer, read.data(), /*blocking=*/true);
  }
  CloseDevice(device);
  return std::memcmp(read.data(), weights, size) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return EXIT_FAILURE;
  const int file = open(argv[1], O_RDONLY | O_CLOEXEC);
  const auto size = static_cast<size_t>(lseek(file, 0, SEEK_END));
  void* weights = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (weights == MAP_FAILED) return EXIT_FAILURE;
  return write_and_read(weights, size) ? EXIT_SUCCESS : EXIT_FAILURE;
}
