#pragma once

#include "dataflow_api.h"
#include "lightmetal/ethernet.h"

// The kernel API of Ethernet cores, early 2025. Included before every Ethernet kernel.
//
// A send has happened when the call returns; the bytes are at the other end before anything that is
// sent later. Addresses and sizes are multiples of 16 bytes. Every call that waits lets other
// kernels run. So the sizes of packets, how long to spin (wait_min) and which of the hardware's
// transmit queues (q_num) a call asks for have no effect.

// ---- Packets ----

namespace internal_ {

FORCE_INLINE void eth_send_packet(uint32_t q_num, uint32_t src_word_addr, uint32_t dest_word_addr,
                                  uint32_t num_words) {
  lightmetal::kernel::ethernet_send(src_word_addr << 4, dest_word_addr << 4, num_words << 4);
}
FORCE_INLINE void eth_send_packet_unsafe(uint32_t q_num, uint32_t src_word_addr,
                                         uint32_t dest_word_addr, uint32_t num_words) {
  eth_send_packet(q_num, src_word_addr, dest_word_addr, num_words);
}
FORCE_INLINE void eth_send_packet_bytes_unsafe(uint32_t q_num, uint32_t src_addr,
                                               uint32_t dest_addr, uint32_t num_bytes) {
  lightmetal::kernel::ethernet_send(src_addr, dest_addr, num_bytes);
}

// A word of 4 bytes of the other core's L1; the hardware's registers are not there.
FORCE_INLINE void eth_write_remote_reg(uint32_t q_num, uint32_t reg_addr, uint32_t val) {
  auto* context = lightmetal::kernel::context();
  context->services->ethernet->write_word(context, reg_addr, val);
}
FORCE_INLINE void eth_write_remote_reg_no_txq_check(uint32_t q_num, uint32_t reg_addr,
                                                    uint32_t val) {
  eth_write_remote_reg(q_num, reg_addr, val);
}

FORCE_INLINE bool eth_txq_is_busy(uint32_t q_num) { return false; }

// The hardware's routing firmware runs while a kernel waits; here the other kernels do.
FORCE_INLINE void risc_context_switch() { invalidate_l1_cache(); }
FORCE_INLINE void risc_context_switch_without_noc_sync() { invalidate_l1_cache(); }

}  // namespace internal_

FORCE_INLINE void run_routing() { internal_::risc_context_switch(); }
FORCE_INLINE void run_routing_without_noc_sync() { internal_::risc_context_switch(); }

FORCE_INLINE bool eth_txq_is_busy() { return internal_::eth_txq_is_busy(0); }
FORCE_INLINE void wait_for_eth_txq_cmd_space(uint32_t wait_min = 0) {}

FORCE_INLINE void eth_write_remote_reg(uint32_t reg_addr, uint32_t value) {
  internal_::eth_write_remote_reg(0, reg_addr, value);
}

// ---- The NoC ----

FORCE_INLINE void eth_noc_semaphore_wait(volatile tt_l1_ptr uint32_t* sem_addr, uint32_t val,
                                         uint32_t wait_min = 0) {
  noc_semaphore_wait(sem_addr, val);
}
FORCE_INLINE void eth_noc_semaphore_wait_min(volatile tt_l1_ptr uint32_t* sem_addr, uint32_t val,
                                             uint32_t wait_min = 0) {
  noc_semaphore_wait_min(sem_addr, val);
}
FORCE_INLINE void eth_noc_async_read_barrier() { noc_async_read_barrier(); }
FORCE_INLINE void eth_noc_async_write_barrier() { noc_async_write_barrier(); }

// ---- The sender ----

namespace lightmetal::kernel {

// Tells the receiver how many bytes are there.
FORCE_INLINE void announce(volatile eth_channel_sync_t& channel, uint32_t num_bytes) {
  channel.bytes_sent = num_bytes;
  channel.receiver_ack = 0;
  ethernet_share(&channel.bytes_sent);
}

// Loops that ask whether something has happened let it happen.
FORCE_INLINE bool answer(bool happened) {
  if (!happened) run_routing();
  return happened;
}

}  // namespace lightmetal::kernel

// On channel 0. The receiver learns of the bytes of one or more sends from
// eth_wait_for_receiver_done.
FORCE_INLINE void eth_send_bytes(uint32_t src_addr, uint32_t dst_addr, uint32_t num_bytes,
                                 uint32_t num_bytes_per_send = 16,
                                 uint32_t num_bytes_per_send_word_size = 1) {
  lightmetal::kernel::ethernet_send(src_addr, dst_addr, num_bytes);
  auto& channel = lightmetal::kernel::channel_sync(0);
  channel.bytes_sent = channel.bytes_sent + num_bytes;
}

// Waits until the receiver has taken them (eth_receiver_done).
FORCE_INLINE void eth_wait_for_receiver_done(uint32_t wait_min = 0) {
  auto& channel = lightmetal::kernel::channel_sync(0);
  lightmetal::kernel::announce(channel, channel.bytes_sent);
  lightmetal::kernel::ethernet_wait(&channel.bytes_sent, 0);
}

// The same without telling the receiver.
FORCE_INLINE void eth_wait_receiver_done(uint32_t wait_min = 0) {
  lightmetal::kernel::ethernet_wait(&lightmetal::kernel::channel_sync(0).bytes_sent, 0);
}

// As eth_wait_for_receiver_done; meanwhile gets the next data from the core's own receiver: waits
// for its signal at `sender_semaphore_addr_ptr`, reads, and signals it back.
template <bool write_barrier = false>
FORCE_INLINE void eth_wait_for_remote_receiver_done_and_get_local_receiver_data(
    volatile tt_l1_ptr uint32_t* sender_semaphore_addr_ptr, uint64_t receiver_semaphore_noc_addr,
    uint64_t receiver_data_noc_addr, uint32_t local_eth_l1_curr_src_addr, uint32_t size) {
  auto& channel = lightmetal::kernel::channel_sync(0);
  lightmetal::kernel::announce(channel, channel.bytes_sent);
  eth_noc_semaphore_wait(sender_semaphore_addr_ptr, 1);
  noc_async_read(receiver_data_noc_addr, local_eth_l1_curr_src_addr, size);
  eth_noc_async_read_barrier();
  noc_semaphore_set(sender_semaphore_addr_ptr, 0);
  if constexpr (write_barrier) eth_noc_async_write_barrier();
  noc_semaphore_inc(receiver_semaphore_noc_addr, 1);
  lightmetal::kernel::ethernet_wait(&channel.bytes_sent, 0);
}

FORCE_INLINE void eth_send_payload_complete_signal_over_channel(
    volatile eth_channel_sync_t* channel_sync, uint32_t num_bytes) {
  lightmetal::kernel::announce(*channel_sync, num_bytes);
}
FORCE_INLINE void eth_send_payload_complete_signal_over_channel(uint32_t channel,
                                                                uint32_t num_bytes) {
  lightmetal::kernel::announce(lightmetal::kernel::channel_sync(channel), num_bytes);
}

// The receiver learns of the bytes at once.
FORCE_INLINE void eth_send_bytes_over_channel(uint32_t src_addr, uint32_t dst_addr,
                                              uint32_t num_bytes, uint32_t channel,
                                              uint32_t num_bytes_per_send = 16,
                                              uint32_t num_bytes_per_send_word_size = 1) {
  lightmetal::kernel::ethernet_send(src_addr, dst_addr, num_bytes);
  eth_send_payload_complete_signal_over_channel(channel, num_bytes);
}

// The receiver does not learn of them from this call.
FORCE_INLINE void eth_send_bytes_over_channel_payload_only(
    uint32_t src_addr, uint32_t dst_addr, uint32_t num_bytes, uint32_t num_bytes_per_send = 16,
    uint32_t num_bytes_per_send_word_size = 1) {
  lightmetal::kernel::ethernet_send(src_addr, dst_addr, num_bytes);
}
// The form of 2024.
FORCE_INLINE void eth_send_bytes_over_channel_payload_only(uint32_t src_addr, uint32_t dst_addr,
                                                           uint32_t num_bytes, uint32_t channel,
                                                           uint32_t num_bytes_per_send,
                                                           uint32_t num_bytes_per_send_word_size) {
  lightmetal::kernel::ethernet_send(src_addr, dst_addr, num_bytes);
}
FORCE_INLINE void eth_send_bytes_over_channel_payload_only_unsafe(
    uint32_t src_addr, uint32_t dst_addr, uint32_t num_bytes, uint32_t num_bytes_per_send = 16,
    uint32_t num_bytes_per_send_word_size = 1) {
  lightmetal::kernel::ethernet_send(src_addr, dst_addr, num_bytes);
}
FORCE_INLINE void eth_send_bytes_over_channel_payload_only_unsafe_one_packet(uint32_t src_addr,
                                                                             uint32_t dst_addr,
                                                                             uint32_t num_bytes) {
  lightmetal::kernel::ethernet_send(src_addr, dst_addr, num_bytes);
}

FORCE_INLINE bool eth_is_receiver_channel_send_acked(uint32_t channel) {
  return lightmetal::kernel::answer(lightmetal::kernel::channel_sync(channel).receiver_ack != 0);
}
FORCE_INLINE bool eth_is_receiver_channel_send_done(uint32_t channel) {
  return lightmetal::kernel::answer(lightmetal::kernel::channel_sync(channel).bytes_sent == 0);
}
FORCE_INLINE void eth_wait_for_receiver_channel_done(uint32_t channel) {
  lightmetal::kernel::ethernet_wait(&lightmetal::kernel::channel_sync(channel).bytes_sent, 0);
}
FORCE_INLINE void eth_clear_sender_channel_ack(uint32_t channel) {
  lightmetal::kernel::channel_sync(channel).receiver_ack = 0;
}
// Until the receiver has called eth_receiver_acknowledge, or what comes after that.
FORCE_INLINE void eth_wait_receiver_acknowledge(uint8_t channel = 0) {
  lightmetal::kernel::ethernet_wait(&lightmetal::kernel::channel_sync(channel).bytes_sent, 1,
                                    lightmetal::kernel_abi::WordTest::kAtMost);
}

// ---- The receiver ----

// Until the sender has told of exactly this number of bytes.
FORCE_INLINE void eth_wait_for_bytes(uint32_t num_bytes, uint32_t wait_min = 0) {
  lightmetal::kernel::ethernet_wait(&lightmetal::kernel::channel_sync(0).bytes_sent, num_bytes);
}
FORCE_INLINE void eth_wait_for_bytes_on_channel(uint32_t num_bytes, uint8_t channel,
                                                uint32_t wait_min = 1000000) {
  lightmetal::kernel::ethernet_wait(&lightmetal::kernel::channel_sync(channel).bytes_sent,
                                    num_bytes);
}
FORCE_INLINE void eth_wait_for_bytes_on_channel_sync_addr(
    uint32_t num_bytes, volatile eth_channel_sync_t* eth_channel_syncs,
    uint32_t wait_min = 1000000) {
  lightmetal::kernel::ethernet_wait(&eth_channel_syncs->bytes_sent, num_bytes);
}
FORCE_INLINE bool eth_bytes_are_available_on_channel(uint8_t channel) {
  return lightmetal::kernel::answer(lightmetal::kernel::channel_sync(channel).bytes_sent != 0);
}

// The sender may send again.
FORCE_INLINE void send_eth_receiver_channel_done(volatile eth_channel_sync_t* channel_sync) {
  lightmetal::kernel::announce(*channel_sync, 0);
}
FORCE_INLINE void eth_receiver_channel_done(uint32_t channel) {
  send_eth_receiver_channel_done(&lightmetal::kernel::channel_sync(channel));
}
FORCE_INLINE void eth_receiver_done() { eth_receiver_channel_done(0); }

// The bytes are seen, and the sender may use their source again. They still count as there for this
// end: what the sender is told lies at an address of its own.
FORCE_INLINE void eth_receiver_channel_ack(uint32_t channel,
                                           uint32_t eth_transaction_ack_word_addr) {
  volatile eth_channel_sync_t& own = lightmetal::kernel::channel_sync(channel);
  own.receiver_ack = 1;
  auto* told = reinterpret_cast<volatile eth_channel_sync_t*>(eth_transaction_ack_word_addr);
  told->bytes_sent = 1;
  told->receiver_ack = 1;
  told->src_id = own.src_id;
  lightmetal::kernel::ethernet_send(eth_transaction_ack_word_addr,
                                    lightmetal::kernel::l1_address(&own.bytes_sent),
                                    lightmetal::kernel_abi::kEthernetWord);
}
// The form of 2024.
FORCE_INLINE void eth_receiver_channel_ack(uint32_t channel) {
  volatile eth_channel_sync_t& own = lightmetal::kernel::channel_sync(channel);
  own.receiver_ack = 1;
  lightmetal::kernel::ethernet_share(&own.bytes_sent);
}
FORCE_INLINE void eth_receiver_acknowledge(uint8_t channel = 0) {
  lightmetal::kernel::announce(lightmetal::kernel::channel_sync(channel), 1);
}
