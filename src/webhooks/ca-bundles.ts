import type { Client } from '../client/client.ts';
import { isJsonMap } from '../kit/exact-json.ts';
import type { PatchStep } from '../kit/json-patch.ts';
import type { UnknownObject } from '../model/object.ts';
import { isNotFound } from '../model/status.ts';

/** The objects in which `caBundle` is kept, by name. Only those are written to. */
export interface BundleTargets {
  readonly validating?: readonly string[] | undefined;
  readonly mutating?: readonly string[] | undefined;
  /** Definitions with `spec.conversion.webhook`. */
  readonly definitions?: readonly string[] | undefined;
}

const ADMISSION = { group: 'admissionregistration.k8s.io', version: 'v1' };
const SORTS = [
  ['validating', { ...ADMISSION, resource: 'validatingwebhookconfigurations' }],
  ['mutating', { ...ADMISSION, resource: 'mutatingwebhookconfigurations' }],
  ['definitions', { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' }],
] as const;

/**
 * Writes `caBundle` where it is another one. Returns the names of objects that do not exist yet. Another change of the
 * object in between fails the patch, and the next look repairs it.
 */
export async function keepBundles(
  client: Client,
  targets: BundleTargets,
  authorities: string,
  signal: AbortSignal,
): Promise<string[]> {
  const bundle = Buffer.from(authorities).toString('base64');
  const absent: string[] = [];
  for (const [sort, gvr] of SORTS) {
    const api = client.resource(gvr);
    for (const name of targets[sort] ?? []) {
      const object = await api.get(name, { signal }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
        absent.push(name);
        return undefined;
      });
      const steps = object ? stepsFor(object, bundle) : [];
      if (steps.length === 0 || !object) continue;
      const test = { op: 'test' as const, path: '/metadata/resourceVersion', value: object.metadata.resourceVersion };
      await api.patch(name, [test, ...steps], { type: 'json', signal });
    }
  }
  return absent;
}

function stepsFor(object: UnknownObject, bundle: string): PatchStep[] {
  const conversion = (object.spec as { conversion?: { webhook?: unknown } } | undefined)?.conversion?.webhook;
  const hooks = Array.isArray(object.webhooks) ? (object.webhooks as unknown[]) : [];
  return [
    ...hooks.flatMap((hook, i) => stepFor(hook, `/webhooks/${i}`, bundle)),
    ...stepFor(conversion, '/spec/conversion/webhook', bundle),
  ];
}

function stepFor(hook: unknown, path: string, bundle: string): PatchStep[] {
  const config = isJsonMap(hook) ? hook.clientConfig : undefined;
  if (!isJsonMap(config) || config.caBundle === bundle) return [];
  return [{ op: 'add', path: `${path}/clientConfig/caBundle`, value: bundle }];
}
