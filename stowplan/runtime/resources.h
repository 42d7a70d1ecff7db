// SPDX-License-Identifier: Apache-2.0
//
// Resource variables that several interpreters of one model share, such as
// the cache that one signature fills and another one reads:
//
//   Resources resources;
//   options.resources = &resources;
//   options.signature = "prefill";
//   STOWPLAN_TRY(prefill, Interpreter::Create(model, options));
//   options.signature = "decode";
//   STOWPLAN_TRY(decode, Interpreter::Create(model, options));
//
// Without it every interpreter keeps the variables in its own persistent
// memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "stowplan/base/bytes.h"
#include "stowplan/base/error.h"
#include "stowplan/graph/model.h"
#include "stowplan/runtime/arena.h"
#include "stowplan/runtime/program.h"

namespace stowplan::runtime {

// Must outlive the interpreters that use it. They run one at a time.
class Resources {
 public:
  Resources() = default;
  // In the caller's memory, which must outlive this object.
  explicit Resources(std::span<std::byte> memory) : given_(memory) {}
  Resources(const Resources&) = delete;
  Resources& operator=(const Resources&) = delete;

  // What all variables take.
  Bytes bytes() const { return bytes_; }
  // Every variable to zero; what CALL_ONCE initialises is initialised again.
  void Reset();

  // Points the program's handles to the variables; those that are new here
  // begin at zero. Errors: kUsage if `model` is not the one that came before,
  // kBadInput if a variable has another size here than in an interpreter that
  // came before, kIo if there is too little memory.
  Status Join(const graph::Model& model, Program& program);
  // By subgraph: whether CALL_ONCE ran it.
  std::vector<bool>* called() { return &called_; }

 private:
  struct Variable {
    std::string container;
    std::string name;
    Bytes bytes = 0;
    std::unique_ptr<Arena> memory;  // On its own: variables come one by one.
  };

  Result<std::byte*> Find(const graph::Operator& handle, Bytes bytes);

  std::span<std::byte> given_;
  uint64_t model_ = 0;               // Which one they belong to.
  std::vector<Variable> variables_;  // In the order in which they came.
  std::vector<bool> called_;
  Bytes bytes_ = 0;
};

}  // namespace stowplan::runtime
