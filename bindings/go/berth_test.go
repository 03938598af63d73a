package berth

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

func open(t *testing.T, slots uint) *Pool {
	t.Helper()
	pool, err := Open("p", Options{Slots: slots, Store: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pool.Close() })
	return pool
}

func TestAcquireAndRelease(t *testing.T) {
	pool := open(t, 1)
	grant, err := pool.Acquire(context.Background())
	if err != nil || grant.Slot() != 0 {
		t.Fatal(grant, err)
	}
	if _, err := pool.TryAcquire(); !errors.Is(err, ErrBusy) {
		t.Fatal(err)
	}
	if err := grant.Release(); err != nil {
		t.Fatal(err)
	}
	if err := grant.Release(); !errors.Is(err, syscall.EPERM) {
		t.Fatal(err)
	}
}

func TestErrors(t *testing.T) {
	_, err := Open("a/b", Options{Store: t.TempDir()})
	if !errors.Is(err, syscall.EINVAL) || !strings.Contains(err.Error(), "a/b") {
		t.Fatal(err)
	}
	if _, err := Open("a\x00b", Options{}); !errors.Is(err, syscall.EINVAL) {
		t.Fatal(err)
	}
	pool := open(t, 1)
	pool.Close()
	if _, err := pool.Acquire(context.Background()); !errors.Is(err, syscall.EBADF) {
		t.Fatal(err)
	}
}

// Close ends a wait; and a grant can be released meanwhile, which a lock that lets Close go first would
// not allow.
func TestCloseEndsAWait(t *testing.T) {
	pool, err := Open("p", Options{Slots: 1, Store: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	grant, err := pool.Acquire(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	waited := make(chan error)
	go func() {
		_, err := pool.Acquire(context.Background())
		waited <- err
	}()
	time.Sleep(50 * time.Millisecond)
	closed, released := make(chan error, 1), make(chan error, 1)
	go func() { closed <- pool.Close() }()
	go func() { released <- grant.Release() }()
	for _, from := range []<-chan error{waited, closed, released} {
		select {
		case err := <-from:
			if err != nil && !errors.Is(err, syscall.EBADF) {
				t.Error(err)
			}
		case <-time.After(60 * time.Second):
			t.Fatal("stuck")
		}
	}
	if err := pool.Close(); !errors.Is(err, syscall.EBADF) {
		t.Error(err)
	}
}

func TestNumbersThatAreTooLarge(t *testing.T) {
	if ^uint(0)>>32 == 0 {
		t.Skip("there are none")
	}
	large := uint(1)<<31<<1 + 1
	if _, err := Open("p", Options{Slots: large, Store: t.TempDir()}); !errors.Is(err, syscall.EINVAL) {
		t.Fatal(err)
	}
	if err := open(t, 1).Resize(large); !errors.Is(err, syscall.EINVAL) {
		t.Fatal(err)
	}
}

func TestContextEndsAWait(t *testing.T) {
	pool := open(t, 1)
	grant, err := pool.Acquire(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < 20; i++ {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i)*time.Millisecond)
		if _, err := pool.Acquire(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		cancel()
	}
	if err := grant.Release(); err != nil {
		t.Fatal(err)
	}
	if grant, err = pool.TryAcquire(); err != nil {
		t.Fatal(err)
	}
	grant.Release()
}

func TestGoroutines(t *testing.T) {
	pool := open(t, 2)
	var inside, most atomic.Int32
	var all sync.WaitGroup
	for i := 0; i < 8; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for j := 0; j < 50; j++ {
				grant, err := pool.Acquire(context.Background())
				if err != nil {
					t.Error(err)
					return
				}
				if now := inside.Add(1); now > most.Load() {
					most.Store(now)
				}
				inside.Add(-1)
				grant.Release()
			}
		}()
	}
	all.Wait()
	if most.Load() > 2 {
		t.Fatal(most.Load())
	}
}
