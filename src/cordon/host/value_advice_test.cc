#include "cordon/host/value_advice.h"

#include <gtest/gtest.h>

namespace cordon::host {
namespace {

using js::RefusedAs;

js::Unserializable object(std::string class_name, std::string place) {
  return {"an object of class " + class_name, std::move(place), RefusedAs::object,
          std::move(class_name)};
}

std::string advice_on(const js::Unserializable& refused) {
  return advice_on_value(refused, Leaving::as_result);
}

TEST(ValueAdvice, NamesThePartAsTheProgramWould) {
  EXPECT_EQ(advice_on(object("Date", "createdAt")), "write createdAt.toISOString()");
  EXPECT_EQ(advice_on(object("Date", "rows[1].when")), "write rows[1].when.toISOString()");
  EXPECT_EQ(advice_on(object("Date", "[1].when")), "write result[1].when.toISOString()");
  EXPECT_EQ(advice_on(object("Date", "[\"a b\"]")), "write result[\"a b\"].toISOString()");
  EXPECT_EQ(advice_on(object("Date", "")), "write result.toISOString()");
  EXPECT_EQ(advice_on_value(object("Date", ""), Leaving::as_input), "write argument.toISOString()");
  EXPECT_EQ(advice_on(object("Map", "$map")), "write Object.fromEntries($map)");
}

TEST(ValueAdvice, KnowsTheClassesOfTheLanguage) {
  const std::pair<const char*, const char*> cases[] = {
      {"Map", "write Object.fromEntries(x)"},
      {"Set", "write [...x]"},
      {"Error", "write x.message"},
      {"RegExp", "write String(x)"},
      {"URL", "write x.href"},
      {"URLSearchParams", "write Object.fromEntries(x)"},
      {"Uint8Array", "write Array.from(x)"},
      {"BigInt64Array", "write Array.from(x, String)"},
      {"ArrayBuffer", "write Array.from(new Uint8Array(x))"},
      {"Map Iterator", "write [...x]"},
      {"Generator", "write [...x]"},
      {"Promise", "it is a promise: write await x"},
      {"WeakMap", "write a plain object with what is wanted of x"},
  };
  for (const auto& [name, text] : cases) EXPECT_EQ(advice_on(object(name, "x")), text);
  EXPECT_EQ(advice_on(object("Promise", "users[0]")), "write await Promise.all(users)");
  EXPECT_EQ(advice_on(object("Promise", "[3]")), "write await Promise.all(result)");
}

TEST(ValueAdvice, KnowsOtherReasons) {
  const std::pair<RefusedAs, const char*> cases[] = {
      {RefusedAs::bigint, "write String(a.b), or Number(a.b) if it is below 2 ** 53"},
      {RefusedAs::function, "write what it returns, as in a.b(), or leave it out"},
      {RefusedAs::symbol, "write a.b.description"},
      {RefusedAs::number, "write Number.isFinite(a.b) ? a.b : null"},
      {RefusedAs::cycle, "leave out a.b, which leads back to an object that it is part of"},
      {RefusedAs::instance, "write an object with what is wanted of it, as in {name: a.b.name}"},
      {RefusedAs::depth, "write a list in place of objects that are nested so deeply"},
      {RefusedAs::size, "write less of it, such as a part or a summary"},
      {RefusedAs::getter, ""},
      {RefusedAs::other, ""},
  };
  for (const auto& [why, text] : cases) EXPECT_EQ(advice_on({"", "a.b", why}), text);
  EXPECT_EQ(advice_on({"", "a.b", RefusedAs::instance, "", true}), "write {...a.b}");
}

TEST(ValueAdvice, KnowsWhatJsonWouldLetOut) {
  for (const char* name : {"Date", "URL", "String"})
    EXPECT_TRUE(may_leave_as_json(object(name, ""))) << name;
  for (const char* name : {"Map", "Set", "Error", "RegExp", "Uint8Array", "Promise"})
    EXPECT_FALSE(may_leave_as_json(object(name, ""))) << name;
  EXPECT_TRUE(may_leave_as_json({"", "", RefusedAs::instance, "", true}));
  EXPECT_FALSE(may_leave_as_json({"", "", RefusedAs::instance, "", false}));
  EXPECT_FALSE(may_leave_as_json({"", "", RefusedAs::bigint}));
}

}  // namespace
}  // namespace cordon::host
