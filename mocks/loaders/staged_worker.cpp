#include "mocks/loaders/staged_worker.h"

namespace benchbench {

void SerialSection::pass(DeadlineChain& chain, Runtime& runtime) {
  Guard guard(lock_.on(runtime));
  chain.go_on_from(std::max(chain.at(), free_at_), runtime.now(), time_);
  chain.spend(time_);
  free_at_ = chain.at();
}

// The stages follow each other on one chain of deadlines. The payload is written inside the longest, as a
// real loader would write it inside its own time.
void StagedWorker::fill(const Ticket& ticket, StageMeter& meter, SampleId off) {
  const TimePoint entered = runtime_.now();
  StageTimes times = work_.times.of(ticket);
  times.scale(slowness_);
  chain_.begin(entered, ticket.issued, times.total());
  const Stage writing = times.longest();
  for (std::size_t i = 0; i < kMadeStages.size(); ++i) {
    const Stage stage = kMadeStages[i];
    const bool fetches = stage == Stage::read && work_.sample_bytes > 0;
    const bool serial = stage == Stage::decode && work_.section.takes_time();
    if (times.time[i].count() == 0 && stage != writing && !fetches && !serial) continue;
    const StageScope scope(meter, runtime_, ticket.batch, stage);
    if (serial) work_.section.pass(chain_, runtime_);
    if (stage == writing) work_.images.write(ticket, off);
    if (times.time[i].count() > 0) chain_.spend(times.time[i]);
    if (fetches) fetch(ticket, meter);
  }
}

void StagedWorker::fetch(const Ticket& ticket, StageMeter& meter) {
  meter.bytes_read(work_.sample_bytes * ticket.samples.size());
  if (!work_.store) return;
  for (std::size_t i = 0; i < ticket.samples.size(); ++i) work_.store->fetch(work_.sample_bytes, false);
  chain_.go_on_now();
}

}  // namespace benchbench
