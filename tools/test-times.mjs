// A reporter of vitest that prints where the time of a run goes: by project, and by the ten files that take longest.
//   npm run test:times                everything, after a build
//   npm run test:times -- test/kit    one folder
// `files` is the sum of the files' imports, hooks and tests; `from first to last` is by the clock, less than the sum
// where files run beside each other.
const SLOWEST = 10;

export default class TestTimes {
  #started = new Map();
  #files = [];

  onTestModuleStart({ id }) {
    this.#started.set(id, performance.now());
  }

  onTestModuleEnd(module) {
    const { collectDuration, setupDuration, duration } = module.diagnostic();
    this.#files.push({
      project: module.project.name,
      file: module.relativeModuleId,
      tests: [...module.children.allTests()].length,
      ms: collectDuration + setupDuration + duration,
      from: (this.#started.get(module.id) ?? performance.now()) - collectDuration,
      to: performance.now(),
    });
  }

  onTestRunEnd() {
    const projects = [...Map.groupBy(this.#files, ({ project }) => project)];
    const slowest = this.#files.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST);
    print(
      ['project', 'number of files', 'tests', 'files', 'from first to last'],
      projects.map(([name, files]) => [
        name,
        files.length,
        sum(files, 'tests'),
        seconds(sum(files, 'ms')),
        span(files),
      ]),
    );
    print(
      ['slowest files', 'tests', 'time'],
      slowest.map(({ file, tests, ms }) => [file, tests, seconds(ms)]),
    );
  }
}

const sum = (files, what) => files.reduce((total, file) => total + file[what], 0);
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
const span = (files) => seconds(Math.max(...files.map(({ to }) => to)) - Math.min(...files.map(({ from }) => from)));

/** Prints a table of Markdown. */
function print(head, rows) {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  console.log(`\n${lines.join('\n')}`);
}
