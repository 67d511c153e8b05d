// Stands for `vitest` in test files whose tests are run more than once in a process: it collects them in a tree.
// `expect` and `vi` are the test runner's own.
import { format } from 'node:util';

export * from 'vitest';

let suite = suiteOf('');
/** The callbacks that the running test has registered. */
let finishers = [];

function suiteOf(name, parent) {
  return { name, parent, tests: [], suites: [], beforeAll: [], afterAll: [], beforeEach: [], afterEach: [] };
}

/** The tests of what `load` imports, each `{ title, run }`. */
export async function collected(load) {
  suite = suiteOf('');
  const top = suite;
  await load();
  suite = top;
  return testsOf(top);
}

function testsOf(of) {
  return [...of.tests, ...of.suites.flatMap(testsOf)];
}

/** Runs one test with every hook of the suites that it is in. */
async function run(test, of) {
  const chain = [];
  for (let each = of; each; each = each.parent) chain.unshift(each);
  const [cleanups, controller] = [[], new AbortController()];
  finishers = [];
  const context = { task: { name: test.title }, signal: controller.signal, onTestFinished, skip };
  try {
    for (const kind of ['beforeAll', 'beforeEach'])
      for (const each of chain)
        for (const hook of each[kind]) {
          const cleanup = await hook(context);
          if (typeof cleanup === 'function') cleanups.unshift(cleanup);
        }
    await test.body(context);
  } finally {
    controller.abort();
    const after = ['afterEach', 'afterAll'].flatMap((kind) =>
      chain.toReversed().flatMap((each) => each[kind].toReversed()),
    );
    for (const hook of [...finishers.toReversed(), ...after, ...cleanups]) await hook(context);
  }
}

function skip() {}

export function onTestFinished(callback) {
  finishers.push(callback);
}

const hook = (kind) => (callback) => void suite[kind].push(callback);
export const beforeAll = hook('beforeAll');
export const afterAll = hook('afterAll');
export const beforeEach = hook('beforeEach');
export const afterEach = hook('afterEach');

function addTest(name, ...rest) {
  const body = rest.find((each) => typeof each === 'function');
  const [of, title] = [suite, titleOf(suite, String(name.name ?? name))];
  const test = { title, body, run: () => run(test, of) };
  of.tests.push(test);
}

function titleOf(of, name) {
  return of.name ? `${titleOf(of.parent, of.name)} ${name}` : name;
}

function addSuite(name, ...rest) {
  const [outer, body] = [suite, rest.find((each) => typeof each === 'function')];
  suite = suiteOf(String(name.name ?? name), outer);
  outer.suites.push(suite);
  body?.();
  suite = outer;
}

/** With the variants of the test runner: `each` and `for` for rows, and those that leave a test out. */
function variantsOf(add) {
  const none = Object.assign(() => undefined, { each: () => () => undefined });
  const each =
    (rows) =>
    (name, ...rest) => {
      const body = rest.find((part) => typeof part === 'function');
      for (const [i, row] of rows.entries()) {
        const values = Array.isArray(row) ? row : [row];
        add(rowTitle(name, values, i), () => body(...values));
      }
    };
  const perRow = (rows) => (name, body) => {
    for (const [i, row] of rows.entries()) add(rowTitle(name, [row].flat(), i), (context) => body(row, context));
  };
  const variants = { each, for: perRow, skip: none, todo: none };
  const self = Object.assign((...parts) => add(...parts), variants);
  return Object.assign(self, {
    only: self,
    sequential: self,
    concurrent: self,
    skipIf: (isLeftOut) => (isLeftOut ? none : self),
    runIf: (isRun) => (isRun ? self : none),
  });
}

function rowTitle(name, values, i) {
  const own = values[0] ?? {};
  const text = String(name)
    .replace(/%#/g, i)
    .replace(/\$([\w.]+)/g, (all, path) => path.split('.').reduce((at, key) => at?.[key], own) ?? all);
  const places = (text.match(/%[sdifjoO]/g) ?? []).length;
  return places > 0 ? format(text, ...values.slice(0, places)) : text;
}

export const it = variantsOf(addTest);
export const test = it;
export const describe = variantsOf(addSuite);
