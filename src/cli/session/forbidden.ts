import { ACCESS_REVIEWS, reviewAccess } from '../../client/access-review.ts';
import type { ResourceApi } from '../../client/resource-api.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import { formatGroupResource, type GroupVersionResource } from '../../model/gvr.ts';
import type { UnknownObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { StatusError, statusOf } from '../../model/status.ts';
import type { ConfiguredServer } from './session.ts';

const NAMESPACES: GroupVersionResource = { group: '', version: 'v1', resource: 'namespaces' };

/** The rights that a user needs in order to read a type. */
export interface Need {
  readonly type: ResourceType;
  readonly verbs: readonly ('get' | 'list' | 'watch')[];
  /** Only the objects of these names; none = all. */
  readonly names: readonly string[];
}

/** How many namespaces are tried at most, and for how long: the error should not come late. */
const MOST_TRIED = 50;
const PATIENCE_MS = 3000;

/**
 * A refusal (403) with the rule that is missing and, where all namespaces or the wrong one were asked for, those that
 * would work. Asks the server (SelfSubjectAccessReview); answers that take longer than some seconds are left out. Never
 * rejects.
 */
export async function explainForbidden(
  error: unknown,
  need: Need,
  namespaces: readonly string[],
  session: ConfiguredServer,
): Promise<InformerError> {
  const [open = []] = await openNamespaces([{ need, namespaces }], session);
  const closed = namespaces.filter((name) => !open.includes(name));
  const role = rolesFor([need], closed.length > 0 ? closed : namespaces);
  return refusalWith(error, `missing is ${role}, bound to this user${instead([{ need, open }])}`);
}

/** The part of a type that may not be read, and the reason. */
export interface Refused {
  readonly refusal: unknown;
  readonly need: Need;
  /** Where it may not be read; [''] = everywhere. */
  readonly namespaces: readonly string[];
}

/**
 * The refusals (403) of several types or namespaces. The last one has a hint with the rules that are missing for all of
 * them, and then `more`.
 */
export function forbiddenTogether(refused: readonly Refused[], more = ''): InformerError[] {
  const hint = `missing is ${rolesOf(refused)}, bound to this user${more}`;
  return refused.map(({ refusal }, i) => refusalWith(refusal, i === refused.length - 1 ? hint : undefined));
}

/** {@link forbiddenTogether}, with the namespaces that would work for each type. Asks the server; never rejects. */
export async function explainForbiddenTogether(
  refused: readonly Refused[],
  session: ConfiguredServer,
): Promise<InformerError[]> {
  const types = merged(refused, () => []);
  const open = await openNamespaces(types, session);
  return forbiddenTogether(refused, instead(types.map(({ need }, i) => ({ need, open: open[i] ?? [] }))));
}

type Missing = Pick<Refused, 'need' | 'namespaces'>;

/** Merges rules that agree in type, verbs and `alike`, with the names and namespaces of all. */
function merged(refused: readonly Missing[], alike: (each: Missing) => readonly string[]): Missing[] {
  const groups = Map.groupBy(refused, (each) => JSON.stringify([each.need.type.gvr, each.need.verbs, alike(each)]));
  return [...groups.values()].map((same) => ({
    need: { ...(same[0] as Missing).need, names: [...new Set(same.flatMap(({ need }) => need.names))] },
    namespaces: [...new Set(same.flatMap(({ namespaces }) => namespaces))],
  }));
}

/** One role for what is missing in the same namespaces. */
function rolesOf(refused: readonly Refused[]): string {
  const ofNames = merged(refused, ({ namespaces }) => namespaces);
  const ofNamespaces = merged(ofNames, ({ need }) => need.names);
  const isOfCluster = ({ need, namespaces }: Missing) => !need.type.namespaced || namespaces.includes('');
  const byPlace = Map.groupBy(ofNamespaces, (each) => (isOfCluster(each) ? '' : JSON.stringify(each.namespaces)));
  const places = [...byPlace.entries()].sort(([a], [b]) => Number(a === '') - Number(b === '')); // the ClusterRole last
  return places
    .map(([, same]) =>
      rolesFor(
        same.map(({ need }) => need),
        same[0]?.namespaces ?? [],
      ),
    )
    .join(' and ');
}

function refusalWith(error: unknown, hint: string | undefined): InformerError {
  const status = statusOf(error);
  return new InformerError('list', status?.message ?? messageOf(error), {
    cause: status ? new StatusError(status) : error,
    hint,
  });
}

/** `a Role in shop with the rule {…}`, `a ClusterRole with the rules {…}, {…}`, or both. */
function rolesFor(needs: readonly Need[], namespaces: readonly string[]): string {
  const inCluster = needs.filter(({ type }) => !type.namespaced || namespaces.includes(''));
  const inNamespaces = needs.filter((need) => !inCluster.includes(need));
  return [roleFor(`a Role in ${namespaces.join(', ')}`, inNamespaces), roleFor('a ClusterRole', inCluster)]
    .filter(Boolean)
    .join(' and ');
}

function roleFor(role: string, needs: readonly Need[]): string {
  if (needs.length === 0) return '';
  const alike = Map.groupBy(needs, ({ type, verbs, names }) => JSON.stringify([type.gvr.group, verbs, names]));
  const rules = [...alike.values()].map(ruleFor);
  return `${role} with the rule${rules.length > 1 ? 's' : ''} ${rules.join(', ')}`;
}

/** The rule of a role for needs that differ only in the resource. */
function ruleFor(needs: readonly Need[]): string {
  const [{ type, verbs, names }] = needs as readonly [Need, ...Need[]];
  const resources = needs.map((need) => need.type.gvr.resource);
  const named = names.length > 0 ? `, resourceNames: ${quoted(names)}` : '';
  return `{apiGroups: ["${type.gvr.group}"], resources: ${quoted(resources)}, verbs: ${quoted(verbs)}${named}}`;
}

const quoted = (words: readonly string[]) => `[${words.map((word) => JSON.stringify(word)).join(', ')}]`;

/** `; you may watch pods, deployments.apps with -n shop; you may watch jobs.batch with -n a,b`. */
function instead(types: readonly { readonly need: Need; readonly open: readonly string[] }[]): string {
  const places = Map.groupBy(
    types.filter(({ open }) => open.length > 0),
    ({ need: { verbs }, open }) => `${verbs.at(-1)} ${open.join(',')}`,
  );
  const texts = [...places.values()].map((same) => {
    const names = same.map(({ need: { type } }) => formatGroupResource(type.gvr)).join(', ');
    return `you may ${same[0]?.need.verbs.at(-1)} ${names} with -n ${same[0]?.open.join(',')}`;
  });
  return texts.map((text) => `; ${text}`).join('');
}

/** For each, the namespaces, of those that are known or were asked for beside others, in which it may be read. */
async function openNamespaces(missing: readonly Missing[], session: ConfiguredServer): Promise<string[][]> {
  const isInNamespaces = ({ need: { type } }: Missing) => type.namespaced;
  if (!missing.some(isInNamespaces)) return [];
  const controller = new AbortController();
  using _ = session.clock.after(PATIENCE_MS, () => controller.abort());
  const signal = AbortSignal.any([session.signal, controller.signal]);
  const reviews = session.client.resource(ACCESS_REVIEWS);
  const known = await knownNamespaces(session, signal);
  const most = Math.ceil(MOST_TRIED / missing.length);
  const openOf = async ({ need, namespaces: asked }: Missing): Promise<string[]> => {
    const candidates = [
      ...new Set([...(asked.length > 1 ? asked : []), ...known.filter((name) => !asked.includes(name))]),
    ].slice(0, most);
    const mayRead = await Promise.all(candidates.map((namespace) => isOpen(need, namespace, reviews, signal)));
    return candidates.filter((_, i) => mayRead[i]);
  };
  return await Promise.all(missing.map((each) => (isInNamespaces(each) ? openOf(each).catch(() => []) : [])));
}

/** All of them where we may see them, else the one that the kubeconfig names. */
async function knownNamespaces({ client, config }: ConfiguredServer, signal: AbortSignal): Promise<string[]> {
  try {
    const { items } = await client
      .resource<UnknownObject>(NAMESPACES, { as: 'metadata' })
      .list({ limit: MOST_TRIED }, { signal });
    return items.flatMap(({ metadata }) => metadata.name ?? []);
  } catch {
    return [config.namespace];
  }
}

async function isOpen(
  { type, verbs, names }: Need,
  namespace: string,
  reviews: ResourceApi,
  signal: AbortSignal,
): Promise<boolean> {
  const { group, version, resource } = type.gvr;
  const questions = verbs.flatMap((verb) =>
    (names.length > 0 ? names : [undefined]).map((name) => ({ verb, ...(name ? { name } : {}) })),
  );
  const allowed = await Promise.all(
    questions.map(async (question) => {
      const { allowed: isAllowed } = await reviewAccess(
        reviews,
        { group, version, resource, namespace, ...question },
        signal,
      );
      return isAllowed;
    }),
  );
  return allowed.every(Boolean);
}
