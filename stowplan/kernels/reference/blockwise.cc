// SPDX-License-Identifier: Apache-2.0
#include "stowplan/kernels/reference/blockwise.h"

#include "stowplan/kernels/reference/operands.h"
#include "stowplan/kernels/reference/sums.h"
#include "stowplan/kernels/reference/tiled_product.h"

namespace stowplan::kernels::reference {
namespace {

// Up to kTileRows rows with up to kTileChannels units.
class Tile {
 public:
  Tile(const Node& node, int64_t row, int64_t height)
      : node_(node),
        weights_(*node.input(1)),
        integers_(weights_, weights_.shape[1]),
        depth_(weights_.shape[1]),
        row_(row),
        height_(height) {
    for (int64_t r = 0; r < height; ++r) {
      scales_[r] = AsymmetricScale(RowAt(r), depth_);
    }
  }

  void Run(int64_t unit, int64_t width) {
    std::fill_n(sums_, width * kTileRows, 0.0f);
    std::fill_n(weight_sums_, width, 0.0f);
    const int64_t block = weights_.quantization.block_size;
    for (int64_t b = 0; b < depth_ / block; ++b) AddBlock(unit, width, b);
    Store(unit, width);
  }

 private:
  const float* RowAt(int64_t r) const {
    return node_.input(0)->As<float>() + (row_ + r) * depth_;
  }

  void AddBlock(int64_t unit, int64_t width, int64_t b) {
    const Quantization& quantization = weights_.quantization;
    const int64_t block = quantization.block_size;
    std::fill_n(block_sums_, width * kTileRows, 0);
    std::fill_n(block_weights_, width, 0);
    for (int64_t k = b * block; k < (b + 1) * block; k += kTileDepth) {
      AddProducts(unit, width, k, std::min(k + kTileDepth, (b + 1) * block));
    }
    for (int64_t c = 0; c < width; ++c) {
      const float scale = FromHalf(quantization.half_scales[static_cast<size_t>(
          (unit + c) * (depth_ / block) + b)]);
      weight_sums_[c] += scale * static_cast<float>(block_weights_[c]);
      for (int64_t r = 0; r < height_; ++r) {
        const int32_t sum = block_sums_[c * kTileRows + r] +
                            scales_[r].offset * block_weights_[c];
        sums_[c * kTileRows + r] += static_cast<float>(sum) * scale;
      }
    }
  }

  // Elements [begin, end) of the depth: less the zero points of the rows.
  void AddProducts(int64_t unit, int64_t width, int64_t begin, int64_t end) {
    for (int64_t r = 0; r < height_; ++r) {
      for (int64_t k = begin; k < end; ++k) {
        rows_[r * kTileDepth + k - begin] = scales_[r].Quantize(RowAt(r)[k]);
      }
    }
    int16_t buffer[kTileDepth];
    for (int64_t c = 0; c < width; ++c) {
      integers_(unit + c, begin, end, buffer);
      for (int64_t k = 0; k < end - begin; ++k) block_weights_[c] += buffer[k];
      for (int64_t r = 0; r < height_; ++r) {
        block_sums_[c * kTileRows + r] +=
            Dot(rows_ + r * kTileDepth, buffer, end - begin);
      }
    }
  }

  void Store(int64_t unit, int64_t width) const {
    const FloatRange range = FloatRangeOf(node_);
    const int64_t units = weights_.shape[0];
    const Tensor* bias = node_.input(2);
    float* out = node_.output().As<float>() + row_ * units + unit;
    for (int64_t c = 0; c < width; ++c) {
      const float add = bias == nullptr ? 0.0f : bias->As<float>()[unit + c];
      for (int64_t r = 0; r < height_; ++r) {
        const float zero =
            static_cast<float>(scales_[r].offset) * weight_sums_[c];
        const float sum =
            (sums_[c * kTileRows + r] - zero) * scales_[r].scale + add;
        out[r * units + c] = std::clamp(sum, range.min, range.max);
      }
    }
  }

  const Node& node_;
  const Tensor& weights_;
  IntegerRows integers_;
  int64_t depth_;
  int64_t row_;
  int64_t height_;
  RowScale scales_[kTileRows];
  int16_t rows_[kTileRows * kTileDepth];
  float sums_[kTileChannels * kTileRows];
  float weight_sums_[kTileChannels];
  int32_t block_sums_[kTileChannels * kTileRows];
  int32_t block_weights_[kTileChannels];
};

}  // namespace

void MultiplyByBlocks(const Node& node, int64_t rows) {
  const int64_t units = node.input(1)->shape[0];
  for (int64_t row = 0; row < rows; row += kTileRows) {
    Tile tile(node, row, std::min(kTileRows, rows - row));
    for (int64_t unit = 0; unit < units; unit += kTileChannels) {
      tile.Run(unit, std::min(kTileChannels, units - unit));
    }
  }
}

}  // namespace stowplan::kernels::reference
