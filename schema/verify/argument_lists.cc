#include "schema/verify/argument_lists.h"

#include <algorithm>
#include <memory>
#include <set>

#include "absl/strings/str_cat.h"
#include "schema/commands/calls.h"
#include "schema/commands/encode.h"

namespace lightmetal::schema {
namespace {

constexpr size_t kShownRanges = 4;

// ---- From a command ----

using Args = std::vector<RuntimeArgT>;

Args args_of(const flatbuffers::Vector<uint32_t>* words) {
  Args args;
  if (words == nullptr) return args;
  for (const uint32_t word : *words) args.emplace_back().value = word;
  return args;
}

Args args_of(const RuntimeArgs* from) {
  Args args;
  if (from == nullptr || from->args() == nullptr) return args;
  for (const RuntimeArg* arg : *from->args()) arg->UnPackTo(&args.emplace_back());
  return args;
}

Args args_of(const Words* words) { return args_of(words->words()); }

std::vector<CoreRange> ranges_of(const flatbuffers::Vector<const CoreRange*>* ranges) {
  std::vector<CoreRange> cores;
  if (ranges == nullptr) return cores;
  for (const CoreRange* range : *ranges) cores.push_back(*range);
  return cores;
}

template <class Call>
std::vector<ArgumentList> lists_per_core(const Call& call) {
  std::vector<ArgumentList> lists;
  if (call.cores() == nullptr || call.args() == nullptr) return lists;
  for (uint32_t i = 0; i < std::min(call.cores()->size(), call.args()->size()); ++i) {
    const CoreCoord& core = *call.cores()->Get(i);
    lists.push_back({{CoreRange(core, core)}, args_of(call.args()->Get(i))});
  }
  return lists;
}

using Lists = std::vector<ArgumentList>;

struct ListsOf {
  template <class Call>
  std::optional<Lists> operator()(const Call&) const {
    return std::nullopt;
  }
  std::optional<Lists> operator()(const SetRuntimeArgs& call) const {
    return Lists{{ranges_of(call.cores()), args_of(call.args())}};
  }
  std::optional<Lists> operator()(const SetRuntimeArgsSymbolic& call) const {
    return Lists{{ranges_of(call.cores()), args_of(call.args())}};
  }
  std::optional<Lists> operator()(const SetRuntimeArgsPerCore& call) const {
    return lists_per_core(call);
  }
  std::optional<Lists> operator()(const SetRuntimeArgsSymbolicPerCore& call) const {
    return lists_per_core(call);
  }
  std::optional<Lists> operator()(const WriteRuntimeArgs& call) const {
    return Lists{{{CoreRange(*call.core(), *call.core())}, args_of(call.args())}};
  }
  std::optional<Lists> operator()(const SetCommonRuntimeArgs& call) const {
    return Lists{{{}, args_of(call.args())}};
  }
  std::optional<Lists> operator()(const SetCommonRuntimeArgsSymbolic& call) const {
    return Lists{{{}, args_of(call.args())}};
  }
  std::optional<Lists> operator()(const WriteCommonRuntimeArgs& call) const {
    return Lists{{{}, args_of(call.args())}};
  }
};

// ---- To a command ----

std::vector<uint32_t> words_of(const ArgumentList& list) {
  std::vector<uint32_t> words;
  for (const RuntimeArgT& arg : list.args) words.push_back(arg.value);
  return words;
}

std::unique_ptr<RuntimeArgsT> symbols_of(const ArgumentList& list) {
  auto symbols = std::make_unique<RuntimeArgsT>();
  for (const RuntimeArgT& arg : list.args)
    symbols->args.push_back(std::make_unique<RuntimeArgT>(arg));
  return symbols;
}

std::unique_ptr<WordsT> table_of(const ArgumentList& list) {
  auto table = std::make_unique<WordsT>();
  table->words = words_of(list);
  return table;
}

// Fills in the fields that a call has.
template <class CallT>
CallT call_of(const ArgumentLists& from) {
  CallT call;
  const ArgumentList& first = from.lists.front();
  call.kernel = from.kernel;
  if constexpr (requires { call.device; }) call.device = from.device;
  if constexpr (requires { call.core; }) {
    call.core = std::make_unique<CoreCoord>(first.cores.front().start());
  }
  if constexpr (requires { call.cores = first.cores; }) call.cores = first.cores;
  if constexpr (requires { call.args = words_of(first); }) call.args = words_of(first);
  if constexpr (requires { call.args = symbols_of(first); }) call.args = symbols_of(first);
  for (const ArgumentList& list : from.lists) {
    if constexpr (requires { call.cores.push_back(list.cores.front().start()); })
      call.cores.push_back(list.cores.front().start());
    if constexpr (requires { call.args.push_back(table_of(list)); })
      call.args.push_back(table_of(list));
    if constexpr (requires { call.args.push_back(symbols_of(list)); })
      call.args.push_back(symbols_of(list));
  }
  return call;
}

}  // namespace

bool ArgumentList::is_for(const CoreName& core) const {
  return std::ranges::any_of(cores, [&](const CoreRange& range) {
    return range.start().x() <= core.first && core.first <= range.end().x() &&
           range.start().y() <= core.second && core.second <= range.end().y();
  });
}

std::string ArgumentList::cores_text() const {
  std::string text;
  const auto append = [&](const CoreCoord& core) {
    absl::StrAppend(&text, "(", core.x(), ",", core.y(), ")");
  };
  for (size_t i = 0; i < std::min(cores.size(), kShownRanges); ++i) {
    if (i > 0) text += ' ';
    append(cores[i].start());
    if (cores[i].start() == cores[i].end()) continue;
    text += '-';
    append(cores[i].end());
  }
  if (cores.size() > kShownRanges) text += " ...";
  return text;
}

void ArgumentLists::split() {
  const bool is_symbolic = call == Call::SetRuntimeArgsSymbolic;
  if (!is_symbolic && call != Call::SetRuntimeArgs) return;
  const std::vector<CoreRange>& ranges = lists.front().cores;
  if (ranges.size() == 1 && ranges.front().start() == ranges.front().end()) return;
  call = is_symbolic ? Call::SetRuntimeArgsSymbolicPerCore : Call::SetRuntimeArgsPerCore;
  const ArgumentList all = std::move(lists.front());
  lists.clear();
  std::set<CoreName> cores;
  for (const CoreRange& range : all.cores) {
    for (uint32_t y = range.start().y(); y <= range.end().y(); ++y) {
      for (uint32_t x = range.start().x(); x <= range.end().x(); ++x) {
        const CoreCoord core(x, y);
        if (cores.insert({x, y}).second) lists.push_back({{CoreRange(core, core)}, all.args});
      }
    }
  }
}

std::vector<std::byte> ArgumentLists::encoded() const {
  switch (call) {
    case Call::SetRuntimeArgs:
      return encoded_call(call_of<SetRuntimeArgsT>(*this));
    case Call::SetRuntimeArgsPerCore:
      return encoded_call(call_of<SetRuntimeArgsPerCoreT>(*this));
    case Call::SetRuntimeArgsSymbolic:
      return encoded_call(call_of<SetRuntimeArgsSymbolicT>(*this));
    case Call::SetRuntimeArgsSymbolicPerCore:
      return encoded_call(call_of<SetRuntimeArgsSymbolicPerCoreT>(*this));
    case Call::SetCommonRuntimeArgs:
      return encoded_call(call_of<SetCommonRuntimeArgsT>(*this));
    case Call::SetCommonRuntimeArgsSymbolic:
      return encoded_call(call_of<SetCommonRuntimeArgsSymbolicT>(*this));
    case Call::WriteRuntimeArgs:
      return encoded_call(call_of<WriteRuntimeArgsT>(*this));
    default:
      return encoded_call(call_of<WriteCommonRuntimeArgsT>(*this));
  }
}

std::optional<ArgumentLists> argument_lists_of(const Command& command) {
  std::optional<Lists> lists = visit_call(command, ListsOf());
  if (!lists.has_value() || lists->empty()) return std::nullopt;
  ArgumentLists made{.call = command.call_type(), .lists = *std::move(lists)};
  visit_call(command, [&](const auto& call) {
    if constexpr (requires { call.kernel(); }) made.kernel = call.kernel();
    if constexpr (requires { call.device(); }) made.device = call.device();
    made.is_common = !requires { call.cores(); }
    &&!requires { call.core(); };
  });
  return made;
}

}  // namespace lightmetal::schema
