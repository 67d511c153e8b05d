// Answers LIST and WATCH of pods as a kube-apiserver does: over TLS, lists in pieces of 2 kB or with gzip level 1 on the fly, streaming lists,
// JSON or protobuf. No two pods are alike. Discovery is not answered; nothing is checked.
// OBJECTS CA-FILE; prints its URL.
package main

import (
	"compress/gzip"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/rand"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
)

const (
	version      = "90000000"
	piece        = 2048
	jsonType     = "application/json"
	protobufType = "application/vnd.kubernetes.protobuf"
)

// Each pod as an item of a list and as the object of an event, in both encodings.
type pods struct {
	items, objects, protobufObjects [][]byte
	protobufList                    []byte
}

func main() {
	count, err := strconv.Atoi(os.Args[1])
	check(err)
	all := encoded(count)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(w, r, all) }))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	check(os.WriteFile(os.Args[2], pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600))
	fmt.Println(server.URL)
	_, _ = io.Copy(io.Discard, os.Stdin) // until whoever started it ends
}

func answer(w http.ResponseWriter, r *http.Request, all pods) {
	query := r.URL.Query()
	asProtobuf := strings.Contains(r.Header.Get("Accept"), protobufType)
	switch {
	case r.URL.Path == "/version":
		w.Header().Set("Content-Type", jsonType)
		fmt.Fprint(w, `{"major":"1","minor":"36","gitVersion":"v1.36.2"}`)
	case r.URL.Path != "/api/v1/pods":
		http.NotFound(w, r)
	case query.Get("watch") == "true" || query.Get("watch") == "1":
		watch(w, r, all, asProtobuf, query.Get("sendInitialEvents") == "true")
	default:
		list(w, r, all, asProtobuf)
	}
}

func list(w http.ResponseWriter, r *http.Request, all pods, asProtobuf bool) {
	var out io.Writer = pieces{w}
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		zip, err := gzip.NewWriterLevel(w, 1)
		check(err)
		defer zip.Close()
		out = zip
	}
	if asProtobuf {
		w.Header().Set("Content-Type", protobufType)
		_, _ = out.Write(all.protobufList)
		return
	}
	w.Header().Set("Content-Type", jsonType)
	_, _ = fmt.Fprintf(out, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"%s"},"items":[`, version)
	for i, item := range all.items {
		if i > 0 {
			_, _ = out.Write([]byte{','})
		}
		if _, err := out.Write(item); err != nil {
			return
		}
	}
	_, _ = io.WriteString(out, "]}\n")
}

// Writes at most one piece at a time.
type pieces struct{ to io.Writer }

func (p pieces) Write(bytes []byte) (int, error) {
	for from := 0; from < len(bytes); from += piece {
		if _, err := p.to.Write(bytes[from:min(from+piece, len(bytes))]); err != nil {
			return from, err
		}
	}
	return len(bytes), nil
}

func watch(w http.ResponseWriter, r *http.Request, all pods, asProtobuf, initial bool) {
	contentType := jsonType
	if asProtobuf {
		contentType = protobufType + ";stream=watch"
	}
	w.Header().Set("Content-Type", contentType)
	out := w.(http.Flusher)
	out.Flush()
	if initial {
		whole := all.objects
		if asProtobuf {
			whole = all.protobufObjects
		}
		for _, object := range whole {
			if !send(w, "ADDED", object, asProtobuf) {
				return
			}
		}
		end := &corev1.Pod{TypeMeta: metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"}}
		end.ResourceVersion = version
		end.Annotations = map[string]string{"k8s.io/initial-events-end": "true"}
		send(w, "BOOKMARK", encode(end, asProtobuf), asProtobuf)
		out.Flush()
	}
	<-r.Context().Done()
}

func send(w io.Writer, kind string, object []byte, asProtobuf bool) bool {
	if !asProtobuf {
		_, err := fmt.Fprintf(w, `{"type":"%s","object":%s}`+"\n", kind, object)
		return err == nil
	}
	event := &metav1.WatchEvent{Type: kind, Object: runtime.RawExtension{Raw: object}}
	frame, err := event.Marshal()
	check(err)
	_, err = protobuf.LengthDelimitedFramer.NewFrameWriter(w).Write(frame)
	return err == nil
}

func encode(object runtime.Object, asProtobuf bool) []byte {
	if asProtobuf {
		bytes, err := runtime.Encode(protobufOf, object)
		check(err)
		return bytes
	}
	bytes, err := json.Marshal(object)
	check(err)
	return bytes
}

var protobufOf = scheme.Codecs.EncoderForVersion(protobuf.NewSerializer(scheme.Scheme, scheme.Scheme), corev1.SchemeGroupVersion)

func encoded(count int) pods {
	random := rand.New(rand.NewSource(1))
	var all pods
	list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: version}}
	for i := range count {
		pod := podOf(i, random)
		item := encode(pod, false)
		all.items = append(all.items, item)
		all.objects = append(all.objects, append([]byte(`{"kind":"Pod","apiVersion":"v1",`), item[1:]...))
		list.Items = append(list.Items, *pod)
		pod.TypeMeta = metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"}
		all.protobufObjects = append(all.protobufObjects, encode(pod, true))
	}
	all.protobufList = encode(list, true)
	return all
}

func hex(random *rand.Rand, digits int) string {
	const all = "0123456789abcdef"
	text := make([]byte, digits)
	for i := range text {
		text[i] = all[random.Intn(16)]
	}
	return string(text)
}

func uid(random *rand.Rand) types.UID {
	return types.UID(hex(random, 8) + "-" + hex(random, 4) + "-4" + hex(random, 3) + "-a" + hex(random, 3) + "-" + hex(random, 12))
}

func podOf(i int, random *rand.Rand) *corev1.Pod {
	app := fmt.Sprintf("app-%03d", random.Intn(400))
	template := hex(random, 10)
	at := metav1.NewTime(time.Unix(1760000000+int64(random.Intn(30_000_000)), 0).UTC())
	yes := true
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name: fmt.Sprintf("%s-%s-%s", app, template, hex(random, 5)), GenerateName: app + "-" + template + "-",
		Namespace: fmt.Sprintf("team-%02d", i%40), UID: uid(random), ResourceVersion: strconv.Itoa(10_000_000 + random.Intn(79_000_000)),
		Generation: 1, CreationTimestamp: at,
		Labels:          map[string]string{"app": app, "pod-template-hash": template, "release": "r" + hex(random, 4), "tier": []string{"web", "api", "job"}[i%3]},
		Annotations:     map[string]string{"checksum/config": hex(random, 64), "prometheus.io/port": strconv.Itoa(8000 + random.Intn(1000))},
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: app + "-" + template, UID: uid(random), Controller: &yes, BlockOwnerDeletion: &yes}},
	}}
	containers := 1 + random.Intn(2)
	for c := range containers {
		addContainer(pod, c, app, at, random)
	}
	addRest(pod, at, random)
	pod.ManagedFields = managed(pod, containers, at)
	return pod
}

func addContainer(pod *corev1.Pod, c int, app string, at metav1.Time, random *rand.Rand) {
	name := []string{"main", "proxy"}[c]
	image := fmt.Sprintf("registry.example.com/%s/%s:v%d.%d.%d", app, name, random.Intn(4), random.Intn(20), random.Intn(50))
	var env []corev1.EnvVar
	for range 4 + random.Intn(8) {
		value := fmt.Sprintf("http://app-%03d.team-%02d.svc:%d", random.Intn(400), random.Intn(40), 8000+random.Intn(999))
		if random.Intn(4) == 0 {
			value = hex(random, 16)
		}
		env = append(env, corev1.EnvVar{Name: fmt.Sprintf("%s_%02d", []string{"URL", "SETTING", "FEATURE_FLAG"}[random.Intn(3)], len(env)), Value: value})
	}
	probe := &corev1.Probe{TimeoutSeconds: 1, PeriodSeconds: int32(5 + random.Intn(20)), SuccessThreshold: 1, FailureThreshold: 3,
		ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/healthz", Port: intstr.FromInt32(int32(8000 + random.Intn(999))), Scheme: "HTTP"}}}
	pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{
		Name: name, Image: image, Env: env, LivenessProbe: probe, ReadinessProbe: probe,
		Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: int32(8000 + random.Intn(999)), Protocol: "TCP"}},
		Resources: corev1.ResourceRequirements{
			Limits:   corev1.ResourceList{"memory": resource.MustParse(fmt.Sprintf("%dMi", 64+random.Intn(900)))},
			Requests: corev1.ResourceList{"cpu": resource.MustParse(fmt.Sprintf("%dm", 10+random.Intn(900)))},
		},
		VolumeMounts:           []corev1.VolumeMount{{Name: "kube-api-access-" + hex(random, 5), ReadOnly: true, MountPath: "/var/run/secrets/kubernetes.io/serviceaccount"}},
		TerminationMessagePath: "/dev/termination-log", TerminationMessagePolicy: "File", ImagePullPolicy: "IfNotPresent",
	})
	started := true
	pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{
		Name: name, Ready: true, Started: &started, RestartCount: int32(random.Intn(5)), Image: image,
		ImageID: "registry.example.com/" + app + "@sha256:" + hex(random, 64), ContainerID: "containerd://" + hex(random, 64),
		State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: at}},
	})
}

func addRest(pod *corev1.Pod, at metav1.Time, random *rand.Rand) {
	grace, seconds := int64(30), int64(300)
	ip := fmt.Sprintf("10.%d.%d.%d", random.Intn(256), random.Intn(256), random.Intn(256))
	spec := &pod.Spec
	spec.Volumes = []corev1.Volume{{Name: spec.Containers[0].VolumeMounts[0].Name, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
		Sources: []corev1.VolumeProjection{{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token"}},
			{ConfigMap: &corev1.ConfigMapProjection{LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"}, Items: []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}}}}}}}}}
	spec.RestartPolicy, spec.DNSPolicy, spec.SchedulerName = "Always", "ClusterFirst", "default-scheduler"
	spec.TerminationGracePeriodSeconds = &grace
	spec.ServiceAccountName, spec.DeprecatedServiceAccount = "default", "default"
	spec.NodeName = fmt.Sprintf("worker-%04d", random.Intn(1000))
	spec.SecurityContext = &corev1.PodSecurityContext{}
	for _, key := range []string{"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"} {
		spec.Tolerations = append(spec.Tolerations, corev1.Toleration{Key: key, Operator: "Exists", Effect: "NoExecute", TolerationSeconds: &seconds})
	}
	status := &pod.Status
	status.Phase, status.QOSClass, status.StartTime = "Running", "Burstable", &at
	status.HostIP, status.PodIP = fmt.Sprintf("192.168.%d.%d", random.Intn(256), random.Intn(256)), ip
	status.HostIPs, status.PodIPs = []corev1.HostIP{{IP: status.HostIP}}, []corev1.PodIP{{IP: ip}}
	for _, kind := range []corev1.PodConditionType{"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"} {
		status.Conditions = append(status.Conditions, corev1.PodCondition{Type: kind, Status: "True", LastTransitionTime: at, ObservedGeneration: 1})
	}
}

func managed(pod *corev1.Pod, containers int, at metav1.Time) []metav1.ManagedFieldsEntry {
	var of strings.Builder
	for c := range containers {
		container := pod.Spec.Containers[c]
		var env strings.Builder
		for _, variable := range container.Env {
			fmt.Fprintf(&env, `,"k:{\"name\":\"%s\"}":{".":{},"f:name":{},"f:value":{}}`, variable.Name)
		}
		if c > 0 {
			of.WriteByte(',')
		}
		fmt.Fprintf(&of, `"k:{\"name\":\"%s\"}":{".":{},"f:env":{".":{}%s},"f:image":{},"f:imagePullPolicy":{},"f:livenessProbe":{".":{},"f:failureThreshold":{},"f:httpGet":{".":{},"f:path":{},"f:port":{},"f:scheme":{}},"f:periodSeconds":{},"f:successThreshold":{},"f:timeoutSeconds":{}},"f:name":{},"f:ports":{".":{},"k:{\"containerPort\":%d,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{},"f:name":{},"f:protocol":{}}},"f:resources":{".":{},"f:limits":{".":{},"f:memory":{}},"f:requests":{".":{},"f:cpu":{}}},"f:terminationMessagePath":{},"f:terminationMessagePolicy":{}}`,
			container.Name, env.String(), container.Ports[0].ContainerPort)
	}
	spec := fmt.Sprintf(`{"f:metadata":{"f:annotations":{".":{},"f:checksum/config":{},"f:prometheus.io/port":{}},"f:generateName":{},"f:labels":{".":{},"f:app":{},"f:pod-template-hash":{},"f:release":{},"f:tier":{}},"f:ownerReferences":{".":{},"k:{\"uid\":\"%s\"}":{}}},"f:spec":{"f:containers":{%s},"f:dnsPolicy":{},"f:enableServiceLinks":{},"f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},"f:terminationGracePeriodSeconds":{}}}`, pod.OwnerReferences[0].UID, of.String())
	status := fmt.Sprintf(`{"f:status":{"f:conditions":{"k:{\"type\":\"ContainersReady\"}":{".":{},"f:lastProbeTime":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}},"k:{\"type\":\"Initialized\"}":{".":{},"f:lastProbeTime":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}},"k:{\"type\":\"Ready\"}":{".":{},"f:lastProbeTime":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}}},"f:containerStatuses":{},"f:hostIP":{},"f:hostIPs":{},"f:phase":{},"f:podIP":{},"f:podIPs":{".":{},"k:{\"ip\":\"%s\"}":{".":{},"f:ip":{}}},"f:startTime":{}}}`, pod.Status.PodIP)
	entry := func(manager, fields, subresource string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, Operation: "Update", APIVersion: "v1", Time: &at, FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: []byte(fields)}, Subresource: subresource}
	}
	return []metav1.ManagedFieldsEntry{entry("kube-controller-manager", spec, ""), entry("kubelet", status, "status")}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
