#include "cordon/protocol/execbox/manifest.h"

#include <gtest/gtest.h>

#include "cordon/json.h"

namespace cordon::execbox {
namespace {

TEST(HostManifest, HasNamesAndTypesAlone) {
  const HostManifest manifest{"shop",
                              {{"scrape_url", "scrape-url", "Reads."}, {"a", "a"}},
                              "declare namespace shop {\n}\n"};
  EXPECT_EQ(to_json(to_value(manifest)),
            R"({"name":"shop","tools":{"scrape_url":{"safeName":"scrape_url",)"
            R"("originalName":"scrape-url","description":"Reads."},)"
            R"("a":{"safeName":"a","originalName":"a"}},)"
            R"("types":"declare namespace shop {\n}\n"})");
}

}  // namespace
}  // namespace cordon::execbox
