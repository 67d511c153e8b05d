import { describe, expectTypeOf, it } from 'vitest';
import {
  type Client,
  createInformerSource,
  createOrUpdate,
  type DeepReadonly,
  type dynamicInformerFactory,
  enqueueOwner,
  type InformerFactory,
  type InformerHandle,
  type KeySource,
  type KubeObject,
  type Reconciler,
  type UnknownObject,
} from '../../src/index.ts';
import type { AddedDetails, DeletedDetails, UpdatedDetails } from '../../src/informer/handlers/notification.ts';

interface Backup extends KubeObject {
  spec: { schedule: string; hosts: { name: string }[] };
}

const BACKUPS = { group: 'example.com', version: 'v1', resource: 'backups' };

// Types only: the functions below are checked by the compiler and never called.
const typed = (factory: InformerFactory) => factory.forResource<Backup>(BACKUPS);
type Typed = ReturnType<typeof typed>;

describe('forResource', () => {
  it('without a type deals in unknown objects', () => {
    const untyped = (factory: InformerFactory) => factory.forResource(BACKUPS);
    expectTypeOf(untyped).returns.toEqualTypeOf<InformerHandle<UnknownObject>>();
    expectTypeOf<
      NonNullable<ReturnType<ReturnType<typeof untyped>['lister']['get']>>['spec']
    >().toEqualTypeOf<unknown>();
  });

  it('takes a client, or anything else that gives access to collections', () => {
    expectTypeOf<Client>().toExtend<Parameters<typeof dynamicInformerFactory>[0]>();
  });

  it('refuses a type without metadata', () => {
    // @ts-expect-error an object of Kubernetes has metadata
    const refused = (factory: InformerFactory) => factory.forResource<{ spec: string }>(BACKUPS);
    expectTypeOf(refused).toBeFunction();
  });
});

describe('a lister', () => {
  it('gives objects that are read-only all the way down', () => {
    type Found = NonNullable<ReturnType<Typed['lister']['get']>>;
    expectTypeOf<Found>().toEqualTypeOf<DeepReadonly<Backup>>();
    expectTypeOf<Found['spec']['hosts']>().toEqualTypeOf<readonly { readonly name: string }[]>();
    const mutate = (found: Found) => {
      // @ts-expect-error the cache's objects are shared
      found.spec.schedule = 'never';
      // @ts-expect-error lists too
      found.spec.hosts.push({ name: 'a' });
    };
    expectTypeOf(mutate).toBeFunction();
  });

  it('gives the same type by key, by list and by index', () => {
    type L = Typed['lister'];
    expectTypeOf<ReturnType<L['list']>>().toEqualTypeOf<DeepReadonly<Backup>[]>();
    expectTypeOf<ReturnType<L['byIndex']>>().toEqualTypeOf<DeepReadonly<Backup>[]>();
    expectTypeOf<ReturnType<L['require']>>().toEqualTypeOf<DeepReadonly<Backup>>();
    expectTypeOf<L>().not.toHaveProperty('add');
  });
});

describe('a handler', () => {
  it('receives read-only objects, old and new, without annotations', () => {
    const register = ({ informer }: Typed) =>
      informer.addHandler({
        added: (backup, details) => {
          expectTypeOf(backup).toEqualTypeOf<DeepReadonly<Backup>>();
          expectTypeOf(details).toEqualTypeOf<AddedDetails>();
        },
        updated: (before, after, details) => {
          expectTypeOf(before).toEqualTypeOf<DeepReadonly<Backup>>();
          expectTypeOf(after).toEqualTypeOf<DeepReadonly<Backup>>();
          expectTypeOf(details).toEqualTypeOf<UpdatedDetails>();
        },
        deleted: (backup, details) => {
          expectTypeOf(backup).toEqualTypeOf<DeepReadonly<Backup>>();
          expectTypeOf(details).toEqualTypeOf<DeletedDetails>();
        },
      });
    expectTypeOf(register).toBeFunction();
  });

  it('filters and indexes over the same objects', () => {
    const use = ({ informer }: Typed) => {
      informer.addHandler({}, { filter: (backup) => backup.spec.hosts.length > 0 });
      informer.addIndexers({ host: (backup) => backup.spec.hosts.map(({ name }) => name) });
      // @ts-expect-error an index function gives texts
      informer.addIndexers({ count: (backup) => [backup.spec.hosts.length] });
    };
    expectTypeOf(use).toBeFunction();
  });
});

it('an iterated event carries what its kind says', () => {
  const read = async ({ informer }: Typed) => {
    for await (const event of informer.events()) {
      if (event.kind === 'synced') continue;
      expectTypeOf(event.object).toEqualTypeOf<DeepReadonly<Backup>>();
      if (event.kind === 'updated') expectTypeOf(event.oldObject).toEqualTypeOf<DeepReadonly<Backup>>();
      // @ts-expect-error only updates have an old object
      if (event.kind === 'added') event.oldObject;
    }
  };
  expectTypeOf(read).returns.resolves.toBeVoid();
});

describe('a client', () => {
  it('gives objects that may be changed: they are the reader’s own', () => {
    const read = (client: Client) => client.resource<Backup>(BACKUPS).get('nightly');
    expectTypeOf(read).returns.resolves.toEqualTypeOf<Backup>();
  });

  it('is what createOrUpdate takes, which knows the type by the object', () => {
    const use = (client: Client, backup: Backup) =>
      createOrUpdate(client.resource<Backup>(BACKUPS), backup, (found) => {
        expectTypeOf(found).toEqualTypeOf<Backup>();
      });
    expectTypeOf(use).returns.resolves.toEqualTypeOf<'created' | 'updated' | 'unchanged'>();
  });
});

it('an informer of any type is a source for a controller', () => {
  const use = ({ informer }: Typed) =>
    createInformerSource(informer, { name: 'backups', enqueue: enqueueOwner({ group: '', kind: 'Node' }) });
  expectTypeOf(use).returns.toEqualTypeOf<KeySource>();
});

it('a reconciler may say when to run again, or nothing', () => {
  expectTypeOf<() => void>().toExtend<Reconciler>();
  expectTypeOf<() => Promise<{ requeueAfterMs: number }>>().toExtend<Reconciler>();
  expectTypeOf<() => Promise<{ requeueAfter: string }>>().not.toExtend<Reconciler>();
});
