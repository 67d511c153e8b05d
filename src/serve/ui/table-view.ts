import type { LookedAt } from '../../informer/compact/field-columns.ts';
import { InformerError, isInformerError, messageOf } from '../../kit/error.ts';
import { lightsOf } from '../../kit/lazy-list.ts';
import { cellsOf, type TableColumn } from '../../model/cells.ts';
import { isSecretResource } from '../../model/gvr.ts';
import { keyOf, type ObjectKey } from '../../model/key.ts';
import { LabelSelector } from '../../model/label-selector.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { type CompiledCondition, ConditionJudge, variablesOf } from '../../stream/conditions/condition.ts';
import type { UiCache, UiConditions, UiPrintedColumn, UiProgram } from './ui-program.ts';
import type { UiColumn, UiQuery, UiRow } from './wire.ts';

/** Longer cells are cut: a page shows no more of one, and an object may be full of them. */
const LONGEST_CELL = 300;
const LONGEST_QUESTION = 10_000;

/**
 * A compiled {@link UiQuery}: which objects it finds, and how they look as rows. Expressions see the real values of
 * Secrets; rows have the server's cells only.
 */
export class TableView {
  readonly cache: UiCache;
  /** Whether an object may start or stop matching by the time alone. */
  readonly readsTime: boolean;
  /** Whether objects are looked at, and not only what rows show of them, or the parts that expressions read. */
  readonly readsObjects: boolean;
  readonly #program: UiProgram;
  readonly #namespace: string;
  /** In lower case; each must be in a key. */
  readonly #words: readonly string[];
  readonly #selector: LabelSelector;
  readonly #valuesOf: ((object: ReadonlyObject) => boolean) | undefined;
  readonly #conditions: readonly CompiledCondition[];
  /** The parts of objects that the conditions read; undefined: any, or they see what rows show. */
  readonly #looked: LookedAt | undefined;
  readonly #judge: ConditionJudge;
  #failure: Error | undefined;
  #remark: string | undefined;
  readonly #layouts = new Layouts();
  #printed: readonly UiPrintedColumn[];

  private constructor(program: UiProgram, cache: UiCache, question: UiQuery, { conditions, looked }: UiConditions) {
    this.cache = cache;
    this.#program = program;
    this.#namespace = question.namespace ?? '';
    this.#words = (question.name ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    this.#selector = inBox('selector', () => LabelSelector.parse(question.selector ?? ''));
    this.#valuesOf = inBox('index', () => question.index && withValue(program, question.index));
    this.#conditions = conditions;
    const isOfParts = cache.informer.lister.readerOf !== undefined && !isSecretResource(cache.type.gvr);
    this.#looked = isOfParts && question.filter && !question.index ? looked : undefined;
    this.readsObjects = Boolean(question.index || (question.filter && !this.#looked));
    this.readsTime = Boolean(question.where) || conditions.some(({ readsTime }) => readsTime);
    this.#judge = new ConditionJudge(
      (error) => {
        this.#failure ??= error;
      },
      (remark) => {
        this.#remark ??= remark;
      },
    );
    this.#printed = program.texts.columns(cache.type, undefined);
  }

  /** Compiles a question. Rejects with `argument` for a type, selector, index or expression that is not valid. */
  static async of(program: UiProgram, question: UiQuery): Promise<TableView> {
    const texts = [
      question.where,
      question.filter,
      question.selector,
      question.name,
      question.index?.name,
      question.index?.value,
    ];
    if (texts.some((text = '') => text.length > LONGEST_QUESTION))
      throw new InformerError('argument', `a text is longer than ${LONGEST_QUESTION} characters`);
    const cache = cacheNamed(program, question.type);
    const { where, filter } = question;
    const conditions: UiConditions =
      where || filter
        ? await program.compile({ where: where || undefined, filter: filter || undefined }, knownColumns(cache))
        : { conditions: [] };
    return new TableView(program, cache, question, conditions);
  }

  /** The mistake of the evaluation, for the user. Values of Secrets are not in it. */
  get remark(): string | undefined {
    const { errors } = this.#judge;
    if (errors === 0) return this.#remark;
    const what = isSecretResource(this.cache.type.gvr) ? 'an expression failed' : this.#failure?.message;
    return `${what}; an object on which an expression fails counts as no match`;
  }

  /** Whether an object with this key may match. Needs no look at the object. */
  mayMatch(key: ObjectKey): boolean {
    if (this.#namespace !== '' && !key.startsWith(`${this.#namespace}/`)) return false;
    if (this.#words.length === 0) return true;
    const lower = key.toLowerCase();
    return this.#words.every((word) => lower.includes(word));
  }

  /**
   * Whether objects with these keys match. The test takes the object, or what a row shows of it unless `readsObjects`.
   * Of a cache that knows the parts which expressions read nothing is decoded.
   */
  matcherOf(keys: readonly ObjectKey[]): (key: ObjectKey, object: ReadonlyObject) => boolean {
    const { lister } = this.cache.informer;
    if (!this.#looked || !lister.readerOf || !lister.viewByKeys) return (_, object) => this.matches(object);
    const present = keys.filter((key) => lister.has(key));
    const entries = lightsOf(lister.viewByKeys(present));
    const entryOf = new Map(present.map((key, i) => [key, entries[i]]));
    const read = lister.readerOf(this.#looked, (object) => this.#meets(object));
    return (key, object) => this.#selects(object) && entryOf.has(key) && read(entryOf.get(key));
  }

  /** The same of one whole object. */
  matches(object: ReadonlyObject): boolean {
    return this.#selects(object) && this.#meets(object);
  }

  #selects(object: ReadonlyObject): boolean {
    const { labels } = object.metadata;
    if (!this.mayMatch(keyOf(object))) return false;
    if (!this.#selector.matchesEverything && !this.#selector.matches(labels)) return false;
    return !this.#valuesOf || this.#valuesOf(object);
  }

  #meets(object: ReadonlyObject): boolean {
    if (this.#conditions.length === 0) return true;
    const now = this.#program.clock.now();
    const variables = variablesOf({ type: 'added', object, cause: 'initial' }, now, this.cache.type);
    return this.#conditions.every((condition) => this.#judge.holds(condition, variables));
  }

  /** The columns of the rows so far. They may change with a row: look again after each. */
  get columns(): readonly UiColumn[] {
    return this.#printed.map(({ heading, isWide }) => ({ heading, isWide, isAge: heading === 'AGE' }));
  }

  /** Whether an object has columns that no object had before. Rows have these columns from then on. */
  takeColumns(object: ReadonlyObject): boolean {
    const server = cellsOf(object)?.columns;
    if (server === undefined || this.#layouts.of(server)) return false;
    const columns = this.#program.texts.columns(this.cache.type, server);
    if (!this.#layouts.add(server, columns)) return false;
    this.#printed = columns;
    return true;
  }

  row(key: string, object: ReadonlyObject): UiRow {
    const created = Date.parse(object.metadata.creationTimestamp ?? '');
    const isDated = !Number.isNaN(created);
    const now = this.#program.clock.now();
    const own = this.#layouts.of(cellsOf(object)?.columns) ?? this.#printed;
    let states = '';
    const cells = this.#printed.map((column) => {
      if (column.heading === 'AGE' && isDated) {
        states += ' ';
        return '';
      }
      // after a change of its type an object may have other columns
      const cell = (own === this.#printed ? column : sameHeading(own, column))?.cell(object, now) ?? '';
      states += column.state(cell);
      return cell.length > LONGEST_CELL ? `${cell.slice(0, LONGEST_CELL)}…` : cell;
    });
    return [key, cells, states.trimEnd(), isDated ? created : null];
  }
}

const sameHeading = (columns: readonly UiPrintedColumn[], { heading }: UiPrintedColumn) =>
  columns.find((column) => column.heading === heading);

/** Each watch brings its own list of columns; few of them differ. */
class Layouts {
  readonly #byList = new WeakMap<readonly TableColumn[], readonly UiPrintedColumn[]>();
  readonly #byText = new Map<string, readonly UiPrintedColumn[]>();

  of(server: readonly TableColumn[] | undefined): readonly UiPrintedColumn[] | undefined {
    return server && this.#byList.get(server);
  }

  /** Whether no list with the same content was added before. */
  add(server: readonly TableColumn[], columns: readonly UiPrintedColumn[]): boolean {
    const text = JSON.stringify(server);
    const known = this.#byText.get(text);
    this.#byList.set(server, known ?? columns);
    if (!known) this.#byText.set(text, columns);
    return known === undefined;
  }
}

/** The cached type with this id. Throws `argument` if there is none. */
export function cacheNamed(program: UiProgram, id: string): UiCache {
  const cache = program.caches().find((each) => each.id === id);
  if (cache) return cache;
  throw new InformerError('argument', `this serve has no cache of ${JSON.stringify(id)}`, {
    hint: `it has ${program
      .caches()
      .map((each) => each.id)
      .join(', ')}`,
  });
}

/** Names the box in an error, in the way that the errors of expressions name their flag. */
function inBox<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const hint = isInformerError(cause) ? cause.hint : undefined;
    throw new InformerError('argument', `--${name}: ${messageOf(cause)}`, { cause, hint });
  }
}

/** The server's columns, as far as a row has come already. */
function knownColumns({ informer }: UiCache): readonly TableColumn[] | undefined {
  for (const object of informer.lister.values()) return cellsOf(object)?.columns;
  return undefined;
}

function withValue(program: UiProgram, { name, value }: { name: string; value: string }) {
  const index = program.index(name);
  const wanted = index.normalise?.(value) ?? [value];
  return (object: ReadonlyObject) => index.valuesOf(object).some((each) => wanted.includes(each));
}
