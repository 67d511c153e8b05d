import { systemClock } from '../../kit/clock.ts';
import { ageDuration, humanDuration } from '../../kit/duration.ts';
import { InformerError } from '../../kit/error.ts';
import { cellText } from '../../output/escape.ts';
import { AlignedTable } from '../../output/tables/table.ts';
import type { ServeStatus, TypeStatus } from '../../serve/api/serve-status.ts';
import { isListening } from '../../serve/client/listening.ts';
import type { FoundServe } from '../../serve/find.ts';
import type { Edges } from '../base-command.ts';
import type { ConnectionFlagValues } from '../session/load-options.ts';
import { serveKeyOf } from '../session/program-key.ts';
import { ExitCode } from '../terminal/exit-codes.ts';
import { askRunning, runningServe } from './running-serve.ts';

/** Prints what the running serve of these flags holds. */
export async function showStatus(flags: ConnectionFlagValues & { output: string }, { io }: Edges): Promise<ExitCode> {
  const running = await found(flags, io);
  const status = await askRunning<ServeStatus>(running, { path: '/v1/status' }, systemClock);
  io.stdout.write(flags.output === 'json' ? `${JSON.stringify(status, null, 2)}\n` : statusText(status));
  return ExitCode.ok;
}

/** How often it is asked whether a serve is gone, and how long, ms. */
const STEP_MS = 50;
const GONE_MS = 10_000;

/** Ends the running serve of these flags, and resolves when it is gone. */
export async function stopServe(flags: ConnectionFlagValues, { io, signal }: Edges): Promise<ExitCode> {
  const running = await found(flags, io);
  const { pid } = running.about;
  // one that does not run reads this when it is continued
  const hint = `was it stopped? kill -CONT ${pid} continues it, and it ends then; kill -KILL ${pid} ends it at once`;
  await askRunning(running, { path: '/v1/stop', method: 'POST' }, systemClock, hint);
  for (let waited = 0; await isListening(running.socket); waited += STEP_MS) {
    if (waited >= GONE_MS)
      throw new InformerError('transport', `the serve with pid ${pid} has not ended within ${GONE_MS / 1000}s`, {
        hint: `kill ${pid} ends it`,
      });
    await systemClock.sleep(STEP_MS, { signal });
  }
  io.stderr.write(`serve (pid ${pid}) has ended\n`);
  return ExitCode.ok;
}

async function found(flags: ConnectionFlagValues, io: Edges['io']): Promise<FoundServe> {
  const key = (await serveKeyOf(flags, io))?.key;
  const running = key === undefined ? undefined : await runningServe({ key }, io.env);
  if (running) return running;
  throw new InformerError('config', 'no serve runs for this cluster and user', {
    hint: "'serve TYPE' starts one; --context and --kubeconfig choose another cluster",
  });
}

function statusText({ pid, version, started, server, user, types, indexes, rssBytes, page }: ServeStatus): string {
  const now = systemClock.now();
  const rows = types.map((each) => [
    each.type,
    whereText(each),
    String(each.objects),
    each.synced ? (each.ageMs === undefined ? '<unknown>' : ageDuration(each.ageMs)) : 'syncing',
    each.disconnected ? `no, since ${each.disconnected.since}: ${each.disconnected.reason}` : 'yes',
  ]);
  const table = new AlignedTable();
  const all = [['TYPE', 'NAMESPACES', 'OBJECTS', 'AGE OF DATA', 'CONNECTED'], ...rows].map((row) => row.map(cellText));
  for (const row of all) table.fit(row);
  const names = indexes.map(({ name, from }) => `${name}=${from}`).join(', ');
  return [
    `serve (pid ${pid}, version ${version}) for ${cellText(server)}${user === undefined ? '' : ` as ${JSON.stringify(user)}`}`,
    `running for ${humanDuration(now - Date.parse(started))}, ${(rssBytes / 1e6).toFixed(0)} MB of memory`,
    ...(page ? [`page: ${page.address} (the URL with its token is in ${cellText(page.file)})`] : []),
    ...(names === '' ? [] : [`indexes: ${cellText(names)}`]),
    all
      .map((row) => table.line(row))
      .join('')
      .trimEnd(),
    '',
  ].join('\n');
}

function whereText({ namespaces }: TypeStatus): string {
  if (namespaces === undefined) return '-';
  return namespaces.includes('') ? '<all>' : namespaces.join(',');
}
