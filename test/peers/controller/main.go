// A controller as people write them, with client-go alone: leader election by a Lease, informers, a work queue, an owned ConfigMap per
// Widget, a finalizer that leaves a record, and a status with a condition. Arguments: kubeconfig, identity.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/util/workqueue"
)

const (
	namespace = "default"
	finalizer = "example.com/record"
)

var (
	widgets    = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}
	widgetKind = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}
)

type controller struct {
	client  kubernetes.Interface
	dynamic dynamic.Interface
	queue   workqueue.TypedRateLimitingInterface[string]
	lister  cache.GenericLister
	maps    cache.Indexer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	check(err)
	config.ContentType = runtime.ContentTypeProtobuf // as controllers do for built-in types; the dynamic client sends JSON all the same
	lock := &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Name: "widgets", Namespace: namespace},
		Client:     kubernetes.NewForConfigOrDie(config).CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: os.Args[2]},
	}
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock:          lock,
		LeaseDuration: 3 * time.Second,
		RenewDeadline: 2 * time.Second,
		RetryPeriod:   300 * time.Millisecond,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) {
				fmt.Println("leading")
				run(ctx, kubernetes.NewForConfigOrDie(config), dynamic.NewForConfigOrDie(config))
			},
			OnStoppedLeading: func() { os.Exit(1) },
		},
	})
}

func run(ctx context.Context, client kubernetes.Interface, dyn dynamic.Interface) {
	custom := dynamicinformer.NewFilteredDynamicSharedInformerFactory(dyn, 0, namespace, nil)
	builtin := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	maps := builtin.Core().V1().ConfigMaps().Informer()
	c := &controller{
		client:  client,
		dynamic: dyn,
		queue:   workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]()),
		lister:  custom.ForResource(widgets).Lister(),
		maps:    maps.GetIndexer(),
	}
	_, err := custom.ForResource(widgets).Informer().AddEventHandler(handler(c.enqueue))
	check(err)
	_, err = maps.AddEventHandler(handler(c.enqueueOwner))
	check(err)
	custom.Start(ctx.Done())
	builtin.Start(ctx.Done())
	custom.WaitForCacheSync(ctx.Done())
	builtin.WaitForCacheSync(ctx.Done())
	go func() { <-ctx.Done(); c.queue.ShutDown() }()
	for c.next(ctx) {
	}
}

func handler(handle func(any)) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{AddFunc: handle, UpdateFunc: func(_, object any) { handle(object) }, DeleteFunc: handle}
}

func (c *controller) enqueue(object any) {
	if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object); err == nil {
		c.queue.Add(key)
	}
}

func (c *controller) enqueueOwner(object any) {
	if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = gone.Obj
	}
	accessor, err := meta.Accessor(object)
	if err != nil {
		return
	}
	if owner := metav1.GetControllerOf(accessor); owner != nil && owner.Kind == widgetKind.Kind {
		c.queue.Add(accessor.GetNamespace() + "/" + owner.Name)
	}
}

func (c *controller) next(ctx context.Context) bool {
	key, down := c.queue.Get()
	if down {
		return false
	}
	defer c.queue.Done(key)
	if err := c.reconcile(ctx, key); err != nil {
		fmt.Fprintln(os.Stderr, key, err)
		c.queue.AddRateLimited(key)
	} else {
		c.queue.Forget(key)
	}
	return true
}

func (c *controller) reconcile(ctx context.Context, key string) error {
	object, err := c.lister.Get(key)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	widget := object.(*unstructured.Unstructured).DeepCopy()
	if widget.GetDeletionTimestamp() != nil {
		return c.finalize(ctx, widget)
	}
	if !has(widget.GetFinalizers(), finalizer) {
		widget.SetFinalizers(append(widget.GetFinalizers(), finalizer))
		_, err := c.dynamic.Resource(widgets).Namespace(namespace).Update(ctx, widget, metav1.UpdateOptions{})
		return err
	}
	size, _, err := unstructured.NestedInt64(widget.Object, "spec", "size")
	if err != nil {
		return err
	}
	if err := c.ensureMap(ctx, widget, strconv.FormatInt(size, 10)); err != nil {
		return err
	}
	return c.report(ctx, widget, size)
}

func (c *controller) finalize(ctx context.Context, widget *unstructured.Unstructured) error {
	if !has(widget.GetFinalizers(), finalizer) {
		return nil
	}
	record := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "record-of-" + widget.GetName()}, Data: map[string]string{"uid": string(widget.GetUID())}}
	if _, err := c.client.CoreV1().ConfigMaps(namespace).Create(ctx, record, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	left := []string{}
	for _, name := range widget.GetFinalizers() {
		if name != finalizer {
			left = append(left, name)
		}
	}
	widget.SetFinalizers(left)
	_, err := c.dynamic.Resource(widgets).Namespace(namespace).Update(ctx, widget, metav1.UpdateOptions{})
	return err
}

func (c *controller) ensureMap(ctx context.Context, widget *unstructured.Unstructured, size string) error {
	name := widget.GetName() + "-config"
	cached, exists, err := c.maps.GetByKey(namespace + "/" + name)
	if err != nil {
		return err
	}
	if !exists {
		owned := &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: name, OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(widget, widgetKind)}},
			Data:       map[string]string{"size": size},
		}
		_, err := c.client.CoreV1().ConfigMaps(namespace).Create(ctx, owned, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			return nil // the cache is behind
		}
		return err
	}
	owned := cached.(*corev1.ConfigMap).DeepCopy()
	if owned.Data["size"] == size {
		return nil
	}
	owned.Data = map[string]string{"size": size}
	_, err = c.client.CoreV1().ConfigMaps(namespace).Update(ctx, owned, metav1.UpdateOptions{})
	return err
}

func (c *controller) report(ctx context.Context, widget *unstructured.Unstructured, size int64) error {
	conditions := []metav1.Condition{}
	if before, found, _ := unstructured.NestedSlice(widget.Object, "status", "conditions"); found {
		for _, one := range before {
			condition := metav1.Condition{}
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(one.(map[string]any), &condition); err != nil {
				return err
			}
			conditions = append(conditions, condition)
		}
	}
	generation := widget.GetGeneration()
	ready := metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue, Reason: "Configured", ObservedGeneration: generation}
	if !meta.SetStatusCondition(&conditions, ready) {
		return nil
	}
	list := []any{}
	for i := range conditions {
		one, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&conditions[i])
		if err != nil {
			return err
		}
		list = append(list, one)
	}
	widget.Object["status"] = map[string]any{"observedGeneration": generation, "size": size, "conditions": list}
	_, err := c.dynamic.Resource(widgets).Namespace(namespace).UpdateStatus(ctx, widget, metav1.UpdateOptions{})
	return err
}

func has(names []string, wanted string) bool {
	for _, name := range names {
		if name == wanted {
			return true
		}
	}
	return false
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}
