#!/usr/bin/env node
// kubectl_complete-informer: kubectl runs it to complete `kubectl informer …`. Nothing but candidates is ever written,
// also by an old Node or a checkout that is not built: `:4` says that there are none.
try {
  const { main } = await import(new URL('../dist/main.js', import.meta.url));
  await main(['__complete', ...process.argv.slice(2)]);
} catch {
  process.stdout.write(':4\n');
}
