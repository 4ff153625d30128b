// Part of engine.c, which includes it after quickjs.c: ordinary objects that do not have their
// properties yet.
//
// Such an object is of the class of all ordinary objects, and is marked as exotic. So the engine
// asks the functions below for a property that is not there, which it does for no other object of
// that class. Once it has all of its properties, the mark is taken away. All code that looks at the
// properties themselves calls cordon_with_names() first (patches/asked-names.diff).

static void cordon_name_all(JSContext* ctx, JSObject* p) {
  EngineAskedNames* names = p->u.opaque;
  bool is_extensible = p->extensible;
  p->is_exotic = 0;
  p->u.opaque = NULL;
  p->extensible = true;
  names->define_all(ctx, names, JS_MKPTR(JS_TAG_OBJECT, p));
  p->extensible = is_extensible;
}

static int get_own_asked(JSContext* ctx, JSPropertyDescriptor* property, JSValueConst object,
                         JSAtom name) {
  JSObject* p = JS_VALUE_GET_OBJ(object);
  EngineAskedNames* names = p->u.opaque;
  if (JS_AtomGetKind(ctx, name) != JS_ATOM_KIND_STRING) return false;
  if (!property) return names->find(ctx, names, name, NULL);
  JSValue value;
  if (!names->find(ctx, names, name, &value)) return false;
  if (JS_IsUninitialized(value)) {
    cordon_name_all(ctx, p);
    return JS_GetOwnPropertyInternal(ctx, property, p, name);
  }
  *property = (JSPropertyDescriptor){JS_PROP_C_W_E, value, JS_UNDEFINED, JS_UNDEFINED};
  return true;
}

static int delete_asked(JSContext* ctx, JSValueConst object, JSAtom name) {
  cordon_name_all(ctx, JS_VALUE_GET_OBJ(object));
  return delete_property(ctx, JS_VALUE_GET_OBJ(object), name);
}

static int define_own_asked(JSContext* ctx, JSValueConst object, JSAtom name, JSValueConst value,
                            JSValueConst getter, JSValueConst setter, int flags) {
  cordon_name_all(ctx, JS_VALUE_GET_OBJ(object));
  return JS_DefineProperty(ctx, object, name, value, getter, setter, flags);
}

void engine_asked_names_init(JSContext* ctx) {
  static const JSClassExoticMethods methods = {
      .get_own_property = get_own_asked,
      .delete_property = delete_asked,
      .define_own_property = define_own_asked,
  };
  ctx->rt->class_array[JS_CLASS_OBJECT].exotic = &methods;
}

JSValue engine_new_asked(JSContext* ctx, EngineAskedNames* names) {
  JSValue object = JS_NewObject(ctx);
  JSObject* p = JS_VALUE_GET_OBJ(object);
  p->is_exotic = 1;
  p->u.opaque = names;
  return object;
}
