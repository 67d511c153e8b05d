// One text of a source file that holds many edits at once, each behind a switch: `__edit(17) ? edited : original`. With
// every switch off it does what the file does; with one on, what the file with that one edit does.
import { createRequire } from 'node:module';

const ts = createRequire(new URL('../typescript-floor/package.json', import.meta.url))('typescript');
const { SyntaxKind } = ts;

/** The text with a switch for each edit, `{ id, at, find, replace, operator }`. */
export function switched(file, source, edits) {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.ESNext, true, ts.ScriptKind.TS);
  const byNode = new Map();
  for (const edit of edits) {
    const node = carrierOf(tree, edit);
    byNode.set(node, [...(byNode.get(node) ?? []), edit]);
  }
  const rendered = (node) => {
    const inner = childrenOf(node);
    let [text, from] = ['', node.getStart(tree)];
    for (const child of inner) {
      text += source.slice(from, child.getStart(tree)) + rendered(child);
      from = child.end;
    }
    text += source.slice(from, node.end);
    return (byNode.get(node) ?? []).reduceRight((inside, edit) => wrapped(node, inside, edit, source, tree), text);
  };
  return source.slice(0, tree.getStart(tree)) + rendered(tree);
}

function childrenOf(node) {
  const children = [];
  ts.forEachChild(node, (child) => {
    children.push(child);
  });
  return children.sort((a, b) => a.pos - b.pos);
}

/** The node that a switch is written around. */
function carrierOf(tree, { at, find }) {
  const end = at + find.length;
  let best;
  const visit = (node) => {
    if (node.getStart(tree) > at || node.end < end) return;
    if (node.getStart(tree) === at && node.end === end) best ??= node;
    ts.forEachChild(node, visit);
  };
  visit(tree);
  if (best.parent.operatorToken === best) return chainOf(best.parent);
  return best;
}

/** The whole chain of operators: an edited one may bind its neighbours otherwise. */
function chainOf(node) {
  const isAssigned = ({ operatorToken: { kind } }) =>
    kind >= SyntaxKind.FirstAssignment && kind <= SyntaxKind.LastAssignment;
  while (ts.isBinaryExpression(node.parent) && !isAssigned(node.parent)) node = node.parent;
  return node;
}

function wrapped(node, inside, { id, at, find, replace, operator }, source, tree) {
  const on = `__edit(${id})`;
  if (operator === 'drop statement') return `{ if (!${on}) { ${inside} } }`;
  if (operator === 'empty block') {
    if (ts.isFunctionLike(node.parent)) return `{ if (${on}) return; ${inside.slice(1)}`;
    return `{ if (!${on}) ${inside} }`;
  }
  const start = node.getStart(tree);
  const edited = source.slice(start, at) + replace + source.slice(at + find.length, node.end);
  return `(${on} ? (${edited}) : (${inside}))`;
}
