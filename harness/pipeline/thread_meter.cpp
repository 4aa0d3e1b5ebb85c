#include "harness/pipeline/thread_meter.h"

#include <algorithm>
#include <functional>

#include "harness/core/digest.h"

namespace benchbench {
namespace {

FaultKind kind_of(SampleFault fault) noexcept {
  constexpr FaultKind kinds[] = {FaultKind::decode_error, FaultKind::truncated, FaultKind::warning,
                                 FaultKind::short_read};
  return kinds[static_cast<int>(fault)];
}

bool is_warning(const FaultySample& fault) noexcept { return fault.kind == FaultKind::warning; }

template <class Combine>
void combine(MeterTotals& a, const MeterTotals& b, Combine with) noexcept {
  using M = MeterTotals;
  for (std::size_t i = 0; i < kStages; ++i) {
    a.stages[i].ns = with(a.stages[i].ns, b.stages[i].ns);
    a.stages[i].count = with(a.stages[i].count, b.stages[i].count);
  }
  for (const auto member :
       {&M::payload_bytes, &M::payloads, &M::read_bytes, &M::reads, &M::content_checked,
        &M::content_wrong, &M::decode_errors, &M::decode_warnings, &M::elements, &M::padding})
    a.*member = with(a.*member, b.*member);
}

}  // namespace

std::uint64_t MeterTotals::scopes() const noexcept {
  std::uint64_t sum = 0;
  for (const StageTotal& stage : stages) sum += stage.count;
  return sum;
}

MeterTotals& MeterTotals::operator+=(const MeterTotals& o) noexcept {
  combine(*this, o, std::plus<>());
  return *this;
}

MeterTotals operator-(MeterTotals a, const MeterTotals& b) noexcept {
  combine(a, b, std::minus<>());
  return a;
}

void keep_fault(std::vector<FaultySample>& faults, FaultySample fault) {
  auto place =
      std::ranges::find_if(faults, [&](const FaultySample& f) { return f.id == fault.id; });
  if (place == faults.end() && faults.size() < ThreadMeter::kMaxFaults) {
    faults.push_back(std::move(fault));
    return;
  }
  if (is_warning(fault)) return;
  if (place == faults.end()) place = std::ranges::find_if(faults, is_warning);
  if (place != faults.end() && is_warning(*place)) *place = std::move(fault);
}

ThreadMeter::ThreadMeter(const MeterOptions& options) : options_(options) {
  faults_.reserve(kMaxFaults);
}

void ThreadMeter::record(StepNumber step, Stage stage, Nanoseconds time) {
  if (step < first_step_) return;
  if (track_) track_->stage(stage, time);
  add(stage, time);
}

// Not of this thread, and so not on its track.
void ThreadMeter::record_on_device(StepNumber step, Stage stage, Nanoseconds time) {
  if (step >= first_step_) add(stage, time);
}

void ThreadMeter::add(Stage stage, Nanoseconds time) {
  const auto i = static_cast<std::size_t>(stage);
  ns_[i].add(static_cast<std::uint64_t>(time.count()));
  counts_[i].add(1);
  if (options_.observer >= 2 && keeping_.load(std::memory_order_relaxed) &&
      values_[i].size() < kMaxValues) {
    if (values_[i].empty()) values_[i].reserve(kMaxValues);
    values_[i].push_back(time.count());
  }
}

void ThreadMeter::count_from(StepNumber step) noexcept {
  first_step_ = step;
  for (std::size_t i = 0; i < kStages; ++i) {
    ns_[i].value.store(0, std::memory_order_relaxed);
    counts_[i].value.store(0, std::memory_order_relaxed);
  }
}

void ThreadMeter::payload(SampleId id, std::span<const std::byte> stored) {
  payload_bytes_.add(stored.size());
  payloads_.add(1);
  if (!options_.expected_digest || !*options_.expected_digest) return;
  if (until_check_ > 0) {
    --until_check_;
    return;
  }
  const std::optional<Digest> expected = (*options_.expected_digest)(id);
  if (!expected) return;
  until_check_ = options_.content_every - 1;
  checked_.add(1);
  if (digest_of(stored) == *expected) return;
  wrong_.add(1);
  keep_fault(faults_,
             {id, FaultKind::content, "", "the stored bytes differ from the manifest's digest"});
}

void ThreadMeter::fault(SampleId id, SampleFault kind, std::string_view where,
                        std::string_view what) {
  (kind == SampleFault::warning ? warnings_ : errors_).add(1);
  keep_fault(faults_, {id, kind_of(kind), std::string(where), std::string(what)});
}

MeterTotals ThreadMeter::totals() const noexcept {
  MeterTotals totals;
  for (std::size_t i = 0; i < kStages; ++i)
    totals.stages[i] = {static_cast<std::int64_t>(ns_[i]), counts_[i]};
  totals.payload_bytes = payload_bytes_;
  totals.payloads = payloads_;
  totals.read_bytes = read_bytes_;
  totals.reads = reads_;
  totals.content_checked = checked_;
  totals.content_wrong = wrong_;
  totals.decode_errors = errors_;
  totals.decode_warnings = warnings_;
  totals.elements = elements_;
  totals.padding = padding_;
  return totals;
}

}  // namespace benchbench
