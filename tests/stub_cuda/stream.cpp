// Streams: each does its work in order on a thread of its own, and waits until absolute times, so
// that lateness does not add up. Events get the time of the stream's time line, not that of the
// thread, which wakes up late. On a virtual clock it does not wait.
#include <pthread.h>

#include <chrono>

#include "tests/stub_cuda/world.h"

namespace benchbench::stub_cuda {
namespace {

std::chrono::steady_clock::time_point time_point_of(std::int64_t ns) {
  return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(ns));
}

void wait_until(Locked& held, World& w, std::int64_t ns) {
  while (!is_virtual(w) && w.broken == cuda::kSuccess && now_ns() < ns)
    w.progress.wait_until(held, time_point_of(ns));
}

// When the work begins: after what was before it on the stream and on its engine, and not before it
// was queued. The engine is then taken.
std::int64_t take_engine(World& w, const StreamObject& stream, const Work& work) {
  std::int64_t begin = std::max(stream.timeline, work.queued);
  if (work.engine < 0) return begin;
  std::int64_t& engine_free =
      w.devices[static_cast<std::size_t>(stream.device)].engine_free[work.engine];
  begin = std::max(begin, engine_free);
  if (work.takes >= 0) engine_free = begin + work.takes;
  return begin;
}

// Returns when it ends.
std::int64_t run(Locked& held, World& w, const StreamObject& stream, const Work& work) {
  const std::int64_t begin = take_engine(w, stream, work);
  wait_until(held, w, begin);
  if (w.broken != cuda::kSuccess) return begin;
  held.unlock();
  const std::int64_t said = work.run();
  held.lock();
  const std::int64_t took = work.takes >= 0 ? work.takes : said;
  if (took < 0) return is_virtual(w) ? begin : now_ns();
  wait_until(held, w, begin + took);
  return begin + took;
}

std::int64_t perform(Locked& held, World& w, const StreamObject& stream, const Work& work) {
  if (work.run) return run(held, w, stream, work);
  const std::int64_t begin = std::max(stream.timeline, work.queued);
  if (work.wait) {
    w.progress.wait(held, [&] {
      return w.broken != cuda::kSuccess || work.wait->completed >= work.generation;
    });
    return std::max(begin, work.wait->at);
  }
  const bool has_time = (work.record->flags & cuda::kEventWithoutTime) == 0;
  const std::int64_t end = begin + (has_time ? w.settings.event_ns : 0);
  if (work.record->completed < work.generation)
    work.record->completed = work.generation, work.record->at = end;
  return end;
}

void serve(const std::shared_ptr<StreamObject>& stream) {
  World& w = world();
  Locked held(w.lock);
  for (;;) {
    stream->more.wait(held, [&] { return stream->ends || !stream->queue.empty(); });
    if (stream->queue.empty()) return;
    const Work work = std::move(stream->queue.front());
    stream->queue.pop_front();
    if (w.broken == cuda::kSuccess) stream->timeline = perform(held, w, *stream, work);
    if (work.is_launch) stream->launch_ends.push_back(stream->timeline);
    stream->finished = work.number;
    w.progress.notify_all();
  }
}

}  // namespace

std::shared_ptr<StreamObject> start_stream(World&, int device) {
  auto stream = std::make_shared<StreamObject>();
  stream->device = device;
  stream->thread = std::thread(serve, stream);
  pthread_setname_np(stream->thread.native_handle(), "stub stream");
  return stream;
}

void stop_stream(Locked& held, StreamObject& stream) {
  stream.ends = true;
  stream.more.notify_all();
  held.unlock();
  stream.thread.join();
  held.lock();
}

std::uint64_t put(StreamObject& stream, Work work) {
  work.queued = time_of_a_call(world());
  work.number = ++stream.queued;
  stream.queue.push_back(std::move(work));
  stream.more.notify_all();
  return stream.queued;
}

// On a virtual clock the stream's thread may be ahead of the host. A host that looks too early
// looks again when it can see that the event is done.
bool is_done(Locked& held, World& w, const EventObject& event) {
  if (event.recorded == 0) return true;
  const std::uint64_t wanted = event.recorded;
  if (is_virtual(w))
    w.progress.wait(held, [&] { return w.broken != cuda::kSuccess || event.completed >= wanted; });
  const std::int64_t seen = event.at + w.settings.seen_late_ns;
  const bool done = event.completed >= wanted && seen <= time_of_a_call(w);
  wait_on_virtual_clock(w, seen);
  return done;
}

void wait_for_room(Locked& held, World& w, StreamObject& stream) {
  if (++stream.launches <= w.settings.queue) return;
  w.progress.wait(held, [&] { return w.broken != cuda::kSuccess || !stream.launch_ends.empty(); });
  if (stream.launch_ends.empty()) return;
  wait_on_virtual_clock(w, stream.launch_ends.front());
  stream.launch_ends.pop_front();
}

// Some microseconds, for which no thread is put to sleep.
void wait_until_seen(Locked& held, World& w, std::int64_t at) {
  const std::int64_t seen = at + w.settings.seen_late_ns;
  wait_on_virtual_clock(w, seen);
  held.unlock();
  while (!is_virtual(w) && now_ns() < seen) std::this_thread::yield();
  held.lock();
}

void wait_for(Locked& held, World& w, const StreamObject& stream, std::uint64_t number) {
  w.progress.wait(held, [&] { return w.broken != cuda::kSuccess || stream.finished >= number; });
  if (number > 0) wait_until_seen(held, w, stream.timeline);
}

}  // namespace benchbench::stub_cuda
