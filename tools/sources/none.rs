// Cargo wants a library here. Nothing is compiled: see Cargo.toml.
