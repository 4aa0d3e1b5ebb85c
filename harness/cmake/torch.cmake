set(BENCHBENCH_TORCH_REASON "not looked for yet")
