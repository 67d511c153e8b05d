// Loaded into the programs of a soak: the wall clock of the process is as far ahead as the file of SOAK_CLOCK says.
import { readFileSync } from 'node:fs';

const real = Date.now;
const RealDate = Date;
let ahead = 0;
const look = () => {
  try {
    ahead = Number(readFileSync(process.env.SOAK_CLOCK, 'utf8')) || 0;
  } catch {
    ahead = 0;
  }
};
look();
setInterval(look, 200).unref();
globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(real() + ahead);
    else super(...args);
  }

  static now() {
    return real() + ahead;
  }
};
