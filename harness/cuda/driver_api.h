// What we use of the CUDA driver's interface, declared by ourselves: nothing of CUDA is needed to
// build, and nothing is linked. Names and numbers are those of the driver's ABI, which does not
// change under a versioned name. All functions may be called by any thread.
#pragma once
#include <cstddef>
#include <cstdint>

namespace benchbench::cuda {

using Result = int;                   // CUresult
using DeviceId = int;                 // CUdevice
using DevicePointer = std::uint64_t;  // CUdeviceptr: no address of the host's
// Handles: what they point to is the driver's.
using Context = struct ContextOfDriver*;
using Stream = struct StreamOfDriver*;
using Event = struct EventOfDriver*;
using Module = struct ModuleOfDriver*;
using Function = struct FunctionOfDriver*;

struct Uuid {
  unsigned char bytes[16];
};

// Of CUresult, those that are treated by themselves.
inline constexpr Result kSuccess = 0;
inline constexpr Result kOutOfMemory = 2;
inline constexpr Result kDeviceUnavailable = 46;
inline constexpr Result kNoDevice = 100;
inline constexpr Result kUncorrectableEcc = 214;
inline constexpr Result kUncorrectableNvlink = 220;
inline constexpr Result kContained = 226;
inline constexpr Result kNotReady = 600;
// Results of cuInit.
inline constexpr Result kSystemNotReady = 802, kOtherModule = 803, kNoForwardCompatibility = 804;
inline constexpr Result kIllegalAddress = 700;
inline constexpr Result kLaunchTimeout = 702;
inline constexpr Result kContextDestroyed = 709;
inline constexpr Result kAssert = 710;
// This one and the next: instruction, alignment, address space, program counter.
inline constexpr Result kHardwareStack = 714;
inline constexpr Result kLaunchFailed = 719;
inline constexpr Result kTensorMemoryLeak = 721;
inline constexpr Result kMpsClientEnded = 810;
inline constexpr Result kExternalDevice = 911;
inline constexpr Result kUnknown = 999;

// Of CUdevice_attribute.
inline constexpr int kAttributeClockKHz = 13;
inline constexpr int kAttributeProcessors = 16;
inline constexpr int kAttributeCopyEngines = 40;
inline constexpr int kAttributeCapabilityMajor = 75;
inline constexpr int kAttributeCapabilityMinor = 76;

inline constexpr unsigned kStreamNonBlocking = 1;  // does not wait for the legacy default stream
inline constexpr unsigned kEventBlocking = 1;      // cuEventSynchronize sleeps
inline constexpr unsigned kEventWithoutTime = 2;
inline constexpr unsigned kRegisterPortable = 1;  // pinned for all contexts

// Of CUjit_option.
inline constexpr int kJitErrorText = 5;
inline constexpr int kJitErrorTextBytes = 6;

// Each by the driver's own name in the comment where ours is another. None is null once loaded.
struct DriverTable {
  Result (*init)(unsigned flags);          // cuInit
  Result (*driver_version)(int* version);  // 12040 is 12.4
  Result (*device_count)(int* count);
  Result (*device_get)(DeviceId* device, int ordinal);
  Result (*device_name)(char* name, int length, DeviceId device);
  Result (*device_uuid)(Uuid* uuid, DeviceId device);  // _v2 names a part of a divided device (MIG)
  Result (*device_attribute)(int* value, int attribute, DeviceId device);
  Result (*device_memory)(std::size_t* bytes, DeviceId device);   // cuDeviceTotalMem_v2
  Result (*device_pci)(char* text, int length, DeviceId device);  // cuDeviceGetPCIBusId
  Result (*context_retain)(Context* context, DeviceId device);    // cuDevicePrimaryCtxRetain
  Result (*context_release)(DeviceId device);
  Result (*context_set)(Context context);  // cuCtxSetCurrent: of the calling thread
  Result (*context_get)(Context* context);
  Result (*memory_allocate)(DevicePointer* data, std::size_t bytes);
  Result (*memory_free)(DevicePointer data);
  Result (*memory_left)(std::size_t* left, std::size_t* total);  // cuMemGetInfo_v2
  Result (*host_register)(void* data, std::size_t bytes, unsigned flags);
  Result (*host_unregister)(void* data);
  Result (*copy_to_device)(DevicePointer to, const void* from, std::size_t bytes, Stream stream);
  Result (*copy_to_host)(void* to, DevicePointer from, std::size_t bytes, Stream stream);
  Result (*stream_create)(Stream* stream, unsigned flags);
  Result (*stream_destroy)(Stream stream);
  Result (*stream_synchronize)(Stream stream);
  Result (*stream_wait)(Stream stream, Event event, unsigned flags);  // cuStreamWaitEvent
  Result (*event_create)(Event* event, unsigned flags);
  Result (*event_destroy)(Event event);
  Result (*event_record)(Event event, Stream stream);
  Result (*event_query)(Event event);
  Result (*event_synchronize)(Event event);
  Result (*event_elapsed)(float* milliseconds, Event from, Event to);
  Result (*module_load)(Module* module, const void* image, unsigned options, int* names,
                        void** values);
  Result (*module_unload)(Module module);
  Result (*module_function)(Function* function, Module module, const char* name);
  Result (*launch)(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   Stream stream, void** parameters, void** extra);
  Result (*error_name)(Result error, const char** name);
  Result (*error_text)(Result error, const char** text);
};

}  // namespace benchbench::cuda
