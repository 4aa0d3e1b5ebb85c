#include "harness/report/external/external_fields.h"

#include <array>

namespace benchbench {
namespace {

constexpr std::array kExternalFields{
    ExternalField{"process_start_ms", &ExternalPoint::spawn_ms,
                  "From the start of your Python process to its first message."},
    ExternalField{"import_ms", &ExternalPoint::import_ms, "Importing your script or module."},
    ExternalField{"call_ms", &ExternalPoint::call_ms,
                  "Your function that makes the data set or loader."},
    ExternalField{"workers_start_ms", &ExternalPoint::workers_start_ms,
                  "Starting the workers in the first epoch, until the first sample is asked of "
                  "them; iter() if that was not seen."},
    ExternalField{"time_to_first_batch_ms", &ExternalPoint::first_batch_ms,
                  "From the first request to the first batch of your loader."},
    ExternalField{"gap_between_epochs_ms", &ExternalPoint::epoch_gap_ms,
                  "In your loader, from the last batch of an epoch until those of the next one are "
                  "there that workers make at once, less the mean wait for as many."},
    ExternalField{"epoch_start_ms", &ExternalPoint::epoch_start_ms,
                  "Starting the workers in later epochs, if each starts its own; iter() otherwise, "
                  "or if that was not seen."},
    ExternalField{"getitem_ms_per_batch", &ExternalPoint::getitem_ms,
                  "Time in __getitem__ for one batch, of all workers together."},
    ExternalField{"collate_ms_per_batch", &ExternalPoint::collate_ms,
                  "Time in the collate function for one batch."},
    ExternalField{"handover_ms_per_batch", &ExternalPoint::handover_ms,
                  "Handing one batch from a worker to the main process."},
    ExternalField{"pin_ms_per_batch", &ExternalPoint::pin_ms,
                  "Copying one batch to page-locked memory, in the pin thread."},
    ExternalField{"hooks_ms_per_batch", &ExternalPoint::hooks_ms,
                  "What measuring these times cost for one batch, estimated."},
    ExternalField{"core_wait_workers_ms_per_step", &ExternalPoint::core_wait_loader_ms,
                  "Time that the workers' main threads, together, waited for a core."},
    ExternalField{"core_wait_main_ms_per_step", &ExternalPoint::core_wait_main_ms,
                  "Time that the main thread of your Python process waited for a core."},
    ExternalField{"direct_ms", &ExternalPoint::direct_ms,
                  "Making one batch by indexing tensors that are in memory."},
    ExternalField{"runnable_threads_mean", &ExternalPoint::runnable_mean,
                  "Threads of your Python processes that run or wait for a core."},
    ExternalField{"runnable_threads_max", &ExternalPoint::runnable_max,
                  "The most threads that ran or waited for a core at once."},
    ExternalField{
        "runnable_worker_threads_mean", &ExternalPoint::runnable_workers,
        "Threads of the workers that run or wait for a core, all workers together, without those "
        "of processes that they started."},
    ExternalField{
        "workers_memory_bytes", &ExternalPoint::memory_bytes,
        "Memory of all workers at the end of the window: PSS, in which shared pages count once."},
    ExternalField{"workers_memory_growth_bytes_per_sample", &ExternalPoint::growth_per_sample_bytes,
                  "Growth of the workers' PSS over the window, per sample delivered."},
};

}  // namespace

std::span<const ExternalField> external_fields() noexcept { return kExternalFields; }

}  // namespace benchbench
