// SPDX-License-Identifier: Apache-2.0
#include "stowplan/tflite/options_catalogue.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "stowplan/tflite/options.h"
#include "stowplan/tflite/schema_bfbs_generated.h"

namespace stowplan::tflite {
namespace {

using schema::BuiltinOperator;

// "stowplan.tflite.schema.Conv2DOptions" -> "Conv2DOptions".
std::string ShortName(const flatbuffers::String& name) {
  const std::string full = name.str();
  return full.substr(full.rfind('.') + 1);
}

// The binary schema sorts fields by name; `id` is the order of the schema.
std::vector<const reflection::Field*> FieldsOf(
    const reflection::Object& object) {
  std::vector<const reflection::Field*> fields;
  for (const reflection::Field* field : *object.fields()) {
    if (!field->deprecated()) fields.push_back(field);
  }
  std::sort(fields.begin(), fields.end(),
            [](const auto* a, const auto* b) { return a->id() < b->id(); });
  return fields;
}

// "CONV_2D" -> "conv2d", as in the lower-case name of its options' table.
std::string Squeezed(std::string_view name) {
  std::string text;
  for (char c : name) {
    if (c == '_') continue;
    text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return text;
}

// Tables that serve several operators, or have another name.
std::string_view SharedTable(BuiltinOperator builtin) {
  switch (builtin) {
    case BuiltinOperator::AVERAGE_POOL_2D:
    case BuiltinOperator::L2_POOL_2D:
    case BuiltinOperator::MAX_POOL_2D:
      return "Pool2DOptions";
    case BuiltinOperator::L2_NORMALIZATION:
      return "L2NormOptions";
    case BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_RNN:
      return "SequenceRNNOptions";
    case BuiltinOperator::MEAN:
    case BuiltinOperator::SUM:
    case BuiltinOperator::REDUCE_PROD:
    case BuiltinOperator::REDUCE_MAX:
    case BuiltinOperator::REDUCE_MIN:
    case BuiltinOperator::REDUCE_ANY:
    case BuiltinOperator::REDUCE_ALL:
      return "ReducerOptions";
    case BuiltinOperator::MAXIMUM:
    case BuiltinOperator::MINIMUM:
      return "MaximumMinimumOptions";
    case BuiltinOperator::CONV_3D_TRANSPOSE:
      return "Conv3DOptions";
    case BuiltinOperator::RANDOM_STANDARD_NORMAL:
    case BuiltinOperator::RANDOM_UNIFORM:
    case BuiltinOperator::MULTINOMIAL:
      return "RandomOptions";
    default:
      return {};
  }
}

std::map<int, std::string_view> TablesByOperator() {
  std::map<std::string, std::string_view> by_squeezed;
  // The names of the generated enumerations live as long as the program.
  for (auto type : schema::EnumValuesBuiltinOptions()) {
    const std::string_view name = schema::EnumNameBuiltinOptions(type);
    by_squeezed[Squeezed(name)] = name;
  }
  for (auto type : schema::EnumValuesBuiltinOptions2()) {
    const std::string_view name = schema::EnumNameBuiltinOptions2(type);
    by_squeezed[Squeezed(name)] = name;
  }
  std::map<int, std::string_view> tables;
  for (BuiltinOperator builtin : schema::EnumValuesBuiltinOperator()) {
    std::string_view table = SharedTable(builtin);
    const auto found = by_squeezed.find(
        Squeezed(schema::EnumNameBuiltinOperator(builtin)) + "options");
    if (table.empty() && found != by_squeezed.end()) table = found->second;
    tables[static_cast<int>(builtin)] = table;
  }
  return tables;
}

}  // namespace

const OptionsCatalogue& OptionsCatalogue::Get() {
  static const OptionsCatalogue catalogue;
  return catalogue;
}

OptionsCatalogue::OptionsCatalogue()
    : schema_(reflection::GetSchema(schema::ModelBinarySchema::data())) {
  for (const reflection::Enum* members : *schema_->enums()) {
    const std::string name = ShortName(*members->name());
    const bool first = name == "BuiltinOptions";
    if (!first && name != "BuiltinOptions2") continue;
    for (const reflection::EnumVal* member : *members->values()) {
      if (member->value() == 0) continue;  // NONE.
      const reflection::Object& object = *schema_->objects()->Get(
          static_cast<uint32_t>(member->union_type()->index()));
      OptionsTable& table = tables_[ShortName(*object.name())];
      table.name = ShortName(*object.name());
      table.fields = FieldsOf(object);
      const int value = static_cast<int>(member->value());
      if (first) {
        table.type = static_cast<schema::BuiltinOptions>(value);
        first_union_[value] = &table;
      } else {
        table.type_2 = static_cast<schema::BuiltinOptions2>(value);
        second_union_[value] = &table;
      }
    }
  }
}

const OptionsTable* OptionsCatalogue::Find(std::string_view name) const {
  const auto found = tables_.find(name);
  return found == tables_.end() ? nullptr : &found->second;
}

const OptionsTable* OptionsCatalogue::Find(schema::BuiltinOptions type) const {
  const auto found = first_union_.find(static_cast<int>(type));
  return found == first_union_.end() ? nullptr : found->second;
}

const OptionsTable* OptionsCatalogue::Find(schema::BuiltinOptions2 type) const {
  const auto found = second_union_.find(static_cast<int>(type));
  return found == second_union_.end() ? nullptr : found->second;
}

const reflection::Enum* OptionsCatalogue::EnumOf(
    const reflection::Field& field) const {
  const int32_t index = field.type()->index();
  return index < 0 ? nullptr
                   : schema_->enums()->Get(static_cast<uint32_t>(index));
}

std::string_view OptionsTableOf(BuiltinOperator builtin) {
  static const std::map<int, std::string_view> tables = TablesByOperator();
  const auto found = tables.find(static_cast<int>(builtin));
  return found == tables.end() ? std::string_view() : found->second;
}

}  // namespace stowplan::tflite
