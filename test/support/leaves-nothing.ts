import { afterAll, beforeAll, expect } from 'vitest';

// The files of the project `unit` share a process. Each must leave it as it was: what it changed would reach the tests
// of the next file, and only in some orders.

const SIGNALS_AND_ERRORS = [
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
  'uncaughtException',
  'unhandledRejection',
  'warning',
] as const;

const state = () => ({
  env: { ...process.env },
  folder: process.cwd(),
  listeners: Object.fromEntries(SIGNALS_AND_ERRORS.map((event) => [event, process.listenerCount(event)])),
});
let before: ReturnType<typeof state>;

beforeAll(() => {
  before = state();
});

afterAll(() => {
  expect(state()).toEqual(before);
});
