import { describe, expect, test } from 'vitest';
import { objectSummary } from '../../../src/output/objects/object-summary.ts';

describe('a summary of an object', () => {
  const of = (object: object) => objectSummary({ metadata: {}, ...object } as never);
  test.each<[object, string]>([
    [{ spec: { containers: [{ image: 'a:1' }, { image: 'b:2' }] }, status: { phase: 'Running' } }, 'Running, a:1 b:2'],
    [
      { spec: { replicas: 3, template: { spec: { containers: [{ image: 'a:1' }] } } }, status: { readyReplicas: 2 } },
      '2/3 ready, a:1',
    ],
    [{ spec: { replicas: 3 } }, '0/3 ready'],
    [
      { status: { conditions: [{ type: 'Ready', status: 'False', reason: 'KubeletNotReady' }] } },
      'not ready (KubeletNotReady)',
    ],
    [{ status: { conditions: [{ type: 'Ready', status: 'True' }] } }, 'ready'],
    [{ data: { a: '1', b: '2' } }, '2 keys'],
    [{ kind: 'Event', type: 'Warning', reason: 'BackOff', message: 'Back-off\nagain' }, 'Warning BackOff: Back-off'],
    [{ spec: {} }, ''],
    [{ spec: null, status: 'odd' }, ''],
  ])('%j', (object, text) => {
    expect(of(object)).toBe(text);
  });
});
