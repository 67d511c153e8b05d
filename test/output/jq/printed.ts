import { type Clock, systemClock } from '../../../src/kit/clock.ts';
import type { Jq } from '../../../src/output/jq/jq-expression.ts';
import { JqStream } from '../../../src/output/jq/jq-stream.ts';
import { JsonPrinter } from '../../../src/output/objects/structured.ts';
import type { PrintedEvent } from '../../../src/output/printer.ts';

export interface PrintedOptions {
  readonly terminal?: boolean;
  readonly clock?: Clock;
}

/** What a stream prints of events, with the failures in their places. */
export async function printedBy(
  jq: Jq,
  events: readonly PrintedEvent[],
  { terminal, clock = systemClock }: PrintedOptions = {},
): Promise<string> {
  let text = '';
  const put = (more: string) => {
    text += more;
    return true;
  };
  const stream = new JqStream({
    jq,
    clock,
    terminal,
    target: { write: put, ready: () => Promise.resolve() },
    onFailure: ({ code, message }) => put(`[${code}] ${message}\n`),
    onLimit: ({ code, message }) => put(`[${code}, ended] ${message}\n`),
  });
  stream.write(new JsonPrinter().events(events));
  await stream.caughtUp();
  return text;
}
