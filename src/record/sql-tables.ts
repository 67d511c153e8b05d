import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { openDatabase } from '../kit/database-file.ts';
import { InformerError, messageOf } from '../kit/error.ts';
import { formatGroupResource } from '../model/gvr.ts';
import { hasHookRuns } from './hook-runs.ts';
import type { RecordedSource, Recording } from './recording.ts';
import { recordingFault } from './recording-fault.ts';
import { putState } from './retention.ts';
import { quoted, staysKnown, typeViews, typeViewText } from './schema.ts';

/** Source: sqlite.org/rescode.html, SQLITE_READONLY. */
const READ_ONLY = 8;

/** The words with which a statement begins that is no question. Source: sqlite.org/lang.html. */
const OTHERS = new Set(
  (
    'ALTER ANALYZE ATTACH BEGIN COMMIT CREATE DELETE DETACH DROP END INSERT PRAGMA REINDEX RELEASE REPLACE ROLLBACK ' +
    'SAVEPOINT UPDATE VACUUM'
  ).split(' '),
);
const FIRST_WORD = /^(?:\s|;|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*(\w*)/;
/** Only comments and ends of statements. */
const BLANK = /^(?:\s|;|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*$/;

/** The tables that are no types. */
const FIXED = ['changes', 'revisions', 'gaps', 'stretches'];
const RUNS = 'hook_runs';

/**
 * A recording as one SQL statement sees it: the views of the file, or, at a moment, the same views of that moment. Only
 * the types that the statement names are made for it. Nothing can be written.
 */
export class SqlTables implements Disposable {
  /** The sources of the types that the statement names. */
  readonly read: readonly RecordedSource[];
  readonly #file: string;
  readonly #database: DatabaseSync;
  readonly #names: readonly string[];

  /** Throws `RecordingFault`. */
  constructor(recording: Recording, sql: string, at?: number) {
    this.#file = recording.file;
    this.#database = openDatabase(recording.file, { readOnly: true, timeout: 2000 });
    try {
      this.#database.exec('PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY');
      const views = typeViews(this.#database);
      this.#names = [...FIXED, ...(hasHookRuns(this.#database) ? [RUNS] : []), ...views.map(({ name }) => name)];
      const named = views.filter(({ name }) => isNamed(name, sql));
      const sourcesOf = (type: string) =>
        recording.sources.filter((source) => formatGroupResource(source.type.gvr) === type);
      this.read = named.flatMap(({ type }) => sourcesOf(type));
      if (at !== undefined) {
        const revision = recording.revisionAt(at);
        for (const view of named) this.#makeAt(recording, revision, view, sourcesOf(view.type));
        this.#limit(revision, at);
      }
      this.#database.exec('PRAGMA query_only = ON');
    } catch (error) {
      this.#database.close();
      throw recordingFault(error, this.#file);
    }
  }

  /** The statement, ready to run. Throws `argument` for a text that is no statement, writes, or names an unknown table or column. */
  prepare(sql: string): StatementSync {
    const [, first = ''] = FIRST_WORD.exec(sql) ?? [];
    const word = first.toUpperCase();
    if (OTHERS.has(word))
      throw new InformerError('argument', `--sql: ${word} is not a question: a recording is only read, by SELECT`, {
        hint: "for the columns of a table: SELECT name FROM pragma_table_info('changes')",
      });
    try {
      const statement = this.#database.prepare(sql);
      const { sourceSQL } = statement;
      if (BLANK.test(sql.slice(sql.indexOf(sourceSQL) + sourceSQL.length))) return statement;
    } catch (error) {
      throw this.#explained(messageOf(error), sql, error);
    }
    throw new InformerError('argument', '--sql takes one statement', { hint: 'leave out what follows the first ;' });
  }

  /** An error of a statement that runs. */
  failed(error: unknown): unknown {
    const { errcode } = error as { errcode?: number };
    if (errcode === READ_ONLY)
      return new InformerError('argument', '--sql: the statement writes, and a recording is only read', {
        cause: error,
      });
    const fault = recordingFault(error, this.#file);
    if (fault.kind !== 'unusable') return fault;
    return new InformerError('store', `the statement failed: ${messageOf(error)}`, { cause: error });
  }

  [Symbol.dispose](): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #makeAt(
    recording: Recording,
    revision: number,
    view: ReturnType<typeof typeViews>[number],
    sources: readonly RecordedSource[],
  ): void {
    const states = quoted(`${view.name} at this moment`);
    this.#database.exec(`CREATE TEMP TABLE ${states} AS SELECT * FROM state LIMIT 0; BEGIN`);
    let insert: StatementSync | undefined;
    const prepare = (sql: string) => {
      insert ??= this.#database.prepare(sql);
      return insert;
    };
    for (const { id, type } of sources)
      for (const each of recording.statesAt(id, revision, { withGone: staysKnown(type.gvr), shape: 'bare' }))
        putState({ prepare }, each, states);
    const columns = sources.findLast((each) => each.columns.length > 0)?.columns ?? [];
    this.#database.exec(`COMMIT; ${typeViewText(view, columns, { states, revision })}`);
  }

  /** Hides what came after a moment. */
  #limit(revision: number, at: number): void {
    const time = `'${new Date(at).toISOString()}'`;
    this.#database.exec(`
      CREATE TEMP VIEW changes AS SELECT * FROM main.changes WHERE revision <= ${revision};
      CREATE TEMP VIEW revisions AS SELECT * FROM main.revisions WHERE id <= ${revision};
      CREATE TEMP VIEW gaps AS SELECT * FROM main.gaps WHERE since <= ${time};
      CREATE TEMP VIEW stretches AS SELECT * FROM main.stretches WHERE since <= ${time}`);
    if (this.#names.includes(RUNS))
      this.#database.exec(`CREATE TEMP VIEW ${RUNS} AS SELECT * FROM main.${RUNS} WHERE time <= ${time}`);
  }

  #explained(message: string, sql: string, cause: unknown): InformerError {
    const named = this.#names.filter((name) => isNamed(name, sql));
    const about = named.length === 0 || message.startsWith('no such table') ? [] : named;
    const lists = about.map((name) => `${name} has ${this.#columnsOf(name).join(', ')}`);
    const hint = lists.length > 0 ? lists.join('; ') : `the recording has the tables ${this.#names.join(', ')}`;
    return new InformerError('argument', `--sql: ${message}`, { hint, cause });
  }

  #columnsOf(name: string): string[] {
    return this.#database
      .prepare('SELECT name FROM pragma_table_info(?)')
      .all(name)
      .map((row) => String(row.name));
  }
}

const isNamed = (name: string, sql: string) => sql.toLowerCase().includes(name.toLowerCase());
