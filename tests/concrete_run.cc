// SPDX-License-Identifier: Apache-2.0
#include "tests/concrete_run.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace stowplan {
namespace {

using engines::Layout;
using engines::Owner;
using engines::Piece;
using graph::TensorId;

uint64_t Mix(uint64_t a, uint64_t b) {
  uint64_t z = (a ^ (b + 0x9E3779B97F4A7C15u)) * 0xBF58476D1CE4E5B9u;
  return z ^ (z >> 29);
}

// Each byte is a 64-bit cell, so that two values are never equal by chance.
class Machine {
 public:
  Machine(const graph::Model& model, const Layout& layout, bool upwards)
      : main_(model.subgraphs[0]), layout_(layout), upwards_(upwards) {
    memory_.resize(static_cast<size_t>(layout.regions[0].bytes));
    truth_.resize(main_.tensors.size());
    for (size_t t = 0; t < main_.tensors.size(); ++t) {
      truth_[t].resize(
          static_cast<size_t>(graph::SizeOf(main_.tensors[t]).value_or(0)));
    }
  }

  bool Run() {
    for (TensorId input : main_.inputs) {
      for (size_t i = 0; i < truth_[input.index()].size(); ++i) {
        const uint64_t byte = Mix(input.index() + 1, i);
        truth_[input.index()][i] = *Byte(input, i) = byte;
      }
    }
    for (size_t i = 0; i < main_.operators.size(); ++i) {
      if (!RunOperator(i)) return false;
    }
    return std::all_of(main_.outputs.begin(), main_.outputs.end(),
                       [this](TensorId id) { return IsRight(id); });
  }

 private:
  uint64_t* Byte(TensorId id, size_t i) {
    const Piece& piece = layout_.pieces[*layout_.piece_of[0][id.index()]];
    return &memory_[static_cast<size_t>(*piece.offset) + i];
  }

  bool IsRight(TensorId id) {
    for (size_t i = 0; i < truth_[id.index()].size(); ++i) {
      if (truth_[id.index()][i] != *Byte(id, i)) return false;
    }
    return true;
  }

  // Byte `i` of an output from the operands as `read` gives them. Operators
  // that may overwrite work element by element, the others on everything.
  template <class Read>
  uint64_t Compute(size_t index, size_t output, size_t i, const Read& read) {
    const graph::Operator& op = main_.operators[index];
    const graph::OpTraits& traits = graph::TraitsOf(op.kind);
    if (traits.sharing == graph::Sharing::kView) return read(op.inputs[0], i);
    uint64_t value = Mix(index * 7 + output, i);
    for (TensorId input : op.inputs) {
      const size_t size = truth_[input.index()].size();
      if (traits.sharing == graph::Sharing::kOverwrite) {
        value = Mix(value, read(input, i));
        continue;
      }
      for (size_t k = 0; k < size; ++k) value = Mix(value, read(input, k));
    }
    return value;
  }

  bool RunOperator(size_t index) {
    const graph::Operator& op = main_.operators[index];
    for (TensorId input : op.inputs) {
      if (!IsRight(input)) return false;
    }
    if (!UseScratch(index)) return false;
    auto true_byte = [this](TensorId id, size_t i) {
      return truth_[id.index()][i];
    };
    auto real_byte = [this](TensorId id, size_t i) { return *Byte(id, i); };
    for (size_t o = 0; o < op.outputs.size(); ++o) {
      const size_t size = truth_[op.outputs[o].index()].size();
      for (size_t i = 0; i < size; ++i) {
        truth_[op.outputs[o].index()][i] = Compute(index, o, i, true_byte);
      }
    }
    for (size_t o = 0; o < op.outputs.size(); ++o) {
      const size_t size = truth_[op.outputs[o].index()].size();
      for (size_t n = 0; n < size; ++n) {
        const size_t i = upwards_ ? n : size - 1 - n;
        *Byte(op.outputs[o], i) = Compute(index, o, i, real_byte);
      }
    }
    return std::all_of(op.outputs.begin(), op.outputs.end(),
                       [this](TensorId id) { return IsRight(id); }) &&
           ScratchIsIntact(index);
  }

  // Fills it; the operands must survive.
  bool UseScratch(size_t index) {
    for (const Piece& piece : layout_.pieces) {
      if (piece.owner != Owner::kScratch || piece.op.op.index() != index) {
        continue;
      }
      const auto begin = static_cast<size_t>(*piece.offset);
      for (size_t i = 0; i < static_cast<size_t>(piece.bytes); ++i) {
        memory_[begin + i] = Mix(index + 99, i);
      }
    }
    const auto& inputs = main_.operators[index].inputs;
    return std::all_of(inputs.begin(), inputs.end(),
                       [this](TensorId id) { return IsRight(id); });
  }

  bool ScratchIsIntact(size_t index) {
    for (const Piece& piece : layout_.pieces) {
      if (piece.owner != Owner::kScratch || piece.op.op.index() != index) {
        continue;
      }
      const auto begin = static_cast<size_t>(*piece.offset);
      for (size_t i = 0; i < static_cast<size_t>(piece.bytes); ++i) {
        if (memory_[begin + i] != Mix(index + 99, i)) {
          return false;
        }
      }
    }
    return true;
  }

  const graph::Subgraph& main_;
  const Layout& layout_;
  bool upwards_;
  std::vector<uint64_t> memory_;
  std::vector<std::vector<uint64_t>> truth_;  // By tensor.
};

}  // namespace

bool RunsRight(const graph::Model& model, const Layout& layout) {
  return Machine(model, layout, true).Run() &&
         Machine(model, layout, false).Run();
}

}  // namespace stowplan
