import { expect, it } from 'vitest';
import { podSpecProblems } from '../../../src/sandbox/write/validate-pods.ts';

const container = (more: object = {}) => ({ name: 'c', image: 'i', ...more });
const pod = (more: object, spec: object = {}) => ({ spec: { containers: [container(more)], ...spec } });

/** The problems of a pod spec: `field: reason detail`. */
const wrong = (spec: object, claimed?: unknown[]) =>
  podSpecProblems(spec as Record<string, unknown>, 'spec', claimed).map(({ field, reason, detail = '' }) =>
    `${field}: ${reason.replace('FieldValue', '')} ${detail}`.trim(),
  );

it.each<[string, { spec: object }, string[]]>([
  ['no container', { spec: {} }, ['spec.containers: Required']],
  [
    'no name and no image',
    { spec: { containers: [{}] } },
    ['spec.containers[0].name: Required', 'spec.containers[0].image: Required'],
  ],
  [
    'two containers with one name',
    pod({}, { initContainers: [container()] }),
    ['spec.initContainers[0].name: Duplicate "c"'],
  ],
  [
    'a port out of range',
    pod({ ports: [{ containerPort: 70000 }] }),
    ['spec.containers[0].ports[0].containerPort: Invalid 70000: must be between 1 and 65535, inclusive'],
  ],
  [
    'a mount of an unknown volume',
    pod({ volumeMounts: [{ name: 'v', mountPath: '/v' }] }),
    ['spec.containers[0].volumeMounts[0].name: NotFound "v"'],
  ],
  [
    'a request above the limit',
    pod({ resources: { requests: { memory: '2Gi' }, limits: { memory: '1500Mi' } } }),
    ['spec.containers[0].resources.requests: Invalid "2Gi": must be less than or equal to memory limit of 1500Mi'],
  ],
  [
    'a variable with two sources',
    pod({ env: [{ name: 'E', value: 'x', valueFrom: {} }] }),
    ['spec.containers[0].env[0].valueFrom: Invalid "": may not be specified when `value` is not empty'],
  ],
  [
    'two kinds of volume',
    pod({}, { volumes: [{ name: 'v', emptyDir: {}, secret: {} }] }),
    ['spec.volumes[0].secret: Forbidden may not specify more than 1 volume type'],
  ],
])('refuses %s', (_what, { spec }, problems) => {
  expect(wrong(spec)).toEqual(problems);
});

it('accepts a mount of a claimed volume', () => {
  const { spec } = pod({ volumeMounts: [{ name: 'data', mountPath: '/data' }] });
  expect(wrong(spec, ['data'])).toEqual([]);
  expect(wrong(spec)).toHaveLength(1);
});
