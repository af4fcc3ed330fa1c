#include "device/cpu/kernels/kernel_image.h"

#include <elf.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/round.h"
#include "base/status.h"
#include "device/cpu/memory/confined_code.h"
#include "device/cpu/memory/mapping.h"
#include "device/cpu/memory/memory_guard.h"

namespace lightmetal::device::cpu {
namespace {

#if defined(__aarch64__)
constexpr uint16_t kMachine = EM_AARCH64;
constexpr uint32_t kRelative = R_AARCH64_RELATIVE;
constexpr uint32_t kSymbolTypes[] = {R_AARCH64_ABS64, R_AARCH64_GLOB_DAT, R_AARCH64_JUMP_SLOT};
#else
constexpr uint16_t kMachine = EM_X86_64;
constexpr uint32_t kRelative = R_X86_64_RELATIVE;
constexpr uint32_t kSymbolTypes[] = {R_X86_64_64, R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT};
#endif

// No kernel comes near this size. An object that claims more is refused before memory is taken for
// it, and below it no sum of two offsets overflows.
constexpr uint64_t kMaxSize = uint64_t{256} << 20;

absl::Status unfit(absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("not a loadable kernel object: ", why));
}

template <class Value>
std::optional<Value> value_at(Bytes bytes, uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Value)) return std::nullopt;
  Value value;
  std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}

// The hash of a name in a table of DT_GNU_HASH.
uint32_t hash_of(const std::string& name) {
  uint32_t hash = 5381;
  for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
  return hash;
}

#if defined(__x86_64__)
// Whether a byte is a prefix, which may stand before the operation of an instruction.
bool is_prefix(uint8_t byte) {
  if ((byte & 0xf0) == 0x40) return true;  // REX
  switch (byte) {
    case 0x26:
    case 0x2e:
    case 0x36:
    case 0x3e:
    case 0x64:
    case 0x65:
    case 0x66:
    case 0x67:
    case 0xf0:
    case 0xf2:
    case 0xf3:
      return true;
    default:
      return false;
  }
}
#endif

}  // namespace

// Loads one image. The steps of load() stand in their order, and each relies on those before it:
// instructions are checked after relocation, because a relocation can write anything into a page of
// code, and pages become executable only when they have been checked.
class KernelImage::Loader {
 public:
  explicit Loader(Bytes object) : object_(object) {}

  absl::StatusOr<std::unique_ptr<const KernelImage>> load() {
    LM_RETURN_IF_ERROR(read_segments());
    LM_RETURN_IF_ERROR(copy_segments());
    LM_RETURN_IF_ERROR(read_dynamic());
    LM_RETURN_IF_ERROR(relocate(DT_RELA, DT_RELASZ));
    LM_RETURN_IF_ERROR(relocate(DT_JMPREL, DT_PLTRELSZ));
    LM_RETURN_IF_ERROR(check_instructions());
    LM_RETURN_IF_ERROR(protect());
    return std::move(image_);
  }

 private:
  absl::Status read_segments();
  absl::Status add_segment(const Elf64_Phdr& segment);
  absl::Status copy_segments();
  absl::Status read_dynamic();
  absl::Status relocate(int64_t table_tag, int64_t size_tag);
  absl::StatusOr<uint64_t> value_of(const Elf64_Rela& relocation) const;
  std::string refused_instruction(uint64_t at) const;
  absl::Status check_instructions() const;
  absl::Status set_rights(uint64_t begin, uint64_t size, int rights);
  absl::Status protect();

  uint64_t tag(int64_t name) const {
    const auto found = tags_.find(name);
    return found == tags_.end() ? 0 : found->second;
  }

  const Bytes object_;
  std::vector<Elf64_Phdr> segments_;  // in ascending order, each on pages of its own
  std::optional<Elf64_Phdr> dynamic_;
  std::map<int64_t, uint64_t> tags_;
  std::unique_ptr<KernelImage> image_;
};

absl::Status KernelImage::Loader::read_segments() {
  const auto header = value_at<Elf64_Ehdr>(object_, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
    return unfit("it is no ELF file");
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
      header->e_type != ET_DYN || header->e_machine != kMachine ||
      header->e_phentsize != sizeof(Elf64_Phdr)) {
    return unfit("it is no shared object of this machine");
  }
  for (uint64_t i = 0; i < header->e_phnum; ++i) {
    // The sum below cannot overflow when the table of segments begins inside the object.
    if (header->e_phoff > object_.size()) return unfit("its segments are not in it");
    const auto segment = value_at<Elf64_Phdr>(object_, header->e_phoff + i * sizeof(Elf64_Phdr));
    if (!segment) return unfit("its segments are not in it");
    if (segment->p_type == PT_TLS) return unfit("it has variables for each thread");
    if (segment->p_type == PT_DYNAMIC) dynamic_ = *segment;
    if (segment->p_type == PT_LOAD) LM_RETURN_IF_ERROR(add_segment(*segment));
  }
  if (segments_.empty() || !dynamic_) return unfit("it has no segments to load");
  return absl::OkStatus();
}

absl::Status KernelImage::Loader::add_segment(const Elf64_Phdr& segment) {
  const uint64_t previous_end =
      segments_.empty() ? 0 : segments_.back().p_vaddr + segments_.back().p_memsz;
  const uint64_t first_free_page = (previous_end + page_size() - 1) & -page_size();
  if (segment.p_memsz > kMaxSize || segment.p_vaddr > kMaxSize ||
      segment.p_filesz > segment.p_memsz || segment.p_filesz > object_.size() ||
      segment.p_offset > object_.size() - segment.p_filesz) {
    return unfit("a segment is larger than it can be");
  }
  if (!segments_.empty() && segment.p_vaddr / page_size() * page_size() < first_free_page) {
    return unfit("two of its segments share a page");
  }
  if ((segment.p_flags & PF_W) != 0 && (segment.p_flags & PF_X) != 0) {
    return unfit("a segment can be both written and executed");
  }
  segments_.push_back(segment);
  return absl::OkStatus();
}

absl::Status KernelImage::Loader::copy_segments() {
  const uint64_t size = segments_.back().p_vaddr + segments_.back().p_memsz;
  LM_ASSIGN_OR_RETURN(memory, take_code_memory(size));
  image_.reset(new KernelImage(memory, size));
  image_->code_begin_ = std::numeric_limits<uint64_t>::max();
  for (const Elf64_Phdr& segment : segments_) {
    std::memcpy(memory + segment.p_vaddr, object_.data() + segment.p_offset, segment.p_filesz);
    if ((segment.p_flags & PF_X) == 0) continue;
    // protect() changes whole pages, and relocations can have written to every byte of them.
    image_->code_begin_ = std::min(image_->code_begin_, round_down(segment.p_vaddr, page_size()));
    image_->code_end_ =
        std::max(image_->code_end_, round_up(segment.p_vaddr + segment.p_memsz, page_size()));
  }
  return absl::OkStatus();
}

// Refuses what would run code at loading (DT_INIT and its like), need another object, or need
// relocations that relocate() does not know.
absl::Status KernelImage::Loader::read_dynamic() {
  for (uint64_t at = dynamic_->p_vaddr;; at += sizeof(Elf64_Dyn)) {
    const auto entry = image_->read<Elf64_Dyn>(at);
    if (!entry) return unfit("its dynamic section has no end");
    if (entry->d_tag == DT_NULL) break;
    tags_[entry->d_tag] = entry->d_un.d_val;
  }
  for (const int64_t refused : {DT_NEEDED, DT_INIT, DT_FINI, DT_INIT_ARRAY, DT_FINI_ARRAY,
                                DT_PREINIT_ARRAY, DT_TEXTREL, DT_REL, DT_RELR}) {
    if (tags_.contains(refused)) {
      return unfit(absl::StrCat("its dynamic section has an entry of type ", refused,
                                ", which no kernel object needs"));
    }
  }
  image_->symbols_ = tag(DT_SYMTAB);
  image_->strings_ = tag(DT_STRTAB);
  image_->hash_ = tag(DT_GNU_HASH);
  return absl::OkStatus();
}

absl::Status KernelImage::Loader::relocate(int64_t table_tag, int64_t size_tag) {
  const uint64_t table = tag(table_tag);
  const uint64_t count = tag(size_tag) / sizeof(Elf64_Rela);
  for (uint64_t i = 0; i < count; ++i) {
    const auto relocation =
        table > kMaxSize ? std::nullopt : image_->read<Elf64_Rela>(table + i * sizeof(Elf64_Rela));
    if (!relocation) return unfit("its relocations are not in it");
    LM_ASSIGN_OR_RETURN(value, value_of(*relocation));
    if (!image_->read<uint64_t>(relocation->r_offset)) return unfit("a relocation leaves it");
    std::memcpy(image_->memory_ + relocation->r_offset, &value, sizeof(value));
  }
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> KernelImage::Loader::value_of(const Elf64_Rela& relocation) const {
  const auto type = static_cast<uint32_t>(ELF64_R_TYPE(relocation.r_info));
  const uint64_t addend = static_cast<uint64_t>(relocation.r_addend);
  if (type == kRelative) return image_->base() + addend;
  if (std::find(std::begin(kSymbolTypes), std::end(kSymbolTypes), type) == std::end(kSymbolTypes)) {
    return unfit(absl::StrCat("it has a relocation of type ", type));
  }
  const uint64_t number = ELF64_R_SYM(relocation.r_info);
  const auto symbol = image_->read<Elf64_Sym>(image_->symbols_ + number * sizeof(Elf64_Sym));
  if (!symbol || symbol->st_shndx == SHN_UNDEF) return unfit("it refers to what is not in it");
  return image_->base() + symbol->st_value + addend;
}

// Why a kernel may not have the instruction that begins at `at`; empty when it may. Every offset is
// asked about, since a jump can lead into the middle of another instruction.
std::string KernelImage::Loader::refused_instruction([[maybe_unused]] uint64_t at) const {
#if defined(__x86_64__)
  const auto byte = [&](uint64_t i) { return static_cast<uint8_t>(image_->memory_[i]); };
  if (byte(at) != 0x0f) return "";
  const int operation = byte(at + 2) >> 3 & 7;
  const bool in_memory = byte(at + 2) < 0xc0;
  if (host_memory_is_guarded()) {
    const absl::string_view gives_right = byte(at + 1) == 0x01 && byte(at + 2) == 0xef ? "wrpkru"
                                          : byte(at + 1) == 0xae && operation == 5 && in_memory
                                              ? "xrstor"
                                              : "";
    if (!gives_right.empty()) {
      return absl::StrCat("give itself the right to write to the host's memory (", gives_right,
                          ")");
    }
  }
  if (byte(at + 1) != 0xae || in_memory || (operation != 2 && operation != 3)) return "";
  // wrfsbase and wrgsbase have the prefix 0xf3, anywhere among their prefixes.
  for (uint64_t i = at; i > image_->code_begin_ && is_prefix(byte(i - 1)); --i) {
    if (byte(i - 1) == 0xf3) {
      return absl::StrCat("change a register of its thread (",
                          operation == 2 ? "wrfsbase" : "wrgsbase", ")");
    }
  }
#endif
  return "";
}

absl::Status KernelImage::Loader::check_instructions() const {
  for (uint64_t at = image_->code_begin_; at + 2 < image_->code_end_; ++at) {
    const std::string why = refused_instruction(at);
    if (!why.empty()) return unfit(absl::StrCat("its code at ", at, " could ", why));
  }
  return absl::OkStatus();
}

absl::Status KernelImage::Loader::set_rights(uint64_t begin, uint64_t size, int rights) {
  if (mprotect(image_->memory_ + begin, size, rights) == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, "cannot make a kernel's code executable");
}

// All that lies between the segments can be read, too, since an object's tables may be said to lie
// there, but not written.
absl::Status KernelImage::Loader::protect() {
  LM_RETURN_IF_ERROR(set_rights(0, image_->size_, PROT_READ));
  for (const Elf64_Phdr& segment : segments_) {
    if ((segment.p_flags & PF_X) == 0) continue;
    const uint64_t begin = round_down(segment.p_vaddr, page_size());
    const uint64_t end = segment.p_vaddr + segment.p_memsz;
    LM_RETURN_IF_ERROR(set_rights(begin, end - begin, PROT_READ | PROT_EXEC));
  }
  __builtin___clear_cache(reinterpret_cast<char*>(image_->memory_),
                          reinterpret_cast<char*>(image_->memory_ + image_->size_));
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<const KernelImage>> KernelImage::load(Bytes object) {
  return Loader(object).load();
}

KernelImage::~KernelImage() { return_code_memory(memory_, size_); }

template <class Value>
std::optional<Value> KernelImage::read(uint64_t at) const {
  return value_at<Value>({memory_, size_}, at);
}

bool KernelImage::has_name(uint64_t at, const std::string& name) const {
  if (at > size_ || size_ - at <= name.size()) return false;
  return std::memcmp(memory_ + at, name.c_str(), name.size() + 1) == 0;
}

const void* KernelImage::find(const std::string& name, uint64_t size) const {
  struct Table {
    uint32_t buckets, first_symbol, filter_words, shift;
  };
  const auto table = read<Table>(hash_);
  if (!table || table->buckets == 0) return nullptr;
  const uint32_t hash = hash_of(name);
  const uint64_t buckets = hash_ + sizeof(Table) + table->filter_words * sizeof(uint64_t);
  const uint64_t chains = buckets + uint64_t{table->buckets} * sizeof(uint32_t);
  const auto first = read<uint32_t>(buckets + hash % table->buckets * sizeof(uint32_t));
  if (!first || *first < table->first_symbol) return nullptr;
  for (uint64_t number = *first;; ++number) {
    const auto chained = read<uint32_t>(chains + (number - table->first_symbol) * sizeof(uint32_t));
    const auto symbol = read<Elf64_Sym>(symbols_ + number * sizeof(Elf64_Sym));
    if (!chained || !symbol) return nullptr;
    const bool inside = symbol->st_value <= size_ && size <= size_ - symbol->st_value;
    if ((*chained | 1) == (hash | 1) && symbol->st_shndx != SHN_UNDEF && inside &&
        strings_ <= size_ && has_name(strings_ + symbol->st_name, name)) {
      return memory_ + symbol->st_value;
    }
    if ((*chained & 1) != 0) return nullptr;
  }
}

}  // namespace lightmetal::device::cpu
