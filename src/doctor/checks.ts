import type { Given } from '../cli/args/argv.ts';
import type { Edges } from '../cli/base-command.ts';
import { cacheFolderOf } from '../cli/session/cache-folder.ts';
import { type ConnectionFlagValues, loadOptionsOf } from '../cli/session/load-options.ts';
import { namespacesOf, openSession, type ScopeFlags, type Session } from '../cli/session/session.ts';
import { ExitCode } from '../cli/terminal/exit-codes.ts';
import { stderrLogger } from '../cli/terminal/logging.ts';
import type { ClusterConfig, Credentials } from '../client/config/cluster-config.ts';
import { requestTimeoutMsOf } from '../client/config/connection-flags.ts';
import { pluginPolicyOf } from '../client/config/kuberc.ts';
import { checkNamespaces } from '../client/name-check.ts';
import { systemClock } from '../kit/clock.ts';
import type { ResourceType } from '../model/resource-type.ts';
import type { Painter } from '../output/painter.ts';
import {
  accessFound,
  type MissingVerbs,
  missingAccess,
  NEEDED_VERBS,
  noReview,
  OPTIONAL_VERBS,
  optionalAccessFound,
} from './access.ts';
import { AnswerLog } from './answer-log.ts';
import { Checkup } from './checkup.ts';
import { ok, problem, skipped } from './finding.ts';
import { contextFound, filesFound, privacyFound } from './kubeconfig.ts';
import { expiryFound, loginFound } from './login.ts';
import { nodeFound, openFilesFound } from './machine.ts';
import { cacheFound, serveFound, socketsFound } from './own-files.ts';
import { completionFound, kubectlFound, longerNamesFound, pluginFound } from './plugin.ts';
import { FindingPrinter, reportAsJson } from './report.ts';
import {
  clockFound,
  compressionFound,
  discoveryFound,
  namespaceFound,
  serverFound,
  throttlingFound,
  userFound,
  type WhoAmI,
} from './server.ts';
import { shardsFound } from './shard-check.ts';
import { listFound, tableFound } from './type-reads.ts';
import { bookmarksFound, PROXY, type StreamedList, streamingListFound, watchFound } from './type-watches.ts';
import { groupedName, typeFound, typeWords } from './type-words.ts';

export interface DoctorFlags extends ConnectionFlagValues, ScopeFlags {
  readonly output: 'table' | 'wide' | 'json';
}

export interface DoctorSetup extends Edges {
  readonly flags: DoctorFlags;
  readonly words: readonly string[];
  /** The flag or variable that chose the context; undefined if only the kubeconfig did. */
  readonly contextGiven: Given | undefined;
  readonly painter: Painter;
}

/** The time limit of a check without --request-timeout, ms. */
const LIMIT_MS = 10_000;

/** Examines everything, prints it, and gives the exit code: 1 if there is a problem. */
export async function runDoctor(setup: DoctorSetup): Promise<ExitCode> {
  const { flags, io, signal, painter } = setup;
  const words = typeWords(setup.words);
  checkNamespaces(flags.namespace ?? []);
  const printer = new FindingPrinter(painter, { wide: flags.output === 'wide', columns: io.stdout.columns });
  const isJson = flags.output === 'json';
  const checkup = new Checkup({
    clock: systemClock,
    signal: AbortSignal.any([signal, io.stdout.closed]),
    limitMs: requestTimeoutMsOf(flags['request-timeout']) ?? LIMIT_MS,
    onFinding: isJson ? undefined : (finding) => void io.stdout.write(printer.finding(finding)),
  });
  const { findings } = checkup;
  await using doctor = new Doctor(checkup, setup, words);
  await doctor.examine();
  io.stdout.write(isJson ? reportAsJson({ ...doctor.facts, findings }) : printer.summary(findings));
  return findings.some(({ status }) => status === 'problem') ? ExitCode.failed : ExitCode.ok;
}

/** The checks in their order, and what each leaves for the next. */
class Doctor implements AsyncDisposable {
  readonly #checkup: Checkup;
  readonly #setup: DoctorSetup;
  readonly #words: readonly string[];
  readonly #log = new AnswerLog(systemClock);
  #session: Session | undefined;
  #credentials: Credentials | undefined;
  #user: WhoAmI | undefined;

  constructor(checkup: Checkup, setup: DoctorSetup, words: readonly string[]) {
    this.#checkup = checkup;
    this.#setup = setup;
    this.#words = words;
  }

  get facts() {
    const { server, context } = this.#session?.config ?? {};
    return { server, context, namespaces: this.#namespaces };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session?.[Symbol.asyncDispose]();
  }

  async examine(): Promise<void> {
    await this.#machine();
    await this.#kubeconfig();
    await this.#login();
    await this.#server();
    for (const word of this.#words) await this.#word(word);
    await this.#ownFiles();
    await this.#requests();
  }

  get #namespaces(): string[] {
    const { flags } = this.#setup;
    if (this.#session) return namespacesOf(flags, this.#session.config);
    return flags['all-namespaces'] ? [''] : [...(flags.namespace ?? [])];
  }

  /** The session that `kubeconfig.context` opened; checks that need it are skipped without it. */
  get #open(): Session {
    if (!this.#session) throw new Error('there is no session');
    return this.#session;
  }

  get #config(): ClusterConfig {
    return this.#open.config;
  }

  async #machine(): Promise<void> {
    const { io, commands } = this.#setup;
    const first = new Set(Object.keys(commands).flatMap((name) => name.split(' ', 1)));
    const surroundings = { env: io.env, program: process.argv[1] ?? '', commands: [...first] };
    await this.#checkup.check('machine.node', {}, nodeFound);
    await this.#checkup.check('machine.open-files', {}, () => openFilesFound());
    await this.#checkup.check('plugin.kubectl', {}, () => kubectlFound(surroundings));
    await this.#checkup.check('plugin.path', {}, () => pluginFound(surroundings));
    await this.#checkup.check('plugin.longer-names', {}, () => longerNamesFound(surroundings));
    await this.#checkup.check('plugin.completion', {}, () => completionFound(surroundings));
  }

  async #kubeconfig(): Promise<void> {
    const { flags, io, contextGiven } = this.#setup;
    const options = loadOptionsOf(flags, io, stderrLogger(io, 0));
    const isSandbox = flags.sandbox || flags.scenario !== undefined;
    const needs = isSandbox || flags.server !== undefined ? [] : ['kubeconfig.files'];
    const unused = () => skipped('--sandbox needs no kubeconfig');
    await this.#checkup.check('kubeconfig.files', {}, isSandbox ? unused : () => filesFound(options));
    await this.#checkup.check('kubeconfig.private', { needs }, isSandbox ? unused : () => privacyFound(options));
    await this.#checkup.check('kubeconfig.context', { needs }, async () => {
      this.#session = await openSession(flags, this.#setup, { through: (transport) => this.#log.through(transport) });
      if (isSandbox) return ok(`the embedded server of --sandbox, ${this.#config.server}`);
      return contextFound(this.#config, contextGiven, options);
    });
  }

  async #login(): Promise<void> {
    const whenSlow = 'does the login plugin wait for you? log in first: kubectl get --raw /version';
    await this.#checkup.check('login.kind', { needs: ['kubeconfig.context'], whenSlow }, async (signal) => {
      this.#credentials = await this.#config.credentials({ signal });
      const policy =
        this.#config.login?.kind === 'exec' ? await pluginPolicyOf(this.#setup.io.env, () => {}) : undefined;
      return loginFound(this.#config, this.#credentials, policy);
    });
    await this.#checkup.check('login.expiry', { needs: ['login.kind'] }, () =>
      this.#credentials ? expiryFound(this.#config, this.#credentials, systemClock.now()) : problem('no credentials'),
    );
  }

  async #server(): Promise<void> {
    const whenSlow = 'can the server be reached from here? check the address, VPN, firewall and proxy';
    await this.#checkup.check('server.reach', { needs: ['login.kind'], whenSlow }, (signal) =>
      serverFound(this.#open.client, this.#config, signal),
    );
    await this.#checkup.check('server.clock', { needs: ['server.reach'] }, () => clockFound(this.#log.reading));
    await this.#checkup.check('server.user', { needs: ['server.reach'] }, (signal) =>
      userFound(this.#open.client, signal, (user) => {
        this.#user = user;
      }),
    );
    await this.#checkup.check('server.discovery', { needs: ['server.user'] }, () => discoveryFound(this.#open.client));
    for (const namespace of this.#namespaces.filter((name) => name !== '')) {
      await this.#checkup.check('server.namespace', { of: namespace, needs: ['server.user'] }, (signal) =>
        namespaceFound(this.#open.client, namespace, signal),
      );
    }
  }

  /** Checks of what a word of the command line means, which may be several types. */
  async #word(word: string): Promise<void> {
    let types: readonly ResourceType[] = [];
    await this.#checkup.check('type.found', { of: word, needs: ['server.discovery'] }, () =>
      typeFound(this.#open.client, word, (found) => {
        types = found;
      }),
    );
    for (const type of types) await this.#type(type, types.length === 1 ? word : groupedName(type));
  }

  async #type(type: ResourceType, of: string): Promise<void> {
    const { client } = this.#open;
    let missing: MissingVerbs = new Map();
    const question = { type, namespaces: this.#namespaces, user: this.#user };
    await this.#checkup.check('type.access', { of }, async (signal) => {
      const needed = { ...question, verbs: NEEDED_VERBS };
      try {
        missing = await missingAccess(client, needed, signal);
        return accessFound(needed, missing);
      } catch (error) {
        return noReview(error);
      }
    });
    await this.#checkup.check('type.optional-access', { of }, async (signal) => {
      const optional = { ...question, verbs: OPTIONAL_VERBS };
      try {
        return optionalAccessFound(optional, await missingAccess(client, optional, signal));
      } catch (error) {
        return noReview(error);
      }
    });
    const place = this.#namespaces.find((name) => !missing.has(type.namespaced ? name : ''));
    const isOpen = place !== undefined;
    const namespace = type.namespaced && place !== '' ? place : undefined;
    const needs = isOpen ? [] : ['type.access'];
    let version = '';
    let streamed: StreamedList | undefined;
    const asked = (signal: AbortSignal) => ({ client, type, namespace, signal });
    await this.#checkup.check('type.list', { of, needs }, (signal) =>
      listFound(asked(signal), (found) => {
        version = found;
      }),
    );
    await this.#checkup.check('type.table', { of, needs: ['type.list'] }, (signal) => tableFound(asked(signal)));
    await this.#checkup.check('type.watch', { of, needs: ['type.list'], whenSlow: PROXY }, (signal) =>
      watchFound(asked(signal), version),
    );
    await this.#checkup.check('type.streaming-list', { of, needs: ['type.watch'], whenSlow: PROXY }, (signal) =>
      streamingListFound(asked(signal), (list) => {
        streamed = list;
      }),
    );
    await this.#checkup.check('type.bookmarks', { of, needs: ['type.watch'] }, (signal) =>
      bookmarksFound(asked(signal), version, streamed),
    );
    await this.#checkup.check('type.shards', { of, needs: ['type.list'] }, (signal) => shardsFound(asked(signal)));
  }

  async #ownFiles(): Promise<void> {
    const { flags, io } = this.#setup;
    await this.#checkup.check('own.serve', { needs: ['kubeconfig.context'] }, () =>
      serveFound(this.#config, io.env, systemClock.now()),
    );
    await this.#checkup.check('own.cache', {}, () => cacheFound(cacheFolderOf(flags, io)));
    await this.#checkup.check('own.sockets', {}, () => socketsFound(io.env));
  }

  async #requests(): Promise<void> {
    const needs = ['server.reach'];
    await this.#checkup.check('requests.throttled', { needs }, () => throttlingFound(this.#log));
    await this.#checkup.check('requests.compressed', { needs }, () => compressionFound(this.#log, this.#config));
  }
}
