import { expect, it } from 'vitest';
import type { InformerHandler } from '../../src/informer/handlers/notification.ts';
import { createRecordingHandler } from '../../src/testing/recording-handler.ts';

interface Named {
  metadata: { name: string; namespace: string; resourceVersion?: string };
}

const at = (resourceVersion?: string): Named => ({
  metadata: { name: 'web', namespace: 'shop', ...(resourceVersion ? { resourceVersion } : {}) },
});
const added = { key: 'shop/web', cause: 'watch', isInInitialList: false } as const;
const updated = { key: 'shop/web', cause: 'watch', uidChanged: false } as const;
const deleted = { key: 'shop/web', cause: 'watch', finalStateUnknown: false } as const;

it('records each notification whole and as a short text, oldest first', async () => {
  const handler = createRecordingHandler<Named>();
  const as: InformerHandler<Named> = handler;
  await as.added?.(at('5'), added);
  await as.synced?.();
  await as.updated?.(at('5'), at('7'), updated);
  await as.deleted?.(at('7'), { ...deleted, finalStateUnknown: true });
  await as.deleted?.(at(), deleted);
  expect(handler.lines).toEqual([
    'added shop/web@5',
    'synced',
    'updated shop/web@5->7',
    'deleted shop/web@7 (unknown)',
    'deleted shop/web@',
  ]);
  expect(handler.notifications.slice(0, 2)).toEqual([
    { ...added, kind: 'added', object: at('5') },
    { ...updated, kind: 'updated', oldObject: at('5'), object: at('7') },
  ]);
});

it('clear forgets what was recorded', () => {
  const handler = createRecordingHandler<Named>();
  void handler.added?.(at('5'), added);
  void handler.synced?.();
  handler.clear();
  expect([handler.notifications, handler.lines]).toEqual([[], []]);
  void handler.added?.(at('6'), added);
  expect(handler.lines).toEqual(['added shop/web@6']);
});

it('with a pause records a notification at once, and has handled it when the pause is over', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const handler = createRecordingHandler<Named>({ pause: () => promise });
  let isHandled = false;
  const handling = Promise.resolve(handler.added?.(at('5'), added)).then(() => (isHandled = true));
  expect(handler.lines).toEqual(['added shop/web@5']);
  await Promise.resolve();
  expect(isHandled).toBe(false);
  resolve();
  await handling;
  expect(isHandled).toBe(true);
});

it('refuses a pause that is no function', () => {
  // @ts-expect-error: the type refuses it too
  expect(() => createRecordingHandler({ pause: 5 })).toThrow(/pause/);
});
