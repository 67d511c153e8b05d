// Syncs pods with an informer of client-go and says how many there are, or, with EVENTS above 0, follows so many changes with three handlers.
// URL dynamic|typed EVENTS
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"

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
	events, err := strconv.Atoi(os.Args[3])
	check(err)
	ctx := context.Background()
	informer := informerOf(config, os.Args[2] == "typed")
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
	fmt.Printf("{\"objects\":%d}\n", count)
}

func informerOf(config *rest.Config, typed bool) cache.SharedIndexInformer {
	if typed {
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
