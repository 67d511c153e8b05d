// Keeps every Deployment at three replicas at most, unless an annotation allows more, and logs what it checked.
//   kubectl informer reconcile deployments -n shop --hook examples/hooks/scale-guard.ts
// Without --allow-write the patch is shown, not sent.

interface Deployment {
  metadata: { name: string; annotations?: Record<string, string> };
  spec: { replicas?: number };
  status?: { readyReplicas?: number };
}

interface Context {
  key: string;
  object: Deployment | null;
  changed: readonly string[];
  log: { info(message: string, fields?: Record<string, unknown>): void };
}

export const config = { workers: 2 };

export default async function reconcile({ key, object, changed, log }: Context) {
  if (!object) {
    log.info('is gone', { key });
    return;
  }
  const wanted = object.spec.replicas ?? 1;
  const most = Number(object.metadata.annotations?.['example.com/max-replicas'] ?? 3);
  log.info('looked at', {
    key,
    ready: `${object.status?.readyReplicas ?? 0}/${wanted}`,
    changed:
      changed.length === 0
        ? 'nothing yet'
        : `${changed[0]}${changed.length > 1 ? ` and ${changed.length - 1} more` : ''}`,
  });
  if (wanted <= most) return;
  return { actions: [{ patch: { spec: { replicas: most } } }] };
}
