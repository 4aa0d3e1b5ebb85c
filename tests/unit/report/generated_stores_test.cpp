// Whatever a store holds, no report says what its records do not support.
#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/analysis/conclusion/analyse.h"
#include "harness/report/text/formats.h"
#include "tests/sweep.h"
#include "tests/unit/report/generated_store.h"

namespace benchbench {
namespace generated_stores_test {

using Json = nlohmann::json;

bool is_word_at(const std::string& text, std::size_t at, std::size_t length) {
  const auto letter = [&](std::size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
  };
  return !(at > 0 && letter(at - 1)) && !letter(at + length);
}

bool has_word(const std::string& text, const std::string& word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    if (is_word_at(text, at, word.size())) return true;
  return false;
}

// The first share that no share can be: "166 %", "-3 %"; "" where all are fine. Lines that quote a
// rule's reason tell how far off something was, and components may cost a step when they are free.
std::string impossible_share(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto has = [&](const char* words) { return line.find(words) != std::string::npos; };
    if (has("INVALID R") || has("INVALID I0") || has("NOISY R") || has("NOISY I0") ||
        has("differ by"))
      continue;
    for (std::size_t at = line.find(" %"); at != std::string::npos; at = line.find(" %", at + 1)) {
      std::size_t from = at;
      while (from > 0 &&
             std::string_view("0123456789.,-").find(line[from - 1]) != std::string_view::npos)
        --from;
      std::string digits = line.substr(from, at - from);
      std::erase(digits, ',');
      const bool number =
          !digits.empty() && std::isdigit(static_cast<unsigned char>(digits.back()));
      if (number && (digits.front() == '-' || std::stod(digits) > 100)) return line;
    }
  }
  return "";
}

// The page's text: its style, scripts and attributes have words and numbers of their own.
std::string text_of_page(std::string page) {
  const std::size_t trials = page.find("<section id=\"trials\"");  // which quotes reasons
  page.erase(trials, page.find("</section>", trials) - trials);
  for (const std::string_view element : {"script", "style"})
    for (std::size_t from; (from = page.find(fmt::format("<{}", element))) != std::string::npos;)
      page.erase(from, page.find(fmt::format("</{}>", element), from) + 1 - from);
  std::string text;
  bool in_tag = false;
  for (const char c : page) {
    if (c == '<')
      in_tag = true;
    else if (c == '>' && in_tag)
      in_tag = false, text += ' ';
    else if (!in_tag)
      text += c;
  }
  return text;
}

// Most documents go without the list of records, which is most of what parsing costs.
std::string document_of(const test::GeneratedStore& store, const Findings& findings,
                        const ReportFormat& format, bool records) {
  std::ostringstream out;
  const auto listed =
      records ? std::span<const TrialRecord>(store.records) : std::span<const TrialRecord>();
  format.write(out, {findings, store.plan, listed, "", {false, 10'000}});
  return format.option == "--html" ? text_of_page(out.str()) : out.str();
}

// What is wrong with one store's reports; "" where nothing is.
class Checked {
 public:
  explicit Checked(std::uint64_t seed)
      : seed_(seed), store_(seed), findings_(analyse(store_.plan, store_.records)) {}

  std::string wrong() {
    for (const ReportFormat* format : report_formats()) {
      // The sample has the page, which is half of the work, of one store in four.
      if (format->option == "--html" && seed_ % test::sweep_size(4, 1) != 0) continue;
      const std::string text = document_of(store_, findings_, *format, seed_ % 10 == 0);
      for (const std::string never : {"nan", "inf", "-nan", "-inf", "-2.14748e+09"})
        if (has_word(text, never)) return std::string(format->option) + " prints " + never;
      if (format->option == "--json")
        check_json(text);
      else if (format->option != "--csv" && format->option != "--junit")  // which quote reasons
        check_text(text);
      if (!wrong_.empty()) return wrong_;
    }
    return "";
  }

 private:
  void demand(bool holds, const std::string& otherwise) {
    if (!holds && wrong_.empty()) wrong_ = otherwise;
  }

  void check_text(const std::string& text) {
    const std::string share = impossible_share(text);
    demand(share.empty(), "a share that cannot be: " + share);
    for (const Point& p : store_.plan.points)
      if (text.find(p.name() + " *") != std::string::npos ||
          text.find(p.name() + " \\*") != std::string::npos)
        check_best(p.index, "the star");
  }

  Mode compared() const {
    return store_.asked(Mode::pipeline) ? Mode::pipeline
           : store_.asked(Mode::loader) ? Mode::loader
                                        : Mode::trainer;
  }
  void check_best(std::uint32_t point, const std::string& what) {
    demand(store_.usable(point, compared()), what + " is at a point without a usable rate");
    demand(store_.usable(0, compared()), what + " is there though the base has no usable rate");
  }

  void check_json(const std::string& text) {
    const Json all = Json::parse(text, nullptr, false);
    if (all.is_discarded()) return demand(false, "no JSON");
    for (const Point& p : store_.plan.points) {
      if (all["best_point"] == p.name()) check_best(p.index, "best_point");
      check_point(p.index, all["points"][p.index]);
    }
    check_words(all["conclusion"]);
    check_identity(all["step_identity"]);
    if (!all["interference"].is_null())
      demand(store_.usable(0, Mode::trainer), "interference without a usable trainer");
    if (!all["timelines"].empty())
      demand(store_.usable(0, Mode::pipeline), "timelines without a usable pipeline");
    if (!all["probes"].empty())
      demand(store_.usable(0, Mode::pipeline), "probes without a usable pipeline");
    if (!all["substitutions"].is_null())
      demand(store_.usable(0, Mode::pipeline), "substitutions without a usable pipeline");
    demand(all["overhead_share"] <= 0.03, "measuring cost more than is VALID");
    check_external(all["external"]);
    check_python_words(all["conclusion"], all["external"]);
  }

  std::optional<std::uint32_t> trial_of(const Json& named) const {
    for (const Point& p : store_.plan.points)
      for (const auto& [mode, trial] : p.trials)
        if (p.name() == named["point"] && name_of(mode) == named["mode"].get<std::string>())
          return trial;
    return std::nullopt;
  }

  void check_external(const Json& external) {
    const auto is_there = [](const ExternalFacts&) { return true; };
    bool any = false;
    for (const Trial& t : store_.plan.trials)
      any = any || (!t.ablation && store_.any_external(t.index, is_there));
    if (external.is_null()) return demand(!any, "external facts are left out");
    for (const Json& p : external["points"]) {
      const auto trial = trial_of(p);
      demand(trial && store_.any_external(*trial, is_there),
             "external facts of a trial without any");
      for (const char* at_least_0 :
           {"workers_start_ms", "gap_between_epochs_ms", "getitem_ms_per_batch",
            "core_wait_main_ms_per_step", "direct_ms"})
        demand(p[at_least_0].is_null() || p[at_least_0] >= 0, std::string(at_least_0) + " below 0");
    }
    for (const Json& found : external["findings"]) {
      const auto trial = trial_of(found);
      if (!trial) return demand(false, "a finding of no trial");
      check_finding(found, *trial, std::string(found["kind"]));
    }
  }

  void check_finding(const Json& found, std::uint32_t trial, const std::string& kind) {
    ++found_kinds[kind];
    const Json &ms = found["cost_ms_per_step"], &bytes = found["cost_bytes"];
    const bool epochs = kind == "start-up each epoch" || kind == "epoch gap",
               draws = kind == "same augmentation";
    // These cost neither time nor memory.
    const bool free = draws || kind == "fork after threads" || kind == "lock held at fork" ||
                      kind == "device tensors in workers" ||
                      (kind == "batches without a fetch" && bytes.is_null());
    demand(free == (ms.is_null() && bytes.is_null()), kind + ": cost");
    for (const Json* cost : {&ms, &bytes})
      demand(cost->is_null() || ((*cost)["value"] > 0 && ((*cost)["n"] < 2 || (*cost)["low"] > 0)),
             kind + ": not clear of 0");
    if (!ms.is_null()) {
      const double part = ms["value"], step = found["step_ms"]["value"];
      demand(epochs || part <= step * (1 + 1e-9), kind + ": more than the step");
      demand(part >= 0.0199 * step, kind + ": too little to name");
    }
    const auto measured = [&](auto test) {
      demand(store_.any_external(trial, test), kind + ": was not measured");
    };
    if (kind == "workers without data")
      measured([](const ExternalFacts& e) { return e.workers.size() > 1; });
    if (kind == "copy-on-write")
      measured([](const ExternalFacts& e) { return e.memory && e.start_method != "spawn"; });
    if (kind == "start-up each epoch")
      measured([](const ExternalFacts& e) { return !e.persistent_workers.value_or(false); });
    if (kind == "oversubscribed threads") {
      measured([](const ExternalFacts& e) { return e.runnable_mean.has_value(); });
      measured([](const ExternalFacts& e) { return e.core_wait_loader_ns || e.core_wait_main_ns; });
    }
    if (kind == "CPU limit misread")
      measured([](const ExternalFacts& e) { return e.cpu_count > 2; });
    if (kind == "tensors in memory")
      measured([](const ExternalFacts& e) { return e.direct_ns.has_value(); });
    if (kind == "uneven samples")
      measured(
          [](const ExternalFacts& e) { return e.workers.size() > 1 && e.in_order.value_or(true); });
    if (draws) measured([](const ExternalFacts& e) { return !e.same_draws.empty(); });
  }

  // What is said of the user's code is said of it alone; what only benchbench's own loaders have is
  // not said of it.
  void check_python_words(const std::string& conclusion, const Json& external) {
    const auto says = [&](const char* words) {
      return conclusion.find(words) != std::string::npos;
    };
    if (!store_.python())
      for (const char* words :
           {"DataLoader(", "__getitem__", "persistent_workers", "copy-on-write", "torch."})
        demand(!says(words), std::string("no Python, and yet: ") + words);
    if (store_.python() && !external.is_null() && !external["points"].empty())
      for (const char* words :
           {"This holds for", "--substitute: it", "set loader.", "loader.dispatch"})
        demand(!says(words), std::string("of the user's loader: ") + words);
    const std::size_t named = external.is_null() ? 0 : external["findings"].size();
    demand(named > 0 || !says("copy-on-write"), "a finding that is none");
  }

  void check_point(std::uint32_t p, const Json& at) {
    const bool sides = store_.together(p, {Mode::loader, Mode::trainer, Mode::pipeline});
    const std::string side = at["side"], where = store_.plan.points[p].name() + ": ";
    demand(sides || side == "not measured", where + "held back by " + side);
    demand(sides || at["side_cost_ms"].is_null(), where + "a side's cost");
    demand(store_.together(p, {Mode::loader, Mode::trainer}) || at["headroom_ratio"].is_null(),
           where + "headroom");
    const bool pipeline = store_.usable(p, Mode::pipeline);
    for (const char* of_pipeline : {"exposed_wait_ms", "core_wait_ms", "step_ms", "gain_ratio",
                                    "cpu_rate_samples_per_second"})
      demand(pipeline || at[of_pipeline].is_null(),
             where + of_pipeline + " without a usable pipeline");
    const bool any = pipeline || store_.usable(p, Mode::loader) || store_.usable(p, Mode::trainer);
    for (const char* of_any : {"cache_share", "peak_memory_bytes", "stalls", "padding_share",
                               "tokens_per_second", "epoch_gap_ms"})
      demand(any || at[of_any].is_null(), where + of_any + " without anything usable");
    demand((pipeline && store_.usable(p, Mode::trainer)) || at["au_share"].is_null(),
           where + "au of what is not usable");
    check_within_step(where, at);
    for (const char* share : {"cache_share", "padding_share", "shuffle_together_share", "au_share"})
      demand(at[share].is_null() || (at[share] >= 0 && at[share] <= 1), where + share + " is none");
    demand(at["stalls"].is_null() || (at["stalls"]["share"] >= 0 && at["stalls"]["share"] <= 1),
           where + "stalls' share");
    demand_status(where, p, at);
  }

  void check_within_step(const std::string& where, const Json& at) {
    for (const char* part :
         {"exposed_wait_ms", "core_wait_ms", "side_cost_ms", "side_takes_ms", "contention_ms"}) {
      if (!at.contains(part) || at[part].is_null()) continue;
      const double ms = at[part]["value"], step = at["step_ms"]["value"];
      demand(ms >= 0 && ms <= step * (1 + 1e-9), where + part + " is no part of the step");
      demand(at[part]["high"] <= step * (1 + 1e-9), where + part + "'s interval leaves the step");
    }
  }

  // A mode is VALID only where all that ran is.
  void demand_status(const std::string& where, std::uint32_t p, const Json& at) {
    for (const auto& [mode, trial] : store_.plan.points[p].trials) {
      const Json& told = at["mode_status"][std::string(name_of(mode))];
      const bool good = told == "VALID" || told == "NOISY";
      demand(!good || store_.usable(p, mode),
             where + "a mode without a usable record is called usable");
    }
  }

  void check_words(const std::string& conclusion) {
    if (store_.anything_usable()) return;
    for (const char* word : {"samples/s", "%", " ms", "holds", "limit", "best", "help", "fast"})
      demand(conclusion.find(word) == std::string::npos,
             "nothing is usable, and yet: " + conclusion);
  }

  void check_identity(const Json& step) {
    if (step.is_null()) return;
    double sum = 0;
    for (const Json& part : step["parts_ms"]) {
      const double ms = part["ms"];
      demand(ms >= 0, "a part of the step below 0");
      sum += ms;
    }
    const double whole = step["step_ms"];
    demand(std::abs(sum - whole) <= 1e-6 * whole, "parts that do not add up to the step");
    for (const Point& p : store_.plan.points)
      if (p.name() == step["point"])
        demand(store_.usable(p.index, Mode::pipeline), "the step of what is not usable");
  }

  std::uint64_t seed_;

 public:
  // Of all stores: which findings were made, so that none goes without being looked at.
  static inline std::map<std::string, int> found_kinds;

 private:
  test::GeneratedStore store_;
  Findings findings_;
  std::string wrong_;
};

TEST_CASE("report: no store brings a report to say what its records do not support",
          "[unit][report]") {
  std::map<std::string, std::uint64_t> found;  // what is wrong, once each, and its first seed
  const std::uint64_t stores = test::sweep_size(500, 10'000);
  for (std::uint64_t seed = 0; seed < stores && found.size() < 8; ++seed)
    if (const std::string wrong = Checked(seed).wrong(); !wrong.empty())
      found.try_emplace(wrong, seed);
  for (const auto& [what, seed] : found) UNSCOPED_INFO("seed " << seed << ": " << what);
  CHECK(found.empty());
  for (const std::string_view kind : kWordsOf<ExternalFault>) {
    INFO(kind);
    CHECK(Checked::found_kinds[std::string(kind)] > static_cast<int>(stores / 500));
  }
}

}  // namespace generated_stores_test
}  // namespace benchbench
