import type { Client } from '../client/client.ts';
import type { Clock } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import { isJsonMap, parseJson } from '../kit/exact-json.ts';
import type { Logger } from '../kit/logger.ts';
import type { UnknownObject } from '../model/object.ts';
import { isAlreadyExists } from '../model/status.ts';
import { type AdmissionRequest, type Denial, deny, type ReviewContext } from '../webhooks/review.ts';
import type { WebhookServer } from '../webhooks/webhook-server.ts';
import type { BindingContext } from './binding-context.ts';
import { hookAnswer } from './hook-answer.ts';
import type { AdmissionBinding } from './hook-config.ts';
import { afterSteps } from './json-patch-steps.ts';
import type { OperatorHook } from './load-hooks.ts';
import type { HookAnswers } from './operator.ts';
import { PlacedServer, serverPlaceOf } from './webhook-place.ts';

export interface OperatorWebhooksOptions {
  readonly hooks: readonly OperatorHook[];
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the configurations of the webhooks may be written. */
  readonly mayWrite: boolean;
  readonly notice: (text: string) => void;
  /** Runs a hook for a review, and resolves with its responses. */
  readonly review: (hook: OperatorHook, context: BindingContext, signal: AbortSignal) => Promise<HookAnswers>;
}

const SORTS = ['validating', 'mutating'] as const;
type Sort = (typeof SORTS)[number];

/**
 * Serves the admission webhooks of hooks, and writes the configurations by which API servers call them. Undefined where
 * no hook has one. Disposal ends the server, and removes configurations that lead to this machine.
 * Source: shell-operator pkg/webhook/admission.
 */
export async function serveWebhooks(options: OperatorWebhooksOptions): Promise<AsyncDisposable | undefined> {
  const { hooks, client, clock, env, mayWrite, notice } = options;
  if (!hooks.some(({ config }) => SORTS.some((sort) => config[sort].length > 0))) return undefined;
  const place = await serverPlaceOf(env, ADMISSION_PLACE, clock);
  const configuration = `${env.VALIDATING_WEBHOOK_CONFIGURATION_NAME ?? 'shell-operator-hooks'}-hooks`;
  const used = SORTS.filter((sort) => bindingsOf(hooks, sort).length > 0);
  const serving = await PlacedServer.start(
    place,
    options,
    Object.fromEntries(used.map((sort) => [sort, [configuration]])),
    (server) => {
      for (const sort of used)
        for (const { hook, binding } of bindingsOf(hooks, sort)) addWebhook(server, sort, hook, binding, options);
    },
  );
  const written: Sort[] = [];
  try {
    if (mayWrite)
      for (const sort of used) {
        await writeConfiguration(sort, configuration, serving, options);
        written.push(sort);
      }
  } catch (error) {
    await serving[Symbol.asyncDispose]();
    throw error;
  }
  if (!mayWrite)
    notice(
      'no API server knows the webhooks of these hooks: --allow-write lets this program write their configurations',
    );
  return {
    async [Symbol.asyncDispose]() {
      // an API server that calls a program that has ended would refuse every write
      if (!place.service)
        for (const sort of written)
          await client
            .resource(RESOURCES[sort])
            .delete(configuration)
            .catch(() => {});
      await serving[Symbol.asyncDispose]();
    },
  };
}

/** The defaults of its server. */
export const ADMISSION_PLACE = {
  prefix: 'VALIDATING_WEBHOOK_',
  service: 'shell-operator-validating-svc',
  folder: '/validating-certs',
  port: 9680,
};

const bindingsOf = (hooks: readonly OperatorHook[], sort: Sort) =>
  hooks.flatMap((hook) => hook.config[sort].map((binding) => ({ hook, binding })));

/** The place of a webhook in its URL, as shell-operator makes it of the name. */
const pathOf = ({ name }: AdmissionBinding) =>
  `/hooks/${name
    .replaceAll(/([A-Z])/g, '-$1')
    .toLowerCase()
    .replaceAll(/[^a-z0-9-/]/g, '-')
    .replaceAll(/-+/g, '-')}`;

const ADMISSION = { group: 'admissionregistration.k8s.io', version: 'v1' };
const RESOURCES = {
  validating: { ...ADMISSION, resource: 'validatingwebhookconfigurations' },
  mutating: { ...ADMISSION, resource: 'mutatingwebhookconfigurations' },
};
const KINDS = { validating: 'ValidatingWebhookConfiguration', mutating: 'MutatingWebhookConfiguration' };

/** Creates or replaces the webhooks of a sort. */
async function writeConfiguration(
  sort: Sort,
  configuration: string,
  serving: PlacedServer,
  { client, hooks }: OperatorWebhooksOptions,
): Promise<void> {
  const webhooks = bindingsOf(hooks, sort).map(({ binding }) => ({
    ...binding.webhook,
    matchPolicy: 'Equivalent',
    admissionReviewVersions: ['v1'],
    clientConfig: serving.clientConfig(pathOf(binding)),
  }));
  const resource = client.resource<UnknownObject>(RESOURCES[sort]);
  const object = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: KINDS[sort],
    metadata: { name: configuration },
    webhooks,
  };
  try {
    await resource.create(object as never);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    await resource.patch(configuration, { webhooks } as never, { type: 'merge' });
  }
}

/** The response of a hook. */
interface Response {
  readonly allowed: boolean;
  readonly message: string;
  readonly warnings: readonly string[];
  readonly patch: unknown;
}

function addWebhook(
  server: WebhookServer,
  sort: Sort,
  hook: OperatorHook,
  binding: AdmissionBinding,
  { review, logger }: OperatorWebhooksOptions,
): void {
  const path = pathOf(binding);
  const { name, group, snapshots } = binding;
  const decide = async (request: AdmissionRequest, { signal, warn }: ReviewContext): Promise<Response | Denial> => {
    const context = { sort: sort === 'mutating' ? 'Mutating' : 'Validating', binding: name, group, snapshots } as const;
    let written: string;
    try {
      written = (await review(hook, { ...context, review: { request } }, signal)).validating;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof InformerError && error.code === 'sync') throw error;
      logger.warn('a hook of a webhook failed; the request is refused', { key: `${hook.name}/${name}`, error });
      return deny('Hook failed');
    }
    const response = responseIn(written, hook.name);
    for (const text of response.warnings) warn(text);
    return response.allowed ? response : deny(response.message);
  };
  const of = { group: '', version: 'v1', resource: 'any' }; // the path says which webhook it is
  if (sort === 'validating') {
    server.validate(
      of,
      async (request, context) => {
        const decision = await decide(request, context);
        return 'allowed' in decision ? undefined : decision;
      },
      { path },
    );
    return;
  }
  server.mutate(
    of,
    async (request, context) => {
      const decision = await decide(request, context);
      if (!('allowed' in decision)) return decision;
      return (decision.patch === undefined ? undefined : afterSteps(request.object, decision.patch)) as
        | UnknownObject
        | undefined;
    },
    { path },
  );
}

function responseIn(written: string, hook: string): Response {
  const { given, refuse } = hookAnswer(written, hook, 'VALIDATING_RESPONSE_PATH');
  if (!isJsonMap(given) || typeof given.allowed !== 'boolean') return refuse('wrote no "allowed"');
  const { allowed, message = '', warnings = [], patch } = given;
  const steps =
    typeof patch === 'string' && patch !== '' ? parseJson(Buffer.from(patch, 'base64').toString('utf8')) : undefined;
  return { allowed, message: String(message), warnings: (warnings as unknown[]).map(String), patch: steps };
}
