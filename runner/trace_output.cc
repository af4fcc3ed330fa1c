#include "runner/trace_output.h"

#include <utility>

#include "base/digest.h"
#include "base/output_variable.h"
#include "base/status.h"
#include "base/timeline.h"
#include "runner/output_text.h"
#include "schema/show/timeline_trace.h"

namespace lightmetal::runner {

void add_trace_option(cxxopts::Options& options) {
  options.add_options()("trace-out", "Write what the devices did when, for ui.perfetto.dev",
                        cxxopts::value<std::string>(), "FILE");
}

TraceOutput::TraceOutput(const cxxopts::ParseResult& arguments) {
  if (arguments.count("trace-out") == 0) return;
  path_ = arguments["trace-out"].as<std::string>();
  if (!value_of(Output::kTimeline).empty()) {
    throw cxxopts::exceptions::parsing(
        "--trace-out and LIGHTMETAL_TIMELINE both write the timeline: unset one");
  }
}

absl::Status TraceOutput::begin(absl::Span<const std::string> inputs) {
  if (!writes()) return absl::OkStatus();
  LM_ASSIGN_OR_RETURN(output, schema::OutputFile::create(path_, inputs));
  output_.emplace(std::move(output));
  timeline::enable();
  timeline::start();
  return absl::OkStatus();
}

absl::Status TraceOutput::finish() {
  if (!writes()) return absl::OkStatus();
  const std::string text = schema::timeline_trace(timeline::take());
  LM_RETURN_IF_ERROR(write(*output_, {bytes_of(text.data(), text.size())}));
  return output_->finish();
}

}  // namespace lightmetal::runner
