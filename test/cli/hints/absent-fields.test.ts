import { expect, test } from 'vitest';
import { absentFields } from '../../../src/cli/hints/absent-fields.ts';
import { addressesOf } from '../../../src/expr/jsonpath/fields-read.ts';
import type { FieldReads } from '../../../src/model/field-path.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';
import type { Sample } from '../../../src/query/answer/samples.ts';
import { factsOf, serverOf } from '../../support/hints.ts';

const POD = { gvr: { group: '', version: 'v1', resource: 'pods' }, kind: 'Pod', singular: 'pod' } as ResourceType;
const pods = ['web-1', 'web-2'].map((name) => ({
  metadata: { name, labels: { app: 'web' } },
  spec: { containers: [{ image: 'a' }] },
}));

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const DOCUMENT = {
  components: {
    schemas: {
      Pod: {
        type: 'object',
        'x-kubernetes-group-version-kind': [{ group: '', version: 'v1', kind: 'Pod' }],
        properties: {
          apiVersion: { type: 'string' },
          kind: { type: 'string' },
          metadata: { allOf: [{ $ref: `#/components/schemas/${META}` }] },
          spec: {
            type: 'object',
            properties: {
              nodeName: { type: 'string' },
              containers: {
                type: 'array',
                items: { type: 'object', properties: { image: { type: 'string' }, tty: { type: 'boolean' } } },
              },
            },
          },
          extra: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
      [META]: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          deletionTimestamp: { type: 'string' },
          labels: { type: 'object', additionalProperties: { type: 'string' } },
        },
      },
    },
  },
};

/** A server that describes its types, or refuses to. */
function session(answers: Readonly<Record<string, object>>) {
  const asked: string[] = [];
  const raw = async (path: string) => {
    asked.push(path);
    const answer = answers[path];
    if (!answer) throw new Error('forbidden');
    return JSON.stringify(answer);
  };
  return { asked, with: serverOf({ raw }) };
}
const DESCRIBED = {
  '/openapi/v3': { paths: { 'api/v1': { serverRelativeURL: '/openapi/v3/api/v1?hash=1' } } },
  '/openapi/v3/api/v1?hash=1': DOCUMENT,
};

const hintsOn = (reads: readonly FieldReads[], samples: readonly Sample[], to = session(DESCRIBED)) =>
  absentFields(factsOf(samples, { reads }), to.with);
const hintsOf = (path: string, objects: readonly object[], to = session(DESCRIBED)) =>
  hintsOn([{ flag: '--filter', addresses: addressesOf(path) }], [{ type: POD, objects: objects as never }], to);

test.each<[string, string[]]>([
  [
    '.metadata.nam',
    ['--filter: .metadata.nam is in none of 2 pods, and is no field of Pod; did you mean .metadata.name?'],
  ],
  [
    '.spec.nodeNam',
    ['--filter: .spec.nodeNam is in none of 2 pods, and is no field of Pod; did you mean .spec.nodeName?'],
  ],
  [
    '.spec.containers[*].imag',
    [
      '--filter: .spec.containers[*].imag is in none of 2 pods, and is no field of Pod; did you mean .spec.containers[*].image?',
    ],
  ],
  ['.spec.nodeName.first', ['--filter: .spec.nodeName.first is in none of 2 pods, and is no field of Pod']],
  [
    'spec/nodeName',
    ["--filter: ['spec/nodeName'] is in none of 2 pods, and is no field of Pod; did you mean .spec.nodeName?"],
  ],
  ['.metadata.labels.ap', ['--filter: .metadata.labels.ap is in none of 2 pods; did you mean .metadata.labels.app?']],
  ['.extra.whatever', ['--filter: .extra.whatever is in none of 2 pods']],
  ['.spec.nodeName', []],
  ['.spec.containers[*].tty', []],
  ['.metadata.deletionTimestamp', []],
  ['.metadata.labels.app', []],
  ['.kind', []],
])('of %s a server that describes its fields lets us say %j', async (path, expected) => {
  expect(await hintsOf(path, pods)).toEqual(expected);
});

test.each<[string, string[]]>([
  [
    '.metadata.nam',
    ['--filter: .metadata.nam is in none of 2 pods, and is no field of Pod; did you mean .metadata.name?'],
  ],
  ['.spec.nodeNam', ['--filter: .spec.nodeNam is in none of 2 pods']],
  ['.metadata.deletionTimestamp', []],
  ['.metadata.labels.ap', ['--filter: .metadata.labels.ap is in none of 2 pods; did you mean .metadata.labels.app?']],
])('of %s the objects alone say %j, where the server describes nothing', async (path, expected) => {
  expect(await hintsOf(path, pods, session({}))).toEqual(expected);
});

test('nothing is said without objects, and the server is asked only where a field is missing', async () => {
  const server = session(DESCRIBED);
  expect(await hintsOf('.metadata.nam', [], server)).toEqual([]);
  expect(await hintsOf('.metadata.name', pods, server)).toEqual([]);
  expect(server.asked).toEqual([]);
  await hintsOf('.metadata.nam', pods, server);
  expect(server.asked).toEqual(['/openapi/v3', '/openapi/v3/api/v1?hash=1']);
});

test('a field that one of several types has is no mistake', async () => {
  const other = {
    type: { ...POD, gvr: { ...POD.gvr, resource: 'others' }, kind: 'Other' } as ResourceType,
    objects: [{ metadata: { name: 'x' }, size: 1 }],
  };
  const reads = [{ flag: '--until', addresses: addressesOf('{.size} {.siz}') }];
  const lines = await hintsOn(reads, [{ type: POD, objects: pods as never }, other as never], session({}));
  expect(lines).toEqual(['--until: .siz is in none of 2 pods and 1 pod; did you mean .size?']);
});

test('what lies below a field that is nowhere is no line of its own', async () => {
  const reads = [
    {
      flag: '--filter',
      addresses: addressesOf('{.extra.list} {.extra.list[*].type} {.spec.nodeName.first} {.extra.lis}'),
    },
  ];
  expect(await hintsOn(reads, [{ type: POD, objects: pods as never }])).toEqual([
    '--filter: .extra.list is in none of 2 pods',
    '--filter: .spec.nodeName.first is in none of 2 pods, and is no field of Pod',
    '--filter: .extra.lis is in none of 2 pods',
  ]);
});

test('a label that is only printed may be missing, but not what is no field, nor what resembles a label there is', async () => {
  const reads = [
    {
      flag: '-o jsonpath',
      addresses: addressesOf('{.metadata.labels.zone} {.metadata.labels.ap} {.spec.nope}'),
      isOutput: true,
    },
  ];
  expect(await hintsOn(reads, [{ type: POD, objects: pods as never }])).toEqual([
    '-o jsonpath: .metadata.labels.ap is in none of 2 pods; did you mean .metadata.labels.app?',
    '-o jsonpath: .spec.nope is in none of 2 pods, and is no field of Pod',
  ]);
});
