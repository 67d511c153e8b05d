// Follows one resource with a dynamic informer as client-go sets it up by default, and tells on stdout what its cache holds:
// one line "key resourceVersion" per object in key order, then "--", at every line read from stdin.
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"sort"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	kubeconfig, gvr := os.Args[1], strings.Split(os.Args[2], "/")
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	check(err)
	client, err := dynamic.NewForConfig(config)
	check(err)
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	resource := schema.GroupVersionResource{Group: gvr[0], Version: gvr[1], Resource: gvr[2]}
	informer := factory.ForResource(resource).Informer()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		panic("never synced")
	}
	fmt.Println("synced")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		tell(informer.GetStore())
	}
}

func tell(store cache.Store) {
	rows := []string{}
	for _, object := range store.List() {
		accessor, err := meta.Accessor(object)
		check(err)
		rows = append(rows, accessor.GetNamespace()+"/"+accessor.GetName()+" "+accessor.GetResourceVersion())
	}
	sort.Strings(rows)
	for _, row := range rows {
		fmt.Println(row)
	}
	fmt.Println("--")
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
