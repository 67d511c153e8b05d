import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type RandomSource, seededRandom } from '../../src/kit/random.ts';
import { formatGvr } from '../../src/model/gvr.ts';
import { Recording } from '../../src/record/recording.ts';
import { type Outage, outageProblems } from './outages.ts';
import { machineNow, type Program } from './program.ts';
import { LABEL, type Order } from './protocol.ts';
import { judgeRuns, readJournal } from './run-journal.ts';
import { Stage } from './stage.ts';
import { type StreamRecord, stateOf } from './stream-judge.ts';
import { answerFault, OF_ANY_SERVER, STRIKES, type StrikeKind } from './strikes.ts';
import { differences, type ObjectState, type TypeTruth } from './truth.ts';
import { usageOf, usageProblems } from './usage.ts';
import { lastStates, RowReader, ScreenReader, StreamReader, type Verdict } from './watchers.ts';

export interface SoakOptions {
  /** The folder of the package, built. */
  readonly root: string;
  readonly minutes: number;
  readonly seed: number;
  readonly changesPerSecond: number;
  /** A folder for what the stream printed, what the server did, and what the programs said. */
  readonly keep?: string | undefined;
  /** Of a cluster that takes the place of the sandbox. Faults of the server itself are left out then. */
  readonly kubeconfig?: string | undefined;
  /** Kinds of faults. Default: all that the server can have. */
  readonly kinds?: readonly StrikeKind[] | undefined;
  readonly say?: (line: string) => void;
}

export interface SoakReport {
  readonly faults: Readonly<Record<string, number>>;
  readonly changes: number;
  readonly seconds: number;
  /** By the name of the program. */
  readonly verdicts: ReadonlyMap<string, Verdict>;
  readonly usage: ReadonlyMap<string, ReturnType<typeof usageOf>>;
}

const SCREEN = { rows: 200, columns: 500 };
/** How long all programs may take to be up to date after the last fault, ms. */
const LONGEST_CALM_MS = 150_000;
const CONFIG_MAPS = 'v1/configmaps';
const SELECTED = ['-l', LABEL.join('=')];
const LEASE_MS = 4_000;

/** Runs the built program as many processes against a server that breaks, and judges all that they said. */
export async function soak(options: SoakOptions): Promise<SoakReport> {
  kindsOf(options);
  await using stage = await Stage.start(options);
  return await new Soak(options, stage).run();
}

class Soak {
  readonly #options: SoakOptions;
  readonly #stage: Stage;
  readonly #random: RandomSource;
  readonly #busy = new Set<Program>();
  readonly #pending = new Set<Promise<void>>();
  readonly #faults: Record<string, number> = {};
  readonly #stream = new StreamReader(machineNow);
  readonly #slow = new StreamReader(machineNow);
  readonly #rows = new RowReader();
  readonly #screen = new ScreenReader(SCREEN);
  readonly #outages: Outage[] = [];
  readonly #withoutLeases: { from: number; to: number }[] = [];
  readonly #answers: string[] = [];
  #asked = 0;
  #ahead = 0;

  constructor(options: SoakOptions, stage: Stage) {
    this.#options = options;
    this.#stage = stage;
    this.#random = seededRandom(options.seed);
  }

  async run(): Promise<SoakReport> {
    const { minutes, changesPerSecond, say = () => {} } = this.#options;
    const { server } = this.#stage;
    const started = machineNow();
    await this.#stage.write(300, 500);
    await this.#stage.ask({ do: 'snapshot' });
    await this.#stage.ask({ do: 'write', perSecond: changesPerSecond });
    await this.#startAll();
    await this.#stage.until('the stream to begin', () => this.#stream.records.filter(isSynced).length === 2, 60_000);
    await sleep(3_000);
    say(`${this.#stage.programs.length} programs run`);
    const measuring = setInterval(() => {
      for (const program of this.#stage.programs) program.measure();
    }, 1_000);
    const asking = this.#askNowAndThen();
    const until = machineNow() + minutes * 60_000;
    for (let i = 0; machineNow() < until; i++) {
      await this.#strike(this.#kind(i), say);
      await sleep(500 + this.#random() * 2_000);
    }
    await Promise.all(this.#pending);
    say('all faults are over');
    await this.#calm();
    for (const program of this.#stage.programs) program.measure();
    clearInterval(measuring);
    this.#isOver = true;
    await asking;
    const verdicts = await this.#judge();
    const usage = new Map(this.#stage.programs.map((program) => [program.name, usageOf(program)]));
    verdicts.set('memory and descriptors', {
      problems: usageProblems(usage, minutes),
      figures: { measured: [...usage.values()].filter((row) => row !== undefined).length },
    });
    this.#keep();
    return {
      faults: this.#faults,
      changes: server.changes,
      seconds: Math.round((machineNow() - started) / 1000),
      verdicts,
      usage,
    };
  }

  // --- the programs ---

  async #startAll(): Promise<void> {
    const add = this.#stage.add.bind(this.#stage);
    const hook = path.join(import.meta.dirname, 'journal-hook.mjs');
    const reconcile = ['reconcile', 'configmaps', '-A', ...SELECTED, '--hook', hook, '--workers', '4'];
    const lease = ['--leader-elect-namespace', 'ops', '--leader-elect-lease-duration', `${LEASE_MS}ms`];
    const pace = [...lease, '--leader-elect-renew-deadline', '3s', '--leader-elect-retry-period', '700ms'];
    const watch = ['watch', 'configmaps,secrets', '-A', ...SELECTED, '-o', 'json', '--markers', '--no-serve'];
    await add('stream', watch, { user: 'reader', take: this.#stream.take });
    await add('slow-reader', [...watch, '--overflow', 'coalesce'], { user: 'reader', take: this.#slow.take });
    const live = ['watch', 'configmaps', '-A', ...SELECTED, '--live', '--no-serve'];
    if (existsSync('/usr/bin/script'))
      await add('live', live, { user: 'reader', terminal: SCREEN, take: this.#screen.take });
    const even = 'int(object.metadata.annotations.mark) % 2 == 0';
    const rows = [
      'query',
      'configmaps,secrets',
      '-A',
      ...SELECTED,
      '--watch',
      '-o',
      'json',
      '--markers',
      '--filter',
      even,
    ];
    await add('rows', [...rows, '--no-serve'], { take: this.#rows.take });
    await add('serve', ['serve', 'configmaps,secrets', '-A', '--idle-exit', '10h']);
    const record = ['watch', 'configmaps,secrets', '-A', ...SELECTED, '-o', 'name', '--no-serve'];
    await add('recorder', [...record, '--record', this.#recordingFile], { user: 'reader', isRestarted: true });
    await add('reconcile', reconcile, { env: this.#journal('reconcile') });
    for (const n of [1, 2]) {
      const words = [...reconcile, '--leader-elect', '--leader-elect-lease-name', 'leaders', ...pace];
      await add(`leader-${n}`, words, { isRestarted: true, env: this.#journal('leader') });
    }
    for (const n of [1, 2, 3, 4]) {
      const words = [...reconcile, '--shards', '8', '--leader-elect-lease-name', 'shards', ...pace];
      await add(`shards-${n}`, words, { isRestarted: true, env: this.#journal('shards') });
    }
  }

  #journal(group: string): NodeJS.ProcessEnv {
    writeFileSync(this.#journalFile(group), '', { flag: 'a' });
    return { SOAK_JOURNAL: this.#journalFile(group), SOAK_GROUP: group };
  }

  #journalFile(group: string): string {
    return path.join(this.#stage.folder, `${group}.jsonl`);
  }

  /** Asks the serve as people do, and looks whether its answers were true at one moment. */
  async #askNowAndThen(): Promise<void> {
    while (!this.#isOver) {
      const answer = await this.#question().catch((error) => ({ failure: String(error) }));
      this.#asked++;
      if ('failure' in answer) this.#answers.push(answer.failure);
      await sleep(4_000);
    }
  }

  #isOver = false;

  /** The state that a query by the serve gives. */
  async #question(): Promise<{ readonly states: Map<string, ObjectState> }> {
    const serve = this.#stage.program('serve');
    const home = this.#stage.homeOf('serve');
    const words = [
      this.#stage.cli,
      'query',
      'configmaps',
      '-A',
      ...SELECTED,
      '-o',
      'json',
      '--kubeconfig',
      serve.kubeconfig,
    ];
    const env = { PATH: process.env.PATH, HOME: home, XDG_RUNTIME_DIR: home, NO_COLOR: '1' };
    const { stdout } = await promisify(execFile)(process.execPath, words, { env, maxBuffer: 1e9, timeout: 60_000 });
    const states = new Map<string, ObjectState>();
    for (const { metadata } of JSON.parse(stdout).items) {
      const { namespace, name, uid, resourceVersion, annotations } = metadata;
      states.set(`${namespace}/${name}`, { uid, version: Number(resourceVersion), mark: annotations?.mark });
    }
    return { states };
  }

  // --- the faults ---

  #kind(i: number): StrikeKind {
    const kinds = kindsOf(this.#options);
    const round = seededRandom(this.#options.seed * 1_000 + Math.floor(i / kinds.length));
    const order = kinds.map((kind) => ({ kind, at: round() })).sort((a, b) => a.at - b.at);
    return order[i % kinds.length]?.kind ?? 'reset';
  }

  /** Carries out a fault of the server to its end; one of a network goes on in the background. */
  async #strike(kind: StrikeKind, say: (line: string) => void): Promise<void> {
    const random = this.#random;
    const fault = answerFault(kind, random);
    this.#faults[kind] = (this.#faults[kind] ?? 0) + 1;
    if (fault) {
      const victim = this.#victim();
      say(`${kind}: ${JSON.stringify(fault.fault)} *${fault.times} ${victim?.name}`);
      await this.#stage.ask(fault);
      victim?.proxy.reset();
      await sleep(1_500);
      await this.#stage.ask({ do: 'clear faults' });
      return;
    }
    say(`${kind}`);
    switch (kind) {
      case 'restart with history':
      case 'restart without history':
        return this.#down((downMs) => ({ do: 'restart', keepHistory: kind === 'restart with history', downMs }));
      case 'restore':
      case 'wipe':
        return this.#replaceHistory(kind);
      case 'compact':
        await this.#stage.ask({ do: 'compact' });
        this.#victim()?.proxy.reset();
        return;
      case 'skew':
        await this.#stage.ask({ do: 'skew', ms: Math.round((random() - 0.5) * 7_200_000) });
        return;
      case 'token':
        return this.#token();
      case 'rights':
        return this.#rights();
      case 'certificate':
        return this.#certificate();
      case 'clock of the programs':
        this.#ahead = this.#ahead === 0 ? Math.round((random() - 0.5) * 7_200_000) : 0;
        this.#stage.jumpClock(this.#ahead);
        return;
      default:
        this.#background(kind);
    }
  }

  /** A fault of one program that goes on while others happen. */
  #background(kind: StrikeKind): void {
    const victim = kind === 'kill' ? this.#victim(/^(?:leader|shards|recorder)/) : this.#victim();
    if (!victim || (kind === 'freeze' && !/^(?:stream|slow|rows|serve|recorder)/.test(victim.name))) return;
    this.#busy.add(victim);
    const doing = this.#disturb(kind, victim).finally(() => {
      this.#busy.delete(victim);
      this.#pending.delete(doing);
    });
    this.#pending.add(doing);
  }

  async #disturb(kind: StrikeKind, { proxy, name, ...program }: Program): Promise<void> {
    const victim = this.#stage.program(name);
    void program;
    const seconds = (least: number, most: number) => sleep((least + this.#random() * (most - least)) * 1_000);
    const from = machineNow();
    const note = (how: Outage['kind']) => this.#outages.push({ program: name, kind: how, from, to: machineNow() });
    switch (kind) {
      case 'reset':
        proxy.reset();
        break;
      case 'cut':
        proxy.cutAfter(Math.floor(this.#random() * 2_000));
        break;
      case 'outage':
        proxy.break('reset');
        await seconds(2, 8);
        note('refused');
        proxy.heal();
        break;
      case 'page':
      case 'redirect':
        proxy.break(kind);
        await seconds(2, 6);
        note('refused');
        proxy.heal();
        break;
      case 'black hole':
        proxy.break('black hole');
        await seconds(38, 45);
        note('silent');
        proxy.heal();
        break;
      case 'half-open': {
        const end = proxy.halfOpen();
        await seconds(35, 40);
        end();
        note('half-open');
        break;
      }
      case 'slow':
        proxy.break('slow');
        await seconds(4, 10);
        proxy.heal();
        break;
      case 'freeze':
        victim.signal('SIGSTOP');
        await seconds(2, 15);
        victim.signal('SIGCONT');
        note('frozen');
        break;
      case 'kill':
        await victim.replace();
        await seconds(2, 3);
        break;
    }
  }

  /** A program that no other fault has, and whose name fits. */
  #victim(name = /./): Program | undefined {
    const free = this.#stage.programs.filter((program) => !this.#busy.has(program) && name.test(program.name));
    // half of all faults strike the stream of which every event is judged
    const stream = free.find((program) => program.name === 'stream');
    if (stream && this.#random() < 0.4) return stream;
    return free[Math.floor(this.#random() * free.length)];
  }

  /** The server has older Leases, or none, so that each replica may take what another one still has. */
  async #replaceHistory(kind: 'restore' | 'wipe'): Promise<void> {
    const from = machineNow();
    await this.#down((downMs) => ({ do: kind, downMs }));
    this.#withoutLeases.push({ from, to: machineNow() + LEASE_MS });
  }

  async #down(order: (downMs: number) => Order): Promise<void> {
    const from = machineNow();
    const downMs = this.#random() < 0.5 ? 0 : Math.floor(this.#random() * 5_000);
    await this.#stage.ask(order(downMs));
    this.#outages.push({ program: undefined, kind: 'refused', from, to: from + downMs });
    await sleep(1_500);
    await this.#stage.ask({ do: 'snapshot' });
    await sleep(this.#random() * 2_000);
  }

  /** The token expires; those who have it cannot open anything until they are given the next one. */
  async #token(): Promise<void> {
    await this.#stage.ask({ do: 'expire token' });
    for (const { proxy, user } of this.#stage.programs) if (user === 'administrator') proxy.reset();
    await sleep(500 + this.#random() * 3_000);
    await this.#stage.ask({ do: 'rotate token' });
    for (const program of this.#stage.programs)
      if (program.user === 'administrator') program.logIn(this.#stage.tokens.administrator);
    await sleep(3_000);
  }

  async #rights(): Promise<void> {
    await this.#stage.ask({ do: 'rights', isGranted: false });
    for (const { proxy, user } of this.#stage.programs) if (user === 'reader') proxy.reset();
    await sleep(1_000 + this.#random() * 4_000);
    await this.#stage.ask({ do: 'rights', isGranted: true });
    await sleep(2_000);
  }

  async #certificate(): Promise<void> {
    const next = await this.#stage.authority.issue();
    for (const { proxy } of this.#stage.programs) proxy.rotate(next);
  }

  // --- the end ---

  async #calm(): Promise<void> {
    const { server } = this.#stage;
    await server.ask({ do: 'write', perSecond: 0 });
    await server.ask({ do: 'clear faults' });
    await server.ask({ do: 'skew', ms: 0 });
    this.#stage.jumpClock(0);
    await sleep(1_000);
    await server.ask({ do: 'report' });
    const { truths } = server;
    const isDone = () =>
      this.#stream.isAtEnd(truths) &&
      this.#slow.isAtEnd(truths) &&
      this.#rows.isAtEnd(truths) &&
      isRecorded(this.#recordingFile, truths) &&
      GROUPS.every((group) => this.#runProblems(group).length === 0) &&
      this.#screenProblems().length === 0;
    await this.#stage.until('all programs to be up to date', isDone, LONGEST_CALM_MS).catch(() => {}); // the verdicts say it
  }

  async #judge(): Promise<Map<string, Verdict>> {
    const { truths } = this.#stage.server;
    const verdicts = new Map<string, Verdict>();
    const screen = this.#screenProblems();
    const last = await this.#question().catch((error) => String(error));
    const serve =
      typeof last === 'string' ? [last] : differences(last.states, lastStates(truths.get(CONFIG_MAPS) as never));
    const running = this.#stage.programs.filter((program) => program.isOver).map(({ name }) => name);
    for (const program of this.#stage.programs) program.signal('SIGCONT');
    await Promise.all(this.#stage.programs.map((program) => program.end('SIGINT')));
    const code = (name: string) => this.#stage.program(name).exitCode;
    const stream = this.#stream.judgeAll(truths, code('stream'));
    const untold = outageProblems(this.#outages, this.#stream.records, [...truths.keys()]);
    verdicts.set('stream', {
      problems: [...stream.problems, ...untold.problems],
      figures: { ...stream.figures, 'outages reported': untold.told },
    });
    verdicts.set('slow-reader', this.#slow.judgeCoalesced(truths, code('slow-reader')));
    verdicts.set('rows', this.#rows.judge(truths, code('rows')));
    verdicts.set('live', { problems: screen, figures: {} });
    verdicts.set('recorder', await this.#judgeRecording());
    verdicts.set('serve', { problems: serve, figures: { questions: this.#asked, refused: this.#answers.length } });
    for (const group of GROUPS) {
      const problems = this.#runProblems(group);
      const { runs } = this.#verdictOf(group);
      const restarts = this.#stage.programs.flatMap((program) =>
        program.name.startsWith(group) ? program.restarts : [],
      );
      for (const reason of new Set(restarts)) this.#options.say?.(`${group} ended and was started again: ${reason}`);
      verdicts.set(group, { problems, figures: { runs, 'ends by itself': restarts.length } });
    }
    for (const name of running) {
      verdicts.set(`${name}, its end`, {
        problems: [`it ended early: ${this.#stage.program(name).stderr.slice(-600)}`],
        figures: {},
      });
    }
    for (const { name, stderr } of this.#stage.programs) {
      const bad = /^.*(?:TypeError|RangeError|ReferenceError|Unhandled|\n {4}at ).*$/m.exec(stderr)?.[0];
      if (bad) verdicts.set(`${name}, its log`, { problems: [bad.slice(0, 300)], figures: {} });
    }
    return verdicts;
  }

  /** The recording shown again is judged as a stream: what is not in it must lie in a gap that it marks. */
  async #judgeRecording(): Promise<Verdict> {
    const reader = new StreamReader(machineNow);
    const again = ['watch', 'configmaps,secrets', '-A', '--from', this.#recordingFile, '-o', 'json', '--markers'];
    const env = { PATH: process.env.PATH, HOME: this.#stage.folder, NO_COLOR: '1' };
    const child = spawn(process.execPath, [this.#stage.cli, ...again], { env, stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.setEncoding('utf8').on('data', reader.take);
    const [code] = (await once(child, 'close')) as [number | null];
    const { problems, figures } = reader.judgeAll(this.#stage.server.truths, code);
    return { problems, figures: { ...figures, restarts: this.#stage.program('recorder').ended.size } };
  }

  get #recordingFile(): string {
    return path.join(this.#stage.folder, 'soak.rec');
  }

  #keep(): void {
    const { keep } = this.#options;
    if (keep === undefined) return;
    mkdirSync(keep, { recursive: true });
    const write = (name: string, lines: readonly unknown[]) =>
      writeFileSync(path.join(keep, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    write('stream.jsonl', this.#stream.records);
    for (const [gvr, { transitions }] of this.#stage.server.truths) write(`${path.basename(gvr)}.jsonl`, transitions);
    for (const group of GROUPS) copyFileSync(this.#journalFile(group), path.join(keep, `${group}.runs.jsonl`));
    copyFileSync(this.#recordingFile, path.join(keep, 'soak.rec'));
    write('without-leases.jsonl', this.#withoutLeases);
    write('outages.jsonl', this.#outages);
    writeFileSync(path.join(keep, 'screen.txt'), this.#screen.text);
    writeFileSync(path.join(keep, 'screen-at-end.txt'), this.#screen.lines.join('\n'));
    for (const { name, stderr } of this.#stage.programs) writeFileSync(path.join(keep, `${name}.log`), stderr);
  }

  #screenProblems(): string[] {
    const truth = this.#stage.server.truths.get(CONFIG_MAPS);
    const isShown = this.#stage.programs.some(({ name }) => name === 'live');
    return truth && isShown ? this.#screen.differences(truth) : [];
  }

  #runProblems(group: string): readonly string[] {
    return this.#verdictOf(group).problems;
  }

  #verdictOf(group: string): ReturnType<typeof judgeRuns> {
    const truth = this.#stage.server.truths.get(CONFIG_MAPS);
    const states = truth ? lastStates(truth) : new Map<string, ObjectState>();
    const marks = new Map([...states].map(([key, { mark }]) => [key, mark]));
    const endedAt = new Map(this.#stage.programs.flatMap(({ ended }) => [...ended]));
    const withoutLeases = this.#withoutLeases;
    const seesDeletions = group === 'reconcile';
    return judgeRuns(readJournal(this.#journalFile(group)), { marks, endedAt, seesDeletions, withoutLeases });
  }
}

/** Whether a recording ends with the server's state. */
function isRecorded(file: string, truths: ReadonlyMap<string, TypeTruth>): boolean {
  using recording = Recording.open(file);
  const last = recording.revisionAt(Number.MAX_SAFE_INTEGER);
  return [...truths].every(([gvr, truth]) => {
    const of = recording.sources.filter(({ type }) => formatGvr(type.gvr) === gvr);
    const states = of.flatMap(({ id }) => [...recording.statesAt(id, last)]);
    const found = new Map(states.map(({ key, state }) => [key, stateOf(state as unknown as StreamRecord)]));
    return differences(found, lastStates(truth)).length === 0;
  });
}

/** The faults that happen. Throws for one that the server cannot have. */
function kindsOf({ kinds, kubeconfig }: Pick<SoakOptions, 'kinds' | 'kubeconfig'>): readonly StrikeKind[] {
  const possible = kubeconfig === undefined ? (Object.keys(STRIKES) as StrikeKind[]) : OF_ANY_SERVER;
  const impossible = kinds?.find((kind) => !possible.includes(kind));
  if (impossible) throw new Error(`a cluster of the user's cannot be struck by "${impossible}"`);
  return kinds ?? possible;
}

const GROUPS = ['reconcile', 'leader', 'shards'];
const isSynced = ({ type }: { type: string }) => type === 'SYNCED';
