import { expect, it } from 'vitest';
import { parseReply } from '../../src/hooks/reply.ts';
import type { HookFunction, HookReply } from '../../src/hooks.ts';

it('the type of a reply has every action that a hook may ask for', () => {
  const reply: HookReply = {
    requeueAfter: '30s',
    actions: [
      { apply: { metadata: { name: 'a' } }, own: true },
      { create: { metadata: { generateName: 'a-' } }, on: { gvr: 'v1/pods' } },
      { patch: { spec: { replicas: 3 } } },
      { patch: { spec: { replicas: 3 } }, patchType: 'strategic', on: { name: 'b' } },
      { patch: [{ op: 'remove', path: '/spec/paused' }], patchType: 'json' },
      { status: { ready: true }, on: { namespace: 'shop' } },
      { delete: true },
      { delete: { propagationPolicy: 'Orphan' }, on: { gvr: 'v1/pods', name: 'b' } },
      { event: { reason: 'Scaled', message: 'to 3' } },
      { log: 'looked' },
      { log: { level: 'warn', message: 'too many', replicas: 5 } },
    ],
  };
  expect(parseReply(reply).actions).toHaveLength(11);
});

it('the compiler refuses what the program refuses', () => {
  const replies = [
    // @ts-expect-error an unknown verb
    { actions: [{ pach: { spec: {} } }] } satisfies HookReply,
    // @ts-expect-error no verb
    { actions: [{ on: { name: 'b' } }] } satisfies HookReply,
    // @ts-expect-error a JSON patch is a list of operations
    { actions: [{ patch: { spec: {} }, patchType: 'json' }] } satisfies HookReply,
    // @ts-expect-error own is for apply and create
    { actions: [{ status: {}, own: true }] } satisfies HookReply,
    // @ts-expect-error an Event needs a reason
    { actions: [{ event: { message: 'x' } }] } satisfies HookReply,
    // @ts-expect-error a log line is about no object
    { actions: [{ log: 'x', on: { name: 'b' } }] } satisfies HookReply,
  ];
  for (const reply of replies) expect(() => parseReply(reply)).toThrow('not valid');
});

it('a hook function may reply with actions, asynchronously or not, or with nothing', () => {
  const hooks: HookFunction[] = [
    () => {},
    () => ({ actions: [{ patch: { metadata: {} } }] }),
    async ({ object }) => (object ? { actions: [{ delete: true }] } : undefined),
  ];
  expect(hooks).toHaveLength(3);
});
