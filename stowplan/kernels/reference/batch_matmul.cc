// SPDX-License-Identifier: Apache-2.0
//
// BATCH_MATMUL: matrices [rows][depth] times [depth][columns], either of them
// stored the other way round, over broadcast outer dimensions.
#include "stowplan/kernels/reference/conv.h"
#include "stowplan/kernels/reference/float_product.h"
#include "stowplan/kernels/reference/operands.h"
#include "stowplan/kernels/reference/sums.h"
#include "stowplan/kernels/reference/tiled_product.h"

namespace stowplan::kernels::reference {
namespace {

// A matrix whose rows are summed over: element k of row r.
template <class T, class E>
struct Strided {
  const T* data = nullptr;
  int64_t row_stride = 0;
  int64_t depth_stride = 0;
  int32_t zero = 0;

  const E* operator()(int64_t row, int64_t begin, int64_t end,
                      E* buffer) const {
    const T* from = data + row * row_stride + begin * depth_stride;
    for (int64_t k = 0; k < end - begin; ++k) {
      const T value = from[k * depth_stride];
      if constexpr (std::is_same_v<T, float>) {
        buffer[k] = value;
      } else {
        buffer[k] = static_cast<E>(value - zero);
      }
    }
    return buffer;
  }
};

struct Product {
  const Node& node;
  const Tensor& a;
  const Tensor& b;
  int64_t rows = 0, columns = 0, depth = 0;
  bool a_transposed = false, b_transposed = false;
};

template <class T, class E>
Strided<T, E> LeftOf(const Product& p, int64_t matrix) {
  return {p.a.As<T>() + matrix * p.rows * p.depth, p.a_transposed ? 1 : p.depth,
          p.a_transposed ? p.rows : 1, p.a.quantization.zero_point()};
}

template <class T, class E>
Strided<T, E> RightOf(const Product& p, int64_t matrix) {
  return {p.b.As<T>() + matrix * p.columns * p.depth,
          p.b_transposed ? p.depth : 1, p.b_transposed ? 1 : p.columns,
          p.b.quantization.zero_point()};
}

// Shifts a sink's rows to matrix `matrix` of the output.
template <class Sum, class Sink>
auto InMatrix(const Sink& sink, int64_t first_row) {
  return [&sink, first_row](int64_t channel, int64_t row, int64_t count,
                            const Sum* sums) {
    sink(channel, first_row + row, count, sums);
  };
}

template <class A, class B, class E, class Sum, class Sink>
void Multiply(const Product& p, int64_t a, int64_t b, int64_t out,
              const Sink& sink) {
  TiledProduct<E, Sum>(p.rows, p.columns, p.depth, LeftOf<A, E>(p, a),
                       RightOf<B, E>(p, b), InMatrix<Sum>(sink, out * p.rows));
}

// Rows of floats, quantised one by one, times integer columns.
void MultiplyHybrid(const Product& p, int64_t a, int64_t b, int64_t out) {
  const auto left = LeftOf<float, float>(p, a);
  const bool asymmetric = p.node.options.Flag("asymmetric_quantize_inputs");
  auto* gathered = reinterpret_cast<float*>(p.node.scratch);
  for (int64_t r = 0; r < p.rows; ++r) {
    const float* row = p.a_transposed ? left(r, 0, p.depth, gathered)
                                      : left.data + r * p.depth;
    const RowScale scale = asymmetric ? AsymmetricScale(row, p.depth)
                                      : SymmetricScale(row, p.depth);
    const auto quantized = [&](int64_t, int64_t begin, int64_t end,
                               int16_t* buffer) {
      for (int64_t k = begin; k < end; ++k) {
        buffer[k - begin] = scale.Quantize(row[k]);
      }
      return buffer;
    };
    const HybridSink sink(p.node, p.b, nullptr, scale, {p.columns, 0});
    TiledProduct<int16_t, int32_t>(1, p.columns, p.depth, quantized,
                                   RightOf<int8_t, int16_t>(p, b),
                                   InMatrix<int32_t>(sink, out * p.rows + r));
  }
}

void MultiplyOne(const Product& p, int64_t a, int64_t b, int64_t out) {
  const OutputPlace place = {p.columns, 0};
  if (p.a.type == Type::kInt8) {
    return Multiply<int8_t, int8_t, int16_t, int32_t>(
        p, a, b, out,
        IntegerSink<int8_t>(p.node, p.a, p.b, nullptr, place, {Ties::kAway}));
  }
  if (p.a.type == Type::kInt16) {
    const auto sink = WideSink(p.node, p.a, p.b, nullptr, place);
    if (p.b.type == Type::kInt8) {
      return Multiply<int16_t, int8_t, int16_t, int64_t>(p, a, b, out, sink);
    }
    return Multiply<int16_t, int16_t, int32_t, int64_t>(p, a, b, out, sink);
  }
  if (p.b.type == Type::kInt8) return MultiplyHybrid(p, a, b, out);
  const auto sink = FloatSink(p.node, nullptr, place);
  FloatProduct(p.rows, p.columns, p.depth, LeftOf<float, float>(p, a),
               RightOf<float, float>(p, b),
               InMatrix<float>(sink, out * p.rows));
}

// Dimension `i` of `rank - 2` outer ones, as if the shape had leading ones.
int64_t OuterDim(const Shape& shape, size_t i, size_t outer) {
  const size_t missing = outer - (shape.rank - 2);
  return i < missing ? 1 : shape[i - missing];
}

// The matrix of `shape` that output matrix `out` comes from.
int64_t MatrixOf(const Shape& shape, const Shape& output, int64_t out) {
  const size_t outer = output.rank - 2;
  int64_t matrix = 0;
  int64_t stride = 1;
  for (size_t i = outer; i-- > 0;) {
    const int64_t index = out % output[i];
    out /= output[i];
    const int64_t size = OuterDim(shape, i, outer);
    if (size > 1) matrix += index * stride;
    stride *= size;
  }
  return matrix;
}

// Whether a product of matrices of shape `a` and `b` fits in `output`.
bool Match(const Node& node, const Shape& a, const Shape& b,
           const Shape& output) {
  const size_t x = node.options.Flag("adj_x") ? 1 : 0;
  const size_t y = node.options.Flag("adj_y") ? 1 : 0;
  if (a[a.rank - 1 - x] != b[b.rank - 2 + y] ||
      a[a.rank - 2 + x] != output[output.rank - 2] ||
      b[b.rank - 1 - y] != output[output.rank - 1]) {
    return false;
  }
  const size_t outer = output.rank - 2;
  for (const Shape* shape : {&a, &b}) {
    if (shape->rank > output.rank) return false;
    for (size_t i = 0; i < outer; ++i) {
      const int64_t size = OuterDim(*shape, i, outer);
      if (size != 1 && size != output[i]) return false;
    }
  }
  return true;
}

}  // namespace

Result<Needs> PrepareBatchMatmul(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 2));
  const Tensor& a = *node.input(0);
  const Tensor& b = *node.input(1);
  STOWPLAN_RETURN_IF_ERROR(
      CheckType(node, a, {Type::kFloat32, Type::kInt8, Type::kInt16}));
  const bool hybrid = a.type == Type::kFloat32 && b.type == Type::kInt8;
  const bool wide = a.type == Type::kInt16 && b.type == Type::kInt8;
  if ((a.type != b.type && !hybrid && !wide) || node.output().type != a.type) {
    return Unsupported(node, "these types have no code together");
  }
  const Shape& output = node.output().shape;
  if (a.shape.rank < 2 || b.shape.rank < 2 || output.rank < 2) {
    return Unsupported(node, "an operand is no matrix");
  }
  if (!Match(node, a.shape, b.shape, output)) {
    return Unsupported(node, "the matrices do not match");
  }
  const size_t columns = b.shape.rank - (node.options.Flag("adj_y") ? 2 : 1);
  if (b.quantization.per_channel() &&
      (b.quantization.dimension != static_cast<int32_t>(columns) ||
       b.quantization.scales.size() !=
           static_cast<size_t>(output[output.rank - 1]))) {
    return Unsupported(node, "the scales are not by column");
  }
  STOWPLAN_RETURN_IF_ERROR(
      CheckWeights(node, a, b, nullptr, output[output.rank - 1]));
  Needs needs;
  // A row of the left side where it is a column in memory.
  if (hybrid && node.options.Flag("adj_x")) {
    needs.scratch =
        a.shape[a.shape.rank - 2] * static_cast<Bytes>(sizeof(float));
  }
  return needs;
}

Status RunBatchMatmul(const Node& node) {
  const Tensor& a = *node.input(0);
  const Tensor& b = *node.input(1);
  const Shape& output = node.output().shape;
  Product p = {node, a, b};
  p.rows = output[output.rank - 2];
  p.columns = output[output.rank - 1];
  p.a_transposed = node.options.Flag("adj_x");
  p.b_transposed = node.options.Flag("adj_y");
  p.depth = a.shape[a.shape.rank - (p.a_transposed ? 2 : 1)];
  const int64_t matrices = output.Product(0, output.rank - 2);
  for (int64_t out = 0; out < matrices; ++out) {
    MultiplyOne(p, MatrixOf(a.shape, output, out),
                MatrixOf(b.shape, output, out), out);
  }
  return {};
}

}  // namespace stowplan::kernels::reference
