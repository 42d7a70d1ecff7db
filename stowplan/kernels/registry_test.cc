// SPDX-License-Identifier: Apache-2.0
#include "stowplan/kernels/registry.h"

#include <gtest/gtest.h>

namespace stowplan::kernels {
namespace {

Result<Needs> PrepareNothing(const Node&) { return Needs{}; }
Status RunNothing(const Node&) { return {}; }

TEST(RegistryTest, FindsEveryRowOfTheTableByItsType) {
  const Registry registry = Registry::Reference();
  EXPECT_GE(registry.kernels().size(), 120u);
  for (const Kernel& kernel : registry.kernels()) {
    ASSERT_NE(registry.Find(kernel.type), nullptr);
    EXPECT_EQ(registry.Find(kernel.type)->run, kernel.run);
  }
}

TEST(RegistryTest, HasEachTypeOnce) {
  const Registry registry = Registry::Reference();
  for (size_t i = 1; i < registry.kernels().size(); ++i) {
    EXPECT_LT(registry.kernels()[i - 1].type, registry.kernels()[i].type);
  }
}

TEST(RegistryTest, TakesAUsersOwnOperator) {
  Registry registry;
  const int user = 7;
  Kernel kernel{"MyOperator", PrepareNothing, RunNothing};
  kernel.user = &user;
  ASSERT_TRUE(registry.Add(kernel));
  ASSERT_NE(registry.Find("MyOperator"), nullptr);
  EXPECT_EQ(registry.Find("MyOperator")->user, &user);
  EXPECT_EQ(registry.Find("AnotherOperator"), nullptr);
}

TEST(RegistryTest, ReplacesAnOperatorOfTheSameType) {
  Registry registry = Registry::Reference();
  const size_t count = registry.kernels().size();
  ASSERT_TRUE(registry.Add({"ADD", PrepareNothing, RunNothing}));
  EXPECT_EQ(registry.kernels().size(), count);
  EXPECT_EQ(registry.Find("ADD")->run, RunNothing);
}

TEST(RegistryTest, RefusesAKernelWithoutFunctions) {
  Registry registry;
  const Status status = registry.Add({"Half", PrepareNothing, nullptr});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::kUsage);
}

}  // namespace
}  // namespace stowplan::kernels
