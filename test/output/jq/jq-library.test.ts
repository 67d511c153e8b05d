import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { compileJq } from '../../../src/output/jq/jq-expression.ts';
import { loadJqLibrary } from '../../../src/output/jq/jq-library.ts';
import { event, pod } from '../fixtures.ts';
import { printedBy } from './printed.ts';

const notInstalled = (): string => {
  throw Object.assign(new Error("Cannot find module 'jq-web'\nRequire stack:"), { code: 'MODULE_NOT_FOUND' });
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'jq-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A program named jq, written in JavaScript, in a folder of its own. */
function program(body: string): string {
  const file = path.join(folder, 'jq');
  writeFileSync(
    file,
    `#!${process.execPath}\nconst fs = require('node:fs');\nconst input = fs.readFileSync(0, 'utf8');\n${body}`,
  );
  chmodSync(file, 0o755);
  return folder;
}
const fromProgram = (body: string) => loadJqLibrary({ resolve: notInstalled, searchPath: program(body) });
const ECHO = 'process.stdout.write(input);';
/** What jq 1.6 does with numbers. */
const ROUNDS = 'process.stdout.write(input.replace(/\\d{16,}/g, (digits) => String(Number(digits))));';

describe('-o jq', () => {
  test('uses the package jq-web where it is installed, and starts no program', async () => {
    const searchPath = program('process.exit(9)');
    expect(await (await loadJqLibrary({ searchPath })).run('.a', '{"a":1}')).toBe('1');
  });

  test('uses the program jq on PATH where the package is not installed', async () => {
    const library = await fromProgram('process.stdout.write(JSON.stringify(process.argv.slice(2)) + "\\n" + input);');
    expect(await library.run('-h', '{"a":1}')).toBe('["-c"," -h"]\n{"a":1}');
  });

  test('gives the program nothing of the environment', async () => {
    const library = await fromProgram(`${ECHO} process.stdout.write(Object.keys(process.env).join());`);
    vi.stubEnv('SOME_TOKEN', 'x');
    try {
      expect(await library.run('.', '1')).toMatch(/^1(__CF_USER_TEXT_ENCODING)?$/);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test.each(['', '.', 'bin', './bin:'])(
    'looks in no folder relative to the current one: PATH=%j',
    async (searchPath) => {
      const here = process.cwd();
      process.chdir(program(ECHO));
      try {
        await expect(loadJqLibrary({ resolve: notInstalled, searchPath })).rejects.toThrow('none on PATH');
      } finally {
        process.chdir(here);
      }
    },
  );

  test('without either is refused with what to install, and without lines of Node', async () => {
    const refused = await loadJqLibrary({ resolve: notInstalled, searchPath: folder }).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: 'argument',
      message: '-o jq needs the program jq, and there is none on PATH',
      hint: 'install jq 1.7 or newer, or the package that has it as WebAssembly: npm install -g jq-web',
    });
    expect((refused as Error).cause).toBeUndefined();
  });

  test('says that the package is there and cannot be loaded, instead of using another jq', async () => {
    const searchPath = program(ECHO);
    const broken = path.join(folder, 'jq.cjs');
    writeFileSync(broken, "throw new Error('no WebAssembly here');");
    await expect(loadJqLibrary({ resolve: () => broken, searchPath })).rejects.toThrow(
      expect.objectContaining({ code: 'argument', message: expect.stringContaining('jq-web, which cannot be loaded') }),
    );
  });

  test('says which program does not run, and why', async () => {
    await expect(fromProgram('console.error("no such library"); process.exit(127);')).rejects.toThrow(
      expect.objectContaining({
        code: 'argument',
        message: `-o jq needs the program jq, and ${path.join(folder, 'jq')} does not run: no such library`,
        hint: `try: ${path.join(folder, 'jq')} --version`,
      }),
    );
  });

  test('a jq that rounds large numbers is used for objects without one, and never changes one', async () => {
    const jq = await compileJq('.', await fromProgram(ROUNDS));
    const large = { ...pod('large'), spec: { n: 9007199254740993n, text: '"9007199254740995' } };
    const small = { ...pod('small'), spec: { n: 9007199254740992, text: 'of 9007199254740993, "9007199254740995' } };
    expect(await printedBy(jq, [event('ADDED', small)])).toContain('"n":9007199254740992,');
    expect(await printedBy(jq, [event('ADDED', small), event('ADDED', large)])).toContain(
      'jq: error on Pod shop/large: this jq would change the number 9007199254740993; jq 1.7 does not',
    );
    const exact = await compileJq('.', await fromProgram(ECHO));
    expect(await printedBy(exact, [event('ADDED', large)])).toContain('"n":9007199254740993,');
  });

  test('a Ctrl-C that ends the program between two texts loses no result', async () => {
    const marker = path.join(folder, 'interrupted');
    const library = await fromProgram(
      `if (input === '"b"' && !fs.existsSync(${JSON.stringify(marker)})) {
         fs.writeFileSync(${JSON.stringify(marker)}, '');
         process.kill(process.pid, 'SIGINT');
         setInterval(() => {}, 1000);
       } else ${ECHO}`,
    );
    expect(await library.run('.', '"b"')).toBe('"b"');
    expect(existsSync(marker)).toBe(true);
  });

  test("what jq's `debug` says is a warning, with nothing that a terminal would obey", async () => {
    const warned = once(process, 'warning');
    const library = await fromProgram(`if (input === '"b"') console.error('["DEBUG:","\u001b[31m"]'); ${ECHO}`);
    expect(await library.run('debug', '"b"')).toBe('"b"');
    expect((await warned)[0]).toMatchObject({ name: 'jq', message: '["DEBUG:","\\u001b[31m"]' });
  });

  test('names the signal that ends the program each time', async () => {
    const library = await fromProgram(
      `if (input !== '"b"') ${ECHO} else { process.kill(process.pid, 'SIGINT'); setInterval(() => {}, 1000); }`,
    );
    await expect(library.run('.', '"b"')).rejects.toThrow('jq ended with SIGINT');
  });
});

const REAL = spawnSync('jq', ['--version']).status === 0;

describe.skipIf(!REAL)('the program jq of this machine', () => {
  test.each([
    '[.type, .key]',
    'select(.type == "MODIFIED") | .object.metadata.name',
    '.key, .type',
    'empty',
    '.type # the type',
    'def f: .key; f',
    '[inputs] | length',
    'if .key == "shop/a" then halt else .key end',
    '$ENV.HOME',
    '{"é": .key}',
  ])('prints what jq-web prints: %s', async (expression) => {
    const batch = [event('ADDED', pod('a')), event('MODIFIED', pod('b'))];
    const [web, program] = await Promise.all([loadJqLibrary(), loadJqLibrary({ resolve: notInstalled })]);
    const text = async (library: typeof web) => printedBy(await compileJq(expression, library), batch);
    expect(await text(program)).toBe((await text(web)).replace('"/home/web_user"\n"/home/web_user"', 'null\nnull'));
  });

  test.each(['.a[', 'nope(1)', '-h', '.a) | (.b'])('refuses what jq-web refuses: %s', async (expression) => {
    const library = await loadJqLibrary({ resolve: notInstalled });
    await expect(compileJq(expression, library)).rejects.toThrow('error parsing jq expression');
  });

  test.each([
    ['if .key == "shop/b" then error("boom") else .key end', 'jq: error on Pod shop/b: boom'],
    ['.key | keys', 'jq: error on Pod shop/a: string ("shop/a") has no keys'],
  ])('names the object on which an expression fails: %s', async (expression, message) => {
    const jq = await compileJq(expression, await loadJqLibrary({ resolve: notInstalled }));
    expect(await printedBy(jq, [event('ADDED', pod('a')), event('MODIFIED', pod('b'))])).toContain(message);
  });
});
