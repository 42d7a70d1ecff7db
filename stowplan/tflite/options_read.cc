// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "stowplan/tflite/options.h"
#include "stowplan/tflite/options_catalogue.h"
#include "stowplan/tflite/place.h"

namespace stowplan::tflite {
namespace {

using flatbuffers::Table;
using flatbuffers::Vector;
using reflection::BaseType;
using reflection::Field;

// The options of an operator: the table and what its fields are. Both null
// for one without options, or with options newer than the schema.
struct Source {
  const Table* data = nullptr;
  const OptionsTable* table = nullptr;
};

Source SourceOf(const schema::Operator& op) {
  const OptionsCatalogue& catalogue = OptionsCatalogue::Get();
  Source source{static_cast<const Table*>(op.builtin_options()),
                catalogue.Find(op.builtin_options_type())};
  if (source.data == nullptr || source.table == nullptr) {
    source = {static_cast<const Table*>(op.builtin_options_2()),
              catalogue.Find(op.builtin_options_2_type())};
  }
  if (source.data == nullptr || source.table == nullptr) return {};
  return source;
}

template <class T>
OptionValue Number(const Table& data, const Field& field) {
  const T value =
      data.GetField<T>(field.offset(), static_cast<T>(field.default_integer()));
  const int64_t number = static_cast<int64_t>(value);
  if (const auto* members = OptionsCatalogue::Get().EnumOf(field)) {
    if (const auto* member = members->values()->LookupByKey(number)) {
      return member->name()->str();
    }
  }
  return number;
}

template <class T>
OptionValue Real(const Table& data, const Field& field) {
  return static_cast<double>(
      data.GetField<T>(field.offset(), static_cast<T>(field.default_real())));
}

template <class To, class From>
std::optional<OptionValue> Copy(const Table& data, const Field& field) {
  const auto* vector = data.GetPointer<const Vector<From>*>(field.offset());
  if (vector == nullptr) return std::nullopt;
  std::vector<To> values;
  values.reserve(vector->size());
  for (uint32_t i = 0; i < vector->size(); ++i) {
    values.push_back(static_cast<To>(vector->Get(i)));
  }
  return values;
}

std::optional<OptionValue> ReadVector(const Table& data, const Field& field) {
  switch (field.type()->element()) {
    case BaseType::Bool:
      return Copy<int64_t, uint8_t>(data, field);
    case BaseType::Int:
      return Copy<int64_t, int32_t>(data, field);
    case BaseType::UInt:
      return Copy<int64_t, uint32_t>(data, field);
    case BaseType::Long:
      return Copy<int64_t, int64_t>(data, field);
    case BaseType::Float:
      return Copy<double, float>(data, field);
    default:  // Bytes: a document of its own.
      return std::nullopt;
  }
}

std::optional<OptionValue> ReadField(const Table& data, const Field& field) {
  switch (field.type()->base_type()) {
    case BaseType::Bool:
      return data.GetField<uint8_t>(
                 field.offset(),
                 static_cast<uint8_t>(field.default_integer())) != 0;
    case BaseType::Byte:
      return Number<int8_t>(data, field);
    case BaseType::UByte:
      return Number<uint8_t>(data, field);
    case BaseType::Int:
      return Number<int32_t>(data, field);
    case BaseType::UInt:
      return Number<uint32_t>(data, field);
    case BaseType::Long:
      return Number<int64_t>(data, field);
    case BaseType::Float:
      return Real<float>(data, field);
    case BaseType::String: {
      const auto* text =
          data.GetPointer<const flatbuffers::String*>(field.offset());
      if (text == nullptr) return std::nullopt;
      return std::string(ViewOf(text));
    }
    case BaseType::Vector:
      return ReadVector(data, field);
    default:  // The schema's options have no other types; a test says so.
      return std::nullopt;
  }
}

}  // namespace

std::vector<Option> ReadOptions(const schema::Operator& op) {
  std::vector<Option> options;
  const Source source = SourceOf(op);
  if (source.table == nullptr) return options;
  for (const Field* field : source.table->fields) {
    if (auto value = ReadField(*source.data, *field)) {
      options.push_back({field->name()->str(), *std::move(value)});
    }
  }
  return options;
}

int64_t CountOptionElements(const schema::Operator& op) {
  const Source source = SourceOf(op);
  int64_t elements = 0;
  if (source.table == nullptr) return elements;
  for (const Field* field : source.table->fields) {
    const BaseType type = field->type()->base_type();
    if (type != BaseType::Vector && type != BaseType::String) continue;
    // Every vector begins with its length, whatever its elements are.
    const auto* vector =
        source.data->GetPointer<const Vector<uint8_t>*>(field->offset());
    if (vector != nullptr) elements += vector->size();
  }
  return elements;
}

}  // namespace stowplan::tflite
