// Syncs pods with an informer of client-go and says how many there are, or, with EVENTS above 0, follows so many changes with three handlers.
// URL dynamic|typed|protobuf[-trimmed] EVENTS [CA-FILE]; -trimmed: a transform drops managedFields, as this library does.
// With BENCH_SETTLE=1 it also says its resident memory after what is garbage was given back.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

const handlers = 3

func main() {
	config := &rest.Config{Host: os.Args[1], QPS: -1}
	if len(os.Args) > 4 {
		config.CAFile = os.Args[4]
	}
	kind, isTrimmed := strings.CutSuffix(os.Args[2], "-trimmed")
	events, err := strconv.Atoi(os.Args[3])
	check(err)
	ctx := context.Background()
	informer := informerOf(config, kind)
	if isTrimmed {
		check(informer.SetTransform(trimmed))
	}
	var followed sync.WaitGroup
	for h := 0; h < handlers && events > 0; h++ {
		followed.Add(1)
		seen := 0
		_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(_, _ any) {
			if seen++; seen == events {
				followed.Done()
			}
		}})
		check(err)
	}
	go informer.Run(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		panic("never synced")
	}
	followed.Wait()
	count := len(informer.GetStore().ListKeys())
	if events > 0 {
		count = events
	}
	if os.Getenv("BENCH_SETTLE") == "1" {
		fmt.Printf("{\"objects\":%d,\"rss\":%d}\n", count, settledRss())
		runtime.KeepAlive(informer)
		return
	}
	fmt.Printf("{\"objects\":%d}\n", count)
}

// settledRss is in bytes. Source: proc(5), statm.
func settledRss() int {
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/statm")
	check(err)
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	check(err)
	return pages * os.Getpagesize()
}

func trimmed(object any) (any, error) {
	if accessor, err := meta.Accessor(object); err == nil {
		accessor.SetManagedFields(nil)
	}
	return object, nil
}

func informerOf(config *rest.Config, kind string) cache.SharedIndexInformer {
	if kind == "protobuf" {
		config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
		config.ContentType = "application/vnd.kubernetes.protobuf"
	}
	if kind != "dynamic" {
		client, err := kubernetes.NewForConfig(config)
		check(err)
		return informers.NewSharedInformerFactory(client, 0).Core().V1().Pods().Informer()
	}
	client, err := dynamic.NewForConfig(config)
	check(err)
	pods := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	return dynamicinformer.NewDynamicSharedInformerFactory(client, 0).ForResource(pods).Informer()
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
