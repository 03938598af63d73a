//! `berth.h`, as far as it is used.
use std::os::raw::{c_char, c_int, c_long, c_uint, c_void};

#[repr(C)]
pub struct Pool {
    _opaque: [u8; 0],
}

#[repr(C)]
pub struct Options {
    pub size: usize,
    pub slots: c_uint,
    pub seats: c_uint,
    pub mode: c_uint,
    pub flags: c_uint,
    pub store: *const c_char,
    pub command: *const c_char,
    pub reserved: [*const c_void; 3],
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Grant {
    pub token: u64,
    pub slot: c_uint,
    pub seat: c_uint,
    pub ticket: u64,
    pub reserved: [u64; 3],
}

#[repr(C)]
pub struct Timespec {
    pub tv_sec: c_long,
    pub tv_nsec: c_long,
}

extern "C" {
    pub fn berth_open(pool: *mut *mut Pool, name: *const c_char, options: *const Options) -> c_int;
    pub fn berth_acquire(pool: *mut Pool, grant: *mut Grant) -> c_int;
    pub fn berth_try_acquire(pool: *mut Pool, grant: *mut Grant) -> c_int;
    pub fn berth_acquire_for(pool: *mut Pool, grant: *mut Grant, timeout: *const Timespec) -> c_int;
    pub fn berth_acquire_unless(
        pool: *mut Pool,
        grant: *mut Grant,
        deadline: *const Timespec,
        stop: *const c_int,
    ) -> c_int;
    pub fn berth_interrupt(pool: *mut Pool) -> c_int;
    pub fn berth_release(pool: *mut Pool, grant: *const Grant) -> c_int;
    pub fn berth_close(pool: *mut Pool) -> c_int;
    pub fn berth_slots(pool: *const Pool) -> c_uint;
    pub fn berth_resize(pool: *mut Pool, slots: c_uint) -> c_int;
    pub fn berth_reason() -> *const c_char;
}
