// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "stowplan/base/checked_math.h"
#include "stowplan/tflite/options.h"
#include "stowplan/tflite/options_catalogue.h"

namespace stowplan::tflite {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::uoffset_t;
using reflection::BaseType;
using reflection::Field;

const Field* FieldOf(const OptionsTable& table, std::string_view name) {
  for (const Field* field : table.fields) {
    if (field->name()->string_view() == name) return field;
  }
  return nullptr;
}

// The number that a value stands for in a field: a member's name, a truth
// value or a number as it is.
std::optional<int64_t> NumberFor(const Field& field, const OptionValue& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) return *number;
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? 1 : 0;
  const auto* name = std::get_if<std::string>(&value);
  const auto* members = OptionsCatalogue::Get().EnumOf(field);
  if (name == nullptr || members == nullptr) return std::nullopt;
  for (const auto* member : *members->values()) {
    if (member->name()->string_view() == *name) return member->value();
  }
  return std::nullopt;
}

template <class T>
bool WriteNumber(FlatBufferBuilder& builder, const Field& field,
                 const OptionValue& value) {
  const auto number = NumberFor(field, value);
  const auto narrow = number ? Narrow<T>(*number) : std::nullopt;
  if (!narrow) return false;
  builder.AddElement<T>(field.offset(), *narrow,
                        static_cast<T>(field.default_integer()));
  return true;
}

bool WriteReal(FlatBufferBuilder& builder, const Field& field,
               const OptionValue& value) {
  double real = 0;
  if (const auto* given = std::get_if<double>(&value)) {
    real = *given;
  } else if (const auto* number = std::get_if<int64_t>(&value)) {
    real = static_cast<double>(*number);
  } else {
    return false;
  }
  builder.AddElement<float>(field.offset(), static_cast<float>(real),
                            static_cast<float>(field.default_real()));
  return true;
}

bool WriteScalar(FlatBufferBuilder& builder, const Field& field,
                 const OptionValue& value) {
  switch (field.type()->base_type()) {
    case BaseType::Bool:
    case BaseType::UByte:
      return WriteNumber<uint8_t>(builder, field, value);
    case BaseType::Byte:
      return WriteNumber<int8_t>(builder, field, value);
    case BaseType::Int:
      return WriteNumber<int32_t>(builder, field, value);
    case BaseType::UInt:
      return WriteNumber<uint32_t>(builder, field, value);
    case BaseType::Long:
      return WriteNumber<int64_t>(builder, field, value);
    case BaseType::Float:
      return WriteReal(builder, field, value);
    default:
      return false;
  }
}

template <class T>
std::optional<uoffset_t> WriteNumbers(FlatBufferBuilder& builder,
                                      const OptionValue& value) {
  const auto* numbers = std::get_if<std::vector<int64_t>>(&value);
  if (numbers == nullptr) return std::nullopt;
  std::vector<T> narrow;
  for (int64_t number : *numbers) {
    const auto fitting = Narrow<T>(number);
    if (!fitting) return std::nullopt;
    narrow.push_back(*fitting);
  }
  return builder.CreateVector(narrow).o;
}

// Strings and vectors must be complete before their table is begun.
std::optional<uoffset_t> WriteReference(FlatBufferBuilder& builder,
                                        const Field& field,
                                        const OptionValue& value) {
  if (field.type()->base_type() == BaseType::String) {
    const auto* text = std::get_if<std::string>(&value);
    if (text == nullptr) return std::nullopt;
    return builder.CreateString(*text).o;
  }
  switch (field.type()->element()) {
    case BaseType::Bool:
    case BaseType::UByte:
      return WriteNumbers<uint8_t>(builder, value);
    case BaseType::Int:
      return WriteNumbers<int32_t>(builder, value);
    case BaseType::UInt:
      return WriteNumbers<uint32_t>(builder, value);
    case BaseType::Long:
      return WriteNumbers<int64_t>(builder, value);
    case BaseType::Float: {
      const auto* reals = std::get_if<std::vector<double>>(&value);
      if (reals == nullptr) return std::nullopt;
      return builder
          .CreateVector(std::vector<float>(reals->begin(), reals->end()))
          .o;
    }
    default:
      return std::nullopt;
  }
}

tl::unexpected<Error> BadOption(const OptionsTable& table,
                                const std::string& option,
                                const std::string& what) {
  return UsageError(table.name, "the option '" + option + "' " + what,
                    "see stowplan/tflite/schema.fbs for names and types");
}

}  // namespace

Result<WrittenOptions> WriteOptions(FlatBufferBuilder& builder,
                                    std::string_view table_name,
                                    std::span<const Option> options) {
  const OptionsTable* table = OptionsCatalogue::Get().Find(table_name);
  if (table == nullptr) {
    return UsageError(std::string(table_name),
                      "there is no table of options of that name",
                      "see stowplan/tflite/schema.fbs");
  }
  std::vector<std::pair<const Field*, uoffset_t>> references;
  std::vector<std::pair<const Field*, const Option*>> scalars;
  for (const Option& option : options) {
    const Field* field = FieldOf(*table, option.name);
    if (field == nullptr) {
      return BadOption(*table, option.name, "does not exist");
    }
    const BaseType type = field->type()->base_type();
    if (type != BaseType::String && type != BaseType::Vector) {
      scalars.emplace_back(field, &option);
      continue;
    }
    const auto offset = WriteReference(builder, *field, option.value);
    if (!offset) return BadOption(*table, option.name, "has another type");
    references.emplace_back(field, *offset);
  }
  const uoffset_t start = builder.StartTable();
  bool fits = true;
  std::string misfit;
  for (const auto& [field, option] : scalars) {
    if (!WriteScalar(builder, *field, option->value)) {
      fits = false;
      misfit = option->name;
    }
  }
  for (const auto& [field, offset] : references) {
    builder.AddOffset(field->offset(), flatbuffers::Offset<void>(offset));
  }
  const flatbuffers::Offset<void> written(builder.EndTable(start));
  if (!fits) return BadOption(*table, misfit, "has another type or member");
  return WrittenOptions{table->type, table->type_2, written};
}

}  // namespace stowplan::tflite
