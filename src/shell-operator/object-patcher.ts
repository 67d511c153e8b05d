import type { Client } from '../client/client.ts';
import { retryOnConflict } from '../controller/writes/retry.ts';
import type { ActionOutcome, RedactStates } from '../hooks/action-runner.ts';
import { type ActionMode, type ActionWriteOptions, FIELD_MANAGER } from '../hooks/actions/action-client.ts';
import type { ActionTarget } from '../hooks/actions/action-target.ts';
import { checkSecretBody } from '../hooks/actions/secret-body.ts';
import { ignoreNotFound } from '../hooks/actions/send-action.ts';
import type { WriteBudget } from '../hooks/actions/write-budget.ts';
import type { Clock } from '../kit/clock.ts';
import { InformerError, messageOf } from '../kit/error.ts';
import { jsonText, parseJson } from '../kit/exact-json.ts';
import { sameValue } from '../kit/same-value.ts';
import type { UnknownObject } from '../model/object.ts';
import { isAlreadyExists, isNotFound } from '../model/status.ts';
import { findType } from './find-type.ts';
import type { ObjectFilter } from './object-filter.ts';
import type { ChangeOperation, CreateOperation, DeleteOperation, PatchOperation } from './patch-operations.ts';

export interface ObjectPatcherOptions {
  readonly client: Client;
  readonly mode: ActionMode;
  readonly budget: WriteBudget;
  readonly clock: Clock;
  readonly maySeeSecrets: boolean;
  /** Applied to what is reported. */
  readonly redact: RedactStates;
  readonly report: (outcomes: readonly ActionOutcome[]) => void;
  /** Compiles the expression of a JQPatch. */
  readonly jq: (expression: string) => Promise<ObjectFilter>;
}

/** One write: its target and body, and how it is sent. */
interface Write {
  readonly verb: ActionOutcome['verb'];
  readonly target: ActionTarget;
  readonly body: unknown;
  send(options: ActionWriteOptions): Promise<unknown>;
}

/** How long a deletion waits until the object is gone, and how often it looks, ms. */
const GONE_WITHIN_MS = 20_000;
const LOOK_MS = 1_000;

/**
 * Carries out the operations of hooks, in their order; one that fails does not keep the others from it. Without
 * permission to write they are only reported; with `dry-run` they are sent as dry runs, each against the stored objects.
 */
export class ObjectPatcher {
  readonly #options: ObjectPatcherOptions;

  constructor(options: ObjectPatcherOptions) {
    this.#options = options;
  }

  /** `subject` names the run in reports. Rejects with all failures in one error. */
  async apply(operations: readonly PatchOperation[], subject: string, signal: AbortSignal): Promise<void> {
    const failures: string[] = [];
    for (const operation of operations) {
      try {
        await this.#applyOne(operation, subject, signal);
      } catch (error) {
        signal.throwIfAborted();
        failures.push(`${operation.operation} ${placeOf(operation)}: ${messageOf(error)}`);
      }
    }
    if (failures.length > 0) throw new InformerError('hook', failures.join('; '));
  }

  async #applyOne(operation: PatchOperation, subject: string, signal: AbortSignal): Promise<void> {
    if ('object' in operation) return await this.#create(operation, subject, signal);
    if ('patch' in operation) return await this.#change(operation, subject, signal);
    return await this.#delete(operation, subject, signal);
  }

  async #create({ operation, object }: CreateOperation, subject: string, signal: AbortSignal): Promise<void> {
    const { apiVersion, kind } = object as unknown as UnknownObject & { apiVersion: string; kind: string };
    const { name = '', namespace = '' } = (object.metadata ?? {}) as { name?: string; namespace?: string };
    const target = await this.#targetOf({ apiVersion, kind, namespace, name });
    const resource = this.#resource(target);
    const create = {
      verb: 'create',
      target,
      body: object,
      send: (o: ActionWriteOptions) => resource.create(object, o),
    } as const;
    const refused = await this.#write(create, subject, signal, isAlreadyExists);
    if (refused === undefined || operation === 'CreateIfNotExists') return;
    if (operation === 'Create') throw refused;
    await retryOnConflict(
      async () => {
        const { metadata } = await resource.get(name, { signal });
        const body = { ...object, metadata: { ...Object(object.metadata), resourceVersion: metadata.resourceVersion } };
        await this.#write({ verb: 'update', target, body, send: (o) => resource.update(body, o) }, subject, signal);
      },
      { clock: this.#options.clock, signal },
    );
  }

  async #change(operation: ChangeOperation, subject: string, signal: AbortSignal): Promise<void> {
    const { patch, subresource, ignoreMissingObject } = operation;
    const target = await this.#targetOf(operation);
    const resource = this.#resource(target);
    const isMissing = (error: unknown) => ignoreMissingObject && isNotFound(error);
    if (operation.operation === 'JQPatch') return await this.#edit(operation, target, subject, signal);
    checkSecretBody(patch, target.type.gvr, this.#options);
    const type = operation.operation === 'MergePatch' ? 'merge' : 'json';
    const send = (o: ActionWriteOptions) =>
      resource.patch(target.name, patch as object, { ...o, type, subresource } as never);
    await this.#write({ verb: 'patch', target, body: patch, send }, subject, signal, isMissing);
  }

  /** Reads the object, changes it by jq, and replaces it if that is another one. */
  async #edit(operation: ChangeOperation, target: ActionTarget, subject: string, signal: AbortSignal): Promise<void> {
    const { patch, subresource, ignoreMissingObject } = operation;
    const resource = this.#resource(target);
    const filter = await this.#options.jq(patch as string);
    await retryOnConflict(
      async () => {
        const before = await resource.get(target.name, { signal }).catch((error) => {
          if (ignoreMissingObject && isNotFound(error)) return undefined;
          throw error;
        });
        if (!before) return;
        const [result = 'null'] = await filter.apply([jsonText(before) ?? 'null'], signal);
        if (typeof result !== 'string') throw result;
        const body = parseJson(result) as UnknownObject;
        if (sameValue(before, body)) return;
        if (Object(body).metadata?.name !== target.name) throw new Error('jqFilter gives no object of this name');
        const send = (o: ActionWriteOptions) => resource.update(body, { ...o, subresource } as never);
        await this.#write({ verb: 'update', target, body, send }, subject, signal);
      },
      { clock: this.#options.clock, signal },
    );
  }

  async #delete(operation: DeleteOperation, subject: string, signal: AbortSignal): Promise<void> {
    const target = await this.#targetOf(operation);
    const resource = this.#resource(target);
    const propagationPolicy = PROPAGATION[operation.operation];
    const body = { propagationPolicy };
    const send = ({ dryRun }: ActionWriteOptions) => resource.delete(target.name, { ...body, signal, dryRun });
    await this.#write({ verb: 'delete', target, body, send }, subject, signal, isNotFound);
    if (operation.operation !== 'Delete' || this.#options.mode !== 'write') return;
    await this.#gone(target, signal);
  }

  async #gone(target: ActionTarget, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const until = clock.monotonic() + GONE_WITHIN_MS;
    const isThere = () => this.#resource(target).get(target.name, { signal }).catch(ignoreNotFound);
    while ((await isThere()) !== undefined) {
      if (clock.monotonic() >= until) throw new Error(`it is not gone after ${GONE_WITHIN_MS / 1000} s`);
      await clock.sleep(LOOK_MS, { signal });
    }
  }

  /** Sends a write as the mode allows it. Resolves with an error that `isExpected`; any other is thrown. */
  async #write(
    { verb, target, body, send }: Write,
    subject: string,
    signal: AbortSignal,
    isExpected: (error: unknown) => boolean = () => false,
  ): Promise<unknown> {
    const { mode, budget, redact, report } = this.#options;
    const { gvr } = target.type;
    if (verb === 'create' || verb === 'update') checkSecretBody(body, gvr, this.#options);
    const shown = (state: UnknownObject | undefined) => state && redact(state, gvr);
    const outcome = (more: Partial<ActionOutcome> = {}) =>
      report([{ mode, verb, subject, target, body: Array.isArray(body) ? [] : redact(Object(body), gvr), ...more }]);
    if (mode === 'describe') return void outcome();
    const isDry = mode === 'dry-run';
    const before = isDry && target.name !== '' ? await this.#present(target, signal) : undefined;
    if (!isDry) await budget.take(signal, subject);
    try {
      const answer = await send({ signal, dryRun: isDry, fieldManager: FIELD_MANAGER });
      const after = verb === 'delete' ? undefined : (answer as UnknownObject);
      outcome({ before: shown(before), after: shown(after) });
      return undefined;
    } catch (error) {
      if (isExpected(error)) return error;
      if (isDry) outcome({ refusal: messageOf(error) });
      throw error;
    }
  }

  #present(target: ActionTarget, signal: AbortSignal): Promise<UnknownObject | undefined> {
    return this.#resource(target).get(target.name, { signal }).catch(ignoreNotFound);
  }

  #resource({ type, namespace }: ActionTarget) {
    return this.#options.client.resource<UnknownObject>(type.gvr, { namespace });
  }

  async #targetOf(named: { apiVersion: string; kind: string; namespace: string; name: string }): Promise<ActionTarget> {
    const type = await findType(this.#options.client, named.apiVersion, named.kind);
    if (type.namespaced && named.namespace === '') throw new Error(`it names no namespace for ${type.kind}`);
    return { type, namespace: type.namespaced ? named.namespace : undefined, name: named.name };
  }
}

const PROPAGATION = { Delete: 'Foreground', DeleteInBackground: 'Background', DeleteNonCascading: 'Orphan' } as const;

function placeOf(operation: PatchOperation): string {
  if (!('object' in operation)) return `${operation.kind} ${operation.namespace}/${operation.name}`;
  const { kind, metadata } = operation.object as { kind?: string; metadata?: { namespace?: string; name?: string } };
  return `${kind} ${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
}
