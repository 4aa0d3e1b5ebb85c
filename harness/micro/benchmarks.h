// The groups of benchmarks, one a file. Each puts its own on Google Benchmark's list; the catalogue must
// outlive the run.
#pragma once
#include "harness/part/catalog.h"

namespace benchbench::micro {

void register_pieces();                           // clock read, stage scope, checksums, a wake-up
void register_hand_over(const Catalog& catalog);  // one batch through the trial's own queue, mock to mock
void register_loader_vs_loop(const Catalog& catalog);  // the pool against the same work in a bare loop
void register_observer(const Catalog& catalog);   // what levels 1 and 2 cost beside level 0
void register_virtual_time(const Catalog& catalog);    // a long trial on the simulated clock
void register_start_up();                              // what a user waits for: help, version, the first batch

}  // namespace benchbench::micro
