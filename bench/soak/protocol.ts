import type { Transition } from './truth.ts';

/** The label of all objects that are judged; others may be there. */
export const LABEL = ['soak', 'thing'] as const;

/** What the soak asks the process of its server. */
export type Order =
  | { readonly do: 'write'; readonly perSecond: number }
  | { readonly do: 'restart'; readonly keepHistory: boolean; readonly downMs: number }
  | { readonly do: 'restore'; readonly downMs: number }
  | { readonly do: 'wipe'; readonly downMs: number }
  | { readonly do: 'fill' | 'snapshot' | 'compact' | 'expire token' | 'rotate token' | 'clear faults' }
  | { readonly do: 'skew'; readonly ms: number }
  | { readonly do: 'rights'; readonly isGranted: boolean }
  | { readonly do: 'fault'; readonly fault: object; readonly times: number }
  | { readonly do: 'report' };

/** What an order came to. */
export interface Answer {
  /** The token of the administrator, and that of the user whose rights come and go. */
  readonly tokens: { readonly administrator: string; readonly reader: string };
  readonly port: number;
  /** The version of the last write. */
  readonly version: number;
}

/** What the process of the server says. */
export type Said =
  | { readonly answer: Answer; readonly to: number }
  | { readonly failure: string; readonly to: number }
  | { readonly transitions: readonly Transition[] }
  | { readonly start: { readonly epoch: number; readonly types: readonly [string, [string, object][]][] } };
