// Stops with a clear word where neither the checkout's own Node nor the system's is new enough.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const own = path.join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
const [major, minor] = process.versions.node.split('.').map(Number);
if (!existsSync(own) && (major < 22 || (major === 22 && minor < 19))) {
  console.error(
    `error: Node ${process.versions.node} is too old, and this checkout has no Node of its own for ${process.platform}-${process.arch}\n` +
      `hint: run 'npm ci' without --omit=optional, or install Node 24 (at least 22.19) and try again`,
  );
  process.exit(1);
}
