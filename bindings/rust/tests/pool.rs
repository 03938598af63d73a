//! The Rust binding, against the real library.
use berth::{Pool, Stop};
use std::io::ErrorKind;
use std::time::Duration;

fn store(name: &str) -> String {
    let path = std::env::temp_dir().join(format!("berth-rust-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&path).unwrap();
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
    path.to_str().unwrap().into()
}

#[test]
fn a_grant_is_given_back_when_it_is_dropped() {
    let pool = Pool::options().slots(1).store(store("drop")).open("p").unwrap();
    {
        let grant = pool.acquire().unwrap();
        assert_eq!(grant.slot(), 0);
        assert!(pool.try_acquire().unwrap().is_none());
    }
    pool.try_acquire().unwrap().unwrap().release().unwrap();
}

#[test]
fn errors_have_a_kind_and_a_reason() {
    let store = store("errors");
    let error = Pool::options().store(&store).open("a/b").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.reason().contains("a/b"), "{error}");
    assert_eq!(Pool::options().open("a\0b").unwrap_err().kind(), ErrorKind::InvalidInput);
    let pool = Pool::options().slots(1).store(&store).open("p").unwrap();
    let _held = pool.acquire().unwrap();
    let error = pool.acquire_for(Duration::from_millis(20)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut);
}

#[test]
fn another_thread_stops_a_wait() {
    let pool = Pool::options().slots(1).store(store("stop")).open("p").unwrap();
    let held = pool.acquire().unwrap();
    let stop = Stop::new();
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| pool.acquire_unless(&stop).map(drop).unwrap_err());
        std::thread::sleep(Duration::from_millis(50));
        stop.stop(&pool);
        assert_eq!(waiter.join().unwrap().raw_os_error(), 125);
    });
    drop(held);
    pool.acquire().unwrap();
}

#[test]
fn threads_share_a_pool() {
    use std::sync::atomic::{AtomicU32, Ordering};
    let pool = Pool::options().slots(2).store(store("threads")).open("p").unwrap();
    let (inside, most) = (AtomicU32::new(0), AtomicU32::new(0));
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                for _ in 0..50 {
                    let _grant = pool.acquire().unwrap();
                    most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::yield_now();
                    inside.fetch_sub(1, Ordering::SeqCst);
                }
            });
        }
    });
    assert!(most.load(Ordering::SeqCst) <= 2);
}
