// Writes every type that client-go knows, filled at random, as client-go writes it: one JSON line per object with its group, version and
// kind, its protobuf body in base64, and its JSON. Argument: the seed.
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/randfill"
)

const perKind = 3

func main() {
	seed, err := strconv.ParseInt(os.Args[1], 10, 64)
	check(err)
	filler := randfill.NewWithSeed(seed).NilChance(0.3).NumElements(1, 2).MaxDepth(12).Funcs(values()...)
	serializer := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)
	lines := json.NewEncoder(os.Stdout)
	for _, gvk := range kinds() {
		for range perKind {
			object, err := scheme.Scheme.New(gvk)
			check(err)
			filler.Fill(object)
			object.GetObjectKind().SetGroupVersionKind(gvk)
			body := bytes.Buffer{}
			if serializer.Encode(object, &body) != nil {
				continue // a list, or a type that is never sent so
			}
			text, err := json.Marshal(object)
			check(err)
			check(lines.Encode(map[string]any{
				"group": gvk.Group, "version": gvk.Version, "kind": gvk.Kind,
				"protobuf": base64.StdEncoding.EncodeToString(body.Bytes()), "json": json.RawMessage(text),
			}))
		}
	}
}

// kinds sorts, so that a seed gives the same objects again.
func kinds() []schema.GroupVersionKind {
	all := []schema.GroupVersionKind{}
	for gvk := range scheme.Scheme.AllKnownTypes() {
		if gvk.Version != runtime.APIVersionInternal {
			all = append(all, gvk)
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].String() < all[j].String() })
	return all
}

// values are those of types whose zero or extremes no client sends.
func values() []any {
	moment := func(c randfill.Continue) time.Time { return time.Unix(int64(c.Intn(1<<30))+1, 0).UTC() }
	return []any{
		func(q *resource.Quantity, c randfill.Continue) {
			*q = resource.MustParse(fmt.Sprint(c.Intn(1000)+1) + "Mi")
		},
		func(t *metav1.Time, c randfill.Continue) { t.Time = moment(c) },
		func(t *metav1.MicroTime, c randfill.Continue) {
			t.Time = moment(c).Add(time.Duration(c.Intn(1_000_000)) * time.Microsecond)
		},
		func(i *intstr.IntOrString, c randfill.Continue) {
			if *i = intstr.FromInt32(int32(c.Intn(100))); c.Bool() {
				*i = intstr.FromString("25%")
			}
		},
		func(r *runtime.RawExtension, _ randfill.Continue) { r.Raw = []byte(`{"a":1}`) },
		func(f *metav1.FieldsV1, _ randfill.Continue) { f.Raw = []byte(`{"f:a":{}}`) },
		func(s *string, c randfill.Continue) { *s = fmt.Sprintf("s%d", c.Intn(1000)) },
		func(n *int64, c randfill.Continue) { *n = int64(c.Intn(1000)) - 3 },
		func(n *int32, c randfill.Continue) { *n = int32(c.Intn(1000)) - 3 },
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
