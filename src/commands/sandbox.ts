import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { bool, count, group, list, text } from '../cli/args/flag.ts';
import { replayFlags } from '../cli/args/record-flags.ts';
import { scenarioOptionsOf } from '../cli/args/scenario-flags.ts';
import { configFlags } from '../cli/args/shared-flags.ts';
import { refuseBeside, refuseWithout } from '../cli/args/useless-flags.ts';
import { BaseCommand } from '../cli/base-command.ts';
import type { ChosenReplay } from '../cli/record/replayed-server.ts';
import { ExitCode } from '../cli/terminal/exit-codes.ts';
import { writeNotice } from '../cli/terminal/notice.ts';
import { privateFile } from '../hooks/journal/private-file.ts';
import { aborted } from '../kit/abort.ts';
import { systemClock } from '../kit/clock.ts';
import { InformerError, messageOf } from '../kit/error.ts';
import type { KubeObject } from '../model/object.ts';
import { GATE_EXAMPLE } from '../sandbox/feature-gates.ts';
import {
  type ApiRequest,
  parseFaults,
  parseFeatureGates,
  parseManifests,
  Sandbox,
  SCENARIO_NAMES,
} from '../sandbox/index.ts';
import { serveHandler } from '../sandbox/server/handler-server.ts';
import { writeKubeconfig } from '../sandbox/server/kubeconfig.ts';

export default class SandboxCommand extends BaseCommand {
  static override summary = 'Start an in-memory Kubernetes API server for trials';
  static override usage = 'sandbox [--scenario rollout] [--load FILE|DIR]';
  static override examples = [
    {
      description: 'A cluster in which a rollout goes on, used by kubectl',
      command:
        '<%= config.bin %> sandbox --scenario rollout --kubeconfig /tmp/sandbox &\nKUBECONFIG=/tmp/sandbox kubectl get pods -n shop -w',
    },
    { description: 'A cluster with only your manifests', command: '<%= config.bin %> sandbox --load ./manifests' },
    {
      description: 'A recording as an API server, ten times as fast as it happened',
      command: '<%= config.bin %> sandbox --from shop.rec --seek 2026-11-28T14:03:00Z --speed 10x',
    },
  ];
  static override flags = {
    ...group('CONTENT', {
      scenario: text({
        summary: `what happens in it: ${SCENARIO_NAMES.join(', ')}`,
        helpValue: 'NAME',
        words: SCENARIO_NAMES,
      }),
      pods: count({ summary: 'number of pods in the scenario fleet or churn' }),
      rate: text({ summary: 'changes per second in these scenarios, such as 500/s', helpValue: 'N/s' }),
      seed: count({ summary: 'seed of the scenario: the same seed gives the same events', default: 1 }),
      load: list({ summary: 'manifests that exist from the start', helpValue: 'FILE|DIR' }),
    }),
    ...group('BEHAVIOUR', {
      faults: text({
        summary: 'faults to inject, such as cut@5:watch:pods or status=429*3:list',
        helpValue: 'FAULT[,…]',
      }),
      rbac: bool({ summary: 'apply roles and bindings to every token but its own' }),
    }),
    ...replayFlags('serve this recording in its own time, to be read with kubectl and other programs', 'default: 1x'),
    ...group('SERVER', {
      'feature-gates': list({
        summary: `features of kube-apiserver that are off by default: ${GATE_EXAMPLE}`,
        helpValue: 'NAME=true[,…]',
        split: true,
      }),
      port: count({ summary: 'port on 127.0.0.1; 0 takes any free one', default: 0, max: 65_535 }),
      kubeconfig: text({
        summary: 'file to write its kubeconfig to (default: a temporary file)',
        helpValue: 'FILE',
        noEnv: true,
      }),
      quiet: bool({ char: 'q', summary: 'print only the path of the kubeconfig' }),
    }),
    ...configFlags,
  };

  async execute(): Promise<ExitCode> {
    const flags = this.readFlags(SandboxCommand.flags);
    refuseWithout(this.line.given, ['seek', 'speed'], ['from']);
    refuseBeside(this.line.given, OF_A_CLUSTER, ['from'], 'a recording is served as it is');
    if (flags.from !== undefined) return await this.#replay({ ...flags, from: flags.from });
    const manifests = (await Promise.all((flags.load ?? []).map(manifestsIn))).flat();
    const faults = parseFaults(flags.faults ?? '');
    const { port, seed, scenario, rbac } = flags;
    const featureGates = parseFeatureGates(flags['feature-gates'] ?? []);
    const scenarioOptions = scenarioOptionsOf(scenario, flags);
    await using sandbox = await Sandbox.start({
      port,
      seed,
      scenario,
      scenarioOptions,
      rbac,
      featureGates,
    }).catch(notStarted);
    for (const manifest of manifests) load(sandbox, manifest);
    for (const rule of faults) sandbox.faults.add(rule);
    await this.#serve({ url: sandbox.url, kubeconfig: sandbox.kubeconfig() }, flags);
    return ExitCode.ok;
  }

  /** Names the server, and waits until it is to end. */
  async #serve(server: { readonly url: string; readonly kubeconfig: string }, flags: ServerFlags): Promise<void> {
    const { io, signal } = this.edges;
    await using file = await kubeconfigFile(server.kubeconfig, flags.kubeconfig);
    if (flags.quiet) io.stdout.write(`${file.path}\n`);
    else io.stdout.write(`serving on ${server.url}\nexport KUBECONFIG=${file.path}\n`);
    await aborted(AbortSignal.any([signal, io.stdout.closed]));
  }

  /** Serves a recording. Its end does not end the server, which then has the last state. */
  async #replay(flags: ServerFlags & ChosenReplay): Promise<ExitCode> {
    const { openReplay } = await import('../cli/record/replayed-server.ts');
    const { stillClock } = await import('../record/still-clock.ts');
    const { io, signal } = this.edges;
    let now = () => systemClock.now();
    await using writable = await Sandbox.start({ socket: false, clock: stillClock(systemClock, () => now()) });
    const transport = writable.transport();
    const writeServer = {
      manager: 'sandbox',
      request: (init: Parameters<typeof transport.request>[0]) => transport.request(init),
      put: (objects: readonly object[]) => void writable.put(objects),
    };
    using opened = await openReplay(flags, 1, io, { writeServer });
    now = () => opened.replay.now;
    const handle = ({ method, path, signal, body, headers = {} }: ApiRequest) =>
      opened.replay.request({ method, path, signal, body, headers: textsOf(headers) });
    await using server = await serveHandler(handle, { port: flags.port, clock: systemClock }).catch(notStarted);
    const end = () => {
      writeNotice(io, 'the recording has ended; its last state stays');
      opened.sayEnd();
    };
    const running = opened.replay.run(signal).then(end, () => {}); // it ends with the command
    await this.#serve(server, flags);
    await (signal.aborted ? running : undefined);
    return ExitCode.ok;
  }
}

const textsOf = (headers: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(headers).filter((each): each is [string, string] => each[1] !== undefined));

interface ServerFlags {
  readonly port: number;
  readonly kubeconfig?: string | undefined;
  readonly quiet?: boolean | undefined;
}

/** Flags of a cluster that is made, not recorded. */
const OF_A_CLUSTER = ['scenario', 'pods', 'rate', 'seed', 'load', 'faults', 'rbac', 'feature-gates'];

/**
 * Writes the kubeconfig where only its owner reads it. A temporary one goes when the sandbox does; a named one stays.
 */
async function kubeconfigFile(content: string, named: string | undefined): Promise<AsyncDisposable & { path: string }> {
  if (named === undefined) return privateFile('kubeconfig', content);
  try {
    await writeKubeconfig(named, content);
  } catch (cause) {
    if (cause instanceof InformerError && cause.hint !== undefined) throw cause;
    throw new InformerError('argument', `cannot write the kubeconfig: ${messageOf(cause)}`, {
      cause,
      hint: '--kubeconfig FILE says where to',
    });
  }
  return { path: named, async [Symbol.asyncDispose]() {} };
}

function notStarted(error: NodeJS.ErrnoException): never {
  if (error.code === 'EADDRINUSE' || error.code === 'EACCES') {
    throw new InformerError('argument', messageOf(error), {
      cause: error,
      hint: 'give another --port, or none for any free one',
    });
  }
  throw error;
}

/** A file of `--load` and its objects. */
interface Manifest {
  readonly place: string;
  readonly objects: readonly KubeObject[];
}

function load(sandbox: Sandbox, { place, objects }: Manifest): void {
  try {
    sandbox.put(objects);
  } catch (cause) {
    throw new InformerError('argument', `cannot load ${place}: ${messageOf(cause)}`, {
      cause,
      hint: 'a server would refuse this object too: correct it, or leave it out',
    });
  }
}

/** The largest file that is read. The text of a larger one would need several times that in memory. */
const MOST_BYTES = 64 * 1024 * 1024;

async function readText(place: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of createReadStream(place)) {
    size += (chunk as Buffer).length;
    if (size > MOST_BYTES) {
      throw new InformerError('argument', `cannot load ${place}: it has more than ${MOST_BYTES / 1024 / 1024} MiB`, {
        hint: 'split it into several files, or start with --scenario fleet for many objects',
      });
    }
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}

/**
 * The manifests that `--load` names. Throws `argument` where there is no object: the path is another one than was
 * meant.
 */
async function manifestsIn(place: string): Promise<Manifest[]> {
  const manifests = await readManifests(place);
  if (manifests.some(({ objects }) => objects.length > 0)) return manifests;
  throw new InformerError('argument', `there is no object to load in ${place}`, {
    hint: 'of a folder the .yaml, .yml and .json files directly in it are read',
  });
}

/** The objects of a manifest file, or of every .yaml, .yml and .json file of a folder in order of name. */
async function readManifests(place: string): Promise<Manifest[]> {
  try {
    if (!(await stat(place)).isDirectory()) return [{ place, objects: parseManifests(await readText(place), place) }];
    const files = (await readdir(place)).filter((f) => /\.(ya?ml|json)$/.test(f)).sort();
    return (await Promise.all(files.map((f) => readManifests(path.join(place, f))))).flat();
  } catch (cause) {
    if (cause instanceof InformerError && cause.message.includes(place)) throw cause;
    if (cause instanceof InformerError)
      throw new InformerError(cause.code, `${place}: ${cause.message}`, { cause, hint: cause.hint });
    throw new InformerError('argument', `cannot load ${place}: ${messageOf(cause)}`, {
      hint: '--load takes a manifest file or a folder of them',
    });
  }
}
