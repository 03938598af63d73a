//! Slots of a named resource, in arrival order, among processes that may be killed at any instant.
//!
//! ```no_run
//! # fn main() -> Result<(), berth::Error> {
//! let pool = berth::Pool::options().slots(4).open("gpu")?;
//! let grant = pool.acquire()?;
//! println!("device {}", grant.slot());
//! # Ok(()) } // dropped: given back
//! ```
//!
//! A slot whose process is killed comes back by itself; nobody overtakes.
mod sys;

use std::ffi::{CStr, CString};
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A call of libberth that failed: an errno value, and the library's sentence.
#[derive(Debug, Clone)]
pub struct Error {
    errno: i32,
    reason: String,
}

impl Error {
    /// The errno value, as `berth.h` has them.
    pub fn raw_os_error(&self) -> i32 {
        self.errno
    }

    /// What kind of error it is: `WouldBlock`, `TimedOut`, ...
    pub fn kind(&self) -> io::ErrorKind {
        const EBUSY: i32 = 16;
        match self.errno {
            EBUSY => io::ErrorKind::WouldBlock,
            errno => io::Error::from_raw_os_error(errno).kind(),
        }
    }

    /// Why it failed, as a sentence.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Error {}

impl From<Error> for io::Error {
    fn from(error: Error) -> io::Error {
        io::Error::new(error.kind(), error)
    }
}

pub type Result<T> = std::result::Result<T, Error>;

fn check(errno: i32) -> Result<()> {
    if errno == 0 {
        return Ok(());
    }
    // SAFETY: it is this thread's, and lives until the next call that fails.
    let reason = unsafe { CStr::from_ptr(sys::berth_reason()) };
    Err(Error { errno, reason: reason.to_string_lossy().into_owned() })
}

fn text(value: &str) -> Result<CString> {
    const EINVAL: i32 = 22;
    CString::new(value).map_err(|_| Error {
        errno: EINVAL,
        reason: format!("a NUL byte in {value:?}"),
    })
}

/// How to open a pool; what is not set is the default.
#[derive(Debug, Clone, Default)]
pub struct Options {
    slots: u32,
    seats: u32,
    mode: u32,
    existing: bool,
    store: Option<String>,
    command: Option<String>,
}

impl Options {
    /// Create with this many slots, and refuse a pool that has another number.
    pub fn slots(mut self, slots: u32) -> Self {
        self.slots = slots;
        self
    }

    /// Of a pool that has to be created: how many handles can be open at once.
    pub fn seats(mut self, seats: u32) -> Self {
        self.seats = seats;
        self
    }

    /// The permissions of a file that has to be created.
    pub fn mode(mut self, mode: u32) -> Self {
        self.mode = mode;
        self
    }

    /// Do not create it.
    pub fn existing(mut self) -> Self {
        self.existing = true;
        self
    }

    /// Where pools live: the absolute path of a directory, or `etcd://...`.
    pub fn store(mut self, store: impl Into<String>) -> Self {
        self.store = Some(store.into());
        self
    }

    /// What `berth status` shows for this handle.
    pub fn command(mut self, command: impl Into<String>) -> Self {
        self.command = Some(command.into());
        self
    }

    /// Opens the pool, creating it if it does not exist.
    pub fn open(self, name: &str) -> Result<Pool> {
        let name = text(name)?;
        let store = self.store.as_deref().map(text).transpose()?;
        let command = self.command.as_deref().map(text).transpose()?;
        let pointer = |value: &Option<CString>| value.as_ref().map_or(std::ptr::null(), |s| s.as_ptr());
        let options = sys::Options {
            size: std::mem::size_of::<sys::Options>(),
            slots: self.slots,
            seats: self.seats,
            mode: self.mode,
            flags: u32::from(self.existing),
            store: pointer(&store),
            command: pointer(&command),
            reserved: [std::ptr::null(); 3],
        };
        let mut handle = std::ptr::null_mut();
        // SAFETY: all pointers live until the call returns, and the library copies what it keeps.
        check(unsafe { sys::berth_open(&mut handle, name.as_ptr(), &options) })?;
        Ok(Pool { handle })
    }
}

/// A handle on a pool, which threads may share. Closed when it is dropped; what it holds comes back.
#[derive(Debug)]
pub struct Pool {
    handle: *mut sys::Pool,
}

// SAFETY: berth.h: all functions may be called from several threads at once; a handle is closed when
// nothing borrows it any more.
unsafe impl Send for Pool {}
unsafe impl Sync for Pool {}

impl Pool {
    /// How to open a pool: `Pool::options().slots(4).open("gpu")`.
    pub fn options() -> Options {
        Options::default()
    }

    fn granted(&self, errno: i32, raw: sys::Grant) -> Result<Grant<'_>> {
        check(errno).map(|()| Grant { pool: self, raw })
    }

    /// Waits for a slot, in arrival order.
    pub fn acquire(&self) -> Result<Grant<'_>> {
        let mut raw = sys::Grant::default();
        // SAFETY: the handle is open as long as `self` lives.
        let errno = unsafe { sys::berth_acquire(self.handle, &mut raw) };
        self.granted(errno, raw)
    }

    /// A slot that is free and for which nobody waits; or `None`.
    pub fn try_acquire(&self) -> Result<Option<Grant<'_>>> {
        let mut raw = sys::Grant::default();
        // SAFETY: as above.
        let errno = unsafe { sys::berth_try_acquire(self.handle, &mut raw) };
        match self.granted(errno, raw) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            other => other.map(Some),
        }
    }

    /// Waits for `timeout` at most: an error of kind `TimedOut`.
    pub fn acquire_for(&self, timeout: Duration) -> Result<Grant<'_>> {
        let time = sys::Timespec {
            tv_sec: timeout.as_secs().min(i32::MAX as u64) as _,
            tv_nsec: timeout.subsec_nanos() as _,
        };
        let mut raw = sys::Grant::default();
        // SAFETY: as above.
        let errno = unsafe { sys::berth_acquire_for(self.handle, &mut raw, &time) };
        self.granted(errno, raw)
    }

    /// Waits until a [`Stop`] that watches this pool is set: an error with errno ECANCELED.
    pub fn acquire_unless(&self, stop: &Stop) -> Result<Grant<'_>> {
        let mut raw = sys::Grant::default();
        let word: *const AtomicI32 = &stop.shared.set;
        let _watching = Watching::begin(stop, self.handle);
        // SAFETY: an AtomicI32 is laid out as an int, which the library only reads; it lives as long as
        // `stop`.
        let errno = unsafe {
            sys::berth_acquire_unless(self.handle, &mut raw, std::ptr::null(), word.cast())
        };
        self.granted(errno, raw)
    }

    /// How many slots the pool has now.
    pub fn slots(&self) -> u32 {
        // SAFETY: as above.
        unsafe { sys::berth_slots(self.handle) }
    }

    /// Changes the number of slots: more at once, fewer as they come free.
    pub fn resize(&self, slots: u32) -> Result<()> {
        // SAFETY: as above.
        check(unsafe { sys::berth_resize(self.handle, slots) })
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // SAFETY: nothing borrows it any more.
        unsafe { sys::berth_close(self.handle) };
    }
}

/// A slot that is held, and given back when it is dropped.
#[derive(Debug)]
#[must_use = "a grant that is dropped gives its slot back at once"]
pub struct Grant<'pool> {
    pool: &'pool Pool,
    raw: sys::Grant,
}

impl fmt::Debug for sys::Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "slot {}, token {}", self.slot, self.token)
    }
}

impl Grant<'_> {
    /// The number of the slot, from 0.
    pub fn slot(&self) -> u32 {
        self.raw.slot
    }

    /// A number that grows from grant to grant: a fencing token for the protected resource.
    pub fn token(&self) -> u64 {
        self.raw.token
    }

    /// Gives the slot back, and says what went wrong.
    pub fn release(self) -> Result<()> {
        // SAFETY: the pool is open as long as it is borrowed.
        let result = check(unsafe { sys::berth_release(self.pool.handle, &self.raw) });
        std::mem::forget(self);
        result
    }
}

impl Drop for Grant<'_> {
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe { sys::berth_release(self.pool.handle, &self.raw) };
    }
}

#[derive(Debug, Default)]
struct Shared {
    set: AtomicI32,
    /// The handles of the waits that watch it, as numbers.
    waits: Mutex<Vec<usize>>,
}

impl Shared {
    fn waits(&self) -> std::sync::MutexGuard<'_, Vec<usize>> {
        self.waits.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// A wait that is under way: [`Stop::stop`] goes on until it is over.
struct Watching<'stop> {
    stop: &'stop Stop,
    handle: usize,
}

impl<'stop> Watching<'stop> {
    fn begin(stop: &'stop Stop, handle: *mut sys::Pool) -> Self {
        stop.shared.waits().push(handle as usize);
        Watching { stop, handle: handle as usize }
    }
}

impl Drop for Watching<'_> {
    fn drop(&mut self) {
        let mut waits = self.stop.shared.waits();
        if let Some(index) = waits.iter().position(|handle| *handle == self.handle) {
            waits.swap_remove(index);
        }
    }
}

/// Ends waits from another thread: [`Pool::acquire_unless`].
#[derive(Debug, Clone, Default)]
pub struct Stop {
    shared: Arc<Shared>,
}

impl Stop {
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the waits for this pool that watch it, and returns when they have ended, a few milliseconds
    /// later at most. Waits that begin later end at once.
    pub fn stop(&self, pool: &Pool) {
        self.shared.set.store(1, Ordering::SeqCst);
        while self.shared.waits().contains(&(pool.handle as usize)) {
            // SAFETY: the pool is open as long as it is borrowed.
            unsafe { sys::berth_interrupt(pool.handle) };
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
