#pragma once

#include <utility>

#include "api/src/record/record.h"
#include "api/src/work/queue_order.h"

// How a call that gives a queue work is recorded: with its values, some of which depend on what is
// recorded of it.
namespace tt::tt_metal {

// True where the call blocks and the record is one of a call that has waited.
struct Blocks {
  bool blocks;
  bool as(QueueCall::Says says) const { return blocks && QueueCall::waits(says); }
};

// What a call writes. An intent is there before the data are.
struct Written {
  lightmetal::Bytes bytes;
  Upload as(QueueCall::Says says) const {
    return {says == QueueCall::Says::kIntent ? lightmetal::Bytes() : bytes};
  }
};

// What a call reads, once it has.
struct Found {
  lightmetal::Bytes bytes;
  ReadBack as(QueueCall::Says says) const {
    return {says == QueueCall::Says::kDone ? bytes : lightmetal::Bytes()};
  }
};

template <class Value>
decltype(auto) value_as(QueueCall::Says says, const Value& value) {
  if constexpr (requires { value.as(says); }) {
    return value.as(says);
  } else {
    return (value);
  }
}

// QueueOrder::run() of a call whose command is `Table`, with these values.
template <class Table, class... Values>
bool run_as(QueueOrder& order, QueueCall& call, QueueWorker::Operation work,
            const Values&... values) {
  if constexpr (lightmetal::capture::kEnabled) {
    return order.run(call, std::move(work),
                     [&](QueueCall::Says says) { record<Table>(value_as(says, values)...); });
  } else {
    return order.run(call, std::move(work));
  }
}

}  // namespace tt::tt_metal
