// SPDX-License-Identifier: Apache-2.0
#include "stowplan/report/units.h"

#include <gtest/gtest.h>

#include "stowplan/report/axis.h"

namespace stowplan::report {
namespace {

TEST(Units, BytesHaveThreeDigitsAndABinaryUnit) {
  EXPECT_EQ(HumanBytes(0), "0 B");
  EXPECT_EQ(HumanBytes(1023), "1023 B");
  EXPECT_EQ(HumanBytes(1024), "1.00 KiB");
  EXPECT_EQ(HumanBytes(1536), "1.50 KiB");
  EXPECT_EQ(HumanBytes(12800), "12.5 KiB");
  EXPECT_EQ(HumanBytes(4915200), "4.69 MiB");
  EXPECT_EQ(HumanBytes(64748224), "61.7 MiB");
  EXPECT_EQ(HumanBytes(-2048), "-2.00 KiB");
}

TEST(Units, RoundingCarriesIntoTheNextUnit) {
  EXPECT_EQ(HumanBytes(1024 * 1024 - 1), "1.00 MiB");
  EXPECT_EQ(HumanBytes(10239), "10.0 KiB");
  EXPECT_EQ(HumanBytes(102399), "100 KiB");
}

TEST(Units, TheLargestSizesDoNotOverflow) {
  EXPECT_EQ(HumanBytes(INT64_MAX), "8.00 EiB");
  EXPECT_EQ(Scale(INT64_MAX, 1000, INT64_MAX), 1000);
  EXPECT_EQ(Percent(INT64_MAX, INT64_MAX), "100 %");
}

TEST(Units, BothFormsStandSideBySide) {
  EXPECT_EQ(BothBytes(64), "64 B");
  EXPECT_EQ(BothBytes(4915200), "4.69 MiB (4,915,200 B)");
  EXPECT_EQ(SignedBytes(0), "no change");
  EXPECT_EQ(SignedBytes(-64), "-64 B");
  EXPECT_EQ(SignedBytes(819200), "+800 KiB (819,200 B)");
}

TEST(Units, ThousandsAreGrouped) {
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(999), "999");
  EXPECT_EQ(Grouped(1000), "1,000");
  EXPECT_EQ(Grouped(-1234567), "-1,234,567");
  EXPECT_EQ(Count(1, "tensor"), "1 tensor");
  EXPECT_EQ(Count(2338, "operator"), "2,338 operators");
}

TEST(Units, SharesHaveADecimalWhereItMatters) {
  EXPECT_EQ(Percent(1385472, 1469952), "94 %");
  EXPECT_EQ(Percent(42, 1000), "4.2 %");
  EXPECT_EQ(Percent(9999, 100000), "10 %");
  EXPECT_EQ(Percent(0, 0), "0.0 %");
  EXPECT_EQ(BasisPoints(2, 3), 6667);
}

TEST(Units, HundredthsLoseTrailingZeros) {
  EXPECT_EQ(FromHundredths(1250), "12.5");
  EXPECT_EQ(FromHundredths(1200), "12");
  EXPECT_EQ(FromHundredths(7), "0.07");
  EXPECT_EQ(FromHundredths(-5), "-0.05");
}

TEST(Axis, TicksAreRoundAndFew) {
  EXPECT_EQ(ByteTick(2867200, 8), 524288);
  EXPECT_EQ(ByteTick(3, 8), 1);
  EXPECT_EQ(StepTick(2338, 12), 200);
  EXPECT_EQ(StepTick(5, 12), 1);
  for (Bytes range = 1; range < (Bytes{1} << 60); range = range * 3 + 1) {
    EXPECT_LE(range / ByteTick(range, 8), 8);
    EXPECT_LE(range / StepTick(range, 8), 8);
  }
}

TEST(Axis, LabelsAreExactInBinaryUnits) {
  EXPECT_EQ(TickLabel(0), "0");
  EXPECT_EQ(TickLabel(100), "100 B");
  EXPECT_EQ(TickLabel(524288), "512 KiB");
  EXPECT_EQ(TickLabel(1572864), "1.5 MiB");
}

}  // namespace
}  // namespace stowplan::report
