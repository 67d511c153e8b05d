import { expect, it } from 'vitest';
import { SharedInformer } from '../../src/informer/shared-informer.ts';
import { cellAt } from '../../src/model/cell-ages.ts';
import { cellsOf } from '../../src/model/cells.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { columnsOf } from '../../src/output/tables/columns.ts';
import { inProcess } from '../support/in-process.ts';

const EVENTS = { group: '', version: 'v1', resource: 'events' };
const TYPE = { gvr: EVENTS, kind: 'Event', namespaced: true } as never;

const event = (time: number) => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'web.1', namespace: 'shop' },
  involvedObject: { kind: 'Pod', name: 'web', namespace: 'shop' },
  reason: 'BackOff',
  message: 'waits',
  type: 'Warning',
  count: 3,
  firstTimestamp: new Date(time - 300_000).toISOString(),
  lastTimestamp: new Date(time).toISOString(),
});

it.each(['objects', 'compact'] as const)(
  'an Event in a cache of %s was last seen as long ago as the server would print it now',
  async (store) => {
    const { clock, client, sandbox, ...own } = await inProcess();
    await using _ = own;
    sandbox.apply(event(clock.now()));
    const source = client.resource<UnknownObject>(EVENTS, { as: { table: 'Metadata' } });
    const informer = new SharedInformer<UnknownObject>(source, { name: 'v1/events', clock, store });
    const ending = new AbortController();
    const running = informer.run(ending.signal);
    await informer.whenSynced();
    const printed = (object: object | undefined) => {
      const cells = object && cellsOf(object);
      const [lastSeen] = columnsOf(cells?.columns, TYPE, {});
      return lastSeen?.cell({ object: object as never, type: TYPE, cells, now: clock.now() });
    };
    const seen = () => [informer.lister.get('shop/web.1'), informer.lister.glance('shop/web.1')].map(printed);
    expect(seen()).toEqual(['0s (x3 over 5m)', '0s (x3 over 5m)']);
    await clock.advance(3_600_000);
    expect(seen()).toEqual(['60m (x3 over 65m)', '60m (x3 over 65m)']);
    // a search by this column alone reads it out of a compact cache
    const read = informer.lister.readerOf?.({ fields: [], cells: ['LAST_SEEN'] }, (object) => {
      const row = cellsOf(object);
      return row && cellAt(row, 0, clock.now());
    });
    const all = () => informer.lister.view();
    const { lightsOf } = await import('../../src/kit/lazy-list.ts');
    for (let i = 0; i < 2; i++) expect(lightsOf(all()).map((entry) => read?.(entry))).toEqual(['60m']);
    ending.abort();
    await running;
  },
);
