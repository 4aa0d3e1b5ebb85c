// Opening the driver: each way it may be missing or refuse, and what a device is.
#include <filesystem>
#include <fstream>

#include "tests/places.h"
#include "tests/scratch_folder.h"
#include "tests/unit/cuda/scene.h"

namespace benchbench::test::cuda {
namespace driver_test {

TEST_CASE("cuda driver: a missing library and a missing function are errors that name them",
          "[unit][cuda]") {
  CudaOptions options = stub_options();
  options.driver = "libcuda-of-nobody.so.1";
  const Refusal missing = refused_device({}, options);
  CHECK(missing.kind == ErrorKind::device);
  CHECK(missing.says("there is no CUDA driver here: libcuda-of-nobody.so.1 was not found"));
  CHECK(missing.hints("install the NVIDIA driver"));
  options.driver = built_path("stub_cuda/libnvidia-ml.so.1");  // a library, but of other functions
  const Refusal other = refused_device({}, options);
  CHECK(other.kind == ErrorKind::device);
  CHECK(other.says("has no function cuInit"));
  CHECK(other.hints("CUDA 11.0 or newer"));
}

TEST_CASE("cuda driver: one that does not start, that is too old, or that finds no device",
          "[unit][cuda]") {
  const Refusal old = refused_device({{"DRIVER", "10020"}});
  CHECK(old.kind == ErrorKind::device);
  CHECK(old.message == "the CUDA driver is of version 10.2, which is older than 11.0");
  CHECK(old.hints("update"));
  const Refusal none = refused_device({{"FAIL", "cuInit=100"}});
  CHECK(
      none.says("does not start: CUDA_ERROR_NO_DEVICE (100): no CUDA-capable device is detected"));
  CHECK(none.hints("CUDA_VISIBLE_DEVICES"));
  const Refusal broken = refused_device({{"FAIL", "cuInit=3"}});
  CHECK(broken.says("CUDA_ERROR_NOT_INITIALIZED (3)"));
  CHECK(broken.hints("started again"));
  const Refusal unknown = refused_device({{"FAIL", "cuInit=803"}});
  CHECK(unknown.says("error 803, which the driver does not name"));
  CHECK(unknown.hints("of different versions"));
  CHECK(refused_device({{"FAIL", "cuInit=802"}}).hints("nvidia-fabricmanager"));
  CHECK(refused_device({{"FAIL", "cuInit=804"}}).hints("LD_LIBRARY_PATH"));
  const Refusal empty = refused_device({{"DEVICES", "0"}});
  CHECK(empty.kind == ErrorKind::device);
  CHECK(empty.message == "the CUDA driver finds no device");
}

TEST_CASE("cuda driver: a device that is not there", "[unit][cuda]") {
  const Refusal one = refused_device({}, stub_options(), 1);
  CHECK(one.kind == ErrorKind::device);
  CHECK(one.message == "there is no device cuda:1: the CUDA driver finds 1 device");
  CHECK(one.hint == "use cuda:0");
  const Refusal three = refused_device({{"DEVICES", "3"}}, stub_options(), 3);
  CHECK(three.says("finds 3 devices"));
  CHECK(three.hint == "use cuda:0 to cuda:2");
  CHECK(refused_device({}, stub_options(), -1).says("cuda:-1"));
}

TEST_CASE("cuda driver: each call on the way to a device may fail, and nothing is left",
          "[unit][cuda]") {
  CudaOptions options = stub_options();
  options.kernels = true;
  for (const char* const call :
       {"cuDriverGetVersion",   "cuDeviceGetCount",    "cuDeviceGet",
        "cuDeviceGetName",      "cuDeviceGetUuid_v2",  "cuDeviceGetAttribute",
        "cuDeviceTotalMem_v2",  "cuDeviceGetPCIBusId", "cuDevicePrimaryCtxRetain",
        "cuCtxSetCurrent",      "cuMemAlloc_v2",       "cuModuleGetFunction",
        "cuStreamCreate",       "cuLaunchKernel",      "cuStreamSynchronize",
        "cuEventCreate",        "cuEventCreate@2",     "cuEventRecord",
        "cuEventRecord@2",      "cuEventElapsedTime",  "cuStreamCreate@2",
        "cuStreamSynchronize@2"}) {
    CAPTURE(call);
    const Refusal refusal = refused_device({{"FAIL", std::string(call) + "=1"}}, options);
    CHECK(refusal.kind == ErrorKind::device);
    const std::string name = std::string(call).substr(0, std::string(call).find_first_of("@_"));
    CHECK(refusal.says(name));
    CHECK(refusal.says("failed: CUDA_ERROR_INVALID_VALUE (1): invalid argument"));
    CHECK_FALSE(refusal.says("broken"));
  }
}

TEST_CASE("cuda driver: a device that another process has for itself", "[unit][cuda]") {
  const Refusal refusal = refused_device({{"FAIL", "cuDevicePrimaryCtxRetain=46"}});
  CHECK(refusal.kind == ErrorKind::device);
  CHECK(refusal.says("cuDevicePrimaryCtxRetain failed: CUDA_ERROR_DEVICE_UNAVAILABLE (46)"));
  CHECK(refusal.hints("another process"));
}

TEST_CASE("cuda device: what it is", "[unit][cuda]") {
  const std::string folder = make_scratch_folder("cuda-pci");
  std::filesystem::create_directories(folder + "/0000:a0:00.0");
  std::ofstream(folder + "/0000:a0:00.0/numa_node") << "-1\n";
  CudaOptions options = stub_options();
  options.pci_folder = folder;
  {
    Scene scene(
        Environment{{"NAME", "Stub GPU of tests"}, {"MEMORY", "123456789"}, {"DRIVER", "12040"}},
        options);
    const CudaFacts& facts = scene.device->facts();
    CHECK(scene.device->name() == "cuda:0");
    CHECK(scene.device->model() == "Stub GPU of tests");
    CHECK(facts.uuid == "00112233-4455-6677-8899-aabbccddee00");
    CHECK(facts.pci == "0000:a0:00.0");
    CHECK(facts.numa_node == -1);
    CHECK(facts.driver_version == 12040);
    CHECK(facts.capability == 90);
    CHECK(facts.processors == 8);
    CHECK(facts.copy_engines == 2);
    CHECK(facts.clock_khz == 1'500'000);
    CHECK(facts.memory == 123456789);
    CHECK(scene.gpu->ordinal() == 0);
    CHECK(scene.device->notes().empty());
  }
  std::filesystem::remove_all(folder);
  CHECK(version_text(12040) == "12.4");
  CHECK(version_text(13000) == "13.0");
}

TEST_CASE("cuda device: a setting of the driver that makes each call wait is noted",
          "[unit][cuda]") {
  for (const auto& [value, noted] :
       {std::pair{"1", true}, std::pair{"0", false}, std::pair{"", false}}) {
    CAPTURE(value);
    ::setenv("CUDA_LAUNCH_BLOCKING", value, 1);
    const Scene scene(Environment{});
    ::unsetenv("CUDA_LAUNCH_BLOCKING");
    REQUIRE(scene.device->notes().size() == (noted ? 1 : 0));
    if (noted)
      CHECK(scene.device->notes()[0] ==
            "CUDA_LAUNCH_BLOCKING=1 makes each launch wait for its kernel: "
            "the host cannot run ahead");
  }
}

TEST_CASE("cuda device: the second of two, and both at once", "[unit][cuda]") {
  set_stub({{"DEVICES", "2"}});
  const auto runtime = make_real_runtime();
  {
    const auto first = make_cuda_device(0, stub_options(), *runtime),
               second = make_cuda_device(1, stub_options(), *runtime);
    CHECK(second->name() == "cuda:1");
    CHECK(second->accelerator()->ordinal() == 1);
    // Each call enters the context of its own device.
    const auto a = first->accelerator()->make_stream(), b = second->accelerator()->make_stream();
    const Held here(*first, 100, Memory::device), there(*second, 100, Memory::device);
    CHECK(first->memory_left().left == second->memory_left().left);
    CHECK(alive("contexts") == 2);
  }
  check_nothing_left();
}

TEST_CASE("cuda device: another library may take its thread to another device", "[unit][cuda]") {
  set_stub({{"DEVICES", "2"}});
  const auto runtime = make_real_runtime();
  auto* const set_current = stub_call<Result(Context)>("cuCtxSetCurrent");
  {
    const auto ours = make_cuda_device(0, stub_options(), *runtime),
               theirs = make_cuda_device(1, stub_options(), *runtime);
    const auto left = theirs->memory_left().left;
    Context of_theirs = nullptr;
    REQUIRE(stub_call<Result(Context*)>("cuCtxGetCurrent")(&of_theirs) == kSuccess);
    const Held first(*ours, 100, Memory::device);
    REQUIRE(set_current(of_theirs) == kSuccess);
    const Held second(*ours, 100, Memory::device);
    REQUIRE(set_current(of_theirs) == kSuccess);
    const auto stream = ours->accelerator()->make_stream();
    CHECK(theirs->memory_left().left == left);
    CHECK(ours->memory_left().left < left);
  }
  check_nothing_left();
}

struct Ends final : Job {
  explicit Ends(std::unique_ptr<CudaDevice> device) : ended(std::move(device)) {}
  void run() override { ended.reset(); }
  std::unique_ptr<CudaDevice> ended;
};

TEST_CASE("cuda device: what it has is given back on whichever thread it ends", "[unit][cuda]") {
  set_stub(on_virtual_clock());
  const auto runtime = make_real_runtime();
  CudaOptions options = stub_options();
  options.kernels = true;
  Ends job(make_cuda_device(0, options, *runtime));
  runtime->spawn("ends", job)->join();
  for (const char* const kind : {"contexts", "streams", "events", "modules", "device memory"}) {
    CAPTURE(kind);
    CHECK(alive(kind) == 0);
  }
  stub_call<Result(Context)>("cuCtxSetCurrent")(nullptr);  // this thread made it
  set_stub({});
}

TEST_CASE("cuda device: virtual time is refused", "[unit][cuda]") {
  set_stub({});
  const auto runtime = make_simulated_runtime();
  const Refusal refusal = refusal_of([&] { make_cuda_device(0, stub_options(), *runtime); });
  CHECK(refusal.kind == ErrorKind::device);
  CHECK(refusal.says("virtual time"));
}

}  // namespace driver_test
}  // namespace benchbench::test::cuda
