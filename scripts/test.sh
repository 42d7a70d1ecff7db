#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up what is missing, builds and runs all tests: as users get the code,
# then under the address and undefined-behaviour sanitizers; what runs several
# threads also under the thread sanitizer.
#
#   scripts/test.sh [PRESET...]     default: release asan tsan
#
# The last line counts the tests of all presets.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
presets=("$@")
[ ${#presets[@]} -gt 0 ] || presets=(release asan tsan)

scripts/setup.sh
jobs=$(nproc)
results=()
status=0
for preset in "${presets[@]}"; do
  # The thread sanitizer has nothing to find where there is one thread.
  targets=()
  tests=()
  if [ "$preset" = tsan ]; then
    targets=(--target stowplan_thread_tests)
    tests=(-R Thread)
  fi
  echo "== $preset: building" >&2
  cmake --preset "$preset" --log-level=ERROR
  cmake --build --preset "$preset" -j "$jobs" "${targets[@]}"
  echo "== $preset: testing" >&2
  result=$root/build/$preset/results.xml
  rm -f "$result"
  ctest --test-dir "build/$preset" -j "$jobs" --output-on-failure \
        "${tests[@]}" --output-junit "$result" || status=1
  results+=("$result")
done
python3 scripts/count_tests.py "${results[@]}" || status=1
exit $status
