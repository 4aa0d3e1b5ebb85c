// A document's types as JSON values. A visitor names the members of a type once; the document and
// its schema follow from it:
//
//   void visit_fields(const LoaderWork& w, auto&& visit) {
//     visit("workers", w.workers, "A sentence for the schema, if the name is not enough.");
//
// A member is a bool, number, text, enum with words, optional or pointer (null), list, Members, a
// type with a visitor, or a function of nothing or of the document's root that returns one of
// these. Functions are called when a value is made, never for the schema.
#pragma once
#include <cmath>
#include <concepts>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/core/words.h"

namespace benchbench {

using JsonValue = nlohmann::ordered_json;

// An object whose members have names of the user's or of the data: settings, labels.
template <class T>
struct Members {
  std::vector<std::pair<std::string, T>> all;
};

// A member that is left out if it has no value.
template <class T>
struct IfAny {
  using Kept = T;
  std::optional<T> value;
};
template <class T>
IfAny<T> if_any(const T& value) {
  return value.empty() ? IfAny<T>{} : IfAny<T>{value};
}

// A text that is null if it is empty.
inline std::optional<std::string> text_or_null(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

// One of several words, for values that are no enum.
template <const auto& kWords>
struct OneOf {
  std::string_view word;
  operator std::string_view() const noexcept { return word; }
};

// An object that is described where it is used: `walk` takes the visitor.
template <class Walk>
struct Fields {
  Walk walk;
};
template <class Walk>
Fields(Walk) -> Fields<Walk>;
template <class Walk, class Visit>
void visit_fields(const Fields<Walk>& fields, Visit&& visit) {
  fields.walk(visit);
}

struct AnyVisit {
  template <class... Member>
  void operator()(const Member&...) const {}
};
// True of a type of the record whose form in reports is not the store's.
template <class T>
concept IsShown = requires(const T& value) { visit_shown(value, AnyVisit{}); };
template <class T>
concept IsVisited = IsShown<T> || requires(const T& value) { visit_fields(value, AnyVisit{}); };

template <class T, class Visit>
void visit_members(const T& value, Visit&& visit) {
  if constexpr (IsShown<T>)
    visit_shown(value, visit);
  else
    visit_fields(value, visit);
}

template <class T>
concept IsText = std::convertible_to<const T&, std::string_view>;
template <class T>
concept IsNullable = std::is_pointer_v<T> || requires(const T& value) { value.has_value(); };
template <class T>
concept IsMembers = requires(const T& value) { value.all.front().second; };
template <class T>
concept IsLeftOut = requires { typename T::Kept; };
template <class T, class Root>
concept IsFunction = std::invocable<const T&> || std::invocable<const T&, const Root&>;

template <class Function, class Root>
auto call_member(const Function& function, const Root& root) {
  if constexpr (std::invocable<const Function&>)
    return function();
  else
    return function(root);
}

// `root` must outlive this.
template <class Root>
class JsonMaker {
 public:
  explicit JsonMaker(const Root& root) : root_(root) {}

  // NaN and infinities become null.
  template <class T>
  JsonValue make(const T& value) const {
    if constexpr (std::floating_point<T>)
      return std::isfinite(value) ? JsonValue(value) : JsonValue();
    else if constexpr (std::integral<T> || std::same_as<T, JsonValue>)
      return value;
    else if constexpr (std::is_enum_v<T>)
      return name_of(value);
    else if constexpr (IsText<T>)
      return std::string_view(value);
    else if constexpr (IsFunction<T, Root>)
      return make(call_member(value, root_));
    else if constexpr (IsNullable<T>)
      return value ? make(*value) : JsonValue();
    else
      return make_parts(value);
  }

 private:
  template <class T>
  JsonValue make_parts(const T& value) const {
    JsonValue parts = IsVisited<T> || IsMembers<T> ? JsonValue::object() : JsonValue::array();
    if constexpr (IsVisited<T>)
      visit_members(value, [&](std::string_view name, const auto& member, std::string_view = {}) {
        add(parts, name, member);
      });
    else if constexpr (IsMembers<T>)
      for (const auto& [name, member] : value.all) add(parts, name, member);
    else
      for (const auto& part : value) parts.push_back(make(part));
    return parts;
  }

  template <class T>
  void add(JsonValue& object, std::string_view name, const T& member) const {
    if constexpr (IsFunction<T, Root>)
      add(object, name, call_member(member, root_));
    else if constexpr (!IsLeftOut<T>)
      object.emplace(name, make(member));
    else if (member.value)
      object.emplace(name, make(*member.value));
  }

  const Root& root_;
};

template <class T, class Root>
JsonValue make_json(const T& value, const Root& root) {
  return JsonMaker<Root>(root).make(value);
}

template <class Root>
JsonValue make_json(const Root& root) {
  return make_json(root, root);
}

// Names of files may be no UTF-8: a text with a replacement character is still a document. `indent`
// -1: one line.
inline std::string json_text(const JsonValue& value, int indent = 2) {
  return value.dump(indent, ' ', false, JsonValue::error_handler_t::replace);
}

}  // namespace benchbench
