// libberth by koffi. Handles travel between threads as their address, a BigInt.
import koffi from "koffi";

export const name = process.env.BERTH_LIBRARY || "libberth.so.0";

let library;
try {
  library = koffi.load(name);
} catch (error) {
  throw new Error(`${name} is not installed (Debian: libberth0); BERTH_LIBRARY names another file`,
    { cause: error });
}

koffi.struct("berth_options", {
  size: "size_t", slots: "uint", seats: "uint", mode: "uint", flags: "uint",
  store: "const char *", command: "const char *", reserved: koffi.array("void *", 3),
});
koffi.struct("berth_grant", {
  token: "uint64_t", slot: "uint", seat: "uint", ticket: "uint64_t",
  reserved: koffi.array("uint64_t", 3),
});
koffi.struct("berth_time", { tv_sec: "long", tv_nsec: "long" });

export const optionsSize = koffi.sizeof("berth_options");

export const open = library.func(
  "int berth_open(_Out_ uintptr_t *pool, const char *name, berth_options *options)");
export const tryAcquire = library.func(
  "int berth_try_acquire(uintptr_t pool, _Out_ berth_grant *grant)");
export const acquire = library.func("int berth_acquire(uintptr_t pool, _Out_ berth_grant *grant)");
export const acquireFor = library.func(
  "int berth_acquire_for(uintptr_t pool, _Out_ berth_grant *grant, berth_time *timeout)");
export const acquireUnless = library.func(
  "int berth_acquire_unless(uintptr_t pool, _Out_ berth_grant *grant, berth_time *deadline, int *stop)");
export const interrupt = library.func("int berth_interrupt(uintptr_t pool)");
export const release = library.func("int berth_release(uintptr_t pool, berth_grant *grant)");
export const resize = library.func("int berth_resize(uintptr_t pool, uint slots)");
export const slots = library.func("uint berth_slots(uintptr_t pool)");
export const close = library.func("int berth_close(uintptr_t pool)");
export const reason = library.func("const char *berth_reason()");
