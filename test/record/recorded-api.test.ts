import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import { cellsOf } from '../../src/model/cells.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { RecordedApi } from '../../src/record/recorded-api.ts';
import { Recording } from '../../src/record/recording.ts';
import { recordedServer, recording, useFolder } from '../support/recording.ts';

const folder = useFolder();
const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };

const configMap = (name: string, namespace: string, color: string): UnknownObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, labels: { color } },
  data: { color },
});

/** A recording in which `a` was blue and is red, and `b` came and went. */
async function recorded() {
  const server = await recordedServer();
  const { clock, sandbox } = server;
  const file = folder.file('r.db');
  sandbox.apply(configMap('a', 'default', 'blue'));
  const run = await recording(server, ['v1/configmaps', 'apps/v1/deployments'], { file });
  sandbox.apply(configMap('b', 'kube-system', 'blue'));
  await clock.advance(1_000);
  const then = clock.now() - 1;
  sandbox.apply(configMap('a', 'default', 'red'));
  sandbox.delete(CONFIG_MAPS, 'kube-system/b');
  await clock.advance(1_000);
  await run.end();
  const opened = Recording.open(file);
  const read: string[] = [];
  const clientAt = (at: number) => {
    const api = new RecordedApi({ recording: opened, at, onRead: ({ type }) => void read.push(type.gvr.resource) });
    return createClient(api, { logger: silentLogger });
  };
  return { then, now: clock.now(), clientAt, read, [Symbol.dispose]: () => opened[Symbol.dispose]() };
}

const colors = (objects: readonly UnknownObject[]) =>
  objects
    .filter(({ metadata }) => metadata.labels?.color !== undefined)
    .map(({ metadata }) => `${metadata.name}=${metadata.labels?.color}`);

describe('a recording as an API server', () => {
  it('leaves managedFields out where a request asks for that, in each form of a list', async () => {
    using server = await recorded();
    for (const at of [server.then, server.now]) {
      const read = (dropManagedFields: boolean, as: 'object' | 'metadata') =>
        server.clientAt(at).resource(CONFIG_MAPS, { dropManagedFields, as }).list({ labelSelector: 'color' });
      const { items: whole } = await read(false, 'object');
      const dropped = whole.map(({ metadata: { managedFields, ...metadata }, ...rest }) => ({ ...rest, metadata }));
      expect(whole.every(({ metadata }) => metadata.managedFields)).toBe(true);
      expect((await read(true, 'object')).items).toEqual(dropped);
      expect((await read(true, 'metadata')).items.map(({ metadata }) => metadata)).toEqual(
        dropped.map(({ metadata }) => metadata),
      );
    }
  });

  it('answers lists of the moment, whole, of a namespace and by selectors', async () => {
    using server = await recorded();
    const then = server.clientAt(server.then);
    expect(colors((await then.resource(CONFIG_MAPS).list()).items)).toEqual(['a=blue', 'b=blue']);
    expect(colors((await then.resource(CONFIG_MAPS, { namespace: 'default' }).list()).items)).toEqual(['a=blue']);
    const byField = { fieldSelector: 'metadata.name=b' };
    expect(colors((await then.resource(CONFIG_MAPS).list(byField)).items)).toEqual(['b=blue']);
    const now = server.clientAt(server.now);
    expect(colors((await now.resource(CONFIG_MAPS).list()).items)).toEqual(['a=red']);
    expect((await now.resource(CONFIG_MAPS).list({ labelSelector: 'color=blue' })).items).toEqual([]);
    expect(server.read).toEqual(['configmaps', 'configmaps']); // once for each that answered
  });

  it('answers tables with the recorded cells, metadata alone, single objects and types', async () => {
    using server = await recorded();
    const client = server.clientAt(server.now);
    const [row] = (await client.resource(CONFIG_MAPS, { as: { table: 'Object' }, namespace: 'default' }).list()).items;
    expect(row && cellsOf(row)?.columns.map(({ name }) => name)).toEqual(['Name', 'Data', 'Age']);
    expect(row && cellsOf(row)?.cells[1]).toBe(1);
    const [partial] = (await client.resource(CONFIG_MAPS, { as: 'metadata', namespace: 'default' }).list()).items;
    expect(partial).not.toHaveProperty('data');
    const one = await client.resource(CONFIG_MAPS, { namespace: 'default' }).get('a');
    expect(one).toMatchObject({ data: { color: 'red' } });
    await expect(client.resource(CONFIG_MAPS, { namespace: 'default' }).get('z')).rejects.toThrow(
      'not in the recording',
    );
    const { types } = await client.discovery.snapshot();
    expect(types.map(({ kind, namespaced }) => [kind, namespaced])).toEqual([
      ['ConfigMap', true],
      ['Deployment', true],
    ]);
  });

  it('answers with cells that are as old as the moment: an Event was last seen an hour before it', async () => {
    const server = await recordedServer();
    const { clock, sandbox } = server;
    const file = folder.file('events.db');
    const run = await recording(server, ['v1/events'], { file });
    sandbox.apply({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'web.1', namespace: 'shop' },
      involvedObject: { kind: 'Pod', name: 'web', namespace: 'shop' },
      type: 'Warning',
      lastTimestamp: new Date(clock.now()).toISOString(),
    });
    await clock.advance(1_000);
    const soon = clock.now();
    await clock.advance(3_600_000);
    await run.end();
    using opened = Recording.open(file);
    const lastSeenAt = async (at: number) => {
      const client = createClient(new RecordedApi({ recording: opened, at }), { logger: silentLogger });
      const events = client.resource({ group: '', version: 'v1', resource: 'events' }, { as: { table: 'Metadata' } });
      const [event] = (await events.list()).items;
      return event && cellsOf(event)?.cells[0];
    };
    expect([await lastSeenAt(soon), await lastSeenAt(clock.now())]).toEqual(['1s', '60m']);
  });

  it('takes no writes', async () => {
    using server = await recorded();
    const client = server.clientAt(server.now);
    await expect(client.resource(CONFIG_MAPS, { namespace: 'default' }).delete('a')).rejects.toThrow('takes no writes');
  });
});
