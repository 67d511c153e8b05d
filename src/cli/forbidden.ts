import type { ResourceApi } from '../client/resource-api.ts';
import { InformerError, messageOf } from '../kit/error.ts';
import { formatGroupResource, type GroupVersionResource } from '../model/gvr.ts';
import type { UnknownObject } from '../model/object.ts';
import type { ResourceType } from '../model/resource-type.ts';
import { StatusError, statusOf } from '../model/status.ts';
import type { Session } from './session.ts';

const REVIEWS: GroupVersionResource = { group: 'authorization.k8s.io', version: 'v1', resource: 'selfsubjectaccessreviews' };
const NAMESPACES: GroupVersionResource = { group: '', version: 'v1', resource: 'namespaces' };

/** What an informer needs to be allowed. */
const VERBS = ['list', 'watch'] as const;

/** So many namespaces are tried at most, and for so long: the refusal itself should not be waited for. */
const MOST_TRIED = 50;
const PATIENCE_MS = 3000;

type Asking = Pick<Session, 'client' | 'clock' | 'signal' | 'config'>;

/**
 * A refusal (403) with the rule that is missing and, where all namespaces or the wrong one were asked for, those that would work.
 * Asks the server (SelfSubjectAccessReview); what it does not tell within some seconds is left out. Never rejects.
 */
export async function explainForbidden(
  error: unknown,
  type: ResourceType,
  namespaces: readonly string[],
  session: Asking,
): Promise<InformerError> {
  const status = statusOf(error);
  const { message = messageOf(error) } = status ?? {};
  const controller = new AbortController();
  using _ = session.clock.after(PATIENCE_MS, () => controller.abort());
  const signal = AbortSignal.any([session.signal, controller.signal]);
  const open = type.namespaced ? await openNamespaces(type, namespaces, session, signal).catch(() => []) : [];
  const closed = namespaces.filter((name) => !open.includes(name));
  return new InformerError('list', message, { cause: status ? new StatusError(status) : error, hint: hintOf(type, closed, open) });
}

function hintOf(type: ResourceType, namespaces: readonly string[], open: readonly string[]): string {
  const { group, resource } = type.gvr;
  const rule = `{apiGroups: ["${group}"], resources: ["${resource}"], verbs: [${VERBS.map((verb) => `"${verb}"`).join(', ')}]}`;
  const everywhere = !type.namespaced || namespaces.includes('');
  const missing = everywhere ? `a ClusterRole with the rule ${rule}` : `a Role in ${namespaces.join(', ')} with the rule ${rule}`;
  const instead = open.length > 0 ? `; you may watch ${formatGroupResource(type.gvr)} with -n ${open.join(',')}` : '';
  return `missing is ${missing}, bound to this user${instead}`;
}

/** The namespaces, of those that are known or were asked for beside others, in which the type may be listed and watched. */
async function openNamespaces(type: ResourceType, asked: readonly string[], session: Asking, signal: AbortSignal): Promise<string[]> {
  const reviews = session.client.resource(REVIEWS);
  const known = await knownNamespaces(session, signal);
  const candidates = [...new Set([...(asked.length > 1 ? asked : []), ...known.filter((name) => !asked.includes(name))])].slice(
    0,
    MOST_TRIED,
  );
  const mayWatch = await Promise.all(candidates.map((namespace) => isOpen(type, namespace, reviews, signal)));
  return candidates.filter((_, i) => mayWatch[i]);
}

/** All of them where we may see them, else the one that the kubeconfig names. */
async function knownNamespaces({ client, config }: Asking, signal: AbortSignal): Promise<string[]> {
  try {
    const { items } = await client.resource<UnknownObject>(NAMESPACES, { as: 'metadata' }).list({ limit: MOST_TRIED }, { signal });
    return items.flatMap(({ metadata }) => metadata.name ?? []);
  } catch {
    return [config.namespace];
  }
}

async function isOpen({ gvr }: ResourceType, namespace: string, reviews: ResourceApi, signal: AbortSignal): Promise<boolean> {
  const allowed = await Promise.all(
    VERBS.map(async (verb) => {
      const resourceAttributes = { group: gvr.group, version: gvr.version, resource: gvr.resource, namespace, verb };
      const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: { resourceAttributes } };
      const { status } = await reviews.create<{ status?: { allowed?: boolean } }>(review, { signal });
      return status?.allowed === true;
    }),
  );
  return allowed.every(Boolean);
}
