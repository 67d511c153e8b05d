import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { Cli, run } from '../support/cli.ts';

const NIGHT = path.resolve(import.meta.dirname, '../../examples/recordings/night.rec');
const HOME = mkdtempSync(path.join(tmpdir(), 'query-sql-'));

const asked = (sql: string, ...args: string[]) => run(['query', '--from', NIGHT, '--sql', sql, ...args], { env: { HOME } }); // biome-ignore format: one line

/** A statement that does not end by itself. */
const ENDLESS = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)';
const hasSqlite = spawnSync('sqlite3', ['--version']).status === 0;

/** The process that runs the statement of a command. */
function processOf({ child: { pid } }: Cli): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);
}

async function begun(): Promise<{ cli: Cli; statement: number }> {
  const cli = new Cli(['query', '--from', NIGHT, '--sql', `${ENDLESS} SELECT count(*) FROM n`], { env: { HOME } });
  await cli.until(() => processOf(cli) > 0, 'the process of the statement');
  return { cli, statement: processOf(cli) };
}

describe('query --sql', () => {
  it.runIf(hasSqlite)(
    'gives the rows that sqlite3 gives by hand',
    async () => {
      const statements = [
        'SELECT namespace, name, STATUS, RESTARTS, labels, object FROM pods ORDER BY name',
        "SELECT name, UP_TO_DATE, AVAILABLE, labels ->> 'app' AS app FROM deployments ORDER BY name",
        "SELECT time, name, event, path, who, before, after FROM changes WHERE path LIKE '.spec%' ORDER BY revision",
        'SELECT about, reason, count(*) AS n FROM events GROUP BY about, reason ORDER BY n DESC, about, reason',
        'SELECT * FROM gaps',
        'SELECT * FROM stretches',
        'SELECT * FROM revisions WHERE id % 50 = 0',
        'SELECT 1.5 AS x, 2.0 AS whole, 9007199254740993 AS large, NULL AS missing',
      ];
      for (const sql of statements) {
        const byHand = execFileSync('sqlite3', ['-readonly', '-json', NIGHT, sql], { encoding: 'utf8' });
        const { code, stdout, stderr } = await asked(sql, '-o', 'json');
        expect([code, stderr], sql).toEqual([0, '']);
        expect(stdout.replaceAll(/},\n\{/g, '},{')).toBe(byHand.replaceAll(/},\n\{/g, '},{'));
      }
    },
    60_000,
  );

  it('prints a table, CSV, TSV and JSON, of the end or of a moment', async () => {
    const replicas = "SELECT time, who, before, after FROM changes WHERE name = 'web' AND path = '.spec.replicas'";
    expect((await asked(replicas)).stdout).toBe('TIME                      WHO            BEFORE  AFTER\n2026-11-28T02:11:40.000Z  kubectl-scale  4       9\n'); // biome-ignore format: one line
    expect((await asked(replicas, '-o', 'csv', '--no-headers')).stdout).toBe('2026-11-28T02:11:40.000Z,kubectl-scale,4,9\r\n'); // biome-ignore format: one line
    expect((await asked(replicas, '-o', 'tsv')).stdout).toBe('time\twho\tbefore\tafter\n2026-11-28T02:11:40.000Z\tkubectl-scale\t4\t9\n'); // biome-ignore format: one line
    expect((await asked(replicas, '--at', '2026-11-28T02:11')).stdout).toBe('TIME  WHO  BEFORE  AFTER\n');
    const pods = 'SELECT count(*) AS n FROM pods';
    expect((await asked(pods, '-o', 'ndjson')).stdout).toBe('{"n":13}\n');
    expect((await asked(pods, '-o', 'ndjson', '--at', '2026-11-28T02:11')).stdout).toBe('{"n":8}\n');
    const inGap = await asked(pods, '-o', 'ndjson', '--at', '2026-11-28T02:07');
    expect(inGap.stdout).toBe('{"n":8}\n');
    expect(inGap.stderr).toMatch(/^v1\/pods in shop at 2026-11-28T02:07:00.000Z: changes may be missing, in a gap/);
    expect((await asked('SELECT 1 AS n', '--at', '2026-11-28T02:07')).stderr).toBe(''); // no type is read
  }, 60_000);

  it('says what is wrong, and what there is', async () => {
    const errors = {
      'SELECT nam FROM pods': [2, /^error: --sql: no such column: nam\nhint: pods has cluster, namespace, name, /],
      'SELECT * FROM services': [
        2,
        /^error: --sql: no such table: services\nhint: the recording has the tables .*pods/,
      ],
      'DELETE FROM state': [2, /^error: --sql: DELETE is not a question: a recording is only read, by SELECT\n/],
    } as const;
    for (const [sql, [code, text]] of Object.entries(errors)) {
      const found = await asked(sql);
      expect(found).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(text) });
    }
    const others = [
      [
        ['--sql', 'SELECT 1'],
        2,
        /^error: --sql asks a recording, and --from FILE is missing\nhint: watch TYPE --record/,
      ],
      [
        ['pods', '--from', NIGHT, '--sql', 'SELECT 1'],
        2,
        /^error: --sql beside "pods": the statement names its tables/,
      ],
      [['-A', '--from', NIGHT, '--sql', 'SELECT 1'], 2, /^error: --all-namespaces does nothing beside --sql/],
      [['--from', NIGHT, '--sql', 'SELECT 1', '-o', 'yaml'], 2, /^error: -o yaml cannot be used with --sql: it prints rows\nhint: .*-o csv/], // biome-ignore format: one line
      [['--from', 'nothing', '--sql', 'SELECT 1'], 1, /^error: nothing: there is no such file/],
      [['--from', import.meta.filename, '--sql', 'SELECT 1'], 1, /file is not a database/],
    ] as const;
    for (const [args, code, text] of others)
      expect(await run(['query', ...args], { env: { HOME } })).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(text) }); // biome-ignore format: one line
  }, 60_000);

  it('says that the newest states may be late while the recording goes on', async () => {
    const file = path.join(HOME, 'open.rec');
    copyFileSync(NIGHT, file);
    const database = new DatabaseSync(file);
    database.exec('UPDATE run SET ended = NULL WHERE id = 2');
    database.close();
    const ask = (...args: string[]) => run(['query', '--from', file, ...args], { env: { HOME } });
    expect((await ask('--sql', 'SELECT count(*) FROM pods')).stderr).toContain('; --at 0s has all of them\n');
    expect((await ask('--sql', 'SELECT count(*) FROM pods', '--at', '0s')).stderr).not.toContain('--at 0s');
  }, 60_000);

  it('ends at its limit of time, with exit code 3, and at that of memory', async () => {
    const late = await asked(`${ENDLESS} SELECT count(*) FROM n`, '--timeout', '1s');
    expect(late).toMatchObject({ code: 3, stdout: '' });
    expect(late.stderr).toMatch(
      /^error: the statement did not end within 1s: what is printed is not the whole answer\n/,
    );
    const wide = await asked('SELECT zeroblob(900000000) AS a, zeroblob(900000000) AS b, zeroblob(900000000) AS c');
    expect(wide).toMatchObject({ code: 1, stdout: '' });
    expect(wide.stderr).toMatch(/^error: the statement needs more memory than 1 GiB: what is printed/);
    const sorted = await asked(`${ENDLESS} SELECT hex(randomblob(1000)) AS h FROM n ORDER BY h`);
    expect([sorted.code, sorted.stdout]).toEqual([1, '']);
  }, 120_000);

  it('keeps no rows: its reader may take them as slowly as it likes, and leave', async () => {
    await using cli = new Cli(
      ['query', '--from', NIGHT, '--sql', `${ENDLESS} SELECT i FROM n`, '--timeout', '2s', '-o', 'csv'],
      { env: { HOME } },
    );
    cli.child.stdout?.pause();
    await new Promise((resolve) => setTimeout(resolve, 3_000)); // longer than its limit
    cli.child.stdout?.resume();
    await cli.until(() => cli.lines.length > 20_000, '20,000 rows');
    cli.child.stdout?.destroy();
    expect(await cli.ended()).toMatchObject({ code: 0, stderr: '' });
  }, 60_000);

  it.runIf(existsSync('/proc/self/task'))(
    'ends with a signal, and with the process that waits for it',
    async () => {
      const interrupted = await begun();
      interrupted.cli.kill('SIGINT');
      expect(await interrupted.cli.ended()).toMatchObject({ code: 130, stderr: '' }); // all its pipes are closed
      expect(existsSync(`/proc/${interrupted.statement}`)).toBe(false);
      const killed = await begun();
      const at = performance.now();
      killed.cli.kill('SIGKILL');
      expect(await killed.cli.ended()).toMatchObject({ signal: 'SIGKILL' });
      expect(performance.now() - at).toBeLessThan(15_000); // and not the time of the statement
    },
    60_000,
  );
});
