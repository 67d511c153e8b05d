import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import type { ActionOutcome, ActionRunnerOptions } from '../../src/hooks/action-runner.ts';
import { ActionRunner, describeAction } from '../../src/hooks/action-runner.ts';
import { createWriteBudget } from '../../src/hooks/actions/write-budget.ts';
import { parseReply } from '../../src/hooks/reply.ts';
import type { Logger } from '../../src/kit/logger.ts';
import { createLogger, silentLogger } from '../../src/kit/logger.ts';
import type { GroupVersionResource } from '../../src/model/gvr.ts';
import { formatGvr, parseGvr } from '../../src/model/gvr.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { observingWrites, type StoredWrite } from '../../src/model/stored-write.ts';
import { CONFIG_MAP, cluster, deployments, MINE, WEB } from '../support/hook-cluster.ts';
import { through } from '../support/in-process.ts';

type Ran = Partial<ActionRunnerOptions> & { in?: Awaited<ReturnType<typeof cluster>>; gone?: boolean; logger?: Logger };

async function run(actions: unknown[], { in: given, gone = false, logger = silentLogger, ...options }: Ran = {}) {
  const place = given ?? (await cluster());
  const outcomes: ActionOutcome[] = [];
  const runner = new ActionRunner({
    client: place.client,
    mode: 'write',
    primary: deployments,
    types: place.types,
    clock: place.clock,
    random: () => 0,
    report: (found) => outcomes.push(...found),
    ...options,
  });
  const about = gone ? { ...place.subject, object: null } : place.subject;
  await runner.run(parseReply({ actions }).actions, about, { signal: new AbortController().signal, logger });
  return { ...place, outcomes };
}

it('knows for which keys its journal has actions of earlier runs; without one for none', async () => {
  const { client, types, clock } = await cluster();
  const journal = { unfinished: (key?: string) => (key === 'shop/web' ? [{}] : []) };
  const runnerWith = (options: object) =>
    new ActionRunner({ client, mode: 'write', primary: deployments, types, clock, random: () => 0, ...options });
  const journaled = runnerWith({ journal });
  expect(['shop/web', 'shop/other'].map((key) => journaled.hasUnfinished(key))).toEqual([true, false]);
  expect(runnerWith({}).hasUnfinished('shop/web')).toBe(false);
});

const AT_WEB = '/apis/apps/v1/namespaces/shop/deployments/web';

describe('an action without "on" is about the reconciled object', () => {
  it.each([
    [
      'apply',
      { spec: { replicas: 3 } },
      `${AT_WEB}?${MINE}&force=true`,
      'application/apply-patch+yaml',
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web', namespace: 'shop' },
        spec: { replicas: 3 },
      },
    ],
    [
      'patch',
      { spec: { replicas: 3 } },
      `${AT_WEB}?${MINE}`,
      'application/merge-patch+json',
      { spec: { replicas: 3 } },
    ],
    [
      'status',
      { replicas: 3 },
      `${AT_WEB}/status?${MINE}`,
      'application/merge-patch+json',
      { status: { replicas: 3 } },
    ],
  ])('%s', async (verb, body, path, type, sentBody) => {
    const { sent, bodies, find } = await run([{ [verb]: body }]);
    expect(sent).toMatchObject([{ method: 'PATCH', path, headers: { 'content-type': type } }]);
    expect(bodies()).toEqual([sentBody]);
    const { metadata: _, ...changed } = sentBody as UnknownObject;
    expect(find('apps/v1/deployments', 'shop/web')).toMatchObject(changed);
  });

  it('delete, with its options', async () => {
    const { requests, bodies, find } = await run([{ delete: { propagationPolicy: 'Foreground' } }]);
    expect(requests()).toEqual([`DELETE ${AT_WEB}`]);
    expect(bodies()).toEqual([{ kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Foreground' }]);
    const left = find('apps/v1/deployments', 'shop/web');
    // the collector may have been here already
    expect(left === undefined || left.metadata.deletionTimestamp !== undefined).toBe(true);
  });

  it('fields that only the server writes are left out of an apply', async () => {
    const { bodies, find } = await run([{ apply: { metadata: { managedFields: [{}], labels: { a: 'b' } } } }]);
    expect(bodies()[0]).toMatchObject({ metadata: { labels: { a: 'b' } } });
    expect(bodies()[0]).not.toHaveProperty('metadata.managedFields');
    expect(find('apps/v1/deployments', 'shop/web')?.metadata.labels).toMatchObject({ a: 'b' });
  });
});

describe('an action about another object', () => {
  it('finds its type by the body', async () => {
    const { requests, find, web } = await run([
      { create: { ...CONFIG_MAP, metadata: { name: 'web-config' } }, own: true },
    ]);
    expect(requests()).toEqual([`POST /api/v1/namespaces/shop/configmaps?${MINE}`]);
    expect(find('v1/configmaps', 'shop/web-config')?.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        name: 'web',
        uid: web.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
  });

  it('finds its target by "on", in another namespace or cluster-scoped', async () => {
    const { requests, bodies, find } = await run([
      {
        patch: [{ op: 'remove', path: '/data' }],
        patchType: 'json',
        on: { gvr: 'v1/configmaps', namespace: 'bank', name: 'c' },
      },
      { apply: { spec: { unschedulable: true } }, on: { gvr: 'v1/nodes', name: 'n1' } },
    ]);
    expect(requests()).toEqual([
      `PATCH /api/v1/namespaces/bank/configmaps/c?${MINE}`,
      `PATCH /api/v1/nodes/n1?${MINE}&force=true`,
    ]);
    expect(bodies()[1]).toEqual({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n1' },
      spec: { unschedulable: true },
    });
    expect([find('v1/configmaps', 'bank/c')?.data, find('v1/configmaps', 'shop/c')?.data]).toEqual([
      undefined,
      { x: '1' },
    ]);
    expect(find('v1/nodes', 'n1')).toMatchObject({ spec: { unschedulable: true } });
  });

  it('may get its name from the server', async () => {
    const { sandbox, bodies } = await run([{ create: { ...WEB, metadata: { generateName: 'web-' } } }]);
    expect(bodies()[0].metadata).toEqual({ generateName: 'web-', namespace: 'shop' });
    const names = sandbox.list(deployments.gvr).map((o) => o.metadata.name);
    expect(names).toEqual(['web', expect.stringMatching(/^web-[a-z0-9]{5}$/)]);
  });

  it.each([
    [{ patch: {}, on: { gvr: 'v1/widgets', name: 'x' } }, 'the server has no resource type v1/widgets'],
    [{ apply: { apiVersion: 'v1', kind: 'Widget', metadata: { name: 'x' } } }, 'the server has no kind Widget in v1'],
    [{ patch: {}, on: { gvr: 'v1/configmaps' } }, 'the action patch names no object of v1/configmaps'],
    [{ delete: true, on: { gvr: 'v1/configmaps', name: '..' } }, "the action delete: name may not be '..'"],
    [
      { delete: true, on: { gvr: 'v1/configmaps', name: 'a', namespace: 'a/b' } },
      "the action delete: namespace may not contain '/'",
    ],
  ])('with an invalid target sends nothing at all: %j', async (action, message) => {
    const place = await cluster();
    await expect(run([{ patch: LABEL }, action], { in: place })).rejects.toThrow(message);
    expect(place.requests()).toEqual([]);
  });

  it('has no owner if the reconciled object is gone, or is in another namespace', async () => {
    const create = { ...CONFIG_MAP, metadata: { name: 'new', namespace: 'bank' } };
    await expect(run([{ create, own: true }])).rejects.toThrow('cross-namespace owner references are disallowed');
    await expect(run([{ create, own: true }], { gone: true })).rejects.toThrow(
      'cannot set an owner: the reconciled object does not exist',
    );
  });
});

const LABEL = { metadata: { labels: { seen: 'yes' } } };

describe('carrying out', () => {
  it('is in order; after a failure no further action is carried out, and the error names the action', async () => {
    const place = await cluster();
    place.sandbox.delete(parseGvr('v1/configmaps'), 'shop/b');
    const on = (name: string) => ({ patch: LABEL, on: { gvr: 'v1/configmaps', name } });
    await expect(run([on('a'), on('b'), on('c')], { in: place })).rejects.toThrow(
      'patch v1/configmaps shop/b: configmaps "b" not found',
    );
    const labels = ['a', 'c'].map((name) => place.find('v1/configmaps', `shop/${name}`)?.metadata.labels);
    expect([place.sent.length, labels]).toEqual([2, [LABEL.metadata.labels, undefined]]);
  });

  it('retries on a conflict [RTY-01]', async () => {
    const place = await cluster();
    const { sandbox, clock, web } = place;
    const statuses: number[] = [];
    const client = createClient(
      through(sandbox.transport(), async (request, send) => {
        const response = await send(request);
        if (statuses.push(response.status) < 3)
          sandbox.apply({ ...WEB, spec: { ...WEB.spec, replicas: 1 + statuses.length } });
        return response;
      }),
    );
    const wanted = String(Number(sandbox.resourceVersion) + 2); // the version that two other writers lead to
    const done = run([{ patch: { metadata: { resourceVersion: wanted, ...LABEL.metadata } } }], { in: place, client });
    await clock.advance(100);
    await done;
    expect(statuses).toEqual([409, 409, 200]);
    expect(web.metadata.labels).toBeUndefined();
    expect(place.find('apps/v1/deployments', 'shop/web')).toMatchObject({ ...LABEL, spec: { replicas: 3 } });
  });

  it('the deletion of a missing object succeeds', async () => {
    const place = await cluster();
    place.sandbox.delete(deployments.gvr, 'shop/web');
    await expect(run([{ delete: true }], { in: place })).resolves.toBeDefined();
    expect(place.requests()).toEqual([`DELETE ${AT_WEB}`]);
  });

  it('an event is about its target', async () => {
    const { sandbox, web } = await run([{ event: { reason: 'Scaled', message: 'to 3' } }]);
    expect(sandbox.list(parseGvr('v1/events'), { namespace: 'shop' })).toMatchObject([
      {
        kind: 'Event',
        metadata: { namespace: 'shop', name: expect.stringMatching(/^web\.[0-9a-f]+$/) },
        involvedObject: {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          namespace: 'shop',
          name: 'web',
          uid: web.metadata.uid,
        },
        type: 'Normal',
        reason: 'Scaled',
        message: 'to 3',
        firstTimestamp: '2026-01-01T00:00:00Z',
        count: 1,
      },
    ]);
  });

  it('equal events are one Event, which is counted, and others are Events of their own', async () => {
    const scaled = { event: { reason: 'Scaled', message: 'to 3' } };
    const { sandbox } = await run([scaled, scaled, { event: { reason: 'Scaled', message: 'to 4' } }, scaled]);
    const events = sandbox.list(parseGvr('v1/events'), { namespace: 'shop' });
    expect(events.map(({ message, count }) => [message, count])).toEqual([
      ['to 3', 3],
      ['to 4', 1],
    ]);
  });

  it('an event that is counted is written again where the server has forgotten it', async () => {
    const place = await cluster();
    const scaled = { event: { reason: 'Scaled', message: 'to 3' } };
    const events = parseGvr('v1/events');
    const names: (string | undefined)[] = [];
    const forgetFirst = () => {
      const [event] = place.sandbox.list(events, { namespace: 'shop' });
      if (names.push(event?.metadata.name) === 1) place.sandbox.delete(events, `shop/${event?.metadata.name}`);
    };
    await run([scaled, scaled], { in: place, report: forgetFirst });
    expect(names[1]).toBe(names[0]);
    expect(place.sandbox.list(events, { namespace: 'shop' })).toMatchObject([{ count: 2 }]);
  });

  it('a log line is logged, whatever the mode', async () => {
    const lines: unknown[] = [];
    const logger = createLogger((level, message, fields) => lines.push([level, message, fields]));
    await run([{ log: { level: 'warn', message: 'odd', replicas: 3 } }], { mode: 'describe', logger });
    expect(lines).toEqual([['warn', 'odd', { replicas: 3 }]]);
  });

  it('counts every write against the budget, once for all its tries', async () => {
    const place = await cluster();
    const { sandbox, clock } = place;
    const statuses: number[] = [];
    const client = createClient(
      through(sandbox.transport(), async (request, send) => {
        if (statuses.length === 0)
          sandbox.faults.add({ fault: { kind: 'status', code: 409 }, match: { method: 'PATCH' } });
        const response = await send(request);
        statuses.push(response.status);
        return response;
      }),
    );
    const done = run([{ patch: LABEL }, { patch: { spec: { replicas: 2 } } }], {
      in: place,
      client,
      budget: createWriteBudget({ writes: 1, perMs: 1000 }, clock),
    });
    await clock.advance(999);
    expect(statuses).toEqual([409, 200]);
    await clock.advance(1);
    await done;
    expect(statuses).toEqual([409, 200, 200]);
  });

  it('refuses to write redacted values into a Secret', async () => {
    const data = { password: 'hmac:0123abcd' };
    await expect(run([{ apply: { data }, on: { gvr: 'v1/secrets', name: 's' } }])).rejects.toThrow('redacted values');
    await expect(run([{ patch: { data }, on: { gvr: 'v1/secrets', name: 's' } }])).rejects.toThrow('redacted values');
    await expect(run([{ apply: { data }, on: { gvr: 'v1/configmaps', name: 's' } }])).resolves.toBeDefined();
  });
});

describe('modes', () => {
  it('describe sends nothing and reports every action', async () => {
    const event = { reason: 'Scaled', message: 'to 3' };
    const { sent, outcomes } = await run([{ apply: { spec: { replicas: 3 } } }, { delete: true }, { event }], {
      mode: 'describe',
    });
    expect(sent).toEqual([]);
    expect(outcomes.map(describeAction)).toEqual([
      'apply apps/v1/deployments shop/web {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop"},"spec":{"replicas":3}}',
      'delete apps/v1/deployments shop/web',
      'event v1/events shop/web {"type":"Normal","reason":"Scaled","message":"to 3"}',
    ]);
    expect(outcomes[0]).toMatchObject({ mode: 'describe', verb: 'apply', subject: 'shop/web' });
  });

  it('write reports each write that the server stored, with its version', async () => {
    const written: StoredWrite[] = [];
    const noting = <R>(work: () => R) => observingWrites(() => ({ stored: (write) => void written.push(write) }), work);
    const actions = [
      { patch: { spec: { replicas: 4 } } },
      { create: { ...CONFIG_MAP, metadata: { generateName: 'made-' } } },
      { delete: true, on: { gvr: 'v1/configmaps', name: 'a' } },
      { delete: true, on: { gvr: 'v1/configmaps', name: 'none' } },
      { log: 'nothing is written' },
    ];
    const { sandbox, find } = await noting(() => run(actions));
    const made = sandbox.list(parseGvr('v1/configmaps')).find(({ metadata }) => metadata.name?.startsWith('made-'));
    const of = (gvr: string, { metadata: { namespace, name, uid, resourceVersion } }: UnknownObject) => ({
      gvr: parseGvr(gvr),
      namespace,
      key: `${namespace}/${name}`,
      uid,
      resourceVersion,
    });
    expect(written.slice(0, 2)).toMatchObject([
      of('apps/v1/deployments', find('apps/v1/deployments', 'shop/web') as UnknownObject),
      of('v1/configmaps', made as UnknownObject),
    ]);
    expect(written.slice(2)).toMatchObject([
      { gvr: parseGvr('v1/configmaps'), namespace: 'shop', key: 'shop/a', uid: expect.any(String), isGone: true },
    ]);
    for (const mode of ['dry-run', 'describe'] as const) await noting(() => run(actions, { mode }));
    expect(written).toHaveLength(3);
  });

  it('dry-run sends every write as a dry run, and reports the states before and after', async () => {
    const { sent, requests, outcomes, find, web } = await run(
      [{ patch: { spec: { replicas: 3 } } }, { delete: true }],
      {
        mode: 'dry-run',
      },
    );
    expect(requests()).toEqual([
      `GET ${AT_WEB}`,
      `PATCH ${AT_WEB}?dryRun=All&${MINE}`,
      `GET ${AT_WEB}`,
      `DELETE ${AT_WEB}`,
    ]);
    expect(JSON.parse(String(sent[3]?.body))).toMatchObject({ dryRun: ['All'] });
    expect(outcomes[0]).toMatchObject({ before: { spec: { replicas: 1 } }, after: { spec: { replicas: 3 } } });
    expect(find('apps/v1/deployments', 'shop/web')).toEqual(web);
  });

  it('dry-run reports at the end, an object at a time', async () => {
    const groups: string[][] = [];
    const on = { gvr: 'v1/configmaps', name: 'a' };
    await run(
      [{ patch: { spec: { replicas: 3 } } }, { patch: { data: {} }, on }, { status: {} }, { delete: true, on }],
      {
        mode: 'dry-run',
        report: (found) => groups.push(found.map(({ verb, target }) => `${verb} ${target.name}`)),
      },
    );
    expect(groups).toEqual([
      ['patch web', 'status web'],
      ['patch a', 'delete a'],
    ]);
  });

  it('dry-run reports the refusal, sends nothing after it, and does not ask about what an earlier action makes or deletes', async () => {
    const made = { gvr: 'v1/configmaps', name: 'made' };
    const outcomes: ActionOutcome[] = [];
    const place = await cluster();
    const ran = run(
      [
        { create: { ...CONFIG_MAP, metadata: { name: 'made' } } },
        { patch: { data: {} }, on: made },
        { delete: true, on: { gvr: 'v1/configmaps', name: 'a' } },
        { create: { ...CONFIG_MAP, metadata: { name: 'a' } } },
        { patch: { spec: { replicas: -1 } } },
        { patch: { spec: { replicas: 3 } } },
      ],
      { in: place, mode: 'dry-run', report: (found) => outcomes.push(...found) },
    );
    await expect(ran).rejects.toThrow('patch apps/v1/deployments shop/web: Deployment.apps "web" is invalid');
    expect(outcomes.map(({ verb, target, refusal, unchecked }) => [verb, target.name, refusal, unchecked])).toEqual([
      ['create', 'made', undefined, undefined],
      ['patch', 'made', undefined, 'an earlier action of this run creates the object'],
      ['delete', 'a', undefined, undefined],
      ['create', 'a', undefined, 'an earlier action of this run deletes the object'],
      ['patch', 'web', expect.stringContaining('is invalid'), undefined],
    ]);
    expect(place.requests().filter((request) => request.startsWith('PATCH'))).toHaveLength(1);
  });

  it('reported bodies and states are redacted', async () => {
    const types = new Set<string>();
    const redact = <T extends object>(object: T, gvr: GroupVersionResource): T => {
      types.add(formatGvr(gvr));
      return { ...object, data: 'hidden' };
    };
    const secret = Buffer.from('secret').toString('base64');
    const { outcomes } = await run([{ patch: { data: { a: secret } }, on: { gvr: 'v1/secrets', name: 's' } }], {
      redact,
    });
    expect(outcomes[0]?.after?.data).toBe('hidden');
    expect(JSON.stringify(outcomes)).not.toContain(secret);
    expect([...types]).toEqual(['v1/secrets']);
  });
});
