#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every fuzzer for a while under libFuzzer with sanitizers.
#
#   scripts/fuzz.sh [SECONDS] [FUZZER...]    default: 60, all of them
#
# Starts from the corpus in fuzz/corpus and the small example models. What it
# learns stays in build/fuzz/corpus. A crash ends the script with 1 and leaves
# the input in build/fuzz/crashes: make it a file of fuzz/corpus and a test.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
seconds=${1:-60}
case "$seconds" in
  ''|*[!0-9]*) sed -n '3,10s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
shift || true

scripts/setup.sh fuzz
cmake --preset fuzz --log-level=ERROR
fuzzers=("$@")
if [ ${#fuzzers[@]} -eq 0 ]; then
  for source in fuzz/fuzz_*.cc; do
    name=$(basename "$source" .cc)
    fuzzers+=("${name#fuzz_}")
  done
fi
cmake --build --preset fuzz --target "${fuzzers[@]/#/fuzz_}" \
  stowplan_make_examples

examples=build/fuzz/example_models
mkdir -p "$examples" build/fuzz/crashes
build/fuzz/examples/stowplan_make_examples --quiet "$examples"
# A fuzzer gets nowhere with megabytes of weights.
find "$examples" -size +64k -delete

status=0
for name in "${fuzzers[@]}"; do
  echo "== fuzz_$name for $seconds s" >&2
  learned=build/fuzz/corpus/$name
  mkdir -p "$learned"
  seeds=(fuzz/corpus/"$name")
  case "$name" in tflite|run) seeds+=("$examples") ;; esac
  log=build/fuzz/$name.log
  "build/fuzz/fuzz/fuzz_$name" -max_total_time="$seconds" -timeout=10 \
    -rss_limit_mb=1024 -print_final_stats=1 \
    -artifact_prefix="build/fuzz/crashes/$name-" \
    "$learned" "${seeds[@]}" >"$log" 2>&1 || status=1
  grep -E '^(==[0-9]+==|stat::|SUMMARY|Done|artifact)|Test unit written' \
    "$log" || true
done
exit $status
