// A controller of controller-runtime that makes one child for each run in which its cache has too few of them.
// true|false CHILDREN: the first is EnableReadYourWritesConsistency. The server is that of KUBECONFIG. It prints `ready` once
// its caches have synced.
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const parentName = "parent"

type reconciler struct {
	client client.Client
	wanted int
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	if request.Name != parentName {
		return ctrl.Result{}, nil
	}
	var parent corev1.ServiceAccount
	if err := r.client.Get(ctx, request.NamespacedName, &parent); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var maps corev1.ConfigMapList
	if err := r.client.List(ctx, &maps, client.InNamespace(request.Namespace)); err != nil {
		return ctrl.Result{}, err
	}
	have := 0
	for i := range maps.Items {
		if metav1.IsControlledBy(&maps.Items[i], &parent) {
			have++
		}
	}
	if have >= r.wanted {
		return ctrl.Result{}, nil
	}
	child := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "child-", Namespace: request.Namespace}}
	if err := ctrl.SetControllerReference(&parent, child, r.client.Scheme()); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.client.Create(ctx, child); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: 4 * time.Millisecond}, nil
}

func main() {
	isConsistent, err := strconv.ParseBool(os.Args[1])
	check(err)
	wanted, err := strconv.Atoi(os.Args[2])
	check(err)
	ctrl.SetLogger(logr.Discard())
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Metrics: server.Options{BindAddress: "0"},
		Client:  client.Options{Cache: &client.CacheOptions{EnableReadYourWritesConsistency: &isConsistent}},
	})
	check(err)
	check(ctrl.NewControllerManagedBy(manager).
		For(&corev1.ServiceAccount{}).
		Owns(&corev1.ConfigMap{}).
		Complete(&reconciler{client: manager.GetClient(), wanted: wanted}))
	ctx := ctrl.SetupSignalHandler()
	go func() {
		if manager.GetCache().WaitForCacheSync(ctx) {
			fmt.Println("ready")
		}
	}()
	check(manager.Start(ctx))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
