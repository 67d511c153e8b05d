import { messageOf } from '../../kit/error.ts';
import { joinKey } from '../../model/key.ts';
import type { UnknownObject } from '../../model/object.ts';
import { failure, StatusError } from '../../model/status.ts';
import type { Cluster } from '../cluster.ts';
import { refuse } from '../status/statuses.ts';
import { copy } from '../types/copy.ts';
import type { WriteAttempt } from '../write/gate.ts';
import {
  admissionVariables,
  conditionsMet,
  ExpressionFailure,
  type Expressions,
  VariableFailure,
} from './expressions.ts';
import {
  labelSelectorOf,
  type MatchCondition,
  type Matching,
  matchOf,
  namespaceOf,
  type Rule,
  type SelectorObject,
} from './hooks.ts';
import { type AskedWrite, admissionRequest } from './review.ts';

type MatchResources = Matching & {
  readonly resourceRules?: readonly Rule[];
  readonly excludeResourceRules?: readonly Rule[];
};

/** Source: admissionregistration/v1 ValidatingAdmissionPolicySpec. */
interface PolicySpec {
  readonly paramKind?: { readonly apiVersion: string; readonly kind: string };
  readonly matchConstraints?: MatchResources;
  readonly matchConditions?: readonly MatchCondition[];
  readonly variables?: readonly { readonly name: string; readonly expression: string }[];
  readonly validations?: readonly Validation[];
  readonly failurePolicy?: string;
}

interface Validation {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
}

/** Source: admissionregistration/v1 ValidatingAdmissionPolicyBindingSpec. */
interface BindingSpec {
  readonly policyName: string;
  readonly matchResources?: MatchResources;
  readonly validationActions?: readonly string[];
  readonly paramRef?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly selector?: SelectorObject;
    readonly parameterNotFoundAction?: string;
  };
}

interface Failed {
  readonly message: string;
  readonly reason: string;
}

const GROUP = 'admissionregistration.k8s.io';
const POLICIES = `validatingadmissionpolicies.${GROUP}`;
const BINDINGS = `validatingadmissionpolicybindings.${GROUP}`;

/** Whether the cluster has policies and bindings of them. */
export function hasPolicies({ store }: Cluster): boolean {
  return store.collection(POLICIES).size > 0 && store.collection(BINDINGS).size > 0;
}

/**
 * Asks the ValidatingAdmissionPolicies of the cluster about a write. Throws the first refusal; warns where a binding
 * says so.
 * Source: apiserver admission/plugin/policy/validating/{dispatcher,validator}.go.
 */
export async function checkPolicies(
  cluster: Cluster,
  expressions: Expressions,
  attempt: WriteAttempt,
  asked: AskedWrite,
): Promise<void> {
  await expressions.load();
  for (const binding of byName(cluster, BINDINGS)) {
    const spec = binding.spec as BindingSpec;
    const policy = cluster.store.get(POLICIES, spec.policyName)?.object;
    if (policy) await judge({ cluster, expressions, attempt, asked, policy, binding });
  }
}

interface Judged {
  readonly cluster: Cluster;
  readonly expressions: Expressions;
  readonly attempt: WriteAttempt;
  readonly asked: AskedWrite;
  readonly policy: UnknownObject;
  readonly binding: UnknownObject;
}

async function judge(judged: Judged): Promise<void> {
  const { cluster, attempt, policy, binding } = judged;
  const spec = policy.spec as PolicySpec;
  const { matchResources } = binding.spec as BindingSpec;
  const shown = matched(cluster, attempt, spec.matchConstraints);
  if (!shown || (matchResources && !matched(cluster, attempt, matchResources))) return;
  const request = await admissionRequest('', attempt, shown, judged.asked);
  const params = paramsOf(judged, spec);
  if (typeof params === 'string') act(judged, [{ message: params, reason: '' }], ['Deny']);
  else for (const param of params) act(judged, failuresOf(judged, spec, request, param));
}

function matched(cluster: Cluster, attempt: WriteAttempt, constraints: MatchResources = {}) {
  const { resourceRules, excludeResourceRules, ...matching } = constraints;
  const rules = resourceRules ?? EVERYTHING;
  if (excludeResourceRules && matchOf(cluster, attempt, { ...matching, rules: excludeResourceRules })) return undefined;
  return matchOf(cluster, attempt, { ...matching, rules });
}

const EVERYTHING: readonly Rule[] = [{ apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], operations: ['*'] }];

/** The objects that a policy is evaluated with, one after the other; a text if one that it needs is not there. */
function paramsOf(
  { cluster, attempt, binding }: Judged,
  { paramKind, failurePolicy }: PolicySpec,
): readonly (UnknownObject | null)[] | string {
  const { paramRef } = binding.spec as BindingSpec;
  if (!paramKind || !paramRef) return [null];
  const type = cluster.types.findKind(paramKind.apiVersion, paramKind.kind);
  const lost = (why: string) => (failurePolicy === 'Ignore' ? [] : `failed to configure binding: ${why}`);
  if (!type)
    return lost(`failed to find resource referenced by paramKind: '${paramKind.apiVersion}, Kind=${paramKind.kind}'`);
  const namespace = type.namespaced ? (paramRef.namespace ?? attempt.namespace) : undefined;
  const found = paramRef.name
    ? [cluster.store.get(type.storage, joinKey(namespace, paramRef.name))]
    : [...cluster.store.collection(type.storage).values()].filter(
        ({ object: { metadata } }) =>
          metadata.namespace === namespace && labelSelectorOf(paramRef.selector).matches(metadata.labels),
      );
  const objects = found.flatMap((stored) => (stored ? [copy(stored.object)] : []));
  if (objects.length > 0 || paramRef.parameterNotFoundAction !== 'Deny') return objects;
  return lost('no params found for policy binding with `Deny` parameterNotFoundAction');
}

function failuresOf(
  { cluster, expressions, attempt }: Judged,
  spec: PolicySpec,
  request: Record<string, unknown>,
  params: UnknownObject | null,
): readonly Failed[] {
  const namespace = namespaceOf(cluster, attempt);
  const namespaceObject = namespace === 'none' || namespace instanceof Error ? null : copy(namespace);
  const scope = { ...admissionVariables(request), params, namespaceObject };
  const fails = (message: string): readonly Failed[] =>
    spec.failurePolicy === 'Ignore' ? [] : [{ message, reason: '' }];
  const met = conditionsMet(expressions, spec, scope);
  if (met instanceof Error) return fails(met.message);
  if (!met) return [];
  const all = { ...scope, variables: lazily(expressions, spec, scope) };
  return (spec.validations ?? []).flatMap((validation) => {
    try {
      const isMet = expressions.evaluate(validation.expression, all) === true;
      return isMet ? [] : [{ message: messageFor(expressions, validation, all), reason: validation.reason ?? '' }];
    } catch (error) {
      if (error instanceof StatusError) throw error;
      return fails(messageOf(error));
    }
  });
}

/** The variables of a policy. Each is evaluated when an expression first reads it, and may read those before it. */
function lazily(expressions: Expressions, { variables = [] }: PolicySpec, scope: object): object {
  const values = {};
  for (const { name, expression } of variables) {
    Object.defineProperty(values, name, {
      enumerable: true,
      configurable: true,
      get() {
        try {
          const value = expressions.evaluate(expression, { ...scope, variables: values });
          Object.defineProperty(values, name, { value, enumerable: true });
          return value;
        } catch (error) {
          if (!(error instanceof ExpressionFailure)) throw error;
          throw new VariableFailure(`composited variable ${JSON.stringify(name)} fails to evaluate: ${error.reason}`);
        }
      },
    });
  }
  return values;
}

function messageFor(
  expressions: Expressions,
  { expression, message, messageExpression }: Validation,
  scope: Readonly<Record<string, unknown>>,
): string {
  try {
    const made = messageExpression && expressions.evaluate(messageExpression, scope);
    if (typeof made === 'string' && made.trim() !== '' && !made.includes('\n')) return made.trim();
  } catch (error) {
    if (error instanceof StatusError) throw error; // else `message` is used, as on a real server
  }
  return message?.trim() || `failed expression: ${expression.trim()}`;
}

function act(judged: Judged, failures: readonly Failed[], actions?: readonly string[]): void {
  const { attempt, asked, policy, binding } = judged;
  const { validationActions = [] } = binding.spec as BindingSpec;
  const named = `ValidatingAdmissionPolicy '${policy.metadata.name}' with binding '${binding.metadata.name}'`;
  const taken = actions ?? validationActions;
  for (const { message, reason } of failures) {
    if (taken.includes('Warn')) asked.warn(`Validation failed for ${named}: ${message}`);
    if (taken.includes('Deny')) refuseBy(attempt, `${named} denied request: ${message}`, reason || 'Invalid');
  }
}

const CODES: Readonly<Record<string, number>> = { Unauthorized: 401, Forbidden: 403, RequestEntityTooLarge: 413 };

function refuseBy({ type: { gvr }, name }: WriteAttempt, message: string, reason: string): never {
  const resource = gvr.group === '' ? gvr.resource : `${gvr.resource}.${gvr.group}`;
  const details = {
    ...(name ? { name } : {}),
    ...(gvr.group === '' ? {} : { group: gvr.group }),
    kind: gvr.resource,
    causes: [{ message }],
  };
  return refuse(
    failure(CODES[reason] ?? 422, reason, `${resource} ${JSON.stringify(name)} is forbidden: ${message}`, details),
  );
}

function byName({ store }: Cluster, storage: string): UnknownObject[] {
  return [...store.collection(storage).values()].sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ object }) => object);
}
