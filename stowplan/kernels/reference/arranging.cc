// SPDX-License-Identifier: Apache-2.0
//
// The same elements in another arrangement: each operator says how far a step
// along each axis moves on either side, and StridedCopy does the rest.
#include <cstring>

#include "stowplan/kernels/reference/movement.h"
#include "stowplan/kernels/reference/strided_copy.h"
#include "stowplan/kernels/reference/support.h"

namespace stowplan::kernels::reference {
namespace {

int64_t ElementOf(const Tensor& tensor) {
  return static_cast<int64_t>(SizeOf(tensor.type));
}

int64_t StrideOf(const Shape& shape, size_t axis) {
  return shape.Product(axis + 1, shape.rank);
}

Status CheckMoved(const Node& node, size_t inputs) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, inputs));
  if (SizeOf(node.output().type) == 0 ||
      node.output().type != node.input(0)->type) {
    return Unsupported(node, "elements of this type cannot be moved");
  }
  for (size_t i = 1; i < inputs; ++i) {
    STOWPLAN_RETURN_IF_ERROR(
        CheckType(node, *node.input(i), {Type::kInt32, Type::kInt64}));
  }
  return {};
}

Status Mismatch(const Node& node) {
  return BadInput(std::string(node.type),
                  "the operands do not lead to the output's shape",
                  "check the operands of the operator");
}

void Run(const Node& node, const StridedCopy& copy, int64_t from = 0,
         int64_t to = 0) {
  const int64_t element = ElementOf(node.output());
  copy.Run(node.input(0)->data + from * element,
           node.output().data + to * element, element);
}

}  // namespace

Result<Needs> PrepareTranspose(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckMoved(node, 2));
  if (node.input(0)->shape.rank != node.output().shape.rank ||
      node.input(1)->shape.elements() !=
          static_cast<int64_t>(node.output().shape.rank)) {
    return Unsupported(node, "the permutation does not match the input");
  }
  return Needs{};
}

Status RunTranspose(const Node& node) {
  const Shape& in = node.input(0)->shape;
  const Shape& out = node.output().shape;
  std::array<bool, kMaxRank> taken = {};
  StridedCopy copy;
  for (size_t axis = 0; axis < out.rank; ++axis) {
    const size_t from =
        AxisOf(IntegerAt(*node.input(1), static_cast<int64_t>(axis)), out.rank);
    if (from >= in.rank || in[from] != out[axis] || taken[from]) {
      return Mismatch(node);
    }
    taken[from] = true;
    copy.Add(out[axis], StrideOf(in, from), StrideOf(out, axis));
  }
  Run(node, copy);
  return {};
}

Result<Needs> PrepareTile(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckMoved(node, 2));
  return Needs{};
}

Status RunTile(const Node& node) {
  const Shape& in = node.input(0)->shape;
  const Shape& out = node.output().shape;
  if (in.rank != out.rank ||
      node.input(1)->shape.elements() != static_cast<int64_t>(in.rank)) {
    return Mismatch(node);
  }
  for (size_t axis = 0; axis < in.rank; ++axis) {
    const int64_t times = IntegerAt(*node.input(1), static_cast<int64_t>(axis));
    if (in[axis] == 0
            ? out[axis] != 0
            : out[axis] % in[axis] != 0 || out[axis] / in[axis] != times) {
      return Mismatch(node);
    }
  }
  StridedCopy copy;
  for (size_t axis = 0; axis < in.rank; ++axis) {
    if (in[axis] == 0) return {};
    copy.Add(out[axis] / in[axis], 0, in[axis] * StrideOf(out, axis));
    copy.Add(in[axis], StrideOf(in, axis), StrideOf(out, axis));
  }
  Run(node, copy);
  return {};
}

Result<Needs> PrepareBroadcastTo(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckMoved(node, 2));
  return Needs{};
}

Status RunBroadcastTo(const Node& node) {
  const Shape& in = node.input(0)->shape;
  const Shape& out = node.output().shape;
  if (in.rank > out.rank || !AsksFor(*node.input(1), out)) {
    return Mismatch(node);
  }
  StridedCopy copy;
  for (size_t axis = 0; axis < out.rank; ++axis) {
    const size_t missing = out.rank - in.rank;
    const bool stretched = axis < missing || in[axis - missing] == 1;
    if (!stretched && in[axis - missing] != out[axis]) return Mismatch(node);
    copy.Add(out[axis], stretched ? 0 : StrideOf(in, axis - missing),
             StrideOf(out, axis));
  }
  Run(node, copy);
  return {};
}

Result<Needs> PrepareReverse(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckMoved(node, 2));
  return Needs{};
}

Status RunReverse(const Node& node) {
  const Shape& shape = node.output().shape;
  std::array<bool, kMaxRank> turned = {};
  for (int64_t i = 0; i < node.input(1)->shape.elements(); ++i) {
    const size_t axis = AxisOf(IntegerAt(*node.input(1), i), shape.rank);
    if (axis >= shape.rank) return Mismatch(node);
    turned[axis] = true;
  }
  StridedCopy copy;
  int64_t first = 0;
  for (size_t axis = 0; axis < shape.rank; ++axis) {
    const int64_t stride = StrideOf(shape, axis);
    if (turned[axis] && shape[axis] > 0) first += (shape[axis] - 1) * stride;
    copy.Add(shape[axis], turned[axis] ? -stride : stride, stride);
  }
  Run(node, copy, first);
  return {};
}

Result<Needs> PrepareReverseSequence(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckMoved(node, 2));
  return Needs{};
}

Status RunReverseSequence(const Node& node) {
  const Shape& shape = node.output().shape;
  const size_t seq = AxisOf(node.options.Int("seq_dim", 0), shape.rank);
  const size_t batch = AxisOf(node.options.Int("batch_dim", 0), shape.rank);
  if (seq >= shape.rank || batch >= shape.rank ||
      node.input(1)->shape.elements() != shape[batch]) {
    return Mismatch(node);
  }
  for (int64_t b = 0; b < shape[batch]; ++b) {
    const int64_t length = IntegerAt(*node.input(1), b);
    if (length < 0 || length > shape[seq]) return Mismatch(node);
  }
  const int64_t element = ElementOf(node.output());
  for (int64_t i = 0; i < shape.elements(); ++i) {
    const int64_t index = i / StrideOf(shape, seq) % shape[seq];
    const int64_t length =
        IntegerAt(*node.input(1), i / StrideOf(shape, batch) % shape[batch]);
    const int64_t from = index < length ? length - 1 - index : index;
    const int64_t source = i + (from - index) * StrideOf(shape, seq);
    std::memcpy(node.output().data + i * element,
                node.input(0)->data + source * element,
                static_cast<size_t>(element));
  }
  return {};
}

Result<Needs> PrepareSpaceDepth(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckMoved(node, 1));
  if (node.input(0)->shape.rank != 4 || node.output().shape.rank != 4 ||
      node.options.Int("block_size", 0) < 1) {
    return Unsupported(node, "the image has not four dimensions");
  }
  return Needs{};
}

namespace {

// Between an image of blocks (batch, y, block y, x, block x, channel) and one
// with the blocks' elements as channels (batch, y, x, block y, block x,
// channel); `deep` is the latter's shape.
void MoveBlocks(const Node& node, const Shape& deep, bool to_deep) {
  const int64_t block = node.options.Int("block_size", 1);
  const int64_t channels = deep[3] / (block * block);
  const int64_t row = deep[2] * block * channels;  // Of the flat image.
  const std::array<int64_t, 6> sizes = {deep[0], deep[1], block,
                                        deep[2], block,   channels};
  const std::array<int64_t, 6> flat = {deep[1] * block * row, block * row, row,
                                       block * channels,      channels,    1};
  const std::array<int64_t, 6> stacked = {deep.Product(1, 4), deep[2] * deep[3],
                                          block * channels,   deep[3],
                                          channels,           1};
  StridedCopy copy;
  for (size_t i = 0; i < sizes.size(); ++i) {
    copy.Add(sizes[i], to_deep ? flat[i] : stacked[i],
             to_deep ? stacked[i] : flat[i]);
  }
  Run(node, copy);
}

// The spatial axes of SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND, of which only
// a part of the space is in the tensor.
struct Part {
  int64_t begin = 0;  // First position in a batch that is inside.
  int64_t count = 0;
  int64_t first = 0;  // Where that lies in the space.
};

// a / b, rounded up. REQUIRES: a >= 0, b > 0.
int64_t CeilOf(int64_t a, int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

// Positions p of [0, positions) with 0 <= p * block + shift < size.
Part PartInside(int64_t positions, int64_t block, int64_t shift, int64_t size) {
  const int64_t begin =
      shift >= 0 ? 0 : std::min(positions, CeilOf(-shift, block));
  const int64_t room = size - shift;
  const int64_t end =
      room <= 0 ? begin
                : std::max(begin, std::min(positions, CeilOf(room, block)));
  return {begin, end - begin, begin * block + shift};
}

// `space` is the tensor with the undivided space, `batch` the other one;
// element (b * blocks + phase, p, ...) of the latter is element
// (b, p * block + phase - before, ...) of the former.
Status MoveBatches(const Node& node, const Shape& space, const Shape& batch,
                   bool to_space) {
  const int64_t axes = node.input(1)->shape.elements();
  if (batch[0] == 0) return space[0] == 0 ? Status() : Mismatch(node);
  int64_t block[2] = {1, 1};
  int64_t before[2] = {0, 0};
  int64_t blocks = 1;
  for (int64_t i = 0; i < axes; ++i) {
    block[i] = IntegerAt(*node.input(1), i);
    before[i] = IntegerAt(*node.input(2), 2 * i);
    // No block is larger than the batch that it fills, no padding or crop
    // negative or larger than all blocks together: nothing overflows.
    const auto axis = static_cast<size_t>(i) + 1;
    if (block[i] < 1 || block[i] > batch[0]) return Mismatch(node);
    const int64_t room = batch[axis] * block[i] - space[axis];
    if (before[i] < 0 || before[i] > room ||
        IntegerAt(*node.input(2), 2 * i + 1) != room - before[i]) {
      return Mismatch(node);
    }
    blocks *= block[i];
  }
  if (space[0] * blocks != batch[0]) return Mismatch(node);
  const auto divided = static_cast<size_t>(axes);
  for (int64_t phase = 0; phase < blocks; ++phase) {
    const int64_t at[2] = {axes == 2 ? phase / block[1] : phase,
                           axes == 2 ? phase % block[1] : 0};
    StridedCopy copy;
    int64_t space_first = 0;
    int64_t batch_first = phase * space[0] * StrideOf(batch, 0);
    const auto add = [&](int64_t size, int64_t in_space, int64_t in_batch) {
      copy.Add(size, to_space ? in_batch : in_space,
               to_space ? in_space : in_batch);
    };
    add(space[0], StrideOf(space, 0), StrideOf(batch, 0));
    for (size_t i = 0; i < divided; ++i) {
      const size_t axis = i + 1;
      const Part part =
          PartInside(batch[axis], block[i], at[i] - before[i], space[axis]);
      space_first += part.first * StrideOf(space, axis);
      batch_first += part.begin * StrideOf(batch, axis);
      add(part.count, block[i] * StrideOf(space, axis), StrideOf(batch, axis));
    }
    add(StrideOf(space, divided), 1, 1);
    to_space ? Run(node, copy, batch_first, space_first)
             : Run(node, copy, space_first, batch_first);
  }
  return {};
}

}  // namespace

Status RunSpaceToDepth(const Node& node) {
  MoveBlocks(node, node.output().shape, true);
  return {};
}

Status RunDepthToSpace(const Node& node) {
  MoveBlocks(node, node.input(0)->shape, false);
  return {};
}

Result<Needs> PrepareSpaceBatch(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckMoved(node, 3));
  const int64_t axes = node.input(1)->shape.elements();
  STOWPLAN_RETURN_IF_ERROR(CheckElements(node, *node.input(2), 2 * axes));
  if (axes > 2 || node.input(0)->shape.rank < static_cast<size_t>(axes) + 1 ||
      node.output().shape.rank != node.input(0)->shape.rank) {
    return Unsupported(node, "more than two axes are divided");
  }
  return Needs{};
}

Status RunSpaceToBatch(const Node& node) {
  Tensor& output = node.output();
  // What the paddings bring in stands for zero.
  const auto zero = static_cast<int>(
      SizeOf(output.type) == 1 ? output.quantization.zero_point() : 0);
  std::memset(output.data, zero,
              static_cast<size_t>(output.shape.elements() * ElementOf(output)));
  return MoveBatches(node, node.input(0)->shape, output.shape, false);
}

Status RunBatchToSpace(const Node& node) {
  return MoveBatches(node, node.output().shape, node.input(0)->shape, true);
}

}  // namespace stowplan::kernels::reference
