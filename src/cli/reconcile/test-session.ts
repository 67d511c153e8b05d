import { Writable } from 'node:stream';
import { createClient } from '../../client/client.ts';
import { createConfig } from '../../client/config/cluster-config.ts';
import { resolveResourceArgs } from '../../client/discovery/resource-args.ts';
import { abortable } from '../../kit/abort.ts';
import { systemClock } from '../../kit/clock.ts';
import { silentLogger } from '../../kit/logger.ts';
import type { Edges } from '../base-command.ts';
import type { Session } from '../session/session.ts';
import { TextSink } from '../terminal/io.ts';
import { StatusLine } from '../terminal/status-line.ts';
import type { SceneSettings } from './test-checks.ts';
import { gatedTransport, type SceneServer } from './test-scene.ts';

/** A session on the server of a test, which prints nothing. Writes pass the gate. */
export function testSession(server: SceneServer, { io, signal, atOnce }: Edges, gate: SceneSettings['gate']): Session {
  const muted = { ...io, stdout: new TextSink(nowhere()), stderr: new TextSink(nowhere()) } as typeof io;
  const ending = new AbortController();
  const client = createClient(
    gatedTransport(server.transport({ chunkBytes: 65_536 }), () => gate),
    { clock: systemClock, logger: silentLogger },
  );
  return {
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
}

/** A stream that keeps nothing: what the runs print is not the result of the test. */
const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });
