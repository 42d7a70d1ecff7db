// SPDX-License-Identifier: Apache-2.0
#include "stowplan/kernels/tensor.h"

namespace stowplan::kernels {
namespace {

struct Row {
  const char* name;
  size_t size;
};

constexpr std::array<Row, 23> kTable = {{
    {"float32", 4},       {"float16", 2},     {"int32", 4},
    {"uint8", 1},         {"int64", 8},       {"string", 0},
    {"bool", 1},          {"int16", 2},       {"complex64", 8},
    {"int8", 1},          {"float64", 8},     {"complex128", 16},
    {"uint64", 8},        {"resource", 0},    {"variant", 0},
    {"uint32", 4},        {"uint16", 2},      {"int4", 0},
    {"bfloat16", 2},      {"int2", 0},        {"uint4", 0},
    {"float8_e4m3fn", 1}, {"float8_e5m2", 1},
}};

}  // namespace

const char* NameOf(Type type) { return kTable[static_cast<size_t>(type)].name; }

size_t SizeOf(Type type) { return kTable[static_cast<size_t>(type)].size; }

}  // namespace stowplan::kernels
