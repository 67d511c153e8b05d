import { expect, it, vi } from 'vitest';
// @ts-expect-error a tool without types
import TestTimes from '../../tools/test-times.mjs';

const moduleOf = (project: string, file: string, tests: number, ms: number) => ({
  id: `${project} ${file}`,
  project: { name: project },
  relativeModuleId: file,
  diagnostic: () => ({ collectDuration: ms / 4, setupDuration: 0, duration: (ms * 3) / 4 }),
  children: { allTests: () => Array(tests).keys() },
});

it('prints the time of each project, and the ten files that take longest, longest first', () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  const times = new TestTimes();
  const files = Array.from({ length: 12 }, (_, i) => moduleOf('unit', `test/${i}.test.ts`, 2, 1000 * (i + 1)));
  for (const file of [...files, moduleOf('built', 'test/b.test.ts', 1, 500)]) {
    times.onTestModuleStart(file);
    times.onTestModuleEnd(file);
  }
  times.onTestRunEnd();
  const [projects = '', slowest = ''] = log.mock.calls.map(([text]) => String(text));
  expect(projects).toMatch(/^\| unit \| 12 \| 24 \| 78\.0 s \| \d+\.\d s \|\n\| built \| 1 \| 1 \| 0\.5 s \|/m);
  const rows = slowest.split('\n').slice(3);
  expect(rows).toHaveLength(10);
  expect(rows[0]).toBe('| test/11.test.ts | 2 | 12.0 s |');
  expect(rows[9]).toBe('| test/2.test.ts | 2 | 3.0 s |');
});
