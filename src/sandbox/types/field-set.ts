import { jsonText, parseJson } from '../../kit/exact-json.ts';

/**
 * A set of field paths, as a tree. A node can be in the set itself (`owned`), have nodes of the set below it, or both.
 */
export class FieldSet {
  owned = false;
  /** Created with the first child, because most nodes are leaves. */
  #children: Map<string, FieldSet> | undefined;

  get children(): ReadonlyMap<string, FieldSet> {
    return this.#children ?? NO_CHILDREN;
  }

  /** The node below one path element (`f:spec`, `k:{"name":"c"}`, `v:"x"`). It is created when it is absent. */
  child(element: string): FieldSet {
    return this.#children?.get(element) ?? this.#put(element, new FieldSet());
  }

  #put(element: string, child: FieldSet): FieldSet {
    this.#children ??= new Map();
    this.#children.set(element, child);
    return child;
  }

  get isEmpty(): boolean {
    if (this.owned) return false;
    if (!this.#children) return true;
    for (const child of this.children.values()) if (!child.isEmpty) return false;
    return true;
  }

  /** The set that a FieldsV1 value describes. Source: structured-merge-diff fieldpath/serialize.go. */
  static fromFieldsV1(fields: Record<string, unknown>): FieldSet {
    const set = new FieldSet();
    for (const [element, below] of Object.entries(fields)) {
      if (element === '.') {
        set.owned = true;
        continue;
      }
      const child = FieldSet.fromFieldsV1(below as Record<string, unknown>);
      if (child.children.size === 0) child.owned = true;
      set.#put(element, child);
    }
    return set;
  }

  /**
   * The union of a FieldsV1 value and this set, as FieldsV1 with sorted elements. Returns `fields` itself when nothing
   * is new.
   */
  addedTo(fields: Record<string, unknown>): Record<string, unknown> {
    const more: Record<string, unknown> = {};
    if (this.owned && !ownsItself(fields)) more['.'] = {};
    for (const [element, child] of this.children) {
      const below = fields[element] as Record<string, unknown> | undefined;
      const written = below ? child.addedTo(below) : child.#write();
      if (written && written !== below) more[element] = written;
    }
    const elements = Object.keys(more);
    if (elements.length === 0) return fields;
    const { '.': _own, ...all } = { ...fields, ...more };
    const result: Record<string, unknown> = this.owned || ownsItself(fields) ? { '.': {} } : {};
    for (const element of Object.keys(all).sort()) result[element] = all[element];
    return result;
  }

  /** Whether a FieldsV1 value has a path in common with this set. */
  touches(fields: Record<string, unknown>): boolean {
    if (this.owned && ownsItself(fields)) return true;
    for (const [element, child] of this.children) {
      const below = fields[element] as Record<string, unknown> | undefined;
      if (below && child.touches(below)) return true;
    }
    return false;
  }

  /** This set as FieldsV1, with sorted elements. */
  toFieldsV1(): Record<string, unknown> {
    return this.#write() ?? {};
  }

  /** Undefined when no path below this node is in the set. */
  #write(): Record<string, unknown> | undefined {
    if (!this.#children) return this.owned ? {} : undefined;
    const below: Record<string, unknown> = {};
    let empty = true;
    for (const element of [...this.children.keys()].sort()) {
      const fields = (this.children.get(element) as FieldSet).#write();
      if (!fields) continue;
      below[element] = fields;
      empty = false;
    }
    if (empty) return this.owned ? {} : undefined;
    return this.owned ? { '.': {}, ...below } : below;
  }

  union(other: FieldSet): FieldSet {
    const result = new FieldSet();
    result.owned = this.owned || other.owned;
    for (const element of new Set([...this.children.keys(), ...other.children.keys()])) {
      const [mine, theirs] = [this.children.get(element), other.children.get(element)];
      result.#put(element, mine && theirs ? mine.union(theirs) : ((mine ?? theirs) as FieldSet));
    }
    return result;
  }

  minus(other: FieldSet): FieldSet {
    const result = new FieldSet();
    result.owned = this.owned && !other.owned;
    for (const [element, child] of this.children) {
      const theirs = other.children.get(element);
      const left = theirs ? child.minus(theirs) : child;
      if (!left.isEmpty) result.#put(element, left);
    }
    return result;
  }

  intersect(other: FieldSet): FieldSet {
    const result = new FieldSet();
    result.owned = this.owned && other.owned;
    for (const [element, child] of this.children) {
      const theirs = other.children.get(element);
      const common = theirs ? child.intersect(theirs) : undefined;
      if (common && !common.isEmpty) result.#put(element, common);
    }
    return result;
  }

  /** Whether the two sets have a path in common. */
  meets(other: FieldSet): boolean {
    if (this.owned && other.owned) return true;
    for (const [element, child] of other.children) if (this.children.get(element)?.meets(child)) return true;
    return false;
  }

  equals(other: FieldSet): boolean {
    return this.minus(other).isEmpty && other.minus(this).isEmpty;
  }

  /** The paths in the form for error messages: `.data.k`, `.spec.containers[name="c"].image`. */
  paths(prefix = ''): string[] {
    const own = this.owned && prefix !== '' ? [prefix] : [];
    const below = [...this.children].sort(([a], [b]) => (a < b ? -1 : 1));
    return [...own, ...below.flatMap(([element, child]) => child.paths(prefix + readable(element)))];
  }
}

const NO_CHILDREN: ReadonlyMap<string, FieldSet> = new Map();

/** Whether the node itself is in the set. In FieldsV1 a leaf is, without the mark `.`. */
function ownsItself(fields: Record<string, unknown>): boolean {
  if ('.' in fields) return true;
  for (const _element in fields) return false;
  return true;
}

function readable(element: string): string {
  const [kind, rest] = [element.slice(0, 2), element.slice(2)];
  if (kind === 'f:') return `.${rest}`;
  if (kind === 'v:') return `[=${rest}]`;
  const keys = Object.entries(parseJson(rest) as Record<string, unknown>);
  return `[${keys.map(([name, value]) => `${name}=${jsonText(value)}`).join(',')}]`;
}
