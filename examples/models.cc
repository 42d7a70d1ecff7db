// SPDX-License-Identifier: Apache-2.0
#include "examples/models.h"

namespace stowplan::examples {

std::span<const Example> AllExamples() {
  static constexpr Example kExamples[] = {
      {"four_operators", FourOperators},
      {"mobilenet_v2_224_f32",
       [] { return MobileNetV2(Arithmetic::kFloat32); }},
      {"mobilenet_v2_224_int8", [] { return MobileNetV2(Arithmetic::kInt8); }},
      {"detector_640_f32", [] { return Detector640(Arithmetic::kFloat32); }},
      {"detector_640_int8", [] { return Detector640(Arithmetic::kInt8); }},
      {"lstm_state", LstmState},
      {"while_loop", WhileLoop},
      {"if_branch", IfBranch},
      {"dynamic_shape", DynamicShape},
  };
  return kExamples;
}

}  // namespace stowplan::examples
