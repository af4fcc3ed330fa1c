#pragma once

#include "api/dataflow/dfb_access.h"
#include "internal/llk_metadata.h"

// The name by which a kernel knows a dataflow buffer of its program. It stands for the index of the
// circular buffer wherever one is asked for.
template <dfb::AccessPattern Pap = dfb::AccessPattern::UNKNOWN,
          dfb::AccessPattern Cap = dfb::AccessPattern::UNKNOWN>
struct DFBBindingToken {
  explicit constexpr DFBBindingToken(uint16_t id) noexcept : id_(id) {}
  constexpr DFBBindingToken(uint16_t id, binding_details::LLKMetadata llk) noexcept
      : id_(id), llk_metadata_(llk) {}

  constexpr operator uint32_t() const noexcept { return id_; }
  constexpr const binding_details::LLKMetadata& llk_metadata() const { return llk_metadata_; }

 private:
  uint16_t id_;
  binding_details::LLKMetadata llk_metadata_{};
};

// Its name until summer 2026.
struct DFBAccessor : DFBBindingToken<> {
  using DFBBindingToken<>::DFBBindingToken;
  template <dfb::AccessPattern Pap, dfb::AccessPattern Cap>
  constexpr DFBAccessor(DFBBindingToken<Pap, Cap> token) noexcept
      : DFBBindingToken<>(static_cast<uint16_t>(uint32_t{token}), token.llk_metadata()) {}

  uint16_t resolve_id() const noexcept { return static_cast<uint16_t>(uint32_t{*this}); }
};

struct RelayDFBBindingToken {
  static constexpr uint8_t NO_PREFETCHER_PIPE = 0xFF;

  explicit constexpr RelayDFBBindingToken(uint16_t id,
                                          uint8_t prefetcher_pipe_id = NO_PREFETCHER_PIPE) noexcept
      : id_(id), prefetcher_pipe_id_(prefetcher_pipe_id) {}

  constexpr operator uint32_t() const noexcept { return id_; }
  constexpr uint8_t prefetcher_pipe_id() const noexcept { return prefetcher_pipe_id_; }

 private:
  uint16_t id_;
  uint8_t prefetcher_pipe_id_;
};
