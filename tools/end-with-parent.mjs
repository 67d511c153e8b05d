// Imported by a process that `newer-node.mjs` started: when the process before it is killed outright, this one ends as
// well.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
