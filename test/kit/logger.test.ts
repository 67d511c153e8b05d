import { afterEach, describe, expect, it, vi } from 'vitest';
import { consoleLogger, createLogger, defaultLogger, logLine, silentLogger } from '../../src/kit/logger.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';

afterEach(() => vi.restoreAllMocks());

describe('createLogger', () => {
  it('passes level, message and fields to its function, with the fields of all parents', () => {
    const seen: unknown[] = [];
    const logger = createLogger((...entry) => seen.push(entry), { a: 1, b: 1 });
    logger.child({ b: 2 }).child({ c: 3 }).info('hello', { d: 4 });
    logger.debug('again');
    expect(seen).toEqual([
      ['info', 'hello', { a: 1, b: 2, c: 3, d: 4 }],
      ['debug', 'again', { a: 1, b: 1 }],
    ]);
  });
});

describe('consoleLogger', () => {
  it.each([
    ['error', ['ERROR']],
    ['warn', ['ERROR', 'WARN']],
    ['info', ['ERROR', 'WARN', 'INFO']],
    ['debug', ['ERROR', 'WARN', 'INFO', 'DEBUG']],
  ] as const)('at %s writes %j', (level, expected) => {
    const lines: string[] = [];
    vi.spyOn(console, 'error').mockImplementation((line) => void lines.push(line));
    const logger = consoleLogger(level);
    for (const each of ['error', 'warn', 'info', 'debug'] as const) logger[each]('hello', { a: 1 });
    expect(lines).toEqual(expected.map((name) => `kubectl-informer: ${name} hello a=1`));
  });

  it('begins a line with the time and the name of the program where that is asked for', () => {
    const write = vi.spyOn(console, 'error').mockImplementation(() => {});
    consoleLogger('info', { program: 'shop-operator', times: true, clock: new FakeClock() }).info('hello');
    consoleLogger('info', { program: 'shop-operator' }).info('hello');
    expect(write.mock.calls).toEqual([
      [`${new Date(new FakeClock().now()).toISOString()} shop-operator: INFO hello`],
      ['shop-operator: INFO hello'],
    ]);
    expect(() => consoleLogger('info', { time: true } as never)).toThrow('consoleLogger has no option "time"');
  });

  it('refuses an unknown level', () => {
    expect(() => consoleLogger('verbose' as never)).toThrow(
      'the level of a logger is one of error, warn, info, debug, not verbose',
    );
  });
});

it('the default logger writes warnings, the silent one nothing', () => {
  const write = vi.spyOn(console, 'error').mockImplementation(() => {});
  defaultLogger.info('no');
  defaultLogger.warn('yes');
  for (const level of ['error', 'warn', 'info', 'debug'] as const) silentLogger.child({ a: 1 })[level]('no');
  expect(write.mock.calls).toEqual([['kubectl-informer: WARN yes']]);
});

describe('logLine', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['scalars', { a: 'b', n: 1, t: true }, 'WARN m a=b n=1 t=true'],
    ['quotes where needed', { a: 'b c', e: '', q: 'x="y"' }, 'WARN m a="b c" e="" q="x=\\"y\\""'],
    ['objects as JSON', { o: { n: 9007199254740993n } }, 'WARN m o="{\\"n\\":9007199254740993}"'],
    [
      'several texts with commas',
      { a: ['v1/pods', 'x'], b: ['c d', 'e'], none: [], n: [1] },
      'WARN m a=v1/pods,x b="c d,e" none="" n=[1]',
    ],
    ['errors by their message', { error: new Error('why') }, 'WARN m error=why'],
    ['no undefined field', { a: undefined, f: () => 1 }, expect.stringMatching(/^WARN m f=/) as never],
    ['control characters as text', { a: '\x1b[31m' }, 'WARN m a="\\u001b[31m"'],
  ])('writes %s', (_, fields, line) => {
    expect(logLine('warn', 'm', fields)).toEqual(line);
  });

  it('leaves out an error that says the same as the message, and indents further lines', () => {
    expect(logLine('error', 'broken', { error: new Error('broken') })).toBe('ERROR broken');
    expect(logLine('error', 'first\nsecond\x07', {})).toBe('ERROR first\n  second^G');
  });
});
