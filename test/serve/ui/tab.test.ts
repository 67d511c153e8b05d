import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { InformerError } from '../../../src/kit/error.ts';
import { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { UiHub } from '../../../src/serve/ui/hub.ts';
import { readView, Tab, type TabOutlet } from '../../../src/serve/ui/tab.ts';
import type { UiMessage, UiMessages } from '../../../src/serve/ui/wire.ts';
import { eventually } from '../../../src/testing/eventually.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';
import { sandboxCaches, uiProgram } from '../../support/ui.ts';

const configMap = (name: string, data: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'shop' },
  data,
});

let sandbox: Sandbox;
let caches: Awaited<ReturnType<typeof sandboxCaches>>;
let hub: UiHub;
let tab: Tab;
let outlet: Outlet;
let ending: AbortController;
let running: Promise<void>;
beforeEach(async () => {
  sandbox = await Sandbox.start({ socket: false, seed: 1 });
  sandbox.apply(configMap('first', { a: '1' }));
  caches = await sandboxCaches(sandbox, ['configmaps', 'secrets']);
  const program = uiProgram(caches.caches);
  hub = new UiHub(program);
  tab = new Tab('session', program, hub);
  outlet = new Outlet();
  ending = new AbortController();
  running = tab.run(outlet, ending.signal);
});
afterEach(async () => {
  ending.abort();
  await running;
  hub[Symbol.dispose]();
  await caches[Symbol.asyncDispose]();
  await sandbox.stop();
});

/** A page that reads, until it sleeps. */
class Outlet implements TabOutlet {
  readonly messages: UiMessage[] = [];
  isAsleep = false;
  isBlocked = false;
  #wake: (() => void) | undefined;

  write(message: UiMessage): boolean {
    this.messages.push(message);
    return !this.isAsleep;
  }

  async drained(): Promise<void> {
    if (!this.isAsleep) return;
    this.isBlocked = true;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  wake(): void {
    this.isAsleep = false;
    this.#wake?.();
  }

  of<K extends UiMessage['event']>(event: K): UiMessages[K][] {
    return this.messages.flatMap((message) => (message.event === event ? [message.data as UiMessages[K]] : []));
  }
}

const question = { type: 'v1/configmaps', namespace: 'shop' };
const rows = () => outlet.of('rows').flatMap(({ set }) => set.map(([key]) => key));

describe('an open page', () => {
  it('gets the session, the state of all types and the time lines first', async () => {
    await eventually(() => expect(outlet.of('timeline')).toHaveLength(1));
    expect(outlet.messages.slice(0, 2).map(({ event }) => event)).toEqual(['hello', 'state']);
    expect(outlet.of('hello')[0]).toMatchObject({ session: 'session', server: 'test-cluster' });
    expect(outlet.of('state')[0]?.types).toMatchObject([
      { id: 'v1/configmaps', name: 'configmaps', hasSynced: true, connection: 'connected', gaps: 0 },
      { id: 'v1/secrets' },
    ]);
  });

  it('gets the time lines also where nothing happens any more', async () => {
    await eventually(() => expect(outlet.of('timeline')).toHaveLength(1));
    const late = new Tab('late', uiProgram(caches.caches), hub);
    const page = new Outlet();
    const stop = new AbortController();
    const sending = late.run(page, stop.signal);
    await eventually(() => expect(page.of('timeline')).toHaveLength(1));
    expect(page.of('timeline')[0]?.lanes).toHaveLength(2);
    stop.abort();
    await sending;
  });

  it('gets the rows of a question, and its changes', async () => {
    await tab.show({ session: 'session', number: 1, question });
    await eventually(() => expect(rows()).toContain('shop/first'));
    sandbox.apply(configMap('second'));
    await eventually(() => expect(rows()).toContain('shop/second'));
  });

  it('keeps what rows show of objects from one question about a type to the next, until another type is asked for', async () => {
    const lister = (caches.caches[0] as (typeof caches.caches)[number]).informer.lister;
    const glance = vi.spyOn(lister, 'glance');
    const views = [question, { ...question, name: 'first' }, { type: 'v1/secrets' }, question];
    const read: number[] = [];
    for (const [number, each] of views.entries()) {
      await tab.show({ session: 'session', number, question: each });
      await eventually(() => expect(outlet.of('tally').some(({ view }) => view === number)).toBe(true));
      read.push(glance.mock.calls.filter(([key]) => key === 'shop/first').length);
    }
    expect(read).toEqual([1, 1, 1, 2]);
    expect(rows()).toEqual(['shop/first', 'shop/first', 'shop/first']);
  });

  it('ends what is read of the past for it when it has gone', async () => {
    const before = caches.caches[0] as (typeof caches.caches)[number];
    const given: AbortSignal[] = [];
    const timeline = (_: unknown, signal = new AbortController().signal) => {
      given.push(signal);
      return new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    const then = new Tab('then', { ...uiProgram(caches.caches), past: { types: [], timeline, at: async () => [before] } }, hub); // biome-ignore format: one call
    const stop = new AbortController();
    const sending = then.run(new Outlet(), stop.signal);
    const subject = { type: before.id, key: 'shop/first' };
    const shown = then.show({ session: 'then', number: 1, subject, at: 1_000 });
    const refused = expect(shown).rejects.toThrow('the page has gone');
    await eventually(() => expect(given).toHaveLength(1));
    stop.abort();
    await refused;
    await sending;
  });

  it('has the rows of a moment, which later changes leave as they are, until it is asked for now', async () => {
    const before = caches.caches[0] as (typeof caches.caches)[number];
    const past = { types: [], timeline: async () => undefined, at: async () => [before] };
    const page = new Outlet();
    const stop = new AbortController();
    const then = new Tab('then', { ...uiProgram(caches.caches), past }, hub);
    const sending = then.run(page, stop.signal);
    const keys = () => page.of('rows').flatMap(({ set }) => set.map(([key]) => key));
    await then.show({ session: 'then', number: 1, question, at: 1_000 });
    await eventually(() => expect(page.of('tally').at(-1)?.isWhole).toBe(true));
    await tab.show({ session: 'session', number: 1, question });
    for (const name of ['after', 'later']) {
      sandbox.apply(configMap(name));
      await eventually(() => expect(rows()).toContain(`shop/${name}`)); // a page of now has it
    }
    expect(keys()).not.toContain('shop/after');
    await then.show({ session: 'then', number: 2, question });
    await eventually(() => expect(keys()).toContain('shop/after'));
    await then.show({ session: 'then', number: 2, question, at: 1_000 }); // is not newer than the view of now
    sandbox.apply(configMap('last'));
    await eventually(() => expect(keys()).toContain('shop/last'));
    stop.abort();
    await sending;
  });

  it('refuses a moment where there is no recording, and one that is no time', async () => {
    await expect(tab.show({ session: 'session', number: 1, question, at: 1_000 })).rejects.toMatchObject({
      code: 'argument',
    });
    expect(() => readView({ session: 's', number: 1, at: 'then' })).toThrow();
  });

  it('gets no more after a write that was not read, and then only what is newest', async () => {
    const clock = new FakeClock(Date.now());
    const slow = new Tab('slow', uiProgram(caches.caches, { clock }), hub);
    const page = new Outlet();
    const stop = new AbortController();
    const sending = slow.run(page, stop.signal);
    const sent = () => page.of('rows').flatMap(({ set }) => set.map(([key]) => key));
    const { lister } = (caches.caches[0] as (typeof caches.caches)[number]).informer;
    await slow.show({ session: 'slow', number: 1, question });
    await eventually(async () => {
      await clock.advance(200);
      return sent().includes('shop/first');
    });
    page.isAsleep = true;
    await eventually(async () => {
      await clock.advance(3000); // the next sign of life is not read
      return page.isBlocked;
    });
    const written = page.messages.length;
    for (let i = 0; i < 200; i++) sandbox.apply(configMap('busy', { i: String(i) }));
    await eventually(() => expect(lister.get('shop/busy')?.data).toEqual({ i: '199' }));
    for (let i = 0; i < 20; i++) await clock.advance(1000);
    expect(page.messages.length).toBe(written);
    page.wake();
    await eventually(async () => {
      await clock.advance(200);
      return sent().includes('shop/busy');
    });
    expect(sent().filter((key) => key === 'shop/busy')).toHaveLength(1);
    stop.abort();
    await sending;
  });

  it('gets an object with its changes: which field, from what to what, and by whom', async () => {
    await tab.show({ session: 'session', number: 1, subject: { type: 'v1/configmaps', key: 'shop/first' } });
    await eventually(() => expect(outlet.of('object')).toHaveLength(1));
    expect(outlet.of('object')[0]).toMatchObject({ view: 1, key: 'shop/first', changes: [], cut: 0 });
    expect(outlet.of('object')[0]?.yaml).toContain('data:\n  a: "1"\n');
    expect(outlet.of('object')[0]?.yaml).not.toContain('managedFields');
    await sandbox.handle({
      method: 'PATCH',
      path: '/api/v1/namespaces/shop/configmaps/first?fieldManager=dora',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: Buffer.from(JSON.stringify({ data: { a: '2' } })),
    } as never);
    await eventually(() => expect(outlet.of('object').at(-1)?.changes).toHaveLength(1));
    expect(outlet.of('object').at(-1)?.changes[0]).toMatchObject({
      what: 'MODIFIED',
      cause: 'watch',
      fields: [{ path: '.data.a', from: '"1"', to: '"2"', by: 'dora' }],
    });
    expect(outlet.of('object').at(-1)?.yaml).toContain('a: "2"');
  });

  it('keeps the changes of an object that is gone', async () => {
    await tab.show({ session: 'session', number: 1, subject: { type: 'v1/configmaps', key: 'shop/first' } });
    await eventually(() => expect(outlet.of('object').at(-1)?.yaml).toContain('name: first'));
    sandbox.delete({ group: '', version: 'v1', resource: 'configmaps' }, 'shop/first');
    await eventually(() => expect(outlet.of('object').at(-1)?.yaml).toBeUndefined());
    expect(outlet.of('object').at(-1)?.changes).toMatchObject([{ what: 'DELETED' }]);
  });

  it('gets digests of Secrets, in YAML and in changes', async () => {
    const secret = (text: string) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's', namespace: 'shop' },
      data: { password: Buffer.from(text).toString('base64') },
    });
    sandbox.apply(secret('first-secret'));
    await eventually(() => expect(caches.caches[1]?.informer.lister.has('shop/s')).toBe(true));
    await tab.show({ session: 'session', number: 1, subject: { type: 'v1/secrets', key: 'shop/s' } });
    await eventually(() => expect(outlet.of('object').at(-1)?.yaml).toContain('password: hmac:'));
    sandbox.apply(secret('second-secret'));
    await eventually(() => expect(outlet.of('object').at(-1)?.changes[0]?.what).toBe('MODIFIED'));
    const [change] = outlet.of('object').at(-1)?.changes ?? [];
    expect(change?.fields[0]).toMatchObject({
      path: '.data.password',
      from: expect.stringMatching(/^hmac:/),
      to: expect.stringMatching(/^hmac:/),
    });
    expect(change?.fields[0]?.from).not.toBe(change?.fields[0]?.to);
    const all = JSON.stringify(outlet.messages);
    for (const text of ['first-secret', 'second-secret'])
      for (const form of [text, Buffer.from(text).toString('base64')]) expect(all).not.toContain(form);
  });

  it('keeps its object when a view comes that is not newer than the present one', async () => {
    sandbox.apply(configMap('second'));
    const subject = (name: string) => ({ type: 'v1/configmaps', key: `shop/${name}` });
    await tab.show({ session: 'session', number: 5, subject: subject('first') });
    for (const number of [4, 5]) await tab.show({ session: 'session', number, subject: subject('second') });
    await eventually(() => expect(outlet.of('object')).not.toHaveLength(0));
    expect(new Set(outlet.of('object').map(({ view, key }) => `${view} ${key}`))).toEqual(new Set(['5 shop/first']));
  });

  it('keeps its rows when a question is refused, and ignores a view that is not newer than the present one', async () => {
    await tab.show({ session: 'session', number: 5, question });
    await eventually(() => expect(rows()).toContain('shop/first'));
    await expect(tab.show({ session: 'session', number: 6, question: { ...question, where: 'NOPE' } })).rejects.toThrow(
      InformerError,
    );
    for (const number of [4, 5])
      await tab.show({ session: 'session', number, question: { ...question, namespace: 'other' } });
    sandbox.apply(configMap('second'));
    await eventually(() => expect(rows()).toContain('shop/second'));
    expect(new Set(outlet.of('rows').map(({ view }) => view))).toEqual(new Set([5]));
  });

  it('sees an outage in the state and on the time line, and the new list after it', async () => {
    const back = sandbox.restart({ downMs: 300 });
    sandbox.apply(configMap('during')); // and the history of it is lost
    await back;
    await eventually(() => expect(outlet.of('timeline').at(-1)?.lanes[0]?.marks.at(-1)?.kind).toBe('connected'));
    const lane = outlet.of('timeline').at(-1)?.lanes[0];
    expect(lane?.spans.map(({ state }) => state)).toEqual(['connected', 'outage', 'gap', 'connected']);
    expect(lane?.spans.filter(({ state }) => state !== 'connected').every(({ to }) => to !== undefined)).toBe(true);
    expect(outlet.of('state').some(({ types }) => types[0]?.connection === 'disconnected')).toBe(true);
    const known = { connection: 'connected', relists: 1, gaps: 1 };
    await eventually(() => expect(outlet.of('state').at(-1)?.types[0]).toMatchObject(known));
  });
});

describe('an open page without news', () => {
  /** A page over no caches, whose time a test moves. */
  async function quiet() {
    const clock = new FakeClock();
    const program = uiProgram([], { clock });
    const own = new UiHub(program);
    const quietTab = new Tab('quiet', program, own);
    const page = new Outlet();
    const stop = new AbortController();
    const sending = quietTab.run(page, stop.signal);
    await clock.advance(200);
    return {
      clock,
      page,
      quietTab,
      async [Symbol.asyncDispose]() {
        stop.abort();
        await sending;
        own[Symbol.dispose]();
        expect(clock.pending).toBe(0);
      },
    };
  }

  it('gets the state every two seconds, and costs nothing between', async () => {
    await using open = await quiet();
    const states = () => open.page.of('state').length;
    expect([states(), open.clock.pending]).toEqual([1, 2]); // the timers of the two intervals alone
    await open.clock.advance(1800 - 1);
    expect(states()).toBe(1);
    await open.clock.advance(1 + 100);
    expect(states()).toBe(2);
    await open.clock.advance(10_000);
    expect(states()).toBe(7);
  });

  it('gets the state with each view that it chooses', async () => {
    await using open = await quiet();
    await open.quietTab.show({ session: 'quiet', number: 1 });
    await open.clock.advance(100);
    expect(open.page.of('state')).toHaveLength(2);
  });

  it('gets changes gathered for a tenth of a second, also those that come while it is sent to', async () => {
    await using open = await quiet();
    const { clock, page, quietTab } = open;
    const states = () => page.of('state').length;
    quietTab.stateChanged();
    await clock.advance(99);
    expect(states()).toBe(1);
    await clock.advance(1);
    expect(states()).toBe(2);
    const write = page.write.bind(page);
    page.write = (message) => {
      page.write = write;
      quietTab.stateChanged(); // the state that is being sent is old already
      return write(message);
    };
    quietTab.stateChanged();
    await clock.advance(200);
    expect(states()).toBe(4);
  });
});

it('gets the next message only after other code of the program could run', async () => {
  const turns: (() => void)[] = [];
  const clock = Object.assign(new FakeClock(), { yield: () => new Promise<void>((resolve) => turns.push(resolve)) });
  const program = uiProgram([], { clock });
  using own = new UiHub(program);
  const page = new Outlet();
  const stop = new AbortController();
  const slow = new Tab('slow', program, own);
  const sending = slow.run(page, stop.signal);
  const sent = () => [page.messages.map(({ event }) => event), turns.length];
  await settled();
  expect(sent()).toEqual([['hello', 'state'], 1]);
  slow.stateChanged();
  await clock.advance(200);
  expect(sent()).toEqual([['hello', 'state'], 1]);
  turns.shift()?.();
  await settled();
  expect(sent()).toEqual([['hello', 'state', 'state'], 1]);
  stop.abort();
  turns.shift()?.();
  await sending;
});

it('gets a change of an object a tenth of a second after it', async () => {
  const clock = new FakeClock(Date.now());
  const program = uiProgram(caches.caches, { clock });
  const own = new Tab('own', program, hub);
  const page = new Outlet();
  const stop = new AbortController();
  const sending = own.run(page, stop.signal);
  await own.show({ session: 'own', number: 1, question });
  await clock.advance(500);
  const keys = () => page.of('rows').flatMap(({ set }) => set.map(([key]) => key));
  expect(keys()).toEqual(['shop/first']);
  own.changed('v1/configmaps', 'shop/first');
  await clock.advance(100);
  expect(keys()).toEqual(['shop/first', 'shop/first']);
  stop.abort();
  await sending;
});

it('looks every ten seconds for rows that an expression finds or loses with the time alone', async () => {
  const clock = new FakeClock(Date.now());
  const program = uiProgram(caches.caches, { clock });
  using own = new UiHub(program);
  const aging = new Tab('aging', program, own);
  const page = new Outlet();
  const stop = new AbortController();
  const sending = aging.run(page, stop.signal);
  await aging.show({ session: 'aging', number: 1, question: { ...question, where: 'AGE < duration("5s")' } });
  await clock.advance(9_999);
  const gone = () => page.of('rows').flatMap((rows) => rows.gone);
  expect(gone()).toEqual([]);
  await clock.advance(101);
  expect(gone()).toEqual(['shop/first']);
  stop.abort();
  await sending;
});

it.each([
  [null],
  ['x'],
  [{}],
  [{ session: 's' }],
  [{ session: 's', number: 1, question: [] }],
  [{ session: 's', number: 1.5 }],
  [{ session: 5, number: 1 }],
  [{ session: 's', number: 1, question: { type: 1 } }],
  [{ session: 's', number: 1, question: { type: 'v1/pods', where: {} } }],
  [{ session: 's', number: 1, question: { type: 'v1/pods', name: null } }],
  [{ session: 's', number: 1, question: { type: 'v1/pods', index: { name: 5, value: '' } } }],
  [{ session: 's', number: 1, subject: [] }],
  [{ session: 's', number: 1, subject: { type: 'v1/pods', key: { index: 'x' } } }],
  [{ session: 's', number: 1, subject: { type: 'v1/pods', index: {} } }],
])('refuses the view %j', (view) => {
  expect(() => readView(view)).toThrow(/not one that the page/);
});

it.each([
  [{ session: 's', number: 1 }],
  [{ session: 's', number: 1, question: null, subject: null }],
  [{ session: 's', number: 1, question: { type: 'v1/pods', index: { name: 'node', value: 'n1' } } }],
  [{ session: 's', number: 1, subject: { type: 'v1/pods', key: 'shop/a' } }],
])('reads the view %j as it is', (view) => {
  expect(readView(view)).toEqual(view);
});
