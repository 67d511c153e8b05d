// Prints the files of src that one change runs through until it is a row of `watch pods`: those of which a function is
// called. The program has its sources, a sandbox beside it, and a settled stream:
//   node tools/run.mjs node tools/event-path.mjs [FLAG ...]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Sandbox } from '../src/sandbox/index.ts';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const folder = mkdtempSync(path.join(tmpdir(), 'event-path-'));
const pod = (image) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { containers: [{ name: 'app', image }] },
});
const sandbox = await Sandbox.start({});
const program = spawn(
  process.execPath,
  ['--inspect=127.0.0.1:0', path.join(root, 'bin', 'dev.js'), 'watch', 'pods', '-n', 'shop', ...process.argv.slice(2)],
  { env: { ...process.env, KUBECONFIG: path.join(folder, 'kubeconfig') }, stdio: ['ignore', 'pipe', 'pipe'] },
);
try {
  sandbox.apply([pod('app:1')]);
  writeFileSync(path.join(folder, 'kubeconfig'), sandbox.kubeconfig(), { mode: 0o600 });
  const rows = linesOf(program.stdout);
  const inspector = await inspectorOf(program.stderr);
  await inspector('Profiler.enable');
  await inspector('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await rows(2); // the heading, and the pod
  sandbox.apply([{ ...pod('app:2'), metadata: { ...pod('').metadata, labels: { app: 'web' } } }]);
  await rows(3); // the first event may load what the later ones use
  await sleep(1000);
  await inspector('Profiler.takePreciseCoverage');
  sandbox.apply([pod('app:3')]);
  await rows(4);
  const { result } = await inspector('Profiler.takePreciseCoverage');
  const files = result
    .filter(({ url, functions }) => url.startsWith('file://') && functions.some(isCalled))
    .map(({ url, functions }) => [
      path.relative(path.join(root, 'src'), fileURLToPath(url)),
      functions.filter(isCalled),
    ])
    .filter(([file]) => !file.startsWith('..'))
    .sort();
  for (const [file, functions] of files)
    console.log(`${file}  ${functions.map(({ functionName }) => functionName || '(anonymous)').join(' ')}`);
  console.log(`${files.length} files`);
} finally {
  program.kill('SIGKILL');
  await sandbox.stop();
  rmSync(folder, { recursive: true });
}
process.exit();

/** A function that was called; the first of a module is the module itself. */
function isCalled({ ranges: [range], functionName }, index) {
  return range.count > 0 && !(index === 0 && functionName === '');
}

/** Waits until a stream has had this number of lines. */
function linesOf(stream) {
  let count = 0;
  stream.on('data', (chunk) => {
    count += chunk.toString().split('\n').length - 1;
  });
  return async (wanted) => {
    while (count < wanted) await once(stream, 'data');
  };
}

/** Sends commands to the inspector of the program, whose address is on stderr. */
async function inspectorOf(stderr) {
  let text = '';
  while (!/ws:\S+\s/.test(text)) text += (await once(stderr, 'data'))[0];
  stderr.resume();
  const socket = new WebSocket(/ws:\S+/.exec(text)[0]);
  await once(socket, 'open');
  let last = 0;
  return (method, params = {}) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      const answered = ({ data }) => {
        const message = JSON.parse(data);
        if (message.id !== id) return;
        socket.removeEventListener('message', answered);
        if (message.error) reject(new Error(`${method}: ${message.error.message}`));
        else resolve(message.result);
      };
      socket.addEventListener('message', answered);
      socket.send(JSON.stringify({ id, method, params }));
    });
}
