/** A set of field paths as a tree. A node may belong to the set itself, have members below it, or both. */
export class FieldSet {
  owned = false;
  readonly children = new Map<string, FieldSet>();

  /** The node below one path element (`f:spec`, `k:{"name":"c"}`, `v:"x"`), made if need be. */
  child(element: string): FieldSet {
    let child = this.children.get(element);
    if (!child) {
      child = new FieldSet();
      this.children.set(element, child);
    }
    return child;
  }

  get isEmpty(): boolean {
    if (this.owned) return false;
    for (const child of this.children.values()) if (!child.isEmpty) return false;
    return true;
  }

  /** Reads FieldsV1. Source: structured-merge-diff fieldpath/serialize.go. */
  static fromFieldsV1(fields: Record<string, unknown>): FieldSet {
    const set = new FieldSet();
    for (const [element, below] of Object.entries(fields)) {
      if (element === '.') {
        set.owned = true;
        continue;
      }
      const child = FieldSet.fromFieldsV1(below as Record<string, unknown>);
      if (child.children.size === 0) child.owned = true;
      set.children.set(element, child);
    }
    return set;
  }

  /** Writes FieldsV1, elements sorted. */
  toFieldsV1(): Record<string, unknown> {
    return this.#write() ?? {};
  }

  /** Undefined when nothing in here belongs to the set. */
  #write(): Record<string, unknown> | undefined {
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
      result.children.set(element, mine && theirs ? mine.union(theirs) : ((mine ?? theirs) as FieldSet));
    }
    return result;
  }

  minus(other: FieldSet): FieldSet {
    const result = new FieldSet();
    result.owned = this.owned && !other.owned;
    for (const [element, child] of this.children) {
      const theirs = other.children.get(element);
      const left = theirs ? child.minus(theirs) : child;
      if (!left.isEmpty) result.children.set(element, left);
    }
    return result;
  }

  intersect(other: FieldSet): FieldSet {
    const result = new FieldSet();
    result.owned = this.owned && other.owned;
    for (const [element, child] of this.children) {
      const theirs = other.children.get(element);
      const common = theirs ? child.intersect(theirs) : undefined;
      if (common && !common.isEmpty) result.children.set(element, common);
    }
    return result;
  }

  /** Whether the two have anything in common. */
  meets(other: FieldSet): boolean {
    if (this.owned && other.owned) return true;
    for (const [element, child] of other.children) if (this.children.get(element)?.meets(child)) return true;
    return false;
  }

  equals(other: FieldSet): boolean {
    return this.minus(other).isEmpty && other.minus(this).isEmpty;
  }

  /** The paths as people read them: `.data.k`, `.spec.containers[name="c"].image`. */
  paths(prefix = ''): string[] {
    const own = this.owned && prefix !== '' ? [prefix] : [];
    const below = [...this.children].sort(([a], [b]) => (a < b ? -1 : 1));
    return [...own, ...below.flatMap(([element, child]) => child.paths(prefix + readable(element)))];
  }
}

function readable(element: string): string {
  const [kind, rest] = [element.slice(0, 2), element.slice(2)];
  if (kind === 'f:') return `.${rest}`;
  if (kind === 'v:') return `[=${rest}]`;
  const keys = Object.entries(JSON.parse(rest) as Record<string, unknown>);
  return `[${keys.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(',')}]`;
}
