// SPDX-License-Identifier: Apache-2.0
//
// An operator's options by name, read and written through the schema itself:
// the binary schema says for each of the option tables which fields it has,
// where they lie and what they are when they are absent, so no operator needs
// code of its own.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "stowplan/base/error.h"
#include "stowplan/tflite/schema_generated.h"

namespace stowplan::tflite {

// Members of an enumeration go by name ("SAME"), other numbers as they are.
using OptionValue = std::variant<bool, int64_t, double, std::string,
                                 std::vector<int64_t>, std::vector<double>>;

struct Option {
  std::string name;  // As in the schema: "stride_w".
  OptionValue value;
};

// All options of the operator in the schema's order, from whichever of its
// two unions is used. A scalar that the file leaves out has the schema's
// default; a string or a vector that it leaves out is not listed, nor are
// vectors of bytes, which are documents of their own. Empty for an operator
// without options. O(fields + elements).
std::vector<Option> ReadOptions(const schema::Operator& op);

// The elements of all vectors and strings that ReadOptions would copy, so
// that they can be counted first. O(fields).
int64_t CountOptionElements(const schema::Operator& op);

// The name of the table of options that operators of that kind carry:
// "Conv2DOptions", "Pool2DOptions"; empty for those that carry none.
std::string_view OptionsTableOf(schema::BuiltinOperator builtin);

// A table of options in a file that is being written, and the union that it
// goes into; one of the two types is NONE.
struct WrittenOptions {
  schema::BuiltinOptions type = schema::BuiltinOptions::NONE;
  schema::BuiltinOptions2 type_2 = schema::BuiltinOptions2::NONE;
  flatbuffers::Offset<void> table;
};

// Writes the table of that name with those options; the others keep their
// defaults. An error for a name that the schema does not have, or a value of
// another type.
Result<WrittenOptions> WriteOptions(flatbuffers::FlatBufferBuilder& builder,
                                    std::string_view table,
                                    std::span<const Option> options);

}  // namespace stowplan::tflite
