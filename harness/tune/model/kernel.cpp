#include "harness/tune/model/kernel.h"

#include <cmath>

namespace benchbench {
namespace {

double kernel_distance(const Knob& knob, std::size_t a, std::size_t b) {
  if (knob.kind == KnobKind::flag || knob.kind == KnobKind::category) return a == b ? 0 : 1;
  const auto octave = [&](std::size_t i) { return std::log2(1 + knob.values[i].number); };
  return std::abs(octave(a) - octave(b));
}

}  // namespace

Kernel::Kernel(const Space& space, std::vector<double> memory) : memory_(std::move(memory)) {
  for (const Knob& knob : space.knobs()) {
    Table t{knob.values.size(), {}, {}};
    for (std::size_t a = 0; a < t.values; ++a)
      for (std::size_t b = 0; b < t.values; ++b) t.distance.push_back(kernel_distance(knob, a, b));
    t.correlation.resize(t.distance.size(), 1);
    tables_.push_back(std::move(t));
  }
  const std::size_t knobs = tables_.size();
  digits_.resize(space.combinations() * knobs);
  for (PointId p = 0; p < space.combinations(); ++p)
    for (std::size_t k = 0; k < knobs; ++k)
      digits_[p * knobs + k] = static_cast<std::uint16_t>(space.index(p, k));
}

void Kernel::fill(Table& table, double length) {
  for (std::size_t i = 0; i < table.distance.size(); ++i)
    table.correlation[i] = std::exp(-table.distance[i] / length);
}

void Kernel::set(const KernelShape& shape) {
  for (std::size_t k = 0; k < tables_.size(); ++k)
    if (shape_.length.size() <= k || shape_.length[k] != shape.length[k])
      fill(tables_[k], shape.length[k]);
  shape_ = shape;
}

double Kernel::operator()(PointId a, PointId b) const noexcept {
  const std::size_t knobs = tables_.size();
  const std::uint16_t* const da = digits_.data() + a * knobs;
  const std::uint16_t* const db = digits_.data() + b * knobs;
  double sum = 0, product = 1;
  for (std::size_t k = 0; k < knobs; ++k) {
    const Table& t = tables_[k];
    const double c = t.correlation[da[k] * t.values + db[k]];
    sum += c;
    product *= c;
  }
  double parts = static_cast<double>(knobs);
  if (!memory_.empty())
    sum += std::exp(-std::abs(memory_[a] - memory_[b]) / shape_.memory), ++parts;
  const double apart = sum / parts;
  return shape_.amplitude * shape_.amplitude *
         ((1 - shape_.together) * apart + shape_.together * product);
}

}  // namespace benchbench
