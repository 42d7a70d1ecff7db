// SPDX-License-Identifier: Apache-2.0
//
// Runs every operator of a model's first subgraph by itself on inputs that
// another engine computed, and prints how far the outputs are from its own:
//   check_operators MODEL ARITHMETIC DUMP
// DUMP is a sequence of {int32 tensor, int32 rank, int64 dims[rank], int64
// bytes, content}. A line an operator: index, type, worst difference of its
// outputs (steps, or part of the range for floats), differing elements, all
// elements.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "stowplan/runtime/program.h"
#include "tests/litert/model_file.h"

namespace {

using namespace stowplan;  // NOLINT: a program, not a library.
using kernels::Type;

struct Dumped {
  std::vector<int64_t> shape;
  std::vector<std::byte> content;
};
using Dump = std::map<int32_t, Dumped>;

Dump ReadDump(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Dump dump;
  int32_t head[2];
  while (file.read(reinterpret_cast<char*>(head), sizeof(head))) {
    Dumped& tensor = dump[head[0]];
    tensor.shape.resize(static_cast<size_t>(head[1]));
    file.read(reinterpret_cast<char*>(tensor.shape.data()), head[1] * 8);
    int64_t bytes = 0;
    file.read(reinterpret_cast<char*>(&bytes), sizeof(bytes));
    tensor.content.resize(static_cast<size_t>(bytes));
    file.read(reinterpret_cast<char*>(tensor.content.data()), bytes);
  }
  return dump;
}

struct Difference {
  double worst = 0;
  int64_t differing = 0;
  int64_t elements = 0;
};

template <class T>
void Compare(const std::byte* ours, const std::byte* theirs, int64_t count,
             Difference* total) {
  double span = 1;
  if (std::is_floating_point_v<T>) {
    span = 0;
    for (int64_t i = 0; i < count; ++i) {
      T value;
      std::memcpy(&value, theirs + i * int64_t{sizeof(T)}, sizeof(T));
      if (std::isfinite(static_cast<double>(value))) {
        span = std::max(span, std::fabs(static_cast<double>(value)));
      }
    }
    if (span == 0) span = 1;
  }
  for (int64_t i = 0; i < count; ++i) {
    T a;
    T b;
    std::memcpy(&a, ours + i * int64_t{sizeof(T)}, sizeof(T));
    std::memcpy(&b, theirs + i * int64_t{sizeof(T)}, sizeof(T));
    if (std::memcmp(&a, &b, sizeof(T)) == 0) continue;
    const double difference =
        std::fabs(static_cast<double>(a) - static_cast<double>(b));
    ++total->differing;
    total->worst = std::max(
        total->worst, std::isfinite(difference) ? difference / span : 1e9);
  }
  total->elements += count;
}

void CompareTyped(const kernels::Tensor& ours, const Dumped& theirs,
                  Difference* total) {
  const int64_t count = ours.shape.elements();
  const std::byte* a = ours.data;
  const std::byte* b = theirs.content.data();
  switch (ours.type) {
    case Type::kFloat32:
    case Type::kComplex64:
      return Compare<float>(
          a, b, count * (ours.type == Type::kComplex64 ? 2 : 1), total);
    case Type::kInt8:
      return Compare<int8_t>(a, b, count, total);
    case Type::kInt16:
      return Compare<int16_t>(a, b, count, total);
    case Type::kInt32:
      return Compare<int32_t>(a, b, count, total);
    case Type::kInt64:
      return Compare<int64_t>(a, b, count, total);
    default:
      return Compare<uint8_t>(a, b, count, total);
  }
}

// What a kernel gets and gives, outside of any arena.
class Bench {
 public:
  Bench(runtime::Program& program, Dump dump)
      : program_(program), dump_(std::move(dump)) {}

  void Run() {
    const size_t count = program_.model().subgraphs[0].operators.size();
    for (size_t i = 0; i < count; ++i) {
      const std::string result = RunOne(i);
      std::printf("%zu %s %s\n", i,
                  program_.model().subgraphs[0].operators[i].type.c_str(),
                  result.c_str());
    }
  }

 private:
  std::string RunOne(size_t i) {
    const graph::Subgraph& subgraph = program_.model().subgraphs[0];
    const graph::Operator& op = subgraph.operators[i];
    const graph::OperatorRef ref = {graph::SubgraphId(0),
                                    graph::OperatorId::FromIndex(i)};
    runtime::BoundOperator& bound = program_.bound().op(ref);
    if (bound.kernel == nullptr) return "skipped: control flow";
    for (graph::TensorId id : op.inputs) {
      if (!id.valid() || subgraph.tensor(id).constant) continue;
      if (subgraph.tensor(id).variable) {  // What stands for zero.
        kernels::Tensor& tensor =
            program_.bound().tensor({graph::SubgraphId(0), id});
        std::vector<std::byte>& state = dump_[id.value()].content;
        const bool bytes = tensor.type == Type::kInt8;
        state.assign(static_cast<size_t>(tensor.bytes),
                     static_cast<std::byte>(
                         bytes ? tensor.quantization.zero_point() : 0));
        tensor.data = state.data();
        continue;
      }
      if (!Bind(id)) return "skipped: no input";
    }
    std::vector<std::vector<std::byte>> outputs;
    for (graph::TensorId id : op.outputs) {
      if (dump_.find(id.value()) == dump_.end()) return "skipped: no output";
      Bind(id);
      outputs.emplace_back(dump_[id.value()].content.size() + 64);
      program_.Place({graph::SubgraphId(0), id}, outputs.back().data());
    }
    if (bound.persistent > 0) return "skipped: keeps state";
    Result<kernels::Needs> needs = bound.kernel->prepare(bound.node);
    if (!needs) return "FAILS: " + needs.error().ToString();
    std::vector<std::byte> scratch(static_cast<size_t>(needs->scratch) + 64);
    bound.node.scratch = scratch.data();
    const Status status = bound.kernel->run(bound.node);
    if (!status) return "FAILS: " + status.error().ToString();
    Difference total;
    for (size_t k = 0; k < op.outputs.size(); ++k) {
      CompareTyped(*bound.node.outputs[k], dump_[op.outputs[k].value()],
                   &total);
    }
    char line[200];
    std::snprintf(line, sizeof(line), "%.3g %lld %lld", total.worst,
                  static_cast<long long>(total.differing),
                  static_cast<long long>(total.elements));
    return line;
  }

  bool Bind(graph::TensorId id) {
    const auto found = dump_.find(id.value());
    if (found == dump_.end()) return false;
    kernels::Tensor& tensor =
        program_.bound().tensor({graph::SubgraphId(0), id});
    tensor.data = found->second.content.data();
    tensor.bytes = static_cast<Bytes>(found->second.content.size());
    tensor.shape.rank = found->second.shape.size();
    std::copy(found->second.shape.begin(), found->second.shape.end(),
              tensor.shape.dims.begin());
    return true;
  }

  runtime::Program& program_;
  Dump dump_;
};

Status Run(const std::string& path, const std::string& arithmetic,
           const std::string& dump) {
  STOWPLAN_TRY(model, tests::ModelFile::Read(path));
  const kernels::Registry registry = kernels::Registry::Reference();
  runtime::ProgramOptions options;
  if (arithmetic == "litert") {
    options.arithmetic = kernels::Arithmetic::kLiteRt;
  }
  STOWPLAN_TRY(program,
               runtime::Program::Build(model->graph, *model->facts, registry,
                                       tests::PlanWithSolver, options));
  program->Bind(nullptr, nullptr);  // For the sizes; every tensor is placed.
  Bench(*program, ReadDump(dump)).Run();
  return {};
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::fprintf(stderr, "check_operators MODEL ARITHMETIC DUMP\n");
    return 2;
  }
  const Status status = Run(arguments[1], arguments[2], arguments[3]);
  if (status) return 0;
  std::fprintf(stderr, "%s\n", status.error().ToString().c_str());
  return 3;
}
