#include "runner/golden_json.h"

namespace lightmetal::runner {
namespace {

void append_difference(schema::JsonWriter& json, const Difference& difference) {
  json.begin_object().member("index", difference.index);
  json.member("expected", difference.expected).member("found", difference.found);
  if (difference.place.has_value()) {
    json.member("tile", difference.place->tile);
    json.member("row", difference.place->row).member("column", difference.place->column);
  }
  json.end_object();
}

}  // namespace

void append_golden(schema::JsonWriter& json, const GoldenResult& golden) {
  json.begin_object().member("command", golden.command).member("call", golden.call);
  json.member("source", golden.source);
  if (golden.buffer.has_value()) json.member("buffer", *golden.buffer);
  json.member("element_type", golden.element_type).member("policy", golden.policy.text());
  json.member("passed", golden.passed);
  json.member("elements", golden.elements).member("different", golden.different);
  json.member("max_absolute_error", golden.max_absolute_error);
  json.member("max_relative_error", golden.max_relative_error);
  json.member("max_ulp_error", golden.max_ulp_error).member("pcc", golden.pcc);
  json.key("error_histogram").begin_array();
  for (const uint64_t count : golden.error_histogram) json.value(count);
  json.end_array().key("first").begin_array();
  for (const Difference& difference : golden.first) append_difference(json, difference);
  json.end_array().end_object();
}

}  // namespace lightmetal::runner
