import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StopError, TerminalError } from '../../../src/controller/reconciler.ts';
import { cannotRun } from '../../../src/hooks/run/start-error.ts';
import { InformerError } from '../../../src/kit/error.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'start-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function failure(command: string, code: string | undefined, hasStarted = false): InformerError {
  const error = Object.assign(new Error(`spawn ${command} ${code}`), { code });
  try {
    return cannotRun(command, error, { signal: new AbortController().signal, hasStarted });
  } catch (thrown) {
    return thrown as InformerError;
  }
}

describe('an executable that cannot be started', () => {
  it.each([
    ['./hook', 'ENOENT', 'cannot run hook ./hook: spawn ./hook ENOENT', 'check the path'],
    ['.\\hook', 'ENOENT', 'cannot run hook .\\hook: spawn .\\hook ENOENT', 'check the path'],
    [
      'hook',
      'ENOENT',
      'cannot run hook hook: it is not on PATH',
      'check the spelling; a file of this folder is written ./hook',
    ],
    ['./hook', 'EACCES', 'cannot run hook ./hook: spawn ./hook EACCES', 'make it executable: chmod +x'],
    ['hook', 'ENOEXEC', 'cannot run hook hook: spawn hook ENOEXEC', 'begin the script with a line such as #!/bin/sh'],
  ])('%s with %s is named with the next step', (command, code, message, hint) => {
    expect(failure(command, code)).toMatchObject({ message, hint });
  });

  it.each([
    ['#!/no/such\n', '/no/such', 'correct the first line of the script'],
    ['#! /no/such -x\necho\r\n', '/no/such', 'correct the first line of the script'],
    ['#!/no/such\r\n', '/no/such', 'its lines end with CR LF: save it with LF line ends'],
    ['#!/no/such', '/no/such', 'correct the first line of the script'],
  ])('the script %j without its interpreter names that', (text, interpreter, hint) => {
    const file = path.join(folder, 'script');
    writeFileSync(file, text);
    const message = `cannot run hook ${file}: its interpreter ${interpreter} was not found`;
    expect(failure(file, 'ENOENT')).toMatchObject({ message, hint });
    expect(failure(file, 'EACCES').message).not.toContain('interpreter');
  });

  it('ends the program if it never ran; if it ran before, its key fails', () => {
    expect(failure('./hook', 'EACCES')).toBeInstanceOf(StopError);
    const later = failure('./hook', 'EACCES', true);
    expect([later instanceof StopError, later.code]).toEqual([false, 'hook']);
  });

  it('with too long arguments fails its key for good; of any other reason its key fails', () => {
    const long = failure('./hook', 'E2BIG');
    expect(long).toBeInstanceOf(TerminalError);
    expect(String((long.cause as Error | undefined)?.message ?? long.message)).toContain('its arguments are too long');
    for (const code of ['EMFILE', undefined]) {
      const other = failure('./hook', code);
      expect([other.constructor, other.message]).toEqual([InformerError, `hook ./hook: spawn ./hook ${code}`]);
    }
  });

  it('because of its signal fails with the reason of that', () => {
    const reason = new Error('enough');
    const { signal } = { signal: AbortSignal.abort(reason) };
    expect(() => cannotRun('./hook', reason, { signal, hasStarted: false })).toThrow(reason);
    const other = Object.assign(new Error('x'), { code: 'EACCES' });
    expect(() => cannotRun('./hook', other, { signal, hasStarted: false })).toThrow('cannot run hook');
  });
});
