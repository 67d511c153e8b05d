import { describe, expect, it } from 'vitest';
import { NO_CONFIG } from '../../src/cli/args/config-file.ts';
import { settingsOf } from '../../src/cli/config-rows.ts';
import WatchCommand from '../../src/commands/watch.ts';

const COMMANDS = new Map([['watch', WatchCommand]]);
const FILE = {
  ...NO_CONFIG,
  path: '/c.yaml',
  isThere: true,
  defaults: { color: ['never'] },
  commands: { watch: { output: ['wide'] } },
};

describe('config show', () => {
  const row = (setting: string, env: NodeJS.ProcessEnv = {}) =>
    settingsOf(COMMANDS, { ...FILE, indexes: { team: '.metadata.labels.team' } }, env).find(
      (each) => each.setting === setting,
    );

  it('says of each setting where it comes from: the environment before the file before what is built in', () => {
    expect(row('output')).toMatchObject({ value: 'wide', origin: '/c.yaml' });
    expect(row('output', { KUBECTL_INFORMER_OUTPUT: 'json' })).toMatchObject({ value: 'json', origin: 'environment' });
    expect(row('qps')).toMatchObject({ value: '50', origin: 'built-in' });
    expect(row('index team')).toEqual({
      command: '',
      setting: 'index team',
      value: '.metadata.labels.team',
      origin: '/c.yaml',
    });
  });

  it('leaves out what says nothing, and shows no credential', () => {
    expect(row('selector')).toBeUndefined();
    expect(row('strict')).toBeUndefined();
    const env = { KUBECTL_INFORMER_TOKEN: 'marker', KUBECTL_INFORMER_PASSWORD: 'marker' };
    expect([row('token', env)?.value, row('password', env)?.value]).toEqual(['(set)', '(set)']);
    expect(JSON.stringify(settingsOf(COMMANDS, FILE, env))).not.toContain('marker');
  });

  it('refuses defaults and commands that nothing knows', () => {
    expect(() => settingsOf(COMMANDS, { ...FILE, defaults: { colour: ['never'] } }, {})).toThrow(
      'defaults has "colour", which is unknown',
    );
    expect(() => settingsOf(COMMANDS, { ...FILE, commands: { wach: {} } }, {})).toThrow(
      'commands has "wach", which is unknown',
    );
  });
});
