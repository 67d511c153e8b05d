import { describe, expect, it } from 'vitest';
import { ObjectTexts } from '../../bench/generator.ts';
import { podFigures } from '../../bench/pod-figures.ts';
import recorded from '../../bench/real/pods.json' with { type: 'json' };

const texts = new ObjectTexts().as('object');
const made = podFigures(Array.from({ length: 400 }, (_, i) => texts.text(i)));

describe("the bench's pods beside those of a kube-apiserver", () => {
  it('have every field that those have', () => {
    expect(made.fields).toEqual(expect.arrayContaining(recorded.fields));
  });

  it.each(['bytes', 'largeBytes', 'keys', 'strings', 'escapes', 'digits', 'longRuns', 'gzipBytes'] as const)(
    'are not easier to read: %s',
    (figure) => {
      expect(made[figure]).toBeGreaterThanOrEqual(recorded[figure]);
    },
  );

  it('are as large, and as much of them is managedFields', () => {
    expect(made.bytes / recorded.bytes).toBeLessThan(1.1);
    expect(made.managedFieldsBytes / made.bytes).toBeCloseTo(recorded.managedFieldsBytes / recorded.bytes, 1);
  });

  it('differ in size, in containers and in owners', () => {
    const pods = Array.from({ length: 40 }, (_, i) => JSON.parse(texts.text(i)) as Pod);
    expect(new Set(pods.map(({ spec }) => spec.containers.length))).toEqual(new Set([1, 2, 3]));
    expect(new Set(pods.map(({ metadata }) => metadata.ownerReferences?.length ?? 0))).toEqual(new Set([0, 1, 2]));
    expect(made.largeBytes / made.bytes).toBeGreaterThan(1.1);
  });

  it('have times in nanoseconds and digests of zeros, and a container id that is their own', () => {
    const all = Array.from({ length: 80 }, (_, i) => texts.text(i));
    expect(all.filter((text) => /"example\.com\/seen-ns":"\d{19}"/.test(text))).toHaveLength(40);
    expect(all.filter((text) => /@sha256:0{24}[0-9a-f]{40}"/.test(text))).toHaveLength(16);
    const ids = all.map((text) => /containerd:\/\/([0-9a-f]{64})/.exec(text)?.[1]);
    expect(new Set(ids).size).toBe(80);
  });
});

interface Pod {
  metadata: { ownerReferences?: unknown[] };
  spec: { containers: unknown[] };
}

it('counts what a reader meets', () => {
  const pod = {
    metadata: { labels: { 'a/b': '1234567890123456' }, managedFields: [{}] },
    list: [{ a: '"' }, { b: 1 }],
  };
  const text = JSON.stringify(pod);
  expect(podFigures([text])).toEqual({
    bytes: text.length,
    largeBytes: text.length,
    managedFieldsBytes: 4,
    keys: 7,
    strings: 9,
    escapes: 1,
    digits: 17,
    longRuns: 1,
    gzipBytes: expect.any(Number),
    fields: [
      '.list',
      '.list[]',
      '.list[].a',
      '.list[].b',
      '.metadata',
      '.metadata.labels',
      '.metadata.managedFields',
      '.metadata.managedFields[]',
    ],
  });
});
