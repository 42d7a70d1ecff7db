// SPDX-License-Identifier: Apache-2.0
//
// What shows a bound to somebody who does not trust the solver.
//
// The plan itself needs no certificate: plan::Validate judges it. A bound by
// load is shown by one step and the buffers in use there, and can be checked
// by adding up. A bound by search is shown by the count and the hash of all
// nodes of the exhausted search: whoever runs it again with the same options
// has to come to the same two numbers (0 nodes: the root excluded it).
#pragma once

#include <string>
#include <vector>

#include "stowplan/base/error.h"
#include "stowplan/plan/lower_bound.h"
#include "stowplan/plan/problem.h"
#include "stowplan/solve/outcome.h"

namespace stowplan::solve {

struct Certificate {
  Verdict verdict = Verdict::kUnknown;
  Bytes peak = 0;
  Bytes lower_bound = 0;
  Proof proof = Proof::kLoad;
  // What one step, or one buffer on its own, proves: equal to `lower_bound`
  // unless the proof is by search. Of kPins: the two buffers that collide.
  plan::Bound load;
  int64_t nodes = 0;  // Of the search.
  uint64_t hash = 0;  // The same.
};

// REQUIRES: an outcome of this problem. O(n log n).
Certificate MakeCertificate(const plan::Problem& problem,
                            const Outcome& outcome);

// Adds up what the certificate names, without the code that made it. Of a
// search only the claim that it goes beyond the load is looked at.
// Errors: kBadInput naming what does not hold. O(n).
Status CheckCertificate(const plan::Problem& problem,
                        const Certificate& certificate);

// One JSON document, schema "stowplan.certificate/1".
std::string ToJson(const Certificate& certificate);

}  // namespace stowplan::solve
