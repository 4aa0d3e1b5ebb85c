// All state of the stub driver, under one lock.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "harness/cuda/driver_api.h"
#include "tests/stub_cuda/settings.h"

namespace benchbench::stub_cuda {

using cuda::DevicePointer;
using cuda::Result;
using Locked = std::unique_lock<std::mutex>;

inline constexpr Result kInvalidValue = 1, kInvalidDevice = 101, kInvalidContext = 201,
                        kInvalidHandle = 400, kNotFound = 500, kAlreadyRegistered = 712,
                        kNotRegistered = 713;

// Of CLOCK_MONOTONIC, in ns.
std::int64_t now_ns() noexcept;

struct EventObject {
  unsigned flags = 0;
  // Numbers of its recordings: done where they are equal.
  std::uint64_t recorded = 0, completed = 0;
  std::int64_t at = 0;  // when it was completed last, on its stream's time line
};

// Device memory: an address that the host can see and not touch, with the bytes elsewhere.
struct MemoryObject {
  std::byte* visible = nullptr;
  std::byte* bytes = nullptr;
  std::size_t size = 0;
  int device = 0;
};

struct KernelObject {
  std::string name;
};

struct ModuleObject {
  std::vector<std::unique_ptr<KernelObject>> kernels;
};

// One piece of work of a stream. `run`, without the lock, does what there is to do and returns how
// long the device takes for it, in ns; negative: as long as that took. `engine`: 0 and 1 are the
// copies each way, which share the bus; -1: none.
struct Work {
  std::int64_t queued = 0;
  std::uint64_t number = 0;
  int engine = -1;
  bool is_launch = false;
  std::int64_t takes = -1;  // ns, where that is known before it runs
  std::function<std::int64_t()> run;
  std::shared_ptr<EventObject> record, wait;  // at most one of the three
  std::uint64_t generation = 0;               // of the event
};

struct StreamObject {
  std::thread thread;
  std::condition_variable more;
  std::deque<Work> queue;
  std::uint64_t queued = 0, finished = 0;
  std::uint64_t launches = 0;            // asked for
  std::deque<std::int64_t> launch_ends;  // of those done, which made room for no other yet
  std::int64_t timeline = 0;             // when the last work ended
  int device = 0;
  bool ends = false;
};

struct DeviceObject {
  int contexts = 0;  // how often the primary one is retained
  std::uint64_t used = 0;
  std::int64_t engine_free[2] = {};  // when the copies under way each way end
};

// Never destroyed: threads of streams that were not destroyed end with the process.
struct World {
  std::mutex lock;
  std::condition_variable progress;  // some work ended, or the context broke
  Settings settings;
  std::int64_t host_ns = 0;  // how far the host is on a virtual clock
  std::uint64_t calls = 0, launches = 0;
  bool started = false;
  Result broken = cuda::kSuccess;
  std::vector<DeviceObject> devices;
  std::map<void*, std::shared_ptr<EventObject>> events;
  std::map<void*, std::shared_ptr<StreamObject>> streams;
  std::map<void*, std::shared_ptr<ModuleObject>> modules;
  std::set<void*> kernels;
  std::map<std::byte*, MemoryObject> memory;       // by its visible begin
  std::map<const std::byte*, std::size_t> pinned;  // by its begin
};
World& world();

// The context that the calling thread has: the device's number + 1; 0: none.
int& current_context() noexcept;

// Of device memory, the bytes behind an address the host may not touch; nullptr where not all
// `size` bytes are of one allocation. With the lock held, as those below.
std::byte* bytes_behind(World& w, DevicePointer address, std::size_t size);
bool is_pinned(const World& w, const void* data, std::size_t size);
// All calls fail with `result` from now on, and what was queued is dropped.
void break_context(World& w, Result result);

// Where the clock is virtual, and how the host moves on it.
bool is_virtual(const World& w) noexcept;
std::int64_t time_of_a_call(World& w) noexcept;
void wait_on_virtual_clock(World& w, std::int64_t until) noexcept;

// Its thread runs until stop_stream(), which waits for what is queued.
std::shared_ptr<StreamObject> start_stream(World& w, int device);
void stop_stream(Locked& held, StreamObject& stream);
// Returns the work's number on the stream.
std::uint64_t put(StreamObject& stream, Work work);
// True if the event's last recording is done.
bool is_done(Locked& held, World& w, const EventObject& event);
// Returns when the stream has room for another launch, or the context is broken.
void wait_for_room(Locked& held, World& w, StreamObject& stream);
// Returns when the host sees that what ended at `at` is done.
void wait_until_seen(Locked& held, World& w, std::int64_t at);
// Returns when that work is done, or the context is broken.
void wait_for(Locked& held, World& w, const StreamObject& stream, std::uint64_t number);

// A kernel's twin on the host: its work, or nothing where there is no kernel of that name. Takes
// the parameters' values at once. Called without the lock by the stream's thread; a wrong address
// breaks the context, as on a device.
std::function<std::int64_t()> twin_of(std::string_view kernel, void** parameters,
                                      const Settings& settings, std::uint64_t number);
const std::vector<std::string>& names_of_twins();

}  // namespace benchbench::stub_cuda
