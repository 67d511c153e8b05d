import { ageMsOf, type Holding } from './holding.ts';

export interface HowFound {
  /** The plan and its counts. */
  readonly how: string;
  /** The number of objects that also meet the filters; undefined without filters. */
  readonly filtered: number | undefined;
  /** What a server was asked for in place of all objects. */
  readonly pushed: string;
}

/** One line for `--explain`: how the objects of one type were found, and how old they are. */
export function explainedText(holding: Holding, { how, filtered, pushed }: HowFound): string {
  return [
    `${holding.informer.name}: ${how}`,
    ...(filtered === undefined ? [] : [`filters kept ${filtered}`]),
    `pushed to the server: ${pushed}`,
    `last sign of life ${ageMsOf(holding).toFixed(0)}ms ago, at version ${versionsOf(holding)}`,
  ].join('; ');
}

const versionsOf = ({ informer: { continuity } }: Holding) =>
  [...new Set(continuity.map(({ resourceVersion }) => resourceVersion).filter(Boolean))].join(' and ') || 'none';
