#include "mocks/loaders/staged_worker.h"

namespace benchbench {

void SerialSection::pass(DeadlineChain& chain, Runtime& runtime) {
  Guard guard(lock_.on(runtime));
  chain.go_on_from(std::max(chain.at(), free_at_), runtime.now(), time_);
  chain.ask_more(time_);
  chain.spend(time_);
  free_at_ = chain.at();
}

// The stages follow each other on one chain of deadlines. The payload is written inside the
// longest, as a real loader would write it inside its own time.
void StagedWorker::fill(const BatchRequest& request, StageMeter& meter, SampleId off) {
  const TimePoint entered = runtime_.now();
  StageTimes times = work_.times.of(request);
  times.scale(slowness_);
  chain_.begin(entered, request.issued, times.total());
  const Stage writing = times.longest();
  for (std::size_t i = 0; i < kMadeStages.size(); ++i) {
    const Stage stage = kMadeStages[i];
    const bool fetches = stage == Stage::read && work_.sample_bytes > 0;
    const bool serial = stage == Stage::decode && work_.section.takes_time();
    if (times.time[i].count() == 0 && stage != writing && !fetches && !serial) continue;
    const StageScope scope(meter, runtime_, request.batch, stage);
    if (serial) work_.section.pass(chain_, runtime_);
    if (stage == writing) work_.images.write(request, off);
    if (times.time[i].count() > 0) chain_.spend(times.time[i]);
    if (fetches) fetch(request, meter);
  }
  chain_.end_piece(request.rows.first() == 0);
}

void StagedWorker::fetch(const BatchRequest& request, StageMeter& meter) {
  meter.bytes_read(work_.sample_bytes * request.samples.size());
  if (!work_.store) return;
  for (std::size_t i = 0; i < request.samples.size(); ++i)
    work_.store->fetch(work_.sample_bytes, false);
  chain_.go_on_now();
}

}  // namespace benchbench
