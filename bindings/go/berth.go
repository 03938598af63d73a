// Package berth hands out slots of a named resource, in arrival order, among processes that may be
// killed at any instant.
//
//	pool, err := berth.Open("gpu", berth.Options{Slots: 4})
//	...
//	defer pool.Close()
//	grant, err := pool.Acquire(ctx)
//	...
//	defer grant.Release()
//	train(grant.Slot())
//
// A slot whose process is killed comes back by itself; nobody overtakes. A wait ends when its context
// does, and then leaves no place in the line behind.
package berth

/*
#cgo LDFLAGS: -lberth
#include <berth.h>
#include <errno.h>
#include <stdlib.h>

// The reason belongs to the thread that failed, so it is copied before Go can move on to another.
static int with_reason(int error, char *reason, size_t size) {
	const char *from = berth_reason();
	for (; error != 0 && size > 1 && *from != '\0'; size--)
		*reason++ = *from++;
	*reason = '\0';
	return error;
}

enum { REASON = 1024 };

static int open_pool(berth_pool **pool, const char *name, const berth_options *options, char *reason) {
	return with_reason(berth_open(pool, name, options), reason, REASON);
}
static int acquire_unless(berth_pool *pool, berth_grant *grant, const int *stop, char *reason) {
	int error = berth_acquire_unless(pool, grant, NULL, stop);
	if (error == ENOTSUP)
		error = berth_acquire(pool, grant);
	return with_reason(error, reason, REASON);
}
static int try_acquire(berth_pool *pool, berth_grant *grant, char *reason) {
	return with_reason(berth_try_acquire(pool, grant), reason, REASON);
}
static int release_slot(berth_pool *pool, const berth_grant *grant, char *reason) {
	return with_reason(berth_release(pool, grant), reason, REASON);
}
static int resize_pool(berth_pool *pool, unsigned slots, char *reason) {
	return with_reason(berth_resize(pool, slots), reason, REASON);
}
static int close_pool(berth_pool *pool, char *reason) {
	return with_reason(berth_close(pool), reason, REASON);
}
*/
import "C"

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// Error is a call of libberth that failed. It unwraps to the syscall.Errno.
type Error struct {
	Errno  syscall.Errno
	Reason string
}

func (e *Error) Error() string { return "berth: " + e.Reason }
func (e *Error) Unwrap() error { return e.Errno }

// ErrBusy says that no slot is free (TryAcquire).
var ErrBusy error = syscall.EBUSY

func failure(number C.int, reason *[C.REASON]C.char) error {
	if number == 0 {
		return nil
	}
	return &Error{syscall.Errno(number), C.GoString(&reason[0])}
}

// Options say how to open a pool; what is zero is the default.
type Options struct {
	Slots    uint   // create with this many, and refuse a pool that has another number
	Seats    uint   // of a pool that has to be created: handles open at once
	Mode     uint   // permissions of a file that has to be created
	Store    string // a directory, or etcd://...
	Command  string // what `berth status` shows
	Existing bool   // do not create it
}

// Pool is a handle on a pool. Its methods may be called by several goroutines at once.
type Pool struct {
	mutex   sync.Mutex
	idle    sync.Cond     // calls has become 0
	calls   int           // under way; Close waits for them
	closing chan struct{} // closed when Close begins: waits end
	handle  *C.berth_pool // nil: closed
	name    string
}

// enter begins a call, for which the handle stays open until leave.
func (p *Pool) enter() (*C.berth_pool, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.handle == nil {
		return nil, errClosed
	}
	p.calls++
	return p.handle, nil
}

func (p *Pool) leave() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.calls--; p.calls == 0 {
		p.idle.Broadcast()
	}
}

func (p *Pool) isClosing() bool {
	select {
	case <-p.closing:
		return true
	default:
		return false
	}
}

func text(value string) *C.char {
	if value == "" {
		return nil
	}
	return C.CString(value)
}

// Open opens the pool, creating it if it does not exist.
func Open(name string, options Options) (*Pool, error) {
	if strings.ContainsRune(name+options.Store+options.Command, 0) {
		return nil, &Error{syscall.EINVAL, "a NUL byte in a name"}
	}
	if options.Slots > math.MaxUint32 || options.Seats > math.MaxUint32 || options.Mode > math.MaxUint32 {
		return nil, &Error{syscall.EINVAL, "a number that is too large"}
	}
	cname, store, command := C.CString(name), text(options.Store), text(options.Command)
	defer C.free(unsafe.Pointer(cname))
	defer C.free(unsafe.Pointer(store))
	defer C.free(unsafe.Pointer(command))
	raw := (*C.berth_options)(C.calloc(1, C.sizeof_berth_options)) // C's: it has pointers in it
	defer C.free(unsafe.Pointer(raw))
	raw.size = C.sizeof_berth_options
	raw.slots, raw.seats, raw.mode = C.uint(options.Slots), C.uint(options.Seats), C.uint(options.Mode)
	raw.store, raw.command = store, command
	if options.Existing {
		raw.flags = C.BERTH_EXISTING
	}
	var reason [C.REASON]C.char
	pool := &Pool{name: name, closing: make(chan struct{})}
	pool.idle.L = &pool.mutex
	if err := failure(C.open_pool(&pool.handle, cname, raw, &reason[0]), &reason); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(pool, func(p *Pool) { p.Close() })
	return pool, nil
}

var errClosed = &Error{syscall.EBADF, "the pool is closed"}

// Grant is a slot that is held. Release it; a grant that is forgotten is released by the collector.
type Grant struct {
	pool *Pool
	raw  C.berth_grant
	once sync.Once
}

func (p *Pool) granted(raw C.berth_grant) *Grant {
	grant := &Grant{pool: p, raw: raw}
	runtime.SetFinalizer(grant, func(g *Grant) { g.Release() })
	return grant
}

// TryAcquire takes a slot that is free and for which nobody waits; else errors.Is(err, ErrBusy).
func (p *Pool) TryAcquire() (*Grant, error) {
	handle, err := p.enter()
	if err != nil {
		return nil, err
	}
	defer p.leave()
	var raw C.berth_grant
	var reason [C.REASON]C.char
	if err := failure(C.try_acquire(handle, &raw, &reason[0]), &reason); err != nil {
		return nil, err
	}
	return p.granted(raw), nil
}

// Acquire waits for a slot in arrival order. It ends with the context's error when the context does, and
// when the pool is closed (neither for pools in etcd), and then leaves nothing behind.
func (p *Pool) Acquire(ctx context.Context) (*Grant, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	grant, err := p.TryAcquire()
	if err == nil || !errors.Is(err, ErrBusy) {
		return grant, err
	}
	if p.isClosing() {
		return nil, errClosed
	}
	handle, err := p.enter()
	if err != nil {
		return nil, err
	}
	defer p.leave()
	stop := (*C.int)(C.calloc(1, C.sizeof_int)) // C's: it is read while another thread writes
	defer C.free(unsafe.Pointer(stop))
	over, left := make(chan struct{}), make(chan struct{})
	go p.watch(ctx, handle, stop, over, left)
	var raw C.berth_grant
	var reason [C.REASON]C.char
	err = failure(C.acquire_unless(handle, &raw, stop, &reason[0]), &reason)
	close(over)
	<-left
	if errors.Is(err, syscall.ECANCELED) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, errClosed
	}
	if err != nil {
		return nil, err
	}
	return p.granted(raw), nil
}

// watch stops the wait when the context ends or the pool is closed, and leaves when the wait is over.
func (p *Pool) watch(ctx context.Context, handle *C.berth_pool, stop *C.int, over <-chan struct{},
	left chan<- struct{}) {
	defer close(left)
	select {
	case <-over:
		return
	case <-ctx.Done():
	case <-p.closing:
	}
	atomic.StoreInt32((*int32)(unsafe.Pointer(stop)), 1)
	for {
		C.berth_interrupt(handle)
		select {
		case <-over:
			return
		case <-time.After(time.Millisecond):
		}
	}
}

// Slots says how many slots the pool has now.
func (p *Pool) Slots() int {
	handle, err := p.enter()
	if err != nil {
		return 0
	}
	defer p.leave()
	return int(C.berth_slots(handle))
}

// Resize changes the number of slots: more at once, fewer as they come free.
func (p *Pool) Resize(slots uint) error {
	if slots > math.MaxUint32 {
		return &Error{syscall.EINVAL, "a number that is too large"}
	}
	handle, err := p.enter()
	if err != nil {
		return err
	}
	defer p.leave()
	var reason [C.REASON]C.char
	return failure(C.resize_pool(handle, C.uint(slots), &reason[0]), &reason)
}

// Close ends all waits, and gives back all slots of the handle. (Waits for pools in etcd are not ended:
// it waits for them. Grants can be released meanwhile.)
func (p *Pool) Close() error {
	p.mutex.Lock()
	if p.handle == nil || p.isClosing() {
		p.mutex.Unlock()
		return errClosed
	}
	close(p.closing)
	for p.calls > 0 {
		p.idle.Wait()
	}
	handle := p.handle
	p.handle = nil
	p.mutex.Unlock()
	runtime.SetFinalizer(p, nil)
	var reason [C.REASON]C.char
	return failure(C.close_pool(handle, &reason[0]), &reason)
}

// Slot is the number of the slot, from 0.
func (g *Grant) Slot() int { return int(g.raw.slot) }

// Token grows from grant to grant: a fencing token for the protected resource.
func (g *Grant) Token() uint64 { return uint64(g.raw.token) }

// Release gives the slot back, to the next in line.
func (g *Grant) Release() error {
	err := error(&Error{syscall.EPERM, "the slot was given back already"})
	g.once.Do(func() {
		runtime.SetFinalizer(g, nil)
		handle, closed := g.pool.enter()
		if closed != nil {
			err = closed
			return
		}
		defer g.pool.leave()
		var reason [C.REASON]C.char
		err = failure(C.release_slot(handle, &g.raw, &reason[0]), &reason)
	})
	return err
}
