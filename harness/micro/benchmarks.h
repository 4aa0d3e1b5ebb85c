// The groups of benchmarks, one a file. Each puts its own on Google Benchmark's list; the workbench
// must outlive the run.
#pragma once
#include "harness/micro/workbench.h"

namespace benchbench::micro {

// The instrument.
void register_pieces();                     // clock read, stage scope, checksums, a wake-up
void register_hand_over(Workbench& bench);  // one batch through the trial's own queue, mock to mock
void register_loader_vs_loop(Workbench& bench);  // the pool against the same work in a bare loop
void register_observer(Workbench& bench);        // what levels 1 and 2 cost beside level 0
void register_virtual_time(Workbench& bench);    // a long trial on the simulated clock
void register_start_up();  // what a user waits for: help, version, the first batch
void register_copies();    // copies, slots, upload

// The catalogue: a new row is here the moment it is in there.
void register_formats_alone(Workbench& bench);
void register_parts_alone(Workbench& bench);  // samplers, loaders, trainers
void register_decode_alone(Workbench& bench);

// Ratios with a goal.
void register_figures_at_work(Workbench& bench);
void register_figures_of_storage(Workbench& bench);
void register_figures_against_torch(Workbench& bench);
void register_mock_step(Workbench& bench);

// The pipeline's rate from its pieces, beside the measured one.
void register_predictions(Workbench& bench);

}  // namespace benchbench::micro
