import { describe, expect, it } from 'vitest';
import { PassedSample, WHOLE_FOR_HINTS } from '../../../src/cli/passing/passed-sample.ts';
import type { WatchTarget } from '../../../src/cli/session/informers.ts';
import type { ReadonlyObject } from '../../../src/model/object.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';
import { samplesOf } from '../../../src/query/answer/samples.ts';

const type = { gvr: { group: '', version: 'v1', resource: 'pods' }, kind: 'Pod' } as ResourceType;
const reads = [
  {
    flag: '--filter',
    addresses: [
      ['status', 'phase'],
      ['status', 'phas'],
    ],
  },
];
const pod = (i: number, status: object = { phase: 'Running' }) => ({ metadata: { name: `p-${i}` }, status }) as ReadonlyObject; // biome-ignore format: short

/** The sample as hints see it. */
const seen = (sample: PassedSample) => samplesOf(sample.cached({ type, informer: {} } as WatchTarget));

describe('the objects that passed, for hints', () => {
  it('are counted, and the fields are named that none of them has', () => {
    const sample = new PassedSample(type, reads);
    for (let i = 0; i < 20_000; i++) sample.add(pod(i, i === 19_999 ? { phase: 'Running' } : {}));
    expect(sample.absent).toEqual([{ flag: '--filter', addresses: [['status', 'phas']] }]);
    expect(sample.count).toBe(20_000);
    expect(seen(sample)).toMatchObject({ count: 20_000, type });
  });

  it('are the first ten thousand while none matches, and then the first two hundred', () => {
    const sample = new PassedSample(type, reads);
    for (let i = 0; i < 20_000; i++) sample.add(pod(i));
    expect(seen(sample).objects).toHaveLength(10_000);
    sample.matched();
    sample.add(pod(1));
    expect(seen(sample).objects.map(({ metadata }) => metadata.name)).toEqual(
      Array.from({ length: WHOLE_FOR_HINTS }, (_, i) => `p-${i}`),
    );
  });

  it('are one where no expression reads a field', () => {
    const sample = new PassedSample(type, [{ flag: '--filter', addresses: [] }]);
    sample.add(pod(1));
    sample.add(pod(2));
    expect(seen(sample).objects).toHaveLength(1);
    expect(seen(sample).count).toBe(2);
  });
});
