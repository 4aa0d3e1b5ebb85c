#include "harness/micro/figures/figure.h"

#include <fmt/format.h>

namespace benchbench::micro {
namespace {

// Three significant digits: 0.987, 12.3, 1234.
std::string digits(double ratio) {
  const int decimals = ratio < 10 ? 3 : ratio < 100 ? 1 : 0;
  return fmt::format("{:.{}f}", ratio, decimals);
}

}  // namespace

FigureResult measure_in_rounds(int rounds, const Side& ours, const Side& peer, const Words& words) {
  const Side sides[] = {ours, peer};
  const auto times = in_rounds(rounds, sides);
  return {ratios_of(times[1], times[0]), words(median_interval(times[0]).middle),
          words(median_interval(times[1]).middle)};
}

Words samples_a_second(double samples) {
  return [samples](double seconds) { return fmt::format("{:.0f} samples/s", samples / seconds); };
}

std::string verdict_on(const Figure& figure, std::span<const double> ratios) {
  const Interval ratio = median_interval(ratios);
  const std::string_view verdict = ratio.low >= figure.goal ? "reached"
                                   : ratio.high < figure.goal
                                       ? "missed"
                                       : "not shown: the interval contains the goal";
  return fmt::format("{} of {}, 95 % interval {}..{}, {} rounds, goal {}: {}", digits(ratio.middle),
                     figure.peer, digits(ratio.low), digits(ratio.high), ratios.size(), figure.goal,
                     verdict);
}

void count_ratio(benchmark::State& state, const Interval& ratio) {
  state.counters["ratio"] = ratio.middle;
  state.counters["ratio_low"] = ratio.low;
  state.counters["ratio_high"] = ratio.high;
}

void show(benchmark::State& state, const Figure& figure, const FigureResult& measured) {
  const Interval ratio = median_interval(measured.ratios);
  count_ratio(state, ratio);
  state.counters["goal"] = figure.goal;
  state.SetLabel(fmt::format("{}; {} against {}", verdict_on(figure, measured.ratios),
                             measured.ours, measured.peer));
}

void not_shown(benchmark::State& state, const Figure& figure, std::string_view why) {
  state.SkipWithError(
      fmt::format("not shown: {} (goal {} of {})", why, figure.goal, figure.peer).c_str());
}

void register_figures(Workbench& bench, std::span<const Figure> figures) {
  for (const Figure& figure : figures)
    benchmark::RegisterBenchmark(fmt::format("figures/{}", figure.name).c_str(),
                                 [&bench, &figure](benchmark::State& state) {
                                   for (auto _ : state) {
                                     try {
                                       show(state, figure, figure.measure(bench));
                                     } catch (const std::exception& error) {
                                       not_shown(state, figure, error.what());
                                     }
                                   }
                                 })
        ->Iterations(1)
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
}

}  // namespace benchbench::micro
