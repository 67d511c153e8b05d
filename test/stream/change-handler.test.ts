import { describe, expect, it } from 'vitest';
import type { UnknownObject } from '../../src/model/object.ts';
import { changeHandler, type ObjectChange } from '../../src/stream/envelope.ts';

const at = (resourceVersion?: string): UnknownObject => ({
  metadata: { name: 'web', ...(resourceVersion === undefined ? {} : { resourceVersion }) },
});

function recorder() {
  const changes: [ObjectChange, number][] = [];
  const unchanged: [string | undefined, number][] = [];
  const handler = changeHandler(
    (change, sequence) => void changes.push([change, sequence]),
    (object, sequence) => void unchanged.push([object.metadata.resourceVersion, sequence]),
  );
  return { changes, unchanged, handler };
}

const key = 'web';

describe('a notification becomes a change with its sequence number', () => {
  it('an object of the initial list is added with the cause initial', () => {
    const { handler, changes } = recorder();
    handler.added?.(at('1'), { key, cause: 'relist', isInInitialList: true, sequence: 7 });
    handler.added?.(at('2'), { key, cause: 'watch', isInInitialList: false, sequence: 8 });
    expect(changes).toEqual([
      [{ type: 'added', object: at('1'), cause: 'initial' }, 7],
      [{ type: 'added', object: at('2'), cause: 'watch' }, 8],
    ]);
  });

  it('the number is 0 where a notification has none', () => {
    const { handler, changes, unchanged } = recorder();
    handler.added?.(at('1'), { key, cause: 'watch', isInInitialList: false });
    handler.updated?.(at('1'), at('2'), { key, cause: 'watch', uidChanged: false });
    handler.updated?.(at('2'), at('2'), { key, cause: 'relist', uidChanged: false });
    handler.deleted?.(at('2'), { key, cause: 'watch', finalStateUnknown: false });
    expect(changes.map(([{ type }, sequence]) => [type, sequence])).toEqual([
      ['added', 0],
      ['updated', 0],
      ['deleted', 0],
    ]);
    expect(unchanged).toEqual([['2', 0]]);
  });

  it('an update has both states, and whether the object is a new one', () => {
    const { handler, changes } = recorder();
    handler.updated?.(at('1'), at('2'), { key, cause: 'relist', uidChanged: true, sequence: 9 });
    expect(changes).toEqual([
      [{ type: 'updated', object: at('2'), oldObject: at('1'), cause: 'relist', uidChanged: true }, 9],
    ]);
  });

  it('a deletion has whether its final state is unknown', () => {
    const { handler, changes } = recorder();
    handler.deleted?.(at('2'), { key, cause: 'relist', finalStateUnknown: true, sequence: 3 });
    expect(changes).toEqual([[{ type: 'deleted', object: at('2'), cause: 'relist', finalStateUnknown: true }, 3]]);
  });
});

describe('an update to the same version', () => {
  it('is not a change', () => {
    const { handler, changes, unchanged } = recorder();
    handler.updated?.(at('2'), at('2'), { key, cause: 'watch', uidChanged: false, sequence: 4 });
    expect([changes, unchanged]).toEqual([[], [['2', 4]]]);
  });

  it('is a change if it is another object of that name, as after a replaced history', () => {
    const { handler, changes, unchanged } = recorder();
    const of = (uid: string) => ({ metadata: { ...at('2').metadata, uid } });
    handler.updated?.(of('a'), of('b'), { key, cause: 'relist', uidChanged: true, sequence: 4 });
    expect([changes.length, unchanged.length]).toEqual([1, 0]);
  });

  it('is a change if it is a resync', () => {
    const { handler, changes, unchanged } = recorder();
    handler.updated?.(at('2'), at('2'), { key, cause: 'resync', uidChanged: false, sequence: 4 });
    expect([changes.length, unchanged.length]).toEqual([1, 0]);
  });

  it('cannot be recognised without a version, so it is a change', () => {
    const { handler, changes } = recorder();
    handler.updated?.(at(), at(), { key, cause: 'watch', uidChanged: false, sequence: 4 });
    expect(changes).toHaveLength(1);
  });
});

it('passes on the promise of a receiver that has no room', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const handler = changeHandler(() => promise);
  const result = handler.deleted?.(at('1'), { key, cause: 'watch', finalStateUnknown: false });
  expect(result).toBe(promise);
  resolve();
  await result;
});
