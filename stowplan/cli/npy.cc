// SPDX-License-Identifier: Apache-2.0
#include "stowplan/cli/npy.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "stowplan/base/checked_math.h"

namespace stowplan::cli {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kAlignment = 64;  // Of the data, as NumPy writes it.
constexpr size_t kMostDimensions = 32;

struct Name {
  std::string_view text;
  DType dtype;
};
constexpr Name kNames[] = {
    {"<f4", DType::kFloat32},   {"<f2", DType::kFloat16},
    {"<f8", DType::kFloat64},   {"|i1", DType::kInt8},
    {"|u1", DType::kUInt8},     {"<i2", DType::kInt16},
    {"<u2", DType::kUInt16},    {"<i4", DType::kInt32},
    {"<u4", DType::kUInt32},    {"<i8", DType::kInt64},
    {"<u8", DType::kUInt64},    {"|b1", DType::kBool},
    {"<c8", DType::kComplex64}, {"<c16", DType::kComplex128},
};

tl::unexpected<Error> Broken(std::string what) {
  return BadInput("", std::move(what), "write it with numpy.save");
}

std::optional<DType> DTypeOf(std::string_view name) {
  for (const Name& known : kNames) {
    if (known.text == name) return known.dtype;
  }
  return std::nullopt;
}

// What stands behind 'key': in the header, a Python dictionary.
std::string_view ValueOf(std::string_view header, std::string_view key) {
  const std::string quoted = "'" + std::string(key) + "':";
  const size_t at = header.find(quoted);
  if (at == std::string_view::npos) return {};
  header.remove_prefix(at + quoted.size());
  header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
  return header;
}

// "(1, 2)", "(3,)" or "()".
std::optional<graph::Shape> ParseShape(std::string_view text) {
  const size_t end = text.find(')');
  if (!text.starts_with('(') || end == std::string_view::npos) return {};
  text = text.substr(1, end - 1);
  graph::Shape shape;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" ,"), text.size()));
    if (text.empty()) return shape;
    int64_t dim = 0;
    const auto [stop, error] =
        std::from_chars(text.data(), text.data() + text.size(), dim);
    if (error != std::errc() || dim < 0 || shape.size() == kMostDimensions) {
      return std::nullopt;
    }
    text.remove_prefix(static_cast<size_t>(stop - text.data()));
    shape.push_back(dim);
  }
}

// The header's text and where the data begin.
Result<std::pair<std::string_view, size_t>> HeaderOf(std::string_view text) {
  if (!text.starts_with(kMagic) || text.size() < 12) {
    return Broken("is no .npy file");
  }
  const auto byte = [&](size_t i) {
    return size_t{static_cast<unsigned char>(text[i])};
  };
  const size_t version = byte(6);
  if (version < 1 || version > 3) {
    return Broken("has version " + std::to_string(version) +
                  " of the .npy format");
  }
  const size_t begin = version == 1 ? 10 : 12;
  size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > text.size() - begin) return Broken("ends within its header");
  return std::pair(text.substr(begin, length), begin + length);
}

}  // namespace

Result<NpyArray> ReadNpy(std::span<const std::byte> file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()),
                              file.size());
  STOWPLAN_TRY(header, HeaderOf(text));
  const std::string_view descr = ValueOf(header.first, "descr");
  const size_t quote = descr.empty() ? 0 : descr.find('\'', 1);
  if (!descr.starts_with('\'') || quote == std::string_view::npos) {
    return Broken("has no element type");
  }
  const std::string_view name = descr.substr(1, quote - 1);
  const std::optional<DType> dtype = DTypeOf(name);
  if (!dtype) {
    return BadInput("",
                    "has elements of NumPy's type '" + std::string(name) +
                        "', which no tensor has",
                    "convert it with numpy's astype, to '<f4' for float32");
  }
  if (!ValueOf(header.first, "fortran_order").starts_with("False")) {
    return BadInput("", "is stored column by column",
                    "write it with numpy.save(f, numpy.ascontiguousarray(a))");
  }
  const auto shape = ParseShape(ValueOf(header.first, "shape"));
  if (!shape) {
    return Broken("has no shape of at most " + std::to_string(kMostDimensions) +
                  " dimensions from 0 on");
  }
  int64_t elements = 1;
  for (int64_t dim : *shape) {
    const auto product = CheckedMul(elements, dim);
    if (!product) return Broken("has a shape too large to be true");
    elements = *product;
  }
  const auto bytes = BytesOf(*dtype, elements);
  const size_t held = file.size() - header.second;
  if (!bytes || static_cast<uint64_t>(*bytes) != held) {
    return Broken("has " + std::to_string(held) + " bytes of data where " +
                  std::to_string(elements) + " elements should be");
  }
  return NpyArray{*dtype, *shape, file.subspan(header.second)};
}

Result<std::string> WriteNpy(DType dtype, std::span<const int64_t> shape,
                             std::span<const std::byte> data) {
  const Name* name =
      std::find_if(std::begin(kNames), std::end(kNames),
                   [&](const Name& known) { return known.dtype == dtype; });
  if (name == std::end(kNames)) {
    return UsageError("", "its type " + std::string(NameOf(dtype)) +
                              " is none of NumPy's, so it has no .npy file");
  }
  std::string header = "{'descr': '" + std::string(name->text) +
                       "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < shape.size(); ++i) {
    header += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  }
  header += shape.size() == 1 ? ",), }" : "), }";
  constexpr size_t kBefore = 10;
  while ((kBefore + header.size() + 1) % kAlignment != 0) header += ' ';
  header += '\n';
  std::string file(kMagic);
  file += '\x01';
  file += '\x00';
  file += static_cast<char>(header.size() & 0xFF);
  file += static_cast<char>(header.size() >> 8 & 0xFF);
  file += header;
  file.append(reinterpret_cast<const char*>(data.data()), data.size());
  return file;
}

}  // namespace stowplan::cli
