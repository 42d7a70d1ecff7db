// SPDX-License-Identifier: Apache-2.0
//
// CAST, QUANTIZE, DEQUANTIZE, FAKE_QUANT: the same values in another type.
#include <cmath>

#include "stowplan/kernels/reference/elementwise.h"
#include "stowplan/kernels/reference/operands.h"
#include "stowplan/kernels/reference/support.h"
#include "stowplan/kernels/requantize.h"

namespace stowplan::kernels::reference {
namespace {

struct Half {
  uint16_t bits;
};

// As static_cast; a float that does not fit becomes the nearest that does,
// and what is no number becomes 0.
template <class To, class From>
To Convert(From value) {
  if constexpr (std::is_same_v<From, Half>) {
    return Convert<To>(FromHalf(value.bits));
  } else if constexpr (std::is_same_v<To, Half>) {
    return Half{ToHalf(static_cast<float>(value))};
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From{0};
  } else if constexpr (std::is_floating_point_v<From> &&
                       std::is_integral_v<To>) {
    if (std::isnan(value)) return 0;
    constexpr auto kLow = static_cast<double>(std::numeric_limits<To>::min());
    constexpr auto kHigh = static_cast<double>(std::numeric_limits<To>::max());
    const auto wide = static_cast<double>(value);
    if (wide <= kLow) return std::numeric_limits<To>::min();
    if (wide >= kHigh) return std::numeric_limits<To>::max();
    return static_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

template <class From, class To>
void CastAll(const Node& node) {
  const From* from = node.input(0)->As<From>();
  To* to = node.output().As<To>();
  const int64_t size = node.output().shape.elements();
  for (int64_t i = 0; i < size; ++i) to[i] = Convert<To>(from[i]);
}

// Calls `use` with a value of the C++ type; false for types without one.
template <class Use>
bool WithType(Type type, const Use& use) {
  switch (type) {
    case Type::kFloat32:
      return use(float{}), true;
    case Type::kFloat64:
      return use(double{}), true;
    case Type::kFloat16:
      return use(Half{}), true;
    case Type::kInt64:
      return use(int64_t{}), true;
    case Type::kInt32:
      return use(int32_t{}), true;
    case Type::kInt16:
      return use(int16_t{}), true;
    case Type::kInt8:
      return use(int8_t{}), true;
    case Type::kUInt64:
      return use(uint64_t{}), true;
    case Type::kUInt32:
      return use(uint32_t{}), true;
    case Type::kUInt16:
      return use(uint16_t{}), true;
    case Type::kUInt8:
      return use(uint8_t{}), true;
    case Type::kBool:
      return use(bool{}), true;
    default:
      return false;
  }
}

// Each element's integer, whatever its type; int4 too.
int32_t StoredAt(const Tensor& tensor, int64_t i) {
  switch (tensor.type) {
    case Type::kInt8:
      return tensor.As<int8_t>()[i];
    case Type::kUInt8:
      return tensor.As<uint8_t>()[i];
    case Type::kInt16:
      return tensor.As<int16_t>()[i];
    case Type::kInt4:
      return NibbleAt(tensor.data, i);
    case Type::kInt2:
      return CrumbAt(tensor.data, i);
    default:
      return tensor.As<int32_t>()[i];
  }
}

template <class To, class Function>
void FillOutput(const Node& node, const Function& function) {
  To* to = node.output().As<To>();
  const int64_t size = node.output().shape.elements();
  for (int64_t i = 0; i < size; ++i) to[i] = static_cast<To>(function(i));
}

template <class Function>
Status FillIntegers(const Node& node, const Function& function) {
  switch (node.output().type) {
    case Type::kInt8:
      FillOutput<int8_t>(node, function);
      return {};
    case Type::kUInt8:
      FillOutput<uint8_t>(node, function);
      return {};
    case Type::kInt16:
      FillOutput<int16_t>(node, function);
      return {};
    default:
      FillOutput<int32_t>(node, function);
      return {};
  }
}

struct Limits {
  int32_t min;
  int32_t max;
};
Limits WholeLimits(Type type) {
  if (type == Type::kInt32) return {INT32_MIN, INT32_MAX};
  const IntRange range = LimitsOf(type);
  return {range.min, range.max};
}

Status QuantizeFloats(const Node& node) {
  const float* from = node.input(0)->As<float>();
  const Quantization& out = node.output().quantization;
  const Limits limits = WholeLimits(node.output().type);
  const float steps_of_one = 1.0f / out.scale();
  const int32_t zero = out.zero_point();
  if (node.output().type == Type::kInt32) {
    return FillIntegers(node, [&](int64_t i) {
      const float steps = std::nearbyint(from[i] * steps_of_one);
      if (std::isnan(steps)) return zero;
      // Far beyond 32 bits, and not too large to add the zero point to.
      const auto whole =
          static_cast<int64_t>(Bounded(steps, -0x1p40f, 0x1p40f));
      return static_cast<int32_t>(
          std::clamp<int64_t>(whole + zero, limits.min, limits.max));
    });
  }
  const auto low = static_cast<float>(limits.min - zero);
  const auto high = static_cast<float>(limits.max - zero);
  return FillIntegers(node, [&](int64_t i) {
    const float steps = std::nearbyint(from[i] * steps_of_one);
    const float bounded = Bounded(steps, low, high);
    return std::isnan(steps) ? zero : static_cast<int32_t>(bounded) + zero;
  });
}

// From one quantisation to another.
Status Requantize(const Node& node) {
  const Tensor& input = *node.input(0);
  const Quantization& in = input.quantization;
  const Quantization& out = node.output().quantization;
  const Limits limits = WholeLimits(node.output().type);
  const auto steps_at = [&input, zero = int64_t{in.zero_point()}](int64_t i) {
    return static_cast<int32_t>(StoredAt(input, i) - zero);
  };
  const double factor = double{in.scale()} / double{out.scale()};
  if (node.arithmetic == Arithmetic::kFloat &&
      node.output().type != Type::kInt32) {
    const Requantizer requantize(Arithmetic::kFloat, factor, out.zero_point(),
                                 limits.min, limits.max);
    return FillIntegers(node,
                        [&](int64_t i) { return requantize(steps_at(i)); });
  }
  const FixedPoint fixed = ToFixedPoint(factor);
  // LiteRT's vector code takes sixteen elements of 8 bits at a time.
  const bool bytes = SizeOf(input.type) == 1 && SizeOf(node.output().type) == 1;
  const int64_t vector_end =
      bytes ? node.output().shape.elements() / 16 * 16 : 0;
  return FillIntegers(node, [&](int64_t i) {
    const int32_t stored = steps_at(i);
    const int64_t steps = i < vector_end ? MultiplyTiesUp(stored, fixed)
                                         : Multiply(stored, fixed);
    return static_cast<int32_t>(
        std::clamp<int64_t>(steps + out.zero_point(), limits.min, limits.max));
  });
}

// Some writers give a vector the dimension of other tensors.
size_t ScaleAxisOf(const Tensor& tensor) {
  return tensor.shape.rank == 1
             ? 0
             : static_cast<size_t>(tensor.quantization.dimension);
}

// Which scale an element has, along the axis of a per-channel quantisation.
int64_t ChannelOf(const Tensor& tensor, int64_t i) {
  if (!tensor.quantization.per_channel()) return 0;
  const size_t axis = ScaleAxisOf(tensor);
  return i / tensor.shape.Product(axis + 1, tensor.shape.rank) %
         tensor.shape[axis];
}

int64_t ZeroPointOf(const Tensor& tensor, int64_t channel) {
  const auto& zeros = tensor.quantization.zero_points;
  if (zeros.empty()) return 0;
  return zeros.size() == 1 ? zeros[0] : zeros[static_cast<size_t>(channel)];
}

}  // namespace

Result<Needs> PrepareCast(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 1));
  const auto ignore = [](auto) {};
  if (!WithType(node.input(0)->type, ignore) ||
      !WithType(node.output().type, ignore)) {
    return Unsupported(node, "these types have no code");
  }
  Needs needs;
  needs.in_place = 0b1;
  return needs;
}

Status RunCast(const Node& node) {
  WithType(node.input(0)->type, [&](auto from) {
    WithType(node.output().type,
             [&](auto to) { CastAll<decltype(from), decltype(to)>(node); });
  });
  return {};
}

Result<Needs> PrepareQuantize(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 1));
  STOWPLAN_RETURN_IF_ERROR(CheckType(
      node, *node.input(0),
      {Type::kFloat32, Type::kInt8, Type::kUInt8, Type::kInt16, Type::kInt32}));
  STOWPLAN_RETURN_IF_ERROR(
      CheckType(node, node.output(),
                {Type::kInt8, Type::kUInt8, Type::kInt16, Type::kInt32}));
  const bool from_integer = node.input(0)->type != Type::kFloat32;
  if (node.output().quantization.scales.size() != 1 ||
      (from_integer && node.input(0)->quantization.scales.size() != 1)) {
    return Unsupported(node, "it needs one scale on either side");
  }
  Needs needs;
  needs.in_place = 0b1;
  return needs;
}

Status RunQuantize(const Node& node) {
  if (node.input(0)->type == Type::kFloat32) return QuantizeFloats(node);
  return Requantize(node);
}

Result<Needs> PrepareDequantize(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 1));
  STOWPLAN_RETURN_IF_ERROR(CheckType(node, node.output(), {Type::kFloat32}));
  STOWPLAN_RETURN_IF_ERROR(
      CheckType(node, *node.input(0),
                {Type::kInt8, Type::kUInt8, Type::kInt16, Type::kInt4,
                 Type::kInt2, Type::kInt32, Type::kFloat16}));
  if (node.input(0)->type != Type::kFloat16 &&
      node.input(0)->quantization.scales.empty()) {
    return Unsupported(node, "the input has no scale");
  }
  const Tensor& input = *node.input(0);
  if (input.quantization.per_channel()) {
    const size_t axis = ScaleAxisOf(input);
    if (axis >= input.shape.rank ||
        input.quantization.scales.size() !=
            static_cast<size_t>(input.shape[axis])) {
      return Unsupported(node, "the scales do not match the input");
    }
  }
  if (node.input(0)->sparsity != nullptr) {
    return Unsupported(node, "a sparse input needs a DENSIFY before it");
  }
  Needs needs;
  needs.in_place = 0b1;
  return needs;
}

Status RunDequantize(const Node& node) {
  const Tensor& input = *node.input(0);
  if (input.type == Type::kFloat16) {
    const auto* from = input.As<uint16_t>();
    FillOutput<float>(node, [&](int64_t i) { return FromHalf(from[i]); });
    return {};
  }
  if (!input.quantization.per_channel()) {
    // LiteRT's vector code has two roundings, its scalar code one.
    const float scale = input.quantization.scale();
    const int64_t zero = input.quantization.zero_point();
    const float offset = static_cast<float>(-zero) * scale;
    const int64_t vectors = input.shape.elements() / 8 * 8;
    FillOutput<float>(node, [&](int64_t i) {
      const int64_t stored = StoredAt(input, i);
      return i < vectors ? static_cast<float>(stored) * scale + offset
                         : static_cast<float>(stored - zero) * scale;
    });
    return {};
  }
  FillOutput<float>(node, [&](int64_t i) {
    const int64_t channel = ChannelOf(input, i);
    const int64_t steps = StoredAt(input, i) - ZeroPointOf(input, channel);
    return static_cast<float>(steps) * input.quantization.ScaleOf(channel);
  });
  return {};
}

Result<Needs> PrepareFakeQuant(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 1));
  STOWPLAN_RETURN_IF_ERROR(CheckType(node, *node.input(0), {Type::kFloat32}));
  STOWPLAN_RETURN_IF_ERROR(CheckType(node, node.output(), {Type::kFloat32}));
  const int64_t bits = node.options.Int("num_bits", 8);
  if (bits < 2 || bits > 16) {
    return Unsupported(
        node, std::to_string(bits) + " bits have no code, only 2 to 16 have");
  }
  Needs needs;
  needs.in_place = 0b1;
  return needs;
}

// The range is nudged so that zero is exact. Jacob et al., section 3.
Status RunFakeQuant(const Node& node) {
  const int64_t bits = node.options.Int("num_bits", 8);
  const float low = node.options.Flag("narrow_range") ? 1.0f : 0.0f;
  const auto high = static_cast<float>((int64_t{1} << bits) - 1);
  const float min = node.options.Float("min", 0.0f);
  const float max = node.options.Float("max", 0.0f);
  const float scale = (max - min) / (high - low);
  const float zero = std::round(std::clamp(low - min / scale, low, high));
  const float bottom = (low - zero) * scale;
  const float top = (high - zero) * scale;
  const float* from = node.input(0)->As<float>();
  FillOutput<float>(node, [&](int64_t i) {
    const float value = std::clamp(from[i], bottom, top) - bottom;
    return std::floor(value / scale + 0.5f) * scale + bottom;
  });
  return {};
}

}  // namespace stowplan::kernels::reference
