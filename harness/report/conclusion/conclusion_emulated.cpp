// Says what the loader would mean for a device that is emulated next to the base's own.
#include <fmt/format.h>

#include "harness/analysis/choice/another_job.h"
#include "harness/analysis/conclusion/conclusion.h"
#include "harness/analysis/summary/gain.h"
#include "harness/record/setting_keys.h"
#include "harness/report/conclusion/conclusion_part_words.h"

namespace benchbench {
namespace {

struct Rates {
  Estimate loader;
  double trainer = 0, pipeline = 0;
};

std::optional<Rates> rates_of(const PointFindings& p) {
  const Measured loader = usable_rate(p, Mode::loader), trainer = usable_rate(p, Mode::trainer),
                 pipeline = usable_rate(p, Mode::pipeline);
  if (!loader || !trainer || !pipeline) return std::nullopt;
  return Rates{*loader, trainer->value, pipeline->value};
}

// "An emulated h200 (213us a sample), 224 px, batch 64".
std::string device_words(const SettingsMap& settings) {
  const std::string like = settings.text_or(keys::trainer.emulated.like),
                    time = settings.text_or("trainer.sample_time");
  const std::string size = settings.text_or("loader.transform.random_resized_crop"),
                    batch = settings.text_or(keys::loader.batch_size);
  return fmt::format("an emulated {}{}{}{}", like.empty() ? "device" : like,
                     time.empty() ? "" : fmt::format(" ({} a sample)", time),
                     size.empty() ? "" : fmt::format(", {} px", size),
                     batch.empty() ? "" : fmt::format(", batch {}", batch));
}

std::string memory_words(const SettingsMap& settings) {
  const std::string pinned = settings.text_or(keys::loader.pin_memory);
  return pinned.empty() ? "" : pinned == "true" ? " from pinned memory" : " from pageable memory";
}

// If each of them makes as much as those that were measured: by the ends of their interval.
std::string workers_needed(const Point& point, const Rates& r) {
  if (workers_of(point) == 0) return "";
  const WorkersRange needed = workers_to_feed(point, r.loader, r.trainer);
  if (needed.says_nothing())
    return "; its rate alone varies too much to say how many workers would feed it";
  const std::string range = needed.least == needed.most
                                ? fmt::format("about {:.0f}", needed.least)
                                : fmt::format("{:.0f} to {:.0f}", needed.least, needed.most);
  return fmt::format("; {} such workers would feed it, each with a core", range);
}

// Says what it comes to with this loader: "this loader would be the limit at 3,290/s, 74 % of
// that".
std::string outcome_words(const PointFindings& p, const Point& point, const Rates& r) {
  const std::string reached =
      fmt::format("{}/s, {:.0f} % of that", human_count(r.pipeline), 100 * r.pipeline / r.trainer);
  if (p.unclear || p.side == Side::unknown)
    return fmt::format("no side can be named at {}", reached);
  if (p.side == Side::balanced) return fmt::format("neither side is the limit at {}", reached);
  if (p.side == Side::contention)
    return fmt::format("the two, or other programs, are in each other's way at {}", reached);
  if (p.side == Side::trainer)
    return fmt::format("fed, as this loader makes {}/s alone", human_count(r.loader.value));
  return fmt::format("this loader would be the limit at {}{}", reached, workers_needed(point, r));
}

}  // namespace

std::string emulated_words(const Telling& t) {
  std::string text, device;
  for (const Point& point : t.plan.points) {
    if (!is_for_another_device(t.plan, point.index)) continue;
    const PointFindings& p = t.f.points[point.index];
    const auto rates = rates_of(p);
    if (!rates) continue;
    const bool same = device == device_words(point.settings);
    device = device_words(point.settings);
    text += fmt::format(
        "{}{}", text.empty() ? "" : " ",
        as_sentence(fmt::format("{} would take {}/s{}: {}", same ? "it" : device,
                                human_count(rates->trainer), memory_words(point.settings),
                                outcome_words(p, point, *rates))));
  }
  return text;
}

}  // namespace benchbench
