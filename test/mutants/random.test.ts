import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { edited } from '../../tools/mutants/edit.mjs';
import { remember } from '../../tools/mutants/imports.mjs';
import { mutantsOf, syntaxErrors } from '../../tools/mutants/operators.mjs';
import {
  choose,
  type Explanation,
  explanationOf,
  explanations,
  sourceOf,
  testsFor,
} from '../../tools/mutants/selection.mjs';
import { switched } from '../../tools/mutants/switches.mjs';
import { hasFrom } from '../../tools/mutants/test-runner.mjs';

/** The results of all edits of one short source, without those of the operators that are not named. */
function resultsOf(source: string, ...operators: string[]): string[] {
  const mutants = mutantsOf('src/x.ts', source).filter(({ operator }) => operators.includes(operator));
  return mutants.map((mutant) => edited(source, mutant) ?? 'does not apply');
}

describe('random edits', () => {
  it('are the same for the same seed, and others for another seed', () => {
    const one = choose({ count: 40, seed: 3, only: 'src/workqueue' });
    expect(one).toHaveLength(40);
    expect(choose({ count: 40, seed: 3, only: 'src/workqueue' })).toEqual(one);
    expect(choose({ count: 40, seed: 4, only: 'src/workqueue' })).not.toEqual(one);
    expect(new Set(one.map(({ at, find, replace }) => `${at} ${find} ${replace}`)).size).toBe(40);
  });

  it('each apply at their place and give a program without syntax errors', () => {
    for (const mutant of choose({ count: 400, seed: 5 })) {
      const broken = edited(sourceOf(mutant.file), mutant);
      expect(broken, JSON.stringify(mutant)).toBeDefined();
      expect(syntaxErrors(mutant.file, broken ?? ''), JSON.stringify(mutant)).toEqual([]);
    }
  });

  it('have test files that may notice them, the mirrored one first', () => {
    const [nearest] = testsFor('src/workqueue/work-queue.ts');
    expect(nearest?.test).toBe('test/workqueue/work-queue.test.ts');
    for (const { file } of choose({ count: 100, seed: 6 })) expect(testsFor(file), file).not.toEqual([]);
  });
});

describe('an edit', () => {
  it.each([
    ['boundary', 'f(a < b);', ['f(a <= b);']],
    ['equality', 'f(a === b);', ['f(a !== b);']],
    ['arithmetic', 'f(a + b);', ['f(a - b);']],
    ['arithmetic', "f(a + 'text');", []],
    ['logical', 'f(a && b);', ['f(a || b);']],
    ['logical', 'f(a ?? b);', ['f(a);']],
    ['remove !', 'f(!a);', ['f(a);']],
    ['update', 'a++;', ['a--;']],
    ['boolean', 'f(true);', ['f(false);']],
    ['number', 'f(1);', ['f(2);', 'f(0);']],
    ['number', 'f(30_000);', ['f(60000);']],
    ['drop statement', 'f(); const a = g();', ['; const a = g();']],
    ['remove await', 'await f(); const a = await g();', ['f(); const a = await g();']],
    ['return undefined', '() => a; () => undefined;', ['() => undefined; () => undefined;']],
    ['empty block', 'for (const a of b) { f(a); } while (a) { f(a); }', ['for (const a of b) {} while (a) { f(a); }']],
    ['negate condition', 'if (a) b; if (!a) b; if (a === b) c;', ['if (!(a)) b; if (!a) b; if (a === b) c;']],
  ])('by %s of "%s" gives %j', (operator, source, results) => {
    expect(resultsOf(source, operator)).toEqual(results);
  });

  it('leaves types, imports, thrown errors and the log alone', () => {
    const source = `
      import a from './a.ts';
      type B = 1 | true;
      const c: 2 = f as 3;
      logger.debug('text', { d: 1 });
      throw new Error(\`text \${e + 1}\`);
    `;
    expect(mutantsOf('src/x.ts', source)).toEqual([]);
  });
});

describe('the text with a switch for each edit', () => {
  // chains whose operators bind differently, statements without braces, blocks of each kind, a generator
  const source = `
    const seen = [];
    function* numbers(to) { for (let i = 0; i < to; i++) { if (seen.length > 50) return; yield i; } }
    const sum = (...all) => all.reduce((a, b) => a + b * 2 - 1, 0);
    class Counter { #n = 1; add(by) { if (by > 1 && by < 5 || !by) this.#n += by; else seen.push('else'); return this.#n; } }
    function guarded(a, b) { try { if (a ?? b) { seen.push(a === b); } return a - b - 1 } catch { return true } finally { seen.push('last'); } }
    for (const n of numbers(7)) seen.push(new Counter().add(n), guarded(n, 3), sum(n, n + 1));
    return JSON.stringify(seen);
  `;
  const edits = mutantsOf('src/x.ts', source).map((mutant, id) => ({ ...mutant, id }));
  const text = switched('src/x.ts', source, edits);
  const run = (body: string, isOn: (id: number) => boolean = () => false): unknown => {
    try {
      return new Script(`(function (__edit) {${body}})`).runInThisContext()(isOn);
    } catch (error) {
      return String(error);
    }
  };

  it('does what the source does while every switch is off', () => {
    expect(edits.length).toBeGreaterThan(40);
    expect(run(text)).toBe(run(source));
  });

  it.each(
    edits.map(
      (edit) => [`${edit.find} → ${edit.replace} in column ${edit.column} of line ${edit.line}`, edit] as const,
    ),
  )('does what the source with one edit does while its switch is on: %s', (_, edit) => {
    expect(run(text, (id) => id === edit.id)).toBe(run(edited(source, edit) ?? '', () => false));
  });
});

describe('an explanation of edits that break no rule', () => {
  const entries = explanations();
  const mutantsIn = remember((file: string) => mutantsOf(file, sourceOf(file)));
  const explainedBy = remember((entry: Explanation) =>
    mutantsIn(entry.file).filter((mutant) => explanationOf(mutant, [entry])),
  );
  const nameOf = ({ file, find, replace, within }: Explanation) =>
    `${file}: ${within === undefined ? `${find} → ${replace}` : `all within ${within}`}`;

  it.each(entries.map((entry) => [nameOf(entry), entry] as const))(
    'applies to the edits that it names: %s',
    (_, entry) => {
      expect(entry.why.length).toBeGreaterThan(20);
      if (entry.within === undefined) expect(explainedBy(entry)).toHaveLength(1);
      else expect(explainedBy(entry)).not.toEqual([]);
    },
  );

  it('explains no edit twice', () => {
    const edits = entries.flatMap((entry) =>
      explainedBy(entry).map(({ file, at, find, replace }) => [file, at, find, replace].join('\n')),
    );
    expect(edits.filter((edit, i) => edits.indexOf(edit) !== i)).toEqual([]);
  });
});

it('the last line of a log is found behind what was read before, also where that has characters of several bytes', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'mutants-log-'));
  const log = path.join(folder, 'log.ndjson');
  const before = `${'…'.repeat(20)} isDone\n`;
  writeFileSync(log, `${before}isDone\n`);
  const bytes = Buffer.byteLength(before);
  expect([0, bytes, bytes + 1].map((from) => hasFrom(log, from, 'isDone'))).toEqual([true, true, false]);
  rmSync(folder, { recursive: true });
});
