// The standard operators of mutation testing, applied to the syntax tree of one source file. Each result is one edit,
// of the form that tools/mutants/edit.mjs makes. Types, imports, comments, texts of errors and of the log are left
// alone: an edit in them breaks no rule.
import { createRequire } from 'node:module';

// The checkout's own compiler has no interface for programs. The syntax is the same for the older one that has.
const ts = createRequire(new URL('../typescript-floor/package.json', import.meta.url))('typescript');
const { SyntaxKind } = ts;

/** Up to here a number is a count, or a place, that is changed by one; a greater one is an amount, and is doubled. */
const GREATEST_COUNT = 9;
const LOG_METHODS = new Set(['debug', 'info', 'warn', 'error', 'trace']);
const LOGGER = /(^|[.#])(log|logger|console)\??$/i;

/** Operator → its replacements, each with the name of the rule by which it is replaced. */
const BINARY = {
  '<': ['boundary', '<='],
  '<=': ['boundary', '<'],
  '>': ['boundary', '>='],
  '>=': ['boundary', '>'],
  '===': ['equality', '!=='],
  '!==': ['equality', '==='],
  '==': ['equality', '!='],
  '!=': ['equality', '=='],
  '-': ['arithmetic', '+'],
  '+': ['arithmetic', '-'],
  '*': ['arithmetic', '/'],
  '/': ['arithmetic', '*'],
  '%': ['arithmetic', '*'],
  '+=': ['arithmetic', '-='],
  '-=': ['arithmetic', '+='],
  '&&': ['logical', '||'],
  '||': ['logical', '&&'],
  '??=': ['logical', '='],
  '||=': ['logical', '='],
  '&&=': ['logical', '='],
};

/**
 * Every edit of one file, in the order of its text: `{ file, at, find, replace, operator, line, column, anchor }`. `anchor` is the
 * offset of the statement that contains the place.
 */
export function mutantsOf(file, source) {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.ESNext, true, ts.ScriptKind.TS);
  const found = new Map();
  const add = (operator, start, end, replace) => {
    const mutant = { file, at: start, find: source.slice(start, end), replace, operator };
    const key = `${start} ${end} ${replace}`;
    if (mutant.find !== replace && !found.has(key)) found.set(key, { ...mutant, ...placeOf(tree, start) });
  };
  const visit = (node) => {
    if (isLeftAlone(node)) return;
    const start = found.size;
    edit(node, (operator, replace, of = node) => add(operator, of.getStart(tree), of.end, replace), tree);
    const anchor = anchorOf(node, tree);
    for (const mutant of [...found.values()].slice(start)) mutant.anchor ??= anchor;
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(tree, visit);
  return [...found.values()].sort((a, b) => a.at - b.at || a.find.length - b.find.length);
}

/** What the parser has against a text; empty for a program. */
export function syntaxErrors(file, source) {
  const { parseDiagnostics } = ts.createSourceFile(file, source, ts.ScriptTarget.ESNext, false, ts.ScriptKind.TS);
  return parseDiagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

/** Lines and columns count from 1. */
function placeOf(tree, offset) {
  const { line, character } = tree.getLineAndCharacterOfPosition(offset);
  return { line: line + 1, column: character + 1 };
}

function isLeftAlone(node) {
  if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return true;
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return true;
  return ts.isThrowStatement(node) || isLogging(node);
}

function isLogging(node) {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  const { name, expression } = node.expression;
  return LOG_METHODS.has(name.text) && LOGGER.test(expression.getText());
}

function edit(node, replaceBy, tree) {
  if (ts.isBinaryExpression(node)) editBinary(node, replaceBy, tree);
  else if (ts.isPrefixUnaryExpression(node)) editPrefix(node, replaceBy, tree);
  else if (ts.isPostfixUnaryExpression(node)) replaceBy('update', node.getText(tree).replace(/..$/, opposite));
  else if (node.kind === SyntaxKind.TrueKeyword) replaceBy('boolean', 'false');
  else if (node.kind === SyntaxKind.FalseKeyword) replaceBy('boolean', 'true');
  else if (ts.isNumericLiteral(node)) editNumber(node, replaceBy);
  else if (ts.isExpressionStatement(node)) editStatement(node, replaceBy, tree);
  else if (ts.isReturnStatement(node)) editReturn(node, replaceBy);
  else if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) editResult(node.body, replaceBy);
  else if (ts.isBlock(node)) editBlock(node, replaceBy);
  const condition = conditionOf(node);
  if (condition && isNegatedAsWhole(condition)) {
    replaceBy('negate condition', `!(${condition.getText(tree)})`, condition);
  }
}

function editBinary(node, replaceBy, tree) {
  const { left, operatorToken: operator, right } = node;
  const text = operator.getText(tree);
  if (text === '??') replaceBy('logical', left.getText(tree));
  if (text === '+' && [left, right].some(isText)) return;
  const [name, other] = BINARY[text] ?? [];
  if (name) replaceBy(name, other, operator);
}

function isText(node) {
  if (ts.isBinaryExpression(node)) return [node.left, node.right].some(isText);
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

function editPrefix(node, replaceBy, tree) {
  const operand = node.operand.getText(tree);
  if (node.operator === SyntaxKind.ExclamationToken) replaceBy('remove !', operand);
  if (node.operator === SyntaxKind.PlusPlusToken) replaceBy('update', `--${operand}`);
  if (node.operator === SyntaxKind.MinusMinusToken) replaceBy('update', `++${operand}`);
}

function opposite(operator) {
  return operator === '++' ? '--' : '++';
}

function editNumber(node, replaceBy) {
  const value = Number(node.text);
  if (Number.isInteger(value) && value <= GREATEST_COUNT) {
    replaceBy('number', String(value + 1));
    if (value > 0) replaceBy('number', String(value - 1));
  } else replaceBy('number', String(value * 2));
}

/** A statement that only acts is dropped, and an action that is awaited is begun only. */
function editStatement(node, replaceBy, tree) {
  let acts = node.expression;
  if (ts.isAwaitExpression(acts)) {
    replaceBy('remove await', acts.expression.getText(tree), acts);
    acts = acts.expression;
  }
  if (ts.isVoidExpression(acts)) acts = acts.expression;
  if (isLeftAlone(acts) || (ts.isCallExpression(acts) && acts.expression.kind === SyntaxKind.SuperKeyword)) return;
  if (ts.isCallExpression(acts) || isAssignment(acts) || isUpdate(acts) || ts.isDeleteExpression(acts)) {
    replaceBy('drop statement', ';');
  }
}

function isAssignment(node) {
  if (!ts.isBinaryExpression(node)) return false;
  const { kind } = node.operatorToken;
  return kind >= SyntaxKind.FirstAssignment && kind <= SyntaxKind.LastAssignment;
}

function isUpdate(node) {
  const updates = [SyntaxKind.PlusPlusToken, SyntaxKind.MinusMinusToken];
  return (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) && updates.includes(node.operator);
}

function editReturn({ expression }, replaceBy) {
  if (expression) editResult(expression, replaceBy);
}

/** Not for `false`, which few callers distinguish from undefined, and which another operator flips. */
function editResult(expression, replaceBy) {
  const isNamed = ts.isIdentifier(expression) && expression.text === 'undefined';
  const isNothing = isNamed || expression.kind === SyntaxKind.FalseKeyword;
  if (!isNothing && !ts.isVoidExpression(expression) && !isLeftAlone(expression)) {
    replaceBy('return undefined', 'undefined', expression);
  }
}

/** The body of a loop that does not count is left: without it the loop has no end, which shows nothing. */
function editBlock(node, replaceBy) {
  const isLoop = ts.isWhileStatement(node.parent) || ts.isDoStatement(node.parent) || ts.isForStatement(node.parent);
  if (node.statements.length === 0 || isLoop) return;
  if (node.statements.every((statement) => ts.isExpressionStatement(statement) && isLogging(statement.expression))) {
    return;
  }
  replaceBy('empty block', '{}');
}

function conditionOf(node) {
  if (ts.isIfStatement(node) || ts.isWhileStatement(node) || ts.isDoStatement(node)) return node.expression;
  return ts.isConditionalExpression(node) || ts.isForStatement(node) ? node.condition : undefined;
}

/** Other operators negate a comparison and a `!` already. */
function isNegatedAsWhole(condition) {
  if (ts.isPrefixUnaryExpression(condition)) return condition.operator !== SyntaxKind.ExclamationToken;
  if (ts.isBinaryExpression(condition)) return BINARY[condition.operatorToken.getText()]?.[0] !== 'equality';
  return condition.kind !== SyntaxKind.TrueKeyword && condition.kind !== SyntaxKind.FalseKeyword;
}

/** Where a mark can be written that shows that this place is reached: before the statement that contains it. */
function anchorOf(node, tree) {
  let inner = node;
  if (ts.isBlock(node) && node.statements.length > 0) return node.statements[0].getStart(tree);
  while (inner.parent && !isList(inner.parent, inner)) inner = inner.parent;
  return inner.getStart(tree);
}

function isList(parent, child) {
  if (ts.isSourceFile(parent) || ts.isBlock(parent)) return true;
  return (ts.isCaseClause(parent) || ts.isDefaultClause(parent)) && parent.expression !== child;
}
