#pragma once

#include "lightmetal/builtins.h"
#include "lightmetal/kernel.h"
#include "lightmetal/pass.h"
#include "lightmetal_kernel_abi_diagnosis.h"

// The functions that many kernels need and none has to compile: this header is no kernel's, but an
// object of its own, which is compiled once and of which each kernel is linked with what it calls.
// So it depends on nothing that differs between kernels.

extern "C" void lightmetal_yield() {
  lightmetal::kernel::context()->services->yield(lightmetal::kernel::context());
  if (lightmetal::kernel::hooks().after_yield != nullptr) lightmetal::kernel::hooks().after_yield();
}

namespace lightmetal::kernel {

// A short text made in a kernel. What does not fit is left out.
class Message {
 public:
  FORCE_INLINE Message& operator<<(const char* text) {
    while (*text != 0) append(*text++);
    return *this;
  }
  FORCE_INLINE Message& operator<<(uint32_t number) {
    uint32_t divisor = 1;
    while (number / divisor >= 10) divisor *= 10;
    for (; divisor != 0; divisor /= 10) append(static_cast<char>('0' + number / divisor % 10));
    return *this;
  }
  const char* text() const { return text_; }

 private:
  FORCE_INLINE void append(char character) {
    if (length_ + 1 < sizeof(text_)) text_[length_++] = character;
  }

  char text_[200] = {};
  uint32_t length_ = 0;
};

void fail(const char* message, const char* file, uint32_t line) {
  context()->services->fail(context(), file, line, message);
  __builtin_trap();
}

void fail_circular_buffer(uint32_t index, const char* what) {
  Message message;
  message << "circular buffer " << index << ": " << what;
  fail(message.text());
}

void tolerate_pages(uint32_t index, const char* did, uint32_t pages, const char* but,
                    int32_t limit) {
  Message message;
  message << "circular buffer " << index << ": " << did << " " << pages
          << (pages == 1 ? " page, " : " pages, ") << but << " "
          << static_cast<uint32_t>(limit < 0 ? 0 : limit);
  context()->services->diagnosis->tolerate(context(), kernel_abi::Misuse::kPages, index,
                                           message.text());
}

void tolerate_missing(uint32_t index, const char* did) {
  Message message;
  message << "circular buffer " << index << ": " << did
          << " pages, but this core has no such circular buffer";
  context()->services->diagnosis->tolerate(context(), kernel_abi::Misuse::kMissingBuffer, index,
                                           message.text());
}

// No circular buffer is concerned.
void tolerate_packet(uint32_t size, uint32_t limit) {
  Message message;
  message << "NoC transfer of one packet: moves " << size
          << " bytes, but a packet has at most NOC_MAX_BURST_SIZE (" << limit << ")";
  context()->services->diagnosis->tolerate(context(), kernel_abi::Misuse::kLongPacket,
                                           kernel_abi::kMaxCircularBuffers, message.text());
}

void fail_semaphore(uint32_t id, uint32_t count) {
  Message message;
  message << "semaphore " << id << " does not exist; a core has " << count;
  fail(message.text());
}

}  // namespace lightmetal::kernel
