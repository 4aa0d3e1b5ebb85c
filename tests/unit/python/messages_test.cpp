// Holds what this program reads and says against python/messages.json: a member is read if a wrong
// value of it is refused. python/tests/messages.py holds Python's side against it.
#include <catch2/catch.hpp>
#include <fstream>
#include <functional>

#include "harness/core/error.h"
#include "scenarios/python/answers.h"
#include "scenarios/python/requests.h"
#include "scenarios/python/wrap/wrap_answers.h"
#include "scenarios/python/wrap/wrap_ranks.h"
#include "tests/places.h"

namespace benchbench::python_part {
namespace messages_test {

const Json& described() {
  static const Json all = [] {
    std::ifstream file(test::source_path("python/messages.json"));
    return Json::parse(file);
  }();
  return all;
}

// The members of an object with those of the objects that `+` lists: {name: type}.
Json members_of(const Json& object) {
  Json members = Json::object();
  for (const Json& name : object.value("+", Json::array()))
    members.update(members_of(described()["objects"][name.get<std::string>()]));
  for (const auto& [name, type] : object.items())
    if (name != "+") members[name] = type;
  return members;
}

struct Type {
  explicit Type(std::string text) : core(std::move(text)) {
    is_read = !core.starts_with("~");
    if (!is_read) core.erase(0, 1);
    is_optional = core.ends_with("?");
    if (is_optional) core.pop_back();
  }
  std::string inner() const { return core.substr(1, core.size() - 2); }
  bool is_list() const { return core.starts_with("["); }
  bool is_map() const { return core.starts_with("{"); }
  bool is_object() const { return described()["objects"].contains(core); }
  Json members() const { return members_of(described()["objects"][core]); }

  std::string core;
  bool is_read, is_optional;
};

enum class Of : std::uint8_t { all_members, needed_ones };

Json sample(const Type& type, Of which);

Json sample_of(const Json& members, Of which) {
  Json made = Json::object();
  for (const auto& [name, text] : members.items())
    if (const Type type(text); which == Of::all_members || !type.is_optional)
      made[name] = sample(type, which);
  return made;
}

Json sample(const Type& type, Of which) {
  if (type.is_object()) return sample_of(type.members(), which);
  if (type.is_list()) return Json::array({sample(Type(type.inner()), which)});
  if (type.is_map()) return {{"num_workers", sample(Type(type.inner()), which)}};
  if (type.core == "text") return "cpu";
  if (type.core == "bool") return true;
  return 1;
}

// A value that is wrong in one place.
struct Wrong {
  std::string place;
  bool is_read;
  Json value;
};

Json with(Json members, const Json& more) {
  members.update(more);
  return members;
}

Json wrong_leaf(const Type& type) { return type.core == "text" ? Json(7) : Json("seven"); }

std::vector<Wrong> all_wrong(const Type& type, const std::string& place, Of which);

std::vector<Wrong> wrong_objects(const Type& type, const std::string& place, Of which) {
  std::vector<Wrong> all;
  const Json members = type.members(), right = sample_of(members, which);
  for (const auto& [name, text] : members.items())
    for (const Wrong& one : all_wrong(Type(text), place + "." + name, which))
      all.push_back({one.place, type.is_read && one.is_read, with(right, {{name, one.value}})});
  return all;
}

std::vector<Wrong> all_wrong(const Type& type, const std::string& place, Of which) {
  if (type.core == "any") return {};
  if (type.core == "{any}") return {{place, type.is_read, 7}};
  if (type.is_object()) return wrong_objects(type, place, which);
  if (!type.is_list() && !type.is_map()) return {{place, type.is_read, wrong_leaf(type)}};
  std::vector<Wrong> all = all_wrong(Type(type.inner()), place, which);
  for (Wrong& one : all) {
    one.is_read = one.is_read && type.is_read;
    one.value =
        type.is_list() ? Json::array({one.value}) : Json{{"num_workers", std::move(one.value)}};
  }
  return all;
}

using Reader = std::function<void(const Message&)>;

bool takes(const Reader& read, const Json& body) {
  try {
    read({body["type"], body, ""});
    return true;
  } catch (const PartError&) {
    return false;
  }
}

// `given` are members without which no message of the kind makes sense.
void check_reader(const char* way, const std::string& kind, Json given, const Reader& read) {
  const Json members = members_of(described()[way]["python"][kind]);
  given["type"] = kind;
  const Json whole = with(sample_of(members, Of::all_members), given),
             least = with(sample_of(members, Of::needed_ones), given);
  CAPTURE(kind, whole.dump());
  CHECK(takes(read, whole));
  CHECK(takes(read, least));
  for (const auto& [name, text] : members.items()) {
    const auto wrong = all_wrong(Type(text), name, Of::all_members),
               alone = all_wrong(Type(text), name, Of::needed_ones);
    for (std::size_t i = 0; i < wrong.size(); ++i) {
      CAPTURE(wrong[i].place);
      // Another member may stand before it where both are there.
      const bool is_taken = takes(read, with(whole, {{name, wrong[i].value}})) &&
                            takes(read, with(least, {{name, alone[i].value}}));
      CHECK(is_taken != wrong[i].is_read);
    }
  }
}

const Json kWindow = {{"segments", Json::array({Json::array({1, 2})})}, {"series", Json::array()}};

TEST_CASE("messages: members of use: python are read as they are described", "[unit][python]") {
  check_reader("use: python", "result", kWindow, [](const Message& m) { result_from(m, {}); });
  for (const char* kind : {"loaded", "checked"})
    check_reader("use: python", kind, Json::object(), [](const Message& m) {
      ExternalFacts facts;
      note_loaded(m, facts);
      check_from(m);
    });
}

TEST_CASE("messages: members of wrap are read as they are described", "[unit][python][wrap]") {
  WrapSteady steady;
  steady.tunes = true;
  const WrapHello process{};
  check_reader("wrap", "hello", Json::object(), [](const Message& m) {
    hello_from(m);
    // The session compares these with its own.
    read_from(m, [](const Json& body) {
      return std::pair(member<int>(body, "protocol"), member<std::string>(body, "token"));
    });
  });
  check_reader("wrap", "steady", Json::object(), [](const Message& m) { steady_from(m); });
  check_reader("wrap", "stretch", with(kWindow, {{"kind", "f"}, {"copy", Json::object()}}),
               [&](const Message& m) { stretch_from(m, process, steady); });
  check_reader("wrap", "next", Json::object(), [](const Message& m) { state_in(m); });
  check_reader("wrap", "ready", Json::object(),
               [](const Message& m) { ready_from(m, Nanoseconds{0}); });
  check_reader("wrap", "end", {{"reason", "answer"}}, [](const Message& m) { end_from(m); });
}

bool fits(const Json& value, const Type& type);

bool fits_object(const Json& value, const Json& members) {
  for (const auto& [name, one] : value.items())
    if (!members.contains(name) || !fits(one, Type(members[name]))) return false;
  for (const auto& [name, text] : members.items())
    if (!value.contains(name) && !Type(text).is_optional) return false;
  return true;
}

bool fits(const Json& value, const Type& type) {
  if (value.is_null()) return type.is_optional;
  if (type.core == "any") return true;
  if (type.is_object()) return value.is_object() && fits_object(value, type.members());
  if (type.is_list() || type.is_map()) {
    if (!(type.is_list() ? value.is_array() : value.is_object())) return false;
    return std::all_of(value.begin(), value.end(),
                       [&](const Json& one) { return fits(one, Type(type.inner())); });
  }
  if (type.core == "text") return value.is_string();
  if (type.core == "bool") return value.is_boolean();
  return type.core == "real" ? value.is_number() : value.is_number_integer();
}

bool is_described(const char* way, const Json& message) {
  Json members = members_of(described()[way]["benchbench"].at(message["type"].get<std::string>()));
  members["type"] = "text";
  return fits_object(message, members);
}

TEST_CASE("messages: what this program says is described", "[unit][python][wrap]") {
  CHECK(is_described("use: python", run_request({})));
  CHECK(is_described("use: python", load_request("load", nullptr, nullptr, "", "cpu", true)));
  WrapOrder order;
  CHECK(is_described("wrap", plan_message(order)));
  order.budget = std::chrono::seconds{9};
  order.loader = "train_loader";
  order.other["num_workers"] = std::int64_t{4};
  CHECK(is_described("wrap", plan_message(order)));
  WrapNext next;
  next.stretches = {{WrapKind::full, Nanoseconds{1}, 2, 3, 4}};
  for (const char* type : {"go", "round"}) CHECK(is_described("wrap", round_message(type, next)));
  CHECK(is_described("wrap", *agreed_on({RankReady{.rank = 0, .world = 1, .group = ""}})));
  Json other = plan_message(order);
  other["sped"] = 1;
  CHECK_FALSE(is_described("wrap", other));
  other = plan_message(order);
  other["rounds"] = "five";
  CHECK_FALSE(is_described("wrap", other));
}

}  // namespace messages_test
}  // namespace benchbench::python_part
