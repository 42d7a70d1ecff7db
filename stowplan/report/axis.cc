// SPDX-License-Identifier: Apache-2.0
#include "stowplan/report/axis.h"

#include "stowplan/report/units.h"

namespace stowplan::report {

Bytes ByteTick(Bytes range, int64_t most) {
  Bytes tick = 1;
  while (range / tick > most) tick *= 2;
  return tick;
}

int64_t StepTick(int64_t range, int64_t most) {
  int64_t power = 1;
  while (true) {
    for (int64_t factor : {1, 2, 5}) {
      if (range / (factor * power) <= most) return factor * power;
    }
    power *= 10;
  }
}

std::string TickLabel(Bytes bytes) {
  if (bytes == 0) return "0";
  const char* unit = " B";
  int64_t one = 1;
  for (const char* next : {" KiB", " MiB", " GiB", " TiB"}) {
    if (bytes < one * 1024) break;
    one *= 1024;
    unit = next;
  }
  return FromHundredths(Scale(bytes, 100, one)) + unit;
}

}  // namespace stowplan::report
