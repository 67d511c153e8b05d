import { AsyncLocalStorage } from 'node:async_hooks';
import { basename, extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { StopError } from '../../controller/reconciler.ts';
import type { CachedObject } from '../../controller/resource-event.ts';
import type { Lister } from '../../informer/store/lister.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import type { Logger } from '../../kit/logger.ts';
import { oneFile } from '../../kit/one-file.ts';
import { formatGvr, type GroupVersionResource } from '../../model/gvr.ts';
import { splitKey } from '../../model/key.ts';
import type { DeepReadonly, UnknownObject } from '../../model/object.ts';
import type { HookClient } from '../guarded-client.ts';
import { type Hook, type HookRequest, type HookRun, runNameOf } from '../hook.ts';
import { filesOf, linkPackage, newVersionUrl, trackFiles } from './module-loader.ts';
import { syntaxPlace } from './syntax-place.ts';

/**
 * The services for a module's function, which the program provides. A service that it does not provide throws when
 * used.
 */
export interface HookServices {
  /** A client for the cluster, which may write as much as the program may. */
  readonly client: HookClient;
  /** Returns the cache of a resource type: `apps/v1/deployments`. */
  lister(gvr: string): Lister<UnknownObject>;
  /** Returns the objects of the reconciled type with an index value. */
  index(name: string, value: string): readonly CachedObject[];
}

/** The argument of a module's function. `T` is the type of its objects, as the hook declares it. It is not checked. */
export interface HookContext<T extends object = UnknownObject>
  extends Omit<HookRequest, 'object' | 'oldObject'>,
    HookServices {
  /** The present state; null if the object does not exist. */
  readonly object: DeepReadonly<T> | null;
  /** See {@link HookRequest}. */
  readonly oldObject?: DeepReadonly<T>;
  readonly namespace: string;
  readonly name: string;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** The object of an action, if it is not the reconciled one. Missing parts are those of the reconciled object. */
export interface HookTarget {
  /** Such as `apps/v1/deployments`. */
  readonly gvr?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/**
 * One action of a {@link HookReply}: exactly one of the verbs, with what belongs to it.
 *
 * - `apply`, `create`: the object. `own` makes the reconciled object its controller.
 * - `patch`: the patch; `patchType` is `merge` unless it says otherwise.
 * - `status`: what is merged into the status.
 * - `delete`: true, or options of the deletion.
 * - `event`: a Kubernetes Event about the object.
 * - `log`: a line of the log, sent nowhere.
 */
export type HookAction =
  | { readonly apply: object; readonly own?: boolean; readonly on?: HookTarget }
  | { readonly create: object; readonly own?: boolean; readonly on?: HookTarget }
  | ({ readonly own?: never; readonly on?: HookTarget } & (
      | { readonly patch: object; readonly patchType?: 'merge' | 'strategic' }
      | { readonly patch: readonly object[]; readonly patchType: 'json' }
      | { readonly status: object }
      | { readonly delete: true | object }
      | { readonly event: { readonly type?: 'Normal' | 'Warning'; readonly reason: string; readonly message: string } }
    ))
  | { readonly log: string | HookLogLine; readonly own?: never; readonly on?: never };

/** A line of the log, with its fields. */
export interface HookLogLine {
  /** Default `info`. */
  readonly level?: 'error' | 'warn' | 'info' | 'debug';
  readonly message: string;
  readonly [field: string]: unknown;
}

/** The reply of a module's function, which is the same as that of an executable. */
export interface HookReply {
  /** A duration such as `30s`. */
  readonly requeueAfter?: string;
  readonly requeueAfterMs?: number;
  readonly actions?: readonly HookAction[];
  readonly error?: string;
  /** Whether no retry can repair the error: the key is parked until something changes. */
  readonly permanent?: boolean;
}

/** The default export of a module that is a hook. See docs/hooks.md. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook needs no reply
export type HookFunction = (context: HookContext) => HookReply | void | Promise<HookReply | void>;

/** The module of a hook, loaded and checked. Its `config` is not checked yet. */
export interface HookModule {
  readonly name: string;
  readonly reconcile: HookFunction;
  /** Called once before all keys. */
  readonly onStartup?: HookFunction | undefined;
  readonly config: unknown;
}

export interface LoadHookOptions {
  /**
   * The URLs for imports of this package, by specifier: `{'kubectl-informer': 'file:///…/index.js'}`. With them a hook
   * in any folder imports the running copy, so that it has the same classes.
   */
  packageEntries?: Readonly<Record<string, string>> | undefined;
  /** Whether the file may be loaded again after a change. Default false. */
  isReloadable?: boolean | undefined;
  /** Imports a module. Default: `import()`. */
  importModule?: ((url: string) => Promise<Record<string, unknown>>) | undefined;
}

const importFile = oneFile?.executable?.importFile ?? ((url: string) => import(url));

const MODULE_EXTENSIONS = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts'];

/** Whether the file of a hook is a module, by its extension. Any other file is an executable. */
export function isModulePath(path: string): boolean {
  return MODULE_EXTENSIONS.includes(extname(path));
}

/**
 * Imports a hook: `export default async function reconcile(ctx) → Result | void`, optionally `export const config` and
 * `export async function onStartup(ctx)`.
 * Node runs TypeScript itself and only removes types, so constructs that need more than that are refused. Rejects with
 * a StopError that names the problem and the place: file, line and construct for TypeScript, the name of a missing
 * import.
 */
export async function loadHookModule(path: string, options: LoadHookOptions = {}): Promise<HookModule> {
  const { packageEntries = {}, importModule = importFile, isReloadable = false } = options;
  linkPackage(packageEntries);
  if (!isReloadable) trackFiles(path);
  const url = isReloadable ? newVersionUrl(path) : pathToFileURL(path).href;
  const exports = await importModule(url).catch(async (error) => {
    const place = error instanceof SyntaxError ? await syntaxPlace(filesOf(path), error.message) : undefined;
    return cannotLoad(path, error, place);
  });
  const reconcile = exports.default;
  if (typeof reconcile !== 'function') {
    throw new StopError(`hook ${path} has no default export that is a function`, {
      hint: 'write: export default async function reconcile(ctx) { … }',
    });
  }
  const { onStartup, config } = exports;
  if (onStartup !== undefined && typeof onStartup !== 'function')
    throw new StopError(`hook ${path} exports onStartup, which is no function`, {
      hint: 'write: export async function onStartup(ctx) { … }',
    });
  return {
    name: basename(path),
    reconcile: reconcile as HookFunction,
    onStartup: onStartup as HookFunction | undefined,
    config,
  };
}

/** A {@link Hook} that calls a module's function. */
export function createModuleHook({ name, reconcile, onStartup }: HookModule, services: HookServices): Hook {
  return {
    name,
    async run(request, run) {
      try {
        const call = request.event === 'startup' ? onStartup : reconcile;
        return await runs.run({ name, key: runNameOf(request) }, () => call?.(contextOf(request, run, services)));
      } catch (thrown) {
        run.onThrown?.(thrown);
        throw thrown;
      }
    },
  };
}

/** A run of a module. Errors after its end belong to it too: a rejection that is not awaited, a timer that throws. */
export interface ModuleRun {
  readonly name: string;
  readonly key: string;
}

const runs = new AsyncLocalStorage<ModuleRun>();

/** The run that started the current code; undefined outside of all runs. */
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

function cannotLoad(path: string, error: unknown, syntaxPlace: string | undefined): never {
  const { code } = error as NodeJS.ErrnoException;
  const message = messageOf(error);
  switch (code) {
    case 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX':
      throw new StopError(`hook ${placeOf(error, path)}: ${message}`, {
        cause: error,
        hint: `Node only removes types from TypeScript: ${instead(message)}`,
      });
    case 'ERR_INVALID_TYPESCRIPT_SYNTAX':
      throw new StopError(`hook ${placeOf(error, path)}: ${message}`, { cause: error, hint: CORRECT_IT });
    case 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING':
      throw new StopError(`hook ${path}: ${message}`, {
        cause: error,
        hint: 'a hook in node_modules must be a .js file',
      });
    case 'ERR_MODULE_NOT_FOUND':
      throw new StopError(`hook ${path}: ${message}`, {
        cause: error,
        hint: 'check the path, and install the packages that the hook imports',
      });
    default:
      throw new StopError(
        `hook ${error instanceof SyntaxError ? (syntaxPlace ?? placeOf(error, path)) : path}: ${message}`,
        {
          cause: error,
          ...(error instanceof SyntaxError ? { hint: CORRECT_IT } : {}),
        },
      );
  }
}

/** The next step after a syntax error, whose place is in the message. */
const CORRECT_IT = 'correct this line of the hook; with --reload a corrected hook is loaded at once';

/** `file:line` of a syntax error, which the engine only writes in the first line of the stack. */
function placeOf(error: unknown, path: string): string {
  const [top = ''] = ((error as Error).stack ?? '').split('\n');
  const line = /^(?:file:\/\/)?(.+):(\d+)$/.exec(top);
  return line ? `${decodeURI((line[1] as string).replace(/\?hook-version=\d+$/, ''))}:${line[2]}` : path;
}

const INSTEAD: readonly (readonly [RegExp, string])[] = [
  [/enum/i, 'write the enum as an object with `as const`'],
  [/parameter property/i, 'declare the field and assign it in the constructor'],
  [/namespace|module/i, 'write the namespace as a separate module'],
  [/import equals|export assignment/i, 'write `import … from`, or `export default`'],
];

function instead(message: string): string {
  return INSTEAD.find(([pattern]) => pattern.test(message))?.[1] ?? 'write it as plain JavaScript';
}

/** The services of a program that provides none. */
export const noServices: HookServices = {
  client: {
    resource(gvr: GroupVersionResource) {
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
