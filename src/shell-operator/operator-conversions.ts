import { isInformerError } from '../kit/error.ts';
import { isJsonMap } from '../kit/exact-json.ts';
import { sameValue } from '../kit/same-value.ts';
import type { UnknownObject } from '../model/object.ts';
import { isNotFound } from '../model/status.ts';
import { type ConversionRule, conversionChain } from './conversion-chains.ts';
import { hookAnswer } from './hook-answer.ts';
import type { ConversionBinding } from './hook-config.ts';
import type { OperatorHook } from './load-hooks.ts';
import type { OperatorWebhooksOptions } from './operator-webhooks.ts';
import { PlacedServer, serverPlaceOf } from './webhook-place.ts';

/** A conversion that a hook does. */
interface Step extends ConversionRule {
  readonly hook: OperatorHook;
  readonly binding: ConversionBinding;
}

/** The defaults of its server. */
export const CONVERSION_PLACE = {
  prefix: 'CONVERSION_WEBHOOK_',
  service: 'shell-operator-conversion-svc',
  folder: '/conversion-certs',
  port: 9681,
};

/**
 * Serves the conversions of hooks, and keeps them in the definitions of the types. Undefined where no hook converts.
 * Disposal ends the server; definitions that lead to this machine get back what they had.
 * Source: shell-operator pkg/webhook/conversion.
 */
export async function serveConversions(options: OperatorWebhooksOptions): Promise<AsyncDisposable | undefined> {
  const { hooks, clock, env, mayWrite, notice } = options;
  const stepsOf = stepsByDefinition(hooks);
  if (stepsOf.size === 0) return undefined;
  const definitions = [...stepsOf.keys()];
  const place = await serverPlaceOf(env, CONVERSION_PLACE, clock);
  const serving = await PlacedServer.start(place, options, { definitions }, (server) => {
    for (const [definition, steps] of stepsOf)
      server.convertAll(`/${definition}`, async (objects, desiredAPIVersion, { signal, uid }) =>
        inSteps(steps, objects, { definition, desiredAPIVersion, uid }, (step, context) =>
          answerOf(step, context, signal, options),
        ),
      );
  });
  const stanzas = new Stanzas(definitions, serving, options);
  if (mayWrite) await stanzas.keep();
  else
    notice(
      'no API server knows the conversions of these hooks: --allow-write lets this program write them to their definitions',
    );
  return {
    async [Symbol.asyncDispose]() {
      await stanzas.end();
      // reads of other versions would fail with a program that has ended
      if (!place.service) await stanzas.restore();
      await serving[Symbol.asyncDispose]();
    },
  };
}

/** The conversions of each definition. Of several between the same versions the last hook has it. */
function stepsByDefinition(hooks: readonly OperatorHook[]): Map<string, Step[]> {
  const steps = hooks.flatMap((hook) =>
    hook.config.conversions.flatMap((binding) => binding.rules.map((rule) => ({ ...rule, hook, binding }))),
  );
  const last = new Map(
    steps.map((step) => [[step.binding.crd, step.fromVersion, step.toVersion].join(' '), step] as const),
  );
  return Map.groupBy(last.values(), ({ binding }) => binding.crd);
}

interface Wanted {
  readonly definition: string;
  readonly desiredAPIVersion: string;
  readonly uid: string;
}

/** Calls the hooks that lead to the wanted version, each with the objects that the one before gave. */
async function inSteps(
  steps: readonly Step[],
  objects: readonly UnknownObject[],
  { definition, desiredAPIVersion, uid }: Wanted,
  run: (step: Step, review: object) => Promise<readonly UnknownObject[]>,
): Promise<readonly UnknownObject[]> {
  let current = objects;
  let isTried = false;
  const versions = new Set(objects.map(({ apiVersion }) => String(apiVersion)));
  for (const version of versions)
    for (const step of conversionChain(steps, version, desiredAPIVersion) ?? []) {
      isTried = true;
      current = await run(step, { request: { uid, desiredAPIVersion, objects: current } });
      if (current.length !== objects.length)
        throw new Error(
          `the hook ${step.hook.name} gave ${current.length} objects for ${objects.length} to CONVERSION_RESPONSE_PATH`,
        );
      if (current.every(({ apiVersion }) => apiVersion === desiredAPIVersion)) return current;
    }
  const from = [...versions].join(', ');
  throw new Error(
    isTried
      ? `the hooks did not convert ${definition} from ${from} to ${desiredAPIVersion}`
      : `no hook converts ${definition} from ${from} to ${desiredAPIVersion}`,
  );
}

async function answerOf(
  { hook, binding: { name, group, snapshots }, fromVersion, toVersion }: Step,
  review: object,
  signal: AbortSignal,
  { review: run, logger }: OperatorWebhooksOptions,
): Promise<readonly UnknownObject[]> {
  const context = {
    sort: 'Conversion',
    binding: name,
    group,
    snapshots,
    versions: { fromVersion, toVersion },
  } as const;
  let written: string;
  try {
    written = (await run(hook, { ...context, review }, signal)).conversion;
  } catch (error) {
    signal.throwIfAborted();
    if (isInformerError(error, 'sync')) throw error;
    logger.warn('a hook of a conversion failed; the request is refused', { key: `${hook.name}/${name}`, error });
    throw new Error(`the hook ${hook.name} failed to convert to ${toVersion}`);
  }
  return objectsIn(written, hook.name);
}

function objectsIn(written: string, hook: string): readonly UnknownObject[] {
  const { given, refuse } = hookAnswer(written, hook, 'CONVERSION_RESPONSE_PATH');
  const { failedMessage, convertedObjects = [] } = (isJsonMap(given) ? given : {}) as Record<string, unknown>;
  if (typeof failedMessage === 'string' && failedMessage !== '') throw new Error(failedMessage);
  if (!isJsonMap(given) || !Array.isArray(convertedObjects) || !convertedObjects.every(isJsonMap))
    return refuse('wrote no list "convertedObjects"');
  return convertedObjects as unknown as UnknownObject[];
}

const DEFINITIONS = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };

/** How often the definitions are looked at, ms. */
const LOOK_MS = 10_000;

/** The `spec.conversion` of the definitions, which leads to this program. */
class Stanzas {
  readonly #definitions: readonly string[];
  readonly #serving: PlacedServer;
  readonly #options: OperatorWebhooksOptions;
  /** The stanza that each definition had before. */
  readonly #before = new Map<string, unknown>();
  readonly #missing = new Set<string>();
  readonly #ending = new AbortController();
  #keeping: Promise<void> | undefined;

  constructor(definitions: readonly string[], serving: PlacedServer, options: OperatorWebhooksOptions) {
    this.#definitions = definitions;
    this.#serving = serving;
    this.#options = options;
  }

  /** Resolves when each definition that exists leads here. From then on they are looked at again and again. */
  async keep(): Promise<void> {
    await this.#look();
    this.#keeping = this.#again();
  }

  async end(): Promise<void> {
    this.#ending.abort();
    await this.#keeping;
  }

  async restore(): Promise<void> {
    for (const [name, before] of this.#before) await this.#set(name, () => before).catch(() => {});
  }

  async #again(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      await this.#options.clock.sleep(LOOK_MS, { signal }).catch(() => {});
      if (!signal.aborted) await this.#look();
    }
  }

  async #look(): Promise<void> {
    const { logger, notice } = this.#options;
    for (const name of this.#definitions)
      try {
        await this.#set(name, (before) => {
          const clientConfig = this.#serving.clientConfig(`/${name}`);
          const isOwn = leadsToMachine(before);
          if (!this.#before.has(name)) this.#before.set(name, isOwn || before === undefined ? NONE : before);
          return { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1', 'v1beta1'] } };
        });
        this.#missing.delete(name);
      } catch (error) {
        if (!isNotFound(error)) logger.warn('the conversions of a definition were not written', { name, error });
        else if (!this.#missing.has(name)) {
          this.#missing.add(name);
          notice(`${name} does not exist; its conversions begin when it does`);
        }
      }
  }

  async #set(name: string, wanted: (before: unknown) => unknown): Promise<void> {
    const definitions = this.#options.client.resource<UnknownObject>(DEFINITIONS);
    const { metadata, spec } = await definitions.get(name);
    const { conversion } = spec as { conversion?: unknown };
    const value = wanted(conversion);
    if (sameValue(conversion, value)) return;
    const isSame = { op: 'test' as const, path: '/metadata/resourceVersion', value: metadata.resourceVersion };
    await definitions.patch(name, [isSame, { op: 'add', path: '/spec/conversion', value }], { type: 'json' });
  }
}

const NONE = { strategy: 'None' };

/** Whether it is what an earlier run left behind. */
function leadsToMachine(conversion: unknown): boolean {
  const { webhook } = (isJsonMap(conversion) ? conversion : {}) as { webhook?: { clientConfig?: { url?: unknown } } };
  return String(webhook?.clientConfig?.url ?? '').startsWith('https://127.0.0.1:');
}
