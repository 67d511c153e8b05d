import { describe, expect, it } from 'vitest';
import { compileOutput } from '../../src/output/compiled-output.ts';
import { parseOutputFormat } from '../../src/output/output-format.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { answer, clock, event, pod } from './fixtures.ts';

describe('compileOutput', () => {
  it.each([
    ['', 'NAME    READY   STATUS'],
    ['wide', 'NAME    READY   STATUS'],
    ['json', '{\n    "apiVersion": "v1"'],
    ['yaml', 'apiVersion: v1\nitems:\n'],
    ['kyaml', '---\n{\n  apiVersion: "v1",\n  items: [{\n'],
    ['jsonpath-as-json={.metadata.name}', '[\n    "'],
    ['name', 'pod/web-1\n'],
    ['jsonpath={.metadata.name}', 'web-1'],
    ['custom-columns=A:.metadata.name', 'A\nweb-1\n'],
  ])('creates the printer of -o %s', async (text, start) => {
    const output = await compileOutput(parseOutputFormat(text));
    const printed = [...output.createPrinter({ clock }).objects(answer(pod('web-1')))].join('');
    expect(printed.replace(/ +$/gm, '').slice(0, start.length)).toBe(start);
  });

  it('creates a printer of JSON for -o jq, and the expression that is applied to it', async () => {
    const { jq, createPrinter } = await compileOutput(parseOutputFormat('jq=.items[0].metadata.name'));
    const json = [...createPrinter({ clock }).objects(answer(pod('web-1')))].join('');
    expect(await jq?.results(json, { clock: new FakeClock() })).toBe('"web-1"');
  });

  it.each(['diff', 'changes'])('creates the printer of -o %s, which prints events', async (text) => {
    const output = await compileOutput(parseOutputFormat(text));
    expect(output.createPrinter({ clock }).events([event('ADDED', pod('web-1'))])).toContain('web-1');
  });

  it.each([
    ['jq=.[', /^error parsing jq expression/],
    ['jsonpath={.metadata', /unclosed action/],
    ['custom-columns=NAME', /^unexpected custom-columns spec: NAME/],
  ])('refuses the expression of -o %s before a printer is created', async (text, message) => {
    await expect(compileOutput(parseOutputFormat(text))).rejects.toThrow(message);
  });

  it('refuses a format whose file was not read', async () => {
    await expect(compileOutput(parseOutputFormat('jsonpath-file=names.txt'))).rejects.toThrow(
      'the file names.txt of -o jsonpath-file was not read',
    );
  });

  it('creates printers that do not share what they have printed: each prints its heading', async () => {
    const output = await compileOutput(parseOutputFormat('custom-columns=A:.metadata.name'));
    const print = () =>
      [...output.createPrinter({ clock }).objects(answer(pod('web-1')))].join('').split('\n')[0]?.trim();
    expect([print(), print()]).toEqual(['A', 'A']);
  });
});
