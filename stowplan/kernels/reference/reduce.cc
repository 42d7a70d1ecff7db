// SPDX-License-Identifier: Apache-2.0
//
// MEAN, SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_PROD, REDUCE_ANY, REDUCE_ALL.
// Each output element gathers its inputs by itself, so no accumulators are
// needed beside the output.
#include "stowplan/kernels/reference/reduce.h"

#include <cmath>
#include <string_view>

#include "stowplan/kernels/reference/support.h"
#include "stowplan/kernels/requantize.h"

namespace stowplan::kernels::reference {
namespace {

// The input's axes, split in those that stay and those that go, neighbours of
// the same sort joined.
class Walk {
 public:
  Walk(const Shape& shape, const Tensor& axes) {
    std::array<bool, kMaxRank> goes = {};
    for (int64_t i = 0; i < axes.shape.elements(); ++i) {
      const size_t axis = AxisOf(IntegerAt(axes, i), shape.rank);
      if (axis < shape.rank) goes[axis] = true;
    }
    for (size_t axis = 0; axis < shape.rank; ++axis) {
      Axes& into = goes[axis] ? gone_ : kept_;
      into.Add(shape[axis], shape.Product(axis + 1, shape.rank));
    }
  }

  int64_t outputs() const { return kept_.count; }
  int64_t inputs() const { return gone_.count; }  // For each output.

  // Where the inputs of output `i` begin.
  int64_t First(int64_t i) const { return kept_.OffsetOf(i); }
  // Calls use(offset, count, stride) for each run of an output's inputs.
  template <class Use>
  void ForEachRun(int64_t first, const Use& use) const {
    if (gone_.count == 0) return;
    const size_t last = gone_.rank - 1;
    const int64_t run = gone_.rank == 0 ? 1 : gone_.sizes[last];
    const int64_t stride = gone_.rank == 0 ? 1 : gone_.strides[last];
    for (int64_t k = 0; k < gone_.count; k += run) {
      use(first + gone_.OffsetOf(k), run, stride);
    }
  }

 private:
  struct Axes {
    void Add(int64_t size, int64_t stride) {
      count *= size;
      if (size == 1) return;
      if (rank > 0 && strides[rank - 1] == size * stride) {
        sizes[rank - 1] *= size;
        strides[rank - 1] = stride;
        return;
      }
      sizes[rank] = size;
      strides[rank] = stride;
      ++rank;
    }
    int64_t OffsetOf(int64_t index) const {
      int64_t offset = 0;
      for (size_t i = rank; i-- > 0;) {
        offset += index % sizes[i] * strides[i];
        index /= sizes[i];
      }
      return offset;
    }

    size_t rank = 0;
    int64_t count = 1;
    std::array<int64_t, kMaxRank> sizes = {};
    std::array<int64_t, kMaxRank> strides = {};
  };

  Axes kept_;
  Axes gone_;
};

// out[i] = finish(fold over the inputs, from `start` on; i).
template <class T, class Sum, class Fold, class Finish>
void Reduce(const Node& node, Sum start, const Fold& fold,
            const Finish& finish) {
  const Walk walk(node.input(0)->shape, *node.input(1));
  const T* from = node.input(0)->As<T>();
  T* to = node.output().As<T>();
  for (int64_t i = 0; i < walk.outputs(); ++i) {
    Sum sum = start;
    walk.ForEachRun(walk.First(i),
                    [&](int64_t offset, int64_t count, int64_t stride) {
                      for (int64_t k = 0; k < count; ++k) {
                        sum = fold(sum, from[offset + k * stride]);
                      }
                    });
    to[i] = finish(sum, i);
  }
}

template <class T>
Status ReducePlain(const Node& node) {
  const auto same = [](T value, int64_t) { return value; };
  const std::string_view type = node.type;
  if (type == "REDUCE_MAX") {
    Reduce<T, T>(
        node, std::numeric_limits<T>::lowest(),
        [](T a, T b) { return a > b ? a : b; }, same);
  } else if (type == "REDUCE_MIN") {
    Reduce<T, T>(
        node, std::numeric_limits<T>::max(),
        [](T a, T b) { return a < b ? a : b; }, same);
  } else if (type == "REDUCE_PROD") {
    Reduce<T, T>(
        node, T{1}, [](T a, T b) { return MultiplyWrapped(a, b); }, same);
  } else {
    // Sums of floats are taken in double precision, whatever their order.
    using Sum = std::conditional_t<std::is_same_v<T, float>, double, int64_t>;
    const Walk walk(node.input(0)->shape, *node.input(1));
    const auto count = static_cast<Sum>(type == "MEAN" ? walk.inputs() : 1);
    Reduce<T, Sum>(
        node, Sum{0},
        [](Sum a, T b) { return AddWrapped(a, static_cast<Sum>(b)); },
        [count](Sum sum, int64_t) {
          if constexpr (std::is_integral_v<T>) {
            // The mean of nothing is 0.
            return count == 0 ? T{0} : static_cast<T>(sum / count);
          } else {
            return static_cast<T>(sum / count);
          }
        });
  }
  return {};
}

// Whether it is the mean of whole images, for which LiteRT has code of its
// own that rounds in another way.
bool IsImageMean(const Node& node) {
  const Tensor& axes = *node.input(1);
  if (node.type != "MEAN" || node.input(0)->type == Type::kInt16 ||
      node.input(0)->shape.rank != 4 || axes.shape.elements() != 2 ||
      !node.options.Flag("keep_dims")) {
    return false;
  }
  const size_t a = AxisOf(IntegerAt(axes, 0), 4);
  const size_t b = AxisOf(IntegerAt(axes, 1), 4);
  return (a == 1 && b == 2) || (a == 2 && b == 1);
}

// How a sum of `count` inputs becomes a mean or a sum in the output's steps.
class SumScaler {
 public:
  SumScaler(const Node& node, int64_t count)
      : count_(count),
        in_zero_(node.input(0)->quantization.zero_point()),
        out_zero_(node.output().quantization.zero_point()) {
    const float in = node.input(0)->quantization.scale();
    const float out = node.output().quantization.scale();
    const bool mean = node.type == "MEAN";
    factor_ = double{in} / double{out} /
              (mean ? static_cast<double>(std::max<int64_t>(count, 1)) : 1.0);
    if (node.arithmetic == Arithmetic::kFloat) {
      form_ = Form::kFloat;
    } else if (IsImageMean(node)) {
      form_ = Form::kImage;
      const float shift = static_cast<float>(in_zero_) * in / out;
      const float rounded = shift + (shift > 0 ? 0.5f : -0.5f);
      bias_ = int64_t{out_zero_} - ToInt32(double{rounded});
      channels_ = node.output().shape.last();
      fixed_ = ToFixedPoint(double{in / (static_cast<float>(count) * out)});
    } else if (mean) {
      form_ = Form::kMean;
      fixed_ = Divided(ToFixedPoint(double{in} / double{out}), count);
    } else {
      form_ = Form::kSum;
      scale_ = in / out;
    }
  }

  // Of output element `i`.
  int64_t operator()(int64_t sum, int64_t i) const {
    const auto shifted = static_cast<int32_t>(sum - count_ * in_zero_);
    const int64_t zero = out_zero_;
    switch (form_) {
      case Form::kImage:
        // Vector code takes sixteen channels, scalar code the rest.
        return bias_ + (i % channels_ < channels_ / 16 * 16
                            ? MultiplyTiesUp(static_cast<int32_t>(sum), fixed_)
                            : Multiply(static_cast<int32_t>(sum), fixed_));
      case Form::kMean:
        return zero + Multiply(shifted, fixed_);
      case Form::kSum: {
        const float bias =
            static_cast<float>(-in_zero_) * scale_ * static_cast<float>(count_);
        const float steps = std::round(static_cast<float>(sum) * scale_ + bias);
        return zero + ToInt32(double{steps});
      }
      default:
        return zero + RoundToEven(Bounded(static_cast<float>(shifted) *
                                              static_cast<float>(factor_),
                                          -0x1p30f, 0x1p30f));
    }
  }

 private:
  enum class Form { kFloat, kImage, kMean, kSum };

  // The multiplier is divided once, with as many more bits as there is room.
  static FixedPoint Divided(FixedPoint factor, int64_t count) {
    int shift = 0;
    while (shift < 62 && count >> (shift + 1) != 0) ++shift;
    shift = std::min({shift, 32, 31 + factor.shift});
    const int64_t wide = int64_t{factor.multiplier} << shift;
    return {static_cast<int32_t>(wide / std::max<int64_t>(count, 1)),
            factor.shift - shift};
  }

  Form form_ = Form::kFloat;
  int64_t count_;
  int32_t in_zero_;
  int32_t out_zero_;
  int64_t bias_ = 0;
  int64_t channels_ = 1;
  double factor_ = 0;
  float scale_ = 0;
  FixedPoint fixed_;
};

// MEAN and SUM of quantised values.
template <class T>
Status AddIntegers(const Node& node) {
  const IntRange range = LimitsOf(node.output().type);
  const Walk walk(node.input(0)->shape, *node.input(1));
  const SumScaler scale(node, walk.inputs());
  Reduce<T, int64_t>(
      node, 0, [](int64_t a, T b) { return a + b; },
      [&](int64_t sum, int64_t i) {
        return static_cast<T>(
            std::clamp<int64_t>(scale(sum, i), range.min, range.max));
      });
  return {};
}

template <class T>
Status ReduceIntegers(const Node& node) {
  const Quantization& in = node.input(0)->quantization;
  if ((node.type == "MEAN" || node.type == "SUM") && !in.scales.empty()) {
    return AddIntegers<T>(node);
  }
  return ReducePlain<T>(node);
}

Status ReduceBools(const Node& node) {
  const auto same = [](bool value, int64_t) { return value; };
  if (node.type == "REDUCE_ANY") {
    Reduce<bool, bool>(
        node, false, [](bool a, bool b) { return a || b; }, same);
  } else {
    Reduce<bool, bool>(
        node, true, [](bool a, bool b) { return a && b; }, same);
  }
  return {};
}

}  // namespace

Result<Needs> PrepareReduce(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 2));
  const Tensor& input = *node.input(0);
  if (node.output().type != input.type) {
    return Unsupported(node, "input and output differ in type");
  }
  STOWPLAN_RETURN_IF_ERROR(CheckType(node, *node.input(1), {Type::kInt32}));
  if (node.type == "REDUCE_ANY" || node.type == "REDUCE_ALL") {
    STOWPLAN_RETURN_IF_ERROR(CheckType(node, input, {Type::kBool}));
    return Needs{};
  }
  STOWPLAN_RETURN_IF_ERROR(
      CheckType(node, input,
                {Type::kFloat32, Type::kInt32, Type::kInt64, Type::kInt16,
                 Type::kInt8, Type::kUInt8}));
  if (node.type == "REDUCE_PROD" && IsQuantized(input)) {
    return Unsupported(node, "quantised operands have no code");
  }
  return Needs{};
}

Status RunReduce(const Node& node) {
  // The axes may be data.
  if (Walk(node.input(0)->shape, *node.input(1)).outputs() !=
      node.output().shape.elements()) {
    return BadInput(std::string(node.type),
                    "the axes do not lead to the output's shape",
                    "check the axes operand");
  }
  switch (node.input(0)->type) {
    case Type::kBool:
      return ReduceBools(node);
    case Type::kInt64:
      return ReducePlain<int64_t>(node);
    case Type::kInt32:
      return ReducePlain<int32_t>(node);
    case Type::kInt16:
      return ReduceIntegers<int16_t>(node);
    case Type::kInt8:
      return ReduceIntegers<int8_t>(node);
    case Type::kUInt8:
      return ReduceIntegers<uint8_t>(node);
    default:
      return ReducePlain<float>(node);
  }
}

}  // namespace stowplan::kernels::reference
