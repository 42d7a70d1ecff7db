// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "stowplan/report/sample_graphs.h"
#include "stowplan/report/sentences.h"
#include "stowplan/report/text.h"

namespace stowplan::report {
namespace {

bool Says(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// Without line breaks.
std::string Summary(const Document& document) {
  return ToText(document, {.table = false, .width = 100000});
}

TEST(Document, TheFiguresAddUp) {
  std::vector<Sample> samples = AllSamples();
  samples.push_back(LongChain(300));
  for (const Sample& sample : samples) {
    SCOPED_TRACE(sample.name);
    const Document document = DocumentOf(sample);
    Bytes most = 0;
    for (const StepRow& step : document.steps) {
      most = std::max(most, step.live_bytes);
    }
    EXPECT_EQ(document.arena.max_live_bytes, most);
    EXPECT_EQ(
        document.steps[static_cast<size_t>(document.peak.step)].live_bytes,
        document.peak.bytes);
    EXPECT_EQ(document.arena.lower_bound,
              document.arena.max_live_bytes + document.arena.alignment_waste);
    Bytes end = 0;
    for (const BufferRow& buffer : document.buffers) {
      end = std::max(end, *buffer.offset + buffer.size);
      for (size_t row : buffer.rows) {
        EXPECT_EQ(document.tensors[row].offset, buffer.offset);
      }
    }
    EXPECT_EQ(document.arena.bytes, end);
  }
}

TEST(Document, TheWorkedExampleTakes192Bytes) {
  const Document document = DocumentOf(WorkedExample());
  EXPECT_EQ(document.arena.bytes, 192);
  EXPECT_EQ(document.arena.naive_bytes, 256);
}

TEST(Document, ThePyramidsPeakIsItsStemWhateverTheOrder) {
  const Document document = DocumentOf(Pyramid());
  EXPECT_EQ(document.peak.op.name, "stem");
  EXPECT_EQ(document.peak.bytes, 2867200);
  EXPECT_EQ(document.advice.kind, Advice::Kind::kModel);
  EXPECT_TRUE(Says(document.advice.text, "CONV_2D stem (operator 0)"));
  EXPECT_TRUE(Says(document.advice.text, "c1 is 57 %"));
  EXPECT_EQ(document.prices[0].option, "--inputs keep");
  EXPECT_EQ(document.prices[0].lower_bound, 3686400);
}

TEST(Document, TensorsThatWaitPointToTheOrder) {
  const Document document = DocumentOf(BreadthFirst());
  EXPECT_EQ(document.advice.kind, Advice::Kind::kOrder);
  EXPECT_TRUE(Says(document.advice.text, "262,144 B"));
  EXPECT_TRUE(Says(document.advice.text, "(E1)"));
  // The best order of this graph takes 344,064; the claim stays below.
  EXPECT_TRUE(Says(document.advice.text, "below 320 KiB (327,680 B)"));
}

TEST(Document, AProvedGapIsNoFaultAndNoBoundReached) {
  const Document document = DocumentOf(GapProved());
  const std::string text = Summary(document);
  EXPECT_EQ(document.arena.bytes, 180224);
  EXPECT_EQ(document.arena.lower_bound, 172032);
  EXPECT_TRUE(Says(text, "proved optimal, 8,192 bytes above the bound"));
  EXPECT_FALSE(Says(text, "at the bound"));
  EXPECT_NE(document.advice.kind, Advice::Kind::kPlanner);
}

TEST(Document, AnOpenGapPointsToThePlanner) {
  const Document document = DocumentOf(GapOpen());
  EXPECT_EQ(document.advice.kind, Advice::Kind::kPlanner);
  EXPECT_TRUE(Says(Summary(document), "not proved optimal: 40,960 bytes"));
}

TEST(Document, BranchesLieUnderWhatTheirCallerKeeps) {
  const Document document = DocumentOf(Branches());
  ASSERT_EQ(document.calls.size(), 1u);
  EXPECT_EQ(document.calls[0].outer_bytes, 24577);
  EXPECT_EQ(document.calls[0].inner_bytes, 40960);
  EXPECT_EQ(document.peak.bytes, 65537);
  EXPECT_TRUE(Says(Summary(document), "24,577 B"));
  // What IF itself works on does not wait; the skip connection does.
  for (const PeakBuffer& buffer : document.peak.buffers) {
    EXPECT_EQ(buffer.used, document.tensors[buffer.row].name != "skip");
  }
}

TEST(Document, WhatIsNotInTheArenaIsNamed) {
  const Document document = DocumentOf(Mixture());
  EXPECT_EQ(document.mapped_bytes, 4608);
  EXPECT_EQ(document.persistent_bytes, 256);
  ASSERT_EQ(document.dynamic.size(), 2u);
  EXPECT_EQ(document.dynamic[0].because,
            "NON_MAX_SUPPRESSION_V4 (operator 4): a dimension is not known");
  const TensorRow& scratch = document.tensors.back();
  EXPECT_EQ(scratch.kind, schedule::Kind::kScratch);
  EXPECT_FALSE(scratch.tensor);
  EXPECT_EQ(scratch.owner, 0);
  ASSERT_EQ(document.refusals.size(), 1u);
  EXPECT_TRUE(Says(document.refusals[0].text,
                   "may not write over tensor 4 (b): it is read by operator"));
}

TEST(Document, UnprovedOverwritesAreSaidToBeUnproved) {
  Sample sample = Mixture();
  sample.rules.in_place = schedule::InPlace::kEngine;
  EXPECT_TRUE(Says(Summary(DocumentOf(sample)), "nothing proves"));
}

TEST(Document, AnInfeasibleProblemHasNoPlanToShow) {
  const Sample sample = WorkedExample();
  auto needs = schedule::FindMemoryNeeds(sample.model, sample.rules);
  ASSERT_TRUE(needs);
  solve::Outcome outcome;
  outcome.verdict = solve::Verdict::kInfeasible;
  outcome.proof = solve::Proof::kPins;
  auto document = Build(sample.model, *needs, outcome, sample.source);
  ASSERT_TRUE(document);
  EXPECT_FALSE(document->tensors[0].offset);
  EXPECT_TRUE(Says(VerdictText(document->arena), "infeasible"));
}

TEST(Document, APlanOfAnotherProblemIsRefused) {
  const Sample sample = WorkedExample();
  auto needs = schedule::FindMemoryNeeds(sample.model, sample.rules);
  ASSERT_TRUE(needs);
  solve::Outcome outcome;
  outcome.plan.offsets = {0};
  auto document = Build(sample.model, *needs, outcome, sample.source);
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().kind, ErrorKind::kInternal);
}

}  // namespace
}  // namespace stowplan::report
