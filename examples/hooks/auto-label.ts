// Gives every Deployment the team and cost-center labels of its Namespace, and keeps them so when either changes.
//   kubectl informer reconcile deployments -A --hook examples/hooks/auto-label.ts --allow-write
// `--map index:namespace` leads from a Namespace to all Deployments in it.

interface Labelled {
  metadata: { labels?: Record<string, string> };
}
interface Context {
  namespace: string;
  object: Labelled | null;
  lister(gvr: string): { get(key: string): unknown };
}

export const config = {
  watches: { type: 'namespaces', map: 'index:namespace' },
  filter: '!object.metadata.namespace.startsWith("kube-")',
  on: ['added', 'modified'],
  changed: '.metadata.labels',
};

const INHERITED = ['team', 'cost-center'];

export default async function reconcile({ namespace, object, lister }: Context) {
  const from = lister('v1/namespaces').get(namespace) as Labelled | undefined;
  if (!object || !from) return;
  // null removes a label that the Namespace no longer has
  const wanted = INHERITED.map((label) => [label, from.metadata.labels?.[label] ?? null] as const);
  const missing = wanted.filter(([label, value]) => (object.metadata.labels?.[label] ?? null) !== value);
  if (missing.length === 0) return;
  return { actions: [{ patch: { metadata: { labels: Object.fromEntries(missing) } } }] };
}
