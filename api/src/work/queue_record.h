#pragma once

#include <utility>

#include "api/src/record/record.h"
#include "api/src/work/queue_order.h"

// How a call that gives a queue work is recorded: with its values, some of which depend on what the
// record says (QueueCall::Says). Such a value has a member as(says).
namespace tt::tt_metal {

// The field `blocking`: true where the call blocks and the record is one of a call that has waited.
struct Blocks {
  bool blocks;
  bool as(QueueCall::Says says) const { return blocks && QueueCall::waits(says); }
};

// The data that a call writes. An intent has none, since it is written before the data are.
struct Written {
  Upload data;
  Upload as(QueueCall::Says says) const {
    return says == QueueCall::Says::kIntent ? Upload{} : data;
  }
};

// The data that a call reads. Only a record of a call that is done has them.
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

// QueueOrder::run() for a call whose command is `Table`, with these values. The values live until
// the call has returned.
template <class Table, class... Values>
bool run_as(QueueOrder& order, QueueCall& call, Operation work, const Values&... values) {
  if constexpr (lightmetal::capture::kEnabled) {
    return order.run(call, std::move(work),
                     [&](QueueCall::Says says) { record<Table>(value_as(says, values)...); });
  } else {
    return order.run(call, std::move(work));
  }
}

}  // namespace tt::tt_metal
