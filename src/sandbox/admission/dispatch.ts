import type { Operation } from 'fast-json-patch';
import { messageOf } from '../../kit/error.ts';
import { parseJson } from '../../kit/exact-json.ts';
import type { UnknownObject } from '../../model/object.ts';
import type { Status } from '../../model/status.ts';
import type { Cluster } from '../cluster.ts';
import { badRequest, forbidden, internalError, refuse } from '../status/statuses.ts';
import { equalJson } from '../types/equal.ts';
import { CallFailure, callWebhook, type ResolveService } from '../webhook-call.ts';
import type { WriteAttempt } from '../write/gate.ts';
import { newUid } from '../write/identity.ts';
import { admissionVariables, conditionsMet, type Expressions } from './expressions.ts';
import { matchOf, type Shown, type Webhook, webhooksOf } from './hooks.ts';
import { checkReadable, patchedBy } from './patched.ts';
import { type AdmissionAnswer, type AskedWrite, admissionRequest, inVersion, readAnswer } from './review.ts';

/**
 * Asks the webhooks of the cluster about a write.
 * Source: apiserver admission/plugin/webhook/{mutating,validating}/dispatcher.go.
 */
export class Dispatcher {
  readonly #cluster: Cluster;
  readonly #expressions: Expressions;
  readonly #resolveService: ResolveService;

  constructor(cluster: Cluster, expressions: Expressions, resolveService: ResolveService) {
    this.#cluster = cluster;
    this.#expressions = expressions;
    this.#resolveService = resolveService;
  }

  /**
   * The object after the mutating webhooks, called one after the other. Those with `reinvocationPolicy: IfNeeded` are
   * called once more if a later one changed the object.
   */
  async mutated(attempt: WriteAttempt, asked: AskedWrite): Promise<UnknownObject | undefined> {
    const hooks = webhooksOf(this.#cluster, 'mutating');
    const again = new Set<Webhook>();
    const earlier = new Set<Webhook>();
    let { object } = attempt;
    for (const round of [hooks, again]) {
      for (const hook of round === hooks ? hooks : hooks.filter((each) => again.has(each))) {
        const shown = await this.#called(hook, { ...attempt, object }, asked);
        if (!shown) continue;
        const next = await this.#changed(hook, { ...attempt, object }, shown, asked);
        if (next && !equalJson(next, object)) {
          for (const each of earlier) again.add(each);
          object = next;
        }
        if (hook.reinvocationPolicy === 'IfNeeded') earlier.add(hook);
      }
    }
    return object;
  }

  /** Asks all validating webhooks at once. Throws the first refusal. */
  async validate(attempt: WriteAttempt, asked: AskedWrite): Promise<void> {
    const called: (readonly [Webhook, Shown])[] = [];
    for (const hook of webhooksOf(this.#cluster, 'validating')) {
      const shown = await this.#called(hook, attempt, asked);
      if (shown) called.push([hook, shown]);
    }
    const refusals: unknown[] = [];
    const ask = async ([hook, shown]: readonly [Webhook, Shown]) => {
      await this.#answered(hook, attempt, shown, asked, false).catch((error: unknown) => refusals.push(error));
    };
    await Promise.all(called.map(ask));
    if (refusals.length > 0) throw refusals[0];
  }

  async #changed(
    hook: Webhook,
    attempt: WriteAttempt,
    shown: Shown,
    asked: AskedWrite,
  ): Promise<UnknownObject | undefined> {
    const answer = await this.#answered(hook, attempt, shown, asked, true);
    if (!answer?.patch) return undefined;
    const operations = operationsOf(hook, answer.patch);
    if (operations === undefined || operations.length === 0) return undefined;
    if (!attempt.object)
      internalError(
        `admission webhook ${JSON.stringify(hook.name)} attempted to modify the object, which is not supported for this operation`,
      );
    if (answer.patchType !== 'JSONPatch')
      internalError(
        `failed calling webhook ${JSON.stringify(hook.name)}: unsupported patch type ${JSON.stringify(answer.patchType)}`,
      );
    const changed = patchedBy(await inVersion(attempt.object, shown, attempt, asked), operations);
    checkReadable(shown, changed);
    return inVersion(changed, { ...attempt.type, type: attempt.type }, { ...attempt, type: shown.type }, asked);
  }

  /** The answer of a webhook that allows the write; undefined for one that failed and may be ignored. */
  async #answered(
    hook: Webhook,
    attempt: WriteAttempt,
    shown: Shown,
    asked: AskedWrite,
    isMutating: boolean,
  ): Promise<AdmissionAnswer | undefined> {
    const { name, sideEffects, failurePolicy } = hook;
    if (asked.dryRun && sideEffects !== 'None' && sideEffects !== 'NoneOnDryRun')
      badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`);
    const answer = await this.#call(hook, attempt, shown, asked, isMutating).catch((error: unknown) => {
      if (!(error instanceof CallFailure)) throw error;
      if (failurePolicy === 'Ignore') return undefined;
      return internalError(`failed calling webhook ${JSON.stringify(name)}: ${error.message}`);
    });
    for (const text of answer?.warnings ?? []) asked.warn(text);
    if (answer && !answer.allowed) refuse(refusalOf(name, answer.status));
    return answer;
  }

  async #call(
    { clientConfig, admissionReviewVersions = [], timeoutSeconds = 10 }: Webhook,
    attempt: WriteAttempt,
    shown: Shown,
    asked: AskedWrite,
    isMutating: boolean,
  ): Promise<AdmissionAnswer> {
    if (!admissionReviewVersions.includes('v1'))
      throw new CallFailure(
        'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
      );
    const uid = newUid(this.#cluster.random);
    const request = await admissionRequest(uid, attempt, shown, asked);
    const review = { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', request };
    const { clock } = this.#cluster;
    const options = { clock, resolveService: this.#resolveService, timeoutSeconds, signal: asked.signal };
    const answer = await callWebhook(clientConfig, review, options).catch((error: unknown) => {
      throw error instanceof CallFailure ? new CallFailure(`failed to call webhook: ${error.message}`) : error;
    });
    if ((answer as { apiVersion?: unknown }).apiVersion === 'admission.k8s.io/v1beta1')
      throw new CallFailure(`failed to call webhook: ${NO_V1BETA1}`);
    try {
      return readAnswer(uid, isMutating, answer);
    } catch (error) {
      throw new CallFailure(`received invalid webhook response: ${messageOf(error)}`);
    }
  }

  /** How a webhook is shown a write; undefined if it is not called for it. */
  async #called(hook: Webhook, attempt: WriteAttempt, asked: AskedWrite): Promise<Shown | undefined> {
    const shown = matchOf(this.#cluster, attempt, hook);
    const { matchConditions = [] } = hook;
    if (!shown || matchConditions.length === 0) return shown;
    await this.#expressions.load();
    const request = await admissionRequest('', attempt, shown, asked);
    const met = conditionsMet(this.#expressions, hook, { ...admissionVariables(request) });
    if (met instanceof Error) {
      const { gvr } = attempt.type;
      return hook.failurePolicy === 'Ignore' ? undefined : forbidden(gvr, attempt.name, met.message);
    }
    return met ? shown : undefined;
  }
}

const NO_V1BETA1 = 'converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion';

function operationsOf({ name, failurePolicy }: Webhook, patch: string): Operation[] | undefined {
  try {
    const operations = parseJson(patch);
    if (Array.isArray(operations)) return operations as Operation[];
  } catch {} // answered below, as a text that is no list
  if (failurePolicy === 'Ignore') return undefined;
  const why = 'json: cannot unmarshal object into Go value of type jsonpatch.Patch';
  return internalError(
    `failed calling webhook ${JSON.stringify(name)}: received undecodable patch in webhook response: ${why}`,
  );
}

/** Source: apiserver admission/plugin/webhook/errors ToStatusErr. */
function refusalOf(name: string, given: Record<string, unknown> = {}): Status {
  const deniedBy = `admission webhook ${JSON.stringify(name)} denied the request`;
  const { message, reason, code, status: _status, metadata: _metadata, ...rest } = given as Status;
  const why = message ? `: ${message}` : reason ? `: ${reason}` : ' without explanation';
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `${deniedBy}${why}`,
    ...(reason ? { reason } : {}),
    ...(rest.details ? { details: rest.details } : {}),
    code: typeof code === 'number' && code >= 400 ? code : 400,
  };
}
