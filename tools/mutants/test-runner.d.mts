export function hasFrom(file: string, from: number, text: string): boolean;
