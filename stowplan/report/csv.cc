// SPDX-License-Identifier: Apache-2.0
#include "stowplan/report/csv.h"

#include <optional>

#include "stowplan/report/names.h"
#include "stowplan/report/shape_text.h"

namespace stowplan::report {
namespace {

template <class T>
std::string OrEmpty(const std::optional<T>& value) {
  return value ? std::to_string(*value) : "";
}

}  // namespace

std::string ToCsv(const Document& document) {
  std::string text =
      "subgraph,tensor,name,kind,dtype,shape,bytes,offset,begin,end,alias_of,"
      "producer,last_reader,owner,buffer\n";
  for (const TensorRow& row : document.tensors) {
    text += std::to_string(row.subgraph) + ',' + OrEmpty(row.tensor) + ',' +
            ToCsv(row.name) + ',' + std::string(schedule::NameOf(row.kind)) +
            ',' + row.dtype + ',' + ShapeText(row.shape) + ',' +
            std::to_string(row.bytes) + ',' + OrEmpty(row.offset) + ',' +
            OrEmpty(row.begin) + ',' + OrEmpty(row.end) + ',' +
            OrEmpty(row.alias_of) + ',' + OrEmpty(row.producer) + ',' +
            OrEmpty(row.last_reader) + ',' + OrEmpty(row.owner) + ',' +
            OrEmpty(row.buffer) + '\n';
  }
  return text;
}

}  // namespace stowplan::report
