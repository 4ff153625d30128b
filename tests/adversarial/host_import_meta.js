// expect: ok=["undefined","undefined"]
export default [typeof import.meta.url, typeof import.meta.main];
