#include "device/cpu/machine/transfer.h"

namespace lightmetal::device::cpu {

const char* name_of(TransferKind kind) {
  switch (kind) {
    case TransferKind::kRead:
      return "NoC read";
    case TransferKind::kWrite:
      return "NoC write";
    case TransferKind::kMulticast:
      return "NoC multicast";
  }
  return "NoC transfer";
}

}  // namespace lightmetal::device::cpu
