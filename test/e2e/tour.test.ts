import { describe, expect, it } from 'vitest';
import { run } from '../support/cli.ts';
import { NO_PTY, Terminal } from '../support/terminal.ts';

it('shows a diff with its author, a filter, a wait with its code, a stream that goes on, an index and a hook', async () => {
  const { code, stdout, stderr } = await run(['tour']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('the tour') });
  const stops = stdout.split(/^\d\/6 {2}/m).slice(1);
  expect(stops.map((text) => text.split('\n')[0])).toEqual([
    'What changed, and who changed it',
    'Only the rows that you want',
    'A wait, with an exit code for your script',
    'The server goes away, and the stream goes on',
    'ServeAnswers to an index',
    'Your own controller, in one file',
  ]);
  const [diff = '', rows = '', wait = '', , questions = '', hook = ''] = stops;
  expect(diff).toContain('image: nginx:1.27.0 → nginx:1.29.0  (alice)');
  expect(rows).toMatch(/^EVENT +NAME .*STATUS/m);
  expect(wait).toMatch(/\$ echo \$\?\n0\n/);
  expect(stderr).toContain('nothing was missed');
  expect(stderr).toMatch(/relisted 4 objects at \d+ \(gone\); what happened since \d+ shows as its outcome/);
  expect(questions).toMatch(/^worker-\d +\d+$/m);
  expect(questions).toMatch(/^web-\S+ +\d\/1 /m);
  expect(hook).toContain('shop/web: patch apps/v1/deployments shop/web {"spec":{"replicas":3}}');
}, 120_000);

it('refuses words', async () => {
  expect(await run(['tour', 'pods'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('tour takes no arguments'),
  });
});

describe.skipIf(NO_PTY !== undefined)(`on a terminal${NO_PTY ? ` (skipped: ${NO_PTY})` : ''}`, () => {
  it('waits for a key after the first command, and ends with q', async () => {
    await using terminal = new Terminal(['tour'], { columns: 100 });
    await terminal.until((text) => text.includes('Enter: go on   q: end'), 'the first stop');
    expect(terminal.text).toContain('(alice)');
    terminal.type('q');
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text).not.toContain('2/6');
  }, 60_000);
});
