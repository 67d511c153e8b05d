// Keys through client-go's work queue. KEYS: prints the wall and CPU time of each way, as JSON, after a warm-up.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	"k8s.io/client-go/util/workqueue"
)

type sample struct {
	WallMs float64 `json:"wallMs"`
	CPUMs  float64 `json:"cpuMs"`
}

func main() {
	count, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	keys := make([]string, count)
	for i := range keys {
		keys[i] = fmt.Sprintf("ns/key-%d", i)
	}
	samples := map[string]sample{}
	for name, run := range map[string]func([]string) int{
		"add":     added,
		"thrice":  thrice,
		"after":   after,
		"limited": limited,
		"workers": workers,
	} {
		run(keys)
		runtime.GC()
		from, at := cpu(), time.Now()
		if handled := run(keys); handled != count {
			panic(fmt.Sprintf("%s handled %d of %d", name, handled, count))
		}
		samples[name] = sample{WallMs: float64(time.Since(at).Microseconds()) / 1000, CPUMs: cpu() - from}
	}
	text, _ := json.Marshal(samples)
	fmt.Println(string(text))
}

func cpu() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	ms := func(t syscall.Timeval) float64 { return float64(t.Sec)*1000 + float64(t.Usec)/1000 }
	return ms(usage.Utime) + ms(usage.Stime)
}

func newQueue() workqueue.TypedRateLimitingInterface[string] {
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[string](time.Millisecond, time.Second)
	return workqueue.NewTypedRateLimitingQueueWithConfig(limiter, workqueue.TypedRateLimitingQueueConfig[string]{})
}

func drain(queue workqueue.TypedRateLimitingInterface[string], count int) int {
	handled := 0
	for ; handled < count; handled++ {
		key, shutdown := queue.Get()
		if shutdown {
			return handled
		}
		queue.Forget(key)
		queue.Done(key)
	}
	queue.ShutDown()
	return handled
}

func added(keys []string) int {
	queue := newQueue()
	for _, key := range keys {
		queue.Add(key)
	}
	return drain(queue, len(keys))
}

func thrice(keys []string) int {
	queue := newQueue()
	for range 3 {
		for _, key := range keys {
			queue.Add(key)
		}
	}
	return drain(queue, len(keys))
}

func after(keys []string) int {
	queue := newQueue()
	for _, key := range keys {
		queue.AddAfter(key, time.Millisecond)
	}
	return drain(queue, len(keys))
}

func limited(keys []string) int {
	queue := newQueue()
	for _, key := range keys {
		queue.AddRateLimited(key)
	}
	return drain(queue, len(keys))
}

// Sixteen goroutines that take keys and have nothing to do for them.
func workers(keys []string) int {
	queue := newQueue()
	for _, key := range keys {
		queue.Add(key)
	}
	var all sync.WaitGroup
	var mutex sync.Mutex
	handled := 0
	for range 16 {
		all.Go(func() {
			for {
				key, shutdown := queue.Get()
				if shutdown {
					return
				}
				queue.Forget(key)
				queue.Done(key)
				mutex.Lock()
				handled++
				isLast := handled == len(keys)
				mutex.Unlock()
				if isLast {
					queue.ShutDown()
				}
			}
		})
	}
	all.Wait()
	return handled
}
