// SPDX-License-Identifier: Apache-2.0
//
// The factors between the steps of an integer LSTM's tensors. Internal to this
// folder.
#pragma once

#include "stowplan/kernels/reference/fixed_point16.h"
#include "stowplan/kernels/reference/layer_norm16.h"
#include "stowplan/kernels/reference/lstm_node.h"
#include "stowplan/kernels/requantize.h"

namespace stowplan::kernels::reference {

struct LstmScales {
  explicit LstmScales(const LstmNode& lstm);

  struct GateScales {
    FixedPoint input;  // To the steps of the gate.
    FixedPoint state;
    FixedPoint peephole;
    LayerNorm16 norm;
  };
  GateScales gates[4];
  FixedPoint hidden;
  FixedPoint projection;
  int32_t hidden_zero = 0;
  int32_t cell_clip = 0;    // 0: none.
  int32_t output_clip = 0;  // 0: none.
};

}  // namespace stowplan::kernels::reference
