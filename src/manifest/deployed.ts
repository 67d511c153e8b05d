import path from 'node:path';
import type { CommandLine } from '../cli/args/argv.ts';
import type { FlagValues } from '../cli/args/flag.ts';
import type { manifestFlags } from '../cli/args/manifest-flags.ts';
import type { reconcileFlags } from '../cli/args/reconcile-flags.ts';
import { compileExecTemplate } from '../hooks/run/exec-template.ts';
import { InformerError } from '../kit/error.ts';
import { withoutEnd } from '../kit/without-end.ts';
import { isNameOf } from '../model/object-name.ts';

export type ManifestFlags = FlagValues<typeof reconcileFlags & typeof manifestFlags>;

/** How many processes there are, and how they share the work. */
export interface Deployed {
  readonly replicas: number;
  /** Whether one of them runs the hook at a time. */
  readonly isElected: boolean;
  /** Whether they share the objects. */
  readonly isShared: boolean;
  readonly remarks: readonly string[];
}

/** Throws `argument` for replicas that would all do the same. */
export function deployedOf(flags: ManifestFlags, { given }: CommandLine): Deployed {
  const { shards, 'leader-elect': isAsked } = flags;
  const replicas = flags.replicas ?? shards ?? 1;
  const remarks: string[] = [];
  if (shards !== undefined) {
    const waiting = replicas - shards;
    if (waiting > 0)
      remarks.push(`${waiting} of ${replicas} replicas will wait: there are only ${shards} shards, see --shards`);
    return { replicas, isElected: isAsked, isShared: true, remarks };
  }
  if (replicas > 1 && !isAsked) {
    if (given.has('leader-elect'))
      throw new InformerError(
        'argument',
        `--replicas ${replicas} with --leader-elect=false would run the hook ${replicas} times for each object`,
        { hint: 'leave out --leader-elect=false, or let the replicas share the objects with --shards N' },
      );
    remarks.push(
      `--leader-elect is added: one of ${replicas} replicas runs the hook at a time; with --shards N they share the objects`,
    );
  }
  return { replicas, isElected: isAsked || replicas > 1, isShared: false, remarks };
}

/** How the processes with such a command line decide which of them works. */
export function coordinationOf(args: readonly string[]): string {
  if (args.some((arg) => arg.startsWith('--shards='))) return 'in shards';
  return args.includes('--leader-elect') ? 'under a lease' : 'without a lease';
}

/** The longest name that leaves room for the names of Pods. */
const LONGEST_DEFAULT = 50;

/** The name of the objects. Throws `argument` for one that they cannot have. */
export function appName(given: string | undefined, hook: string, resource: string): string {
  if (given === undefined) {
    const stem = hook.slice(0, hook.length - path.extname(hook).length) || hook;
    const text = `${stem}-${resource}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
    return withoutEnd(text.replace(/^-+/, '').slice(0, LONGEST_DEFAULT), '-');
  }
  if (isNameOf('label', given)) return given;
  throw new InformerError('argument', `--app-name: ${JSON.stringify(given)} cannot be the name of a Deployment here`, {
    hint: 'a name is at most 63 lower case letters, digits and -, and begins and ends with a letter or digit',
  });
}

/** The programs of an image made from --dockerfile with which a command line may begin. */
const COMMON = new Set(['sh', 'bash', 'node', 'echo', 'true', 'false', 'env', 'printf', 'cat', 'test', 'sed', 'grep']);

/**
 * The program of `--exec` that the image must have; undefined if every image has it. Throws `argument` for a file of
 * this machine.
 */
export function execProgramOf({ exec, shell }: ManifestFlags): string | undefined {
  if (exec === undefined || shell) return undefined;
  const { command } = compileExecTemplate(exec);
  if (command.includes('/') && !path.posix.isAbsolute(command))
    throw new InformerError('argument', `--exec runs ${command}, a file of this machine that the Pod does not have`, {
      hint: `--hook ${command} brings a script into the Pod; or give its absolute path in the image`,
    });
  return COMMON.has(command) ? undefined : command;
}

/** Refuses flags that do harm in a cluster. Throws `argument`. */
export function refuseHarmful({ reload, into }: ManifestFlags): void {
  if (reload)
    throw new InformerError('argument', '--reload is for a hook that is changed on this machine', {
      hint: 'leave it out: when a changed hook is printed and applied again, new Pods start with it',
    });
  if (into !== undefined && !isNameOf('label', into))
    throw new InformerError('argument', `--into: ${JSON.stringify(into)} cannot be the name of a namespace`, {
      hint: 'a name is at most 63 lower case letters, digits and -, and begins and ends with a letter or digit',
    });
}

/** Remarks about variables that the program of a hook gets here, and not in a Pod. */
export function environmentRemarks(env: NodeJS.ProcessEnv, isProgram: boolean): string[] {
  const names = isProgram ? Object.keys(env).filter((name) => name.startsWith('INFORMER_')) : [];
  return names.length === 0
    ? []
    : [`the hook gets ${names.sort().join(', ')} here, and not in the Pod: add them to the env of the container`];
}
