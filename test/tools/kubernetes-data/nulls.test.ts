import { describe, expect, it } from 'vitest';
import { updateNulls } from '../../../tools/kubernetes-data/nulls.ts';

const TEXT = `
package v1

type Verbs []string

type Thing struct {
	metav1.TypeMeta \`json:",inline"\`
	// +optional
	Rules []Rule \`json:"rules" protobuf:"bytes,1,rep,name=rules"\`
	Verbs Verbs \`json:"verbs"\`
	Sizes map[string]int \`json:"sizes"\`
	Scope *string \`json:"scope"\`
	SeenAt metav1.MicroTime \`json:"seenAt,omitempty"\`
	Object runtime.RawExtension \`json:"object,omitempty"\`
	Left []Rule \`json:"left,omitempty"\`
	Gone *metav1.Time \`json:"gone,omitempty"\`
	Created metav1.Time \`json:"created,omitempty,omitzero"\`
	Name string \`json:"name"\`
	Hidden []string \`json:"-"\`
}

type ThingList struct {
	Items []Thing \`json:"items"\`
}

type PodSpec struct {
	Containers []Container \`json:"containers"\`
}
`;

describe('the fields that a server may send as null', () => {
  it('are the empty slices, maps and pointers that Go writes, and its times and raw objects', () => {
    expect(updateNulls({}, [{ path: 'api/things/v1/types.go', text: TEXT }])).toEqual({
      'io.k8s.api.things.Thing': ['object', 'rules', 'scope', 'seenAt', 'sizes', 'verbs'],
    });
  });

  it('of all versions of a group together; other groups stay, and packages that no server stores are left out', () => {
    const typed = (field: string) => `type T struct {\n\tX []string \`json:"${field}"\`\n}\n`;
    const before = { 'io.k8s.api.other.T': ['kept'], 'io.k8s.api.things.T': ['old'] };
    const files = [
      { path: 'api/things/v1/types.go', text: typed('b') },
      { path: 'api/things/v1beta1/types.go', text: typed('a') },
      { path: 'api/admission/v1/types.go', text: typed('c') },
    ];
    expect(updateNulls(before, files)).toEqual({ 'io.k8s.api.other.T': ['kept'], 'io.k8s.api.things.T': ['a', 'b'] });
  });
});
