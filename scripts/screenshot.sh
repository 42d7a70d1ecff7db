#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A picture of a page or an SVG as a browser shows it.
#
#   scripts/screenshot.sh PAGE.html OUT.png [WIDTH,HEIGHT] [dark]
#
# Needs Debian's chromium: apt-get install --no-install-recommends chromium
set -eu
if [ $# -lt 2 ]; then
  sed -n 's/^#   //p' "$0" >&2
  exit 2
fi
profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT
[ "${4:-}" = dark ] && dark=--blink-settings=preferredColorScheme=0 || dark=
chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
  --disable-background-networking --disable-component-update --disable-sync \
  --hide-scrollbars --user-data-dir="$profile" $dark \
  --screenshot="$2" --window-size="${3:-1400,1800}" \
  "file://$(realpath "$1")" >/dev/null 2>&1
[ -s "$2" ] || { echo "screenshot: chromium wrote nothing" >&2; exit 1; }
