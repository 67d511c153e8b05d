import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readCommandLine } from '../../../src/cli/args/argv.ts';
import { shapesOf, valuesOf } from '../../../src/cli/args/flag.ts';
import { queryFlags } from '../../../src/cli/args/query-flags.ts';
import { watchFlags } from '../../../src/cli/args/watch-flags.ts';
import { countsText } from '../../../src/cli/query/counts-text.ts';
import { readQuery } from '../../../src/cli/query/read-query.ts';
import { Answering, parseRequest } from '../../../src/cli/serve/answer-request.ts';
import { compiledOutputOf } from '../../../src/cli/session/output.ts';
import { TextSink } from '../../../src/cli/terminal/io.ts';
import { checkWatch } from '../../../src/cli/watch/read-watch.ts';
import { treesTextOf } from '../../../src/output/compiled-output.ts';
import type { FormatTraits } from '../../../src/output/format-traits.ts';
import { FORMATS, formatHelp, formatWords, parseOutputFormat } from '../../../src/output/formats.ts';
import { rowChangePrinter } from '../../../src/output/row-changes.ts';
import { HttpAnswer } from '../../../src/serve/api/http-answer.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { answer, clock, event, PODS, pod } from '../../output/fixtures.ts';

const MARKER = { type: 'SYNCED', gvr: 'v1/pods', objects: 1, seq: 3, time: '2026-01-01T12:00:00.000Z' } as const;

/** A format that someone adds: one entry, and a printer. */
const ADDED: FormatTraits = {
  ...FORMATS.name,
  called: 'bullets',
  help: 'bullets',
  markers: true,
  counts:
    () =>
    ({ rows }) =>
      rows.map(({ count }) => `* ${count}\n`).join(''),
  create: async () => ({
    createPrinter: () => ({
      events: (batch) => batch.map(({ event: { object } }) => `* ${object.metadata.name}\n`).join(''),
      marker: ({ type }) => `- ${type}\n`,
      objects: (found) => Array.from(found, ({ object }) => `* ${object.metadata.name}\n`),
    }),
  }),
};
Object.assign(FORMATS, { bullets: ADDED });

const folder = mkdtempSync(path.join(tmpdir(), 'informer-test-'));
const VALUES: Record<FormatTraits['value'], string> = {
  none: '',
  template: '{.metadata.name}',
  columns: 'A:.metadata.name',
  'column-lines': 'A\n.metadata.name\n',
  program: '.',
  path: path.join(folder, 'text'),
};

/** A value of `-o` for each format. */
const TYPED = Object.entries<FormatTraits>(FORMATS).map(([word, traits]) => {
  if (traits.value === 'path') {
    const { value } = FORMATS[traits.ofText as keyof typeof FORMATS];
    VALUES.path = path.join(folder, value);
    writeFileSync(VALUES.path, VALUES[value]);
  }
  return word === 'table' ? '' : word + VALUES[traits.value];
});

const traitsOf = async (typed: string) => (await compiledOutputOf({ output: typed })).format.traits;

const line = (flags: typeof watchFlags | typeof queryFlags, words: readonly string[]) =>
  readCommandLine(words, shapesOf(flags), {}) as ReturnType<typeof readCommandLine> & { words: string[] };

function watching(typed: string, ...more: string[]) {
  const read = line(watchFlags, ['pods', ...(typed === '' ? [] : ['-o', typed]), ...more]);
  const stream = () => new TextSink(new Writable({ write: (_chunk, _, done) => done() }));
  return checkWatch(valuesOf(watchFlags, read.given), read as never, { stdout: stream(), stderr: stream(), env: {} });
}

function asking(typed: string, ...more: string[]) {
  const { given } = line(queryFlags, ['pods', ...(typed === '' ? [] : ['-o', typed]), ...more]);
  return readQuery(valuesOf(queryFlags, given), { given, indexes: {}, notice: () => {} });
}

/** Whether a command line is taken. What it is refused with is an error of usage, which names the format or the flag. */
async function isTaken(checked: Promise<unknown>): Promise<boolean> {
  return checked.then(
    () => true,
    (error) => {
      expect(error).toMatchObject({ code: 'argument', message: expect.stringMatching(/-o |--/) });
      return false;
    },
  );
}

describe.each(TYPED.map((typed) => [typed]))('-o %j', (typed) => {
  it('watch and watch --once print events in it, or refuse it before anything starts', async () => {
    const { streams } = await traitsOf(typed);
    const { createPrinter } = await compiledOutputOf({ output: typed });
    expect(await isTaken(watching(typed))).toBe(streams === true);
    expect(await isTaken(watching(typed, '--once'))).toBe(streams === true);
    expect(
      createPrinter({ clock })
        .events([event('ADDED', pod('web-1'))])
        .includes('web-1'),
    ).toBe(streams === true);
  });

  it('watch --markers prints markers in it, or refuses them', async () => {
    const { streams, markers } = await traitsOf(typed);
    const { createPrinter } = await compiledOutputOf({ output: typed });
    expect(await isTaken(watching(typed, '--markers'))).toBe(streams === true && markers);
    expect(createPrinter({ clock }).marker(MARKER).includes('SYNCED')).toBe(markers);
  });

  it('query prints objects in it, or refuses it', async () => {
    const { answers } = await traitsOf(typed);
    const { createPrinter } = await compiledOutputOf({ output: typed });
    expect(await isTaken(asking(typed))).toBe(answers);
    const print = () => [...createPrinter({ clock }).objects(answer(pod('web-1')))].join('');
    if (answers) expect(print()).toContain('web-1');
    else expect(print).toThrow();
  });

  it.each([['--count'], ['--values', 'node'], ['--group-by', '.spec.nodeName'], ['--sum', '.spec.x']])(
    'query %s %s prints counts in it, or refuses them',
    async (...flags) => {
      const { answers, counts } = await traitsOf(typed);
      expect(await isTaken(asking(typed, ...flags))).toBe(answers && counts !== false);
      if (counts === false) return;
      const question = await asking(typed, ...flags);
      const counting = { terminal: false, ascii: false, painter: undefined, bars: undefined };
      const rows = [{ value: 'n1', count: 1234, amounts: question.measures.map(() => undefined) }];
      expect(countsText(rows, { ...question, counting })).toContain('1234');
    },
  );

  it('query --tree prints trees in it, or refuses them', async () => {
    const { format } = await compiledOutputOf({ output: typed });
    const { answers, trees } = format.traits;
    expect(await isTaken(asking(typed, '--tree'))).toBe(answers && trees !== false);
    if (trees === false) return;
    const tree = { item: { object: pod('web-1'), type: PODS }, isAsked: true, children: [] };
    const look = { now: 0, noHeaders: false, withNamespace: false, ascii: false, terminal: false };
    expect(treesTextOf(format)({ trees: [tree], records: () => [{ name: 'web-1' }] }, look)).toContain('web-1');
  });

  it('query --watch prints changes and markers in it, or refuses them', async () => {
    const { answers, streams, markers } = await traitsOf(typed);
    const { format, createPrinter } = await compiledOutputOf({ output: typed });
    expect(await isTaken(asking(typed, '--watch'))).toBe(answers && streams === true);
    expect(await isTaken(asking(typed, '--watch', '--markers'))).toBe(answers && streams === true && markers);
    if (!answers || streams !== true) return;
    const changes = rowChangePrinter({ format, printer: createPrinter({ clock }), rows: () => '' });
    const { key, gvr, seq, time } = event('ADDED', pod('web-1')).event;
    const record = { op: '+', object: pod('web-1'), key, gvr, cause: 'initial', seq, time } as const;
    expect(changes.changes([{ record, type: PODS }])).toContain('web-1');
    expect(changes.marker(MARKER).includes('SYNCED')).toBe(markers);
  });

  it('a serve answers in its media type', async () => {
    const question = parseRequest(JSON.stringify({ words: ['pods'], given: { output: { values: [typed] } } }));
    const type = Answering.prototype.mediaTypeOf(question);
    expect(type).toBe(parseOutputFormat(typed).traits.mediaType);
    const { signal } = new AbortController();
    for (const isForCommand of [false, true]) {
      const answering = new HttpAnswer({ clock: new FakeClock(), type, statusOf: () => 500, isForCommand, signal });
      expect((await answering.response(Promise.resolve({ exitCode: 0 }))).type).toBe(type);
    }
  });

  it('--help and completion of each command name it where it can be used, and no other', async () => {
    const { help, streams, answers } = parseOutputFormat(typed).traits;
    const word = typed.slice(0, typed.indexOf('=') + 1) || typed;
    expect(formatWords('streams').includes(word)).toBe(help !== undefined && streams === true);
    expect(formatWords('answers').includes(word)).toBe(help !== undefined && answers);
    if (!help) return;
    expect(formatHelp('streams').split(', ').includes(help)).toBe(streams === true);
    expect(formatHelp('answers').split(', ').includes(help)).toBe(answers);
  });
});
