// SPDX-License-Identifier: Apache-2.0
//
// RFFT2D in double precision: Cooley & Tukey's algorithm for powers of two,
// first along rows, then along columns of the half that is kept.
#include "stowplan/kernels/reference/spectrum.h"

#include <cmath>
#include <complex>

#include "stowplan/kernels/reference/support.h"

namespace stowplan::kernels::reference {
namespace {

using Complex = std::complex<double>;
using Narrow = std::complex<float>;

bool IsPowerOfTwo(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

// In place. REQUIRES: n is a power of two.
void Transform(Complex* values, int64_t n) {
  for (int64_t i = 1, j = 0; i < n; ++i) {  // Bit reversal.
    int64_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(values[i], values[j]);
  }
  for (int64_t size = 2; size <= n; size *= 2) {
    const double angle =
        -2 * 3.14159265358979323846 / static_cast<double>(size);
    for (int64_t k = 0; k < size / 2; ++k) {
      const Complex turn(std::cos(angle * static_cast<double>(k)),
                         std::sin(angle * static_cast<double>(k)));
      for (int64_t first = k; first < n; first += size) {
        Complex& even = values[first];
        Complex& odd = values[first + size / 2];
        const double real = odd.real() * turn.real() - odd.imag() * turn.imag();
        const double imag = odd.real() * turn.imag() + odd.imag() * turn.real();
        odd = {even.real() - real, even.imag() - imag};
        even = {even.real() + real, even.imag() + imag};
      }
    }
  }
}

struct Sizes {
  explicit Sizes(const Node& node)
      : in_height(Dim(*node.input(0), 2)),
        in_width(Dim(*node.input(0), 1)),
        height(IntegerAt(*node.input(1), 0)),
        width(IntegerAt(*node.input(1), 1)) {}
  static int64_t Dim(const Tensor& tensor, size_t from_end) {
    return tensor.shape[tensor.shape.rank - from_end];
  }
  int64_t in_height, in_width, height, width;
};

}  // namespace

Result<Needs> PrepareRfft2d(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 2));
  STOWPLAN_RETURN_IF_ERROR(CheckType(node, *node.input(0), {Type::kFloat32}));
  STOWPLAN_RETURN_IF_ERROR(
      CheckNumbers(node, *node.input(1), {Type::kInt32}, 2));
  STOWPLAN_RETURN_IF_ERROR(CheckType(node, node.output(), {Type::kComplex64}));
  if (node.input(0)->shape.rank < 2 || node.input(1)->data == nullptr) {
    return Unsupported(node, "the lengths are not known");
  }
  const Sizes sizes(node);
  if (!IsPowerOfTwo(sizes.height) || !IsPowerOfTwo(sizes.width)) {
    return Unsupported(node, "the lengths are no powers of two");
  }
  const Shape& in = node.input(0)->shape;
  STOWPLAN_RETURN_IF_ERROR(CheckElements(
      node, node.output(),
      in.Product(0, in.rank - 2) * sizes.height * (sizes.width / 2 + 1)));
  Needs needs;
  needs.scratch =
      std::max(sizes.height, sizes.width) * static_cast<Bytes>(sizeof(Complex));
  return needs;
}

Status RunRfft2d(const Node& node) {
  const Sizes sizes(node);
  const int64_t kept = sizes.width / 2 + 1;
  auto* line = reinterpret_cast<Complex*>(node.scratch);
  const int64_t image = sizes.in_height * sizes.in_width;
  const int64_t images =
      image == 0 ? 0 : node.input(0)->shape.elements() / image;
  auto* out = reinterpret_cast<Narrow*>(node.output().data);
  const float* in = node.input(0)->As<float>();
  for (int64_t i = 0; i < images; ++i) {
    for (int64_t y = 0; y < sizes.height; ++y) {
      for (int64_t x = 0; x < sizes.width; ++x) {
        const bool inside = y < sizes.in_height && x < sizes.in_width;
        line[x] = inside ? double{in[y * sizes.in_width + x]} : 0.0;
      }
      Transform(line, sizes.width);
      for (int64_t x = 0; x < kept; ++x) out[y * kept + x] = Narrow(line[x]);
    }
    for (int64_t x = 0; x < kept && sizes.height > 1; ++x) {
      for (int64_t y = 0; y < sizes.height; ++y) {
        line[y] = Complex(out[y * kept + x]);
      }
      Transform(line, sizes.height);
      for (int64_t y = 0; y < sizes.height; ++y) {
        out[y * kept + x] = Narrow(line[y]);
      }
    }
    in += image;
    out += sizes.height * kept;
  }
  return {};
}

Result<Needs> PrepareComplex(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 1));
  STOWPLAN_RETURN_IF_ERROR(CheckType(node, *node.input(0), {Type::kComplex64}));
  STOWPLAN_RETURN_IF_ERROR(CheckNumbers(node, node.output(), {Type::kFloat32},
                                        node.input(0)->shape.elements()));
  return Needs{};
}

Status RunComplexAbs(const Node& node) {
  const auto* from = reinterpret_cast<const Narrow*>(node.input(0)->data);
  const int64_t size = node.output().shape.elements();
  for (int64_t i = 0; i < size; ++i) {
    node.output().As<float>()[i] = std::abs(from[i]);
  }
  return {};
}

Status RunReal(const Node& node) {
  const auto* from = reinterpret_cast<const Narrow*>(node.input(0)->data);
  const int64_t size = node.output().shape.elements();
  for (int64_t i = 0; i < size; ++i) {
    node.output().As<float>()[i] = from[i].real();
  }
  return {};
}

Status RunImag(const Node& node) {
  const auto* from = reinterpret_cast<const Narrow*>(node.input(0)->data);
  const int64_t size = node.output().shape.elements();
  for (int64_t i = 0; i < size; ++i) {
    node.output().As<float>()[i] = from[i].imag();
  }
  return {};
}

}  // namespace stowplan::kernels::reference
