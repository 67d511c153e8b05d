import { Writable } from 'node:stream';
import { choice, group, text } from '../cli/args/flag.ts';
import { type ConfigurableFlags, reconcileFlags } from '../cli/args/reconcile-flags.ts';
import { BaseCommand } from '../cli/base-command.ts';
import { checkFinalizer, mergedConfig } from '../cli/reconcile/config.ts';
import { type LoadedHook, loadHook } from '../cli/reconcile/hook-loading.ts';
import { mappedType } from '../cli/reconcile/key-map.ts';
import type { ShowLine } from '../cli/reconcile/module-output.ts';
import { onlyOne } from '../cli/reconcile/only-one.ts';
import { Operations } from '../cli/reconcile/operations.ts';
import { snapshotPlans } from '../cli/reconcile/snapshots.ts';
import { type Checked, checksOf, type SceneSettings } from '../cli/reconcile/test-checks.ts';
import { gatedTransport, Scene } from '../cli/reconcile/test-scene.ts';
import { triggersOf } from '../cli/reconcile/trigger-checks.ts';
import type { Session } from '../cli/session/session.ts';
import { ExitCode } from '../cli/terminal/exit-codes.ts';
import { TextSink } from '../cli/terminal/io.ts';
import { StatusLine } from '../cli/terminal/status-line.ts';
import { createClient } from '../client/client.ts';
import { createConfig } from '../client/config/cluster-config.ts';
import { resolveResourceArgs } from '../client/discovery/resource-args.ts';
import { type Fixture, readFixtures, refusedFixture } from '../hooks/fixtures/fixtures.ts';
import { isModulePath } from '../hooks/run/module.ts';
import { abortable } from '../kit/abort.ts';
import { systemClock } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import { silentLogger } from '../kit/logger.ts';
import { neutralised } from '../output/escape.ts';
import { loadPainter } from '../output/painter.ts';

const { exec, shell, 'hook-mode': hookMode, owns, watches, map, with: snapshots, finalizer } = reconcileFlags;
const { 'hook-timeout': hookTimeout } = reconcileFlags;

const testFlags = {
  ...group('TEST', {
    fixtures: text({ summary: 'the folder of the fixtures, or one of them', helpValue: 'DIR', noEnv: true }),
    type: text({ summary: 'the reconciled type, for fixtures that name none', noEnv: true }),
  }),
  exec,
  shell,
  'hook-mode': hookMode,
  owns,
  watches,
  map,
  with: snapshots,
  'hook-timeout': hookTimeout,
  finalizer,
  ...group('OUTPUT', {
    output: choice(['text', 'json'], { char: 'o', summary: 'output format', default: 'text', noEnv: true }),
  }),
};

export default class ReconcileTestCommand extends BaseCommand {
  static override summary = 'Run a hook against the sandbox, and check what it does';
  static override description =
    `Each fixture is a file NAME.yaml: the type, the objects that are given, and what is expected of the runs. The hook runs for its keys in a sandbox of this process; nothing reaches a cluster.

Seven checks for each fixture: what is expected; that a second run writes nothing; that the end is the same when keys run several times, in another order, after a run that was killed, after conflicts with another writer, and after the history of the watches was lost. The exit code is 1 if a check failed, and 2 if a fixture cannot be used.`;
  static override usage = 'reconcile test (HOOK | --exec COMMAND) --fixtures DIR [FLAGS]';
  static override examples = [
    {
      description: 'All fixtures of a hook',
      command: '<%= config.bin %> reconcile test ./scale-guard.ts --fixtures ./fixtures/scale-guard',
    },
  ];
  static override flags = testFlags;

  async execute(): Promise<ExitCode> {
    const { flags, words } = this.read(testFlags);
    const { io, signal } = this.edges;
    const [file, ...others] = words;
    if (others.length > 0 || (file === undefined) === (flags.exec === undefined))
      throw new InformerError('argument', 'reconcile test takes one hook: a file, or --exec COMMAND', {
        hint: 'for example: reconcile test ./hook.ts --fixtures ./fixtures',
      });
    if (flags.fixtures === undefined)
      throw new InformerError('argument', '--fixtures is needed', { hint: 'name the folder of the fixtures' });
    const fixtures = await readFixtures(flags.fixtures, flags.type);
    const isModule = file !== undefined && isModulePath(file);
    const given = { hook: file, exec: flags.exec, shell: flags.shell, 'hook-mode': flags['hook-mode'] };
    const show: ShowLine = (key, line) => this.#show(key, line);
    const hook = await loadHook({ ...given, reload: isModule, 'on-startup': false }, show);
    let passed = 0;
    let failed = 0;
    for (const fixture of fixtures) {
      const open = (settings: SceneSettings) => this.#scene(fixture, hook, settings);
      for await (const checked of checksOf({ fixture, clock: systemClock, open })) {
        signal.throwIfAborted();
        if (checked.problems.length === 0) passed++;
        else failed++;
        io.stdout.write(flags.output === 'json' ? `${JSON.stringify(jsonOf(checked))}\n` : textOf(checked));
      }
    }
    const summary = `${fixtures.length} fixture${fixtures.length === 1 ? '' : 's'}, ${passed + failed} checks: ${passed} ok, ${failed} failed\n`;
    (flags.output === 'json' ? io.stderr : io.stdout).write(summary);
    return failed === 0 ? ExitCode.ok : ExitCode.failed;
  }

  /** The fixture whose hook prints what is shown; undefined when nothing is shown. */
  #shown: string | undefined = '';

  #show(key: string, line: string): void {
    if (this.#shown === undefined) return;
    const place = this.#shown === '' ? key : `${this.#shown} ${key}`;
    this.edges.io.stderr.write(`${neutralised(place)} | ${neutralised(line)}\n`);
  }

  /** A server of its own with the fixture's objects, and a version of the hook that has not run yet. */
  async #scene(fixture: Fixture, first: LoadedHook, { isReversed, gate, isShown }: SceneSettings): Promise<Scene> {
    const { flags } = this.read(testFlags);
    const { io, signal, atOnce } = this.edges;
    signal.throwIfAborted();
    this.#shown = isShown ? fixture.name : undefined;
    const hook = first.reload ? await first.reload.load() : first;
    const config = mergedConfig(flags as unknown as ConfigurableFlags, hook);
    checkFinalizer(config);
    const { Sandbox } = await import('../sandbox/index.ts');
    const server = await Sandbox.start({ socket: false });
    const objects = [...fixture.given, ...(fixture.old ? [withFinalizer(fixture.old, config.finalizer)] : [])];
    const isDefinition = ({ kind }: { kind?: string }) => kind === 'CustomResourceDefinition';
    const rest = objects.filter((object) => !isDefinition(object));
    try {
      server.put(objects.filter(isDefinition));
      server.put(isReversed ? rest.reverse() : rest);
    } catch (error) {
      throw refusedFixture(fixture, 'given', error);
    }
    const muted = { ...io, stdout: new TextSink(nowhere()), stderr: new TextSink(nowhere()) } as typeof io;
    const ending = new AbortController();
    const client = createClient(
      gatedTransport(server.transport({ chunkBytes: 65_536 }), () => gate),
      { clock: systemClock, logger: silentLogger, qps: 10_000, burst: 10_000 },
    );
    const session: Session = {
      io: muted,
      clock: systemClock,
      logger: silentLogger,
      client,
      config: createConfig({ server: 'https://sandbox.invalid' }),
      signal: AbortSignal.any([signal, ending.signal]),
      end: (reason) => ending.abort(reason),
      atOnce,
      named: (error) => error,
      resolve: (given) => abortable(resolveResourceArgs(given, client.mapper), signal),
      kubeconfig: async () => undefined,
      startedAt: systemClock.monotonic(),
      notice: () => {},
      status: new StatusLine(muted),
      [Symbol.asyncDispose]: () => client.close(),
    };
    const primary = onlyOne(
      await session.resolve([fixture.type]).catch((error) => {
        signal.throwIfAborted();
        throw refusedFixture(fixture, 'type', error, 'for a custom type, put its CustomResourceDefinition in given');
      }),
    );
    const triggers = await triggersOf(config, hook, flags);
    const mapping = { primary: primary.type, indexes: [], showSecrets: false, onError: () => {} };
    const plan = {
      hook,
      primary,
      owns: config.owns?.length ? await session.resolve([config.owns.join(',')]) : [],
      watches: await Promise.all((config.watches ?? []).map((watch) => mappedType(watch, session, mapping))),
      snapshots: await snapshotPlans(triggers.snapshots, session),
      filters: triggers.filters,
      indexes: [],
      namespaces: [''],
      selector: undefined,
      fieldSelector: undefined,
      everyMs: undefined,
      schedules: [],
      idleMs: undefined,
      lease: undefined,
      workers: 1,
      maxRetries: undefined,
      retries: triggers.retries,
      hookTimeoutMs: config.hookTimeoutMs,
      finalizer: config.finalizer,
      mode: 'write',
      maxWrites: { writes: 1_000_000, perMs: 1000 },
      journal: undefined,
      hotLoopRuns: 0,
      passCredentials: false,
      showSecrets: false,
      painter: await loadPainter(0),
      logger: silentLogger,
      graceMs: 0,
      operations: await Operations.open(undefined, this.edges),
    } as const;
    const show: ShowLine = (key, line) => this.#show(key, line);
    return await Scene.open({ server: server as never, session, plan, fixture, show });
  }
}

function withFinalizer(object: Fixture['given'][number], finalizer: string | undefined) {
  const { finalizers = [] } = object.metadata;
  if (finalizer === undefined || finalizers.includes(finalizer)) return object;
  return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, finalizer] } };
}

const TITLES: Readonly<Record<string, string>> = { expected: 'what is expected' };

function textOf({ fixture, check, problems }: Checked): string {
  const title = TITLES[check] ?? check;
  if (problems.length === 0) return `ok ${fixture}: ${title}\n`;
  return `FAIL ${fixture}: ${title}\n${problems.map((line) => `  ${neutralised(line)}\n`).join('')}`;
}

const jsonOf = ({ fixture, check, problems }: Checked) => ({ fixture, check, ok: problems.length === 0, problems });

/** A stream that keeps nothing: what the runs print is not the result of the test. */
const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });
