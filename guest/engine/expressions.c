// Part of engine.c, which includes it after quickjs.c: an error of the engine names the expression
// that it is about: "order.items is not iterable". Nothing is kept for this while a program runs.
// When such an error is made, the function's code is read again, from its beginning, since
// instructions can only be told apart in this direction; then backwards from the one that failed,
// to what has pushed its operand.

enum {
  MOST_CODE = 1 << 16,  // of a function; in a longer one, nothing is named
  MOST_INSTRUCTIONS = 256,
  MOST_EXPRESSION = 120,
  MOST_PARTS = 16,
  NOWHERE = -1,
};

typedef struct {
  JSContext* ctx;
  const JSFunctionBytecode* b;
  const uint8_t* code;
  int end;    // of the last instruction
  int count;  // of the last instructions up to there
  int places[MOST_INSTRUCTIONS];
  int targets[MOST_INSTRUCTIONS];  // where each may jump to, or NOWHERE
} Listing;

typedef struct {
  uint32_t size;
  int parts;
  char text[MOST_EXPRESSION + 1];
} Expression;

static int jump_target(const uint8_t* code, int at) {
  switch (short_opcode_info(code[at]).fmt) {
    case OP_FMT_label8:
      return at + 1 + (int8_t)code[at + 1];
    case OP_FMT_label16:
      return at + 1 + (int16_t)get_u16(code + at + 1);
    case OP_FMT_label:
    case OP_FMT_label_u16:
      return code[at] == OP_catch || code[at] == OP_gosub
                 ? NOWHERE
                 : at + 1 + (int32_t)get_u32(code + at + 1);
    default:
      return NOWHERE;
  }
}

static void list(Listing* listing, int end) {
  listing->end = end;
  listing->count = 0;
  for (int at = 0; at < end; at += short_opcode_info(listing->code[at]).size) {
    if (listing->count == MOST_INSTRUCTIONS) {
      listing->count = MOST_INSTRUCTIONS / 2;
      memmove(listing->places, listing->places + listing->count, sizeof listing->places / 2);
      memmove(listing->targets, listing->targets + listing->count, sizeof listing->targets / 2);
    }
    listing->places[listing->count] = at;
    listing->targets[listing->count++] = jump_target(listing->code, at);
  }
}

static int pops(const uint8_t* code) {
  int count = short_opcode_info(*code).n_pop;
  switch (short_opcode_info(*code).fmt) {
    case OP_FMT_npop:
    case OP_FMT_npop_u16:
      return count + get_u16(code + 1);
    case OP_FMT_npopx:
      return count + *code - OP_call0;
    default:
      return count;
  }
}

static bool never_goes_on(uint8_t opcode) {
  return opcode == OP_goto || opcode == OP_goto8 || opcode == OP_goto16 || opcode == OP_return ||
         opcode == OP_return_undef || opcode == OP_return_async || opcode == OP_throw ||
         opcode == OP_throw_error || opcode == OP_tail_call || opcode == OP_tail_call_method ||
         opcode == OP_ret;
}

// Which of the instructions before number `next` has pushed what then lies `*depth` below the top
// of the stack. `*depth` is then how far from the top of what that instruction pushes.
static int producer(const Listing* listing, int next, int* depth) {
  int number = next;
  while (number-- > 0) {
    const uint8_t* code = listing->code + listing->places[number];
    if (never_goes_on(*code)) {
      // What follows it is reached by a jump over it, as in `a ? b : c`.
      int after = listing->places[number] + short_opcode_info(*code).size;
      while (number > 0 && listing->targets[number - 1] != after) --number;
      if (number == 0 || never_goes_on(listing->code[listing->places[number - 1]])) return NOWHERE;
      continue;
    }
    int pushed = short_opcode_info(*code).n_push;
    if (*depth < pushed) break;
    *depth += pops(code) - pushed;
  }
  if (number < 0) return NOWHERE;
  // It may come from elsewhere, if a jump from before it leads behind it.
  int end = next < listing->count ? listing->places[next] : listing->end;
  for (int i = 0; i < number; ++i) {
    if (listing->targets[i] > listing->places[number] && listing->targets[i] <= end) return NOWHERE;
  }
  return number;
}

static bool put_part(Expression* out, const char* text) {
  size_t size = strlen(text);
  if (size > MOST_EXPRESSION - out->size) return false;
  memcpy(out->text + out->size, text, size + 1);
  out->size += (uint32_t)size;
  return true;
}

static bool put_atom(Listing* listing, Expression* out, JSAtom atom) {
  if (atom == JS_ATOM_NULL || atom == JS_ATOM_empty_string) return false;
  const char* text = JS_AtomToCString(listing->ctx, atom);
  bool good = text && *text != '<' && put_part(out, text);
  JS_FreeCString(listing->ctx, text);
  return good;
}

static bool put_name(Listing* listing, Expression* out, const JSVarDef* variables, int index) {
  return variables && put_atom(listing, out, variables[index].var_name);
}

static bool put_integer(Expression* out, int number) {
  char text[12];
  snprintf(text, sizeof text, "%d", number);
  return put_part(out, text);
}

static bool put_quoted(Listing* listing, Expression* out, const char* text) {
  (void)listing;
  return text && !strpbrk(text, "\"\n\r") && put_part(out, "\"") && put_part(out, text) &&
         put_part(out, "\"");
}

static bool put_quoted_atom(Listing* listing, Expression* out, JSAtom atom) {
  const char* text = JS_AtomToCString(listing->ctx, atom);
  bool good = put_quoted(listing, out, text);
  JS_FreeCString(listing->ctx, text);
  return good;
}

static bool put_literal(Listing* listing, Expression* out, uint32_t index) {
  JSValueConst value = listing->b->cpool[index];
  if (!JS_IsString(value) && !JS_IsNumber(value)) return false;
  const char* text = JS_ToCString(listing->ctx, value);
  bool good = JS_IsString(value) ? put_quoted(listing, out, text) : text && put_part(out, text);
  JS_FreeCString(listing->ctx, text);
  return good;
}

static bool put_operand(Listing* listing, Expression* out, int next, int depth);

// What the text of it does not show is written as V8 does.
static void put_any_operand(Listing* listing, Expression* out, int next, int depth) {
  uint32_t size = out->size;
  if (put_operand(listing, out, next, depth)) return;
  out->size = size;
  put_part(out, "(intermediate value)");
}

// What instruction `number` pushes, `depth` below the top.
static bool put_pushed(Listing* listing, Expression* out, int number, int depth) {
  const JSFunctionBytecode* b = listing->b;
  const uint8_t* code = listing->code + listing->places[number];
  const JSVarDef* locals = b->vardefs ? b->vardefs + b->arg_count : NULL;
  int opcode = *code;
  if (++out->parts > MOST_PARTS) return false;
  switch (opcode) {
    case OP_get_loc:
    case OP_get_loc_check:
      return put_name(listing, out, locals, get_u16(code + 1));
    case OP_get_loc8:
      return put_name(listing, out, locals, code[1]);
    case OP_get_loc0:
    case OP_get_loc1:
    case OP_get_loc2:
    case OP_get_loc3:
      return put_name(listing, out, locals, opcode - OP_get_loc0);
    case OP_get_loc0_loc1:
      return put_name(listing, out, locals, 1 - depth);
    case OP_get_arg:
      return put_name(listing, out, b->vardefs, get_u16(code + 1));
    case OP_get_arg0:
    case OP_get_arg1:
    case OP_get_arg2:
    case OP_get_arg3:
      return put_name(listing, out, b->vardefs, opcode - OP_get_arg0);
    case OP_get_var_ref:
    case OP_get_var_ref_check:
      return put_atom(listing, out, b->closure_var[get_u16(code + 1)].var_name);
    case OP_get_var_ref0:
    case OP_get_var_ref1:
    case OP_get_var_ref2:
    case OP_get_var_ref3:
      return put_atom(listing, out, b->closure_var[opcode - OP_get_var_ref0].var_name);
    case OP_get_var:
    case OP_get_var_undef:
    case OP_push_atom_value:
      return opcode == OP_push_atom_value ? put_quoted_atom(listing, out, get_u32(code + 1))
                                          : put_atom(listing, out, get_u32(code + 1));
    case OP_push_this:
      return put_part(out, "this");
    case OP_undefined:
      return put_part(out, "undefined");
    case OP_null:
      return put_part(out, "null");
    case OP_push_true:
      return put_part(out, "true");
    case OP_push_false:
      return put_part(out, "false");
    case OP_push_empty_string:
      return put_part(out, "\"\"");
    case OP_push_minus1:
    case OP_push_0:
    case OP_push_1:
    case OP_push_2:
    case OP_push_3:
    case OP_push_4:
    case OP_push_5:
    case OP_push_6:
    case OP_push_7:
      return put_integer(out, opcode - OP_push_0);
    case OP_push_i8:
      return put_integer(out, (int8_t)code[1]);
    case OP_push_i16:
      return put_integer(out, (int16_t)get_u16(code + 1));
    case OP_push_i32:
      return put_integer(out, (int32_t)get_u32(code + 1));
    case OP_push_const8:
      return put_literal(listing, out, code[1]);
    case OP_push_const:
      return put_literal(listing, out, get_u32(code + 1));
    case OP_get_length:
      put_any_operand(listing, out, number, 0);
      return put_part(out, ".length");
    case OP_get_field2:
      if (depth == 1) return put_operand(listing, out, number, 0);
      // fallthrough
    case OP_get_field:
      put_any_operand(listing, out, number, 0);
      return put_part(out, ".") && put_atom(listing, out, get_u32(code + 1));
    case OP_get_array_el2:
      if (depth == 1) return put_operand(listing, out, number, 1);
      // fallthrough
    case OP_get_array_el:
      put_any_operand(listing, out, number, 1);
      if (!put_part(out, "[")) return false;
      put_any_operand(listing, out, number, 0);
      return put_part(out, "]");
    case OP_call:
    case OP_call0:
    case OP_call1:
    case OP_call2:
    case OP_call3:
    case OP_call_method: {
      int arguments = pops(code) - (opcode == OP_call_method ? 2 : 1);
      put_any_operand(listing, out, number, arguments);
      return put_part(out, "(...)");
    }
    default:
      return false;
  }
}

// What a pattern takes apart is written behind it, and a jump from there leads back to the pattern.
static bool put_assigned(Listing* listing, Expression* out, int place) {
  const uint8_t* code = listing->code;
  int length = listing->b->byte_code_len;
  for (int at = place; at < length; at += short_opcode_info(code[at]).size) {
    if (!never_goes_on(code[at]) || jump_target(code, at) != place) continue;
    list(listing, at);
    return put_operand(listing, out, listing->count, 0);
  }
  return false;
}

// Where a value comes from that an instruction only moves or copies: how far it was from the top
// before. The instruction itself takes and leaves the same values.
static int moved_from(int opcode, int depth) {
  switch (opcode) {
    case OP_dup:
      return 0;
    case OP_swap:  // a b -> b a
      return 1 - depth;
    case OP_perm3:  // a b c -> b a c
      return depth == 0 ? 0 : 3 - depth;
    case OP_rot3l:  // a b c -> b c a
      return (depth + 2) % 3;
    case OP_rot3r:  // a b c -> c a b
      return (depth + 1) % 3;
    default:
      return NOWHERE;
  }
}

static bool put_operand(Listing* listing, Expression* out, int next, int depth) {
  int above = depth;
  int number = producer(listing, next, &above);
  for (int from; number >= 0; number = producer(listing, number, &above)) {
    from = moved_from(listing->code[listing->places[number]], above);
    if (from == NOWHERE) break;
    above = from;
  }
  bool is_known = number >= 0 && listing->code[listing->places[number]] != OP_undefined;
  if (is_known) return put_pushed(listing, out, number, above);
  if (depth == 0 && next < listing->count && put_assigned(listing, out, listing->places[next]))
    return true;
  return number >= 0 && put_part(out, "undefined");
}

// The kinds of errors that can name something.
static bool has_text(JSContext* ctx, JSValueConst message, const char* expected) {
  if (!JS_IsString(message)) return false;
  const char* text = JS_ToCString(ctx, message);
  bool is_same = text && strcmp(text, expected) == 0;
  JS_FreeCString(ctx, text);
  return is_same;
}

static bool ends_in(JSContext* ctx, JSValueConst message, const char* expected) {
  if (!JS_IsString(message)) return false;
  size_t size;
  const char* text = JS_ToCStringLen(ctx, &size, message);
  size_t end = strlen(expected);
  bool is_same = text && size >= end && strcmp(text + size - end, expected) == 0;
  JS_FreeCString(ctx, text);
  return is_same;
}

static void set_message(JSContext* ctx, JSValueConst error, const char* text) {
  JS_DefinePropertyValue(ctx, error, JS_ATOM_message, JS_NewString(ctx, text),
                         JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
}

static const char* plain_text(JSValueConst value) {
  if (JS_IsUndefined(value)) return "undefined";
  if (JS_IsNull(value)) return "null";
  return "(intermediate value)";
}

// The first property that a pattern reads.
static JSAtom first_property(const JSFunctionBytecode* b, const uint8_t* code) {
  enum { MOST_STEPS = 6 };
  const uint8_t* end = b->byte_code_buf + b->byte_code_len;
  for (int i = 0; i < MOST_STEPS && code < end; ++i) {
    if (*code == OP_get_field || *code == OP_get_field2) return get_u32(code + 1);
    code += short_opcode_info(*code).size;
  }
  return JS_ATOM_NULL;
}

static void name_pattern(Listing* listing, JSValueConst error, JSValueConst value,
                         const uint8_t* next) {
  JSContext* ctx = listing->ctx;
  Expression what = {0};
  char text[MOST_EXPRESSION + 200];
  char name[64];
  JSAtom property = first_property(listing->b, next);
  if (!put_operand(listing, &what, listing->count - 1, 0))
    snprintf(what.text, sizeof what.text, "%s", plain_text(value));
  if (property == JS_ATOM_NULL)
    snprintf(text, sizeof text, "Cannot destructure '%s' as it is %s.", what.text,
             plain_text(value));
  else
    snprintf(text, sizeof text, "Cannot destructure property '%s' of '%s' as it is %s.",
             JS_AtomGetStr(ctx, name, sizeof name, property), what.text, plain_text(value));
  set_message(ctx, error, text);
}

// `value` lies `depth` below the top.
static void name_operand(Listing* listing, JSValueConst error, JSValueConst value, int depth,
                         const char* complaint) {
  Expression what = {0};
  char text[MOST_EXPRESSION + 64];
  if (!put_operand(listing, &what, listing->count - 1, depth))
    cordon_kind_of(listing->ctx, value, what.text, sizeof what.text);
  snprintf(text, sizeof text, "%s %s", what.text, complaint);
  set_message(listing->ctx, error, text);
}

// An instruction that ends at `next` has thrown the current exception, which is one of the engine's
// and has no stack yet.
static no_inline void cordon_name_error(JSContext* ctx, JSFunctionBytecode* b, const uint8_t* next,
                                        JSValue* sp) {
  // Too large for a stack that a program may have used up, and for the data that every program
  // touches.
  static Listing* listing;
  JSValueConst error = ctx->rt->current_exception;
  JSProperty* property;
  if (!JS_IsObject(error) || JS_VALUE_GET_OBJ(error)->class_id != JS_CLASS_ERROR ||
      b->filename == JS_ATOM_NULL || next - b->byte_code_buf > MOST_CODE ||
      b->byte_code_len > MOST_CODE ||
      !find_own_property(&property, JS_VALUE_GET_OBJ(error), JS_ATOM_message))
    return;
  JSValueConst message = property->u.value;
  bool not_function = ends_in(ctx, message, "not a function");
  bool not_constructor = has_text(ctx, message, "not a constructor");
  bool not_iterable = ends_in(ctx, message, " is not iterable");
  bool not_object = has_text(ctx, message, "Cannot convert undefined or null to object");
  bool not_number = has_text(ctx, message, "Cannot convert a BigInt value to a number");
  if (!not_function && !not_constructor && !not_iterable && !not_object && !not_number) return;

  if (!listing) listing = malloc(sizeof *listing);
  if (!listing) return;
  *listing = (Listing){.ctx = ctx, .b = b, .code = b->byte_code_buf};
  list(listing, (int)(next - b->byte_code_buf));
  if (listing->count == 0) return;
  const uint8_t* code = listing->code + listing->places[listing->count - 1];
  switch (*code) {
    case OP_call:
    case OP_call0:
    case OP_call1:
    case OP_call2:
    case OP_call3:
    case OP_tail_call:
    case OP_call_method:
    case OP_tail_call_method: {
      bool is_method = *code == OP_call_method || *code == OP_tail_call_method;
      int arguments = pops(code) - (is_method ? 2 : 1);
      if (not_function && !JS_IsFunction(ctx, sp[-1 - arguments]))
        name_operand(listing, error, sp[-1 - arguments], arguments, "is not a function");
      break;
    }
    case OP_apply: {
      bool is_new = get_u16(code + 1) & 1;
      if (not_function && !is_new && !JS_IsFunction(ctx, sp[-3]))
        name_operand(listing, error, sp[-3], 2, "is not a function");
      if ((not_function || not_constructor) && is_new && !JS_IsConstructor(ctx, sp[-3]))
        name_operand(listing, error, sp[-3], 2, "is not a constructor");
      break;
    }
    case OP_call_constructor: {
      int arguments = pops(code) - 2;
      if (!JS_IsConstructor(ctx, sp[-2 - arguments]))
        name_operand(listing, error, sp[-2 - arguments], arguments + 1, "is not a constructor");
      break;
    }
    case OP_for_of_start:
    case OP_append:
      if (not_iterable) name_operand(listing, error, sp[-1], 0, "is not iterable");
      break;
    case OP_for_await_of_start:
      if (not_iterable) name_operand(listing, error, sp[-1], 0, "is not async iterable");
      break;
    case OP_to_object:
      if (not_object && (JS_IsUndefined(sp[-1]) || JS_IsNull(sp[-1])))
        name_pattern(listing, error, sp[-1], next);
      break;
    case OP_add:
    case OP_sub:
    case OP_mul:
    case OP_div:
    case OP_mod:
    case OP_pow:
    case OP_and:
    case OP_or:
    case OP_xor:
    case OP_shl:
    case OP_sar:
    case OP_shr:
    case OP_add_loc:
      if (not_number)
        set_message(ctx, error, "Cannot mix BigInt and other types, use explicit conversions");
      break;
    default:
      break;
  }
}
