// SPDX-License-Identifier: Apache-2.0
//
// NumPy's file of one array, versions 1 to 3 of its format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "stowplan/base/dtype.h"
#include "stowplan/base/error.h"
#include "stowplan/graph/model.h"

namespace stowplan::cli {

struct NpyArray {
  DType dtype = DType::kFloat32;
  graph::Shape shape;
  std::span<const std::byte> data;  // Into the file, row by row.
};

// Errors (kBadInput) say what is wrong with the file: no such file, an order
// or a type that tensors do not have, fewer bytes than its shape needs. The
// place is left to the caller.
Result<NpyArray> ReadNpy(std::span<const std::byte> file);

// The file's bytes. Errors: kUsage for types that NumPy does not have.
Result<std::string> WriteNpy(DType dtype, std::span<const int64_t> shape,
                             std::span<const std::byte> data);

}  // namespace stowplan::cli
