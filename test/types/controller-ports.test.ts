import { expectTypeOf, it } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import type { ActionClient } from '../../src/hooks/actions/action-client.ts';
import type { UnguardedClient } from '../../src/hooks/guarded-client.ts';
import type { HookReconcilerOptions } from '../../src/hooks/hook-reconciler.ts';
import type { Lister } from '../../src/informer/store/lister.ts';
import type { UnknownObject } from '../../src/model/object.ts';

it('a client is what actions need, and what is guarded for modules', () => {
  expectTypeOf<Client>().toExtend<ActionClient>();
  expectTypeOf<Client>().toExtend<UnguardedClient>();
});

it('a lister is what hooks read from', () => {
  expectTypeOf<Lister<UnknownObject>>().toExtend<HookReconcilerOptions['lister']>();
});
