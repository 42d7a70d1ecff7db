// SPDX-License-Identifier: Apache-2.0
#include "stowplan/report/names.h"

#include <gtest/gtest.h>

#include "stowplan/report/family.h"
#include "stowplan/report/json_object.h"

namespace stowplan::report {
namespace {

constexpr char kBad[] = "\xEF\xBF\xBD";  // U+FFFD.

TEST(Names, ValidUtf8StaysAsItIs) {
  for (const char* text : {"", "plain", "gr\xC3\xBC\xC3\x9F", "\xE2\x82\xAC",
                           "\xF0\x9F\x9A\xA2", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(ToUtf8(text), text);
  }
}

TEST(Names, EveryOtherByteIsReplaced) {
  EXPECT_EQ(ToUtf8("a\xFF"), std::string("a") + kBad);
  EXPECT_EQ(ToUtf8("\xC3"), kBad);
  // Overlong, a surrogate, over U+10FFFF: each byte on its own.
  EXPECT_EQ(ToUtf8("\xC0\x80"), std::string(kBad) + kBad);
  EXPECT_EQ(ToUtf8("\xED\xA0\x80"), std::string(kBad) + kBad + kBad);
  EXPECT_EQ(ToUtf8("\xF4\x90\x80\x80"), std::string(kBad) + kBad + kBad + kBad);
  // Cut short at the end, and in the middle.
  EXPECT_EQ(ToUtf8("\xE2\x82"), std::string(kBad) + kBad);
  EXPECT_EQ(ToUtf8("\xE2\x82z"), std::string(kBad) + kBad + "z");
}

TEST(Names, TheResultIsValidWhateverComesIn) {
  uint32_t seed = 7;
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (int i = 0; i < 12; ++i) {
      seed = seed * 1664525u + 1013904223u;
      text += static_cast<char>((seed & 0x1000) != 0 ? 0x80 | seed >> 24
                                                     : seed >> 24);
    }
    const std::string once = ToUtf8(text);
    EXPECT_EQ(ToUtf8(once), once);
  }
}

TEST(Names, TerminalsGetNoControlCharacters) {
  EXPECT_EQ(ToPrintable("a\x1b[31m\n\x7f"), "a?[31m??");
  EXPECT_EQ(ToPrintable("\xC2\x9B"
                        "31m"),
            "?31m");  // C1's CSI.
  EXPECT_EQ(ToPrintable("gr\xC3\xBC"), "gr\xC3\xBC");
}

TEST(Names, MarkupIsEscaped) {
  EXPECT_EQ(ToXml("<a b='\"'>&"), "&lt;a b=&#39;&quot;&#39;&gt;&amp;");
  EXPECT_EQ(ToXml("a\nb\x01"), std::string("a b") + kBad);
}

TEST(Names, CsvFieldsDoubleTheirQuotes) {
  EXPECT_EQ(ToCsv("a,\"b\"\n"), "\"a,\"\"b\"\"\n\"");
}

TEST(Names, LongNamesKeepFrontAndEnd) {
  EXPECT_EQ(Shorten("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(Shorten("abcdefghijk", 8), "abc..ijk");
  // Characters, not bytes.
  const std::string text = "\xC3\xBC\xC3\xBC\xC3\xBC\xC3\xBC\xC3\xBC\xC3\xBC";
  EXPECT_EQ(LengthOf(text), 6u);
  EXPECT_EQ(LengthOf(Shorten(text, 5)), 5u);
  EXPECT_EQ(ToUtf8(Shorten(text, 5)), Shorten(text, 5));
}

TEST(Names, JsonStringsAreEscaped) {
  EXPECT_EQ(JsonString("a\"\\\n\x1f\xFF"),
            std::string("\"a\\\"\\\\\\n\\u001f") + kBad + "\"");
}

TEST(Names, JsonFractionsHaveAtLeastOneDecimal) {
  EXPECT_EQ(JsonObject().AddFraction("x", 4228).Take(), "{\"x\":0.4228}");
  EXPECT_EQ(JsonObject().AddFraction("x", 50).Take(), "{\"x\":0.005}");
  EXPECT_EQ(JsonObject().AddFraction("x", 10000).Take(), "{\"x\":1.0}");
}

TEST(Family, FamiliesFollowTheOperatorsType) {
  EXPECT_EQ(FamilyOf("CONV_2D"), Family::kConvolution);
  EXPECT_EQ(FamilyOf("TRANSPOSE_CONV"), Family::kConvolution);
  EXPECT_EQ(FamilyOf("DEPTHWISE_CONV_2D"), Family::kDepthwise);
  EXPECT_EQ(FamilyOf("TRANSPOSE"), Family::kMovement);
  EXPECT_EQ(FamilyOf("EXPAND_DIMS"), Family::kMovement);
  EXPECT_EQ(FamilyOf("EXP"), Family::kArithmetic);
  EXPECT_EQ(FamilyOf("LOG_SOFTMAX"), Family::kActivation);
  EXPECT_EQ(FamilyOf("IF"), Family::kControl);
  EXPECT_EQ(FamilyOf("input"), Family::kInput);
  EXPECT_EQ(FamilyOf("scratch"), Family::kScratch);
  EXPECT_EQ(FamilyOf("MyOwnOperator"), Family::kOther);
}

}  // namespace
}  // namespace stowplan::report
