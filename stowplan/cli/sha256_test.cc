// SPDX-License-Identifier: Apache-2.0
#include "stowplan/cli/sha256.h"

#include <gtest/gtest.h>

#include <string_view>

namespace stowplan::cli {
namespace {

std::string Digest(std::string_view text) {
  return Sha256(std::as_bytes(std::span(text.data(), text.size())));
}

// The examples of FIPS 180 and of NIST's list of intermediate values.
TEST(Sha256Test, GivesThePublishedDigests) {
  EXPECT_EQ(Digest(""),
            "e3b0c44298fc1c149afbf4c8996fb924"
            "27ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Digest("abc"),
            "ba7816bf8f01cfea414140de5dae2223"
            "b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039"
            "a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Digest(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67"
            "f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256Test, TakesEveryLengthOfTheLastBlock) {
  std::string text;
  std::string last;
  for (int i = 0; i < 130; ++i) {
    const std::string digest = Digest(text);
    EXPECT_EQ(digest.size(), 64u);
    EXPECT_NE(digest, last);
    last = digest;
    text += 'a';
  }
}

}  // namespace
}  // namespace stowplan::cli
