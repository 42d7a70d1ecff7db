// SPDX-License-Identifier: Apache-2.0
//
// The table of reference kernels: families.cc lists one row an operator; the
// functions of a row are declared in the header of its family.
#pragma once

#include <span>

#include "stowplan/kernels/kernel.h"

namespace stowplan::kernels::reference {

std::span<const Kernel> AllKernels();

}  // namespace stowplan::kernels::reference
