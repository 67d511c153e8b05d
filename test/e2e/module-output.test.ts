import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cli } from '../support/cli.ts';
import { configMap, type Fixture, startFixture } from '../support/fixture.ts';
import { skipped } from '../support/skipped.ts';
import { NO_PTY, Terminal } from '../support/terminal.ts';

/** What a terminal would obey: colours, the clipboard, a line that begins again, a C1 control, another order. */
const HOSTILE = 'a\x1b[31mb\x1b]52;c;aGk=\x07c\rd\x9be\u202ef';
const SHOWN = 'a^[[31mb^[]52;c;aGk=^Gc\\rd^[[e\\u202ef';

const HOOK = `
console.log('at import');
export default async function reconcile({ object }) {
  const { hostile } = object.metadata.annotations;
  console.log(hostile);
  console.error('two\\nlines of %s', hostile);
  console.table([{ hostile }]);
  process.stderr.write(Buffer.from('bytes ' + hostile + '\\n'));
  process.stdout.write('in two ');
  await new Promise((done) => process.stdout.write('pieces\\n', done));
  console.log('called back');
  setTimeout(() => { console.log('afterwards'); process.stdout.write('not ended'); process.stdout.end(' but ' + hostile); }, 5);
  process.stdout.write('no line end');
  return { actions: [{ log: 'done' }] };
}
`;

let fixture: Fixture;
let hook: string;
beforeAll(async () => {
  fixture = await startFixture();
  const object = configMap('evil', {}) as { metadata: object };
  fixture.sandbox.apply({ ...object, metadata: { ...object.metadata, annotations: { hostile: HOSTILE } } });
  hook = path.join(fixture.folder, 'printing.mjs');
  await writeFile(hook, HOOK);
});
afterAll(() => fixture[Symbol.asyncDispose]());

const flags = () => ['reconcile', 'configmaps/evil', '-n', 'shop', '--hook', hook];
const CONTROLS = /[^\P{Cc}\n]|\u202e/u;

describe('what a module prints', () => {
  it('is on stderr line by line behind the key, with nothing in it that a terminal obeys, and stdout keeps to data', async () => {
    await using cli = new Cli(flags(), { env: fixture.env });
    await cli.until(({ stderr }) => stderr.includes('not ended but'), 'the last line');
    cli.kill('SIGTERM');
    const { code, stdout, stderr } = await cli.ended();
    const lines = stderr.split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'printing.mjs | at import',
        `shop/evil | ${SHOWN}`,
        'shop/evil | two',
        `shop/evil | lines of ${SHOWN}`,
        expect.stringMatching(/^shop\/evil \| .*\(index\)/),
        `shop/evil | bytes ${SHOWN}`,
        'shop/evil | in two pieces',
        'shop/evil | called back',
        'shop/evil | no line end',
        'shop/evil | afterwards',
        `shop/evil | not ended but ${SHOWN}`,
      ]),
    );
    expect(stderr).not.toMatch(CONTROLS);
    expect([code, stdout]).toEqual([0, '']);
  });

  it.skipIf(NO_PTY)(`reaches no terminal as it is${skipped(NO_PTY)}`, async () => {
    await using terminal = new Terminal(flags(), { env: fixture.env });
    await terminal.until((text) => text.includes('not ended but'), 'the last line');
    expect(terminal.text).toContain(`shop/evil | ${SHOWN}`);
    for (const raw of ['\x1b]52', '\x1b[31m', '\x9b', '\u202e']) expect(terminal.text).not.toContain(raw);
  });
});
