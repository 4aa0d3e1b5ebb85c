#include "harness/tune/space.h"

#include <algorithm>
#include <stdexcept>

namespace benchbench {

std::uint32_t Knob::index_of(std::string_view text) const noexcept {
  const auto at = std::ranges::find(values, text, &KnobValue::text);
  return at == values.end() ? 0 : static_cast<std::uint32_t>(at - values.begin());
}

Space::Space(std::vector<Knob> knobs)
    : knobs_(std::move(knobs)), stride_(knobs_.size()), workers_knob_(knobs_.size()) {
  for (std::size_t k = knobs_.size(); k-- > 0;) {
    if (knobs_[k].values.empty())
      throw std::invalid_argument("knob '" + knobs_[k].name + "' has no value");
    stride_[k] = combinations_;
    combinations_ *= static_cast<std::uint32_t>(knobs_[k].values.size());
    if (knobs_[k].kind != KnobKind::workers) continue;
    if (has_workers()) throw std::invalid_argument("two knobs count workers");
    workers_knob_ = k;
  }
  for (PointId point = 0; point < combinations_; ++point)
    if (canonical(point) == point) points_.push_back(point);
}

PointId Space::point_of(const std::vector<std::uint32_t>& indexes) const noexcept {
  PointId point = 0;
  for (std::size_t k = 0; k < knobs_.size(); ++k) point += indexes[k] * stride_[k];
  return canonical(point);
}

PointId Space::canonical(PointId point) const noexcept {
  if (!has_workers() || value(point, workers_knob_).number > 0) return point;
  for (std::size_t k = 0; k < knobs_.size(); ++k)
    if (knobs_[k].needs_workers) point -= index(point, k) * stride_[k];
  return point;
}

PointId Space::with(PointId point, std::size_t knob, std::uint32_t to) const noexcept {
  return canonical(point - index(point, knob) * stride_[knob] + to * stride_[knob]);
}

double Space::workers(PointId point) const noexcept {
  return has_workers() ? value(point, workers_knob_).number : 1;
}

double Space::product_of(KnobKind kind, PointId point) const noexcept {
  double product = 1;
  for (std::size_t k = 0; k < knobs_.size(); ++k)
    if (knobs_[k].kind == kind) product *= value(point, k).number;
  return product;
}

double Space::depth(PointId point) const noexcept { return product_of(KnobKind::depth, point); }
double Space::batch_size(PointId point) const noexcept {
  return product_of(KnobKind::batch_size, point);
}

}  // namespace benchbench
