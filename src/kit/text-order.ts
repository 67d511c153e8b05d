/** By bytes in UTF-8, as Go and etcd compare strings: the order of `<`, but for characters beyond U+FFFF. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x !== y) return lastInPlane(x) - lastInPlane(y);
  }
  return a.length - b.length;
}

/** Half of a character beyond U+FFFF comes after every character up to it. */
const lastInPlane = (unit: number) => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
