import { describe, expect, it } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { ActionSteps } from '../../../src/hooks/actions/action-step.ts';
import { checkAction } from '../../../src/hooks/actions/check-action.ts';
import { parseReply } from '../../../src/hooks/reply.ts';
import { systemClock } from '../../../src/kit/clock.ts';
import { cluster, deployments } from '../../support/hook-cluster.ts';
import { through } from '../../support/in-process.ts';

/** Checks one action about the Deployment. `beforeWrite` is called before each request that writes. */
async function check(
  action: object,
  beforeWrite: (count: number) => void = () => {},
  given?: Awaited<ReturnType<typeof cluster>>,
) {
  const place = given ?? (await cluster());
  let writes = 0;
  const transport = through(place.sandbox.transport(), (request, send) => {
    if (request.method !== 'GET') beforeWrite(++writes);
    return send(request);
  });
  const steps = new ActionSteps({ primary: deployments, types: place.types, clock: systemClock });
  const [parsed] = parseReply({ actions: [action] }).actions;
  if (!parsed || parsed.verb === 'log') throw new Error('an action is needed');
  const step = await steps.stepOf(parsed, place.subject);
  const { gvr } = step.target.type;
  const resource = createClient(transport, { clock: place.clock }).resource(gvr, { namespace: 'shop' });
  const found = await checkAction(resource, step, { signal: new AbortController().signal, clock: place.clock });
  return { ...place, ...found, writes: () => writes };
}

describe('a checked action', () => {
  it('is compared with the object of the same version, read again when another writer changes it in between', async () => {
    const place = await cluster();
    const { before, after, writes } = await check(
      { patch: { metadata: { labels: { team: 'a' } } } },
      (count) => {
        if (count > 1) return;
        place.sandbox.apply({ ...place.web, spec: { ...(place.web.spec as object), replicas: 9 } });
      },
      place,
    );
    expect(before).toMatchObject({ spec: { replicas: 9 } });
    expect(after).toMatchObject({ spec: { replicas: 9 }, metadata: { labels: { team: 'a' } } });
    expect(writes()).toBe(2);
  });

  it('is not checked without end when the object changes all the time', async () => {
    const place = await cluster();
    const { writes } = await check(
      { patch: { metadata: { labels: { team: 'a' } } } },
      (count) =>
        void place.sandbox.apply({ ...place.web, spec: { ...(place.web.spec as object), replicas: count + 10 } }),
      place,
    );
    expect(writes()).toBe(3);
  });

  it('names the managers whose fields an apply takes, but not itself, and shows the state after taking them', async () => {
    const place = await cluster();
    const resource = place.client.resource(deployments.gvr, { namespace: 'shop' });
    await resource.patch('web', { spec: { replicas: 4 } }, { type: 'merge', fieldManager: 'hpa' });
    await resource.patch('web', { spec: { paused: true } }, { type: 'merge', fieldManager: 'kubectl-informer' });
    place.sent.length = 0;
    const { conflicts, before, after } = await check(
      { apply: { spec: { replicas: 5, paused: false } } },
      undefined,
      place,
    );
    expect(conflicts).toEqual([{ manager: 'hpa', fields: ['.spec.replicas'] }]);
    expect([before, after]).toMatchObject([{ spec: { replicas: 4, paused: true } }, { spec: { replicas: 5 } }]);
    expect(place.find('apps/v1/deployments', 'shop/web')).toMatchObject({ spec: { replicas: 4 } });
  });

  it('that creates has no state before, and none after a deletion', async () => {
    const made = await check({
      apply: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'new' }, data: { a: '1' } },
    });
    expect([made.before, made.after]).toMatchObject([undefined, { data: { a: '1' } }]);
    const gone = await check({ delete: true });
    expect([gone.before, gone.after]).toMatchObject([{ metadata: { name: 'web' } }, undefined]);
    expect(gone.find('apps/v1/deployments', 'shop/web')).toBeDefined();
  });

  it('rejects as the write would', async () => {
    await expect(check({ patch: { spec: { replicas: -1 } } })).rejects.toThrow('is invalid');
    await expect(check({ patch: {}, on: { name: 'none' } })).rejects.toThrow('not found');
  });
});
