// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/certificate.h"

#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowplan/solve/solve.h"
#include "stowplan/testing/problem_builder.h"
#include "stowplan/testing/problem_generator.h"

namespace stowplan::solve {
namespace {

using plan::BufferId;
using plan::Problem;
using testing::MakeBuffer;
using testing::MakeProblem;

Certificate Certify(const Problem& problem) {
  return MakeCertificate(problem, Solve(problem, {}).value());
}

TEST(CertificateTest, ShowsTheStepAndItsLiveSet) {
  const Certificate certificate = Certify(MakeProblem(
      {MakeBuffer(5, {0, 3}), MakeBuffer(4, {2, 6}), MakeBuffer(3, {4, 8})}));
  EXPECT_EQ(ToJson(certificate),
            "{\"schema\": \"stowplan.certificate/1\",\n"
            " \"verdict\": \"optimal\",\n"
            " \"peak\": 9,\n"
            " \"lower_bound\": 9,\n"
            " \"proof\": \"load\",\n"
            " \"load\": {\"bytes\": 9, \"step\": 2, \"live\": [0, 1]}}\n");
}

TEST(CertificateTest, ShowsTheExhaustedSearchWhereTheLoadIsNotEnough) {
  // The pin in the middle leaves one byte below and none above: at a load of
  // 4 the buffer of 2 has no room.
  const Problem problem =
      MakeProblem({MakeBuffer(2, {0, 1}, 1, 1), MakeBuffer(2, {0, 1})});
  const Certificate certificate = Certify(problem);
  EXPECT_EQ(certificate.load.bytes, 4);
  EXPECT_EQ(certificate.lower_bound, 5);
  EXPECT_EQ(certificate.proof, Proof::kSearch);
  EXPECT_EQ(certificate.verdict, Verdict::kOptimal);
  EXPECT_TRUE(CheckCertificate(problem, certificate).has_value());
  EXPECT_NE(ToJson(certificate).find("\"search\": {\"nodes\": "),
            std::string::npos);
}

TEST(CertificateTest, ShowsWhichPinsCollide) {
  const Problem problem =
      MakeProblem({MakeBuffer(4, {0, 2}, 1, 0), MakeBuffer(1, {0, 1}),
                   MakeBuffer(4, {1, 3}, 1, 2)});
  const Certificate certificate = Certify(problem);
  EXPECT_EQ(certificate.proof, Proof::kPins);
  EXPECT_EQ(certificate.load.step, 1);
  EXPECT_EQ(certificate.load.live,
            (std::vector<BufferId>{BufferId(0), BufferId(2)}));
  EXPECT_TRUE(CheckCertificate(problem, certificate).has_value());
}

TEST(CertificateTest, IsRefusedWhenItClaimsTooMuch) {
  const Problem problem = MakeProblem(
      {MakeBuffer(5, {0, 3}), MakeBuffer(4, {2, 6}), MakeBuffer(3, {4, 8})});
  const Certificate honest = Certify(problem);
  ASSERT_TRUE(CheckCertificate(problem, honest).has_value());

  Certificate forged = honest;
  forged.lower_bound = 10;
  EXPECT_FALSE(CheckCertificate(problem, forged).has_value()) << "bound";
  forged = honest;
  forged.load.bytes = forged.lower_bound = forged.peak = 12;
  forged.load.live.push_back(BufferId(2));
  EXPECT_FALSE(CheckCertificate(problem, forged).has_value()) << "not live";
  forged.load.live = {BufferId(0), BufferId(0), BufferId(0)};
  EXPECT_FALSE(CheckCertificate(problem, forged).has_value()) << "twice";
  forged.load.live = {BufferId(9)};
  EXPECT_FALSE(CheckCertificate(problem, forged).has_value()) << "unknown";
  forged = honest;
  forged.peak = 11;
  EXPECT_FALSE(CheckCertificate(problem, forged).has_value()) << "peak";
  forged = honest;
  forged.proof = Proof::kSearch;
  EXPECT_FALSE(CheckCertificate(problem, forged).has_value()) << "no search";
  forged.proof = Proof::kPins;
  EXPECT_FALSE(CheckCertificate(problem, forged).has_value()) << "no pins";
}

RC_GTEST_PROP(CertificateTest, HoldsForEveryOutcome, (uint64_t seed)) {
  const testing::RandomShape shape = {.buffers = 8,
                                      .horizon = 8,
                                      .max_alignment = 4,
                                      .pinned_percent = 10,
                                      .gap_percent = 25,
                                      .zero_percent = 5};
  const Problem problem = testing::RandomProblem(shape, seed);
  const Status checked = CheckCertificate(problem, Certify(problem));
  if (!checked) RC_FAIL(checked.error().ToString());
}

}  // namespace
}  // namespace stowplan::solve
