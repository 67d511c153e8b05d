import type { EventType } from '../stream/envelope.ts';

/** Puts colours on text whose width is settled. */
export interface Painter {
  event(type: EventType, text: string): string;
  heading(text: string): string;
}

/** No colours. */
export const plainPainter: Painter = { event: (_, text) => text, heading: (text) => text };

/** 0 = no colour, 1 = 16 colours, 2 = 256, 3 = all. Whether and how many is the caller's decision (`--color`, NO_COLOR, the terminal). */
export type ColorLevel = 0 | 1 | 2 | 3;

/** ADDED green, MODIFIED yellow, DELETED red, headings bold. Colours are loaded only when there are some. */
export async function loadPainter(level: ColorLevel): Promise<Painter> {
  if (level === 0) return plainPainter;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level });
  const colors: Readonly<Record<EventType, (text: string) => string>> = {
    ADDED: chalk.green,
    MODIFIED: chalk.yellow,
    DELETED: chalk.red,
  };
  return { event: (type, text) => colors[type](text), heading: (text) => chalk.bold(text) };
}
