import { joinKey } from '../../model/key.ts';
import { type LabelRequirement, LabelSelector } from '../../model/label-selector.ts';
import type { UnknownObject } from '../../model/object.ts';
import { notFound, StatusError } from '../../model/status.ts';
import type { Cluster } from '../cluster.ts';
import type { ApiType, ClientConfig } from '../types/api-type.ts';
import type { Operation, WriteAttempt } from '../write/gate.ts';

export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

export interface Rule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
  readonly resourceNames?: readonly string[];
}

/** Which writes are matched. Source: admissionregistration/v1, the common part of webhooks and policies. */
export interface Matching {
  readonly matchPolicy?: string;
  readonly namespaceSelector?: SelectorObject;
  readonly objectSelector?: SelectorObject;
}

/** One webhook of a configuration. Source: admissionregistration/v1 MutatingWebhook, ValidatingWebhook. */
export interface Webhook extends Matching {
  readonly name: string;
  readonly clientConfig: ClientConfig;
  readonly rules?: readonly Rule[];
  readonly failurePolicy?: string;
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions?: readonly string[];
  readonly matchConditions?: readonly MatchCondition[];
  readonly reinvocationPolicy?: string;
}

/** The parts of a label selector as objects have it. Source: apimachinery meta/v1 LabelSelector. */
export interface SelectorObject {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: string[];
  }[];
}

/** The resource and the kind that a matched write is shown as: those of the request, or of an equivalent version. */
export type Shown = Pick<ApiType, 'gvr' | 'kind'> & { readonly type: ApiType };

const GROUP = 'admissionregistration.k8s.io';

/** The webhooks of all configurations of one sort: configurations by name, webhooks in their order. */
export function webhooksOf({ store }: Cluster, sort: 'mutating' | 'validating'): Webhook[] {
  const configurations = [...store.collection(`${sort}webhookconfigurations.${GROUP}`).values()];
  const byName = configurations.sort((a, b) => (a.key < b.key ? -1 : 1));
  return byName.flatMap(({ object }) => (object.webhooks ?? []) as Webhook[]);
}

/** Whether admission can decide about writes of a type: never about its own configuration. */
export function isExempt({ gvr }: Pick<ApiType, 'gvr'>): boolean {
  return gvr.group === GROUP;
}

/**
 * How a webhook is shown a write; undefined for one that it is not called for. Match conditions are not looked at.
 * Source: apiserver admission/plugin/webhook/generic ShouldCallHook.
 */
export function matchOf(
  cluster: Cluster,
  attempt: WriteAttempt,
  { rules = [], ...matching }: Matching & { readonly rules?: readonly Rule[] | undefined },
): Shown | undefined {
  if (!objectMatches(attempt, matching.objectSelector)) return undefined;
  const namespace = namespaceLabels(cluster, attempt, labelSelectorOf(matching.namespaceSelector));
  if (namespace === 'left out') return undefined;
  const shown = shownBy(cluster, attempt, rules, matching.matchPolicy ?? 'Equivalent');
  if (shown && namespace instanceof Error) throw namespace;
  return shown;
}

function shownBy({ types }: Cluster, attempt: WriteAttempt, rules: readonly Rule[], policy: string): Shown | undefined {
  const { type, kind = type } = attempt;
  if (rules.some((rule) => ruleMatches(rule, attempt, type))) return { gvr: type.gvr, kind: kind.kind, type };
  if (policy !== 'Equivalent') return undefined;
  const others = types.all.filter((other) => other.storage === type.storage && other !== type);
  for (const rule of rules) {
    const other = others.find((each) => ruleMatches(rule, attempt, each));
    if (other) return { gvr: other.gvr, kind: attempt.kind?.kind ?? other.kind, type: other };
  }
  return undefined;
}

/** Source: apiserver admission/plugin/webhook/predicates/rules. */
function ruleMatches(
  rule: Rule,
  { operation, subresource = '', name }: WriteAttempt,
  { gvr, namespaced }: ApiType,
): boolean {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [], scope = '*', resourceNames = [] } = rule;
  const isNamespaced = namespaced && gvr.resource !== 'namespaces';
  return (
    includes(operations, operation) &&
    includes(apiGroups, gvr.group) &&
    includes(apiVersions, gvr.version) &&
    (scope === '*' || isNamespaced === (scope === 'Namespaced')) &&
    (resourceNames.length === 0 || resourceNames.includes(name)) &&
    resources.some((pattern) => {
      const [resource = '', sub = ''] = pattern.split('/');
      return (resource === '*' || resource === gvr.resource) && (sub === '*' || sub === subresource);
    })
  );
}

const includes = (patterns: readonly string[], value: string | Operation) =>
  patterns.includes('*') || patterns.includes(value);

function objectMatches({ object, oldObject }: WriteAttempt, selector: SelectorObject | undefined): boolean {
  const labels = labelSelectorOf(selector);
  if (labels.matchesEverything) return true;
  return [object, oldObject].some((each) => each !== undefined && labels.matches(each.metadata?.labels));
}

/** Whether the namespace of a write is left out; an error if it does not exist, for those that the rules match. */
function namespaceLabels(
  cluster: Cluster,
  attempt: WriteAttempt,
  selector: LabelSelector,
): 'left out' | Error | undefined {
  if (selector.matchesEverything) return undefined;
  const namespace = namespaceOf(cluster, attempt);
  if (namespace === 'none') return undefined;
  if (namespace instanceof Error) return namespace;
  return selector.matches(namespace.metadata.labels) ? undefined : 'left out';
}

/** The namespace object that a write is in, or that it is about. */
export function namespaceOf({ store }: Cluster, attempt: WriteAttempt): UnknownObject | Error | 'none' {
  const { type, object, oldObject, namespace, name } = attempt;
  if (type.storage === 'namespaces' && attempt.subresource === undefined) return object ?? oldObject ?? 'none';
  const own = type.namespaced ? namespace : type.storage === 'namespaces' ? name : undefined;
  if (!own) return 'none';
  const found = store.get('namespaces', joinKey(undefined, own));
  return found?.object ?? new StatusError(notFound({ group: '', resource: 'namespaces' }, own));
}

const OPERATORS: Readonly<Record<string, LabelRequirement['operator']>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
};

export function labelSelectorOf({ matchLabels = {}, matchExpressions = [] }: SelectorObject = {}): LabelSelector {
  return LabelSelector.of([
    ...Object.entries(matchLabels).map(([key, value]) => ({ key, operator: '=' as const, values: [value] })),
    ...matchExpressions.map(({ key, operator, values = [] }) => ({
      key,
      operator: OPERATORS[operator] ?? ('in' as const),
      values,
    })),
  ]);
}
