// SPDX-License-Identifier: Apache-2.0
//
// Fourier transforms and complex numbers.
#pragma once

#include "stowplan/kernels/kernel.h"

namespace stowplan::kernels::reference {

Result<Needs> PrepareRfft2d(const Node& node);
Status RunRfft2d(const Node& node);
Result<Needs> PrepareComplex(const Node& node);
Status RunComplexAbs(const Node& node);
Status RunReal(const Node& node);
Status RunImag(const Node& node);

}  // namespace stowplan::kernels::reference
