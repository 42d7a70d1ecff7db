// SPDX-License-Identifier: Apache-2.0
#include "stowplan/tflite/model_view.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "stowplan/tflite/buffer_content.h"
#include "stowplan/tflite/check.h"
#include "stowplan/tflite/place.h"
#include "stowplan/tflite/structure.h"

namespace stowplan::tflite {
namespace {

// A FlatBuffer's offsets reach 2 GiB; what a larger file has behind that is
// reached by the 64-bit offsets of its buffers only.
constexpr size_t kFlatBufferReach = FLATBUFFERS_MAX_BUFFER_SIZE - 1;
constexpr size_t kSmallest = 8;  // The root's offset and the identifier.

Status CheckIdentifier(std::span<const std::byte> file) {
  if (file.size() < kSmallest) {
    return BadInput("byte " + std::to_string(file.size()),
                    file.empty() ? "the file is empty"
                                 : "the file ends before its header does",
                    "give a .tflite model");
  }
  if (schema::ModelBufferHasIdentifier(file.data())) return {};
  const char* found = reinterpret_cast<const char*>(file.data()) + 4;
  return BadInput("byte 4",
                  "this is not a TensorFlow Lite model: expected 'TFL3', "
                  "found '" +
                      Printable(std::string_view(found, 4)) + "'",
                  "give a .tflite model");
}

// Two judges: ours names the place and sees to the alignment of vectors too;
// the library's is the one that everybody relies on.
Status CheckStructure(std::span<const std::byte> file) {
  const auto reach = file.first(std::min(file.size(), kFlatBufferReach));
  if (auto error = FindBrokenPlace(reach)) {
    return tl::unexpected(*std::move(error));
  }
  flatbuffers::Verifier::Options options;
  // The format nests four deep; a table takes four bytes or more, so this
  // allows all that a file of that size can hold.
  options.max_depth = 16;
  options.max_tables = static_cast<flatbuffers::uoffset_t>(reach.size() / 4);
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(reach.data()),
                                 reach.size(), options);
  if (schema::VerifyModelBuffer(verifier)) return {};
  return BadInput("file of " + std::to_string(file.size()) + " bytes",
                  "the FlatBuffer is damaged or was cut short",
                  "copy the file again or convert the model again");
}

}  // namespace

Result<ModelView> ModelView::Open(std::span<const std::byte> file) {
  if (reinterpret_cast<uintptr_t>(file.data()) % kAlignment != 0) {
    return UsageError("model in memory",
                      "it begins at an address that 8 does not divide",
                      "copy it to an aligned place");
  }
  STOWPLAN_RETURN_IF_ERROR(CheckIdentifier(file));
  STOWPLAN_RETURN_IF_ERROR(CheckStructure(file));
  CheckContext context{file, *schema::GetModel(file.data()),
                       Budget(static_cast<Bytes>(file.size()))};
  STOWPLAN_RETURN_IF_ERROR(CheckModel(context));
  return ModelView(file);
}

std::span<const std::byte> ModelView::Content(uint32_t index) const {
  return ContentOf(file_, *model().buffers()->Get(index));
}

std::span<const std::byte> ModelView::CustomOptions(
    const schema::Operator& op) const {
  if (op.large_custom_options_offset() > 1) {
    return file_.subspan(op.large_custom_options_offset(),
                         op.large_custom_options_size());
  }
  if (op.custom_options() == nullptr) return {};
  return std::as_bytes(
      std::span(op.custom_options()->data(), op.custom_options()->size()));
}

const schema::OperatorCode& ModelView::CodeOf(
    const schema::Operator& op) const {
  return *model().operator_codes()->Get(op.opcode_index());
}

schema::BuiltinOperator ModelView::BuiltinOf(const schema::Operator& op) const {
  return tflite::BuiltinOf(CodeOf(op));
}

std::string_view ModelView::NameOf(const schema::Operator& op) const {
  return tflite::NameOf(CodeOf(op));
}

}  // namespace stowplan::tflite
