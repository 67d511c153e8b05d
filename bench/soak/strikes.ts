import type { Order } from './protocol.ts';

/** Kinds of faults, and what each does. */
export const STRIKES = {
  // of the network of one program
  reset: 'all connections are reset',
  outage: 'connections are reset and refused for seconds',
  'black hole': 'nothing is answered, and nothing said, for half a minute',
  'half-open': 'the connections that are there answer nothing any more; new ones work',
  cut: 'connections end within a line',
  page: 'HTML from something before the server',
  redirect: 'redirects to a login page',
  slow: '20 kB a second',
  // of the server
  'restart with history': 'the server restarts',
  'restart without history': 'the server restarts, and has forgotten all older versions',
  restore: 'the server comes back with an older state',
  wipe: 'another, empty server has the address',
  compact: 'the server forgets all older versions',
  skew: 'the clock of the server jumps by up to an hour',
  'answer cut': 'answers break after some lines',
  'answer stalled': 'answers stop, and stay open',
  'answer truncated': 'answers end in the middle of a line, without an error',
  'answer 410': '410, also within a watch',
  'answer 429': '429 with Retry-After',
  'answer 500': '500',
  'answer 503': '503',
  'answer 401 or 403': '401 or 403',
  'answer late': 'answers begin seconds later',
  'answer slow': 'lines come slowly',
  'answer doubled': 'a line comes twice',
  // of what a program has
  token: 'the token expires, and the new one comes seconds later',
  rights: 'the right to read is withdrawn, and given back seconds later',
  certificate: 'the server has another certificate of the same authority',
  'clock of the programs': 'the wall clock jumps by up to an hour',
  freeze: 'a program is stopped for seconds (SIGSTOP)',
  kill: 'a replica is killed (SIGKILL), and another one is started',
} as const;

export type StrikeKind = keyof typeof STRIKES;

/** Those that need nothing of the server. */
export const OF_ANY_SERVER: readonly StrikeKind[] = [
  'reset',
  'outage',
  'black hole',
  'half-open',
  'cut',
  'page',
  'redirect',
  'slow',
  'certificate',
  'clock of the programs',
  'freeze',
  'kill',
];

/** The fault of the server's answers that a strike is. */
export function answerFault(kind: StrikeKind, random: () => number): Extract<Order, { do: 'fault' }> | undefined {
  const after = Math.floor(random() * 12);
  const times = 1 + Math.floor(random() * 3);
  const fault = (() => {
    switch (kind) {
      case 'answer cut':
        return random() < 0.5 ? { kind: 'cut', after } : { kind: 'cut', bytes: Math.floor(random() * 3000) };
      case 'answer stalled':
        return { kind: 'stall', after };
      case 'answer truncated':
        return { kind: 'truncate', after };
      case 'answer 410':
        return { kind: 'gone', after };
      case 'answer 429':
        return { kind: 'status', code: 429, retryAfterSeconds: 1 + Math.floor(random() * 2) };
      case 'answer 500':
        return { kind: 'status', code: random() < 0.5 ? 500 : 504 };
      case 'answer 503':
        return { kind: 'status', code: 503 };
      case 'answer 401 or 403':
        return { kind: 'status', code: random() < 0.5 ? 401 : 403 };
      case 'answer late':
        return { kind: 'delay', ms: 1_000 + Math.floor(random() * 3_000) };
      case 'answer slow':
        return { kind: 'slow', ms: 20 + Math.floor(random() * 60) };
      case 'answer doubled':
        return { kind: 'duplicate', after };
      default:
        return undefined;
    }
  })();
  return fault && { do: 'fault', fault, times };
}
