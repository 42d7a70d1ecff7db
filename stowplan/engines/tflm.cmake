# SPDX-License-Identifier: Apache-2.0
set(STOWPLAN_ENGINES_TFLM_SOURCES
  tflm.cc tflm_arena.cc tflm_greedy.cc tflm_kernels.cc tflm_layout.cc
  tflm_lifetimes.cc tflm_offline.cc tflm_rules.cc tflm_sizes.cc
  tflm_trace.cc)
set(STOWPLAN_ENGINES_TFLM_TESTS
  tflm_arena_test.cc tflm_greedy_test.cc tflm_kernels_test.cc
  tflm_lifetimes_test.cc tflm_test.cc)
