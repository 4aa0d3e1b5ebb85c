#include "harness/tune/model/surface.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/tune/model/cholesky.h"

namespace benchbench {
namespace {

// Points: their cubes are what a proposal spends its time on.
constexpr std::size_t kLearnFrom = 44;
constexpr double kLengths[] = {0.5, 1.2, 3, 10, 60};
constexpr double kAmplitudes[] = {0.02, 0.05, 0.12, 0.3, 0.7};
constexpr double kMemories[] = {0.3, 1, 4};
constexpr double kTogether[] = {0.1, 0.35, 0.8};

constexpr double kWaryLength = 1.5, kWaryAmplitude = 0.1;

// The best and, evenly, of the rest.
std::vector<std::size_t> chosen_to_learn(const Levels& levels) {
  std::vector<std::size_t> order(levels.points.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return levels.points[a].log_rate > levels.points[b].log_rate;
  });
  if (order.size() <= kLearnFrom) return order;
  std::vector<std::size_t> out(order.begin(), order.begin() + kLearnFrom / 2);
  const std::size_t rest = order.size() - out.size(), wanted = kLearnFrom - out.size();
  for (std::size_t i = 0; i < wanted; ++i) out.push_back(order[kLearnFrom / 2 + i * rest / wanted]);
  return out;
}

double prior_of(const KernelShape& s) {
  const auto square = [](double x) { return x * x; };
  double log = -0.5 * square(std::log(s.amplitude / 0.1) / 1.0) -
               0.5 * square(std::log(s.together / 0.35) / 1.0);
  for (const double l : s.length) log -= 0.5 * square(std::log(l / 3) / 1.8);
  return log;
}

// Values further than about an octave apart say little of each other, and knobs act together.
KernelShape wary_of(KernelShape shape) {
  for (double& length : shape.length) length = std::min(length, kWaryLength);
  shape.amplitude = std::max(shape.amplitude, kWaryAmplitude);
  shape.together = std::max(shape.together, 0.5);
  return shape;
}

class Evidence {
 public:
  Evidence(Kernel& kernel, const Residuals& data)
      : kernel_(kernel), data_(data), matrix_(data.points.size()) {}
  // Log likelihood and prior; -inf where the matrix is not positive.
  double of(const KernelShape& shape) {
    kernel_.set(shape);
    if (!factor_covariances(kernel_, data_, matrix_)) return -INFINITY;
    white_ = data_.value;
    solve_lower(matrix_, white_);
    const double squares = std::inner_product(white_.begin(), white_.end(), white_.begin(), 0.0);
    return -0.5 * squares - half_log_determinant(matrix_) + prior_of(shape);
  }

 private:
  Kernel& kernel_;
  const Residuals& data_;
  SquareMatrix matrix_;
  std::vector<double> white_;
};

struct ShapeSearch {
  Evidence evidence;
  KernelShape shape;
  double best = evidence.of(shape);

  template <std::size_t n>
  void along(double KernelShape::* member, const double (&values)[n]) {
    for (const double v : values) try_shape([&](KernelShape& s) { s.*member = v; });
  }
  template <class Change>
  void try_shape(Change change) {
    KernelShape s = shape;
    change(s);
    const double log = evidence.of(s);
    if (log > best) best = log, shape = s;
  }
  void sweep() {
    along(&KernelShape::amplitude, kAmplitudes);
    for (std::size_t k = 0; k < shape.length.size(); ++k)
      for (const double v : kLengths) try_shape([&](KernelShape& s) { s.length[k] = v; });
    along(&KernelShape::together, kTogether);
    along(&KernelShape::memory, kMemories);
  }
};

}  // namespace

double Surface::mean_at(PointId point) const {
  return law_ ? law_->log_rate(space_.workers(point), space_.depth(point)) : constant_;
}

void Surface::learn_shape(Kernel& kernel, const Levels& levels) {
  std::vector<Level> chosen;
  for (const std::size_t i : chosen_to_learn(levels)) chosen.push_back(levels.points[i]);
  const Residuals about_law = residuals_of(chosen);
  Residuals about_constant = about_law;
  for (std::size_t i = 0; i < chosen.size(); ++i)
    about_constant.value[i] = chosen[i].log_rate - constant_;
  const KernelShape start{std::vector<double>(space_.knobs().size(), 3), 1, 0.12, 0.35};
  ShapeSearch law{Evidence(kernel, about_law), start};
  law.sweep();
  KernelShape wide = law.shape;
  wide.amplitude = 0.3;
  ShapeSearch flat{Evidence(kernel, about_constant), wide};
  flat.along(&KernelShape::amplitude, kAmplitudes);
  ShapeSearch& better = flat.best > law.best ? flat : law;
  better.sweep();
  shape_ = better.shape;
  if (flat.best > law.best) law_.reset();
}

Residuals Surface::residuals_of(std::span<const Level> levels) const {
  Residuals r;
  for (const Level& l : levels) {
    r.points.push_back(l.point);
    r.value.push_back(l.log_rate - mean_at(l.point));
    r.error2.push_back(l.error * l.error);
  }
  return r;
}

Surface::Surface(const Space& space, const Levels& levels, std::vector<double> memory)
    : space_(space) {
  law_ = fitted_law(space, levels);
  for (const Level& l : levels.points)
    constant_ += l.log_rate / static_cast<double>(levels.points.size());
  Kernel kernel(space, std::move(memory));
  learn_shape(kernel, levels);
  const Residuals residuals = residuals_of(levels.points);
  kernel.set(shape_);
  learned_.emplace(kernel, residuals);
  kernel.set(wary_of(shape_));
  wary_.emplace(std::move(kernel), residuals);
}

Beliefs Surface::about(std::span<const PointId> points) const {
  std::vector<double> mean;
  for (const PointId p : points) mean.push_back(mean_at(p));
  return {learned_->about(points, mean), wary_->about(points, mean)};
}

}  // namespace benchbench
