// A device that fails while it works: what is said, that nothing throws on the way out, and that
// nothing is left.
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/scratch_folder.h"
#include "tests/unit/cuda/scene.h"

namespace benchbench::test::cuda {
namespace faults_test {

using namespace std::chrono_literals;

CudaOptions blocking(bool kernels) {
  CudaOptions options = stub_options();
  options.wait = CudaWait::block;  // as many calls each time
  options.kernels = kernels;
  return options;
}

// A bit of everything.
void work(const CudaOptions& options) {
  const auto runtime = make_real_runtime();
  const auto device = make_cuda_device(0, options, *runtime);
  Accelerator& gpu = *device->accelerator();
  const Held pinned(*device, 5000, Memory::pinned), host(*device, 5000, Memory::host),
      there(*device, 5000, Memory::device);
  const auto a = gpu.make_stream(), b = gpu.make_stream();
  const auto from = gpu.make_event(), to = gpu.make_event();
  gpu.record(*from, *a);
  gpu.copy(*a, there.data, pinned.data, 5000, DeviceCopy::h2d, Memory::pinned);
  gpu.copy(*a, host.data, there.data, 5000, DeviceCopy::d2h, Memory::host);
  if (options.kernels) gpu.launch(*a, {10us, {}});
  gpu.record(*to, *a);
  gpu.wait(*b, *to);
  gpu.synchronize(*b);
  to->wait();
  const bool done = to->done();
  CHECK(done);
  gpu.between(*from, *to);
  device->memory_left();
}

TEST_CASE("cuda faults: each call of the work may be refused, and the refusal names it",
          "[unit][cuda]") {
  for (const char* const call :
       {"cuMemAlloc_v2", "cuMemHostRegister_v2", "cuStreamCreate@2", "cuEventCreate@3",
        "cuEventRecord", "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2", "cuStreamWaitEvent",
        "cuEventSynchronize@2", "cuEventQuery", "cuEventElapsedTime", "cuMemGetInfo_v2"}) {
    CAPTURE(call);
    set_stub({{"FAIL", std::string(call) + "=400"}});
    const Refusal refusal = refusal_of([] { work(blocking(false)); });
    CHECK(refusal.kind == ErrorKind::device);
    const std::string name = call;
    CHECK(refusal.message ==
          name.substr(0, name.find('@')) +
              " failed: CUDA_ERROR_INVALID_HANDLE (400): invalid resource handle");
    check_nothing_left();
  }
  set_stub({});
}

TEST_CASE("cuda faults: what is given back at the end may be refused too", "[unit][cuda]") {
  for (const char* const call : {"cuMemFree_v2", "cuMemHostUnregister", "cuStreamDestroy_v2",
                                 "cuEventDestroy_v2", "cuDevicePrimaryCtxRelease_v2"}) {
    CAPTURE(call);
    set_stub({{"FAIL", std::string(call) + "=1"}});
    CHECK(refusal_of([] { work(blocking(false)); }).message == "");
    check_nothing_left();
  }
  set_stub({});
}

TEST_CASE("cuda faults: a kernel that fails breaks the context for all later calls",
          "[unit][cuda]") {
  for (const CudaWait wait : {CudaWait::spin, CudaWait::block}) {
    CudaOptions options = blocking(true);
    options.wait = wait;
    // Launches before the first of ours: each kernel once, the waking one, and the calibration's
    // trains, which a lead comes before.
    const std::uint64_t made = 8 + 1 + 5 * (3 * 2 + 2 * 9 + 65);
    Scene scene(on_virtual_clock({{"LAUNCH_FAILS_AT", std::to_string(made + 2)}}), options);
    Accelerator& gpu = *scene.gpu;
    const auto stream = gpu.make_stream(), other = gpu.make_stream();
    const auto event = gpu.make_event();
    gpu.launch(*stream, {10us, {}});
    gpu.synchronize(*stream);
    gpu.launch(*stream, {10us, {}});  // asynchronous: the launch itself is taken
    const Refusal refusal = refusal_of([&] {
      gpu.record(*event, *stream);
      event->wait();
    });
    CHECK(refusal.kind == ErrorKind::part);
    CHECK(
        refusal.says("CUDA_ERROR_LAUNCH_FAILED (719): unspecified launch failure; the CUDA context "
                     "of this process is broken"));
    CHECK(refusal.hints("asynchronous"));
    CHECK(refusal_of([&] { gpu.launch(*other, {10us, {}}); }).says("719"));
    CHECK(refusal_of([&] { scene.device->allocate(10, Memory::device); }).says("719"));
    CHECK(refusal_of([&] { scene.device->allocate(10, Memory::pinned); }).says("719"));
    const Held host(*scene.device, 10, Memory::host);  // nothing of the driver's
  }
}

TEST_CASE("cuda faults: a device that is lost at any call is said to be, and nothing is left",
          "[unit][cuda]") {
  set_stub({});
  work(blocking(false));
  const std::uint64_t all = stub_calls();
  REQUIRE(all > 40);
  int thrown = 0;
  for (std::uint64_t n = 1; n <= all; ++n) {
    CAPTURE(n);
    set_stub({{"LOST_AT_CALL", std::to_string(n)}});
    const Refusal refusal = refusal_of([] { work(blocking(false)); });
    if (!refusal.message.empty()) {
      ++thrown;
      CHECK(refusal.kind == ErrorKind::part);
      CHECK(refusal.says(
          "CUDA_ERROR_UNKNOWN (999): unknown error; the CUDA context of this process is broken"));
      CHECK(refusal.hints("Xid"));
    }
    check_nothing_left();
  }
  CHECK(thrown > 30);
  CHECK(static_cast<std::uint64_t>(thrown) < all);  // the last calls give things back
  set_stub({});
}

TEST_CASE("cuda faults: a device that is lost while its kernels are loaded", "[unit][cuda]") {
  for (std::uint64_t n = 1; n <= 45; ++n) {
    CAPTURE(n);
    set_stub({{"LOST_AT_CALL", std::to_string(n)}});
    CHECK(refusal_of([] { work(blocking(true)); }).says("999"));
    check_nothing_left();
  }
  set_stub({});
}

TEST_CASE("cuda faults: hardware errors are told from others", "[unit][cuda]") {
  for (const int result :
       {214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911, 999}) {
    CAPTURE(result);
    set_stub({{"FAIL", "cuEventRecord=" + std::to_string(result)}});
    const Refusal refusal = refusal_of([] { work(blocking(false)); });
    CHECK(refusal.says("broken"));
    CHECK(refusal.hints("Xid"));
    CHECK(refusal.hints("nvidia-smi") ==
          (result == 214 || result == 220 || result == 226 || result == 999));
  }
  for (const int result : {1, 2, 400, 600, 701, 712, 713, 720, 800, 801}) {
    CAPTURE(result);
    set_stub({{"FAIL", "cuEventRecord=" + std::to_string(result)}});
    CHECK_FALSE(refusal_of([] { work(blocking(false)); }).says("broken"));
  }
  set_stub({});
}

// Runs `job` in a child, which writes 1 byte before and 1 byte after it.
template <class Work>
pid_t in_child(int& answers, Work job) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  std::fflush(nullptr);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    (void)!::write(ends[1], "b", 1);
    job();
    (void)!::write(ends[1], "e", 1);
    std::exit(0);
  }
  ::close(ends[1]);
  answers = ends[0];
  return child;
}

TEST_CASE("cuda faults: a call that hangs, hangs, so that a supervisor's limit can be tested",
          "[unit][cuda]") {
  set_stub({{"HANG_AT_CALL", "12"}});
  int answers = -1;
  const pid_t child = in_child(answers, [] { work(blocking(false)); });
  char letter = 0;
  CHECK(::read(answers, &letter, 1) == 1);
  CHECK(letter == 'b');
  pollfd more{answers, POLLIN, 0};
  CHECK(::poll(&more, 1, 300) == 0);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(answers);
  set_stub({});
}

TEST_CASE("cuda faults: the stub says at the end of a process what was never given back",
          "[unit][cuda]") {
  const std::string folder = make_scratch_folder("cuda-leaks");
  set_stub({{"LEAKS", folder + "/leaks"}});
  int answers = -1;
  const pid_t child = in_child(answers, [] {
    static const auto runtime = make_real_runtime();
    // It is static, so that a sanitizer sees no leak.
    static CudaDevice* const device = make_cuda_device(0, stub_options(), *runtime).release();
    static DeviceEvent* const event = device->accelerator()->make_event().release();
    (void)event->done();
    (void)device->allocate(10, Memory::device);
    (void)device->allocate(10, Memory::pinned);
  });
  int status = -1;
  CHECK(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  ::close(answers);
  std::ifstream file(folder + "/leaks");
  std::string lines(std::istreambuf_iterator<char>(file), {});
  CHECK(lines ==
        "stub_cuda: not given back: contexts 1\nstub_cuda: not given back: events 1\n"
        "stub_cuda: not given back: device memory 1\nstub_cuda: not given back: pinned ranges 1\n");
  std::filesystem::remove_all(folder);
  set_stub({});
}

}  // namespace faults_test
}  // namespace benchbench::test::cuda
