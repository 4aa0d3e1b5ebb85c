// Keywords of the user's function: any scalar, of the type that YAML gives it.
#include "harness/record/external_keys.h"
#include "tests/unit/config/external_catalog.h"

namespace benchbench::test {
namespace free_keys {

std::string with_args(const std::string& args) {
  return "loader: {use: python, script: train.py, call: make_data, args: " + args +
         "}\ntrainer: {use: discard}\n";
}

Value argument(const std::string& written) {
  const Scenario s = load_python(with_args("{x: " + written + "}"));
  return s.base.at("loader.args.x");
}

TEST_CASE("free keys: a value has the type that YAML gives it, and what is quoted is text",
          "[unit][config]") {
  CHECK(argument("224") == Value{ParameterType::integer, std::int64_t{224}});
  CHECK(argument("-3") == Value{ParameterType::integer, std::int64_t{-3}});
  CHECK(argument("0x10") == Value{ParameterType::integer, std::int64_t{16}});
  CHECK(argument("true") == Value{ParameterType::boolean, true});
  CHECK(argument("False") == Value{ParameterType::boolean, false});
  CHECK(argument("1.0") == Value{ParameterType::real, 1.0});
  CHECK(argument("1e-3") == Value{ParameterType::real, 0.001});
  CHECK(argument("\"224\"") == Value{ParameterType::text, std::string("224")});
  CHECK(argument("'true'") == Value{ParameterType::text, std::string("true")});
  CHECK(argument("\"\"") == Value{ParameterType::text, std::string()});
  for (const char* text : {"data/train", "12ms", "007.jpg", "2024-01-02", "inf", "nan", "yes"})
    CHECK(argument(text) == Value{ParameterType::text, std::string(text)});
}

TEST_CASE("free keys: dotted, in a variant, by --set and as an axis they are the same keys",
          "[unit][config]") {
  ScenarioRequest request = request_for("");
  request.sets = {{"loader.args.size", "64"}, {"loader.args.name", "\"12\""}};
  request.sweeps = {{"loader.args.crop", "true,false"}};
  const Scenario s =
      load_python(with_args("{size: 224}") + "variants: {cpu: {loader.args.deep: 3}}\n", request);
  CHECK(s.base.at("loader.args.size") == Value{ParameterType::integer, std::int64_t{64}});
  CHECK(s.base.at("loader.args.name") == Value{ParameterType::text, std::string("12")});
  CHECK(s.base.integer("loader.args.deep") == 3);
  REQUIRE(s.axes.size() == 1);
  CHECK(s.axes[0].values[0].set == std::vector<std::pair<std::string, Value>>{
                                       {"loader.args.crop", {ParameterType::boolean, true}}});
}

TEST_CASE("free keys: labels keep values of different types apart", "[unit][config]") {
  const Scenario s =
      load_python(with_args("{}") + "sweep: {loader.args.x: [1, 1.0, \"1\", one, none]}\n");
  std::vector<std::string> labels;
  for (const AxisValue& v : s.axes.at(0).values) labels.push_back(v.label);
  CHECK(labels == std::vector<std::string>{"1", "1.0", "\"1\"", "one", "none"});
  CHECK(exact_text("loader.args.x", {ParameterType::text, std::string("none")}) == "\"none\"");
  CHECK(exact_text("loader.of.args.x", {ParameterType::real, 2.0}) == "2.0");
  CHECK(exact_text("loader.rate", {ParameterType::real, 2.0}) == "2");
}

TEST_CASE("free keys: none takes a lower layer's out, and nothing below args is nothing",
          "[unit][config]") {
  ScenarioRequest request = request_for("");
  request.sets = {{"loader.args.size", "none"}};
  CHECK_FALSE(load_python(with_args("{size: 224}"), request).base.has("loader.args.size"));
  CHECK_NOTHROW(load_python(with_args("{}")));
  CHECK(load_python(with_args("{}")).decisions ==
        load_python(kPythonLoader + "trainer: {use: discard}\n").decisions);
}

TEST_CASE("free keys: maps and lists are refused where they are", "[unit][config]") {
  require_python_refused(with_args("{size: [1, 2]}"), 1, "[1, 2]",
                         "not a list; make it in the function itself, or list several to try");
  require_python_refused(with_args("{size: {}}"), 1, "{}",
                         "not a map; make it in the function itself");
  require_python_refused(with_args("{size: {a: 1}}"), 1, "a",
                         "loader.args.size.a: only true, false, numbers and text are passed on");
  require_python_refused(
      with_args("3"), 1, "args",
      "loader.args has keywords of the function below it, such as loader.args.size");
  require_python_refused(with_args("{size: }"), 1, "}}", "the value is missing");
  require_python_refused(with_args("{size: 99999999999999999999}"), 1, "99999999999999999999",
                         "does not fit 64 bits");
  require_python_refused(with_args("{size: 010}"), 1, "010", "ambiguous");
}

TEST_CASE("free keys: another loader has none, and drops them in words", "[unit][config]") {
  ScenarioRequest request = request_for("");
  request.sets = {{"loader.use", "synthetic"}};
  const Scenario s = load_python(with_args("{size: 224}"), request);
  CHECK_FALSE(s.base.has("loader.args.size"));
  CHECK(decided(s, "loader synthetic has no args.size"));
  require_python_refused("loader: {use: synthetic, args: {size: 1}}\ntrainer: {use: discard}\n", 1,
                         "size", "unknown key loader.args.size");
}

}  // namespace free_keys
}  // namespace benchbench::test
