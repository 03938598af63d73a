// An actor of bindings/conformance, by the Go binding.
package main

import (
	"berth"
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

var names = map[syscall.Errno]string{
	syscall.EPERM: "EPERM", syscall.EBUSY: "EBUSY", syscall.EEXIST: "EEXIST", syscall.EINVAL: "EINVAL",
	syscall.ETIMEDOUT: "ETIMEDOUT", syscall.ECANCELED: "ECANCELED", syscall.EBADF: "EBADF",
}

var (
	pools  = map[string]*berth.Pool{}
	grants = map[string]*berth.Grant{}
)

func within(pool *berth.Pool, milliseconds string) (*berth.Grant, error) {
	time_, _ := strconv.Atoi(milliseconds)
	if time_ == 0 {
		time_ = 1
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(time_)*time.Millisecond)
	defer cancel()
	return pool.Acquire(ctx)
}

func acquire(pool *berth.Pool, words []string) (*berth.Grant, error) {
	switch words[0] {
	case "try":
		return pool.TryAcquire()
	case "for":
		grant, err := within(pool, words[3])
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("%w: %v", syscall.ETIMEDOUT, err)
		}
		return grant, err
	case "cancel":
		grant, err := within(pool, words[3])
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("%w: %v", syscall.ECANCELED, err)
		}
		return grant, err
	}
	return pool.Acquire(context.Background())
}

func answer(words []string) (string, error) {
	pool := pools[words[1]]
	switch words[0] {
	case "open":
		slots, _ := strconv.Atoi(words[3])
		opened, err := berth.Open(words[2], berth.Options{Slots: uint(slots)})
		pools[words[1]] = opened
		return "", err
	case "close":
		return "", pool.Close()
	case "slots":
		return strconv.Itoa(pool.Slots()), nil
	case "resize":
		slots, _ := strconv.Atoi(words[2])
		return "", pool.Resize(uint(slots))
	case "release":
		return "", grants[words[2]].Release()
	case "token":
		return strconv.FormatUint(grants[words[2]].Token(), 10), nil
	case "drop":
		delete(grants, words[2])
		for i := 0; i < 5; i++ { // the collector is Go's way of noticing
			runtime.GC()
			time.Sleep(time.Millisecond)
		}
		return "", nil
	}
	grant, err := acquire(pool, words)
	if err != nil {
		return "", err
	}
	grants[words[2]] = grant
	return strconv.Itoa(grant.Slot()), nil
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		result, err := answer(strings.Fields(lines.Text()))
		var errno syscall.Errno
		if err != nil && errors.As(err, &errno) {
			fmt.Println("error", names[errno], err)
		} else {
			fmt.Println("ok", result)
		}
	}
}
