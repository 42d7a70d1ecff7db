// SPDX-License-Identifier: Apache-2.0
//
// A model file in memory, checked once and then read in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "stowplan/base/error.h"
#include "stowplan/tflite/schema_generated.h"

namespace stowplan::tflite {

// After `Open` every offset of the FlatBuffer leads into the file, and every
// index (of tensors, buffers, operator codes, subgraphs), shape product,
// content size, quantisation vector, sparse level and range outside the
// FlatBuffer has been checked, so that readers need no checks of their own.
// What the format leaves optional may still be null: vectors, strings, and
// an operand of -1 is one left out.
//
// Copies are cheap and refer to the same bytes, which the caller keeps alive
// and unchanged.
class ModelView {
 public:
  // The smallest multiple at which `file` may begin.
  static constexpr size_t kAlignment = 8;

  // Checks the whole file. Errors name the place (subgraph, tensor, operator,
  // byte), what is wrong and what to do. Time O(file), extra memory
  // O(tensors), both limited by the file's size, whatever its content.
  // REQUIRES: `file` begins at a multiple of kAlignment, as memory from mmap
  // or new does.
  static Result<ModelView> Open(std::span<const std::byte> file);

  std::span<const std::byte> file() const { return file_; }
  const schema::Model& model() const { return *schema::GetModel(file_.data()); }

  // The bytes of a buffer, in the FlatBuffer or behind it; empty for a buffer
  // without content. REQUIRES: index < model().buffers()->size().
  std::span<const std::byte> Content(uint32_t index) const;

  // The custom options of an operator, wherever they are; may be empty.
  std::span<const std::byte> CustomOptions(const schema::Operator& op) const;

  // The kind of an operator of this model, and its name: "CONV_2D", or a
  // custom operator's own.
  schema::BuiltinOperator BuiltinOf(const schema::Operator& op) const;
  std::string_view NameOf(const schema::Operator& op) const;

 private:
  explicit ModelView(std::span<const std::byte> file) : file_(file) {}

  const schema::OperatorCode& CodeOf(const schema::Operator& op) const;

  std::span<const std::byte> file_;
};

}  // namespace stowplan::tflite
