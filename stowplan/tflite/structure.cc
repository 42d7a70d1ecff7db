// SPDX-License-Identifier: Apache-2.0
#include "stowplan/tflite/structure.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "flatbuffers/reflection_generated.h"
#include "stowplan/tflite/schema_bfbs_generated.h"
#include "stowplan/tflite/schema_generated.h"

namespace stowplan::tflite {
namespace {

using reflection::BaseType;
using reflection::Field;
using reflection::Object;

constexpr const char* kRemedy = "copy the file again or convert it again";
constexpr int kDeepest = 16;

// Bytes of a number, or of the offset to anything else.
size_t SizeOfType(BaseType type) {
  switch (type) {
    case BaseType::UType:
    case BaseType::Bool:
    case BaseType::Byte:
    case BaseType::UByte:
      return 1;
    case BaseType::Short:
    case BaseType::UShort:
      return 2;
    case BaseType::Long:
    case BaseType::ULong:
    case BaseType::Double:
      return 8;
    default:
      return 4;
  }
}

// A part of the way from the root: a field, or an element of the field before.
struct Step {
  const Field* field = nullptr;
  size_t element = 0;
};

class Walk {
 public:
  explicit Walk(std::span<const std::byte> file)
      : file_(file),
        schema_(*reflection::GetSchema(schema::ModelBinarySchema::data())),
        tables_left_(file.size() / sizeof(uint32_t)) {}

  std::optional<Error> Find() {
    const auto root = Follow(0);
    if (!root) return error_;
    Table(*schema_.root_table(), *root);
    return error_;
  }

 private:
  // A number at a place that was checked before.
  template <class T>
  T Read(size_t place) const {
    T value;
    std::memcpy(&value, file_.data() + place, sizeof value);
    return value;
  }

  bool Fail(size_t place, const std::string& what) {
    std::string way = "model";
    for (const Step& step : way_) {
      way += step.field == nullptr ? "[" + std::to_string(step.element) + "]"
                                   : "." + step.field->name()->str();
    }
    error_ = Error{ErrorKind::kBadInput,
                   way + " at byte " + std::to_string(place), what, kRemedy};
    return false;
  }

  bool Fits(size_t place, size_t size) {
    if (place <= file_.size() && size <= file_.size() - place) return true;
    return Fail(place, "it leaves the file, which ends at byte " +
                           std::to_string(file_.size()));
  }

  bool Number(size_t place, size_t size) {
    if (place % size != 0) return Fail(place, "it is not aligned");
    return Fits(place, size);
  }

  // Where the offset at that place leads. The verifier refuses an offset of
  // nothing in a field and not in a vector.
  std::optional<size_t> Follow(size_t place, bool in_vector = false) {
    if (!Number(place, sizeof(uint32_t))) return std::nullopt;
    const size_t offset = Read<uint32_t>(place);
    if ((offset == 0 && !in_vector) || offset >= file_.size() - place) {
      Fail(place, "its offset of " + std::to_string(offset) +
                      " leaves the file, which ends at byte " +
                      std::to_string(file_.size()));
      return std::nullopt;
    }
    return place + offset;
  }

  // A vector or a string; its length, or nothing.
  std::optional<size_t> Length(size_t place, size_t element) {
    if (!Number(place, sizeof(uint32_t))) return std::nullopt;
    const size_t length = Read<uint32_t>(place);
    const size_t begin = place + sizeof(uint32_t);
    if (length > (file_.size() - begin) / element) {
      Fail(place, "its " + std::to_string(length) +
                      " elements leave the file, which ends at byte " +
                      std::to_string(file_.size()));
      return std::nullopt;
    }
    return length;
  }

  // The place of a field, 0 if it is absent. REQUIRES: the vtable was checked.
  size_t PlaceOfField(size_t table, uint16_t slot) const {
    const size_t vtable = VTable(table);
    if (slot + sizeof(uint16_t) > Read<uint16_t>(vtable)) return 0;
    const uint16_t offset = Read<uint16_t>(vtable + slot);
    return offset == 0 ? 0 : table + offset;
  }

  size_t VTable(size_t table) const {
    return static_cast<size_t>(static_cast<int64_t>(table) -
                               Read<int32_t>(table));
  }

  bool CheckVTable(size_t table) {
    if (!Number(table, sizeof(int32_t))) return false;
    const int64_t vtable = static_cast<int64_t>(table) - Read<int32_t>(table);
    if (vtable < 0 || vtable % 2 != 0 ||
        vtable + 2 > static_cast<int64_t>(file_.size())) {
      return Fail(table, "the list of its fields is not in the file");
    }
    const size_t size = Read<uint16_t>(static_cast<size_t>(vtable));
    if (size % 2 != 0) return Fail(table, "the list of its fields is odd");
    return Fits(static_cast<size_t>(vtable), size);
  }

  bool Table(const Object& object, size_t table) {
    // Tables may be shared, so depth and number are limited separately.
    if (way_.size() > 2 * kDeepest || tables_left_ == 0) {
      return Fail(table, "it holds more tables than its size allows");
    }
    --tables_left_;
    if (!CheckVTable(table)) return false;
    for (const Field* field : *object.fields()) {
      const size_t place = PlaceOfField(table, field->offset());
      if (place == 0) continue;
      way_.push_back({field});
      if (!Value(*field, table, place)) return false;
      way_.pop_back();
    }
    return true;
  }

  bool Value(const Field& field, size_t table, size_t place) {
    const BaseType type = field.type()->base_type();
    if (!Number(place, SizeOfType(type))) return false;
    if (type != BaseType::String && type != BaseType::Vector &&
        type != BaseType::Obj && type != BaseType::Union) {
      return true;
    }
    const auto target = Follow(place);
    if (!target) return false;
    switch (type) {
      case BaseType::String:
        return String(*target);
      case BaseType::Vector:
        return Vector(*field.type(), *target);
      case BaseType::Obj:
        return Table(ObjectAt(field.type()->index()), *target);
      default:
        return Union(field, table, *target);
    }
  }

  bool String(size_t place) {
    const auto length = Length(place, 1);
    if (!length) return false;
    const size_t end = place + sizeof(uint32_t) + *length;
    if (!Fits(end, 1)) return false;
    return file_[end] == std::byte{0} || Fail(place, "the string has no end");
  }

  bool Vector(const reflection::Type& type, size_t place) {
    const size_t size = SizeOfType(type.element());
    const auto length = Length(place, size);
    if (!length) return false;
    const size_t begin = place + sizeof(uint32_t);
    if (*length > 0 && begin % size != 0)
      return Fail(place, "it is not aligned");
    if (type.element() != BaseType::Obj) return true;
    for (size_t i = 0; i < *length; ++i) {
      way_.push_back({nullptr, i});
      const auto target = Follow(begin + i * size, true);
      if (!target || !Table(ObjectAt(type.index()), *target)) return false;
      way_.pop_back();
    }
    return true;
  }

  // The member is named by the field before, in the slot before.
  bool Union(const Field& field, size_t table, size_t target) {
    const auto slot = static_cast<uint16_t>(field.offset() - sizeof(uint16_t));
    const size_t type_place = PlaceOfField(table, slot);
    if (type_place == 0 || !Fits(type_place, 1)) return type_place == 0;
    const auto* member = schema_.enums()
                             ->Get(static_cast<uint32_t>(field.type()->index()))
                             ->values()
                             ->LookupByKey(Read<uint8_t>(type_place));
    if (member == nullptr || member->value() == 0) return true;
    return Table(ObjectAt(member->union_type()->index()), target);
  }

  const Object& ObjectAt(int32_t index) const {
    return *schema_.objects()->Get(static_cast<uint32_t>(index));
  }

  std::span<const std::byte> file_;
  const reflection::Schema& schema_;
  size_t tables_left_;
  std::vector<Step> way_;
  std::optional<Error> error_;
};

}  // namespace

std::optional<Error> FindBrokenPlace(std::span<const std::byte> file) {
  return Walk(file).Find();
}

}  // namespace stowplan::tflite
