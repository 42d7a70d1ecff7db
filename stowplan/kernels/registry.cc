// SPDX-License-Identifier: Apache-2.0
#include "stowplan/kernels/registry.h"

#include <algorithm>
#include <string>

#include "stowplan/kernels/reference/families.h"

namespace stowplan::kernels {
namespace {

bool TypeLess(const Kernel& kernel, std::string_view type) {
  return kernel.type < type;
}

}  // namespace

Registry Registry::Reference() {
  Registry registry;
  for (const Kernel& kernel : reference::AllKernels()) {
    registry.kernels_.push_back(kernel);
  }
  std::sort(registry.kernels_.begin(), registry.kernels_.end(),
            [](const Kernel& a, const Kernel& b) { return a.type < b.type; });
  return registry;
}

Status Registry::Add(const Kernel& kernel) {
  if (kernel.type.empty() || kernel.prepare == nullptr ||
      kernel.run == nullptr) {
    return UsageError("operator '" + std::string(kernel.type) + "'",
                      "a kernel needs a type, Prepare and Run");
  }
  auto place =
      std::lower_bound(kernels_.begin(), kernels_.end(), kernel.type, TypeLess);
  if (place != kernels_.end() && place->type == kernel.type) {
    *place = kernel;
  } else {
    kernels_.insert(place, kernel);
  }
  return {};
}

const Kernel* Registry::Find(std::string_view type) const {
  auto place =
      std::lower_bound(kernels_.begin(), kernels_.end(), type, TypeLess);
  return place == kernels_.end() || place->type != type ? nullptr : &*place;
}

tl::unexpected<Error> Unsupported(const Node& node, std::string what) {
  std::string types;
  for (const Tensor* tensor : node.inputs) {
    types += types.empty() ? "" : ", ";
    types += tensor == nullptr ? "-" : NameOf(tensor->type);
  }
  types += " ->";
  for (const Tensor* tensor : node.outputs) {
    types += " " + std::string(tensor == nullptr ? "-" : NameOf(tensor->type));
  }
  return BadInput(std::string(node.type) + " (" + types + ")", std::move(what),
                  "register a kernel of your own for it, or convert the model "
                  "without it");
}

}  // namespace stowplan::kernels
