// SPDX-License-Identifier: Apache-2.0
//
// Names of quantization schemes in documents.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "stowplan/graph/model.h"

namespace stowplan::graph {

constexpr std::array<std::pair<Quantization::Scheme, std::string_view>, 4>
    kQuantizationSchemes = {{
        {Quantization::Scheme::kNone, "none"},
        {Quantization::Scheme::kPerTensor, "per_tensor"},
        {Quantization::Scheme::kPerChannel, "per_channel"},
        {Quantization::Scheme::kBlockwise, "blockwise"},
    }};

constexpr std::string_view NameOf(Quantization::Scheme scheme) {
  return kQuantizationSchemes[static_cast<size_t>(scheme)].second;
}

constexpr std::optional<Quantization::Scheme> QuantizationSchemeFromName(
    std::string_view name) {
  for (const auto& [scheme, scheme_name] : kQuantizationSchemes) {
    if (scheme_name == name) return scheme;
  }
  return std::nullopt;
}

}  // namespace stowplan::graph
