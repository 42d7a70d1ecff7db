#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up what is missing, builds Stowplan and reports on a model: on a
# 640x640 detector that it makes itself, or on the .tflite file (or graph JSON)
# that you name.
#
#   scripts/demo.sh [MODEL.tflite]
set -euo pipefail

if [ $# -gt 1 ] || [ "${1:-}" = "-h" ] || [ "${1:-}" = "--help" ]; then
  sed -n '3,8s/^# \{0,1\}//p' "$0"
  [ $# -le 1 ] && exit 0 || exit 2
fi
root=$(cd "$(dirname "$0")/.." && pwd)
if [ $# -eq 1 ]; then
  model=$(realpath -e -- "$1") || exit 2
fi
cd "$root"

echo "1/3 Setting up" >&2
scripts/setup.sh
echo "2/3 Building" >&2
cmake --preset release --log-level=ERROR
cmake --build --preset release --target stowplan stowplan_make_examples

out=$root/build/demo
mkdir -p "$out"
if [ $# -eq 0 ]; then
  build/release/examples/stowplan_make_examples --quiet "$out"
  model=$out/detector_640_int8.tflite
fi
echo "3/3 Reporting" >&2
html=$out/$(basename "${model%.*}").html
build/release/stowplan report "$model" -o "$html"
echo
echo "The picture and the tables, as a page that opens offline:"
echo "$html"
