// libberth is found where the linker looks, or where BERTH_LIB_DIR says.
fn main() {
    println!("cargo:rerun-if-env-changed=BERTH_LIB_DIR");
    if let Ok(directory) = std::env::var("BERTH_LIB_DIR") {
        println!("cargo:rustc-link-search=native={directory}");
    }
    println!("cargo:rustc-link-lib=dylib=berth");
}
