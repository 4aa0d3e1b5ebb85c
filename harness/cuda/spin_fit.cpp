#include "harness/cuda/spin_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace benchbench::cuda {
namespace {

using Row = std::array<double, 3>;
using Equations = std::array<std::array<double, 4>, 3>;  // the last column is the right side

double nanoseconds(const SpinTrain& train) noexcept {
  return static_cast<double>(train.time.count());
}

// Returns the factors of event, kernel and slope, as shares of the train's time.
Row make_row(const SpinTrain& train) noexcept {
  const double kernels = train.kernels, time = nanoseconds(train);
  return {1 / time, kernels / time, kernels * static_cast<double>(train.amount) / time};
}

// The normal equations of rows whose columns are divided by `length`.
Equations make_equations(std::span<const SpinTrain> trains, const Row& length) noexcept {
  Equations equations{};
  for (const SpinTrain& train : trains) {
    const Row row = make_row(train);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j)
        equations[i][j] += row[i] * row[j] / (length[i] * length[j]);
      equations[i][3] += row[i] / length[i];
    }
  }
  return equations;
}

// By elimination; nothing where they have more than one solution, but for rounding.
std::optional<Row> solve(Equations e) noexcept {
  for (std::size_t i = 0; i < 3; ++i) {
    std::size_t best = i;
    for (std::size_t k = i; k < 3; ++k)
      if (std::abs(e[k][i]) > std::abs(e[best][i])) best = k;
    std::swap(e[i], e[best]);
    if (!(std::abs(e[i][i]) > 1e-9)) return std::nullopt;
    for (std::size_t k = 0; k < 3; ++k) {
      const double share = k == i ? 0 : e[k][i] / e[i][i];
      for (std::size_t j = 0; j < 4; ++j) e[k][j] -= share * e[i][j];
    }
  }
  return Row{e[0][3] / e[0][0], e[1][3] / e[1][1], e[2][3] / e[2][2]};
}

double largest_deviation(const SpinFit& fit, std::span<const SpinTrain> trains) noexcept {
  double largest = 0;
  for (const SpinTrain& train : trains) {
    const Row row = make_row(train);
    largest = std::max(largest,
                       std::abs(fit.event * row[0] + fit.kernel * row[1] + fit.slope * row[2] - 1));
  }
  return largest;
}

}  // namespace

std::uint64_t SpinFit::amount_for(Nanoseconds time, std::uint32_t events) const noexcept {
  if (!(slope > 0)) return 0;
  const double ticks = (static_cast<double>(time.count()) - kernel - events * event) / slope;
  return ticks > 0 ? static_cast<std::uint64_t>(ticks + 0.5) : 0;
}

SpinFit fit_spin(std::span<const SpinTrain> trains) noexcept {
  const SpinFit none{0, 0, 0, 1};
  Row length{};
  for (const SpinTrain& train : trains) {
    if (train.time.count() <= 0) return none;
    const Row row = make_row(train);
    for (std::size_t i = 0; i < 3; ++i) length[i] += row[i] * row[i];
  }
  for (double& of_column : length) of_column = std::sqrt(of_column);
  const std::optional<Row> solved = solve(make_equations(trains, length));
  if (!solved) return none;
  SpinFit fit{(*solved)[2] / length[2], (*solved)[1] / length[1], (*solved)[0] / length[0], 0};
  fit.residual = fit.slope > 0 ? largest_deviation(fit, trains) : 1;
  return fit;
}

}  // namespace benchbench::cuda
