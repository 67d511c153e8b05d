import { expect, test } from 'vitest';
import { compileCel, OBJECT_VARIABLES } from '../../../src/expr/cel/cel.ts';
import { addressesRead, textsCompared } from '../../../src/expr/cel/fields-read.ts';
import { addressText } from '../../../src/model/field-path.ts';

const read = (source: string) =>
  addressesRead(compileCel(source, { flag: '--filter', variables: OBJECT_VARIABLES }).ast).map(addressText);

test.each<[string, string[]]>([
  ['object.metadata.nam == "web-1"', ['.metadata.nam']],
  ['object["metadata"]["name"] == "x"', ['.metadata.name']],
  ['oldObject.spec.replicas != object.spec.replicas', ['.spec.replicas']],
  ['object.metadata.labels["a.b/c"] == "x"', [".metadata.labels['a.b/c']"]],
  [
    'object.status.conditions.exists(c, c.typ == "Ready" && c.status == "True")',
    ['.status.conditions', '.status.conditions[*].typ', '.status.conditions[*].status'],
  ],
  [
    'object.spec.containers.all(c, c.ports.exists(p, p.containerPort == 80))',
    ['.spec.containers', '.spec.containers[*].ports', '.spec.containers[*].ports[*].containerPort'],
  ],
  ['object.spec.containers[0].image.startsWith("nginx")', ['.spec.containers[*].image']],
  ['object.metadata.labels[object.spec.key] == "x"', ['.metadata.labels', '.spec.key']],
  ['cel.bind(s, object.status, s.phase == "x")', ['.status', '.status.phase']],
  ['now - object.metadata.creationTimestamp > "8h"', ['.metadata.creationTimestamp']],
  ['has(object.spec.nodeName)', []],
  ['has(object.spec.nodeName) && object.spec.nodeName == "a"', []],
  ['"app" in object.metadata.labels && object.metadata.labels.app == "x"', []],
  ['object.status.?unavailableReplicas.orValue(0) == 0', ['.status']],
  ['object.?status.?phase.orValue("") == "x" || object.status.phase == "y"', []],
  ['event == "DELETED"', []],
  ['rolledOut(object)', []],
])('%s reads %j', (source, expected) => {
  expect(read(source).sort()).toEqual([...expected].sort());
});

test.each<[string, string[]]>([
  ['object.status.phase == "Running"', ['.status.phase Running']],
  ['"Running" == oldObject.status.phase', ['.status.phase Running']],
  ['!(object.a == "x") || object.metadata.labels["a.b/c"] == "y"', ['.a x', ".metadata.labels['a.b/c'] y"]],
  ['object.spec.containers.exists(c, c.image == "nginx")', ['.spec.containers[*].image nginx']],
  ['object.a != "x" && object.b == 3 && object.c == object.d && object.e.startsWith("f")', []],
  ['object.metadata.labels[object.spec.key] == "x" && event == "ADDED"', []],
])('the texts that %s compares', (source, texts) => {
  const { ast } = compileCel(source, { flag: '--filter', variables: OBJECT_VARIABLES });
  expect(textsCompared(ast).map(({ address, text }) => `${addressText(address)} ${text}`)).toEqual(texts);
});

test('the texts that columns are compared with', () => {
  const source = 'STATUS == "Running" && cells["UP-TO-DATE"] == "3" && RESTARTS > 3';
  const { ast, variables } = compileCel(source, { flag: '--where', variables: {}, unlisted: true });
  expect(textsCompared(ast, [...variables])).toEqual([
    { address: ['STATUS'], text: 'Running' },
    { address: ['cells', 'UP-TO-DATE'], text: '3' },
  ]);
});
