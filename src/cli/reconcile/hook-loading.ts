import { access, constants, open, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Hook, HookRequest, HookStream } from '../../hooks/hook.ts';
import { HOOK_REQUEST_VERSION, runNameOf } from '../../hooks/hook.ts';
import { type HookConfig, parseHookConfig } from '../../hooks/manifest.ts';
import { needsCluster, toolInLine, toolInScript } from '../../hooks/run/cluster-tools.ts';
import { createExecHook } from '../../hooks/run/exec.ts';
import { compileExecTemplate } from '../../hooks/run/exec-template.ts';
import type { Environment } from '../../hooks/run/hook-environment.ts';
import { createModuleHook, type HookServices, isModulePath, loadHookModule } from '../../hooks/run/module.ts';
import { filesOf } from '../../hooks/run/module-loader.ts';
import type { ProgramGuard } from '../../hooks/run/program-guard.ts';
import { createWarmHook } from '../../hooks/run/warm.ts';
import type { Clock } from '../../kit/clock.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import type { Logger } from '../../kit/logger.ts';
import { oneFile } from '../../kit/one-file.ts';
import type { FieldReads } from '../../model/field-path.ts';
import { ENTRIES } from '../../package.ts';
import type { HookFlags } from '../args/reconcile-flags.ts';
import { takeProcessExit } from './module-exit.ts';
import { ModuleOutput, type ShowLine } from './module-output.ts';

/** A hook that was found fit, before anything is asked of a server; `create` makes it when what it may use is there. */
export interface LoadedHook {
  readonly name: string;
  readonly config: HookConfig;
  readonly form: 'module' | 'executable' | 'command';
  /** The program in the command line or shell script that does nothing without credentials, if it is a known one. */
  readonly clusterTool?: string | undefined;
  /** The program of a command line that certainly fails without credentials. */
  readonly needsCluster?: string | undefined;
  /** The fields that it names, as far as they are known before it runs. */
  readonly reads?: FieldReads | undefined;
  /** Whether it runs once before all keys: a module that exports onStartup, an executable with `--on-startup`. */
  readonly hasStartup: boolean;
  /** With `--reload`: the files that are watched, and how a new version is loaded. */
  readonly reload?: { files(): readonly string[]; load(): Promise<LoadedHook> } | undefined;
  create(services: HookServices, environment: HookEnvironment): Hook;
}

export interface HookEnvironment {
  readonly env: Environment;
  readonly passCredentials: boolean;
  readonly credentials: Environment | undefined;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly guard: ProgramGuard | undefined;
  /** Returns variables for one run of an executable that is started for it. */
  variables(request: HookRequest): Readonly<Record<string, string>>;
  /** Called with each line that belongs to no run. */
  onStrayLine(line: string, stream: HookStream): void;
}

/**
 * Loads the hook of `--hook` or `--exec`. What a module prints goes to `show`, to the end of the program. Throws `argument` for a hook that cannot be loaded: only its author can
 * repair it.
 */
export async function loadHook(
  { hook, exec, shell, 'hook-mode': mode, reload, 'on-startup': onStartup }: HookFlags,
  show: ShowLine,
): Promise<LoadedHook> {
  if ((hook === undefined) === (exec === undefined)) {
    throw new InformerError('argument', 'exactly one of --hook FILE and --exec COMMAND is needed', {
      hint: "for example --hook ./reconcile.ts, or --exec 'kubectl annotate pod {{.metadata.name}} seen=yes'",
    });
  }
  if (shell && exec === undefined)
    throw new InformerError('argument', '--shell is for the command line of --exec, and --hook names a file', {
      hint: 'leave it out: an executable script is run by the interpreter that its first line names',
    });
  try {
    const isWarm = mode === 'warm';
    const file = path.resolve(hook ?? '');
    if (onStartup && (exec !== undefined || isModulePath(file))) throw noStartup(exec === undefined);
    if (exec !== undefined && reload)
      throw new InformerError('argument', '--reload needs --hook FILE', {
        hint: 'the command of --exec is started for each run anyway',
      });
    if (exec !== undefined) return commandHook(exec, { shell, isWarm });
    if (!isModulePath(file)) return await executableHook(file, { isWarm, reload, hasStartup: onStartup });
    if (isWarm) throw warmModule(path.basename(file));
    await mustExist(file);
    // to the end of the program: what a run leaves behind may print as long as that
    const output = new ModuleOutput(show, path.basename(file));
    takeProcessExit(path.basename(file));
    return await moduleHook(file, { output, isReloadable: reload });
  } catch (error) {
    throw asArgument(error);
  }
}

function noStartup(isModule: boolean): InformerError {
  return new InformerError('argument', '--on-startup is for an executable that --hook names', {
    hint: isModule
      ? 'leave it out: a module exports a function onStartup, which is then called'
      : 'a command line has an object to speak of; write an executable that reads the request',
  });
}

async function moduleHook(file: string, options: { output: ModuleOutput; isReloadable: boolean }): Promise<LoadedHook> {
  const { output, isReloadable } = options;
  const module = await loadHookModule(file, { packageEntries: (await oneFile?.entries()) ?? ENTRIES, isReloadable });
  const { name } = module;
  return {
    name,
    form: 'module',
    config: parseHookConfig(module.config, name),
    hasStartup: module.onStartup !== undefined,
    create: (services) => shown(createModuleHook(module, services), output),
    reload: isReloadable ? { files: () => filesOf(file), load: () => moduleHook(file, options) } : undefined,
  };
}

/** Shows at the end of a run what was printed without a line end. */
function shown(hook: Hook, output: ModuleOutput): Hook {
  return { ...hook, run: (request, run) => hook.run(request, run).finally(() => output.endRun(runNameOf(request))) };
}

async function executableHook(
  file: string,
  options: { isWarm: boolean; reload: boolean; hasStartup: boolean },
): Promise<LoadedHook> {
  const { isWarm, reload, hasStartup } = options;
  await mustExist(file);
  await access(file, constants.X_OK).catch((cause) => {
    throw new InformerError('argument', `the hook ${file} is not executable`, {
      cause,
      hint: `chmod +x ${file}, or give a .js or .ts module`,
    });
  });
  return {
    name: path.basename(file),
    config: {},
    hasStartup,
    form: 'executable',
    clusterTool: toolInScript(await scriptText(file)),
    create: (_, environment) => (isWarm ? createWarmHook : createExecHook)({ command: file, ...environment }),
    reload: reload ? { files: () => [file], load: () => executableHook(file, options) } : undefined,
  };
}

function commandHook(line: string, { shell, isWarm }: { shell: boolean; isWarm: boolean }): LoadedHook {
  const { command, program, args, hasPlaceholders, reads } = compileExecTemplate(line, { shell });
  if (isWarm && hasPlaceholders)
    throw new InformerError('argument', '--hook-mode warm cannot be combined with placeholders in --exec', {
      hint: 'one process has many requests: read the values from the request on stdin',
    });
  const name = shell ? (/\S+/.exec(line)?.[0] ?? command) : command;
  return {
    name: path.basename(name),
    config: {},
    hasStartup: false,
    form: 'command',
    clusterTool: toolInLine(line),
    needsCluster: needsCluster(line, program),
    // a label or an annotation that no object has yet is no mistake
    reads: { flag: '--exec', addresses: reads, isOutput: true },
    create: (_, environment) => {
      const options = { command, name: path.basename(name), ...environment };
      return isWarm ? createWarmHook({ ...options, args: args(NO_REQUEST) }) : createExecHook({ ...options, args });
    },
  };
}

const LONGEST_SCRIPT = 64 * 1024;

/** The text of a shell script; '' for every other file, and for one that may be run but not read. */
async function scriptText(file: string): Promise<string> {
  await using handle = await open(file).catch(() => undefined);
  if (!handle) return '';
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(LONGEST_SCRIPT), 0, LONGEST_SCRIPT);
  const text = buffer.toString('utf8', 0, bytesRead);
  return /^#!.*\b(?:ba|da|z|k|a)?sh\b/.test(text) ? text : '';
}

/** The request of a command line that has no placeholders. */
const NO_REQUEST: HookRequest = {
  version: HOOK_REQUEST_VERSION,
  key: '',
  gvr: '',
  object: null,
  changed: [],
  causes: [],
  attempt: 1,
  snapshots: {},
};

const warmModule = (name: string) =>
  new InformerError('argument', `--hook-mode warm is for executables: the module ${name} is loaded only once anyway`, {
    hint: 'leave out --hook-mode',
  });

async function mustExist(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile())
    throw new InformerError('argument', `there is no hook file ${file}`, {
      hint: 'give the path of a .js or .ts module, or of an executable',
    });
}

function asArgument(error: unknown): InformerError {
  if (error instanceof InformerError && error.code === 'argument') return error;
  return new InformerError('argument', messageOf(error), {
    cause: error,
    hint: error instanceof InformerError ? error.hint : undefined,
  });
}
