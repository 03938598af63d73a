//! An actor of bindings/conformance, by the Rust binding.
use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::time::Duration;

type Handles = HashMap<String, &'static berth::Pool>;
type Grants = HashMap<String, Option<berth::Grant<'static>>>;

const NAMES: [(i32, &str); 7] = [
    (1, "EPERM"),
    (16, "EBUSY"),
    (17, "EEXIST"),
    (22, "EINVAL"),
    (110, "ETIMEDOUT"),
    (125, "ECANCELED"),
    (9, "EBADF"),
];

enum Trouble {
    Failed(berth::Error),
    Plain(i32, &'static str),
}

impl From<berth::Error> for Trouble {
    fn from(error: berth::Error) -> Self {
        Trouble::Failed(error)
    }
}

fn cancelled(pool: &'static berth::Pool, after: u64) -> Result<berth::Grant<'static>, Trouble> {
    let stop = berth::Stop::new();
    let other = stop.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(after));
        other.stop(pool);
    });
    Ok(pool.acquire_unless(&stop)?)
}

fn answer(handles: &mut Handles, grants: &mut Grants, words: &[&str]) -> Result<String, Trouble> {
    let number = |at: usize| words[at].parse::<u64>().unwrap();
    if words[0] == "open" {
        let pool = berth::Pool::options().slots(number(3) as u32).open(words[2])?;
        handles.insert(words[1].into(), Box::leak(Box::new(pool)));
        return Ok(String::new());
    }
    let pool = handles[words[1]];
    let grant = match words[0] {
        "close" => {
            grants.clear();
            handles.remove(words[1]);
            // SAFETY: it was leaked by "open", and nothing borrows it any more.
            drop(unsafe { Box::from_raw(pool as *const _ as *mut berth::Pool) });
            return Ok(String::new());
        }
        "slots" => return Ok(pool.slots().to_string()),
        "resize" => return Ok(pool.resize(number(2) as u32).map(|()| String::new())?),
        "acquire" => pool.acquire()?,
        "try" => pool.try_acquire()?.ok_or(Trouble::Plain(16, "no slot is free"))?,
        "for" => pool.acquire_for(Duration::from_millis(number(3)))?,
        "cancel" => cancelled(pool, number(3))?,
        "release" => {
            let held = grants.get_mut(words[2]).and_then(Option::take);
            let held = held.ok_or(Trouble::Plain(1, "the slot was given back already"))?;
            return Ok(held.release().map(|()| String::new())?);
        }
        "drop" => {
            grants.remove(words[2]);
            return Ok(String::new());
        }
        "token" => return Ok(grants[words[2]].as_ref().unwrap().token().to_string()),
        other => panic!("no such call: {other}"),
    };
    let slot = grant.slot().to_string();
    grants.insert(words[2].into(), Some(grant));
    Ok(slot)
}

fn main() -> io::Result<()> {
    let (mut handles, mut grants) = (Handles::new(), Grants::new());
    for line in io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let (errno, reason) = match answer(&mut handles, &mut grants, &words) {
            Ok(result) => {
                println!("ok {result}");
                io::stdout().flush()?;
                continue;
            }
            Err(Trouble::Failed(error)) => (error.raw_os_error(), error.reason().to_string()),
            Err(Trouble::Plain(errno, reason)) => (errno, reason.to_string()),
        };
        let name = NAMES.iter().find(|name| name.0 == errno).map_or("?", |name| name.1);
        println!("error {name} {reason}");
        io::stdout().flush()?;
    }
    Ok(())
}
