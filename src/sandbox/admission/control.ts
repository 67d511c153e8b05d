import type { UnknownObject } from '../../model/object.ts';
import { StatusError } from '../../model/status.ts';
import type { ResourceCall } from '../api/call.ts';
import type { ApiResponse } from '../api/exchange.ts';
import { respondStatus } from '../api/respond.ts';
import type { Cluster } from '../cluster.ts';
import type { ApiType } from '../types/api-type.ts';
import { Unconverted } from '../versions/version-view.ts';
import type { Versions } from '../versions/versions.ts';
import type { ResolveService } from '../webhook-call.ts';
import { Deleter } from '../write/deleter.ts';
import { warningHeader } from '../write/request-options.ts';
import { WriteRequests } from '../write/requests.ts';
import { Writer } from '../write/writer.ts';
import { Dispatcher } from './dispatch.ts';
import { Expressions } from './expressions.ts';
import { isExempt, webhooksOf } from './hooks.ts';
import { optionsOf } from './operation-options.ts';
import { checkPolicies, hasPolicies } from './policies.ts';
import type { AskedWrite } from './review.ts';
import { type AdmissionDecision, Answers, rerun, Suspension } from './suspension.ts';

/** Carries out a request. It sees the objects of `cluster`, and writes by `writes`. */
export type AdmittedRun = (writes: WriteRequests, cluster: Cluster) => ApiResponse | Promise<ApiResponse>;

/**
 * Admission by webhooks and by ValidatingAdmissionPolicies: it decides about the writes of clients. The writes of the sandbox itself (its controllers,
 * scenarios, `apply` and `put`) are not decided about.
 */
export class AdmissionControl {
  readonly #cluster: Cluster;
  readonly #dispatcher: Dispatcher;
  readonly #expressions = new Expressions();

  readonly #versions: Versions;

  constructor(cluster: Cluster, versions: Versions, resolveService: ResolveService) {
    this.#cluster = cluster;
    this.#versions = versions;
    this.#dispatcher = new Dispatcher(cluster, this.#expressions, resolveService);
  }

  /** Whether anything may decide about a write, or a webhook converts its object. If not, the write needs no {@link admit}. */
  decidesOn({ type }: ResourceCall): boolean {
    if (type.custom?.conversion) return true;
    if (isExempt(type)) return false;
    const sorts = ['mutating', 'validating'] as const;
    return sorts.some((sort) => webhooksOf(this.#cluster, sort).length > 0) || hasPolicies(this.#cluster);
  }

  /**
   * Carries out a write as admission lets it, or another request about an object that a webhook converts. `carryOut` is
   * run once for each question, and a last time to write.
   */
  async admit(call: ResourceCall, carryOut: AdmittedRun): Promise<ApiResponse> {
    const answers = new Answers();
    const { cluster: own, rewind } = rerun(this.#cluster);
    const cluster = call.type.custom?.conversion ? this.#versions.viewed(own, call) : own;
    const backend = { cluster, writer: new Writer(cluster, [], answers), deleter: new Deleter(cluster, answers) };
    const writes = new WriteRequests({ ...backend, gate: answers });
    const warnings = new Set<string>();
    const dryRun = call.query.getAll('dryRun').length > 0;
    for (;;) {
      rewind();
      try {
        return withWarnings(await carryOut(writes, cluster), warnings);
      } catch (error) {
        if (error instanceof StatusError) return withWarnings(respondStatus(error.status), warnings);
        if (error instanceof Unconverted) {
          await error.answer(call.signal);
          continue;
        }
        if (!(error instanceof Suspension)) throw error;
        const options = optionsOf(call, error.attempt);
        const asked = {
          user: call.user,
          dryRun,
          options,
          signal: call.signal,
          warn: (text: string) => warnings.add(text),
          convert: (object: UnknownObject, type: ApiType) => this.#versions.convert(object, type, call.signal),
        };
        answers.add(error, await this.#decide(error, asked));
      }
    }
  }

  async #decide({ phase, attempt }: Suspension, asked: AskedWrite): Promise<AdmissionDecision> {
    try {
      if (phase === 'mutating') return { kind: 'admitted', object: await this.#dispatcher.mutated(attempt, asked) };
      if (hasPolicies(this.#cluster)) await checkPolicies(this.#cluster, this.#expressions, attempt, asked);
      await this.#dispatcher.validate(attempt, asked);
      return { kind: 'admitted', object: undefined };
    } catch (error) {
      return { kind: 'refused', error };
    }
  }
}

function withWarnings(response: ApiResponse, warnings: ReadonlySet<string>): ApiResponse {
  if (warnings.size === 0) return response;
  const { warning: own } = response.headers;
  const { warning = '' } = warningHeader([...warnings]);
  return { ...response, headers: { ...response.headers, warning: own ? `${own}, ${warning}` : warning } };
}
