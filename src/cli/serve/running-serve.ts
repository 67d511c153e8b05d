import path from 'node:path';
import type { Clock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import { askSocket, type SocketRequest } from '../../kit/socket-request.ts';
import { isListening } from '../../serve/client/listening.ts';
import { type FoundServe, servesOf } from '../../serve/find.ts';
import type { ServeIdentity } from '../../serve/identity.ts';
import { isThisProtocol, protocolError } from '../../serve/protocol.ts';
import type { Session } from '../session/session.ts';
import { ExitCode } from '../terminal/exit-codes.ts';
import type { TypeStatus } from './serve-status.ts';
import { sayUiPlace, UI_PATH, type UiAsked, type UiPlace } from './serve-ui.ts';

/** The running serve of an identity; undefined if there is none, or one that was killed. */
export async function runningServe(
  { key }: Pick<ServeIdentity, 'key'>,
  env: NodeJS.ProcessEnv,
): Promise<FoundServe | undefined> {
  const found = servesOf(env).find(({ folder }) => path.basename(folder) === key);
  return found && (await isListening(found.socket)) ? found : undefined;
}

/** Asks a running serve. Rejects with its error, with `config` for another protocol, with `transport` if it is silent. */
export async function askRunning<T>({ about, socket }: FoundServe, request: SocketRequest, clock: Clock): Promise<T> {
  const who = `the serve with pid ${about.pid}`;
  if (!isThisProtocol(about.protocol)) throw protocolError(String(about.protocol), who);
  const hint = `was it stopped? kill -CONT ${about.pid} continues it`;
  const { status, body } = await askSocket(socket, request, { who, hint, clock });
  const answer = JSON.parse(body) as T & { error?: { message: string; hint?: string } };
  if (status < 300) return answer;
  throw new InformerError('config', answer.error?.message ?? `${who} answered ${status}`, { hint: answer.error?.hint });
}

/** Lets a serve that runs already hold more types and indexes. Undefined if none runs. */
export async function addToRunning(
  identity: ServeIdentity,
  {
    page,
    ...more
  }: { readonly words: readonly string[]; readonly indexes: readonly string[]; readonly page?: UiAsked },
  session: Session,
): Promise<ExitCode | undefined> {
  const { io, clock, notice } = session;
  const running = await runningServe(identity, io.env);
  if (!running) return undefined;
  const body = JSON.stringify(more);
  const { types } = await askRunning<{ types: TypeStatus[] }>(
    running,
    { path: '/v1/types', method: 'POST', body },
    clock,
  );
  const held = types.map(({ type, objects }) => `${type} (${objects})`).join(', ');
  notice(`a serve (pid ${running.about.pid}) runs already for ${identity.server}; it holds ${held}`);
  if (page) {
    const asked = { path: UI_PATH, method: 'POST', body: JSON.stringify(page) } as const;
    sayUiPlace(session, await askRunning<UiPlace>(running, asked, clock));
  }
  return ExitCode.ok;
}
