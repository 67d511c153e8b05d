import { AsyncLocalStorage } from 'node:async_hooks';
import module from 'node:module';
import { basename, extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Lister } from '../../informer/store/lister.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import type { Logger } from '../../kit/logger.ts';
import { formatGvr } from '../../model/gvr.ts';
import { splitKey } from '../../model/key.ts';
import type { DeepReadonly, UnknownObject } from '../../model/object.ts';
import { StopError } from '../reconciler.ts';
import type { CachedObject } from '../resource-event.ts';
import type { HookClient } from './guarded-client.ts';
import type { Hook, HookRequest, HookRun } from './hook.ts';

/** What a module's function may use beside its data. The program fills it; a part it does not offer throws when used. */
export interface HookServices {
  /** A client for the cluster, bound to what the program may write. */
  readonly client: HookClient;
  /** The cache of a resource type, `apps/v1/deployments`. */
  lister(gvr: string): Lister<UnknownObject>;
  /** The objects of the reconciled type under an index value. */
  index(name: string, value: string): readonly CachedObject[];
}

/** What a module's function is called with. `T` is what the hook says its objects are; nothing checks it. */
export interface HookContext<T extends object = UnknownObject> extends Omit<HookRequest, 'object' | 'oldObject'>, HookServices {
  /** The present state; null when the object is gone. */
  readonly object: DeepReadonly<T> | null;
  /** See {@link HookRequest}. */
  readonly oldObject?: DeepReadonly<T>;
  readonly namespace: string;
  readonly name: string;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** What a module's function may return: the same reply an executable prints. */
export interface HookReply {
  /** A duration such as `30s`. */
  readonly requeueAfter?: string;
  readonly requeueAfterMs?: number;
  readonly actions?: readonly object[];
  readonly error?: string;
}

// biome-ignore lint/suspicious/noConfusingVoidType: a hook that has nothing to say may simply end
export type HookFunction = (context: HookContext) => HookReply | void | Promise<HookReply | void>;

/** A hook's file, loaded and checked; `config` is still as the file has it. */
export interface HookModule {
  readonly name: string;
  readonly reconcile: HookFunction;
  readonly config: unknown;
}

export interface LoadHookOptions {
  /**
   * Where imports of this package lead, by specifier: `{'kubectl-informer': 'file:///…/index.js'}`. Given so that a hook gets the running
   * copy wherever it lies, and its classes are the same ones.
   */
  packageEntries?: Readonly<Record<string, string>> | undefined;
  /** Default: the engine's own `import()`. */
  importModule?: ((url: string) => Promise<Record<string, unknown>>) | undefined;
}

const MODULE_EXTENSIONS = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts'];

/** Whether a hook's file is one that is imported; any other is run. */
export function isModulePath(path: string): boolean {
  return MODULE_EXTENSIONS.includes(extname(path));
}

/**
 * Imports a hook: `export default async function reconcile(ctx) → Result | void`, optionally `export const config`.
 * Node runs TypeScript itself by taking the types out, so only what can be taken out is allowed.
 * Rejects with a StopError that says what is wrong where: file, line and construct for TypeScript, the name for a missing import.
 */
export async function loadHookModule(path: string, options: LoadHookOptions = {}): Promise<HookModule> {
  const { packageEntries = {}, importModule = (url: string) => import(url) } = options;
  linkPackage(packageEntries);
  const exports = await importModule(pathToFileURL(path).href).catch((error) => cannotLoad(path, error));
  const reconcile = exports.default;
  if (typeof reconcile !== 'function') {
    throw new StopError(`hook ${path} has no default export that is a function`, {
      hint: 'write: export default async function reconcile(ctx) { … }',
    });
  }
  return { name: basename(path), reconcile: reconcile as HookFunction, config: exports.config };
}

/** A module's function as a {@link Hook}. */
export function createModuleHook({ name, reconcile }: HookModule, services: HookServices): Hook {
  return {
    name,
    run: async (request, run) => runs.run({ name, key: request.key }, () => reconcile(contextOf(request, run, services))),
  };
}

/** Which run of which module something belongs to, also where it comes after the run: a rejection that is not awaited, a timer that throws. */
export interface ModuleRun {
  readonly name: string;
  readonly key: string;
}

const runs = new AsyncLocalStorage<ModuleRun>();

/** The run that the present code was started by; undefined outside of all runs. */
export function currentModuleRun(): ModuleRun | undefined {
  return runs.getStore();
}

function contextOf(request: HookRequest, { signal, logger }: HookRun, services: HookServices): HookContext {
  return {
    ...request,
    ...splitKey(request.key),
    log: logger,
    signal,
    client: services.client,
    lister: (gvr) => services.lister(gvr),
    index: (name, value) => services.index(name, value),
  };
}

/**
 * Makes imports of the given specifiers lead to the given URLs from now on, as a hook may also import later. There is one set of such links
 * for the process, as there is one module loader.
 */
function linkPackage(entries: Readonly<Record<string, string>>): void {
  const isFirst = links.size === 0;
  for (const [specifier, url] of Object.entries(entries)) links.set(specifier, url);
  if (!isFirst || links.size === 0) return;
  module.registerHooks({
    resolve(specifier, context, next) {
      const url = links.get(specifier);
      return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
    },
  });
}

const links = new Map<string, string>();

function cannotLoad(path: string, error: unknown): never {
  const { code } = error as NodeJS.ErrnoException;
  const message = messageOf(error);
  switch (code) {
    case 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX':
      throw new StopError(`hook ${placeOf(error, path)}: ${message}`, {
        cause: error,
        hint: `only types that can be taken out are allowed: ${instead(message)}`,
      });
    case 'ERR_INVALID_TYPESCRIPT_SYNTAX':
      throw new StopError(`hook ${placeOf(error, path)}: ${message}`, { cause: error });
    case 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING':
      throw new StopError(`hook ${path}: ${message}`, { cause: error, hint: 'a hook inside a package has to be shipped as .js' });
    case 'ERR_MODULE_NOT_FOUND':
      throw new StopError(`hook ${path}: ${message}`, {
        cause: error,
        hint: 'check the path, and install what the hook imports beside it',
      });
    default:
      throw new StopError(`hook ${error instanceof SyntaxError ? placeOf(error, path) : path}: ${message}`, { cause: error });
  }
}

/** `file:line` of a syntax error: the engine writes it on top of the stack and nowhere else. */
function placeOf(error: unknown, path: string): string {
  const [top = ''] = ((error as Error).stack ?? '').split('\n');
  const line = /^(?:file:\/\/)?(.+):(\d+)$/.exec(top);
  return line ? `${decodeURI(line[1] as string)}:${line[2]}` : path;
}

const INSTEAD: readonly (readonly [RegExp, string])[] = [
  [/enum/i, 'write the enum as an object with `as const`'],
  [/parameter property/i, 'declare the field and assign it in the constructor'],
  [/namespace|module/i, 'write the namespace as a module of its own'],
  [/import equals|export assignment/i, 'write `import … from`, or `export default`'],
];

function instead(message: string): string {
  return INSTEAD.find(([pattern]) => pattern.test(message))?.[1] ?? 'write it as plain JavaScript';
}

/** Services of a program that offers none. */
export const noServices: HookServices = {
  client: {
    resource(gvr) {
      throw new InformerError('hook', `ctx.client (${formatGvr(gvr)}) is not available here`);
    },
  },
  lister(gvr) {
    throw new InformerError('hook', `ctx.lister(${JSON.stringify(gvr)}) is not available here`);
  },
  index(name) {
    throw new InformerError('hook', `ctx.index(${JSON.stringify(name)}) is not available here`);
  },
};
