#include "schema/info.h"

#include <cstdio>

#include "runner/command_line.h"
#include "runner/verbs.h"

namespace lightmetal::runner {

int info(int argc, const char* const* argv) {
  cxxopts::Options options = options_for("info", "Shows what a file holds. It needs no device.\n");
  options.add_options()("format", "text or json",
                        cxxopts::value<std::string>()->default_value("text"), "FORMAT");
  const auto arguments = parse(options, argc, argv);
  if (!arguments) return finish_output();

  const bool json = choice(*arguments, "format", "text", "json") == "json";
  const auto file = schema::File::open(file_of(*arguments));
  if (!file.ok()) return fail(file.status());
  const auto text = json ? schema::info_json(**file) : schema::info_text(**file);
  if (!text.ok()) return fail(text.status());
  std::fwrite(text->data(), 1, text->size(), stdout);
  if (text->empty() || text->back() != '\n') std::fputc('\n', stdout);
  return finish_output();
}

}  // namespace lightmetal::runner
