import { shellWord } from '../cli/args/shell-word.ts';
import { ACCESS_REVIEWS, reviewAccess } from '../client/access-review.ts';
import type { Client } from '../client/client.ts';
import { formatGroupResource } from '../model/gvr.ts';
import type { ResourceType } from '../model/resource-type.ts';
import { statusOf } from '../model/status.ts';
import { type CheckResult, failed, ok, problem, skipped } from './finding.ts';
import type { WhoAmI } from './server.ts';

/** The verbs of an informer. */
export const NEEDED_VERBS = ['list', 'watch'] as const;
/** The verbs of some commands only: a `reconcile` with a journal reads single objects. */
export const OPTIONAL_VERBS = ['get'] as const;

export interface AccessQuery {
  readonly type: ResourceType;
  readonly verbs: readonly string[];
  /** [''] = all. */
  readonly namespaces: readonly string[];
  /** Undefined if the server does not say. */
  readonly user: WhoAmI | undefined;
}

/** Which of the verbs are missing, by namespace; '' = all of them, or a type without namespaces. */
export type MissingVerbs = ReadonlyMap<string, readonly string[]>;

/** Asks the server what this user may do. The reviews store nothing. */
export async function missingAccess(
  client: Client,
  { type, verbs, namespaces }: AccessQuery,
  signal: AbortSignal,
): Promise<MissingVerbs> {
  const reviews = client.resource(ACCESS_REVIEWS);
  const places = type.namespaced ? namespaces : [''];
  const answers = await Promise.all(
    places.map(async (namespace) => {
      const allowed = await Promise.all(
        verbs.map((verb) => reviewAccess(reviews, { ...type.gvr, namespace, verb }, signal)),
      );
      return [namespace, verbs.filter((_, i) => !allowed[i]?.allowed)] as const;
    }),
  );
  return new Map(answers.filter(([, missing]) => missing.length > 0));
}

/** The rights that are there or missing, with the commands that give them. */
export function accessFound(question: AccessQuery, missing: MissingVerbs): CheckResult {
  const { type, verbs, namespaces } = question;
  const places = type.namespaced ? namespaces : [''];
  if (missing.size === 0) return ok(`you may ${verbs.join(' and ')}${inPlaces(places, type)}`);
  const texts = [...missing].map(([namespace, names]) => `${names.join(' and ')}${inPlaces([namespace], type)}`);
  const commands = [...missing].flatMap(([namespace, names]) => grants(question, namespace, names));
  return problem(`you may not ${texts.join(', nor ')}`, `an administrator runs: ${commands.join(' && ')}`);
}

/** The result when the server does not review rights: then the list and the watch show them. */
export function noReview(error: unknown): CheckResult {
  if (!statusOf(error)) throw error;
  return skipped(`the server does not review rights: ${failed(error).found}`);
}

/** As {@link accessFound}, for rights that most commands can do without. */
export function optionalAccessFound(question: AccessQuery, missing: MissingVerbs): CheckResult {
  const outcome = accessFound(question, missing);
  if (outcome.status === 'ok') return outcome;
  return { ...outcome, status: 'ok', found: `${outcome.found}; only reconcile --journal needs it` };
}

function inPlaces(namespaces: readonly string[], { namespaced }: ResourceType): string {
  if (!namespaced) return '';
  return namespaces.includes('') ? ' in all namespaces' : ` in ${namespaces.join(', ')}`;
}

/** The commands that give these rights to this user. */
function grants({ type, user }: AccessQuery, namespace: string, verbs: readonly string[]): string[] {
  const resource = formatGroupResource(type.gvr);
  const name = `${verbs.join('-')}-${resource}`;
  const [kind, place] = namespace === '' ? ['clusterrole', ''] : ['role', ` -n ${shellWord(namespace)}`];
  return [
    `kubectl create ${kind} ${name}${place} --verb=${verbs.join(',')} --resource=${resource}`,
    `kubectl create ${kind}binding ${name}${place} --${kind}=${name} ${subjectOf(user)}`,
  ];
}

const ACCOUNT = 'system:serviceaccount:';

function subjectOf(user: WhoAmI | undefined): string {
  const name = user?.username ?? 'NAME';
  if (!name.startsWith(ACCOUNT)) return `--user=${shellWord(name)}`;
  return `--serviceaccount=${shellWord(name.slice(ACCOUNT.length))}`;
}
