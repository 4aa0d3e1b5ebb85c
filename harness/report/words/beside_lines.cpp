#include "harness/report/words/beside_lines.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "harness/report/text/cells.h"

namespace benchbench {
namespace {

std::string with_unit(double value, std::string_view unit) {
  if (unit == "share") return share_text(value);
  if (unit == "bytes") return human_bytes(value);
  if (unit == "bytes/s") return human_bytes(value) + "/s";
  if (unit == "1/s") return human_count(value) + "/s";
  if (unit == "Hz") return fmt::format("{:.2f} GHz", value * 1e-9);
  if (unit == "W" || unit == "C") return fmt::format("{:.0f} {}", value, unit);
  if (unit == "cores")
    return fmt::format("{:.2f} {}", value,
                       fmt::format("{:.2f}", value) == "1.00" ? "core" : "cores");
  return human_count(value);
}

// Mean, and the largest reading where it stood out.
std::string probe_text(const ProbeFacts& p) {
  std::string text = fmt::format("{} {}", p.name, with_unit(p.mean, p.unit));
  if (p.max > 2 * p.mean && p.samples > 1)
    text += fmt::format(" (up to {})", with_unit(p.max, p.unit));
  return text;
}

std::string probes_line(const std::vector<ProbeFacts>& probes) {
  std::string text;
  std::map<std::string, std::string> absent;  // why -> names
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (const ProbeFacts& p : probes) {
    if (p.state == ProbeState::measured && (p.mean != 0 || p.max != 0)) add(probe_text(p));
    if (p.state == ProbeState::lost)
      add(fmt::format("{} lost ({} of {}: {})", p.name, p.lost, p.lost + p.samples, p.why));
    if (p.state != ProbeState::not_available) continue;
    std::string& names = absent[p.why];
    names += (names.empty() ? "" : ", ") + p.name;
  }
  for (const auto& [why, names] : absent)
    text += fmt::format("{}not available: {}{}", text.empty() ? "" : "; ", names,
                        why.empty() ? "" : " (" + why + ")");
  return text;
}

std::string interference_line(const Interference& i) {
  if (!i.ratio) return "not measured: no round has both";
  const double change = i.ratio->value - 1;
  const bool clear = i.ratio->n > 1 && (i.ratio->high < 1 || i.ratio->low > 1);
  return fmt::format(
      "with the loader running in the background ({} samples/s) the trainer reaches {} samples/s, "
      "{} of its rate alone: {}",
      rate_cell(i.loader_rate), rate_cell(i.background_rate), ratio_cell(i.ratio),
      !clear       ? "no clear difference"
      : change < 0 ? fmt::format("the loader slows it by {}", share_text(-change))
      : change < 1 ? fmt::format("faster by {}", share_text(change))
                   : std::string("faster"));
}

std::string on_device_line(const BatchOnDevice& d) {
  const double value = d.ratio->value;
  const bool clear = d.ratio->n > 1 && (d.ratio->high < 1 || d.ratio->low > 1);
  return fmt::format(
      "with its batch on the device already the trainer reaches {} samples/s, "
      "{} of its rate with a copy for each: {}",
      rate_cell(d.rate), ratio_cell(d.ratio),
      d.ratio->n < 2 ? std::string("one round")
      : !clear       ? "no clear difference"
      : value > 1    ? fmt::format("the copies take {} of its step", share_text(1 - 1 / value))
                     : fmt::format("slower by {}", share_text(1 - value)));
}

// Returns ", PCIe 5 x16, 1755 MHz at work (89 % of machine.yaml's), at its power limit of 700 W 34
// % of the time, 0.13 J a sample".
std::string gpu_facts(const GpuSeen& g) {
  std::string text;
  if (g.pcie_generation && g.pcie_width)
    text += fmt::format(", PCIe {} x{}", *g.pcie_generation, *g.pcie_width);
  if (g.clock_hertz) text += fmt::format(", {:.0f} MHz at work", *g.clock_hertz / 1e6);
  if (g.clock_share) text += fmt::format(" ({} of machine.yaml's)", share_text(*g.clock_share));
  if (g.power_capped_share.value_or(0) > 0)
    text += fmt::format(
        ", at its power limit{} {} of the time",
        g.power_limit_watts ? fmt::format(" of {:.0f} W", *g.power_limit_watts) : std::string(),
        share_text(*g.power_capped_share));
  if (g.joules_per_sample) text += fmt::format(", {:.3g} J a sample", *g.joules_per_sample);
  return text;
}

std::string gpu_line(const GpuSeen& g) {
  std::string text = fmt::format(
                  "{}: {}, UUID {}{}{}", g.name.empty() ? "GPU" : g.name, g.model, g.uuid,
                  g.divided.value_or(false) ? ", a part of a divided GPU (MIG)" : "", gpu_facts(g)),
              unknown;
  const auto add = [&](bool known, const char* what) {
    if (!known) unknown += (unknown.empty() ? "" : ", ") + std::string(what);
  };
  add(g.users_known, "whether other processes used it");
  add(g.slowing_known, "whether it was slowed down");
  add(g.errors_known, "whether its memory had errors that could not be corrected");
  add(g.divided.has_value(), "whether it is a part of a divided GPU (MIG)");
  if (unknown.empty()) return text;
  return text + fmt::format("; not known: {} ({})", unknown,
                            g.absent.empty() ? "NVML does not say" : g.absent);
}

std::string_view ceiling_words(std::string_view ceiling) {
  if (ceiling == "disk_read_cold") return "what this disk reads";
  if (ceiling == "network") return "what the network delivers";
  if (ceiling == "disk_read_warm") return "what its threads can read from the page cache";
  if (ceiling == "link_to_device") return "what the link to the device carries";
  return "what the link to the device carries from pageable memory";
}

// "pipeline 745 MB/s, 62 % of what this disk reads (1.20 GB/s)".
std::string ceilings_line(const std::vector<NearestCeiling>& all) {
  std::string text;
  for (const NearestCeiling& c : all)
    text += fmt::format("{}{} {}/s, {} of {} ({}/s)", text.empty() ? "" : "; ", name_of(c.mode),
                        human_bytes(c.rate), share_text(c.share()), ceiling_words(c.ceiling),
                        human_bytes(c.ceiling_rate));
  return text;
}

// "ours 1.43 and other programs 0.57 of 2; a thread of ours waited for one 71 % of the time".
std::string cores_line(const CoresUsed& c) {
  std::string text =
      fmt::format("ours {:.2f} and other programs {:.2f} of {:g}", c.ours, c.others, c.cpus);
  if (c.no_core_share)
    text += fmt::format("; a thread of ours waited for one {} of the time",
                        share_text(*c.no_core_share));
  return text;
}

std::string workers_line(const LoaderWork& work) {
  std::string text = fmt::format("{}{}, per step:", counted(work.workers, "worker"),
                                 work.workers == 1 ? "" : " together");
  for (const auto& [name, ms] : work.parts)
    if (ms > 0) text += fmt::format(" {} {},", name, ms_text(ms));
  return text + fmt::format(" other {}", ms_text(std::max(0.0, work.residual_ms)));
}

std::string stalls_line(const StallFindings& s) {
  std::string text =
      fmt::format("{} of {} stalled, {} of the time, the longest {}", s.count,
                  counted(s.steps, "step"), share_text(s.share), ms_text(s.longest_ms));
  if (s.cause) text += fmt::format(", mostly in {}", name_of(*s.cause));
  if (s.period_steps > 0)
    text += fmt::format(", about every {}",
                        counted(static_cast<std::uint64_t>(std::llround(s.period_steps)), "step"));
  return text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> beside_lines(const Findings& f) {
  std::vector<std::pair<std::string, std::string>> lines;
  const auto of_base = [&](const char* name, const std::string& text) {
    lines.emplace_back(name, (f.points.size() > 1 ? "base: " : "") + text);
  };
  if (f.loader_work) of_base("workers", workers_line(*f.loader_work));
  if (!f.points.empty() && f.points.front().stalls && f.points.front().stalls->count > 0)
    of_base("stalls", stalls_line(*f.points.front().stalls));
  if (f.interference) of_base("beside", interference_line(*f.interference));
  if (f.batch_on_device) of_base("copies", on_device_line(*f.batch_on_device));
  if (f.gpu) lines.emplace_back("gpu", gpu_line(*f.gpu));
  if (!f.ceilings.empty()) of_base("ceilings", ceilings_line(f.ceilings));
  if (f.cores) of_base("cores", cores_line(*f.cores));
  if (const std::string probes = probes_line(f.probes); !probes.empty()) of_base("probes", probes);
  return lines;
}

}  // namespace benchbench
