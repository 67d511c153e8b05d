import { expect, it } from 'vitest';
import { withoutDefaults } from '../../src/agents/server-defaults.ts';
import { inProcess } from '../support/in-process.ts';

const container = {
  name: 'app',
  image: 'nginx:1.27',
  ports: [{ containerPort: 80 }],
  readinessProbe: { httpGet: { path: '/', port: 80 }, periodSeconds: 5 },
};
const podSpec = {
  containers: [container],
  initContainers: [{ name: 'side', image: 'side:1', restartPolicy: 'Always' }],
  tolerations: [{ key: 'gpu', operator: 'Exists' }],
};
const template = { metadata: { labels: { app: 'web' } }, spec: podSpec };
const selector = { matchLabels: { app: 'web' } };

const TYPE = (group: string, kind: string) => ({ gvr: { group, version: 'v1', resource: `${kind.toLowerCase()}s` } });

it.each([
  ['', 'Pod', { ...podSpec, terminationGracePeriodSeconds: 5 }],
  ['apps', 'Deployment', { replicas: 2, selector, template }],
  ['apps', 'Deployment', { replicas: 2, selector, template, strategy: { type: 'Recreate' } }],
  ['apps', 'StatefulSet', { serviceName: 'web', selector, template }],
  ['', 'Service', { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] }],
])(
  'what the server adds to a spec of its own by default is left out, and nothing that was set: %s/%s',
  async (group, kind, spec) => {
    await using place = await inProcess({});
    const apiVersion = group === '' ? 'v1' : `${group}/v1`;
    place.sandbox.apply({ apiVersion, kind, metadata: { name: 'web', namespace: 'default' }, spec } as never);
    const type = await place.client.mapper.resolve(group === '' ? `${kind}` : `${kind}.${group}`);
    const made = (await place.client.resource(type.gvr, { namespace: 'default' }).get('web')) as unknown as {
      spec: object;
    };
    expect(Object.keys(made.spec).length).toBeGreaterThan(Object.keys(spec).length);
    const shown = JSON.stringify(withoutDefaults(made.spec, type));
    for (const [name, value] of Object.entries(spec))
      if (typeof value !== 'object') expect(shown).toContain(`"${name}":${JSON.stringify(value)}`);
    expect(shown).not.toMatch(
      /terminationMessage|dnsPolicy|schedulerName|"protocol":"TCP"|not-ready|sessionAffinity|revisionHistoryLimit|"25%"|successThreshold|"scheme"/,
    );
    if (kind !== 'Service') expect(shown).toMatch(/"restartPolicy":"Always"/); // of the sidecar
    expect(shown.match(/"restartPolicy"/g)?.length ?? 0).toBe(kind === 'Service' ? 0 : 1);
  },
);

it('a value that is none of the defaults stays, and so does that of a type that is not Kubernetes’ own', () => {
  expect(withoutDefaults({ restartPolicy: 'Never', priority: 5 }, TYPE('', 'Pod') as never)).toEqual({
    restartPolicy: 'Never',
    priority: 5,
  });
  expect(withoutDefaults({ restartPolicy: 'Always' }, TYPE('example.com', 'Thing') as never)).toEqual({
    restartPolicy: 'Always',
  });
});
