#include "runner/report.h"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/digest.h"
#include "base/status.h"
#include "runner/golden_json.h"
#include "runner/output_text.h"
#include "runtime/npy.h"
#include "schema/show/json.h"

namespace lightmetal::runner {
namespace {

// What an option that may be repeated says or, without it, a variable.
struct Given {
  std::string by;  // "--golden", or the variable's name
  std::vector<std::string> values;
};

Given given(const cxxopts::ParseResult& arguments, const std::string& option,
            const char* variable) {
  if (arguments.count(option) != 0)
    return {absl::StrCat("--", option), arguments[option].as<std::vector<std::string>>()};
  const char* value = std::getenv(variable);
  if (value == nullptr || *value == '\0') return {variable, {}};
  return {variable, {value}};
}

Given given_goldens(const cxxopts::ParseResult& arguments) {
  return given(arguments, "golden", "LIGHTMETAL_RUNNER_GOLDEN");
}

ComparePolicy parsed_policy(const std::string& by, const std::string& text) {
  const auto policy = ComparePolicy::parse(text);
  if (policy.ok()) return *policy;
  throw cxxopts::exceptions::parsing(absl::StrCat(by, ": ", policy.status().message()));
}

void add_named_policy(const std::string& by, const std::string& name, const std::string& text,
                      RunOptions& options) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(name, absl::MaxSplits(':', 1));
  const std::optional<uint64_t> number = digits_of(parts.second);
  const bool is_command = parts.first == "command";
  if (!number.has_value() || parts.second.empty() || (!is_command && parts.first != "buffer")) {
    throw cxxopts::exceptions::parsing(absl::StrCat(
        by, " is POLICY, command:NUMBER=POLICY or buffer:ID=POLICY, not ", name, "=", text));
  }
  auto& policies = is_command ? options.command_policies : options.buffer_policies;
  if (policies.try_emplace(*number, parsed_policy(by, text)).second) return;
  throw cxxopts::exceptions::parsing(absl::StrCat(by, " gives ", name, " two policies"));
}

std::string update_output_of(const cxxopts::ParseResult& arguments) {
  if (arguments.count("output") == 1)
    return arguments["output"].as<std::vector<std::string>>().front();
  throw cxxopts::exceptions::parsing("--update-golden needs -o OUT, once: the file to write");
}

// ---- The files ----

uint64_t failed_of(absl::Span<const GoldenResult> goldens) {
  uint64_t failed = 0;
  for (const GoldenResult& golden : goldens) failed += golden.passed ? 0 : 1;
  return failed;
}

std::string json_of(const std::string& path, const std::optional<Schedule>& schedule,
                    absl::Span<const GoldenResult> goldens) {
  schema::JsonWriter json;
  json.begin_object().member("version", 1).member("file", path);
  if (schedule.has_value()) json.member("schedule", schedule->text());
  json.member("failed", failed_of(goldens));
  json.key("goldens").begin_array();
  for (const GoldenResult& golden : goldens) append_golden(json, golden);
  json.end_array().end_object();
  return json.take() + "\n";
}

// A test that is skipped says that there was nothing to compare.
std::string junit_without_goldens(const std::string& path) {
  const std::string name = xml_text(path);
  return absl::StrCat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"", name,
                      "\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\">\n",
                      "  <testcase classname=\"", name, "\" name=\"goldens\"><skipped message=\"",
                      kNothingCompared, "\"/></testcase>\n</testsuite>\n");
}

std::string junit_of(const std::string& path, absl::Span<const GoldenResult> goldens) {
  if (goldens.empty()) return junit_without_goldens(path);
  std::string xml = absl::StrCat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"",
                                 xml_text(path), "\" tests=\"", goldens.size(), "\" failures=\"",
                                 failed_of(goldens), "\" errors=\"0\">\n");
  for (const GoldenResult& golden : goldens) {
    absl::StrAppend(&xml, "  <testcase classname=\"", xml_text(path), "\" name=\"command ",
                    golden.command, ": ", golden.call, " of ", xml_text(golden.source), "\"");
    if (golden.passed) {
      absl::StrAppend(&xml, "/>\n");
    } else {
      absl::StrAppend(&xml, "><failure message=\"", xml_text(golden.text()), "\"/></testcase>\n");
    }
  }
  return xml + "</testsuite>\n";
}

}  // namespace

void add_golden_options(cxxopts::Options& options) {
  options.add_options()(
      "golden",
      "Compare the goldens by this policy: exact (default), ulp:N, atol:X, rtol:Y, atol:X,rtol:Y "
      "or pcc:P; with command:NUMBER= or buffer:ID= before it, those of one command or buffer",
      cxxopts::value<std::vector<std::string>>(),
      "POLICY")("report", "Write what each golden came to into a file: json=FILE or junit=FILE",
                cxxopts::value<std::vector<std::string>>(), "KIND=FILE")(
      "save-actual", "Save what was read instead of each golden that differs into this folder",
      cxxopts::value<std::string>(),
      "DIR")("update-golden",
             "Write the file anew to OUT, with what was read in place of each golden that differs")(
      "o,output",
      "Write an output of the entry that is run to FILE: .npy, any other name for the bytes alone, "
      "or - (npy:-) for standard output; with --update-golden the file to write",
      cxxopts::value<std::vector<std::string>>(), "NAME=FILE");
}

void set_golden_policies(const cxxopts::ParseResult& arguments, RunOptions& options) {
  bool is_given = false;
  const Given goldens = given_goldens(arguments);
  for (const std::string& text : goldens.values) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits('=', 1));
    if (text.find('=') != std::string::npos) {
      add_named_policy(goldens.by, parts.first, parts.second, options);
    } else if (!std::exchange(is_given, true)) {
      options.golden_policy = parsed_policy(goldens.by, text);
    } else {
      throw cxxopts::exceptions::parsing(
          absl::StrCat(goldens.by, " gives all goldens two policies"));
    }
  }
}

Report::Report(const cxxopts::ParseResult& arguments) : goldens_by_(given_goldens(arguments).by) {
  const Given reports = given(arguments, "report", "LIGHTMETAL_RUNNER_REPORT");
  for (const std::string& text : reports.values) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits('=', 1));
    if ((parts.first != "json" && parts.first != "junit") || parts.second.empty()) {
      throw cxxopts::exceptions::parsing(
          absl::StrCat(reports.by, " is json=FILE or junit=FILE, not ", text));
    }
    files_.push_back({parts.first == "json", parts.second});
  }
  const char* folder = std::getenv("LIGHTMETAL_RUNNER_SAVE_ACTUAL");
  if (folder != nullptr) folder_ = folder;
  if (arguments.count("save-actual") != 0) folder_ = arguments["save-actual"].as<std::string>();
  if (is_set(arguments, "update-golden")) update_path_ = update_output_of(arguments);
}

absl::Status Report::begin(std::shared_ptr<const schema::File> file,
                           std::vector<std::string> inputs) {
  inputs_ = std::move(inputs);
  if (updates()) LM_RETURN_IF_ERROR(begin_update(std::move(file)));
  std::error_code error;
  if (!folder_.empty()) std::filesystem::create_directories(folder_, error);
  if (error) {
    return absl::UnavailableError(
        absl::StrCat("cannot make the folder ", folder_, ": ", error.message()));
  }
  for (File& file : files_) {
    LM_RETURN_IF_ERROR(outputs_.add(file.path));
    LM_ASSIGN_OR_RETURN(output, schema::OutputFile::create(file.path, inputs_));
    file.output = std::make_unique<schema::OutputFile>(std::move(output));
  }
  return absl::OkStatus();
}

absl::Status Report::begin_update(std::shared_ptr<const schema::File> file) {
  LM_RETURN_IF_ERROR(outputs_.add(update_path_));
  LM_ASSIGN_OR_RETURN(output, schema::OutputFile::create(update_path_, inputs_));
  update_output_.emplace(std::move(output));
  LM_ASSIGN_OR_RETURN(sink, update_output_->sink());
  updated_file_ = std::move(file);
  return update_.emplace(*updated_file_, std::move(sink)).begin();
}

absl::Status Report::finish_update() {
  LM_ASSIGN_OR_RETURN(report, update_->finish());
  LM_RETURN_IF_ERROR(update_output_->finish());
  updated_ = report;
  return absl::OkStatus();
}

void Report::add(const GoldenResult& golden, absl::Span<const std::byte> found) {
  goldens_.push_back(golden);
  if (!golden.passed && updates() && status_.ok())
    status_ = update_->replace(golden.command, found);
  if (!golden.passed && !folder_.empty()) status_.Update(save(golden, found));
}

absl::Status Report::save(const GoldenResult& golden, absl::Span<const std::byte> found) const {
  const std::string type = numpy_type(golden.element_type);
  const std::string name = absl::StrCat("command-", golden.command, type.empty() ? ".bin" : ".npy");
  LM_ASSIGN_OR_RETURN(file, create_in(folder_, name, inputs_));
  const std::string head = type.empty() ? "" : npy_head(type, golden.elements);
  LM_RETURN_IF_ERROR(write(file, {bytes_of(head.data(), head.size()), found}));
  return file.finish();
}

absl::Status Report::finish(const std::string& path, const std::optional<Schedule>& schedule) {
  // Its error is in status_.
  finish_with(json_of(path, schedule, goldens_), junit_of(path, goldens_)).IgnoreError();
  if (updates() && status_.ok()) status_ = finish_update();
  return status_;
}

absl::Status Report::finish_with(const std::string& json, const std::string& junit) {
  for (const File& file : files_) {
    const std::string& text = file.is_json ? json : junit;
    status_.Update(write(*file.output, {bytes_of(text.data(), text.size())}));
    if (status_.ok()) status_.Update(file.output->finish());
  }
  return status_;
}

absl::Status Report::check_policies_were_used(const RunOptions& options) const {
  std::set<uint64_t> commands, buffers;
  for (const GoldenResult& golden : goldens_) {
    commands.insert(golden.command);
    if (golden.buffer.has_value()) buffers.insert(*golden.buffer);
  }
  const auto check = [this](const char* what, const std::map<uint64_t, ComparePolicy>& policies,
                            const std::set<uint64_t>& compared) {
    for (const auto& [number, policy] : policies) {
      if (compared.contains(number)) continue;
      return absl::NotFoundError(absl::StrCat(goldens_by_, " names ", what, " ", number,
                                              ", of which no golden was compared"));
    }
    return absl::OkStatus();
  };
  LM_RETURN_IF_ERROR(check("command", options.command_policies, commands));
  return check("buffer", options.buffer_policies, buffers);
}

}  // namespace lightmetal::runner
