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
