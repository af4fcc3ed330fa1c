#include "api/src/work/queue_order.h"

#include <algorithm>
#include <exception>
#include <new>
#include <tt-metalium/logger.hpp>
#include <utility>

#include "api/src/record/record.h"
#include "api/src/support/errors.h"
#include "api/src/support/live_objects.h"
#include "api/src/support/next_id.h"
#include "api/src/support/process_end.h"
#include "capture/call_state.h"
#include "schema/command_generated.h"

namespace tt::tt_metal {

using lightmetal::capture::kEnabled;
using lightmetal::capture::record_call;
using Says = QueueCall::Says;

namespace {

// At its place in the file the data of the comparison are not known; where they are known, other
// calls may have changed the buffer.
void warn_of_lost_comparison() {
  log_warning(LogMetalTrace,
              "a comparison is not in the capture: another thread's call on its queue had to be "
              "recorded while the comparison waited for its data");
}

}  // namespace

// A read that failed has no effect, and a wait that has not come back has waited for nothing.
bool QueueCall::is_recorded_as(Says says) const {
  switch (kind_) {
    case Kind::kEffect:
      return true;
    case Kind::kRead:
      return says != Says::kFailed;
    case Kind::kWait:
      return waits(says);
    case Kind::kComparison:
      return says == Says::kDone;
  }
  return false;
}

void QueueCall::record_as(Says says) const {
  if (is_recorded_as(says)) record_call(scope_, [&] { (*record_)(says); });
}

QueueOrder::QueueOrder(QueueWorker& worker, CommandQueue* queue)
    : unique_id_(next_unique_id<QueueOrder>()), worker_(worker), queue_(queue) {
  LiveObjects<QueueOrder>::add(unique_id_, this);
}

void QueueOrder::withdraw() { LiveObjects<QueueOrder>::remove(unique_id_); }

bool QueueOrder::run(QueueCall& call, Operation work, absl::FunctionRef<void(Says)> record) {
  // `record` lives in this frame, which stays until the call has been recorded.
  call.record_ = &record;
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
  if (!status.ok()) wait_if_process_ends();
  throw_if_error(status);
  return true;
}

uint64_t QueueOrder::push(Operation&& work) {
  return work ? worker_.push(std::move(work)) : worker_.last_ticket();
}

uint64_t QueueOrder::give(QueueCall& call, Operation&& work) {
  if constexpr (kEnabled) {
    if (call.scope_.records()) {
      if (call.announces) {
        lightmetal::capture::announce(call.scope_, [&] { (*call.record_)(Says::kIntent); });
      }
      // From here to the push no other call gets between the record and the work.
      lightmetal::MutexLock turn(&giving_);
      return call.wait_ == QueueWait::kNone ? give_recorded(call, std::move(work))
                                            : give_to_wait(call, std::move(work));
    }
  }
  return push(std::move(work));
}

uint64_t QueueOrder::give_to_wait(QueueCall& call, Operation&& work) {
  lightmetal::MutexLock lock(&mutex_);
  call.errors_before_ = worker_.num_errors();
  call.ticket_ = push(std::move(work));
  call.is_recorded_ = true;  // until there is memory to note that it is not
  record_call(call.scope_, [&] {
    pending_.push_back(&call);
    call.is_recorded_ = false;
  });
  return call.ticket_;
}

uint64_t QueueOrder::give_recorded(QueueCall& call, Operation&& work) {
  const uint64_t done = wait_for_reads() ? settle_others() : 0;
  lightmetal::MutexLock lock(&mutex_);
  record_until(pending_.end(), done);
  call.record_as(Says::kGiven);
  return push(std::move(work));
}

// All that an ended wait may have waited for was given before the wait ended. So the look at what
// is done comes first, and the other queues are recorded behind it.
uint64_t QueueOrder::settle_others() {
  const uint64_t done = worker_.last_done();
  record_effects_of_all_but(this);
  return done;
}

void QueueOrder::record_done() {
  if constexpr (kEnabled) {
    const uint64_t done = settle_others();
    lightmetal::MutexLock lock(&mutex_);
    record_until(
        std::ranges::find_if(pending_, [&](const QueueCall* call) { return call->ticket_ > done; }),
        done);
  }
}

void QueueOrder::record_effects() {
  lightmetal::MutexLock lock(&mutex_);
  const auto last = std::find_if(pending_.rbegin(), pending_.rend(), [](const QueueCall* call) {
    return call->kind_ == QueueCall::Kind::kEffect;
  });
  record_until(last.base(), /*done=*/0);
}

void QueueOrder::close() {
  lightmetal::MutexLock lock(&mutex_);
  record_until(pending_.end(), /*done=*/0);
  is_closed_ = true;
}

// A golden is worth waiting for, but not for ever: the read may wait for what this thread does
// next. Without `mutex_`, so that the reader can record itself.
bool QueueOrder::wait_for_reads() {
  uint64_t ticket = 0;
  {
    lightmetal::MutexLock lock(&mutex_);
    if (pending_.empty()) return false;
    const auto read = std::find_if(pending_.rbegin(), pending_.rend(),
                                   [](const QueueCall* call) { return call->reads; });
    if (read != pending_.rend()) ticket = (*read)->ticket_;
  }
  worker_.wait_patiently(ticket);
  return true;
}

void QueueOrder::end(QueueCall& call, Says says) {
  if constexpr (kEnabled) {
    if (!call.scope_.records()) return;
    const uint64_t done = settle_others();
    lightmetal::MutexLock lock(&mutex_);
    // Another thread has recorded the call, so only its return is left to record.
    if (call.is_recorded_) return record_return(call, says);
    record_until(std::ranges::find(pending_, &call), done);
    if (call.is_recorded_) return;  // given up
    pending_.erase(pending_.begin());
    call.record_as(says);
  }
}

void QueueOrder::record_until(Pending::iterator end, uint64_t done) {
  try {
    std::for_each(pending_.begin(), end, [&](QueueCall* call) { record_pending(*call, done); });
  } catch (const std::exception& error) {
    lightmetal::capture::internal::recording_failed(error);
    for (QueueCall* call : pending_) call->is_recorded_ = true;
    end = pending_.end();
  }
  pending_.erase(pending_.begin(), end);
}

void QueueOrder::record_pending(QueueCall& call, uint64_t done) {
  call.is_recorded_ = true;
  if constexpr (kEnabled) {
    const lightmetal::capture::internal::OtherCallScope for_another(call.scope_.mode());
    // An operation that failed counts before its ticket is done: an unchanged number means that
    // this work is well.
    const bool is_done = call.ticket_ <= done && worker_.num_errors() == call.errors_before_;
    if (!is_done) return record_given(call);
    call.record_as(Says::kDone);
  }
}

void QueueOrder::record_given(QueueCall& call) {
  if (call.kind_ == QueueCall::Kind::kComparison) warn_of_lost_comparison();
  call.record_as(Says::kGiven);
  call.is_awaited_ = call.wait_ == QueueWait::kUntilDone;
  if (call.is_awaited_ && queue_ != nullptr) record_awaited(call);
}

void QueueOrder::record_awaited(QueueCall& call) {
  // The thread is inside a call, so the event does not record itself.
  call.awaited_ = std::make_shared<Event>();
  record_call(call.scope_, [&] {
    record<schema::EventCreate>(*call.awaited_);
    record<schema::EnqueueRecordEvent>(*queue_, *call.awaited_, call.sub_devices);
  });
  announce<schema::EventSynchronize>(call.scope_, *call.awaited_);
}

void QueueOrder::record_return(QueueCall& call, Says says) {
  if constexpr (kEnabled) {
    const bool has_intent = call.awaited_ != nullptr && call.scope_.announces();
    lightmetal::capture::internal::t_call.announced =
        has_intent ? schema::Call::EventSynchronize : schema::Call::NONE;
  }
  if (!call.is_awaited_) return;
  const bool is_done = says == Says::kDone && !is_closed_;
  record_call(call.scope_, [&] {
    if (is_done && call.awaited_ != nullptr) record<schema::EventSynchronize>(*call.awaited_);
    if (is_done && call.program != nullptr) {
      record<schema::WaitProgramDone>(*call.device, *call.program);
    }
    if (call.awaited_ != nullptr) record<schema::EventDestroy>(*call.awaited_);
  });
}

void record_effects_of_all_but(const QueueOrder* other) {
  // The list is copied, because its lock may not be held while an order records. An order lives as
  // long as its device, which is never destroyed.
  std::vector<QueueOrder*> others;
  try {
    LiveObjects<QueueOrder>::for_each([&](QueueOrder& order) {
      if (&order != other) others.push_back(&order);
    });
  } catch (const std::bad_alloc& error) {
    lightmetal::capture::internal::recording_failed(error);
  }
  for (QueueOrder* order : others) order->record_effects();
}

}  // namespace tt::tt_metal
