#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what building and testing need and this machine lacks. Debian 12 or
# a relative of it; asks for nothing if everything is there.
set -euo pipefail

packages=(
  g++ cmake ninja-build ccache
  libflatbuffers-dev flatbuffers-compiler
  libcli11-dev libfmt-dev nlohmann-json3-dev libexpected-dev
  libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev
  python3 python3-venv
)
for extra in "$@"; do
  case "$extra" in
    fuzz) packages+=(clang libclang-rt-14-dev) ;;
    tidy) packages+=(clang clang-tidy clang-format) ;;
    screenshot) packages+=(chromium) ;;
    *) echo "setup.sh: unknown extra '$extra'; known: fuzz tidy screenshot" >&2
       exit 2 ;;
  esac
done

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
  [ "$status" = "install ok installed" ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if ! command -v apt-get >/dev/null; then
  echo "setup.sh: needs ${missing[*]}; install them by hand, since this" \
       "machine has no apt-get" >&2
  exit 1
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "setup.sh: needs ${missing[*]}; run this script as root or install" \
         "sudo" >&2
    exit 1
  fi
  as_root=(sudo)
fi
echo "Installing ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -q >&2
"${as_root[@]}" apt-get install -q -y --no-install-recommends \
  "${missing[@]}" >&2
