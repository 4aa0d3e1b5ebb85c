// The statistics that a look compares with its thresholds; scripts/history_threshold simulates
// them.
#pragma once
#include <array>
#include <cstddef>
#include <span>

#include "harness/analysis/history/look.h"

namespace benchbench {

// The noise of one night, roughly: what further limits are counted in. The mean of the smaller 80 %
// of the differences of successive nights over what it is of normal noise, at least 0.002: values
// of virtual time do not differ at all. A step changes one difference, a bad night two. Of 2 to
// kHistoryWindow nights.
double night_noise(std::span<const double> logs);

// Two sides of a split.
struct Split {
  std::size_t before = 0;      // nights on the left side
  double left = 0, right = 0;  // the sides' means, outliers left out
  double deviation = 0;        // of one night within the sides, outliers left out
  double t = 0;                // |right − left| over its standard error
  double misfit = 0;           // sum of limited squared distances from the sides' means
  // The nights of each side lie on its own level: bad nights are slower, so of four to six slower
  // nights after the split all must, of faster ones all but one; of more, and of those before,
  // three quarters. Without this three bad nights in four are a step: with 5 % of bad nights that
  // is 85 false alarms in 3,000 series of 60 nights. And the change is at least kMinDeviations.
  bool agrees = false;
};
// The splits of one window of at most kHistoryWindow nights, which must outlive this.
class Splits {
 public:
  Splits(std::span<const double> logs, double noise);
  // With kNightsBefore to size - kNightsAfter nights before it.
  Split at(std::size_t before) const;
  // Of the sides' medians, right - left: what most splits are left out by, since it costs nothing.
  double median_change(std::size_t before) const {
    return right_[logs_.size() - before] - left_[before];
  }

 private:
  using Medians = std::array<double, kHistoryWindow + 1>;  // of the first, or last, so many
  std::span<const double> logs_;
  double noise_;
  Medians left_, right_;
};

// As a split's misfit, of one level: nights about their median.
double level_misfit(std::span<const double> logs, double noise);

// A straight line, fitted three times with residuals limited to 2 noises.
struct Line {
  double middle = 0, slope = 0;  // value at the middle night, change a night
  double deviation = 0;          // of one night about it
  double t = 0;                  // |slope| over its standard error
  double misfit = 0;             // as of a split
};
Line line_through(std::span<const double> logs, double noise);

}  // namespace benchbench
