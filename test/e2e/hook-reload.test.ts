import { chmod, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cli, run } from '../support/cli.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

/** Writes a file as many editors do: another file takes its place. */
async function save(name: string, text: string): Promise<string> {
  const file = path.join(fixture.folder, name);
  await writeFile(`${file}~`, text);
  await chmod(`${file}~`, 0o755);
  await rename(`${file}~`, file);
  return file;
}

const line = (file: string, ...flags: string[]) => [
  'reconcile',
  'pods',
  '-n',
  'shop',
  '--hook',
  file,
  '--reload',
  ...flags,
];
/** Whether both pods ran with what says `text`. */
const both = (text: string) => (cli: Cli) =>
  ['web-1', 'web-2'].every(
    (name) =>
      `${cli.stdout}${cli.stderr}`.includes(`shop/${name}: ${text}`) ||
      `${cli.stdout}${cli.stderr}`.includes(`shop/${name} | ${text}`),
  );

async function ended(cli: Cli) {
  cli.kill('SIGTERM');
  const { code, stderr } = await cli.ended();
  expect(code).toBe(0);
  return stderr;
}

describe('--reload', () => {
  it('runs the new version of a module for every key, also when only a file changed that it imports', async () => {
    await save('words.ts', "import nested from './nested.cjs';\nexport const word: string = 'one ' + nested;\n");
    await save('nested.cjs', "module.exports = 'a';\n");
    const module =
      "import { word } from './words.ts';\nexport default async ({ log }: any) => log.info('says ' + word);\n";
    const file = await save('reloaded.ts', module);
    await using cli = new Cli(line(file), { env: fixture.env });
    await cli.until(both('says one a'), 'the first version');
    await save('reloaded.ts', module.replace('says', 'shouts'));
    await cli.until(both('shouts one a'), 'the new entry');
    await save('words.ts', "import nested from './nested.cjs';\nexport const word: string = 'two ' + nested;\n");
    await cli.until(both('shouts two a'), 'the new import');
    await save('nested.cjs', "module.exports = 'b';\n");
    await cli.until(both('shouts two b'), 'the new CommonJS file');
    const stderr = await ended(cli);
    for (const name of ['reloaded.ts', 'words.ts', 'nested.cjs'])
      expect(stderr).toContain(`${name} changed: the new version runs from now on, for every key\n`);
  });

  it('keeps the old version when the new one has a syntax error, and says where; then takes the repaired one', async () => {
    const file = await save('broken.mjs', "export default async ({ log }) => log.info('old');\n");
    await using cli = new Cli(line(file, '--every', '300ms'), { env: fixture.env });
    await cli.until(both('old'), 'the first version');
    await save('broken.mjs', "export default async ({ log }) => {\n  log.info('new');\n  const = 1;\n};\n");
    await cli.until((c) => c.stderr.includes('broken.mjs changed, and the version before stays'), 'the refusal');
    expect(cli.stderr).toMatch(
      /version before stays: hook .*\/broken\.mjs:3: Unexpected token '=' \(correct this line of the hook; .*\)\n/,
    );
    const before = cli.stderr.split('old').length;
    await cli.until((c) => c.stderr.split('old').length > before + 1, 'runs of the old version');
    await save('broken.mjs', "export default async ({ log }) => log.info('repaired');\n");
    await cli.until(both('repaired'), 'the repaired version');
    await ended(cli);
  });

  it('ends with an error and lets other runs finish when the new version calls process.exit, also while it is loaded', async () => {
    const gate = path.join(fixture.folder, 'exit-gate');
    const slow = `import { existsSync } from 'node:fs';\nimport { setTimeout } from 'node:timers/promises';\nexport default async ({ log }) => {\n  log.info('begins');\n  while (!existsSync(${JSON.stringify(gate)})) await setTimeout(20);\n  log.info('ends');\n};\n`;
    for (const next of ['process.exit(7);\nexport default () => {};\n', 'export default () => process.exit(7);\n']) {
      const file = await save('exits.mjs', slow);
      await using cli = new Cli(line(file, '--workers', '3'), { env: fixture.env });
      await cli.until(both('begins'), 'the first version');
      await save('exits.mjs', next);
      if (next.startsWith('export'))
        await writeFile(gate, ''); // a key runs again when its run has ended
      else await cli.until((c) => c.stderr.includes('waiting'), 'the wait for the runs');
      await writeFile(gate, '');
      const { code, stderr } = await cli.ended();
      await rm(gate);
      expect(code).toBe(1);
      expect(stderr).toContain(
        'error: hook exits.mjs called process.exit(7), which would end all runs\nhint: throw an error instead',
      );
      for (const name of ['web-1', 'web-2']) expect(stderr).toContain(`shop/${name}: ends`);
    }
  });

  it('lets a run finish with the version with which it began', async () => {
    const gate = path.join(fixture.folder, 'gate');
    const slow = (word: string) =>
      `import { existsSync } from 'node:fs';\nimport { setTimeout } from 'node:timers/promises';\nexport default async ({ log }) => {\n  log.info('${word} begins');\n  while (!existsSync(${JSON.stringify(gate)})) await setTimeout(20);\n  log.info('${word} ends');\n};\n`;
    const file = await save('slow.mjs', slow('old'));
    await using cli = new Cli(line(file, '--workers', '2'), { env: fixture.env });
    await cli.until(both('old begins'), 'the runs');
    await save('slow.mjs', slow('new'));
    await cli.until((c) => c.stderr.includes('the new version runs'), 'the reload');
    expect(cli.stderr).not.toContain('old ends');
    await writeFile(gate, '');
    await cli.until((c) => both('old ends')(c) && both('new ends')(c), 'both versions');
    await ended(cli);
  });

  it('releases a key that was given up, and says that a changed config waits for the next start', async () => {
    const file = await save('parking.mjs', "export default () => { throw new Error('not yet'); };\n");
    await using cli = new Cli(line(file, '--max-retries', '0'), { env: fixture.env });
    await cli.until(both('given up'), 'the parked keys');
    await save(
      'parking.mjs',
      "export const config = { workers: 2 };\nexport default ({ log }) => log.info('works');\n",
    );
    await cli.until(both('works'), 'the new version');
    expect(await ended(cli)).toContain('for every key; its changed config applies from the next start on\n');
  });

  it.each(['once', 'warm'])('queues every key again when an executable changes, with --hook-mode %s', async (mode) => {
    const script = (word: string) =>
      mode === 'once'
        ? `#!/bin/sh\necho ${word}\n`
        : `#!${process.execPath}\nrequire('node:readline').createInterface({ input: process.stdin }).on('line', (line) => { console.log('${word}'); console.log(JSON.stringify({ id: JSON.parse(line).id })); });\n`;
    const file = await save(`script-${mode}`, script('first'));
    await using cli = new Cli(line(file, '--hook-mode', mode), { env: fixture.env });
    await cli.until(both('first'), 'the first version');
    await save(`script-${mode}`, script('second'));
    await cli.until(both('second'), 'the second version');
    await chmod(file, 0o644);
    await cli.until(
      (c) => /version before stays: the hook .* is not executable \(chmod \+x/.test(c.stderr),
      'the refusal',
    );
    await ended(cli);
  });

  it('is refused with --exec', async () => {
    const args = ['reconcile', 'pods', '-n', 'shop', '--exec', 'true', '--reload'];
    expect(await run(args, { env: fixture.env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--reload needs --hook FILE'),
    });
  });
});
