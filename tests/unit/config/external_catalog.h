// The small catalogue with a loader and a trainer of the user's own code, described as
// scenarios/python does.
#pragma once
#include "tests/unit/config/loading.h"

namespace benchbench::test {

inline const Catalog& external_catalog() {
  using enum ParameterType;
  static constexpr std::string_view starts[] = {"none", "fork", "forkserver", "spawn"};
  static constexpr Parameter loader[] = {{"script", text, "none", "File."},
                                         {"module", text, "none", "Module."},
                                         {"call", text, "", "Function."},
                                         {"pick", integer, "none", "Which.", 0, 1000},
                                         {"python", text, "none", "Interpreter."},
                                         {"persistent_workers", boolean, "none", "Keep workers."},
                                         {.key = "multiprocessing_context",
                                          .type = choice,
                                          .standard = "none",
                                          .help = "Start.",
                                          .choices = starts}};
  static constexpr Parameter trainer[] = {{"script", text, "none", "File."},
                                          {"module", text, "none", "Module."},
                                          {"call", text, "", "Function."},
                                          {"setup", text, "none", "Function."},
                                          {"python", text, "none", "Interpreter."}};
  static const PartDescription parts[] = {{.kind = PartKind::loader,
                                           .name = "python",
                                           .summary = "",
                                           .parameters = loader,
                                           .takes_dataset = true,
                                           .external = true,
                                           .free_keys = "args."},
                                          {.kind = PartKind::trainer,
                                           .name = "python",
                                           .summary = "",
                                           .parameters = trainer,
                                           .needs_kernels = false,
                                           .external = true}};
  static const Catalog catalog = [] {
    std::vector<PartRow> rows(small_catalog().rows().begin(), small_catalog().rows().end());
    for (const PartDescription& p : parts) rows.push_back({&p, {}, ""});
    return Catalog{rows};
  }();
  return catalog;
}

inline const std::string kPythonLoader =
    "loader: {use: python, script: train.py, call: make_data}\n";
inline const std::string kPython =
    kPythonLoader + "trainer: {use: python, script: train.py, call: train_step}\n";

inline Scenario load_python(const std::string& text, ScenarioRequest request = request_for("")) {
  return load_text(text, std::move(request), external_catalog());
}

inline ScenarioRequest with_look(CodeLook look) {
  ScenarioRequest request = request_for("");
  request.look_at_code = std::move(look);
  return request;
}

inline std::vector<Diagnostic> python_refused(const std::string& text,
                                              ScenarioRequest request = request_for("")) {
  try {
    load_python(text, std::move(request));
  } catch (const ScenarioDiagnostics& e) {
    return e.all();
  }
  FAIL("loaded, but should be refused:\n" << text);
  return {};
}

// One diagnostic, in this line, under this text, saying this.
inline void require_python_refused(const std::string& text, int line, const std::string& under,
                                   const std::string& says,
                                   ScenarioRequest request = request_for("")) {
  INFO(text);
  const std::vector<Diagnostic> all = python_refused(text, std::move(request));
  INFO(ScenarioDiagnostics(all).text());
  REQUIRE(all.size() == 1);
  CHECK(all[0].line == line);
  CHECK(all[0].excerpt.substr(all[0].column - 1, all[0].width) == under);
  CHECK_THAT(all[0].message, Catch::Contains(says));
}

inline bool decided(const Scenario& s, const std::string& text) {
  return std::ranges::any_of(
      s.decisions, [&](const std::string& d) { return d.find(text) != std::string::npos; });
}

}  // namespace benchbench::test
