import { afterEach, beforeEach, expect, it } from 'vitest';
import { seededRandom } from '../../src/kit/random.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { configMap } from '../support/fixture.ts';
import { type Context, endedWell, MAPS, ShellHooks } from '../support/shell-hooks.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };

let hooks: ShellHooks;
beforeEach(async () => {
  hooks = await ShellHooks.make();
});
afterEach(() => hooks[Symbol.asyncDispose]());

/** What a hook knows from its contexts: objects by name. A context that does not fit to those before is a fault. */
class View {
  readonly faults: string[] = [];
  syncs = 0;
  #state = new Map<string, string>();

  get state(): Record<string, string> {
    return Object.fromEntries([...this.#state].sort());
  }

  take({ type, watchEvent, object, objects }: Context): void {
    if (type === 'Synchronization') {
      this.syncs++;
      this.#state = new Map(objects?.map((each) => entry(each.object)));
      return;
    }
    const [name, data] = entry(object as UnknownObject);
    const isKnown = this.#state.has(name);
    if (isKnown === (watchEvent === 'Added')) this.faults.push(`${String(watchEvent)} ${name}, known: ${isKnown}`);
    if (watchEvent === 'Deleted') this.#state.delete(name);
    else this.#state.set(name, data);
  }
}

const entry = (object: UnknownObject): [string, string] => [
  object.metadata.name ?? '',
  JSON.stringify((object as { data?: object }).data ?? {}),
];

it.each([1, 2, 3])(
  'hooks see every Synchronization and every event over kill -9, an outage and a lost history, seed %i',
  async (seed) => {
    const random = seededRandom(seed);
    const { sandbox } = hooks.fixture;
    await hooks.add('all.sh', { kubernetes: [MAPS] });
    // a hook that fails now and then, in a queue of its own
    await hooks.add(
      'filtered.sh',
      { kubernetes: [{ ...MAPS, queue: 'own', jqFilter: '.data', allowFailure: false }] },
      `[ $(($(date +%N | sed 's/^0*//') % 7)) -gt 0 ] || exit 1`,
    );
    const change = () => {
      for (let i = 0; i < 6; i++) {
        const name = `m${Math.floor(random() * 5)}`;
        if (random() < 0.3 && sandbox.get(CONFIG_MAPS, `shop/${name}`)) sandbox.delete(CONFIG_MAPS, `shop/${name}`);
        else sandbox.put(configMap(name, { n: String(Math.floor(random() * 1000)) }));
      }
    };
    const stored = () => Object.fromEntries(sandbox.list(CONFIG_MAPS, { namespace: 'shop' }).map(entry).sort());
    const views = () => {
      const found = new Map([...['all.sh', 'filtered.sh'].map((hook) => [hook, new View()] as const)]);
      for (const { hook, contexts } of hooks.runs) for (const context of contexts) found.get(hook)?.take(context);
      return [...found.values()];
    };
    const seen = async () =>
      await expect.poll(() => views().map(({ state }) => state), { timeout: 60_000 }).toEqual([stored(), stored()]);
    let starts = 1;
    let cli = hooks.start();
    try {
      await seen();
      for (const incident of ['kill', 'outage', 'history', 'kill', 'history'].sort(() => random() - 0.5)) {
        change();
        if (incident === 'kill') {
          cli.kill('SIGKILL');
          await cli.ended();
          change();
          cli = hooks.start();
          starts++;
        } else {
          const isBack = sandbox.restart({ keepHistory: incident === 'outage', downMs: 300 });
          change();
          await isBack;
        }
        change();
        await seen();
      }
      const { stderr } = await endedWell(cli);
      expect(stderr).toMatch(/ended by SIGTERM/);
    } finally {
      cli.kill('SIGKILL');
    }
    for (const view of views()) {
      expect(view.syncs).toBeGreaterThanOrEqual(starts);
    }
    expect(views()[0]?.faults).toEqual([]);
  },
  240_000,
);
