import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shellLibrary } from '../../src/shell-operator/shell-library.ts';

let folder: string;
let env: NodeJS.ProcessEnv;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'shell-library-'));
  mkdirSync(path.join(folder, 'hooks', 'common'), { recursive: true });
  env = { PATH: process.env.PATH, ...shellLibrary(folder, path.join(folder, 'hooks')) };
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The output of a hook in bash for these contexts. */
function run(text: string, contexts: object[], ...words: string[]): string {
  const file = path.join(folder, 'hooks', 'a.sh');
  const context = path.join(folder, 'context.json');
  writeFileSync(context, JSON.stringify(contexts));
  writeFileSync(file, `#!/bin/bash\n${text}`);
  chmodSync(file, 0o755);
  return execFileSync(file, words, { env: { ...env, BINDING_CONTEXT_PATH: context }, encoding: 'utf8', stdio: 'pipe' });
}

const event = (watchEvent: string) => ({ binding: 'x', type: 'Event', watchEvent });

describe('hooks in bash', () => {
  it.each([
    ['onStartup', { binding: 'onStartup' }, '__on_startup'],
    ['the whole state', { binding: 'x', type: 'Synchronization' }, '__on_kubernetes::x::synchronization'],
    ['Added', event('Added'), '__on_kubernetes::x::added_or_modified'],
    ['Modified', event('Modified'), '__on_kubernetes::x::modified'],
    ['Deleted', event('Deleted'), '__on_kubernetes::x'],
    ['a group', { binding: 'g', type: 'Group', groupName: 'g' }, '__on_group::g'],
    ['a schedule', { binding: 's', type: 'Schedule' }, '__on_schedule::s'],
    ['a validation', { binding: 'v.example.com', type: 'Validating' }, '__on_validating::v.example.com'],
    ['a mutation', { binding: 'm', type: 'Mutating' }, '__on_mutating::m'],
    [
      'a conversion',
      { binding: 'c', type: 'Conversion', fromVersion: 'a.io/v1', toVersion: 'v2' },
      '__on_conversion::c::a.io.v1::v2',
    ],
    ['anything else', { binding: 'other', type: 'Schedule' }, '__main__'],
  ])('have the function for %s called by hook::run', (_, context, expected) => {
    const names = ['__on_startup', '__on_kubernetes::x::synchronization', '__on_kubernetes::x::modified'];
    names.push('__on_kubernetes::x::added_or_modified', '__on_kubernetes::x', '__on_group::g', '__on_schedule::s');
    names.push('__on_validating::v.example.com', '__on_mutating::m', '__on_conversion::c::a.io.v1::v2', '__main__');
    const functions = names.map((name) => `function ${name}() { echo "${name}"; }`).join('\n');
    const text = `source /shell_lib.sh\n${functions}\nfunction __config__() { echo '{}'; }\nhook::run "$@"`;
    expect(run(text, [context, context])).toBe(`${expected}\n${expected}\n`);
    expect(run(text, [], '--config')).toBe('{}\n');
  });

  it('read their context by context::jq, get, has and the others', () => {
    const context = { binding: 'onStartup', a: { 'b.c': [1, { d: true }], e: null, f: false } };
    const text = `source /shell_lib.sh
function __main__() {
  context::jq -c .a.f
  context::get 'a."b.c".0'
  context::has a.e && context::is_null a.e && context::is_false a.f && context::is_true 'a."b.c".1.d' && echo yes
  context::has a.none || echo no
  context::get --required a.none || echo missing
  context::global::jq length
}
hook::run "$@"`;
    expect(run(text, [context])).toBe('false\n1\nyes\nno\nmissing\n1\n');
  });

  it('read files of /hooks, with functions hook::config and hook::trigger of their own', () => {
    writeFileSync(
      path.join(folder, 'hooks', 'common', 'functions.sh'),
      'common::run() { if [[ $1 == --config ]]; then hook::config; else hook::trigger; fi; }',
    );
    const text = `source /hooks/common/functions.sh
hook::config() { echo '{"onStartup": 1}'; }
hook::trigger() { echo triggered; }
common::run "$@"`;
    expect(run(text, [], '--config')).toBe('{"onStartup": 1}\n');
    expect(run(text, [], '')).toBe('triggered\n');
  });

  it('fail where no function fits', () => {
    expect(() => run('source /shell_lib.sh\nhook::run "$@"', [{ binding: 'onStartup' }])).toThrow(
      'the hook has none of the functions __on_startup __main__',
    );
  });
});
