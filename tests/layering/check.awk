# The rules of the tree that an #include line can break. Inputs: the declared layers, the public
# headers' table, the sources.

function complain(text) {
  printf "%s:%d: %s\n", FILENAME, FNR, text
  wrong = 1
}

# Adds all that `layer` reaches to may[from, …].
function reach(from, layer,    list, count, i) {
  if ((from, layer) in may) return
  may[from, layer] = 1
  count = split(direct[layer], list, " ")
  for (i = 1; i <= count; ++i) reach(from, list[i])
}

FNR == 1 { ++file_number }

file_number == 1 {
  layer = $1
  sub(/:$/, "", layer)
  sub(/^[^:]*: */, "")
  direct[layer] = $0
  next
}

file_number == 2 {
  if ($0 !~ /^(#|$)/) layer_of[$1] = $2
  next
}

FNR == 1 {
  public = FILENAME ~ /^include\//
  split(FILENAME, part, "/")
  here = public ? layer_of[part[3]] : part[3]
  if (here == "") complain("is not in tests/layering/public_headers.txt")
  else if (!(here in direct)) complain("layer " here " is not declared with cordon_layer")
  else reach(here, here)
}

/^[ \t]*#[ \t]*include[ \t]*"cordon\// {
  header = $0
  sub(/^[^"]*"cordon\//, "", header)
  sub(/".*/, "", header)
  if (index(header, "/") > 0) {
    if (public) complain("a public header must not include the tree's own cordon/" header)
    there = header
    sub(/\/.*/, "", there)
  } else {
    if (!(header in layer_of)) {
      complain("cordon/" header " is not in tests/layering/public_headers.txt")
      next
    }
    there = layer_of[header]
  }
  if (!((here, there) in may)) complain("layer " here " does not depend on " there " (cordon/" header ")")
}

# Wasmtime is seen by the sandbox alone, and not by those who include the sandbox's headers: the headers
# that its own files share are called wasmtime_*.h, and fall under the same rule.
/^[ \t]*#[ \t]*include[ \t]*[<"](wasm\.h|wasi\.h|wasmtime|cordon_runtime|cordon\/sandbox\/wasmtime)/ {
  if (FILENAME !~ /^src\/cordon\/sandbox\/(.*\.cc|wasmtime_[a-z_]*\.h)$/) {
    complain("only sandbox/*.cc includes Wasmtime")
  }
}

# The guest side never sees Asio.
/^[ \t]*#[ \t]*include[ \t]*[<"]boost\/(asio|beast)/ {
  if (here !~ /^(transport|providers|tunnels|server|cli)$/) complain("layer " here " must not see Asio")
}

END { exit wrong }
