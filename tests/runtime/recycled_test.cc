// SPDX-License-Identifier: Apache-2.0
//
// Every tensor of every model after a run: what can be read has the value that
// it has in memory of its own, and all else is an error that names the
// operator that overwrote it.
#include <algorithm>

#include "tests/runtime/runtime_case.h"

namespace stowplan::tests {
namespace {

using graph::SubgraphId;
using graph::TensorId;
using runtime::Interpreter;
using runtime::InterpreterOptions;

// Every tensor of the first subgraph as the run wrote it.
class Written : public runtime::Observer {
 public:
  explicit Written(Interpreter& interpreter) : interpreter_(interpreter) {}

  void Before(const runtime::OperatorEvent&) override {}
  void After(const runtime::OperatorEvent& event) override {
    if (event.op.subgraph != SubgraphId(0)) return;
    const graph::Operator& op = interpreter_.program()
                                    ->model()
                                    .subgraphs[0]
                                    .operators[event.op.op.index()];
    for (size_t i = 0; i < event.outputs.size(); ++i) {
      const kernels::Tensor* output = event.outputs[i];
      // A handle shows the variable, which operators change.
      if (output == nullptr || output->data == nullptr ||
          output->type == kernels::Type::kResource) {
        continue;
      }
      values[op.outputs[i]].assign(output->data, output->data + output->bytes);
    }
  }
  std::map<TensorId, std::vector<std::byte>> values;

 private:
  Interpreter& interpreter_;
};

struct Count {
  int readable = 0;
  int recycled = 0;
};

void CheckAll(const std::string& name, const ModelFile& model, Count* count) {
  SCOPED_TRACE(name);
  auto interpreter = MakeInterpreter(model);
  ASSERT_TRUE(interpreter->AllocateTensors());
  Written written(*interpreter);
  interpreter->SetObserver(&written);
  ASSERT_TRUE(FillInputs(*interpreter));
  ASSERT_TRUE(interpreter->Invoke());
  for (const auto& [id, value] : written.values) {
    const auto view = interpreter->tensor(id);
    if (view) {
      ++count->readable;
      EXPECT_TRUE(std::equal(value.begin(), value.end(), view->data.begin(),
                             view->data.end()))
          << "tensor " << id.value() << " is not what was written";
      continue;
    }
    ++count->recycled;
    EXPECT_NE(view.error().what.find(" overwrote them"), std::string::npos)
        << view.error().ToString();
    EXPECT_NE(view.error().what.find("operator "), std::string::npos);
  }
}

// With all of them on the list, all of them can be read.
void CheckKept(const std::string& name, const ModelFile& model) {
  SCOPED_TRACE(name);
  InterpreterOptions options;
  options.rules.inputs = schedule::Io::kKeep;
  const size_t tensors = model.graph.subgraphs[0].tensors.size();
  for (size_t t = 0; t < tensors; ++t) {
    options.rules.keep.push_back({SubgraphId(0), TensorId::FromIndex(t)});
  }
  auto interpreter = MakeInterpreter(model, options);
  ASSERT_TRUE(interpreter->AllocateTensors());
  Written written(*interpreter);
  interpreter->SetObserver(&written);
  ASSERT_TRUE(FillInputs(*interpreter));
  ASSERT_TRUE(interpreter->Invoke());
  EXPECT_FALSE(written.values.empty());
  for (const auto& [id, value] : written.values) {
    const auto view = interpreter->tensor(id);
    ASSERT_TRUE(view) << view.error().ToString();
    EXPECT_TRUE(std::equal(value.begin(), value.end(), view->data.begin(),
                           view->data.end()))
        << "tensor " << id.value();
  }
  ASSERT_TRUE(interpreter->Invoke());  // Inputs are still there.
}

std::vector<std::pair<std::string, ModelPointer>> Models() {
  std::vector<std::pair<std::string, ModelPointer>> models;
  models.emplace_back("four_operators", ModelOf(examples::FourOperators()));
  models.emplace_back("while_loop", ModelOf(examples::WhileLoop()));
  models.emplace_back("if_branch", ModelOf(examples::IfBranch()));
  models.emplace_back("lstm_state", ModelOf(examples::LstmState()));
  for (const char* name :
       {"mlperf_kws_dscnn_int8", "mlperf_resnet8_int8",
        "mlperf_kws_dscnn_hybrid", "mww_vad_int8", "tflm_person_detect_int8",
        "generated/if_branch_f32", "generated/lstm_stream_fused_int8",
        "generated/nas_randwired_int8", "generated/control_unrolled_rnn_f32",
        "aeq_toy_kv_cache_multisig", "unit/topo_sort_fork_split"}) {
    if (ModelPointer model = SharedModel(name)) {
      models.emplace_back(name, std::move(model));
    }
  }
  return models;
}

TEST(RecycledTest, WhatCanBeReadIsTrueAndTheRestNamesItsOverwriter) {
  Count count;
  for (const auto& [name, model] : Models()) CheckAll(name, *model, &count);
  EXPECT_GT(count.readable, 4);
  EXPECT_GT(count.recycled, 4);
}

TEST(RecycledTest, TensorsOnTheListStay) {
  for (const auto& [name, model] : Models()) CheckKept(name, *model);
}

// The plan of the runtime is the one of the table of operators: no reference
// kernel has a right that it does not declare, or one too many.
TEST(RecycledTest, ReferenceKernelsHaveTheRightsOfTheTable) {
  for (const char* folder : {"models", "models/generated", "models/unit"}) {
    STOWPLAN_SKIP_WITHOUT(SharedFolder() / folder);
    for (const auto& entry :
         std::filesystem::directory_iterator(SharedFolder() / folder)) {
      if (entry.path().extension() != ".tflite") continue;
      const auto model = ModelFile::Read(entry.path());
      if (!model) continue;
      InterpreterOptions options;
      options.planner = [](const plan::Problem& problem) -> Result<plan::Plan> {
        plan::Plan plan;
        Bytes next = 0;
        for (const plan::Buffer& buffer : problem.buffers()) {
          plan.offsets.push_back(next);
          next += buffer.size;
        }
        return plan;
      };
      auto interpreter = MakeInterpreter(**model, options);
      if (interpreter == nullptr || !interpreter->AllocateTensors()) continue;
      for (const auto& subgraph : interpreter->program()->model().subgraphs) {
        for (const graph::Operator& op : subgraph.operators) {
          EXPECT_FALSE(op.in_place) << entry.path() << ": " << op.type;
        }
      }
    }
  }
}

}  // namespace
}  // namespace stowplan::tests
