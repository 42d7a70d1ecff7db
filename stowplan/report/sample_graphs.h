// SPDX-License-Identifier: Apache-2.0
//
// Small graphs for the tests of this folder, written down by hand.
#pragma once

#include <string>
#include <vector>

#include "stowplan/report/build.h"

namespace stowplan::report {

struct Sample {
  std::string name;
  graph::Model model;
  schedule::Rules rules;
  SourceInfo source;
  // The plan's offsets by BufferId where the test wants a certain plan; else
  // each buffer is put, largest first, at its lowest offset.
  std::vector<Bytes> offsets;
  bool optimal = true;  // What the plan is said to be.
};

// The needs, a plan and the document. Fails the test on any error.
Document DocumentOf(const Sample& sample);

// Three tensors of 64, 128 and 64 bytes over [0,1], [1,2], [2,3].
Sample WorkedExample();
// A pyramid of three levels at 640x640, int8; the stem is the peak.
Sample Pyramid();
// An IF whose branches run under what its caller keeps live.
Sample Branches();
// Ten buffers whose optimum, 180,224, is above the bound of 172,032.
Sample GapProved();
// The same, said to be unproved, with the plan that greedy solvers find.
Sample GapOpen();
// Two branches in an order that keeps both alive; no operator is the peak.
Sample BreadthFirst();
// A view, an overwrite that is refused, weights, a variable, scratch, and
// tensors whose size is not known.
Sample Mixture();
// Names with quotes, markup, a line end and bytes that are no UTF-8.
Sample HostileNames();
// A model without operators.
Sample Nothing();
// A chain of `operators` operators with skips, `operators / 4` constants.
Sample LongChain(size_t operators);

// All but the long one.
std::vector<Sample> AllSamples();

}  // namespace stowplan::report
