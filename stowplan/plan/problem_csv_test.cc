// SPDX-License-Identifier: Apache-2.0
#include "stowplan/plan/problem_csv.h"

#include <string>

#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowplan/testing/problem_builder.h"
#include "stowplan/testing/problem_generator.h"

namespace stowplan::plan {
namespace {

using testing::MakeBuffer;

std::string ErrorOf(std::string_view text) {
  const Result<NamedProblem> read = ReadProblemCsv(text);
  return read ? "" : read.error().ToString();
}

std::vector<Buffer> Read(std::string_view text) {
  return ReadProblemCsv(text).value().problem.buffers();
}

TEST(ProblemCsvTest, ReadsTheColumnsOfMiniMalloc) {
  const NamedProblem read =
      ReadProblemCsv("id,lower,upper,size\nb1,0,3,4\nb2,3,9,4\n", 12).value();
  EXPECT_EQ(read.names, (std::vector<std::string>{"b1", "b2"}));
  EXPECT_EQ(
      read.problem.buffers(),
      (std::vector<Buffer>{MakeBuffer(4, {0, 3}), MakeBuffer(4, {3, 9})}));
  EXPECT_EQ(read.problem.capacity(), 12);
}

TEST(ProblemCsvTest, ReadsColumnsInAnyOrderAndBySynonyms) {
  EXPECT_EQ(Read("size,begin,upper,buffer_id\n4,0,3,x\n"),
            Read("id,lower,upper,size\nx,0,3,4\n"));
}

TEST(ProblemCsvTest, TakesAColumnNamedEndAsInclusive) {
  EXPECT_EQ(Read("id,start,end,size\nx,0,2,4\n"),
            Read("id,lower,upper,size\nx,0,3,4\n"));
}

TEST(ProblemCsvTest, ReadsLineEndsOfEveryKindAndNoneAtTheEnd) {
  const auto expected = Read("id,lower,upper,size\nx,0,3,4\ny,1,2,3\n");
  EXPECT_EQ(Read("id,lower,upper,size\r\nx,0,3,4\r\ny,1,2,3\r\n"), expected);
  EXPECT_EQ(Read("id,lower,upper,size\nx,0,3,4\n\ny,1,2,3"), expected);
  EXPECT_EQ(Read("\xEF\xBB\xBFid, lower, upper, size\nx, 0, 3, 4\ny,1,2,3"),
            expected);
}

TEST(ProblemCsvTest, PinsBuffersByTheOffsetColumn) {
  EXPECT_EQ(Read("id,lower,upper,size,offset\nx,0,3,4,16\ny,0,3,4,\n"),
            (std::vector<Buffer>{MakeBuffer(4, {0, 3}, 1, 16),
                                 MakeBuffer(4, {0, 3})}));
}

TEST(ProblemCsvTest, ReadsAlignmentGapsAndWindowsAndSkipsHints) {
  EXPECT_EQ(
      Read("id,lower,upper,size,alignment,gaps,hint\nx,0,9,8,64,1-2 3-5@0:4,7"),
      (std::vector<Buffer>{MakeBuffer(
          8, {0, 9}, 64, {}, {{{1, 2}, {}}, {{3, 5}, ByteRange{0, 4}}})}));
}

TEST(ProblemCsvTest, NamesTheLineAndTheFault) {
  EXPECT_EQ(ErrorOf("").find("line 1: the file is empty"), 0u);
  EXPECT_EQ(ErrorOf("id,lower,upper\n").find("line 1: column 'size'"), 0u);
  EXPECT_EQ(ErrorOf("id,lower,upper,size,x\n").find("line 1: unknown"), 0u);
  EXPECT_EQ(ErrorOf("id,lower,upper,end,size\n").find("line 1: column"), 0u);
  const std::string header = "id,lower,upper,size\n";
  EXPECT_EQ(ErrorOf(header + "x,0,3\n").find("line 2: 3 fields"), 0u);
  EXPECT_EQ(ErrorOf(header + "x,0,3,4k\n").find("line 2: '4k'"), 0u);
  EXPECT_EQ(ErrorOf(header + "x,0,3,99999999999999999999\n").find("line 2"),
            0u);
  EXPECT_NE(ErrorOf(header + "x,3,3,4\n"), "");
  EXPECT_EQ(
      ErrorOf("id,lower,end,size\nx,0,9223372036854775807,4\n").find("line 2"),
      0u);
}

TEST(ProblemCsvTest, NamesTheGapThatItCannotRead) {
  const std::string header = "id,lower,upper,size,gaps\n";
  for (const char* gap : {"1", "1-", "1-2-3", "1-2@", "1-2@3", "a-b"}) {
    EXPECT_EQ(ErrorOf(header + "x,0,9,8," + gap + "\n").find("line 2: gap"), 0u)
        << gap;
  }
}

TEST(ProblemCsvTest, WritesOnlyTheColumnsThatAreUsed) {
  const NamedProblem named = {testing::MakeProblem({MakeBuffer(4, {0, 3})}),
                              {"x"}};
  EXPECT_EQ(WriteProblemCsv(named), "id,lower,upper,size\nx,0,3,4\n");
  const Plan plan = {{64}};
  EXPECT_EQ(WriteProblemCsv(named, &plan),
            "id,lower,upper,size,offset\nx,0,3,4,64\n");
}

RC_GTEST_PROP(ProblemCsvTest, ReadsBackWhatItWrites, (uint64_t seed)) {
  const testing::RandomShape shape = {.buffers = 8,
                                      .horizon = 9,
                                      .max_size = 40,
                                      .max_alignment = 16,
                                      .pinned_percent = 20,
                                      .gap_percent = 30,
                                      .zero_percent = 10};
  const Problem problem = testing::RandomProblem(shape, seed);
  const std::string text =
      WriteProblemCsv({problem, {"a", "b", "c", "d", "e", "f", "g", "h"}});
  RC_ASSERT(ReadProblemCsv(text).value().problem.buffers() ==
            problem.buffers());
}

}  // namespace
}  // namespace stowplan::plan
