import { isLoopback } from '../client/http/connection-text.ts';
import { InformerError } from '../kit/error.ts';
import { parseListenAddress } from '../ops/ops-server.ts';

/** Where a Pod serves its probes. */
export interface MetricsPort {
  readonly address: string;
  readonly port: number;
  /** Remarks about differences from the given address. */
  readonly remarks: readonly string[];
}

const DEFAULT_PORT = 8080;
/** A process that is not root may not listen below it. */
const FIRST_PORT = 1024;

/**
 * The address of `--metrics` in a Pod, whose probes come from outside of it. Throws `argument` for a port that probes
 * cannot know, or that the Pod may not use.
 */
export function metricsPort(given: string | undefined): MetricsPort {
  if (given === undefined) return { address: `0.0.0.0:${DEFAULT_PORT}`, port: DEFAULT_PORT, remarks: [] };
  const { host, port } = parseListenAddress(given);
  if (port < FIRST_PORT)
    throw new InformerError('argument', `--metrics ${given} cannot be used in a Pod`, {
      hint:
        port === 0
          ? 'its probes need a port that is known: 0.0.0.0:8080, for example'
          : `a Pod that is not root has ports from ${FIRST_PORT} on: 0.0.0.0:8080, for example`,
    });
  if (host === '::') return { address: `[::]:${port}`, port, remarks: [] };
  const address = `0.0.0.0:${port}`;
  if (host === '0.0.0.0') return { address, port, remarks: [] };
  const why = isLoopback(host) ? 'no probe reaches it there' : 'the Pod does not have that address';
  return { address, port, remarks: [`--metrics is ${address} in the Pod instead of ${given}: ${why}`] };
}
