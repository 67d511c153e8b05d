import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decodeJson } from '../../../src/client/decode/object-decoder.ts';
import { compileCel, OBJECT_VARIABLES } from '../../../src/expr/cel/cel.ts';
import { compileJsonPath } from '../../../src/expr/jsonpath/jsonpath.ts';
import { Indexer } from '../../../src/informer/store/indexer.ts';
import { copyOf } from '../../../src/kit/copy-of.ts';
import { InformerError } from '../../../src/kit/error.ts';
import { isContainer, jsonText, parseJson } from '../../../src/kit/exact-json.ts';
import { mergePatchOf } from '../../../src/kit/merge-patch.ts';
import { sameValue } from '../../../src/kit/same-value.ts';
import { differingPaths, fieldChanges } from '../../../src/model/field-changes.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import { rolloutOf } from '../../../src/model/rollout-status.ts';
import { parseOutputFormat } from '../../../src/output/formats.ts';
import { wholeText } from '../../../src/output/value-text.ts';
import {
  configMapsOf,
  imagesOf,
  nodeOf,
  secretsOf,
  serviceAccountsOf,
} from '../../../src/query/index/pod-references.ts';
import { volumeClaimsOf } from '../../../src/query/index/volume-claims.ts';
import { creatorOf, fieldManagers } from '../../../src/stream/changes/field-managers.ts';
import { compileSameBut } from '../../../src/stream/changes/path-mask.ts';
import { parseForCondition } from '../../../src/stream/conditions/for-condition.ts';
import { Redactor } from '../../../src/stream/redact.ts';
import { shownObject } from '../../../src/stream/shown-object.ts';
import { clock, createPrinter, event, PODS } from '../../output/fixtures.ts';
import { oddJson, oddObject, oddText } from '../inputs.ts';
import { outcomeOf } from '../outcome.ts';
import { fuzzTarget } from '../target.ts';

type Fields = Readonly<Record<string, unknown>>;
const quoted = oddText.map((text) => JSON.stringify(text));
const either = (right: fc.Arbitrary<string>) => fc.oneof({ weight: 5, arbitrary: right }, oddJson);
const listOf = (item: fc.Arbitrary<string>) =>
  either(fc.array(either(item), { maxLength: 2 }).map((all) => `[${all.join()}]`));
const objectOf = (members: Readonly<Record<string, fc.Arbitrary<string>>>) =>
  fc.record(members, { requiredKeys: [] }).map(
    (made) =>
      `{${Object.entries(made)
        .map(([key, text]) => `${JSON.stringify(key)}:${text}`)
        .join()}}`,
  );

const named = either(objectOf({ name: either(quoted), secretName: either(quoted), claimName: either(quoted) }));
const containers = listOf(
  objectOf({
    image: either(quoted),
    env: listOf(objectOf({ valueFrom: either(objectOf({ configMapKeyRef: named, secretKeyRef: named })) })),
    envFrom: listOf(objectOf({ configMapRef: named, secretRef: named })),
  }),
);
const podSpec = objectOf({
  nodeName: either(quoted),
  serviceAccountName: either(quoted),
  containers,
  volumes: listOf(
    objectOf({ name: quoted, configMap: named, secret: named, persistentVolumeClaim: named, ephemeral: oddJson }),
  ),
  replicas: either(fc.constantFrom('3', '2147483647', '-1')),
  ordinals: either(objectOf({ start: either(fc.constantFrom('0', '7')) })),
  volumeClaimTemplates: listOf(objectOf({ metadata: named })),
  updateStrategy: either(fc.constant('{"type":"RollingUpdate"}')),
  claimRef: named,
  tls: listOf(named),
});
const status = objectOf({
  conditions: listOf(
    objectOf({ type: fc.constantFrom('"Ready"', '"Progressing"'), status: either(quoted), reason: either(quoted) }),
  ),
  replicas: either(fc.constantFrom('0', '3')),
  updatedReplicas: either(fc.constantFrom('0', '3')),
  updateRevision: either(quoted),
  observedGeneration: either(fc.constantFrom('1', '2')),
});
const managed = listOf(
  objectOf({
    manager: either(quoted),
    time: either(fc.constant('"2026-01-01T00:00:00Z"')),
    subresource: either(quoted),
    fieldsV1: either(fc.constantFrom('{"f:spec":{}}', '{"f:spec":{"f:replicas":{}}}', '{"f:status":7}', '{"k:{":{}}')),
  }),
);
const text = objectOf({
  apiVersion: fc.constantFrom('"v1"', '"apps/v1"'),
  kind: fc.constantFrom('"Pod"', '"Deployment"', '"StatefulSet"', '"DaemonSet"', '"Secret"', '"List"'),
  spec: either(podSpec),
  template: either(objectOf({ spec: either(podSpec) })),
  status: either(status),
  data: either(oddObject),
  items: either(fc.constant('[{"kind":"Secret","data":{"a":"b"}},null,7]')),
  subjects: listOf(named),
});
const metadata = objectOf({
  namespace: quoted,
  labels: fc.constantFrom('{"a":"b"}', '{"__proto__":"x"}', '{"constructor":"y"}'),
  managedFields: managed,
  generation: either(fc.constantFrom('1', '2')),
});
const object = fc.tuple(text, metadata).map(([body, meta]) => {
  const value = parseJson(body) as Fields;
  return { ...value, metadata: { name: 'o', uid: 'u', ...(parseJson(meta) as Fields) } } as UnknownObject;
});

const CONDITIONS = ['condition=Ready', 'rollout', 'jsonpath={.status.replicas}=3', 'jsonpath={.spec.nodeName}'].map(
  parseForCondition,
);
const MASKS = [['.status.conditions'], ['.spec.containers[*].image', '.data'], ['..name']].map(compileSameBut);
const READERS = [configMapsOf, imagesOf, nodeOf, secretsOf, serviceAccountsOf, volumeClaimsOf, creatorOf];

/** Objects whose fields may have any type: nothing that reads them fails, and what compares them agrees. */
export const anyObjects = fuzzTarget({
  name: 'any-objects',
  share: 0.6,
  inputs: fc.tuple(object, object),
  check: ([before, after]) => {
    for (const read of READERS) read(after);
    assert.equal(typeof rolloutOf(after).text, 'string');
    for (const { met } of CONDITIONS) {
      const answer = met(after);
      assert.ok(typeof answer === 'boolean' || answer instanceof InformerError);
    }
    for (const sameBut of MASKS) assert.equal(sameBut(after, copyOf(after)), true);
    const changes = fieldChanges(before, after);
    const managerOf = fieldManagers(before, after);
    for (const change of changes) {
      managerOf(change);
      outcomeOf(() => compileJsonPath(change.path));
    }
    assert.deepStrictEqual(
      differingPaths(before, after),
      changes.map(({ path }) => path),
    );
    assert.deepStrictEqual(fieldChanges(after, copyOf(after)), []);
    const redacted = new Redactor({ key: Buffer.alloc(32) }).redact(after);
    if (after.kind === 'Secret' && after.apiVersion !== 'apps/v1' && isContainer(after.data))
      for (const value of Object.values((redacted as { data?: object }).data ?? {}))
        assert.match(String(value), /^hmac:/);
  },
});

/** Applies a merge patch as RFC 7386 says it. */
function patched(target: unknown, patch: unknown): unknown {
  if (!isContainer(patch) || Array.isArray(patch)) return patch;
  const base = isContainer(target) && !Array.isArray(target) ? Object.entries(target) : [];
  const result = new Map<string, unknown>(base);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else result.set(key, patched(result.get(key), value));
  }
  return Object.fromEntries(result);
}

/** The value without null members of maps, which no merge patch can express. */
function withoutNulls(value: unknown): unknown {
  if (!isContainer(value)) return value;
  if (Array.isArray(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([key, member]) => [key, withoutNulls(member)]));
}

/** Copies, comparisons, patches and the compact store keep every value, with names such as `__proto__` as keys. */
export const copiedObjects = fuzzTarget({
  name: 'copied-objects',
  share: 0.6,
  inputs: fc.tuple(oddObject, oddObject),
  check: ([first, second]) => {
    const [a, b] = [parseJson(first) as object, parseJson(second) as object];
    const copy = copyOf(a);
    assert.equal(jsonText(copy), jsonText(a));
    assert.ok(sameValue(a, copy));
    assert.equal(sameValue(a, b), sameValue(b, a));
    const patch = mergePatchOf(a, b);
    if (patch === undefined) assert.ok(sameValue(a, b));
    else assert.ok(sameValue(withoutNulls(patched(a, patch)), withoutNulls(b)), jsonText(patch));
    const indexer = new Indexer<UnknownObject>({ store: 'compact' });
    const stored = {
      ...a,
      metadata: { name: 'o', namespace: 'n', uid: 'u', annotations: b },
    } as unknown as UnknownObject;
    const text = jsonText(stored);
    indexer.update(stored);
    assert.equal(jsonText(indexer.get('n/o')), text);
  },
});

const level = fc.constantFrom('{"a":', '[', '{"__proto__":', '[1,', '{"b":1,"a":');
const nest = fc
  .tuple(
    fc.array(level, { minLength: 1, maxLength: 3 }),
    fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 300, max: 6_000 })),
    oddJson,
  )
  .map(([levels, times, inner]) => {
    const open = levels.join('').repeat(times);
    const close = [...levels]
      .reverse()
      .map((each) => (each.startsWith('{') ? '}' : ']'))
      .join('');
    return open + inner + close.repeat(times);
  });
const FORMATS = [
  '',
  'json',
  'ndjson',
  'yaml',
  'name',
  'diff',
  'changes',
  'jsonpath={.spec}',
  'custom-columns=A:.spec',
  'csv',
];
const PROGRAMS = [
  'object.spec.a.a.a == 1',
  'object == oldObject',
  'size(object.spec) > 1',
  'string(object.spec) == ""',
].map((source) => compileCel(source, { flag: '--filter', variables: OBJECT_VARIABLES }));

/** An object that is nested to any depth is shown, or replaced by its name; nothing overflows. */
export const deepObjects = fuzzTarget({
  name: 'deep-objects',
  share: 0.01,
  inputs: fc.tuple(nest, nest, fc.constantFrom(...FORMATS)),
  check: async ([first, second, format]) => {
    const decoded = [first, second].map((spec) => {
      const bytes = Buffer.from(
        `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"o","namespace":"n"},"spec":${spec}}`,
      );
      return decodeJson<UnknownObject>(bytes, 0);
    });
    const [before, after] = decoded as [UnknownObject, UnknownObject];
    assert.ok(sameValue(after, copyOf(after)));
    assert.equal(sameValue(before, after), fieldChanges(before, after).length === 0);
    mergePatchOf(before, after);
    wholeText(after);
    for (const program of PROGRAMS)
      program.test({ object: after, oldObject: before, event: 'MODIFIED', now: new Date(0) });
    compileJsonPath('{..a}{.spec}').values(after);
    outcomeOf(() => compileJsonPath('{.spec}{.spec.a}').print(after));
    const options = { redactor: new Redactor() };
    const [old, shown] = [before, after].map((each) => shownObject(each, PODS, options)) as [
      UnknownObject,
      UnknownObject,
    ];
    const printer = await createPrinter(parseOutputFormat(format), { clock });
    const modified = event('MODIFIED', shown);
    printer.events([{ ...modified, event: { ...modified.event, oldObject: old } }]);
    if (!/^(diff|changes)$/.test(format)) for (const _ of printer.objects([{ object: shown, type: PODS }]));
  },
});
