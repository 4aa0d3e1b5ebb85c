// The JSON Schema of a document by the visitors of its types (json_maker.h).
#pragma once
#include "harness/report/fields/json_maker.h"

namespace benchbench {

// A type that the schema defines once, by this name.
struct SchemaName {
  std::string_view name, text = {};
};
template <class T>
inline constexpr SchemaName kSchemaName{};

template <class Root>
class SchemaMaker {
 public:
  // Makes the schema of the values that JsonMaker makes of a T.
  template <class T>
  JsonValue make(const T& value) {
    if constexpr (std::same_as<T, bool>)
      return {{"type", "boolean"}};
    else if constexpr (std::floating_point<T>)
      return {{"type", "number"}};
    else if constexpr (std::integral<T>)
      return whole_number(std::unsigned_integral<T>);
    else if constexpr (std::is_enum_v<T>)
      return {{"type", "string"}, {"enum", kWordsOf<T>}};
    else if constexpr (std::same_as<T, JsonValue>)
      return {{"type", "object"}};
    else if constexpr (IsText<T>)
      return make_text(value);
    else
      return make_other(value);
  }
  // {name: schema} of all types with a kSchemaName that were met.
  const JsonValue& definitions() const noexcept { return definitions_; }

 private:
  template <class T>
  static const T& example() {
    static const T value{};
    return value;
  }

  static JsonValue whole_number(bool unsigned_one) {
    JsonValue schema{{"type", "integer"}};
    if (unsigned_one) schema["minimum"] = 0;
    return schema;
  }
  template <const auto& kWords>
  static JsonValue make_text(const OneOf<kWords>&) {
    return {{"type", "string"}, {"enum", kWords}};
  }
  template <class T>
  static JsonValue make_text(const T&) {
    return {{"type", "string"}};
  }

  template <class T>
  JsonValue make_other(const T& value) {
    if constexpr (IsFunction<T, Root>)
      return make(example<decltype(call_member(value, std::declval<const Root&>()))>());
    else if constexpr (IsNullable<T>)
      return or_null(make(example<std::remove_cvref_t<decltype(*value)>>()));
    else if constexpr (requires { make_schema(value); })
      return defined(kSchemaName<T>, [&] { return make_schema(value); });
    else if constexpr (IsVisited<T>)
      return defined(kSchemaName<T>, [&] { return make_object(value); });
    else if constexpr (IsMembers<T>)
      return {{"type", "object"},
              {"additionalProperties",
               make(example<std::remove_cvref_t<decltype(value.all.front().second)>>())}};
    else
      return {{"type", "array"},
              {"items", make(example<std::remove_cvref_t<decltype(*std::begin(value))>>())}};
  }

  static JsonValue or_null(JsonValue schema) {
    if (schema.contains("enum")) schema["enum"].push_back(nullptr);
    if (schema.contains("type") && !schema.contains("properties"))
      schema["type"] = {schema["type"], "null"};
    else
      schema = {{"anyOf", JsonValue::array({std::move(schema), {{"type", "null"}}})}};
    return schema;
  }

  template <class Make>
  JsonValue defined(const SchemaName& type, const Make& make_one) {
    if (type.name.empty()) return make_one();
    if (!definitions_.contains(type.name)) {
      JsonValue schema = make_one();
      if (!type.text.empty()) schema["description"] = type.text;
      definitions_[std::string(type.name)] = std::move(schema);
    }
    return {{"$ref", "#/$defs/" + std::string(type.name)}};
  }

  template <class T>
  JsonValue make_object(const T& value) {
    JsonValue required = JsonValue::array(), properties = JsonValue::object();
    visit_members(value,
                  [&](std::string_view name, const auto& member, std::string_view text = {}) {
                    properties.emplace(name, make_member(name, member, required));
                    if (!text.empty()) properties[std::string(name)]["description"] = text;
                  });
    return {{"type", "object"},
            {"required", std::move(required)},
            {"properties", std::move(properties)}};
  }

  template <class T>
  JsonValue make_member(std::string_view name, const T& member, JsonValue& required) {
    if constexpr (IsFunction<T, Root>)
      return make_member(
          name, example<decltype(call_member(member, std::declval<const Root&>()))>(), required);
    else if constexpr (IsLeftOut<T>)
      return make(example<typename T::Kept>());
    else
      return required.push_back(name), make(member);
  }

  JsonValue definitions_ = JsonValue::object();
};

// A JSON Schema (2020-12) as text: what fits a line is one.
std::string schema_text(const JsonValue& schema);

}  // namespace benchbench
