import { choice, group, text } from '../cli/args/flag.ts';
import { type ConfigurableFlags, reconcileFlags } from '../cli/args/reconcile-flags.ts';
import { isTyped, refuseWithout } from '../cli/args/useless-flags.ts';
import { BaseCommand } from '../cli/base-command.ts';
import { checkFinalizer, mergedConfig } from '../cli/reconcile/config.ts';
import { type LoadedHook, loadHook } from '../cli/reconcile/hook-loading.ts';
import { mappedType } from '../cli/reconcile/key-map.ts';
import type { ShowLine } from '../cli/reconcile/module-output.ts';
import { onlyOne } from '../cli/reconcile/only-one.ts';
import { Operations } from '../cli/reconcile/operations.ts';
import { snapshotPlans } from '../cli/reconcile/snapshots.ts';
import { type Checked, checksOf, type SceneSettings } from '../cli/reconcile/test-checks.ts';
import { Scene, type SceneServer, type TestScene } from '../cli/reconcile/test-scene.ts';
import { testSession } from '../cli/reconcile/test-session.ts';
import { triggersOf } from '../cli/reconcile/trigger-checks.ts';
import { ExitCode } from '../cli/terminal/exit-codes.ts';
import { type Fixture, readFixtures, refusedFixture } from '../hooks/fixtures/fixtures.ts';
import { isModulePath } from '../hooks/run/module.ts';
import { systemClock } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import { silentLogger } from '../kit/logger.ts';
import type { UnknownObject } from '../model/object.ts';
import { neutralised } from '../output/escape.ts';
import { loadPainter } from '../output/painter.ts';

const { exec, shell, 'hook-mode': hookMode, owns, watches, map, with: snapshots, finalizer } = reconcileFlags;
const { 'hook-timeout': hookTimeout, 'shell-operator': shellOperator, 'show-secrets': showSecrets } = reconcileFlags;
const { 'pass-credentials': passCredentials, 'pass-env': passEnv } = reconcileFlags;

/** The flags that hooks of shell-operator leave nothing to do. */
const USELESS = ['type', 'exec', 'shell', 'hook-mode', 'owns', 'watches', 'map', 'with', 'finalizer'] as const;

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
  'show-secrets': showSecrets,
  'shell-operator': shellOperator,
  'pass-credentials': passCredentials,
  'pass-env': passEnv,
  ...group('OUTPUT', {
    output: choice(['text', 'json'], { char: 'o', summary: 'output format', default: 'text', noEnv: true }),
  }),
};

export default class ReconcileTestCommand extends BaseCommand {
  static override summary = 'Run a hook against the sandbox, and check what it does';
  static override description =
    `Each fixture is a file NAME.yaml: the type, the objects that are given, and what is expected of the runs. The hook runs for its keys in a sandbox of this process; nothing reaches a cluster.

Seven checks for each fixture: what is expected; that a second run writes nothing; that the end is the same when keys run several times, in another order, after a run that was killed, after conflicts with another writer, and after the history of the watches was lost. The exit code is 1 if a check failed, and 2 if a fixture cannot be used.`;
  static override usage = 'reconcile test (HOOK | --exec COMMAND | --shell-operator DIR) --fixtures DIR [FLAGS]';
  static override examples = [
    {
      description: 'All fixtures of a hook',
      command: '<%= config.bin %> reconcile test ./scale-guard.ts --fixtures ./fixtures/scale-guard',
    },
  ];
  static override flags = testFlags;

  async execute(): Promise<ExitCode> {
    const { flags } = this.read(testFlags);
    const { io, signal } = this.edges;
    const { fixtures, open } = flags['shell-operator'] === undefined ? await this.#hook() : await this.#operator();
    let passed = 0;
    let failed = 0;
    for (const fixture of fixtures) {
      const opened = async (settings: SceneSettings) => {
        signal.throwIfAborted();
        this.#shown = settings.isShown ? fixture.name : undefined;
        return await open(fixture, settings);
      };
      for await (const checked of checksOf({ fixture, clock: systemClock, open: opened })) {
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

  async #hook(): Promise<UnderTest> {
    const { flags, words } = this.read(testFlags);
    const [file, ...others] = words;
    refuseWithout(this.line.given, ['pass-credentials', 'pass-env'], ['shell-operator']);
    if (others.length > 0 || (file === undefined) === (flags.exec === undefined))
      throw new InformerError('argument', 'reconcile test takes one hook: a file, or --exec COMMAND', {
        hint: 'for example: reconcile test ./hook.ts --fixtures ./fixtures',
      });
    const fixtures = await readFixtures(fixturesOf(flags), flags.type);
    const isModule = file !== undefined && isModulePath(file);
    const given = { hook: file, exec: flags.exec, shell: flags.shell, 'hook-mode': flags['hook-mode'] };
    const hook = await loadHook({ ...given, reload: isModule, 'on-startup': false }, this.#show);
    return { fixtures, open: (fixture, settings) => this.#scene(fixture, hook, settings) };
  }

  async #operator(): Promise<UnderTest> {
    const { flags, words } = this.read(testFlags);
    const useless = USELESS.find((name) => isTyped(this.line.given, name)) ?? words[0];
    if (useless !== undefined)
      throw new InformerError('argument', `${words[0] ?? `--${useless}`} does nothing beside --shell-operator`, {
        hint: 'for example: reconcile test --shell-operator ./hooks --fixtures ./fixtures',
      });
    const { operatorUnderTest } = await import('../shell-operator/operator-test.ts');
    return await operatorUnderTest({ ...flags, fixtures: fixturesOf(flags) }, this.edges, openTestServer, this.#show);
  }

  /** The fixture whose hook prints what is shown; undefined when nothing is shown. */
  #shown: string | undefined = '';

  readonly #show: ShowLine = (key, line) => {
    if (this.#shown === undefined) return;
    const place = this.#shown === '' ? key : `${this.#shown} ${key}`;
    this.edges.io.stderr.write(`${neutralised(place)} | ${neutralised(line)}\n`);
  };

  /** A server of its own with the fixture's objects, and a version of the hook that has not run yet. */
  async #scene(fixture: Fixture, first: LoadedHook, { isReversed, gate }: SceneSettings): Promise<Scene> {
    const { flags } = this.read(testFlags);
    const { signal } = this.edges;
    const hook = first.reload ? await first.reload.load() : first;
    const config = mergedConfig(flags as unknown as ConfigurableFlags, hook);
    checkFinalizer(config);
    const objects = [...fixture.given, ...(fixture.old ? [withFinalizer(fixture.old, config.finalizer)] : [])];
    const server = await openTestServer(fixture, objects, { isReversed });
    const session = testSession(server, this.edges, gate);
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
      showSecrets: flags['show-secrets'],
      painter: await loadPainter(0),
      logger: silentLogger,
      graceMs: 0,
      operations: await Operations.open(undefined, this.edges),
    } as const;
    return await Scene.open({ server, session, plan, fixture, show: this.#show });
  }
}

/** Fixtures, and the way to run what they are for. */
interface UnderTest {
  readonly fixtures: readonly Fixture[];
  readonly open: (fixture: Fixture, settings: SceneSettings) => Promise<TestScene>;
}

function fixturesOf({ fixtures }: { fixtures?: string | undefined }): string {
  if (fixtures !== undefined) return fixtures;
  throw new InformerError('argument', '--fixtures is needed', { hint: 'name the folder of the fixtures' });
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

/** A server of its own with the objects of a fixture, definitions first. Throws `argument` for an object that it refuses. */
async function openTestServer(
  fixture: Fixture,
  objects: readonly UnknownObject[],
  { isReversed, hasSocket = false }: { isReversed?: boolean | undefined; hasSocket?: boolean },
): Promise<SceneServer> {
  const { Sandbox: Server } = await import('../sandbox/index.ts');
  const server = await Server.start({ socket: hasSocket });
  const isDefinition = ({ kind }: { kind?: unknown }) => kind === 'CustomResourceDefinition';
  const rest = objects.filter((object) => !isDefinition(object));
  try {
    server.put(objects.filter(isDefinition));
    server.put(isReversed ? rest.reverse() : rest);
  } catch (error) {
    await server.stop();
    throw refusedFixture(fixture, 'given', error);
  }
  return server as never;
}
