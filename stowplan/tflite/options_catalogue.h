// SPDX-License-Identifier: Apache-2.0
//
// The option tables of the schema, read from its binary form once. Internal
// to this folder.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "flatbuffers/reflection_generated.h"
#include "stowplan/tflite/schema_generated.h"

namespace stowplan::tflite {

// One table of options and the members of the unions that stand for it.
struct OptionsTable {
  std::string name;  // "Conv2DOptions".
  schema::BuiltinOptions type = schema::BuiltinOptions::NONE;
  schema::BuiltinOptions2 type_2 = schema::BuiltinOptions2::NONE;
  std::vector<const reflection::Field*> fields;  // In the schema's order.
};

class OptionsCatalogue {
 public:
  // The one catalogue; made at the first call, which is safe from any thread.
  static const OptionsCatalogue& Get();

  // Null for a name or a number that the schema does not have.
  const OptionsTable* Find(std::string_view name) const;
  const OptionsTable* Find(schema::BuiltinOptions type) const;
  const OptionsTable* Find(schema::BuiltinOptions2 type) const;

  // The enumeration behind a field of a number; null for a plain number.
  const reflection::Enum* EnumOf(const reflection::Field& field) const;

 private:
  OptionsCatalogue();

  const reflection::Schema* schema_;
  std::map<std::string, OptionsTable, std::less<>> tables_;
  std::map<int, const OptionsTable*> first_union_;
  std::map<int, const OptionsTable*> second_union_;
};

}  // namespace stowplan::tflite
