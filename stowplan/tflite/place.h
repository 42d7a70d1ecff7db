// SPDX-License-Identifier: Apache-2.0
//
// How errors name a place in a model file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "stowplan/tflite/schema_generated.h"

namespace stowplan::tflite {

// A name from a file as it may be printed: what is not printable ASCII is
// escaped, and what is longer than 96 characters is cut.
std::string Printable(std::string_view name);

// The characters of a string that may be absent.
std::string_view ViewOf(const flatbuffers::String* text);

// "operator 3 (CONV_2D)" without the subgraph; a custom operator goes by its
// own name.
std::string_view NameOf(const schema::OperatorCode& code);

// The number that counts: old writers fill only the older, smaller field.
schema::BuiltinOperator BuiltinOf(const schema::OperatorCode& code);

// "KIND INDEX (NAME) at byte OFFSET", the offset counted from `file`; the
// brackets are left out for an empty name.
std::string PlaceOf(std::string_view kind, size_t index, std::string_view name,
                    const std::byte* file, const void* table);

}  // namespace stowplan::tflite
