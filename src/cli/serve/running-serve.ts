import path from 'node:path';
import type { Clock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import { askSocket, type SocketRequest } from '../../kit/socket-request.ts';
import type { TypeStatus } from '../../serve/api/serve-status.ts';
import { isListening } from '../../serve/client/listening.ts';
import { type FoundServe, servesOf } from '../../serve/find.ts';
import type { ServeIdentity } from '../../serve/folder-key.ts';
import { isThisProtocol, protocolError } from '../../serve/protocol.ts';
import type { Session } from '../session/session.ts';
import { ExitCode } from '../terminal/exit-codes.ts';
import { sayUiPlace, UI_PATH, type UiFlags, type UiPlace } from './serve-ui.ts';

/** The running serve of an identity; undefined if there is none, or one that was killed. */
export async function runningServe(
  { key }: Pick<ServeIdentity, 'key'>,
  env: NodeJS.ProcessEnv,
): Promise<FoundServe | undefined> {
  const found = servesOf(env).find(({ folder }) => path.basename(folder) === key);
  return found && (await isListening(found.socket)) ? found : undefined;
}

/** Asks a running serve. Rejects with its error (`argument` if the request was wrong), with `config` for another protocol, with `transport` if it is silent. */
export async function askRunning<T>(
  { about, socket }: FoundServe,
  request: SocketRequest,
  clock: Clock,
  hint = `was it stopped? kill -CONT ${about.pid} continues it`,
): Promise<T> {
  const who = `the serve with pid ${about.pid}`;
  if (!isThisProtocol(about.protocol)) throw protocolError(String(about.protocol), who);
  const { status, body } = await askSocket(socket, request, { who, hint, clock });
  const answer = JSON.parse(body) as T & { error?: { message: string; hint?: string } };
  if (status < 300) return answer;
  const code = status === 400 ? 'argument' : 'config';
  throw new InformerError(code, answer.error?.message ?? `${who} answered ${status}`, { hint: answer.error?.hint });
}

/** The types and indexes that a second `serve` adds to the running one. */
export interface MoreToHold {
  readonly words: readonly string[];
  readonly indexes: readonly string[];
  /** [''] = all; undefined: those that the running one has. */
  readonly namespaces: readonly string[] | undefined;
  /** Flags that are given, and that a running serve keeps as it was started. */
  readonly fixed: readonly string[];
  /** The page that is asked for, if there is one. */
  readonly page?: UiFlags | undefined;
}

/**
 * Lets a serve that runs already hold more types and indexes. Undefined if none runs. Rejects with `config` before
 * anything is added if it does not hold the namespaces.
 */
export async function addToRunning(
  identity: ServeIdentity,
  { words, indexes, namespaces = [], fixed, page }: MoreToHold,
  session: Session,
): Promise<ExitCode | undefined> {
  const { io, clock, notice } = session;
  const running = await runningServe(identity, io.env);
  if (!running) return undefined;
  const who = `a serve (pid ${running.about.pid}) runs already for ${identity.server}`;
  const now = await askRunning<{ types: TypeStatus[] }>(running, { path: '/v1/types' }, clock);
  const cached = now.types.find((each) => each.namespaces)?.namespaces ?? [''];
  const missing = cached.includes('') ? [] : namespaces.filter((namespace) => !cached.includes(namespace));
  if (missing.length > 0)
    throw new InformerError('config', `${who}; it holds ${cached.join(', ')}, and not ${namesOf(missing)}`, {
      hint: `'serve stop' ends it; then start one with the namespaces of both, or with -A`,
    });
  const body = JSON.stringify({ words, indexes });
  const { types } = await askRunning<{ types: TypeStatus[] }>(
    running,
    { path: '/v1/types', method: 'POST', body },
    clock,
  );
  const all = types.map(({ type, objects }) => `${type} (${objects})`).join(', ');
  const flags = fixed
    .map((name) => `--${name}`)
    .join(', ')
    .replace(/, ([^,]*)$/, ' and $1');
  const verb = fixed.length === 1 ? 'has' : 'have';
  const useless = fixed.length === 0 ? '' : `; what it was started with stays: ${flags} ${verb} no effect`;
  notice(`${who}; it holds ${all}${useless}`);
  if (page) {
    const asked = { path: UI_PATH, method: 'POST', body: JSON.stringify(page) } as const;
    sayUiPlace(session, await askRunning<UiPlace>(running, asked, clock));
  }
  return ExitCode.ok;
}

const namesOf = (namespaces: readonly string[]) => (namespaces.includes('') ? 'all namespaces' : namespaces.join(', '));
