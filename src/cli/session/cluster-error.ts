import { InformerError, isInformerError } from '../../kit/error.ts';
import { errorTexts } from '../terminal/error-text.ts';
import { SeveralErrors } from '../terminal/exit-codes.ts';
import { StaleType } from '../terminal/stale-type.ts';
import { isFailure } from '../terminal/stream-ending.ts';

/** How a cluster of several is called in notices and errors. */
export const clusterText = (cluster: string): string => `cluster ${cluster}`;

/** A line for stderr with the cluster that it is about: `error: cluster east: …`, `cluster east: …`. */
export function clusterLine(cluster: string, text: string): string {
  const [, word = '', rest = ''] = /^((?:error|hint|Warning): )?(.*)$/s.exec(text) ?? [];
  return `${word}${clusterText(cluster)}: ${rest}`;
}

/** The same error with the name of its cluster, for a command that uses several. The exit code stays the same. */
export function inCluster(cluster: string | undefined, error: unknown): unknown {
  if (cluster === undefined || error === undefined || !isFailure(error)) return error;
  if (error instanceof SeveralErrors) return SeveralErrors.of(error.errors.map((each) => inCluster(cluster, each)));
  const { message, hint } = errorTexts(error);
  if (message.startsWith(`${clusterText(cluster)}: `)) return error;
  const code = isInformerError(error) ? error.code : 'transport';
  const Kind = error instanceof StaleType ? StaleType : InformerError;
  return new Kind(code, `${clusterText(cluster)}: ${message}`, { cause: error, hint });
}
