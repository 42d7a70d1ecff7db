// SPDX-License-Identifier: Apache-2.0
//
// The tables of the page, each as markup.
#pragma once

#include <string>

#include "stowplan/report/document.h"

namespace stowplan::report {

// What is alive at the peak, with shares.
std::string PeakTable(const Document& document);

// Tensors and scratch with a place of their own. Rows alive at the peak have
// the class "peak"; numbers carry their exact value for sorting.
std::string TensorTableHtml(const Document& document);

// Constants in the file and tensors without bytes, folded; empty if none.
std::string ConstantsHtml(const Document& document);

std::string PriceTable(const Document& document);
std::string DynamicTable(const Document& document);
// The engines side by side.
std::string EngineTableHtml(const Document& document);

}  // namespace stowplan::report
