// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "tests/random/random_operators.h"

namespace stowplan::tests {
namespace {

Status Done(const Result<std::vector<Value>>& results) {
  if (!results) return tl::unexpected(results.error());
  return {};
}

// Some axis, counted from either end.
int32_t RandomAxis(RandomModel* m, const Value& value) {
  return m->Between(-value.rank(), value.rank() - 1);
}

size_t FromFront(int32_t axis, const Value& value) {
  return static_cast<size_t>(axis < 0 ? axis + value.rank() : axis);
}

std::vector<Form> Forms(const Value& value, int32_t count) {
  return std::vector<Form>(static_cast<size_t>(count),
                           RandomModel::Like(value));
}

}  // namespace

Status MakeReshape(RandomModel* m, std::string_view type) {
  const Value input = m->Pick();
  Dims shape = input.shape;
  m->Shuffle(&shape);
  if (shape.size() > 1 && m->random().Chance(50)) {
    shape[0] *= shape.back();
    shape.pop_back();
  }
  if (m->random().Chance(40)) shape[0] = -1;
  return Done(
      m->Add(type, {input.tensor, m->Ints(shape)}, {RandomModel::Like(input)}));
}

Status MakeJoin(RandomModel* m, std::string_view type) {
  const Value input = m->Pick();
  const bool pack = type == "PACK";
  const int32_t axis = RandomAxis(m, input);
  const int32_t count = m->Between(2, 4);
  std::vector<int32_t> inputs = {input.tensor};
  for (int32_t i = 1; i < count; ++i) {
    Dims shape = input.shape;
    if (!pack) shape[FromFront(axis, input)] = m->Between(1, 5);
    inputs.push_back(m->Input(RandomModel::Like(input), shape).tensor);
  }
  if (m->random().Chance(50)) std::swap(inputs[0], inputs.back());
  std::vector<Option> options = {{"axis", int64_t{axis}}};
  if (pack) options.push_back({"values_count", int64_t{count}});
  return Done(m->Add(type, inputs, {RandomModel::Like(input)}, options));
}

Status MakeSplit(RandomModel* m, std::string_view type) {
  const Value input = m->Pick();
  const int32_t axis = RandomAxis(m, input);
  const int32_t size = input.shape[FromFront(axis, input)];
  if (type == "UNPACK") {
    return Done(m->Add("UNPACK", {input.tensor}, Forms(input, size),
                       {{"num", int64_t{size}}, {"axis", int64_t{axis}}}));
  }
  if (type == "SPLIT") {
    int32_t parts = m->Between(1, size);
    while (size % parts != 0) --parts;
    return Done(m->Add("SPLIT", {m->Ints({axis}, true), input.tensor},
                       Forms(input, parts), {{"num_splits", int64_t{parts}}}));
  }
  const int32_t first = m->Between(1, size);
  std::vector<int32_t> sizes = {first};
  if (first < size) sizes.push_back(m->random().Chance(30) ? -1 : size - first);
  const auto parts = static_cast<int32_t>(sizes.size());
  return Done(m->Add("SPLIT_V",
                     {input.tensor, m->Ints(sizes), m->Ints({axis}, true)},
                     Forms(input, parts), {{"num_splits", int64_t{parts}}}));
}

Status MakeSlice(RandomModel* m, std::string_view type) {
  const Value input = m->Pick();
  std::vector<int32_t> begin, size;
  for (int32_t dim : input.shape) {
    begin.push_back(m->Between(0, dim - 1));
    size.push_back(m->random().Chance(20) ? -1
                                          : m->Between(1, dim - begin.back()));
  }
  return Done(m->Add(type, {input.tensor, m->Ints(begin), m->Ints(size)},
                     {RandomModel::Like(input)}));
}

Status MakeStridedSlice(RandomModel* m, std::string_view type) {
  const Value input = m->Pick();
  std::vector<int32_t> begin, end, strides;
  for (int32_t dim : input.shape) {
    const int32_t first = m->Between(0, dim - 1);
    const int32_t last = m->Between(first + 1, dim);
    const bool back = m->random().Chance(20);
    begin.push_back(back ? last - 1 : first);
    end.push_back(back ? first - 1 - (first == 0 ? dim : 0) : last);
    strides.push_back(back ? -m->Between(1, 2) : m->Between(1, 3));
    if (m->random().Chance(20)) begin.back() -= dim;
  }
  const int64_t all = (int64_t{1} << input.rank()) - 1;
  // An axis that is given up has a stride of 1.
  int64_t shrink = 0;
  if (m->random().Chance(30)) {
    const int32_t axis = m->Between(0, input.rank() - 1);
    shrink = int64_t{1} << axis;
    strides[static_cast<size_t>(axis)] = 1;
  }
  return Done(m->Add(
      type, {input.tensor, m->Ints(begin), m->Ints(end), m->Ints(strides)},
      {RandomModel::Like(input)},
      {{"begin_mask", m->random().Between(0, all) & ~shrink},
       {"end_mask", m->random().Between(0, all) & ~shrink},
       {"shrink_axis_mask", shrink}}));
}

Status MakePad(RandomModel* m, std::string_view type) {
  const Value input = m->Pick();
  const bool mirror = type == "MIRROR_PAD";
  const bool symmetric = m->random().Chance(50);
  std::vector<int32_t> sizes;
  for (int32_t dim : input.shape) {
    const int32_t most = mirror ? dim - (symmetric ? 0 : 1) : 3;
    sizes.push_back(m->Between(0, std::min(most, 3)));
    sizes.push_back(m->Between(0, std::min(most, 3)));
  }
  std::vector<int32_t> inputs = {input.tensor,
                                 m->Matrix(sizes, input.rank(), 2)};
  std::vector<Option> options;
  if (mirror) {
    options.push_back(
        {"mode", std::string(symmetric ? "SYMMETRIC" : "REFLECT")});
  }
  if (type == "PADV2") {
    inputs.push_back(m->Constant(RandomModel::Like(input), {1}).tensor);
  }
  return Done(m->Add(type, inputs, {RandomModel::Like(input)}, options));
}

Status MakeTranspose(RandomModel* m, std::string_view type) {
  const Value input = m->Pick();
  std::vector<int32_t> order(input.shape.size());
  std::iota(order.begin(), order.end(), 0);
  m->Shuffle(&order);
  return Done(
      m->Add(type, {input.tensor, m->Ints(order)}, {RandomModel::Like(input)}));
}

Status MakeTile(RandomModel* m, std::string_view type) {
  const Value input = m->Pick();
  std::vector<int32_t> times;
  for (size_t i = 0; i < input.shape.size(); ++i) {
    times.push_back(m->random().Chance(60) ? 1 : m->Between(1, 3));
  }
  return Done(
      m->Add(type, {input.tensor, m->Ints(times)}, {RandomModel::Like(input)}));
}

Status MakeBroadcastTo(RandomModel* m, std::string_view type) {
  const Value input = m->Pick();
  Dims shape = input.shape;
  for (int32_t& dim : shape) {
    if (dim == 1) dim = m->Between(1, 4);
  }
  if (shape.size() < 4) shape.insert(shape.begin(), m->Between(1, 3));
  return Done(
      m->Add(type, {input.tensor, m->Ints(shape)}, {RandomModel::Like(input)}));
}

Status MakeReverse(RandomModel* m, std::string_view type) {
  const Value input = m->Pick();
  return Done(m->Add(type,
                     {input.tensor, m->Ints({m->Between(0, input.rank() - 1)})},
                     {RandomModel::Like(input)}));
}

Status MakeSpaceDepth(RandomModel* m, std::string_view type) {
  const int32_t block = m->Between(2, 3);
  const bool to_depth = type == "SPACE_TO_DEPTH";
  const int32_t channels = m->Between(1, 5);
  const int32_t height = m->Between(1, 4), width = m->Between(1, 4);
  const Value input =
      m->Input(m->RandomForm(),
               to_depth ? Dims{1, height * block, width * block, channels}
                        : Dims{1, height, width, channels * block * block});
  return Done(m->Add(type, {input.tensor}, {RandomModel::Like(input)},
                     {{"block_size", int64_t{block}}}));
}

Status MakeSpaceBatch(RandomModel* m, std::string_view type) {
  const int32_t block_h = m->Between(1, 3), block_w = m->Between(1, 3);
  const int32_t blocks = block_h * block_w;
  const bool to_batch = type == "SPACE_TO_BATCH_ND";
  const int32_t height = m->Between(1, 4), width = m->Between(1, 4);
  const int32_t before = m->Between(0, 2), left = m->Between(0, 1);
  const int32_t channels = m->Between(1, 5), batch = m->Between(1, 2);
  const Dims shape =
      to_batch ? Dims{batch, height * block_h, width * block_w, channels}
               : Dims{batch * blocks, height + 2, width + 2, channels};
  // Padding fills up whole blocks; what is cut leaves something.
  const std::vector<int32_t> edges =
      to_batch ? std::vector<int32_t>{before % block_h,
                                      (block_h - before % block_h) % block_h,
                                      left * block_w, 0}
               : std::vector<int32_t>{before, 0, left, 1};
  const Value input = m->Input(m->RandomForm(), shape);
  return Done(m->Add(
      std::string(type),
      {input.tensor, m->Ints({block_h, block_w}), m->Matrix(edges, 2, 2)},
      {RandomModel::Like(input)}));
}

Status MakeGather(RandomModel* m, std::string_view type) {
  const Value input = m->Pick();
  if (type == "GATHER") {
    const int32_t axis = RandomAxis(m, input);
    std::vector<int32_t> indices;
    const int32_t last = input.shape[FromFront(axis, input)] - 1;
    for (int32_t i = m->Between(1, 5); i > 0; --i) {
      indices.push_back(m->Between(0, last));
    }
    return Done(m->Add("GATHER", {input.tensor, m->Ints(indices)},
                       {RandomModel::Like(input)}, {{"axis", int64_t{axis}}}));
  }
  const int32_t rows = m->Between(1, 4), depth = m->Between(1, input.rank());
  std::vector<int32_t> indices;
  for (int32_t row = 0; row < rows; ++row) {
    for (int32_t i = 0; i < depth; ++i) {
      indices.push_back(m->Between(0, input.shape[static_cast<size_t>(i)] - 1));
    }
  }
  return Done(m->Add("GATHER_ND",
                     {input.tensor, m->Matrix(indices, rows, depth)},
                     {RandomModel::Like(input)}));
}

}  // namespace stowplan::tests
