#include "api/src/queue_order.h"

#include <algorithm>
#include <utility>

#include "api/src/capture_calls.h"
#include "api/src/errors.h"
#include "capture/calls.h"

namespace tt::tt_metal {

using lightmetal::capture::announce;
using lightmetal::capture::kEnabled;
using lightmetal::capture::record_call;
using Says = QueueCall::Says;

bool QueueOrder::run(QueueCall& call, QueueWorker::Operation work) {
  const uint64_t ticket = give(call, std::move(work));
  if (call.wait_ == QueueWait::kNone) return false;
  if (call.wait_ == QueueWait::kPatient) {
    const bool is_done = worker_.wait_patiently(ticket) && !worker_.has_error();
    end(call, is_done ? Says::kDone : Says::kGiven);
    return is_done;
  }
  worker_.wait(ticket);
  const absl::Status status = worker_.take_error();
  end(call, status.ok() ? Says::kDone : Says::kFailed);
  throw_if_error(status);
  return true;
}

uint64_t QueueOrder::push(QueueWorker::Operation work) {
  return work ? worker_.push(std::move(work)) : worker_.last_ticket();
}

uint64_t QueueOrder::give(QueueCall& call, QueueWorker::Operation work) {
  if constexpr (kEnabled) {
    if (call.scope_.records()) {
      if (call.announces) announce(call.scope_, [&] { call.record_(Says::kIntent); });
      lightmetal::MutexLock lock(&mutex_);
      if (call.wait_ != QueueWait::kNone) {
        call.errors_before_ = worker_.num_errors();
        pending_.push_back(&call);
        return call.ticket_ = push(std::move(work));
      }
      record_pending();
      record_call(call.scope_, [&] { call.record_(Says::kGiven); });
      return push(std::move(work));
    }
  }
  return push(std::move(work));
}

void QueueOrder::record_done() {
  if constexpr (kEnabled) {
    lightmetal::MutexLock lock(&mutex_);
    const auto undone = std::ranges::find_if_not(
        pending_, [&](const QueueCall* call) { return worker_.is_done(call->ticket_); });
    for (auto call = pending_.begin(); call != undone; ++call) record(**call);
    pending_.erase(pending_.begin(), undone);
  }
}

// For a golden it is worth to wait, but not for ever: what the read waits for may be what this
// thread does next.
void QueueOrder::record_pending() {
  const auto read = std::find_if(pending_.rbegin(), pending_.rend(),
                                 [](const QueueCall* call) { return call->reads; });
  if (read != pending_.rend()) worker_.wait_patiently((*read)->ticket_);
  for (QueueCall* call : pending_) record(*call);
  pending_.clear();
}

void QueueOrder::end(QueueCall& call, Says says) {
  if constexpr (kEnabled) {
    if (!call.scope_.records()) return;
    lightmetal::MutexLock lock(&mutex_);
    call.is_recorded_ ? record_return(call, says) : record_up_to(call, says);
  }
}

void QueueOrder::record_up_to(QueueCall& call, Says says) {
  const auto own = std::ranges::find(pending_, &call);
  for (auto before = pending_.begin(); before != own; ++before) record(**before);
  pending_.erase(pending_.begin(), own + 1);
  record_call(call.scope_, [&] { call.record_(says); });
}

bool QueueOrder::is_done(const QueueCall& call) const {
  return worker_.is_done(call.ticket_) && worker_.num_errors() == call.errors_before_;
}

void QueueOrder::record(QueueCall& call) {
  call.is_recorded_ = true;
  if constexpr (kEnabled) {
    const lightmetal::capture::internal::OtherCallScope for_another(call.scope_.mode());
    if (!is_done(call)) return record_given(call);
    record_call(call.scope_, [&] { call.record_(Says::kDone); });
  }
}

void QueueOrder::record_given(QueueCall& call) {
  record_call(call.scope_, [&] { call.record_(Says::kGiven); });
  call.is_awaited_ = call.wait_ == QueueWait::kUntilDone;
  if (!call.is_awaited_ || queue_ == nullptr) return;
  // Inside a call, so it is not recorded by itself.
  call.awaited_ = std::make_shared<Event>();
  record_call(call.scope_, [&] {
    capture_calls::event_create(*call.awaited_);
    capture_calls::enqueue_record_event(*queue_, *call.awaited_, call.sub_devices);
  });
  announce(call.scope_, [&] { capture_calls::event_synchronize(*call.awaited_); });
}

void QueueOrder::record_return(QueueCall& call, Says says) {
  using lightmetal::schema::Call;
  if constexpr (kEnabled) {
    const bool has_intent = call.awaited_ != nullptr && call.scope_.announces();
    lightmetal::capture::internal::announced(has_intent ? Call::EventSynchronize : Call::NONE);
  }
  if (!call.is_awaited_) return;
  const bool is_done = says == Says::kDone;
  record_call(call.scope_, [&] {
    if (is_done && call.awaited_ != nullptr) capture_calls::event_synchronize(*call.awaited_);
    if (is_done) call.record_(Says::kAwaited);
    if (call.awaited_ != nullptr) capture_calls::event_destroy(*call.awaited_);
  });
}

}  // namespace tt::tt_metal
