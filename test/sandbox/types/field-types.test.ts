import { describe, expect, it } from 'vitest';
import type { UnknownObject } from '../../../src/model/object.ts';
import type { ApiType } from '../../../src/sandbox/types/api-type.ts';
import { builtinTypes } from '../../../src/sandbox/types/builtin-types.ts';
import {
  applyProblem,
  choiceProblems,
  decodeProblem,
  emptyNulls,
  mismatches,
} from '../../../src/sandbox/types/field-types.ts';

const find = (kind: string) => builtinTypes().find((t) => t.kind === kind) as ApiType;
const custom: ApiType = { ...find('Pod'), custom: { columns: [], selectableFields: [], schema: undefined } };
const object = (fields: object) => ({ metadata: { name: 'a' }, ...fields }) as UnknownObject;
const container = (fields: object) => object({ spec: { containers: [{ name: 'c', ...fields }] } });

describe('a value without the type of its field', () => {
  it.each<[kind: string, fields: object, decode: string, apply: string]>([
    [
      'Pod',
      { spec: { containers: 'x' } },
      'json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type []v1.Container',
      'list',
    ],
    [
      'Pod',
      { spec: { nodeName: 5 } },
      'json: cannot unmarshal number into Go struct field PodSpec.spec.nodeName of type string',
      'string',
    ],
    [
      'Pod',
      { spec: { priority: 1.5 } },
      'json: cannot unmarshal number 1.5 into Go struct field PodSpec.spec.priority of type int32',
      'numeric',
    ],
    [
      'Pod',
      { spec: { hostPID: 'yes' } },
      'json: cannot unmarshal string into Go struct field PodSpec.spec.hostPID of type bool',
      'boolean',
    ],
    [
      'Pod',
      { spec: { nodeSelector: ['a'] } },
      'json: cannot unmarshal array into Go struct field PodSpec.spec.nodeSelector of type map[string]string',
      'map',
    ],
    ['Secret', { data: { a: 'a-b' } }, 'illegal base64 data at input byte 1', 'string'],
    [
      'Pod',
      { spec: { overhead: { cpu: 'much' } } },
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
      'string',
    ],
    [
      'Pod',
      { status: { startTime: 'now' } },
      'parsing time "now" as "2006-01-02T15:04:05Z07:00": cannot parse "now" as "2006"',
      'string',
    ],
  ])('in a %s is reported: %j', (kind, fields, decode, apply) => {
    const type = find(kind);
    const [found, ...more] = mismatches(type, object(fields));
    expect(more).toEqual([]);
    expect(found && decodeProblem(type, found)).toBe(decode);
    expect(found && applyProblem(found)).toContain(`expected ${apply}`);
  });

  it('has the path of its list item', () => {
    expect(mismatches(find('Pod'), container({ image: 5 })).map(({ path, of }) => [path, of])).toEqual([
      ['spec.containers[0].image', 'Container'],
    ]);
  });

  it.each([
    ['a long beyond 2^53', 0, { spec: { activeDeadlineSeconds: 9223372036854775807n } }],
    ['a long beyond 64 bits', 1, { spec: { activeDeadlineSeconds: 9223372036854775808n } }],
    ['null', 0, { spec: null }],
    ['a quantity as a number', 0, { spec: { overhead: { cpu: 1 } } }],
    [
      'a port by number or name',
      0,
      {
        spec: {
          containers: [{ livenessProbe: { httpGet: { port: 80 } } }, { livenessProbe: { httpGet: { port: 'a' } } }],
        },
      },
    ],
    ['a field that is unknown', 0, { spec: { nonsense: 5 } }],
  ])('%s: is found %i times', (_what, count, fields) => {
    expect(mismatches(find('Pod'), object(fields))).toHaveLength(count);
  });

  it('is looked for only in the metadata of a custom resource', () => {
    const resource = { metadata: { name: 'a', labels: 5 }, spec: { nodeName: 5 } } as unknown as UnknownObject;
    expect(mismatches(custom, resource).map(({ path }) => path)).toEqual(['metadata.labels']);
  });
});

describe('null', () => {
  it('in a map or a list becomes the empty value of its type', () => {
    const pod = object({ spec: { nodeSelector: { a: null }, containers: [null], overhead: { cpu: null } } });
    emptyNulls(find('Pod'), pod);
    expect(pod.spec).toEqual({ nodeSelector: { a: '' }, containers: [{}], overhead: { cpu: '0' } });
  });

  it('as a field stays, except in a definition, where only a default can be null', () => {
    const pod = object({ spec: { nodeName: null } });
    emptyNulls(find('Pod'), pod);
    expect(pod.spec).toEqual({ nodeName: null });
    const schema = { type: 'string', title: null, default: null };
    const crd = object({
      spec: { scope: null, versions: [{ schema: { openAPIV3Schema: { properties: { a: schema } } } }] },
    });
    emptyNulls(find('CustomResourceDefinition'), crd);
    expect(crd.spec).toEqual({
      versions: [{ schema: { openAPIV3Schema: { properties: { a: { type: 'string', default: null } } } } }],
    });
  });
});

describe('a value that is not one of the allowed strings', () => {
  it('is reported with all of them', () => {
    expect(choiceProblems(find('Pod'), object({ spec: { restartPolicy: 'Sometimes' } }))).toEqual([
      {
        field: 'spec.restartPolicy',
        reason: 'FieldValueNotSupported',
        detail: '"Sometimes": supported values: "Always", "Never", "OnFailure"',
      },
    ]);
  });

  it.each([
    ['empty', { spec: { restartPolicy: '' } }],
    ['in status', { status: { phase: 'Odd' } }],
    ['not a string', { spec: { restartPolicy: 5 } }],
    ['allowed', { spec: { restartPolicy: 'Never' } }],
  ])('is not reported when it is %s', (_what, fields) => {
    expect(choiceProblems(find('Pod'), object(fields))).toEqual([]);
  });
});
