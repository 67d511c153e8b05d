// The least a Node program is. With `wait` it stays.
if (process.argv[2] === 'wait') setInterval(() => {}, 1e6);
