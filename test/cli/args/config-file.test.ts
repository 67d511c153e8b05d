import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { configPath, lookupIn, readConfigFile } from '../../../src/cli/args/config-file.ts';

async function fileWith(text: string): Promise<string> {
  const file = path.join(await mkdtemp(path.join(tmpdir(), 'informer-config-')), 'config.yaml');
  await writeFile(file, text);
  return file;
}

const FULL = `
defaults: {color: never, namespace: [shop, dev], qps: 20, show-kind: true}
commands:
  watch: {color: always}
indexes: {team: .metadata.labels.team}
`;

describe('the config file', () => {
  it('gives a command its own flags before those of all', async () => {
    const config = await readConfigFile(await fileWith(FULL), {});
    const ofWatch = lookupIn(config, 'watch', ['color', 'namespace']);
    expect(ofWatch('color')).toEqual({ values: ['always'], label: `commands.watch.color in ${config.path}` });
    expect(ofWatch('namespace')?.values).toEqual(['shop', 'dev']);
    expect(lookupIn(config, 'query', ['color'])('color')?.values).toEqual(['never']);
    expect(lookupIn(config, 'query', ['qps', 'show-kind'])('show-kind')?.values).toEqual(['true']);
    expect(config.indexes).toEqual({ team: '.metadata.labels.team' });
  });

  it.each([
    ['views: {a: {words: "@b"}}', 'views.a is made of another view'],
    ['views: {a: {words: pods, flags: {show-secrets: true}}}', 'views.a.flags.show-secrets cannot be set by a file'],
    ['views: {a: {words: pods, flags: {token: x}}}', 'views.a.flags.token cannot be set by a file'],
    ['views: {a: {flags: {count: true}}}', 'views.a has no words'],
    ['views: {a: {words: pods, where: x}}', 'views.a has "where", which is unknown'],
    ['views: {"a b": {words: pods}}', 'views has "a b", which cannot be typed as a name'],
    ['views: {a: pods}', 'views.a should be a map'],
  ])('refuses the view of %s', async (text, message) => {
    await expect(readConfigFile(await fileWith(text), {})).rejects.toThrow(message);
  });

  it('gives views their words, as a text or a list', async () => {
    const { views } = await readConfigFile(await fileWith('views: {a: {words: pods web}, b: {words: [pods, web], flags: {limit: 3}}}'), {}); // biome-ignore format: one line
    expect(views).toEqual({
      a: { words: ['pods', 'web'], flags: {} },
      b: { words: ['pods', 'web'], flags: { limit: ['3'] } },
    });
  });

  it('need not be there, unless it was named', async () => {
    const env = { XDG_CONFIG_HOME: '/nonexistent' };
    expect(await readConfigFile(undefined, env)).toMatchObject({ isThere: false, path: configPath(env), defaults: {} });
    await expect(readConfigFile('/nonexistent/config.yaml', env)).rejects.toThrow(
      'cannot read the config file /nonexistent/config.yaml',
    );
  });

  it('is looked for in the user’s config folder', () => {
    expect(configPath({ HOME: '/home/me' })).toBe('/home/me/.config/kubectl-informer/config.yaml');
    expect(configPath({ HOME: '/home/me', XDG_CONFIG_HOME: '/etc/me' })).toBe('/etc/me/kubectl-informer/config.yaml');
    expect(configPath({})).toBeUndefined();
  });

  it('may be empty', async () => {
    expect(await readConfigFile(await fileWith(''), {})).toMatchObject({ isThere: true, defaults: {}, commands: {} });
  });

  it.each([
    ['default: {color: never}', 'it has "default", which is unknown', 'did you mean defaults?'],
    ['defaults: [a]', 'defaults should be a map', undefined],
    ['defaults: {namespace: {a: b}}', 'defaults.namespace should be text, a number, true or false', undefined],
    ['defaults: {token: abc}', 'defaults.token cannot be set by a file', expect.stringContaining('each time')],
    [
      'commands: {reconcile: {allow-write: true}}',
      'commands.reconcile.allow-write cannot be set by a file',
      expect.anything(),
    ],
    ['{', 'is no YAML', undefined],
    ['- a', 'the file should be a map', undefined],
  ])('refuses %j, and says where', async (text, message, hint) => {
    const file = await fileWith(text);
    const error = await readConfigFile(file, {}).catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject({ message: expect.stringContaining(message), hint });
    expect(error).toMatchObject({ message: expect.stringContaining(file) });
  });

  it('refuses a flag the command does not have, with the one that was meant', async () => {
    const config = await readConfigFile(await fileWith('commands: {watch: {outptu: wide}}'), {});
    expect(() => lookupIn(config, 'watch', ['output'])).toThrow(
      expect.objectContaining({ hint: 'did you mean output?' }),
    );
    expect(lookupIn(config, 'query', ['output'])('output')).toBeUndefined();
  });
});
