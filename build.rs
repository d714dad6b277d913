//! Compiles the policy: one call.

fn main() {
    knotrust_codegen::build_script();
}
