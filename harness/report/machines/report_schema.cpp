#include <algorithm>

#include "harness/report/fields/report_fields.h"
#include "harness/report/machines/report_document.h"

namespace benchbench {
namespace {

constexpr std::size_t kLineWidth = 100;

constexpr std::string_view kAbout =
    "What `benchbench run FILE --json` and `benchbench report DIR --json` write. Names carry "
    "units: _ms, _bytes, _samples_per_second, _share (0 to 1), _ratio. null is \"not measured\". "
    "Members may be added; none changes its meaning without another number in `schema`.";

JsonValue held_types(ParameterType type) {
  switch (type) {
    case ParameterType::boolean:
      return {"boolean", "null"};
    case ParameterType::integer:
    case ParameterType::duration:
    case ParameterType::bytes:
      return {"integer", "null"};
    case ParameterType::real:
    case ParameterType::rate:
    case ParameterType::bandwidth:
      return {"number", "null"};
    default:
      return {"string", "null"};
  }
}

// Objects and arrays that fit a line are one: compact where a person reads.
void write_folded(std::string& out, const JsonValue& value, std::size_t indent) {
  std::string line = json_text(value, -1);
  const bool long_one = value.is_structured() && indent + line.size() > kLineWidth;
  if (!long_one) {
    out += line;
    return;
  }
  out += value.is_object() ? '{' : '[';
  const char* separator = "\n";
  for (const auto& part : value.items()) {
    out += std::exchange(separator, ",\n") + std::string(indent + 1, ' ');
    if (value.is_object()) out += json_text(part.key(), -1) + ": ";
    write_folded(out, part.value(), indent + 1);
  }
  out += '\n' + std::string(indent, ' ') + (value.is_object() ? '}' : ']');
}

}  // namespace

JsonValue make_schema(const Value&) {
  JsonValue kinds = JsonValue::array();
  for (const std::string_view word : kWordsOf<ParameterType>) {
    const ParameterType type = *from_name<ParameterType>(word);
    JsonValue kind{
        {"required", {"type", "value"}},
        {"properties", {{"type", {{"const", word}}}, {"value", {{"type", held_types(type)}}}}}};
    if (const std::string_view unit = unit_of_type(type); !unit.empty()) {
      kind["required"].push_back("unit");
      kind["properties"]["unit"] = {{"const", unit}};
    }
    kinds.push_back(std::move(kind));
  }
  return {{"type", "object"}, {"anyOf", std::move(kinds)}};
}

std::string report_schema(std::span<const AddedMember> added) {
  const Findings findings;
  const Plan plan;
  const ReportInput none{findings, plan, {}, "", {}};
  SchemaMaker<ReportInput> maker;
  JsonValue schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                   {"$id", kReportSchema.front()},
                   {"title", "benchbench report, version 1"},
                   {"description", kAbout}};
  schema.update(maker.make(none));
  for (const AddedMember& member : added)
    schema["properties"][std::string(member.name)] = *member.value;
  schema["$defs"] = maker.definitions();
  std::string text;
  write_folded(text, schema, 0);
  return text + '\n';
}

}  // namespace benchbench
