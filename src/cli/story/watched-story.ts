import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import { Bell } from '../../kit/bell.ts';
import { InformerError } from '../../kit/error.ts';
import type { Fields } from '../../model/field-changes.ts';
import { formatGroupResource, formatGroupVersion } from '../../model/gvr.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import type { Recorder } from '../../record/recorder.ts';
import { Story, type StoryEntry } from '../../story/story.ts';
import type { StoryPrinter } from '../../story/story-printer.ts';
import { changeHandler, type ObjectChange, replacementParts } from '../../stream/envelope.ts';
import { outagesOf } from '../../stream/outage.ts';
import { Redactor } from '../../stream/redact.ts';
import type { GivenWords } from '../args/argv.ts';
import { checkStory } from '../args/story-flags.ts';
import { refuseWithout } from '../args/useless-flags.ts';
import type { WatchFlags } from '../args/watch-flags.ts';
import type { Edges } from '../base-command.ts';
import { ContinuityReporter } from '../outage/continuity-reporter.ts';
import { outageText } from '../outage/outage-text.ts';
import { onlyObject } from '../record/history-run.ts';
import { createTargets, refuseUnsynced, type WatchTarget } from '../session/informers.ts';
import { LeavingOut } from '../session/left-out.ts';
import { runTargets } from '../session/refusals.ts';
import { namespacesOf, openSession, type Session } from '../session/session.ts';
import { showSyncProgress } from '../session/sync-progress.ts';
import { exitCodeOfEnd } from '../terminal/exit-code-of-end.ts';
import { type ExitCode, isReaderGone } from '../terminal/exit-codes.ts';
import { wordsOfEnd } from '../terminal/stream-ending.ts';
import { LogLines } from './log-lines.ts';
import { notOneStory, storyPrinterOf } from './story-output.ts';
import { DoubtedNodes, storyTypes } from './story-types.ts';

/** `watch TYPE/NAME --story`: what is known so far, and then each thing as it happens. */
export async function watchStory(flags: WatchFlags, { words, given }: GivenWords, edges: Edges): Promise<ExitCode> {
  if (flags.from !== undefined)
    throw new InformerError('argument', '--story of a recording is shown by history', {
      hint: `history ${words.join(' ')} --story --from ${flags.from}`,
    });
  checkStory(given, ['timeout', 'idle-timeout', 'record', ...OF_RECORDS]);
  refuseWithout(given, OF_RECORDS, ['record']);
  if (words.length === 0) throw notOneStory(edges.called);
  const printer = await storyPrinterOf(flags, edges.io);
  await using session = await openSession(flags, edges);
  const selection = await onlyObject(words, session, notOneStory(edges.called));
  const [namespace = ''] = namespacesOf({ namespace: flags.namespace, 'all-namespaces': false }, session.config);
  using watched = new WatchedStory(session, selection, { flags, namespace, printer });
  return await watched.run();
}

const OF_RECORDS = ['record-keep', 'record-size', 'record-key'];

interface WatchedStoryOptions {
  readonly flags: WatchFlags;
  readonly namespace: string;
  readonly printer: StoryPrinter;
}

/** A line that is still to be printed. */
interface Line {
  readonly at: number;
  print(): string | Promise<string>;
}

/** How long changes are gathered, so that those of one moment are in their order and judged together, ms. */
const TOGETHER_MS = 100;

class WatchedStory implements Disposable {
  readonly #session: Session;
  readonly #selection: ResourceSelection;
  readonly #options: WatchedStoryOptions;
  readonly #story: Story;
  readonly #redactor: Redactor;
  readonly #logs: LogLines | undefined;
  readonly #nodes: DoubtedNodes;
  readonly #changed = new Bell();
  readonly #gaps = new Map<WatchTarget, number>();
  #targets: readonly WatchTarget[] = [];
  #reporter: ContinuityReporter | undefined;
  #lines: Line[] = [];
  #isSynced = false;
  #isChanged = false;

  constructor(session: Session, selection: ResourceSelection, options: WatchedStoryOptions) {
    const { flags, namespace } = options;
    const { type, names } = selection;
    this.#session = session;
    this.#selection = selection;
    this.#options = options;
    const place = type.namespaced ? namespace : '';
    this.#story = new Story({ group: type.gvr.group, kind: type.kind, namespace: place, name: names[0] ?? '' });
    this.#redactor = new Redactor({ showSecrets: flags['show-secrets'] });
    this.#logs = flags.logs === undefined ? undefined : new LogLines(session, flags.logs, this.#redactor);
    this.#nodes = new DoubtedNodes(session);
  }

  async run(): Promise<ExitCode> {
    const session = this.#session;
    const { signal } = session;
    let running: Promise<void> = Promise.resolve();
    try {
      await this.#createTargets();
      const recorder = await this.#recorder();
      const read = runTargets(this.#targets, session, { endsWhenRefused: false });
      running = Promise.all([read, recorder?.run(signal)]).then(() => {});
      await this.#begin();
      while (!signal.aborted) {
        if (!this.#isChanged) await this.#changed.wait(signal);
        await session.clock.sleep(TOGETHER_MS, { signal });
        await this.#print();
      }
    } catch (error) {
      if (!signal.aborted) session.end(error);
    }
    const { reason } = signal;
    const outages = outagesOf(this.#targets, session.clock.now());
    await running;
    refuseUnsynced(reason, this.#targets);
    const code = exitCodeOfEnd(reason, { isSynced: this.#isSynced, isWaiting: false });
    if (isReaderGone(reason)) return code;
    session.io.stdout.write(
      [...this.#gaps.keys()].map((target) => this.#gapText(target, undefined, 'not closed')).join(''),
    );
    const cut = outages.length === 0 ? '' : `; ${outageText(outages, this.#targets)}`;
    session.notice(`${wordsOfEnd(reason)}${cut}`);
    return code;
  }

  [Symbol.dispose](): void {
    this.#reporter?.[Symbol.dispose]();
  }

  async #createTargets(): Promise<void> {
    const session = this.#session;
    const { type, names } = this.#selection;
    const types = await storyTypes(type, session.client);
    const selections = types.map((each) => ({ type: each, names: each === type ? names : [] }));
    this.#reporter = new ContinuityReporter(session, () => this.#targets);
    const leaving: { out?: LeavingOut } = {};
    this.#targets = createTargets(session, selections, {
      namespaces: [type.namespaced ? this.#options.namespace : ''],
      selector: undefined,
      fieldSelector: undefined,
      as: this.#options.flags.record === undefined ? 'object' : { table: 'Object' },
      keepManagedFields: true,
      followsVersions: true,
      onContinuity: (event, of) => {
        if (!session.signal.aborted) this.#reporter?.observe(event, of);
      },
      onRefused: () => leaving.out?.changed(),
    });
    leaving.out = new LeavingOut(session, this.#targets, () => {
      if (this.#targets[0]?.refusal !== undefined) session.end(this.#targets[0].refusal);
    });
    for (const target of this.#targets) this.#feed(target);
  }

  /** Records what the story is made of. */
  async #recorder(): Promise<Recorder | undefined> {
    const { flags } = this.#options;
    if (flags.record === undefined) return undefined;
    const { recorderOf } = await import('../record/recorder-of.ts');
    const recorder = recorderOf(flags, this.#session, 'watch --story');
    for (const target of this.#targets) recorder?.follow(target);
    return recorder;
  }

  #feed(target: WatchTarget): void {
    let brokenAt: number | undefined;
    target.informer.addHandler({
      ...changeHandler((change) => {
        for (const part of replacementParts(change) ?? [change]) this.#see(part, target.type);
        if (this.#isSynced) this.#wake();
      }),
      continuity: (event) => {
        if (event.kind === 'disconnected') brokenAt = event.disconnectedAt;
        if (event.kind === 'connected') brokenAt = undefined;
        if (event.kind === 'gap') this.#gaps.set(target, brokenAt ?? event.at);
        if (event.kind !== 'relisted' || !this.#gaps.has(target)) return;
        const text = this.#gapText(target, event.at, event.why);
        this.#gaps.delete(target);
        this.#lines.push({ at: event.at, print: () => text });
        this.#wake();
      },
    });
  }

  #wake(): void {
    this.#isChanged = true;
    this.#changed.wake();
  }

  #gapText(target: WatchTarget, until: number | undefined, reason: string): string {
    const since = this.#gaps.get(target) ?? 0;
    return this.#options.printer.gap({ since, until, reason, about: formatGroupResource(target.type.gvr), text: '' });
  }

  #see({ type: word, object, oldObject, cause }: ObjectChange, type: ResourceType): void {
    const shown = (each: ReadonlyObject, other: ReadonlyObject | undefined): Fields => ({
      apiVersion: formatGroupVersion(type.gvr),
      kind: type.kind,
      ...this.#redactor.redact(each, type.gvr, other ? [other] : []),
    });
    const entries = this.#story.see({
      at: this.#session.clock.now(),
      event: word === 'deleted' ? 'DELETED' : word === 'added' ? 'ADDED' : 'MODIFIED',
      cause: cause === 'initial' || cause === 'watch' ? cause : 'relist',
      object: shown(object, oldObject),
      before: oldObject && shown(oldObject, object),
    });
    for (const entry of entries) this.#lines.push({ at: entry.at, print: () => this.#textOf(entry) });
  }

  /** A line, and below it the log of the failure that it is about. */
  async #textOf(entry: StoryEntry): Promise<string> {
    const { printer } = this.#options;
    const line = printer.entries([entry]);
    if (!this.#logs || !entry.failure) return line;
    return line + printer.logs(entry.at, entry.about, await this.#logs.of(entry.failure));
  }

  /** Waits for the first lists, and prints the head and what is known so far. */
  async #begin(): Promise<void> {
    const { signal, clock, io, client, startedAt, status, notice } = this.#session;
    using _progress = showSyncProgress({ clock, startedAt, client }, status);
    await Promise.all(this.#targets.map((target) => target.settled(signal)));
    this.#isSynced = true;
    await this.#nodes.read(this.#story);
    const now = clock.now();
    this.#story.judge(now);
    const unread = this.#targets.filter(({ refusal }) => refusal !== undefined);
    const { type, names } = this.#selection;
    const called = `${formatGroupResource(type.gvr)} ${JSON.stringify(names[0])}`;
    const where = type.namespaced ? ` in ${this.#options.namespace}` : '';
    if (!this.#story.isKnown) notice(`${called} is not there yet${where}: its story begins when it comes`);
    else {
      const verdict = this.#story.verdict(now);
      const names = unread.map(({ type }) => formatGroupResource(type.gvr));
      io.stdout.write(
        this.#options.printer.head({ name: this.#story.name, at: now, verdict, outage: undefined, unread: names }),
      );
    }
    await this.#write();
  }

  async #print(): Promise<void> {
    this.#isChanged = false;
    await this.#nodes.read(this.#story);
    for (const entry of this.#story.judge(this.#session.clock.now()))
      this.#lines.push({ at: entry.at, print: () => this.#textOf(entry) });
    await this.#write();
  }

  async #write(): Promise<void> {
    const { stdout } = this.#session.io;
    const lines = this.#lines.sort((a, b) => a.at - b.at);
    this.#lines = [];
    for (const line of lines) {
      if (!stdout.write(await line.print())) await stdout.ready();
    }
  }
}
