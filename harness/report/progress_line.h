// The running progress as one line of text. Pure: the caller draws it.
#pragma once
#include <optional>
#include <string>

namespace benchbench {

struct ProgressState {
  std::size_t done = 0;            // runs finished, of `all`
  std::size_t all = 0;
  std::uint32_t round = 0;         // from 1
  std::uint32_t rounds = 0;
  std::string point;               // "base", "num_workers=4"
  std::string mode;                // "loader"
  std::string phase;               // "starting", "warming up", "measuring"
  double share = 0;                // of the trial's window, 0..1
  std::optional<double> seconds_left;
  // The latest rates seen, samples/s.
  std::optional<double> loader_rate, trainer_rate, pipeline_rate;
};

// "[ 12/57] round 2/3  num_workers=4 loader  measuring 40 %  1m10s left  L 812/s T 420/s F 395/s", cut to `width` columns.
std::string progress_line(const ProgressState& state, unsigned width);
// For logs, one per finished run: "12/57 round 2/3 num_workers=4 loader VALID 812 samples/s, 1m10s left".
std::string finished_line(const ProgressState& state, const std::string& status, std::optional<double> samples_per_second);

}  // namespace benchbench
