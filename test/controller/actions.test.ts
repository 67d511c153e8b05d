import { describe, expect, it } from 'vitest';
import type { Subject } from '../../src/controller/action-target.ts';
import type { ActionClient, ActionOutcome, ActionRunnerOptions } from '../../src/controller/actions.ts';
import { ActionRunner, describeAction } from '../../src/controller/actions.ts';
import type { UnguardedClient } from '../../src/controller/hooks/guarded-client.ts';
import { guardClient } from '../../src/controller/hooks/guarded-client.ts';
import { parseReply } from '../../src/controller/hooks/reply.ts';
import { createWriteBudget } from '../../src/controller/write-budget.ts';
import type { Logger } from '../../src/kit/logger.ts';
import { createLogger, silentLogger } from '../../src/kit/logger.ts';
import type { GroupVersionResource } from '../../src/model/gvr.ts';
import { formatGvr, parseGvr } from '../../src/model/gvr.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { failure, notFound, StatusError } from '../../src/model/status.ts';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';

const type = (gvr: string, kind: string, namespaced = true) => ({ gvr: parseGvr(gvr), kind, namespaced });
const deployments = type('apps/v1/deployments', 'Deployment');
const TYPES = [
  deployments,
  type('v1/configmaps', 'ConfigMap'),
  type('v1/secrets', 'Secret'),
  type('v1/nodes', 'Node', false),
  type('v1/events', 'Event'),
];

const web: UnknownObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop', uid: 'u1', resourceVersion: '7' },
  spec: { replicas: 1 },
};
const subject: Subject = { namespace: 'shop', name: 'web', object: web };

interface Sent {
  to: string;
  verb: string;
  name?: string;
  body?: unknown;
  options?: Record<string, unknown> | undefined;
}

/** A cluster that notes what it is sent and answers with what `answer` says. */
function cluster(answer: (sent: Sent) => UnknownObject = () => ({ metadata: { name: 'web', resourceVersion: '8' } })) {
  const sent: Sent[] = [];
  const note = async (one: Sent) => {
    const { signal: _, ...options } = one.options ?? {};
    sent.push({ ...one, options });
    return answer(one);
  };
  const client: UnguardedClient & ActionClient = {
    resource(gvr: GroupVersionResource, { namespace }: { namespace?: string | undefined } = {}) {
      const to = `${formatGvr(gvr)} ${namespace ?? '-'}`;
      return {
        get: (name, options) => note({ to, verb: 'get', name, options: { ...options } }),
        list: async () => ({ items: [], resourceVersion: '1' }),
        create: (body, options) => note({ to, verb: 'create', body, options: { ...options } }),
        update: (body, options) => note({ to, verb: 'update', body, options: { ...options } }),
        patch: (name, body, options) => note({ to, verb: 'patch', name, body, options: { ...options } }),
        delete: (name, options) => note({ to, verb: 'delete', name, options: { ...options } }),
      };
    },
  };
  return { sent, client };
}

async function run(actions: unknown[], options: Partial<ActionRunnerOptions> & { about?: Subject; logger?: Logger } = {}) {
  const { sent, client } = cluster();
  const outcomes: ActionOutcome[] = [];
  const runner = new ActionRunner({
    client,
    mode: 'write',
    primary: deployments,
    types: async () => TYPES,
    report: (outcome) => outcomes.push(outcome),
    ...options,
  });
  const context = { signal: new AbortController().signal, logger: options.logger ?? silentLogger };
  await runner.run(parseReply({ actions }).actions, options.about ?? subject, context);
  return { sent, outcomes };
}

const MANAGED = { dryRun: false, fieldManager: 'kubectl-informer' };

describe('an action without "on" is about the reconciled object', () => {
  it.each([
    [
      'apply',
      { spec: { replicas: 3 } },
      { type: 'apply', force: true },
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'shop' }, spec: { replicas: 3 } },
    ],
    ['patch', { spec: { replicas: 3 } }, { type: 'merge' }, { spec: { replicas: 3 } }],
    ['status', { phase: 'Ok' }, { type: 'merge', subresource: 'status' }, { status: { phase: 'Ok' } }],
  ])('%s', async (verb, body, how, sentBody) => {
    const { sent } = await run([{ [verb]: body }]);
    expect(sent).toEqual([{ to: 'apps/v1/deployments shop', verb: 'patch', name: 'web', body: sentBody, options: { ...MANAGED, ...how } }]);
  });

  it('delete, with its options', async () => {
    const { sent } = await run([{ delete: { propagationPolicy: 'Foreground' } }]);
    expect(sent).toEqual([
      { to: 'apps/v1/deployments shop', verb: 'delete', name: 'web', options: { propagationPolicy: 'Foreground', dryRun: false } },
    ]);
  });

  it('what the server alone writes is left out of an apply', async () => {
    const { sent } = await run([{ apply: { metadata: { managedFields: [{}], labels: { a: 'b' } } } }]);
    expect(sent[0]?.body).toMatchObject({ metadata: { labels: { a: 'b' } } });
    expect(sent[0]?.body).not.toHaveProperty('metadata.managedFields');
  });
});

describe('an action about another object', () => {
  it('finds its type by what the body says it is', async () => {
    const { sent } = await run([{ create: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web-config' } }, own: true }]);
    expect(sent).toEqual([
      {
        to: 'v1/configmaps shop',
        verb: 'create',
        body: {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: {
            name: 'web-config',
            namespace: 'shop',
            ownerReferences: [
              { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u1', controller: true, blockOwnerDeletion: true },
            ],
          },
        },
        options: MANAGED,
      },
    ]);
  });

  it('finds it by "on", in another namespace or in none', async () => {
    const { sent } = await run([
      { patch: [{ op: 'remove', path: '/data' }], patchType: 'json', on: { gvr: 'v1/configmaps', namespace: 'bank', name: 'c' } },
      { apply: { spec: { unschedulable: true } }, on: { gvr: 'v1/nodes', name: 'n1' } },
    ]);
    expect(sent.map(({ to, name }) => `${to} ${name}`)).toEqual(['v1/configmaps bank c', 'v1/nodes - n1']);
    expect(sent[1]?.body).toEqual({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' }, spec: { unschedulable: true } });
  });

  it('may have its name made by the server', async () => {
    const { sent } = await run([{ create: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { generateName: 'web-' } } }]);
    expect(sent[0]?.body).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { generateName: 'web-', namespace: 'shop' } });
  });

  it.each([
    [{ patch: {}, on: { gvr: 'v1/widgets', name: 'x' } }, 'the server has no resource type v1/widgets'],
    [{ apply: { apiVersion: 'v1', kind: 'Widget', metadata: { name: 'x' } } }, 'the server has no kind Widget in v1'],
    [{ patch: {}, on: { gvr: 'v1/configmaps' } }, 'the action patch names no object of v1/configmaps'],
  ])('that names it badly sends nothing at all: %j', async (action, message) => {
    const { sent, client } = cluster();
    await expect(run([{ patch: { a: 1 } }, action], { client })).rejects.toThrow(message);
    expect(sent).toEqual([]);
  });

  it('cannot be owned by an object that is gone, nor in another namespace', async () => {
    const create = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'bank' } };
    await expect(run([{ create, own: true }])).rejects.toThrow('cross-namespace owner references are disallowed');
    await expect(run([{ create, own: true }], { about: { ...subject, object: null } })).rejects.toThrow(
      'cannot be owned by an object that is gone',
    );
  });
});

describe('carrying out', () => {
  it('goes in order, and a failure ends the rest and says which it was', async () => {
    const { sent, client } = cluster(({ name }) => {
      if (name === 'b') throw new StatusError(failure(403, 'Forbidden', 'no rights'));
      return web;
    });
    const on = (name: string) => ({ patch: {}, on: { gvr: 'v1/configmaps', name } });
    await expect(run([on('a'), on('b'), on('c')], { client })).rejects.toThrow('patch v1/configmaps shop/b: no rights');
    expect(sent.map((s) => s.name)).toEqual(['a', 'b']);
  });

  it('tries again on conflict [RTY-01]', async () => {
    const clock = new FakeClock();
    let tries = 0;
    const { client } = cluster(() => {
      if (++tries < 3) throw new StatusError(failure(409, 'Conflict', 'modified'));
      return web;
    });
    const done = run([{ patch: {} }], { client, clock });
    await clock.advance(100);
    await done;
    expect(tries).toBe(3);
  });

  it('deleting what is gone is done', async () => {
    const { client } = cluster(() => {
      throw new StatusError(notFound(deployments.gvr, 'web'));
    });
    await expect(run([{ delete: true }], { client })).resolves.toBeDefined();
  });

  it('an event is about its target', async () => {
    const { sent } = await run([{ event: { reason: 'Scaled', message: 'to 3' } }], { clock: new FakeClock() });
    expect(sent[0]).toMatchObject({
      to: 'v1/events shop',
      verb: 'create',
      body: {
        kind: 'Event',
        metadata: { namespace: 'shop', name: expect.stringMatching(/^web\.[0-9a-f]+$/) },
        involvedObject: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web', uid: 'u1' },
        type: 'Normal',
        reason: 'Scaled',
        message: 'to 3',
        firstTimestamp: '2026-01-01T00:00:00Z',
        count: 1,
      },
    });
  });

  it('a log line is logged, whatever the mode', async () => {
    const lines: unknown[] = [];
    const logger = createLogger((level, message, fields) => lines.push([level, message, fields]));
    await run([{ log: { level: 'warn', message: 'odd', replicas: 3 } }], { mode: 'describe', logger });
    expect(lines).toEqual([['warn', 'odd', { replicas: 3 }]]);
  });

  it('counts every write against the budget, once however often it is tried', async () => {
    const clock = new FakeClock();
    const { sent, client } = cluster();
    const done = run([{ patch: { a: 1 } }, { patch: { a: 2 } }], {
      client,
      clock,
      budget: createWriteBudget({ writes: 1, perMs: 1000 }, clock),
    });
    await settled();
    expect(sent).toHaveLength(1);
    await clock.advance(1000);
    await done;
    expect(sent).toHaveLength(2);
  });

  it('refuses to write redacted values into a Secret', async () => {
    const data = { password: 'hmac:0123abcd' };
    await expect(run([{ apply: { data }, on: { gvr: 'v1/secrets', name: 's' } }])).rejects.toThrow('redacted values');
    await expect(run([{ patch: { data }, on: { gvr: 'v1/secrets', name: 's' } }])).rejects.toThrow('redacted values');
    await expect(run([{ apply: { data }, on: { gvr: 'v1/configmaps', name: 's' } }])).resolves.toBeDefined();
  });
});

describe('modes', () => {
  it('describe sends nothing and tells everything', async () => {
    const { sent, outcomes } = await run([{ apply: { spec: { replicas: 3 } } }, { delete: true }], { mode: 'describe' });
    expect(sent).toEqual([]);
    expect(outcomes.map(describeAction)).toEqual([
      'apply apps/v1/deployments shop/web {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop"},"spec":{"replicas":3}}',
      'delete apps/v1/deployments shop/web',
    ]);
    expect(outcomes[0]).toMatchObject({ mode: 'describe', verb: 'apply', subject: 'shop/web' });
  });

  it('dry-run sends every write as one, and tells the states before and after', async () => {
    const { sent, client } = cluster(({ verb }) => ({ metadata: { resourceVersion: verb === 'get' ? '7' : '8' } }));
    const { outcomes } = await run([{ patch: { spec: {} } }, { delete: true }], { client, mode: 'dry-run' });
    expect(sent.map((s) => `${s.verb} ${s.options?.dryRun}`)).toEqual(['get undefined', 'patch true', 'get undefined', 'delete true']);
    expect(outcomes[0]).toMatchObject({ before: { metadata: { resourceVersion: '7' } }, after: { metadata: { resourceVersion: '8' } } });
  });

  it('what is reported is redacted', async () => {
    const types = new Set<string>();
    const redact = <T extends object>(object: T, gvr: GroupVersionResource): T => {
      types.add(formatGvr(gvr));
      return { ...object, data: 'hidden' };
    };
    const { outcomes } = await run([{ patch: { data: { a: 'secret' } }, on: { gvr: 'v1/secrets', name: 's' } }], { redact });
    expect(JSON.stringify(outcomes)).not.toContain('"secret"');
    expect([...types]).toEqual(['v1/secrets']);
  });
});

describe("a module's client", () => {
  const gvr = parseGvr('v1/configmaps');

  it('may read but not write while writes are only described', async () => {
    const { sent, client } = cluster();
    const resource = guardClient(client, { mode: 'describe' }).resource(gvr, { namespace: 'shop' });
    await resource.get('c');
    await resource.list();
    await expect(resource.patch('c', {}, { type: 'merge' })).rejects.toThrow('the hook may not write (patch v1/configmaps)');
    for (const write of [resource.create({}), resource.update({}), resource.delete('c')])
      await expect(write).rejects.toThrow('may not write');
    expect(sent.map((s) => s.verb)).toEqual(['get']);
  });

  it('writes dry in a dry run, and under our name', async () => {
    const { sent, client } = cluster();
    const resource = guardClient(client, { mode: 'dry-run' }).resource(gvr);
    await resource.create({});
    await resource.delete('c');
    expect(sent.map((s) => s.options)).toEqual([{ fieldManager: 'kubectl-informer', dryRun: true }, { dryRun: true }]);
  });

  it('gives out Secrets redacted, and does not write them back', async () => {
    const { sent, client } = cluster(() => ({ metadata: { name: 's' }, data: { password: 'aHVudGVyMg==' } }));
    const redact = <T extends object>(object: T): T => ({ ...object, data: { password: 'hmac:0123abcd' } });
    const resource = guardClient(client, { mode: 'write', redact }).resource(parseGvr('v1/secrets'));
    const secret = await resource.get('s');
    expect(secret.data).toEqual({ password: 'hmac:0123abcd' });
    await expect(resource.update(secret)).rejects.toThrow('redacted values');
    expect(sent.map((s) => s.verb)).toEqual(['get']);
  });

  it('counts against the budget', async () => {
    const clock = new FakeClock();
    const { sent, client } = cluster();
    const resource = guardClient(client, { mode: 'write', budget: createWriteBudget({ writes: 1, perMs: 1000 }, clock) }).resource(gvr);
    await resource.patch('a', {}, { type: 'merge', dryRun: true });
    await resource.patch('b', {}, { type: 'merge', fieldManager: 'mine' });
    const third = resource.patch('c', {}, { type: 'merge' });
    await settled();
    expect(sent.map((s) => s.name)).toEqual(['a', 'b']);
    expect(sent[1]?.options?.fieldManager).toBe('mine');
    await clock.advance(1000);
    await third;
    expect(sent).toHaveLength(3);
  });
});
