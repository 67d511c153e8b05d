import { describe, expect, it } from 'vitest';
import {
  explainForbidden,
  explainForbiddenTogether,
  forbiddenTogether,
  type Need,
} from '../../../src/cli/session/forbidden.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';
import { StatusError } from '../../../src/model/status.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const MESSAGE = 'deployments.apps is forbidden: User "jane" cannot list resource "deployments"';
const refusal = new Error(`failed to list: ${MESSAGE}`, {
  cause: new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code: 403,
    reason: 'Forbidden',
    message: MESSAGE,
  }),
});
const type = {
  gvr: { group: 'apps', version: 'v1', resource: 'deployments' },
  kind: 'Deployment',
  namespaced: true,
} as ResourceType;
const need = { type, verbs: ['list', 'watch'], names: [] } satisfies Need;
const rule = '{apiGroups: ["apps"], resources: ["deployments"], verbs: ["list", "watch"]}';

interface Review {
  readonly spec: {
    readonly resourceAttributes: { readonly namespace: string; readonly verb: string; readonly resource: string };
  };
}

/** A server that has these namespaces, lists them or not, and allows these verbs in them, but for closed resources. */
function asking(
  allowed: Readonly<Record<string, readonly string[]>>,
  { lists = true, answers = true, closed = [] as readonly string[] } = {},
) {
  const clock = new FakeClock();
  const reviewed: string[] = [];
  const client = {
    resource: (gvr: { resource: string }) => ({
      list: async () => {
        if (gvr.resource !== 'namespaces' || !lists) throw new Error('forbidden');
        return { items: Object.keys(allowed).map((name) => ({ metadata: { name } })) };
      },
      create: async ({ spec }: Review, { signal }: { signal: AbortSignal }) => {
        const { namespace, verb, resource } = spec.resourceAttributes;
        reviewed.push(namespace);
        if (!answers) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        return { status: { allowed: !closed.includes(resource) && (allowed[namespace]?.includes(verb) ?? false) } };
      },
    }),
  };
  const session = { client, clock, signal: new AbortController().signal, config: { namespace: 'mine' } };
  return { session: session as unknown as Parameters<typeof explainForbidden>[3], clock, reviewed };
}

const both = ['list', 'watch'];

describe('a refusal is reported with the rule that is missing', () => {
  it.each<[string, string[], ReturnType<typeof asking>, string]>([
    [
      'everywhere',
      [''],
      asking({ a: both, b: ['list'] }),
      `missing is a ClusterRole with the rule ${rule}, bound to this user; you may watch deployments.apps with -n a`,
    ],
    [
      'in one namespace',
      ['x'],
      asking({ a: [], x: both }),
      `missing is a Role in x with the rule ${rule}, bound to this user`,
    ],
    [
      'in one of two',
      ['x', 'a'],
      asking({ a: both, x: [] }, { lists: false }),
      `missing is a Role in x with the rule ${rule}, bound to this user; you may watch deployments.apps with -n a`,
    ],
    [
      'where the kubeconfig’s own would work',
      [''],
      asking({ mine: both }, { lists: false }),
      `missing is a ClusterRole with the rule ${rule}, bound to this user; you may watch deployments.apps with -n mine`,
    ],
  ])('%s', async (_, namespaces, { session }, hint) => {
    expect(await explainForbidden(refusal, need, namespaces, session)).toMatchObject({
      code: 'list',
      message: MESSAGE,
      hint,
    });
  });

  it('for the names that were asked for, and the verbs that are needed', async () => {
    const { session } = asking({ a: ['list'] });
    const { hint } = await explainForbidden(refusal, { type, verbs: ['list'], names: ['web', 'db'] }, ['x'], session);
    const named = '{apiGroups: ["apps"], resources: ["deployments"], verbs: ["list"], resourceNames: ["web", "db"]}';
    expect(hint).toBe(
      `missing is a Role in x with the rule ${named}, bound to this user; you may list deployments.apps with -n a`,
    );
  });

  it('for several types at once, in one hint', () => {
    const typeOf = (group: string, resource: string, namespaced = true): Need => ({
      type: { ...type, gvr: { group, version: 'v1', resource }, namespaced },
      verbs: ['list'],
      names: [],
    });
    const needs = [
      typeOf('apps', 'deployments'),
      typeOf('', 'pods'),
      typeOf('apps', 'replicasets'),
      typeOf('', 'nodes', false),
    ];
    const errors = forbiddenTogether(needs.map((each) => ({ refusal, need: each, namespaces: ['shop'] })));
    expect(errors.map(({ message }) => message)).toEqual([MESSAGE, MESSAGE, MESSAGE, MESSAGE]);
    expect(errors.map(({ hint }) => hint)).toEqual([
      undefined,
      undefined,
      undefined,
      'missing is a Role in shop with the rules {apiGroups: ["apps"], resources: ["deployments", "replicasets"], verbs: ["list"]}, {apiGroups: [""], resources: ["pods"], verbs: ["list"]} and a ClusterRole with the rule {apiGroups: [""], resources: ["nodes"], verbs: ["list"]}, bound to this user',
    ]);
  });

  it('of several types with the namespaces in which each may be read', async () => {
    const needs = ['deployments', 'replicasets', 'daemonsets'].map((resource) => ({
      ...need,
      type: { ...type, gvr: { ...type.gvr, resource } },
    }));
    const nodes: Need = {
      ...need,
      type: { ...type, gvr: { group: '', version: 'v1', resource: 'nodes' }, namespaced: false },
    };
    const refused = [...needs, nodes].map((each) => ({ refusal, need: each, namespaces: [''] }));
    const { session, reviewed } = asking({ a: both, b: [] }, { closed: ['daemonsets'] });
    const errors = await explainForbiddenTogether(refused, session);
    expect(errors.map(({ message }) => message)).toEqual([MESSAGE, MESSAGE, MESSAGE, MESSAGE]);
    expect(errors.at(-1)?.hint).toBe(
      'missing is a ClusterRole with the rules {apiGroups: ["apps"], resources: ["deployments", "replicasets", "daemonsets"], verbs: ["list", "watch"]}, {apiGroups: [""], resources: ["nodes"], verbs: ["list", "watch"]}, bound to this user; you may watch deployments.apps, replicasets.apps with -n a',
    );
    expect(reviewed).toHaveLength(12);
    const late = asking({ a: both }, { answers: false });
    const explained = explainForbiddenTogether(refused, late.session);
    await late.clock.advance(3000);
    expect((await explained).at(-1)?.hint).not.toContain('you may');
  });

  it('and keeps what the server said as its cause, once', async () => {
    const { session } = asking({});
    const error = await explainForbidden(refusal, need, [''], session);
    expect(error.cause).toMatchObject({ message: MESSAGE, status: { code: 403 } });
    expect((error.cause as Error).cause).toBeUndefined();
  });

  it('without asking about namespaces for a type that is in none', async () => {
    const { session, reviewed } = asking({ a: both });
    const { hint } = await explainForbidden(refusal, { ...need, type: { ...type, namespaced: false } }, ['x'], session);
    expect(hint).toBe(`missing is a ClusterRole with the rule ${rule}, bound to this user`);
    expect(reviewed).toEqual([]);
  });

  it('after some seconds without what the server does not answer', async () => {
    const { session, clock } = asking({ a: both }, { answers: false });
    const explained = explainForbidden(refusal, need, [''], session);
    await clock.advance(3000);
    expect((await explained).hint).toBe(`missing is a ClusterRole with the rule ${rule}, bound to this user`);
  });
});
