// SPDX-License-Identifier: Apache-2.0
//
// Operators with a memory: their state is a variable tensor among the inputs.
#pragma once

#include "stowplan/kernels/kernel.h"

namespace stowplan::kernels::reference {

// UNIDIRECTIONAL_SEQUENCE_LSTM: floats, floats with integer weights, and 8-bit
// activations with 16-bit cell state.
Result<Needs> PrepareSequenceLstm(const Node& node);
Status RunSequenceLstm(const Node& node);

// LSTM: one time step of the same, or of the older form with five inputs on
// floats (kernel_type BASIC).
Result<Needs> PrepareLstm(const Node& node);
Status RunLstm(const Node& node);

Result<Needs> PrepareSvdf(const Node& node);
Status RunSvdf(const Node& node);

}  // namespace stowplan::kernels::reference
