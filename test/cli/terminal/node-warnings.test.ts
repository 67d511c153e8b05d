import process from 'node:process';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { quietNodeWarnings } from '../../../src/cli/terminal/node-warnings.ts';

let before: ((...args: never[]) => void)[];
beforeEach(() => {
  before = process.listeners('warning') as typeof before;
});
afterEach(() => {
  process.removeAllListeners('warning');
  for (const listener of before) process.on('warning', listener as NodeJS.WarningListener);
});

it("hides Node's warnings about its own features, and writes any other", () => {
  const written: string[] = [];
  quietNodeWarnings((text) => written.push(text));
  const warn = (name: string) => process.emit('warning', Object.assign(new Error(`about ${name}`), { name }));
  for (const name of ['ExperimentalWarning', 'DeprecationWarning', 'MaxListenersExceededWarning']) warn(name);
  expect(written).toEqual([`(node:${process.pid}) MaxListenersExceededWarning: about MaxListenersExceededWarning\n`]);
  expect(process.listenerCount('warning')).toBe(1);
});
